//! Decodes the well-known types of `mitt:host/types`, and bytes.

use super::super::json::{Json, duplicate};
use super::super::number::is_number;
use super::super::path::Path;
use super::super::problem::{expected, mismatch, quoted, shown};
use super::super::types::Type;
use super::Decoder;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use mitt_base::limits::MAX_NUMBER_LENGTH;
use std::collections::HashMap;
use wasmtime::component::Val;

/// Cost of a cell that the JSON does not spell out: the value and the name of its case.
const EMPTY_CELL_BYTES: usize = size_of::<Val>() + 32;

impl Decoder<'_> {
    /// Decodes base64 in its one canonical form: standard alphabet, padding, no spare bits.
    pub(super) fn bytes(&mut self, text: &str, at: &Path<'_>) -> Option<Val> {
        self.spend(text.len() / 4 * 3 * size_of::<Val>(), at)?;
        match BASE64_STANDARD.decode(text) {
            Ok(bytes) => Some(Val::List(bytes.into_iter().map(Val::U8).collect())),
            Err(error) => self.fail(at, || {
                format!(
                    "expected list<u8> (a base64 string), got string {}; {}",
                    quoted(text),
                    explain(error)
                )
            }),
        }
    }

    /// Decodes a number, or a string that holds one; all digits are kept.
    pub(super) fn decimal(&mut self, json: Json, reported: &Type, at: &Path<'_>) -> Option<String> {
        let (text, quotes) = match json {
            Json::Number(number) => (number.into_string(), false),
            Json::String(text) if is_number(&text) => (text, true),
            got => return self.fail(at, || mismatch(reported, &got)),
        };
        if text.len() <= MAX_NUMBER_LENGTH {
            return Some(text);
        }
        self.fail(at, || {
            let noun = if quotes { "string" } else { "number" };
            format!(
                "expected {} of at most {MAX_NUMBER_LENGTH} characters, got a {noun} of {}",
                expected(reported),
                text.len()
            )
        })
    }

    /// Decodes a cell, which is any scalar.
    pub(super) fn cell(&mut self, json: Json, at: &Path<'_>) -> Option<Val> {
        Some(match json {
            Json::Null => empty_cell(),
            Json::Bool(value) => Val::Variant("boolean".into(), Some(Box::new(Val::Bool(value)))),
            Json::String(text) => Val::Variant("text".into(), Some(Box::new(Val::String(text)))),
            Json::Number(_) => {
                let digits = self.decimal(json, &Type::Decimal, at)?;
                Val::Variant("number".into(), Some(Box::new(Val::String(digits))))
            }
            got => return self.fail(at, || mismatch(&Type::Cell, &got)),
        })
    }

    /// Decodes a table in either form.
    pub(super) fn table(&mut self, json: Json, reported: &Type, at: &Path<'_>) -> Option<Val> {
        match json {
            Json::Array(items) => self.table_of_objects(items, at),
            Json::Object(entries) => self.table_of_rows(entries, reported, at),
            got => self.fail(at, || mismatch(reported, &got)),
        }
    }

    /// Decodes `[{"a": 1}, {"a": 2, "b": 3}]`: columns in order of first appearance, null for missing cells.
    fn table_of_objects(&mut self, items: Vec<Json>, at: &Path<'_>) -> Option<Val> {
        let mut columns = Columns::default();
        let mut rows: Vec<Vec<Option<Val>>> = Vec::with_capacity(items.len());
        let mut sound = true;
        for (index, item) in items.into_iter().enumerate() {
            let row_at = at.index(index);
            let Json::Object(entries) = item else {
                sound = false;
                self.fail::<(), _>(&row_at, || {
                    let hint = match &item {
                        Json::Array(_) => {
                            "; give rows without names as {\"columns\": […], \"rows\": [[…]]}"
                        }
                        _ => "",
                    };
                    format!("expected an object (a row of the table), got {}{hint}", shown(&item))
                });
                continue;
            };
            let mut row: Vec<Option<Val>> = Vec::with_capacity(columns.names.len());
            for (position, (key, json)) in entries.into_iter().enumerate() {
                let Some(cell) = self.cell(json, &row_at.given(&key)) else {
                    sound = false;
                    continue;
                };
                if key.is_empty() {
                    sound = false;
                    self.fail::<(), _>(&row_at, || "a column name must not be empty".to_owned());
                    continue;
                }
                let column = columns.find_or_add(key, position);
                if row.len() <= column {
                    // Rows are usually alike; a row that is not pays for the cells that it skips.
                    self.spend((column - row.len()).saturating_mul(EMPTY_CELL_BYTES), at)?;
                    row.resize(column + 1, None);
                }
                row[column] = Some(cell);
            }
            rows.push(row);
        }
        let width = columns.names.len();
        let missing: usize =
            rows.iter().map(|row| width - row.len()).fold(0, usize::saturating_add);
        self.spend(missing.saturating_mul(EMPTY_CELL_BYTES), at)?;
        if !sound {
            return None;
        }
        let rows = rows.into_iter().map(|mut row| {
            row.resize(width, None);
            Val::List(row.into_iter().map(|cell| cell.unwrap_or_else(empty_cell)).collect())
        });
        Some(table_val(columns.names, rows.collect()))
    }

    /// Decodes `{"columns": ["a", "b"], "rows": [[1, null], [2, 3]]}`.
    fn table_of_rows(
        &mut self,
        entries: Vec<(String, Json)>,
        reported: &Type,
        at: &Path<'_>,
    ) -> Option<Val> {
        if !entries.iter().any(|(key, _)| matches!(&**key, "columns" | "rows")) {
            return self.fail(at, || {
                let by_columns = entries.iter().all(|(_, json)| matches!(json, Json::Array(_)));
                let hint = if by_columns && !entries.is_empty() {
                    "; give the values row by row: {\"columns\": […], \"rows\": [[…]]}"
                } else {
                    "; a table of one row is an array of one object"
                };
                format!(
                    "expected {}, got {}{hint}",
                    expected(reported),
                    shown(&Json::Object(entries))
                )
            });
        }
        let (mut columns, mut rows, mut sound) = (None, None, true);
        for (key, json) in entries {
            match &*key {
                "columns" => columns = Some(json),
                "rows" => rows = Some(json),
                _ => {
                    sound = false;
                    self.fail::<(), _>(&at.given(&key), || "unknown member of a table".to_owned());
                }
            }
        }
        if !sound {
            return None;
        }
        let (Some(columns), Some(rows)) = (columns, rows) else {
            return self.fail(at, || {
                format!("expected {}, got an object without both of them", expected(reported))
            });
        };
        let columns = self.columns(columns, &at.key("columns"));
        let at = at.key("rows");
        let Json::Array(rows) = rows else {
            return self.fail(&at, || format!("expected an array of rows, got {}", shown(&rows)));
        };
        let wanted = rows.len();
        let mut vals = Vec::with_capacity(wanted);
        for (index, row) in rows.into_iter().enumerate() {
            vals.extend(self.row(row, columns.as_ref().map(Vec::len), &at.index(index)));
        }
        let columns = columns?;
        (vals.len() == wanted).then(|| table_val(columns, vals))
    }

    fn columns(&mut self, json: Json, at: &Path<'_>) -> Option<Vec<String>> {
        let Json::Array(items) = json else {
            return self
                .fail(at, || format!("expected an array of column names, got {}", shown(&json)));
        };
        let wanted = items.len();
        let mut names = Vec::with_capacity(wanted);
        for (index, item) in items.into_iter().enumerate() {
            match item {
                Json::String(name) if !name.is_empty() => names.push(name),
                got => {
                    self.fail::<(), _>(&at.index(index), || {
                        format!("expected a column name, got {}", shown(&got))
                    });
                }
            }
        }
        if let Some(twice) = duplicate(names.iter().map(String::as_str)) {
            return self.fail(at, || format!("the column {} appears twice", quoted(twice)));
        }
        (names.len() == wanted).then_some(names)
    }

    fn row(&mut self, row: Json, width: Option<usize>, at: &Path<'_>) -> Option<Val> {
        let Json::Array(cells) = row else {
            return self
                .fail(at, || format!("expected a row (an array of cells), got {}", shown(&row)));
        };
        let got = cells.len();
        if let Some(wanted) = width.filter(|wanted| *wanted != got) {
            return self
                .fail(at, || format!("expected a cell for each of {wanted} columns, got {got}"));
        }
        let mut vals = Vec::with_capacity(got);
        for (index, cell) in cells.into_iter().enumerate() {
            vals.extend(self.cell(cell, &at.index(index)));
        }
        (vals.len() == got).then_some(Val::List(vals))
    }
}

/// Finds columns by name: by position first, by hash in wide tables.
#[derive(Default)]
struct Columns {
    names: Vec<String>,
    index: HashMap<String, usize>,
}

impl Columns {
    /// Up to this number, columns are searched linearly.
    const SCANNED_COLUMNS: usize = 16;

    fn find_or_add(&mut self, name: String, guess: usize) -> usize {
        if self.names.get(guess) == Some(&name) {
            return guess;
        }
        let few = &self.names[..self.names.len().min(Columns::SCANNED_COLUMNS)];
        if let Some(found) =
            few.iter().position(|it| *it == name).or_else(|| self.index.get(&name).copied())
        {
            return found;
        }
        let column = self.names.len();
        if column >= Columns::SCANNED_COLUMNS {
            self.index.insert(name.clone(), column);
        }
        self.names.push(name);
        column
    }
}

fn empty_cell() -> Val {
    Val::Variant("null".into(), None)
}

fn table_val(columns: Vec<String>, rows: Vec<Val>) -> Val {
    let columns = Val::List(columns.into_iter().map(Val::String).collect());
    Val::Record(vec![("columns".into(), columns), ("rows".into(), Val::List(rows))])
}

fn explain(error: base64::DecodeError) -> String {
    match error {
        base64::DecodeError::InvalidByte(offset, byte) if byte.is_ascii_graphic() => {
            format!("`{}` at {offset} is not base64", char::from(byte))
        }
        base64::DecodeError::InvalidByte(offset, _) => {
            format!("the character at {offset} is not base64")
        }
        base64::DecodeError::InvalidLength(length) => {
            format!("{length} characters are not a whole number of groups of four")
        }
        base64::DecodeError::InvalidPadding => "pad it with `=` to groups of four".to_owned(),
        base64::DecodeError::InvalidLastSymbol(..) => {
            "its last character has bits that belong to no byte".to_owned()
        }
    }
}
