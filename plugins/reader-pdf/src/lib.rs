//! Reads PDF documents: text in reading order as Markdown, tables apart, pages as places.
//!
//! The library `unpdf` makes paragraphs, headings and grids of a page. This crate decides which lines are repeated on
//! every page, what a table is, how lines are joined, and how the Markdown looks. It does not read pictures. It names
//! the pages that are pictures, so that the host can recognise their text.

mod apart;
mod between;
mod block;
mod codes;
mod collect;
mod comments;
#[cfg(target_family = "wasm")]
mod component;
mod depth;
mod eye;
mod files;
mod form;
mod furniture;
mod grid;
mod header;
mod inline;
mod lines;
mod look;
mod matrix;
mod metadata;
mod misread;
mod order;
mod outline;
mod owner;
mod radicals;
mod reading;
mod regrid;
mod runs;
mod scanned;
mod shades;
mod share;
mod slim;
mod spelling;
mod tables;
mod thin;
mod values;
mod words;
mod write;

use look::Preparation;
use mitt_reader_kit::{Content, ENCRYPTED, Error, clean, single_line};
use reading::Reading;
pub use share::Share;
use unpdf::render::PageSelection;
use unpdf::{ErrorKind, PageStreamOptions, ParseOptions, PdfParser};

/// Parses a document. `extension` is `pdf`. `password` is the user password or the owner password, if the document has
/// one.
///
/// # Errors
///
/// `unsupported` - the document is encrypted and the password is missing or wrong, or the extension is not `pdf`.
/// `malformed` - the document is damaged. `quota` - it holds more text or table cells than one document may have.
pub fn read(bytes: &[u8], extension: &str, password: Option<&str>) -> Result<Content, Error> {
    match reading(bytes, extension, password, Share::WHOLE)? {
        Some(reading) => reading.content(),
        None => Err(Error::Malformed("the document is damaged: it has no pages".to_owned())),
    }
}

/// Reads a share of a document, for [`join`]. Returns no bytes if all pages belong to other shares.
///
/// # Errors
///
/// Those of [`read`], for these pages.
pub fn share(
    bytes: &[u8],
    extension: &str,
    password: Option<&str>,
    share: Share,
) -> Result<Vec<u8>, Error> {
    let reading = reading(bytes, extension, password, share)?;
    reading.as_ref().map(share::pack).transpose().map(Option::unwrap_or_default)
}

/// Joins all shares of a document, in order, and returns its content.
///
/// # Errors
///
/// Those of [`read`]. `invalid-argument` - the bytes are not shares.
pub fn join(shares: &[Vec<u8>]) -> Result<Content, Error> {
    let readings =
        shares.iter().filter(|share| !share.is_empty()).map(|share| share::unpack(share));
    Reading::join(readings.collect::<Result<Vec<_>, _>>()?)?.content()
}

/// Reads the pages of a share; `None` if it has no pages.
fn reading(
    bytes: &[u8],
    extension: &str,
    password: Option<&str>,
    share: Share,
) -> Result<Option<Reading>, Error> {
    if extension != "pdf" {
        return Err(Error::Unsupported(format!("not a PDF: `{extension}`")));
    }
    let bytes = header::without_rest(bytes);
    if let Err(fault) = depth::check(bytes) {
        return Err(Error::Malformed(format!("the document is damaged: {}", fault.as_str())));
    }
    let Preparation {
        changed,
        unseen,
        refused,
        is_unwatched,
        has_outline,
        comments,
        fields,
        files,
        pages,
    } = match look::look(bytes, password, share) {
        Some(look) => look,
        // A document that cannot be opened here is not divided into shares.
        None if share.is_first() => Preparation { has_outline: true, ..Preparation::default() },
        None => return Ok(None),
    };
    if pages.as_ref().is_some_and(|pages| pages.is_empty()) {
        return Ok(None);
    }
    let opened = changed.as_deref().and_then(|bytes| Some((open(bytes, None).ok()?, bytes)));
    let ((parser, password), bytes) = match opened {
        Some(opened) => opened,
        None => (open(bytes, password)?, bytes),
    };
    let password = password.as_deref();
    let pages = pages.map_or(PageSelection::All, PageSelection::Range);
    let options = PageStreamOptions { parallel: false, pages, ..PageStreamOptions::default() };
    let mut collected = collect::Collected::new(refused);
    let quality = parser.for_each_page(options, |event| collected.take(event)).map_err(problem)?;
    forget_in_sandbox(parser);
    let comments = comments.unwrap_or_else(|| comments::of(bytes, password));
    let reading = collected.finish(&quality, comments)?;
    Ok(Some(Reading {
        unseen,
        is_unwatched,
        lacks_outline: !has_outline,
        fields,
        files,
        ..reading
    }))
}

/// Opens a document. Tries the password as the user password, then the user password that follows from it as the owner
/// password. Also returns the password that opened the document.
fn open(bytes: &[u8], password: Option<&str>) -> Result<(PdfParser, Option<String>), Error> {
    let with = |password: Option<&str>| {
        let options = ParseOptions::new().lenient().sequential();
        let options = match password {
            Some(password) => options.with_password(password),
            None => options,
        };
        PdfParser::from_bytes_with_options(bytes, options)
    };
    match with(password) {
        Err(error) if error.kind() == ErrorKind::InvalidPassword => {
            let password = password.and_then(|password| owner::reader_password(bytes, password));
            let password = password.ok_or_else(|| problem(error))?;
            Ok((with(Some(&password)).map_err(problem)?, Some(password)))
        }
        result => Ok((result.map_err(problem)?, password.map(str::to_owned))),
    }
}

/// Forgets what was parsed of a whole document if nothing large is allocated after it. In the sandbox all memory is
/// freed with the instance when the call ends, so dropping it before only takes time.
fn forget_in_sandbox<T>(value: T) {
    if cfg!(target_family = "wasm") {
        std::mem::forget(value);
    }
}

fn problem(error: unpdf::Error) -> Error {
    let text = tidy(&error.to_string());
    match error.kind() {
        ErrorKind::Encrypted | ErrorKind::InvalidPassword => {
            Error::Unsupported(ENCRYPTED.to_owned())
        }
        ErrorKind::UnsupportedVersion => Error::Unsupported(text),
        _ => Error::Malformed(format!("the document is damaged: {text}")),
    }
}

/// Returns a message of the library in our form: one line, without a final period.
fn tidy(message: &str) -> String {
    single_line(&clean(message)).trim_end_matches('.').to_owned()
}
