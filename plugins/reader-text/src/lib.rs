//! Reads text: delimited values, Markdown, and plain text in any encoding.
//!
//! The parser is the crate `mitt-text`. It runs in the sandbox, and the host builds its tables part by part. For a file
//! of values, the host shows the beginning of the table itself.

mod sink;

use mitt_reader_kit::{Content, Error, NamedTable, TableSource};
use mitt_text::{decode, delimited, markdown};
use sink::{Sink, failed};

#[cfg(target_family = "wasm")]
mod component;

/// Reads a text. `extension` is `csv`, `md` or `txt`.
///
/// # Errors
///
/// `quota` - there is too much of something. `unsupported` - the extension is another one.
pub fn read<T: mitt_reader_kit::tables::Source>(
    bytes: Vec<u8>,
    extension: &str,
) -> Result<(Content<NoTable>, Vec<NamedTable<T>>), Error> {
    let mut sink = Sink::<T>::default();
    let (content, told) = match extension {
        "csv" => {
            let (found, warnings) = match mitt_text::utf8(&bytes) {
                Some(text) => (delimited::read(text, &mut sink), Vec::new()),
                None => {
                    let decoded = decode::decode_only(bytes);
                    (delimited::read(&decoded.text, &mut sink), decoded.warnings)
                }
            };
            let found = found.map_err(failed)?;
            let markdown = found.captions.iter().map(|it| format!("{it}\n\n")).collect();
            let content = Content { markdown, warnings, ..Content::default() };
            (content, found.warnings)
        }
        "md" => {
            let decoded = decode::decode(bytes);
            let found = markdown::read(&decoded.text, &mut sink)?;
            let (title, markdown) = (found.title, decoded.text);
            let warnings = decoded.warnings;
            (Content { title, markdown, warnings, ..Content::default() }, found.warnings)
        }
        "txt" => {
            let decoded = decode::decode(bytes);
            let (markdown, warnings) = (decoded.text, decoded.warnings);
            (Content { markdown, warnings, ..Content::default() }, Vec::new())
        }
        other => return Err(Error::Unsupported(format!("no reader for `.{other}` files"))),
    };
    let mut content = content;
    content.warnings.extend(told);
    Ok((content, sink.made))
}

/// The table type of a content whose tables were already built. It has no values.
pub enum NoTable {}

impl TableSource for NoTable {
    fn build<T: mitt_reader_kit::tables::Source>(self, _: &mut Vec<String>) -> Result<T, Error> {
        match self {}
    }
}
