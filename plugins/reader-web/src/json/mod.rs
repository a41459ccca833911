//! Reads JSON and JSON lines: arrays of objects become tables with every digit, the rest becomes indented text.

mod lines;
mod pretty;
mod raw;
mod records;

use crate::decode::decode;
pub(crate) use lines::read_lines;
use mitt_reader_kit::{Content, MAX_CELLS, NamedTable, clean, single_line};
use pretty::Pretty;
use raw::{JsonType, kind};
use records::ArrayTable;
use serde_json::value::RawValue;

/// Most characters of text beside tables that hold its arrays.
const MAX_SHOWN: usize = 40_000;

pub(crate) fn read(bytes: &[u8]) -> Content {
    let decoded = decode(bytes);
    let mut warnings = decoded.warnings;
    let text = decoded.text.trim_start_matches('\u{feff}');
    let raw: &RawValue = match serde_json::from_str(text) {
        Ok(raw) => raw,
        Err(error) => {
            // Some programs write JSON lines and call them `.json`.
            if let Some(content) = lines::all_lines(text) {
                return content;
            }
            warnings.push(format!(
                "the JSON is damaged at line {}, column {}: it is given as the text that it is",
                error.line(),
                error.column()
            ));
            return Content { markdown: clean(text), warnings, ..Content::default() };
        }
    };
    let mut left = MAX_CELLS;
    let found = records::find(raw, &mut left, &mut warnings);
    // The host shows the start of a single table, so it needs no text.
    let is_table = matches!(&found[..], [only] if only.source.get().len() == raw.get().len());
    let markdown = if is_table { String::new() } else { shown(raw, &found, &mut warnings) };
    let title = title(raw);
    let table = |it: ArrayTable<'_>| NamedTable { name: it.name, data: it.table, place: None };
    let tables = found.into_iter().map(table).collect();
    Content { title, markdown, tables, warnings, ..Content::default() }
}

/// Returns the text of a value. If it is long, it has only the first of the records that are in tables.
fn shown(raw: &RawValue, found: &[ArrayTable<'_>], warnings: &mut Vec<String>) -> String {
    // White space alone does not make a text this long.
    let is_long = !found.is_empty() && raw.get().len() > 8 * MAX_SHOWN;
    let whole = if is_long { String::new() } else { Pretty::new(&[]).write(raw) };
    if !is_long && (found.is_empty() || whole.chars().count() <= MAX_SHOWN) {
        return whole;
    }
    warnings.push(
        "the text shows the first records of long arrays: all of them are in the tables".into(),
    );
    Pretty::new(found).write(raw)
}

/// Returns the field `title` of an object.
fn title(raw: &RawValue) -> Option<String> {
    if kind(raw) != JsonType::Object {
        return None;
    }
    let fields = raw::fields(raw);
    let title = fields.iter().find(|(name, _)| name.eq_ignore_ascii_case("title"))?;
    let title: String = serde_json::from_str(title.1.get()).ok()?;
    let title = single_line(&clean(&title));
    (!title.is_empty() && title.chars().count() <= 300).then_some(title)
}
