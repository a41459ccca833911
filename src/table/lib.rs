//! Tables of named columns, each in the memory layout of Apache Arrow, so that buffers are copied into plugins unchanged.
//!
//! A [`Table`] never changes. Tables derived from it share all data that stays the same: selecting columns or a range of
//! rows copies nothing. [`TableBuilder`] makes one from cells, typed values or [`Chunk`]s. It infers the types of the
//! columns on the way, and charges a memory account before it grows.
//!
//! Numbers are exact: 64-bit integers, decimals of at most 38 digits with one scale per column, and text for longer ones.
//! Their text is the shortest with the same value: `1.50` is `1.5`.
//!
//! This is own code and not `arrow-rs`, because Arrow's arrays have no mixed columns, which are common in workbooks, and
//! because they allocate without a limit. The layout is the same, so that a conversion only copies buffers.
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
mod values;

pub use build::{ColumnBuilder, TableBuilder};
pub use cell::{Cell, CellRef};
pub use chunk::{Chunk, Problem};
pub use column::Column;
pub use date::{parse_date, parse_date_time, parse_time, push_date, push_date_time, push_time};
pub use gather::NO_ROW;
pub use names::{column_names, is_plain_number};
pub use number::{Decimal, push_decimal};
pub use table::{NamedTable, Rows, Table};
pub use text::Texts;
pub use validity::Validity;
pub use values::{ColumnType, Values};

#[cfg(test)]
mod tests;
