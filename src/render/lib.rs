//! Native rendering: a description goes in, the bytes of a file come out.
//!
//! Knows nothing of WebAssembly, sessions, artifacts or the file system; the clock and further fonts are given by the
//! caller, so that the same input makes the same bytes.
//!
//! The interface is the same in every build. What writes the files is behind the features `docx`, `pdf` and `xlsx`: where
//! one of them is missing, its rendering is refused with [`ErrorKind::Disabled`](mitt_base::ErrorKind::Disabled).
#![cfg_attr(all(feature = "docx", feature = "pdf", feature = "xlsx"), doc = "", doc = include_str!("README.md"))]
#![forbid(unsafe_code)]

mod cancel;
mod cjk;
mod doc;
#[cfg(feature = "docx")]
mod docx;
#[cfg(not(feature = "docx"))]
#[path = "docx_disabled.rs"]
mod docx;
mod fill_values;
mod html;
mod language;
mod link;
mod markdown;
#[cfg(any(feature = "docx", feature = "pdf"))]
mod notes;
mod outline;
#[cfg(feature = "pdf")]
mod pdf;
#[cfg(not(feature = "pdf"))]
#[path = "pdf_disabled.rs"]
mod pdf;
mod sheets;
mod size;
#[cfg_attr(
    not(any(feature = "docx", feature = "pdf")),
    allow(dead_code, reason = "a browser finds the widths of columns itself")
)]
mod table;
#[cfg(test)]
mod tests;
mod told;
mod typeset;
mod workbook;
mod written;
#[cfg(feature = "xlsx")]
mod xlsx;
#[cfg(not(feature = "xlsx"))]
#[path = "xlsx_disabled.rs"]
mod xlsx;
mod xml;

pub use self::cancel::Cancel;
pub use self::doc::{
    Alignment as ColumnAlignment, Block, Doc, Inline, List, ListItem, Meta, Paper, QuoteKind,
    Table, plain_text,
};
pub use self::docx::{docx, fill_docx};
pub use self::fill_values::{FillTable, FillValue, FillValues};
pub use self::html::html;
pub use self::markdown::budget as markdown_budget;
pub use self::markdown::{MAX_MARKDOWN_BYTES, front_matter, markdown, markdown_unless};
pub use self::pdf::TypstBackend;
pub use self::sheets::{Sheets, sheets};
pub use self::typeset::{FontSet, Pdf, PdfBackend, PdfOptions};
pub use self::workbook::{
    Alignment, Block as SheetBlock, Chart, ChartKind, Data, Formula, How, Link, MAX_CELLS,
    RowStyle, Sheet, SheetCell, SheetColumn, SheetRow, Shown, Workbook, XlsxOptions,
};
pub use self::written::{Docx, DocxOptions, Html, HtmlOptions};
pub use self::xlsx::xlsx;
