//! Tables: named columns, each in the memory layout of Apache Arrow, so that a buffer is copied into a plugin as it is.
//!
//! A [`Table`] never changes. What is made of it shares with it whatever stayed the same: choosing columns and a range of rows
//! copies nothing. [`TableBuilder`] makes one, of cells, of typed values or of [`Chunk`]s, finds the types of its columns on the way, and
//! charges an account of memory before it grows.
//!
//! Numbers are exact: whole numbers of 64 bits, decimals of at most 38 digits with one scale for the column, and text for those that
//! need more. Their text is the shortest that says the same: `1.50` is `1.5`.
//!
//! Own code instead of the crates of `arrow-rs`, because their arrays have no column of mixed cells, which workbooks are full of, and
//! because they allocate without asking anybody. The layout is the same, so that a conversion is a copy of buffers.
//!
//! Knows neither WIT nor files.

#![forbid(unsafe_code)]

#[cfg(feature = "arrow")]
pub mod arrow;
mod build;
mod cell;
mod chunk;
mod column;
mod date;
mod gather;
mod names;
mod number;
#[cfg(feature = "parquet")]
mod parquet;
mod table;
mod text;
mod validity;

pub use build::{ColumnBuilder, TableBuilder};
pub use cell::{Cell, CellRef};
pub use chunk::{Chunk, Problem};
pub use column::{Column, ColumnType, Values};
pub use date::{parse_date, parse_date_time, parse_time, push_date, push_date_time, push_time};
pub use gather::NO_ROW;
pub use names::{column_names, is_plain_number};
pub use number::{Decimal, push_decimal};
pub use table::{NamedTable, Rows, Table};
pub use text::Texts;
pub use validity::Validity;

#[cfg(test)]
mod tests;
