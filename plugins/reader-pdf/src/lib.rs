//! Reads PDF documents: text in reading order as Markdown, tables apart, pages as places.
//!
//! The library underneath makes paragraphs, headings and grids of a page; which lines belong to every page, what a table
//! is, how lines are joined and what is written as Markdown is decided here. Pictures are not read: a page that is one is
//! named, so that the host can have it recognised.

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
mod legacy;
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

use look::Look;
use mitt_reader_kit::{Content, ENCRYPTED, Error, clean, single_line};
use reading::Reading;
pub use share::Share;
use unpdf::render::PageSelection;
use unpdf::{ErrorKind, PageStreamOptions, ParseOptions, PdfParser};

/// Parse a document. `extension` is `pdf`; `password` is that of the reader or of the owner, if there is one.
///
/// # Errors
///
/// `unsupported` - the document is encrypted and the password is missing or wrong, or the extension is another.
/// `malformed` - it is damaged. `quota` - it holds more text or table cells than one document may.
pub fn read(bytes: &[u8], extension: &str, password: Option<&str>) -> Result<Content, Error> {
    match reading(bytes, extension, password, Share::WHOLE)? {
        Some(reading) => reading.content(),
        None => Err(Error::Malformed("the document is damaged: it has no pages".to_owned())),
    }
}

/// Read a share of a document, for [`join`]; nothing if all pages belong to others.
///
/// # Errors
///
/// As those of [`read`], for these pages.
pub fn share(
    bytes: &[u8],
    extension: &str,
    password: Option<&str>,
    share: Share,
) -> Result<Vec<u8>, Error> {
    let reading = reading(bytes, extension, password, share)?;
    reading.as_ref().map(share::pack).transpose().map(Option::unwrap_or_default)
}

/// The content of a document out of all its shares, in order.
///
/// # Errors
///
/// As those of [`read`]; `invalid-argument` - they are no shares.
pub fn join(shares: &[Vec<u8>]) -> Result<Content, Error> {
    let readings =
        shares.iter().filter(|share| !share.is_empty()).map(|share| share::unpack(share));
    Reading::together(readings.collect::<Result<Vec<_>, _>>()?)?.content()
}

/// Read the pages of a share, or `None` if there are none.
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
    let Look {
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
        // A document that cannot be looked at is not divided into shares.
        None if share.is_first() => Look { has_outline: true, ..Look::default() },
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
    leave(parser);
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

/// Open a document with the password as it is, then with the reader's password that follows from it as the owner's. Gives
/// the password that opened it too.
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

/// Let go of what was made of a whole document when nothing large comes after it. In the sandbox all memory goes with the instance
/// when the call ends; taking a document apart before that only takes time.
fn leave<T>(value: T) {
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

/// A message of the library in our form: one line, without a final period.
fn tidy(message: &str) -> String {
    single_line(&clean(message)).trim_end_matches('.').to_owned()
}
