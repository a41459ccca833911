//! What a table can do: the host's resource, and a table in memory.

use super::chunk::Chunk;
use super::convert::{from_host, to_host};
use super::wit::tables::{self, Column};
use super::wit::types::{Cell, Error};

/// The number of a row that does not exist: [`Source::take`] makes a row of nulls of it.
pub const NULL_ROW: u32 = u32::MAX;

/// A table. It never changes; what is made of it is a new one, which shares with it whatever stayed the same.
///
/// The documentation of `mitt:host/tables` holds for each function.
pub trait Source: Sized {
    /// Makes such tables.
    type Builder: Build<Table = Self>;

    /// Its columns from left to right.
    fn columns(&self) -> Vec<Column>;

    /// Number of its rows.
    fn rows(&self) -> u64;

    /// Cells of a column from row `start` on: `length` of them, fewer at the end.
    ///
    /// # Errors
    /// `invalid-argument` - there is no such column.
    fn slice(&self, column: u32, start: u64, length: u64) -> Result<Chunk, Error>;

    /// A whole column.
    ///
    /// # Errors
    /// `invalid-argument` - there is no such column.
    fn whole(&self, column: u32) -> Result<Chunk, Error> {
        self.slice(column, 0, self.rows())
    }

    /// Some columns, each with the name that it is to have. Copies nothing.
    ///
    /// # Errors
    /// `invalid-argument` - there is no such column, or a name is empty or given twice.
    fn select(&self, columns: &[(u32, String)]) -> Result<Self, Error>;

    /// The rows from `start` on: `length` of them, fewer at the end.
    fn range(&self, start: u64, length: u64) -> Self;

    /// The rows with these numbers in this order; [`NULL_ROW`] is a row of nulls.
    ///
    /// # Errors
    /// `invalid-argument` - there is no such row; `quota` - the result would be too large.
    fn take(&self, rows: &[u32]) -> Result<Self, Error>;

    /// The columns of this table and behind them those of `right`, which has as many rows.
    ///
    /// # Errors
    /// `invalid-argument` - the numbers of rows differ, or a name comes twice.
    fn beside(&self, right: &Self) -> Result<Self, Error>;

    /// A table made of one whole chunk for each column.
    ///
    /// # Errors
    /// As those of [`Build::append`] and [`Build::finish`].
    fn from_columns(columns: Vec<(String, Chunk)>) -> Result<Self, Error> {
        let (names, chunks): (Vec<String>, Vec<Chunk>) = columns.into_iter().unzip();
        let builder = Self::Builder::new(&names);
        builder.append(chunks)?;
        builder.finish()
    }
}

/// Makes a table, part by part. Types of columns are found.
pub trait Build {
    /// What is made.
    type Table;

    /// A table without rows.
    fn new(columns: &[String]) -> Self;

    /// Append rows, as one chunk for each column, all of the same length.
    ///
    /// # Errors
    /// `invalid-argument` - the chunks do not fit; `quota` - the table would be too large.
    fn append(&self, chunks: Vec<Chunk>) -> Result<(), Error>;

    /// Append rows of cells.
    ///
    /// # Errors
    /// As those of [`Build::append`].
    fn append_cells(&self, rows: &[Vec<Cell>]) -> Result<(), Error>;

    /// Append all rows of a table that has as many columns; its names do not matter.
    ///
    /// # Errors
    /// As those of [`Build::append`].
    fn append_table(&self, table: &Self::Table) -> Result<(), Error>;

    /// The table.
    ///
    /// # Errors
    /// `invalid-argument` - a name is empty or there twice.
    fn finish(self) -> Result<Self::Table, Error>;
}

/// A column in parts of `length` cells (1 at least), the last one shorter: memory is bounded by one part.
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
