//! Tables for operations: columns by name, loaded when they are needed. Knows no operations.

use crate::column::Column;
use crate::exact::{DEFAULT_DECIMALS, MAX_DECIMALS};
use crate::problem::{Failure, Kind, Problems, list, nearest, quote};
use mitt_guest::tables::{Chunk, Source};
use std::collections::{HashMap, HashSet};

/// Most rows. Row numbers have 32 bits, and the last one means a row of nulls.
const MAX_ROWS: u64 = u32::MAX as u64 - 1;

/// Most rows of a result that may be longer than its source. Their numbers, 4 bytes each, must fit in the plugin's memory.
pub(crate) const MAX_RESULT_ROWS: usize = 10_000_000;

/// A table parameter.
pub(crate) struct Frame<'a, T> {
    /// The parameter, for messages.
    pub(crate) parameter: &'static str,
    pub(crate) table: &'a T,
    /// Names of the columns.
    pub(crate) names: Vec<String>,
    pub(crate) n_rows: usize,
}

/// The result of an operation.
#[derive(Debug)]
pub(crate) struct Outcome<T> {
    pub(crate) table: T,
    pub(crate) warnings: Vec<String>,
}

impl<T> Outcome<T> {
    pub(crate) fn plain(table: T) -> Outcome<T> {
        Outcome { table, warnings: Vec::new() }
    }
}

impl<'a, T: Source> Frame<'a, T> {
    pub(crate) fn new(parameter: &'static str, table: &'a T) -> Result<Frame<'a, T>, Failure> {
        let n_rows = table.rows();
        if n_rows > MAX_ROWS {
            let message = format!("{parameter}: expected at most {MAX_ROWS} rows, got {n_rows}");
            return Err(Failure { kind: Kind::Argument, message });
        }
        let names = table.columns().into_iter().map(|column| column.name).collect();
        Ok(Frame { parameter, table, names, n_rows: n_rows as usize })
    }

    /// Returns the parameter that most operations have.
    pub(crate) fn data(table: &'a T) -> Result<Frame<'a, T>, Failure> {
        Frame::new("data", table)
    }

    /// Loads a column with all its cells.
    pub(crate) fn column(&self, column_idx: usize) -> Result<Column, Failure> {
        let chunk = self.table.whole(column_idx as u32)?;
        Column::new(self.parameter, self.names[column_idx].clone(), chunk)
    }

    pub(crate) fn columns(&self, column_idxs: &[usize]) -> Result<Vec<Column>, Failure> {
        column_idxs.iter().map(|idx| self.column(*idx)).collect()
    }

    pub(crate) fn lookup(&self) -> Lookup<'_> {
        Lookup::new(self.parameter, &self.names)
    }

    /// Returns some columns under their names.
    pub(crate) fn select(&self, column_idxs: &[usize]) -> Result<T, Failure> {
        let columns: Vec<_> =
            column_idxs.iter().map(|idx| (*idx as u32, self.names[*idx].clone())).collect();
        Ok(self.table.select(&columns)?)
    }

    /// Returns one column under another name.
    pub(crate) fn renamed(&self, column_idx: usize, name: &str) -> Result<T, Failure> {
        Ok(self.table.select(&[(column_idx as u32, name.to_owned())])?)
    }

    /// Returns the rows with these numbers, in this order. Runs of rows are shared, not copied.
    pub(crate) fn rows(&self, rows: &[u32]) -> Result<T, Failure> {
        match rows.first() {
            Some(first) if rows.iter().zip(*first..).all(|(row, wanted)| *row == wanted) => {
                Ok(self.table.range(u64::from(*first), rows.len() as u64))
            }
            _ => Ok(self.table.take(rows)?),
        }
    }

    /// Returns the table with new columns appended. Their names were checked with [`Lookup::new_name`].
    pub(crate) fn with(&self, columns: Vec<(String, Chunk)>) -> Result<T, Failure> {
        Ok(self.table.beside(&T::from_columns(columns)?)?)
    }
}

/// Refuses a result with too many rows before it is built.
pub(crate) fn check_result_rows(n_rows: usize) -> Result<(), Failure> {
    if n_rows <= MAX_RESULT_ROWS {
        return Ok(());
    }
    let message =
        format!("the result is too large: expected at most {MAX_RESULT_ROWS} rows, got {n_rows}");
    Err(Failure { kind: Kind::Argument, message })
}

/// Returns the path of a cell, for messages.
pub(crate) fn place(table: &str, row_idx: usize, column: &str) -> String {
    format!("{table}.rows[{row_idx}].{}", crate::problem::shorten(column))
}

/// Returns the digits after the point that a call asks for, or the default.
pub(crate) fn decimals(wanted: Option<u32>, problems: &mut Problems) -> u32 {
    let decimals = wanted.unwrap_or(DEFAULT_DECIMALS);
    if decimals > MAX_DECIMALS {
        problems.argument(|| format!("decimals: expected 0 to {MAX_DECIMALS}, got {decimals}"));
    }
    decimals.min(MAX_DECIMALS)
}

/// Finds columns by name in constant time.
pub(crate) struct Lookup<'a> {
    table_name: &'static str,
    names: &'a [String],
    by_name: HashMap<&'a str, usize>,
    new_names: HashSet<String>,
}

impl<'a> Lookup<'a> {
    /// Makes a lookup. `table_name` is the parameter with the table, for messages.
    fn new(table_name: &'static str, names: &'a [String]) -> Lookup<'a> {
        let by_name = names.iter().enumerate().map(|(i, name)| (name.as_str(), i)).collect();
        Lookup { table_name, names, by_name, new_names: HashSet::new() }
    }

    /// Returns the index of the column that the argument `argument` names.
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

    /// Returns the indices of columns. Each column may be named once.
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

    /// Does what [`Lookup::find_all`] does, but needs at least one column.
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

    /// Checks the name of a new column against the table and the earlier new columns.
    pub(crate) fn new_name(&mut self, argument: &str, name: &str, problems: &mut Problems) {
        check_new_name(
            argument,
            name,
            self.by_name.contains_key(name) || !self.new_names.insert(name.to_owned()),
            problems,
        );
    }
}

/// Checks the names of a new table: not empty and unique.
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
