//! Reads what is written for browsers and programs: web pages, books (EPUB), notebooks, JSON, XML, feeds.
//!
//! No script is run and nothing is fetched; of styles only what hides text is applied, from elements and from sheets in the page.

mod decode;
mod epub;
mod html;
mod json;
mod notebook;
mod xml;

use mitt_reader_kit::{Content, Error, File};

mitt_reader_kit::export_reader!(file: crate::read);

/// Read a file. `file.extension` is one of `html`, `epub`, `ipynb`, `json`, `jsonl`, `xml`.
///
/// # Errors
///
/// `unsupported` - it is an encrypted book, or the extension is none of these. `malformed` - a book or a notebook is damaged.
/// `quota` - a book holds more than is unpacked.
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
