//! Reads mails: metadata, text as Markdown, attached files.
//!
//! The readers of their types parse attached files. Signatures are not checked, nothing is fetched, nothing is decrypted.

mod date;
mod fields;
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

use mitt_html as html;
use mitt_reader_kit::{Content, ENCRYPTED, Error};

mitt_reader_kit::export_reader!(crate::read);

/// Parses a mail. `extension` is one of `eml`, `msg`, `mbox`, `mhtml`, `tnef`.
///
/// # Errors
///
/// `unsupported` - it is encrypted, or the extension is another one. `malformed` - it is damaged. `quota` - it has more text
/// than a document may have.
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
