//! Reads files for browsers and programs: web pages, books (EPUB), notebooks, JSON, XML, feeds.
//!
//! Runs no scripts and fetches nothing. Of the styles of a page, those that hide text are applied, from elements and
//! from style sheets in the page.

mod decode;
mod epub;
mod html;
mod json;
mod notebook;
mod xml;

use mitt_reader_kit::{Content, Error, File};

mitt_reader_kit::export_reader!(file: crate::read);

/// Reads a file. `file.extension` is one of `html`, `epub`, `ipynb`, `json`, `jsonl`, `xml`.
///
/// # Errors
///
/// `unsupported` - the book is encrypted, or the extension is not one of these. `malformed` - a book or a notebook is
/// damaged. `quota` - a book is too large when uncompressed.
pub fn read(bytes: &[u8], file: &File) -> Result<Content, Error> {
    match file.extension.as_str() {
        "html" => Ok(html::read(bytes)),
        "epub" => epub::read(bytes),
        "ipynb" => notebook::read(bytes),
        "json" => Ok(json::read(bytes)),
        "jsonl" => Ok(json::read_lines(bytes)),
        "xml" => Ok(xml::read(bytes)),
        other => {
            Err(Error::Unsupported(format!("no page, book, notebook, JSON or XML: `{other}`")))
        }
    }
}
