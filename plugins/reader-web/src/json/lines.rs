//! Reads JSON lines: one record per line.

use super::raw::{JsonType, kind};
use super::records::{cell, table};
use crate::decode::decode;
use mitt_reader_kit::{Content, MAX_CELLS, NamedTable, Table, clean};
use serde_json::value::RawValue;

/// Reads JSON lines. Damaged ones are left out and named in a warning.
pub(crate) fn read_lines(bytes: &[u8]) -> Content {
    let decoded = decode(bytes);
    let mut warnings = decoded.warnings;
    let text = decoded.text.trim_start_matches('\u{feff}');
    let mut values: Vec<&RawValue> = Vec::new();
    let mut damaged: Vec<(usize, usize)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        match serde_json::from_str(line) {
            Ok(value) => values.push(value),
            Err(error) => damaged.push((index + 1, error.column())),
        }
    }
    // A single value over several lines is plain JSON.
    if damaged.len() * 2 > values.len() || values.is_empty() {
        let mut content = super::read(bytes);
        if content.warnings.is_empty() && content.markdown.is_empty() && content.tables.is_empty() {
            content.markdown = clean(text);
        }
        return content;
    }
    if let Some((line, column)) = damaged.first() {
        warnings.push(format!(
            "{} of {} lines are no JSON and were left out, first line {line}, at column {column}",
            damaged.len(),
            damaged.len() + values.len()
        ));
    }
    let mut content = of(&values, text);
    content.warnings.splice(0..0, warnings);
    content
}

/// Returns the content of a text with several lines, each of which is an object; `None` for any other text.
pub(super) fn all_lines(text: &str) -> Option<Content> {
    let lines = text.lines().map(str::trim).filter(|it| !it.is_empty());
    let values: Option<Vec<&RawValue>> = lines.map(|it| serde_json::from_str(it).ok()).collect();
    let values =
        values.filter(|it| it.len() > 1 && it.iter().all(|it| kind(it) == JsonType::Object))?;
    Some(of(&values, text))
}

fn of(values: &[&RawValue], text: &str) -> Content {
    let mut warnings = Vec::new();
    let mut left = MAX_CELLS;
    let is_plain = values.iter().all(|it| !matches!(kind(it), JsonType::Array | JsonType::Object));
    let found = match table(values, &mut left, &mut warnings) {
        None if is_plain => {
            let rows = values.iter().take(left).map(|it| vec![cell(it)]).collect();
            Some(Table { columns: vec!["value".into()], rows })
        }
        found => found,
    };
    let (markdown, tables) = match found {
        Some(data) => (String::new(), vec![NamedTable { name: String::new(), data, place: None }]),
        None => (clean(text), Vec::new()),
    };
    Content { markdown, tables, warnings, ..Content::default() }
}
