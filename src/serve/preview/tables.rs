//! Files of tables, such as CSV: each table of the document is a sheet, whose row 0 is the header.

use super::cells::{Cell, CellKind, CellValue, Row, Rows, RowsBudget, Scalar};
use super::outline::SheetOutline;
use super::workbook::{SMALL_BYTES, no_sheet};
use mitt::{CellRef, Column, ColumnType, Document, Table};
use mitt_base::Result;

/// Media types of files that are tables and nothing else.
const TABULAR: [&str; 9] = [
    "application/jsonl",
    "application/vnd.apache.arrow.file",
    "application/vnd.apache.parquet",
    "application/vnd.ms-excel",
    "application/vnd.ms-excel.sheet.binary.macroEnabled.12",
    "application/vnd.ms-excel.sheet.macroEnabled.12",
    "application/vnd.oasis.opendocument.spreadsheet",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "text/csv",
];

/// Media type of files that may be a table.
const JSON: &str = "application/json";

/// Returns `true` if the tables of a document are all that it has to show.
pub(super) fn is_tabular(document: &Document) -> bool {
    match &*document.tables {
        [] => false,
        // The text of a document that is one table is that table.
        [_] if document.media_type == JSON => document.text.starts_with("| "),
        _ => TABULAR.contains(&document.media_type.as_str()),
    }
}

/// Returns the tables of a document as sheets.
pub(super) fn sheets(document: &Document) -> Vec<SheetOutline> {
    let sheets = document.tables.iter().map(|table| {
        let named = Some(&table.name).filter(|name| !name.is_empty()).or(table.place.as_ref());
        SheetOutline {
            name: named.unwrap_or(&document.name).clone(),
            rows: total(&table.data),
            columns: table.data.width() as u64,
            frozen_rows: 1,
            header: true,
            ..SheetOutline::default()
        }
    });
    sheets.collect()
}

/// Returns `true` if a table is so small that its rows are read at once.
pub(super) fn is_small(document: &Document, sheet: usize) -> bool {
    let table = document.tables.get(sheet);
    table.is_none_or(|table| table.data.kept_bytes() <= SMALL_BYTES as u64)
}

/// Returns at most `count` rows of a table from row `from` on.
///
/// # Errors
///
/// [`ErrorKind::Arguments`](mitt_base::ErrorKind::Arguments) - there is no such table.
pub(super) fn rows(document: &Document, sheet: usize, from: u64, count: u64) -> Result<Rows> {
    let found = document.tables.get(sheet);
    let table = &found.ok_or_else(|| no_sheet(sheet, document.tables.len()))?.data;
    let total = total(table);
    let mut rows = Rows { from, total, ..Rows::default() };
    let (mut budget, mut text) = (RowsBudget::new(), String::new());
    for number in from..from.saturating_add(count).min(total) {
        let row = match number.checked_sub(1).and_then(|row| usize::try_from(row).ok()) {
            None => header(table),
            Some(row) => table.columns().map(|(_, column)| cell(column, row, &mut text)).collect(),
        };
        rows.push(row, &mut budget);
        if budget.is_spent() {
            break;
        }
    }
    Ok(rows)
}

/// Returns the rows of a table with its header.
fn total(table: &Table) -> u64 {
    table.rows() as u64 + 1
}

fn header(table: &Table) -> Row {
    table.names().map(|name| Some(Cell::Text(name.to_owned()))).collect()
}

fn cell(column: &Column, row: usize, text: &mut String) -> Option<Cell> {
    let cell = column.cell(row, text);
    let typed = |value: Scalar, kind: CellKind| {
        let displayed = cell.as_str().to_owned();
        let (value, kind) = (Some(value), Some(kind));
        Some(Cell::Value(CellValue { displayed, value, kind, ..CellValue::default() }))
    };
    match cell {
        CellRef::Null => None,
        CellRef::Boolean(value) => typed(Scalar::Boolean(value), CellKind::Boolean),
        CellRef::Number(number) => typed(scalar(number), CellKind::Number),
        CellRef::Text(text) => match column.column_type() {
            ColumnType::Date | ColumnType::Time | ColumnType::DateTime => {
                typed(Scalar::Text(text.to_owned()), CellKind::Date)
            }
            _ => Some(Cell::Text(text.to_owned())),
        },
    }
}

/// Returns a number in JSON notation as a value; as text if no number of JavaScript is near it.
fn scalar(number: &str) -> Scalar {
    if let Ok(whole) = number.parse() {
        return Scalar::Integer(whole);
    }
    match number.parse::<f64>() {
        Ok(value) if value.is_finite() => Scalar::Number(value),
        _ => Scalar::Text(number.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_values() {
        for (text, expected) in [
            ("7", Scalar::Integer(7)),
            ("-0.5", Scalar::Number(-0.5)),
            ("123456789012345678901", Scalar::Number(123_456_789_012_345_680_000.0)),
            ("1e999", Scalar::Text("1e999".to_owned())),
        ] {
            assert_eq!(scalar(text), expected);
        }
    }
}
