//! The table model, and how an operation finds its columns and numbers. Knows no operation.

use crate::exact::{DEFAULT_DECIMALS, MAX_DECIMALS, TooLong};
use crate::number::Number;
use crate::problem::{Failure, Kind, Problems, list, nearest, quote};
use rust_decimal::Decimal;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// At 24 bytes a cell, and as much again while crossing the component's border, this fits the default memory limit.
pub(crate) const MAX_CELLS: usize = 1_000_000;

/// How text among numbers is dealt with; said where it happens.
pub(crate) const PARSE_HINT: &str = "hint: `parse-numbers` turns text into numbers";

/// One value. Text is shared, because operations repeat cells.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Cell {
    Null,
    Boolean(bool),
    Number(Number),
    Text(Rc<str>),
}

/// Named columns and rows.
///
/// Invariant: column names are unique and not empty; every row is as wide as there are columns; there are at most
/// [`MAX_CELLS`] cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// What an operation gives back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) table: Table,
    pub(crate) warnings: Vec<String>,
}

impl Cell {
    pub(crate) fn text(text: &str) -> Cell {
        Cell::Text(Rc::from(text))
    }

    pub(crate) fn count(count: usize) -> Cell {
        Cell::Number(Number::from(Decimal::from(count as u64)))
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Cell::Null)
    }

    /// The type's name in messages and in `describe`.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Cell::Null => "null",
            Cell::Boolean(_) => "boolean",
            Cell::Number(_) => "number",
            Cell::Text(_) => "text",
        }
    }

    /// Order of two cells of one type; none for different types and for null.
    pub(crate) fn compare(&self, other: &Cell) -> Option<Ordering> {
        match (self, other) {
            (Cell::Number(one), Cell::Number(two)) => Some(one.cmp(two)),
            // UTF-8 keeps the order of code points.
            (Cell::Text(one), Cell::Text(two)) => Some(one.cmp(two)),
            (Cell::Boolean(one), Cell::Boolean(two)) => Some(one.cmp(two)),
            _ => None,
        }
    }

    /// How a message shows the cell: type and value.
    pub(crate) fn show(&self) -> String {
        match self {
            Cell::Null => "null".to_owned(),
            Cell::Boolean(value) => format!("boolean `{value}`"),
            Cell::Number(number) => format!("number `{}`", number.lexeme()),
            Cell::Text(text) => format!("text {}", quote(text)),
        }
    }

    /// The bare value as text, for a column name.
    pub(crate) fn plain(&self) -> String {
        match self {
            Cell::Null => "null".to_owned(),
            Cell::Boolean(value) => value.to_string(),
            Cell::Number(number) => number.lexeme(),
            Cell::Text(text) => text.to_string(),
        }
    }
}

impl From<Number> for Cell {
    fn from(number: Number) -> Cell {
        Cell::Number(number)
    }
}

impl From<Option<Number>> for Cell {
    fn from(number: Option<Number>) -> Cell {
        number.map_or(Cell::Null, Cell::Number)
    }
}

impl Table {
    /// Check a foreign table, called `name` in messages, and convert its cells.
    pub(crate) fn check<Raw>(
        name: &str,
        columns: Vec<String>,
        rows: Vec<Vec<Raw>>,
        mut convert: impl FnMut(Raw) -> Result<Cell, String>,
        problems: &mut Problems,
    ) -> Table {
        let mut seen = HashMap::new();
        for (i, column) in columns.iter().enumerate() {
            if column.is_empty() {
                problems.argument(|| {
                    format!("{name}.columns[{i}]: expected a name, got an empty text")
                });
            } else if let Some(first) = seen.insert(column.as_str(), i) {
                problems.argument(|| format!("{name}.columns[{i}]: expected unique names, got {} again, which is columns[{first}]", quote(column)));
            }
        }
        let n_columns = columns.len();
        if let Err(text) = check_size(rows.len(), n_columns) {
            problems.argument(|| format!("{name}: {text}"));
            return Table { columns: Vec::new(), rows: Vec::new() };
        }
        let mut checked = Vec::with_capacity(rows.len());
        for (row_idx, row) in rows.into_iter().enumerate() {
            if row.len() != n_columns {
                let n_cells = row.len();
                problems.argument(|| format!("{name}.rows[{row_idx}]: expected {n_columns} cells, one for each column, got {n_cells}"));
                continue;
            }
            let mut cells = Vec::with_capacity(n_columns);
            for (column, raw) in columns.iter().zip(row) {
                cells.push(convert(raw).unwrap_or_else(|text| {
                    problems.argument(|| format!("{}: {text}", place(name, row_idx, column)));
                    Cell::Null
                }));
            }
            checked.push(cells);
        }
        Table { columns, rows: checked }
    }

    /// The numbers of a column, null where there is none. Everything else in it is a problem.
    pub(crate) fn numbers(
        &self,
        column_idx: usize,
        problems: &mut Problems,
    ) -> Vec<Option<Decimal>> {
        let mut numbers = Vec::with_capacity(self.rows.len());
        for (row_idx, row) in self.rows.iter().enumerate() {
            numbers.push(number(&row[column_idx], problems, || {
                place("data", row_idx, &self.columns[column_idx])
            }));
        }
        numbers
    }

    /// Append a column. The caller has checked its name with [`Lookup::new_name`], and gives one cell for each row.
    pub(crate) fn push_column(&mut self, name: String, cells: impl IntoIterator<Item = Cell>) {
        self.columns.push(name);
        for (row, cell) in self.rows.iter_mut().zip(cells) {
            row.push(cell);
        }
    }
}

/// The number in a cell, null where there is none. `place` is only called for a problem.
pub(crate) fn number(
    cell: &Cell,
    problems: &mut Problems,
    place: impl FnOnce() -> String,
) -> Option<Decimal> {
    match cell {
        Cell::Null => return None,
        Cell::Number(number) => match number.exact() {
            Some(decimal) => return Some(decimal),
            None => problems.argument(|| {
                format!(
                    "{}: expected a number of at most 28 significant digits and decimals, got `{}`",
                    place(),
                    number.lexeme()
                )
            }),
        },
        Cell::Boolean(_) => problems
            .argument(|| format!("{}: expected a number or null, got {}", place(), cell.show())),
        Cell::Text(_) => {
            problems.argument(|| {
                format!("{}: expected a number or null, got {}", place(), cell.show())
            });
            problems.note(|| PARSE_HINT.to_owned());
        }
    }
    None
}

/// Where a cell is, for messages.
pub(crate) fn place(table: &str, row_idx: usize, column: &str) -> String {
    format!("{table}.rows[{row_idx}].{}", crate::problem::shorten(column))
}

/// Refuse a table that is too large, before it is built.
pub(crate) fn check_size(n_rows: usize, n_columns: usize) -> Result<(), String> {
    // A row costs memory even when it has no cell.
    match n_rows.checked_mul(n_columns.max(1)) {
        Some(n_cells) if n_cells <= MAX_CELLS => Ok(()),
        _ => Err(format!("expected at most {MAX_CELLS} cells, got {n_rows} rows of {n_columns}")),
    }
}

/// [`check_size`] for the result of an operation.
pub(crate) fn check_result_size(n_rows: usize, n_columns: usize) -> Result<(), Failure> {
    check_size(n_rows, n_columns).map_err(|text| Failure {
        kind: Kind::Argument,
        message: format!("the result is too large: {text}"),
    })
}

/// Digits after the point that a call asks for.
pub(crate) fn decimals(wanted: Option<u32>, problems: &mut Problems) -> u32 {
    let decimals = wanted.unwrap_or(DEFAULT_DECIMALS);
    if decimals > MAX_DECIMALS {
        problems.argument(|| format!("decimals: expected 0 to {MAX_DECIMALS}, got {decimals}"));
    }
    decimals.min(MAX_DECIMALS)
}

/// A result as a cell; one that is too long is a problem of the row and column it would stand in.
pub(crate) fn result_cell(
    result: Result<Option<Number>, TooLong>,
    problems: &mut Problems,
    place: impl FnOnce() -> String,
) -> Cell {
    match result {
        Ok(number) => Cell::from(number),
        Err(TooLong) => {
            problems.argument(|| format!("{}: {}", place(), TooLong::TEXT));
            Cell::Null
        }
    }
}

/// Finds columns by name in constant time.
pub(crate) struct Lookup<'a> {
    table_name: &'static str,
    names: &'a [String],
    by_name: HashMap<&'a str, usize>,
    new_names: HashSet<String>,
}

impl<'a> Lookup<'a> {
    /// `table_name` is the parameter that holds the table, for messages.
    pub(crate) fn new(table_name: &'static str, table: &'a Table) -> Lookup<'a> {
        let by_name =
            table.columns.iter().enumerate().map(|(i, name)| (name.as_str(), i)).collect();
        Lookup { table_name, names: &table.columns, by_name, new_names: HashSet::new() }
    }

    /// The index of a column that the argument `argument` names.
    pub(crate) fn find(
        &self,
        argument: &str,
        name: &str,
        problems: &mut Problems,
    ) -> Option<usize> {
        let found = self.by_name.get(name).copied();
        if found.is_none() {
            problems.add(Kind::NotFound, || {
                let hint = nearest(name, self.names)
                    .map(|name| format!("; did you mean {}?", quote(name)));
                format!(
                    "{argument}: expected a column of `{}`, got {}{}",
                    self.table_name,
                    quote(name),
                    hint.unwrap_or_default()
                )
            });
            problems.note(|| format!("columns of `{}`: {}", self.table_name, list(self.names)));
        }
        found
    }

    /// The indices of columns, each of which may be named once.
    pub(crate) fn find_all(
        &self,
        argument: &str,
        names: &[String],
        problems: &mut Problems,
    ) -> Vec<usize> {
        let mut seen = HashSet::new();
        let mut found = Vec::with_capacity(names.len());
        for (i, name) in names.iter().enumerate() {
            if !seen.insert(name.as_str()) {
                problems.argument(|| {
                    format!("{argument}[{i}]: expected each column once, got {} again", quote(name))
                });
            } else if let Some(idx) = self.find(&format!("{argument}[{i}]"), name, problems) {
                found.push(idx);
            }
        }
        found
    }

    /// [`Lookup::find_all`], where one column at least is needed.
    pub(crate) fn find_some(
        &self,
        argument: &str,
        names: &[String],
        problems: &mut Problems,
    ) -> Vec<usize> {
        if names.is_empty() {
            problems.argument(|| format!("{argument}: expected one column at least, got none"));
        }
        self.find_all(argument, names, problems)
    }

    /// Check the name of a new column against the table and the new columns so far.
    pub(crate) fn new_name(&mut self, argument: &str, name: &str, problems: &mut Problems) {
        check_new_name(
            argument,
            name,
            self.by_name.contains_key(name) || !self.new_names.insert(name.to_owned()),
            problems,
        );
    }
}

/// Names of a table that is built anew: each not empty and not taken.
pub(crate) fn check_names(argument: &str, names: &[String], problems: &mut Problems) {
    let mut seen = HashSet::new();
    for name in names {
        check_new_name(argument, name, !seen.insert(name.as_str()), problems);
    }
}

fn check_new_name(argument: &str, name: &str, taken: bool, problems: &mut Problems) {
    if name.is_empty() {
        problems.argument(|| format!("{argument}: expected a column name, got an empty text"));
    } else if taken {
        problems.add(Kind::AlreadyExists, || {
            format!("{argument}: expected a column name that is not taken, got {}", quote(name))
        });
    }
}
