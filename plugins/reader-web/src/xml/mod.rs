//! Reads XML: its text as it is, its records as tables; feeds as lists of entries.

mod feed;
mod records;
pub(crate) mod tree;

use crate::decode::decode;
use mitt_reader_kit::{Content, clean};
use tree::Tree;

/// Most characters of a text whose records are in tables.
const MAX_SHOWN: usize = 40_000;

pub(crate) fn read(bytes: &[u8]) -> Content {
    let decoded = decode(bytes);
    let mut warnings = decoded.warnings;
    let text = clean(&decoded.text);
    let tree =
        match Tree::parse(&text) {
            Ok(tree) => tree,
            Err(damage) => {
                warnings.push(format!(
                "the XML is damaged at line {}, column {} ({}): it is given as the text that it is",
                damage.line, damage.column, mitt_reader_kit::single_line(&damage.reason)
            ));
                return Content { markdown: text, warnings, ..Content::default() };
            }
        };
    if let Some(content) = feed::read(&tree, &mut warnings) {
        return Content { warnings, ..content };
    }
    let tables = records::find(&tree, &mut warnings);
    let mut markdown = text;
    if let Some((kept, count)) = cut(&markdown).filter(|_| !tables.is_empty()) {
        warnings.push(format!("the text of the XML was cut after {MAX_SHOWN} of its {count} characters: its records are in the tables"));
        markdown = kept;
    }
    Content { markdown, tables, warnings, ..Content::default() }
}

/// Returns the start of a long text, up to the end of a line if possible, and its number of characters.
fn cut(text: &str) -> Option<(String, usize)> {
    let (end, _) = text.char_indices().nth(MAX_SHOWN)?;
    let beginning = text.get(..end)?;
    let end = beginning.rfind('\n').filter(|it| it * 2 > end).unwrap_or(end);
    let count = text.chars().count();
    Some((format!("{}\n…\n", beginning.get(..end)?), count))
}
