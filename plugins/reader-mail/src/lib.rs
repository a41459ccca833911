//! Reads mails: what they say of themselves, their text as Markdown, the files that are attached to them.
//!
//! The bytes of attached files are handed over as they are: they are for the readers of their types. Signatures are not checked,
//! nothing is fetched, nothing is decrypted.

mod date;
mod fields;
mod html;
mod inside;
mod letter;
mod mbox;
mod mime;
mod outlook;
mod plain;
mod properties;
mod raw;
mod rich;
mod richer;
mod signed;
mod tnef;

use mitt_reader_kit::{Content, ENCRYPTED, Error};

mitt_reader_kit::export_reader!(crate::read);

/// Parse a mail. `extension` is one of `eml`, `msg`, `mbox`, `mhtml`, `tnef`.
///
/// # Errors
///
/// `unsupported` - it is encrypted, or the extension is none of these. `malformed` - it is damaged. `quota` - it holds more text than
/// one document may.
pub fn read(bytes: &[u8], extension: &str) -> Result<Content, Error> {
    match extension {
        "eml" => mime::letter(bytes)?.into_content(),
        "mhtml" => mime::page(bytes)?.into_content(),
        "mbox" => mbox::read(bytes),
        "tnef" => tnef::letter(bytes)
            .ok_or_else(|| damaged("it is no winmail.dat of Outlook"))?
            .into_content(),
        "msg" => outlook::letter(bytes)?.into_content(),
        other => Err(Error::Unsupported(format!("no mail: `{other}`"))),
    }
}

fn damaged(why: impl std::fmt::Display) -> Error {
    Error::Malformed(format!("the mail is damaged: {why}"))
}

fn encrypted() -> Error {
    Error::Unsupported(ENCRYPTED.to_owned())
}
