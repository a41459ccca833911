//! The operations of a table, and their implementation by the resource of the host.

use super::chunk::Chunk;
use super::convert::{from_host, to_host};
use super::wit::tables::{self, Column};
use super::wit::types::{Cell, Error};

/// The number of a row that does not exist. [`Source::take`] returns a row of nulls for it.
pub const NULL_ROW: u32 = u32::MAX;

/// A table. It never changes. A table derived from it shares all data that stays the same.
///
/// The documentation of `mitt:host/tables` applies to each function.
pub trait Source: Sized {
    /// The builder of such tables.
    type Builder: Build<Table = Self>;

    /// Returns the columns from left to right.
    fn columns(&self) -> Vec<Column>;

    /// Returns the number of rows.
    fn rows(&self) -> u64;

    /// Returns `length` cells of a column from row `start` on, or fewer at the end.
    ///
    /// # Errors
    /// `invalid-argument` - the column does not exist.
    fn slice(&self, column: u32, start: u64, length: u64) -> Result<Chunk, Error>;

    /// Returns a whole column.
    ///
    /// # Errors
    /// `invalid-argument` - the column does not exist.
    fn whole(&self, column: u32) -> Result<Chunk, Error> {
        self.slice(column, 0, self.rows())
    }

    /// Returns a table of some columns, each with its new name. Copies nothing.
    ///
    /// # Errors
    /// `invalid-argument` - a column does not exist, or a name is empty or not unique.
    fn select(&self, columns: &[(u32, String)]) -> Result<Self, Error>;

    /// Returns a table of `length` rows from `start` on, or fewer at the end.
    fn range(&self, start: u64, length: u64) -> Self;

    /// Returns a table of the rows with these numbers, in this order. [`NULL_ROW`] is a row of nulls.
    ///
    /// # Errors
    /// `invalid-argument` - a row does not exist; `quota` - the result would be too large.
    fn take(&self, rows: &[u32]) -> Result<Self, Error>;

    /// Returns a table of the columns of this one, followed by those of `right`, which must have as many rows.
    ///
    /// # Errors
    /// `invalid-argument` - the numbers of rows differ, or a name is not unique.
    fn beside(&self, right: &Self) -> Result<Self, Error>;

    /// Makes a table of one whole chunk for each column.
    ///
    /// # Errors
    /// Those of [`Build::append`] and [`Build::finish`].
    fn from_columns(columns: Vec<(String, Chunk)>) -> Result<Self, Error> {
        let (names, chunks): (Vec<String>, Vec<Chunk>) = columns.into_iter().unzip();
        let builder = Self::Builder::new(&names);
        builder.append(chunks)?;
        builder.finish()
    }
}

/// Builds a table in parts, and infers the types of its columns.
pub trait Build {
    /// The table.
    type Table;

    /// Begins a table with these column names.
    fn new(columns: &[String]) -> Self;

    /// Appends rows: one chunk for each column, all of one length.
    ///
    /// # Errors
    /// `invalid-argument` - the chunks do not fit; `quota` - the table would be too large.
    fn append(&self, chunks: Vec<Chunk>) -> Result<(), Error>;

    /// Appends rows of cells.
    ///
    /// # Errors
    /// Those of [`Build::append`].
    fn append_cells(&self, rows: &[Vec<Cell>]) -> Result<(), Error>;

    /// Appends all rows of a table with as many columns, whatever their names are.
    ///
    /// # Errors
    /// Those of [`Build::append`].
    fn append_table(&self, table: &Self::Table) -> Result<(), Error>;

    /// Returns the table.
    ///
    /// # Errors
    /// `invalid-argument` - a name is empty or not unique.
    fn finish(self) -> Result<Self::Table, Error>;
}

/// Iterates over a column in chunks of `length` cells (at least 1), so that only one is in memory.
pub fn chunks<T: Source>(
    table: &T,
    column: u32,
    length: u64,
) -> impl Iterator<Item = Result<Chunk, Error>> {
    let length = length.max(1);
    let n_rows = table.rows();
    (0..n_rows.div_ceil(length)).map(move |part| table.slice(column, part * length, length))
}

impl Source for tables::Table {
    type Builder = tables::Builder;

    fn columns(&self) -> Vec<Column> {
        tables::Table::columns(self)
    }

    fn rows(&self) -> u64 {
        tables::Table::rows(self)
    }

    fn slice(&self, column: u32, start: u64, length: u64) -> Result<Chunk, Error> {
        tables::Table::slice(self, column, start, length).map(from_host)
    }

    fn select(&self, columns: &[(u32, String)]) -> Result<Self, Error> {
        tables::Table::select(self, columns)
    }

    fn range(&self, start: u64, length: u64) -> Self {
        tables::Table::range(self, start, length)
    }

    fn take(&self, rows: &[u32]) -> Result<Self, Error> {
        tables::Table::take(self, rows)
    }

    fn beside(&self, right: &Self) -> Result<Self, Error> {
        tables::Table::beside(self, right)
    }
}

impl Build for tables::Builder {
    type Table = tables::Table;

    fn new(columns: &[String]) -> Self {
        tables::Builder::new(columns)
    }

    fn append(&self, chunks: Vec<Chunk>) -> Result<(), Error> {
        let chunks: Vec<tables::Chunk> = chunks.into_iter().map(to_host).collect();
        tables::Builder::append(self, &chunks)
    }

    fn append_cells(&self, rows: &[Vec<Cell>]) -> Result<(), Error> {
        tables::Builder::append_cells(self, rows)
    }

    fn append_table(&self, table: &tables::Table) -> Result<(), Error> {
        tables::Builder::append_table(self, table)
    }

    fn finish(self) -> Result<tables::Table, Error> {
        tables::Builder::finish(self)
    }
}
