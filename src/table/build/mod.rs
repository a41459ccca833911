//! Tables and columns under construction.

mod column;
mod infer;
#[cfg(test)]
mod tests;
mod texts;

use std::sync::Arc;

use mitt_base::memory::{Account, Charge};

use crate::cell::{Cell, CellRef};
use crate::chunk::{Chunk, Problem};
use crate::table::{Table, check_names};
#[cfg(feature = "arrow")]
use crate::values::ColumnType;

pub use column::ColumnBuilder;

/// Most rows of a table; the next number stands for a row of nulls.
pub(crate) const MAX_ROWS: usize = (u32::MAX - 1) as usize;

/// Rows between two updates of the memory charge.
const ROWS_AT_ONCE: usize = 1_024;

/// A table under construction. Its memory is charged while it grows, and given back with the last table that shares it.
pub struct TableBuilder {
    names: Vec<String>,
    columns: Vec<ColumnBuilder>,
    rows: usize,
    unweighed: usize,
    types: bool,
    charge: Charge,
}

impl TableBuilder {
    /// Makes a table without rows, whose memory is charged to `account`.
    pub fn new(names: Vec<String>, account: &Account) -> TableBuilder {
        let columns = names.iter().map(|_| ColumnBuilder::default()).collect();
        TableBuilder {
            names,
            columns,
            rows: 0,
            unweighed: 0,
            types: false,
            charge: account.nothing(),
        }
    }

    /// Charges names and columns now, instead of with the first rows.
    pub fn charge_names(&mut self) -> Result<(), Problem> {
        self.weigh()
    }

    /// Returns the number of rows so far.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Infers types from texts: dates and times in ISO 8601 and booleans (`true`, `TRUE` or `True`, in one spelling) in columns
    /// that hold nothing else, and numbers with an exponent (`1.5E+10`) in columns of numbers. For untyped sources.
    pub fn find_types(&mut self) {
        self.types = true;
        self.columns.iter_mut().for_each(ColumnBuilder::find_dates);
    }

    /// Adds columns up to `width`. New ones are null in the rows so far, and have no name until [`rename`](Self::rename).
    pub fn grow(&mut self, width: usize) {
        while self.columns.len() < width {
            let mut column = ColumnBuilder::nulls(self.rows);
            if self.types {
                column.find_dates();
            }
            self.columns.push(column);
            self.names.push(String::new());
        }
    }

    /// Renames the columns from left to right.
    pub fn rename(&mut self, names: Vec<String>) {
        self.grow(names.len());
        self.names[..names.len()].clone_from_slice(&names);
    }

    /// Appends a row. Missing cells are null; extra cells are an error.
    pub fn push_row<'a>(
        &mut self,
        cells: impl IntoIterator<Item = CellRef<'a>>,
    ) -> Result<(), Problem> {
        if self.rows >= MAX_ROWS {
            return Err(Problem::Rows);
        }
        let mut cells = cells.into_iter();
        for column in &mut self.columns {
            column.push(cells.next().unwrap_or(CellRef::Null))?;
        }
        if cells.next().is_some() {
            return Err(Problem::Width(self.columns.len() + 1, self.columns.len()));
        }
        self.rows += 1;
        self.unweighed += 1;
        if self.unweighed >= ROWS_AT_ONCE {
            self.weigh()?;
        }
        Ok(())
    }

    /// Appends rows, given as one chunk per column.
    pub fn append(&mut self, chunks: Vec<Chunk>) -> Result<(), Problem> {
        if chunks.len() != self.columns.len() {
            return Err(Problem::Width(chunks.len(), self.columns.len()));
        }
        let length = chunks.first().map_or(0, |chunk| chunk.values.len());
        if self.rows.saturating_add(length) > MAX_ROWS {
            return Err(Problem::Rows);
        }
        for chunk in &chunks {
            if chunk.values.len() != length {
                return Err(Problem::Ragged(length, chunk.values.len()));
            }
            chunk.check()?;
        }
        let more: u64 = chunks.iter().map(Chunk::kept_bytes).sum();
        self.charge.grow(more).map_err(Problem::Memory)?;
        for (column, chunk) in self.columns.iter_mut().zip(chunks) {
            column.append(chunk)?;
        }
        self.rows += length;
        self.weigh()
    }

    /// Appends all rows of a table that has as many columns.
    pub fn append_table(&mut self, table: &Table) -> Result<(), Problem> {
        const ROWS: usize = 65_536;
        if table.width() != self.columns.len() {
            return Err(Problem::Width(table.width(), self.columns.len()));
        }
        for start in (0..table.rows()).step_by(ROWS) {
            let chunks = table.columns().map(|(_, column)| column.slice(start, ROWS)).collect();
            self.append(chunks)?;
        }
        Ok(())
    }

    /// Returns the type of a column so far.
    #[cfg(feature = "arrow")]
    pub(crate) fn column_type(&self, index: usize) -> Option<ColumnType> {
        self.columns.get(index).map(|column| column.parts().0.column_type())
    }

    /// Makes a column of dates one of dates with times, all at midnight.
    #[cfg(feature = "arrow")]
    pub(crate) fn dates_to_date_times(&mut self, index: usize) -> Result<(), Problem> {
        self.charge.grow(self.rows as u64 * 8).map_err(Problem::Memory)?;
        if let Some(column) = self.columns.get_mut(index) {
            column.dates_to_date_times();
        }
        self.weigh()
    }

    /// Returns the table.
    pub fn finish(mut self) -> Result<Table, Problem> {
        check_names(self.names.iter().map(String::as_str))?;
        for column in self.columns.iter_mut().filter(|_| self.types) {
            if let Some(inferred) = infer::inferred(column)? {
                *column = inferred;
            }
        }
        self.columns.iter_mut().for_each(ColumnBuilder::shrink);
        self.weigh()?;
        let charge = Arc::new(self.charge);
        let columns = self.columns.into_iter().map(|column| column.finish(charge.clone()));
        Ok(Table::from_columns(self.names.into_iter().zip(columns).collect(), self.rows))
    }

    fn weigh(&mut self) -> Result<(), Problem> {
        self.unweighed = 0;
        let kept: usize = self.columns.iter().map(ColumnBuilder::kept_bytes).sum();
        let names: usize = self.names.iter().map(String::len).sum();
        let kept = kept + names + self.columns.len() * size_of::<ColumnBuilder>();
        self.charge.resize(kept as u64).map_err(Problem::Memory)
    }
}

impl Table {
    /// Makes a table from cells. Short rows are filled with nulls. Its memory is charged to nobody: for small tables.
    pub fn of_rows(columns: Vec<String>, rows: &[Vec<Cell>]) -> Result<Table, Problem> {
        let mut builder =
            TableBuilder::new(columns, &Account::root(mitt_base::Resource::Documents, u64::MAX));
        for row in rows {
            builder.push_row(row.iter().map(Cell::borrow))?;
        }
        builder.finish()
    }
}
