//! Native rendering: a description goes in, the bytes of a file come out.
//!
//! Knows nothing of WebAssembly, sessions, artifacts or the file system; the clock and further fonts are given by the
//! caller, so that the same input makes the same bytes.
#![cfg_attr(all(feature = "pdf", feature = "xlsx"), doc = "", doc = include_str!("README.md"))]
#![forbid(unsafe_code)]

mod cancel;
mod cjk;
mod doc;
mod markdown;
#[cfg(feature = "pdf")]
mod pdf;
mod workbook;
#[cfg(feature = "xlsx")]
mod xlsx;

pub use self::cancel::Cancel;
pub use self::doc::{
    Alignment as ColumnAlignment, Block, Doc, Inline, List, ListItem, QuoteKind, Table, plain_text,
};
pub use self::markdown::budget as markdown_budget;
pub use self::markdown::{MAX_MARKDOWN_BYTES, markdown, markdown_unless};
#[cfg(feature = "pdf")]
pub use self::pdf::{FontSet, Paper, Pdf, PdfBackend, PdfOptions, TypstBackend};
pub use self::workbook::{
    Alignment, Chart, ChartKind, Formula, Link, RowStyle, Sheet, SheetCell, SheetColumn, SheetRow,
    Workbook,
};
#[cfg(feature = "xlsx")]
pub use self::xlsx::xlsx_bytes;
#[cfg(feature = "xlsx")]
pub use self::xlsx::{MAX_CELLS, XlsxOptions, xlsx};
