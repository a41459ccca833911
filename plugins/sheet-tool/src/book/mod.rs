//! An open workbook: its sheets, names, tables, styles and texts.

mod cell;
mod dates;
mod pivot_tables;
mod readings;
mod sheet;
mod strings;
mod styles;
mod workbook;
mod written;

pub(crate) use cell::{CellSource, FormulaKind, address, cells, head_tag, last_column};
pub(crate) use pivot_tables::{PivotField, PivotLine, PivotTable};
pub(crate) use sheet::{RowSpan, SheetText};
pub(crate) use strings::plain;
pub(crate) use styles::CellLook;
pub use styles::Format;
pub(crate) use workbook::{Book, CellView, MAX_SHEET_BYTES, Sheet, shown_formula};
pub(crate) use written::{CellEdit, Content, digits};
