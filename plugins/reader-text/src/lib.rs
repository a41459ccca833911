//! Reads text: delimited values, Markdown, and plain text in any encoding.
//!
//! The parser is the crate `mitt-text`. It runs in the sandbox, and the host builds its tables part by part. For a file
//! of values, the host shows the beginning of the table itself.

mod sink;

use mitt_reader_kit::{Content, Error, NamedTable, TableSource};
use mitt_text::delimited::pieces::{Layout, Report};
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
            let (summary, warnings) = match mitt_text::utf8(&bytes) {
                Some(text) => (delimited::read(text, &mut sink), Vec::new()),
                None => {
                    let decoded = decode::decode_only(bytes);
                    (delimited::read(&decoded.text, &mut sink), decoded.warnings)
                }
            };
            let summary = summary.map_err(failed)?;
            let markdown = paragraphs(&summary.captions);
            let content = Content { markdown, warnings, ..Content::default() };
            (content, summary.warnings)
        }
        "md" => {
            let decoded = decode::decode(bytes);
            let summary = markdown::read(&decoded.text, &mut sink)?;
            let (title, markdown) = (summary.title, decoded.text);
            let warnings = decoded.warnings;
            (Content { title, markdown, warnings, ..Content::default() }, summary.warnings)
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

/// Reads a piece of a text of values. `head` is the beginning of the text, up to a line end. Returns the rows and a report for
/// [`finish`], or `None` if the whole text must be read instead.
pub fn read_piece<T: mitt_reader_kit::tables::Source>(
    head: &[u8],
    piece: &[u8],
    extension: &str,
    is_first: bool,
) -> Option<(NamedTable<T>, Vec<u8>)> {
    let layout = layout(head, extension)?;
    let mut sink = Sink::<T>::default();
    // Whichever limit a piece reaches, the whole text is read, and refused with the place.
    let report = layout.read(mitt_text::utf8(piece)?, is_first, &mut sink).ok()??;
    Some((sink.made.pop()?, report.to_bytes()))
}

/// Returns the Markdown beside the table of a text of values, and the warnings, from the reports on all pieces. Returns `None` if the
/// whole text must be read instead.
pub fn finish(head: &[u8], extension: &str, reports: &[Vec<u8>]) -> Option<(String, Vec<String>)> {
    let reports: Option<Vec<Report>> = reports.iter().map(|it| Report::from_bytes(it)).collect();
    let summary = layout(head, extension)?.finish(&reports?)?;
    Some((paragraphs(&summary.captions), summary.warnings))
}

fn layout(head: &[u8], extension: &str) -> Option<Layout> {
    if extension != "csv" {
        return None;
    }
    Layout::find(mitt_text::utf8(head)?)
}

fn paragraphs(captions: &[String]) -> String {
    captions.iter().map(|it| format!("{it}\n\n")).collect()
}

/// The table type of a content whose tables were already built. It has no values.
pub enum NoTable {}

impl TableSource for NoTable {
    fn build<T: mitt_reader_kit::tables::Source>(self, _: &mut Vec<String>) -> Result<T, Error> {
        match self {}
    }
}
