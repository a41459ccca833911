//! Native rendering: a description goes in, the bytes of a file come out.
//!
//! Knows nothing of WebAssembly, sessions, artifacts or the file system; the clock and further fonts are given by the
//! caller, so that the same input makes the same bytes.
//!
//! The interface is the same in every build. What writes the files is behind the features `pdf` and `xlsx`: where one of
//! them is missing, its rendering is refused with [`ErrorKind::Disabled`](mitt_base::ErrorKind::Disabled).
#![cfg_attr(all(feature = "pdf", feature = "xlsx"), doc = "", doc = include_str!("README.md"))]
#![forbid(unsafe_code)]

mod cancel;
mod cjk;
mod doc;
mod markdown;
#[cfg(feature = "pdf")]
mod pdf;
#[cfg(not(feature = "pdf"))]
#[path = "pdf_disabled.rs"]
mod pdf;
mod typeset;
mod workbook;
#[cfg(feature = "xlsx")]
mod xlsx;
#[cfg(not(feature = "xlsx"))]
#[path = "xlsx_disabled.rs"]
mod xlsx;

pub use self::cancel::Cancel;
pub use self::doc::{
    Alignment as ColumnAlignment, Block, Doc, Inline, List, ListItem, QuoteKind, Table, plain_text,
};
pub use self::markdown::budget as markdown_budget;
pub use self::markdown::{MAX_MARKDOWN_BYTES, markdown, markdown_unless};
pub use self::pdf::TypstBackend;
pub use self::typeset::{FontSet, Paper, Pdf, PdfBackend, PdfOptions};
pub use self::workbook::{
    Alignment, Block as SheetBlock, Chart, ChartKind, Data, Formula, How, Link, MAX_CELLS,
    RowStyle, Sheet, SheetCell, SheetColumn, SheetRow, Shown, Workbook, XlsxOptions,
};
pub use self::xlsx::xlsx;
