//! Cells of one column: the caller's values in the kind that the caller chose.

use crate::bindings::exports::mitt::excel_tool::tools::ColumnKind;
use crate::bindings::mitt::host::render::{Formula, Link, SheetCell};
use crate::bindings::mitt::host::types::{Cell, Table};
use crate::date;
use crate::evaluate::{DEFAULT_READS, evaluate};
use crate::formula::expand;
use crate::number::{decimal, fits_excel, from_text};
use crate::problems::{Problems, quoted};
use rust_decimal::Decimal;

/// Formulas may refer to formulas further down or right; a longer chain against the reading direction is left to Excel.
const MAX_PASSES: usize = 4;

/// What a cell is worth to totals, formulas and formats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    Empty,
    Number(Decimal),
    /// The serial number of a date.
    Date(Decimal),
    /// Text or a boolean.
    Filled,
    /// A number with more digits than a cell of Excel holds: the host writes it as text.
    TooLong,
    /// A number outside of 28 digits, or a formula whose value is left to Excel.
    Unknown,
}

/// One column, from top to bottom.
#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) cells: Vec<SheetCell>,
    /// One for each of `cells`.
    pub(crate) values: Vec<Value>,
    /// The kind that `auto` was resolved to.
    pub(crate) kind: ColumnKind,
    /// Whether any date has a time of day.
    pub(crate) has_time: bool,
}

impl Column {
    /// The exact numbers of the column.
    pub(crate) fn numbers(&self) -> Vec<Decimal> {
        let number = |value: &Value| match value {
            Value::Number(number) => Some(*number),
            _ => None,
        };
        self.values.iter().filter_map(number).collect()
    }

    #[cfg(test)]
    pub(crate) fn of_values(values: Vec<Value>) -> Self {
        Self { cells: Vec::new(), values, kind: ColumnKind::Auto, has_time: false }
    }
}

/// Make the cells of a column. `place` is the path of the data.
pub(crate) fn column(
    table: &Table,
    index: usize,
    kind: ColumnKind,
    place: &str,
    problems: &mut Problems,
) -> Column {
    let kind = if kind == ColumnKind::Auto && is_all_dates(table, index) {
        ColumnKind::Date
    } else {
        kind
    };
    let rows = table.rows.len();
    let mut column = Column {
        cells: Vec::with_capacity(rows),
        values: Vec::with_capacity(rows),
        kind,
        has_time: false,
    };
    for (row, cells) in table.rows.iter().enumerate() {
        // A row that is too short was reported already; the rest of the call is still worth checking.
        let made = match cells.get(index).unwrap_or(&Cell::Null) {
            Cell::Null => Ok((SheetCell::Empty, Value::Empty)),
            // A cell without text is what Excel calls empty; it would count as filled otherwise.
            Cell::Text(text) if text.is_empty() => Ok((SheetCell::Empty, Value::Empty)),
            Cell::Text(text) => text_cell(text, kind, &table.columns, row, &mut column.has_time),
            Cell::Number(lexeme) => number_cell(lexeme, kind),
            Cell::Boolean(value) => boolean_cell(*value, kind),
        };
        let (cell, value) = made.unwrap_or_else(|problem| {
            problems.add(format!("{place}.rows[{row}].{}", table.columns[index]), problem);
            (SheetCell::Empty, Value::Empty)
        });
        column.cells.push(cell);
        column.values.push(value);
    }
    column
}

type Made = Result<(SheetCell, Value), String>;

fn text_cell(
    text: &str,
    kind: ColumnKind,
    columns: &[String],
    row: usize,
    has_time: &mut bool,
) -> Made {
    match kind {
        ColumnKind::Auto | ColumnKind::Text => {
            Ok((SheetCell::Text(text.to_owned()), Value::Filled))
        }
        ColumnKind::Number => match from_text(text) {
            Some(lexeme) => number_cell(&lexeme, kind),
            None => Err(format!("expected a number, got text {}", quoted(text))),
        },
        ColumnKind::Date => match date::parse(text) {
            Some(date) => {
                *has_time |= date.has_time;
                Ok((SheetCell::Date(date.text), Value::Date(date.serial)))
            }
            None => Err(format!(
                "expected a date from 1900 to 9999 such as `2024-12-31` or `2024-12-31T08:30:00` without a time zone, \
                 got text {}",
                quoted(text)
            )),
        },
        ColumnKind::Formula => {
            let expression = expand(text, columns, row);
            Ok((SheetCell::Formula(Formula { expression, value: String::new() }), Value::Unknown))
        }
        ColumnKind::Link => Ok((SheetCell::Link(link(text)), Value::Filled)),
    }
}

fn number_cell(lexeme: &str, kind: ColumnKind) -> Made {
    match kind {
        ColumnKind::Text => Ok((SheetCell::Text(lexeme.to_owned()), Value::Filled)),
        ColumnKind::Date => {
            Err(format!("expected a date such as `2024-12-31`, got number {}", quoted(lexeme)))
        }
        ColumnKind::Auto | ColumnKind::Number | ColumnKind::Formula | ColumnKind::Link => {
            let value = if fits_excel(lexeme) {
                decimal(lexeme).map_or(Value::Unknown, Value::Number)
            } else {
                Value::TooLong
            };
            Ok((SheetCell::Number(lexeme.to_owned()), value))
        }
    }
}

fn boolean_cell(value: bool, kind: ColumnKind) -> Made {
    let wanted = match kind {
        ColumnKind::Number => "a number",
        ColumnKind::Date => "a date such as `2024-12-31`",
        ColumnKind::Text => {
            let text = if value { "TRUE" } else { "FALSE" };
            return Ok((SheetCell::Text(text.to_owned()), Value::Filled));
        }
        ColumnKind::Auto | ColumnKind::Formula | ColumnKind::Link => {
            return Ok((SheetCell::Boolean(value), Value::Filled));
        }
    };
    Err(format!("expected {wanted}, got boolean `{value}`"))
}

/// `[shown](target)` as in Markdown, or the target alone.
fn link(text: &str) -> Link {
    let parts = text
        .trim()
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(')'))
        .and_then(|rest| rest.split_once("]("));
    match parts {
        Some((shown, url)) if !shown.is_empty() => {
            Link { url: url.to_owned(), text: shown.to_owned() }
        }
        Some((_, url)) => Link { url: url.to_owned(), text: url.to_owned() },
        None => Link { url: text.trim().to_owned(), text: text.trim().to_owned() },
    }
}

/// One text among dates that is no date would become an error or lose its meaning, so all or none.
fn is_all_dates(table: &Table, index: usize) -> bool {
    let mut filled = table
        .rows
        .iter()
        .filter_map(|row| row.get(index))
        .filter(|cell| !is_empty(cell))
        .peekable();
    filled.peek().is_some()
        && filled.all(|cell| matches!(cell, Cell::Text(text) if date::parse(text).is_some()))
}

fn is_empty(cell: &Cell) -> bool {
    match cell {
        Cell::Null => true,
        Cell::Text(text) => text.is_empty(),
        Cell::Boolean(_) | Cell::Number(_) => false,
    }
}

/// Give formulas their values, as far as they can be known without Excel.
pub(crate) fn evaluate_formulas(columns: &mut [Column]) {
    let mut reads_left = DEFAULT_READS;
    for _ in 0..MAX_PASSES {
        let mut found = 0;
        let rows = columns.first().map_or(0, |column| column.cells.len());
        for row in 0..rows {
            for index in 0..columns.len() {
                let SheetCell::Formula(formula) = &columns[index].cells[row] else { continue };
                if columns[index].values[row] != Value::Unknown {
                    continue;
                }
                let Some(value) = evaluate(&formula.expression, columns, &mut reads_left) else {
                    continue;
                };
                let value = value.normalize();
                columns[index].values[row] = Value::Number(value);
                if let SheetCell::Formula(formula) = &mut columns[index].cells[row] {
                    formula.value = value.to_string();
                }
                found += 1;
            }
        }
        if found == 0 {
            return;
        }
    }
}
