//! Makes tables of arrays of objects and of arrays of rows.

use super::raw::{JsonType, elements, fields, kind};
use mitt_reader_kit::{Cell, Table, clean, column_names, is_plain_number};
use serde_json::value::RawValue;
use std::collections::HashMap;

/// Most tables, most columns of a table, and deepest nesting of objects in which tables are searched.
const MAX_TABLES: usize = 50;
const MAX_COLUMNS: usize = 1_000;
const MAX_DEPTH: usize = 5;

/// Most digits of a number that is written without an exponent.
const MAX_DIGITS: i64 = 60;

/// An array that is a table.
pub(super) struct ArrayTable<'a> {
    /// Its path: `data.items`.
    pub(super) name: String,
    pub(super) source: &'a RawValue,
    pub(super) table: Table,
}

/// Returns the tables of a value: itself, or those of nested objects.
pub(super) fn find<'a>(
    raw: &'a RawValue,
    left: &mut usize,
    warnings: &mut Vec<String>,
) -> Vec<ArrayTable<'a>> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), raw, 0)];
    while let Some((name, raw, depth)) = open.pop() {
        if found.len() == MAX_TABLES {
            warnings.push(format!("at most {MAX_TABLES} tables are made of one file"));
            break;
        }
        match kind(raw) {
            JsonType::Array => {
                if let Some(table) = table(&elements(raw), left, warnings) {
                    found.push(ArrayTable { name, source: raw, table });
                }
            }
            JsonType::Object if depth < MAX_DEPTH => {
                for (field, value) in fields(raw).into_iter().rev() {
                    if matches!(kind(value), JsonType::Array | JsonType::Object) {
                        let dot = if name.is_empty() { "" } else { "." };
                        open.push((format!("{name}{dot}{}", clean(&field)), value, depth + 1));
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// Returns the table of these values, if all are objects, or if all are rows of one length and the first has the names.
pub(super) fn table(
    values: &[&RawValue],
    left: &mut usize,
    warnings: &mut Vec<String>,
) -> Option<Table> {
    if values.iter().all(|it| kind(it) == JsonType::Array) {
        return rows(values, left);
    }
    let is_record = |it: &&RawValue| matches!(kind(it), JsonType::Object | JsonType::Null);
    if !values.iter().all(is_record) || values.iter().all(|it| kind(it) == JsonType::Null) {
        return None;
    }
    let mut columns: Vec<String> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let mut cells = 0;
    for value in values {
        let mut row = vec![Cell::Null; columns.len()];
        let fields = if kind(value) == JsonType::Object { fields(value) } else { Vec::new() };
        for (name, value) in fields {
            let column = match known.get(name.as_ref()) {
                Some(column) => *column,
                None => {
                    known.insert(name.clone().into_owned(), columns.len());
                    columns.push(clean(&name));
                    row.push(Cell::Null);
                    columns.len() - 1
                }
            };
            if let Some(place) = row.get_mut(column) {
                *place = cell(value);
            }
        }
        if columns.len() > MAX_COLUMNS {
            warnings.push(format!(
                "an array of objects with more than {MAX_COLUMNS} names is kept as text only"
            ));
            return None;
        }
        cells += columns.len();
        if cells > *left {
            break;
        }
        rows.push(row);
    }
    let width = columns.len();
    if width == 0 {
        return None;
    }
    // Names that first appear in late rows widen all rows.
    rows.truncate(*left / width);
    if rows.len() < values.len() {
        warnings.push(format!(
            "{} of {} records were kept: more cells are not kept",
            rows.len(),
            values.len()
        ));
    }
    *left -= rows.len() * width;
    for row in &mut rows {
        row.resize(width, Cell::Null);
    }
    Some(Table { columns: column_names(columns), rows })
}

/// Makes a table of rows. The first one has the names.
fn rows(values: &[&RawValue], left: &mut usize) -> Option<Table> {
    let (first, rest) = values.split_first()?;
    let names = elements(first);
    let width = names.len();
    let cells = width.saturating_mul(rest.len());
    if width < 2 || rest.is_empty() || width > MAX_COLUMNS || cells > *left {
        return None;
    }
    let names: Option<Vec<String>> =
        names.into_iter().map(|it| serde_json::from_str(it.get()).ok()).collect();
    let mut rows = Vec::new();
    for value in rest {
        let row = elements(value);
        if row.len() != width
            || row.iter().any(|it| matches!(kind(it), JsonType::Array | JsonType::Object))
        {
            return None;
        }
        rows.push(row.into_iter().map(cell).collect());
    }
    *left -= cells;
    Some(Table { columns: column_names(names?.iter().map(|it| clean(it))), rows })
}

/// Returns a value as a cell. Numbers keep their digits, and nested values become compact JSON.
pub(super) fn cell(raw: &RawValue) -> Cell {
    let text = raw.get();
    match kind(raw) {
        JsonType::Null => Cell::Null,
        JsonType::Boolean => Cell::Boolean(text == "true"),
        JsonType::Number => match written_out(text) {
            Some(number) => Cell::Number(number),
            None => Cell::Text(text.to_owned()),
        },
        JsonType::Text => {
            Cell::Text(clean(&serde_json::from_str::<String>(text).unwrap_or_default()))
        }
        JsonType::Array | JsonType::Object => Cell::Text(clean(&compact(text))),
    }
}

/// Writes `1.5e3` as `1500`: the same number without an exponent.
fn written_out(text: &str) -> Option<String> {
    if is_plain_number(text) {
        return Some(text.to_owned());
    }
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text),
    };
    let (mantissa, exponent) = digits.split_once(['e', 'E'])?;
    let exponent: i64 = exponent.parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let point = whole.len() as i64 + exponent;
    if !(-MAX_DIGITS..=MAX_DIGITS).contains(&point) || all.len() as i64 > MAX_DIGITS {
        return None;
    }
    let (mut whole, mut fraction) = if point <= 0 {
        ("0".to_owned(), format!("{}{all}", "0".repeat(point.unsigned_abs() as usize)))
    } else if point as usize >= all.len() {
        (format!("{all}{}", "0".repeat(point as usize - all.len())), String::new())
    } else {
        let (whole, fraction) = all.split_at(point as usize);
        (whole.to_owned(), fraction.to_owned())
    };
    let kept = whole.trim_start_matches('0');
    whole = if kept.is_empty() { "0".to_owned() } else { kept.to_owned() };
    fraction.truncate(fraction.trim_end_matches('0').len());
    let dot = if fraction.is_empty() { "" } else { "." };
    let number = format!("{sign}{whole}{dot}{fraction}");
    is_plain_number(&number).then_some(number)
}

/// Returns JSON without white space between its tokens.
pub(super) fn compact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('"') {
        let (before, string) = rest.split_at(at);
        out.extend(before.chars().filter(|it| !it.is_ascii_whitespace()));
        let (string, after) = string.split_at(super::pretty::string_end(string));
        out.push_str(&super::pretty::legible(string));
        rest = after;
    }
    out.extend(rest.chars().filter(|it| !it.is_ascii_whitespace()));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_every_digit() {
        for (text, expected) in [
            ("12345678901234567890123", Some("12345678901234567890123")),
            ("0.1000", Some("0.1000")),
            ("1.5e3", Some("1500")),
            ("-1.25E-3", Some("-0.00125")),
            ("0e5", Some("0")),
            ("12e+1", Some("120")),
            ("1e400", None),
        ] {
            assert_eq!(written_out(text).as_deref(), expected, "{text}");
        }
    }
}
