//! A workbook as plain data, the host's twin of `mitt:host/render`. Knows no file format.

use std::time::Duration;

use super::Cancel;

/// Most cells of a workbook, headers not counted. A million cells take about 2.5 s and 280 MB to write.
pub const MAX_CELLS: usize = 1_000_000;

/// How a workbook is written.
#[derive(Clone, Debug, Default)]
pub struct XlsxOptions {
    /// Creation time in the file's properties, since 1970-01-01 00:00 UTC. The same time gives the same bytes.
    pub created: Duration,
    /// Ends the writing early.
    pub cancel: Cancel,
}

/// A workbook.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Workbook {
    /// Title in the file's properties.
    pub title: Option<String>,
    /// Worksheets from left to right; 1 to 255.
    pub sheets: Vec<Sheet>,
}

/// A worksheet: a header row, then rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    /// Name on its tab: 1 to 31 UTF-16 units, none of `[ ] : * ? / \`, unique without regard to case.
    pub name: String,
    /// Columns from left to right; 1 to 16 384.
    pub columns: Vec<SheetColumn>,
    /// Rows below the header; at most 1 048 575.
    pub rows: Vec<SheetRow>,
    /// Keep the header in view while scrolling.
    pub freeze_header: bool,
    /// Offer a filter in the header. Totals rows at the end are left out of its range.
    pub auto_filter: bool,
    /// Charts, drawn to the right of the data from top to bottom.
    pub charts: Vec<Chart>,
}

/// A column of a worksheet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SheetColumn {
    /// Text of its header cell.
    pub header: String,
    /// Width in characters of the default font, from 1 to 255.
    pub width: f64,
    /// Excel number format; none means General.
    pub number_format: Option<String>,
    /// Horizontal position of its cells.
    pub alignment: Alignment,
}

/// A row of a worksheet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SheetRow {
    /// One cell per column.
    pub cells: Vec<SheetCell>,
    /// How the row is drawn.
    pub style: RowStyle,
}

/// One value of a worksheet. The kind is never guessed from the text.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum SheetCell {
    /// Empty, but formatted like its column.
    #[default]
    Empty,
    /// `TRUE` or `FALSE`.
    Boolean(bool),
    /// A number in JSON notation. One that needs more than 15 significant digits is written as text.
    Number(String),
    /// Text; at most 32 767 UTF-16 units.
    Text(String),
    /// A date, or date with time, in ISO 8601.
    Date(String),
    /// A formula.
    Formula(Formula),
    /// Text that opens a link.
    Link(Link),
}

/// A formula and the value that viewers show which do not calculate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Formula {
    /// Excel's English notation, with or without the leading `=`. Functions that only calculate, over cells of the same
    /// workbook: whatever reaches another file, program or address is refused.
    pub expression: String,
    /// Its value, as a number or text.
    pub value: String,
}

/// A link.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Link {
    /// `http:`, `https:` or `mailto:`; at most 2 080 characters.
    pub url: String,
    /// The text that is shown.
    pub text: String,
}

/// Horizontal position of text in a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Alignment {
    /// Numbers right, text left.
    #[default]
    General,
    /// Left.
    Left,
    /// Centre.
    Center,
    /// Right.
    Right,
}

/// How a row is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowStyle {
    /// An ordinary row.
    #[default]
    Normal,
    /// A totals row: bold, with a line above.
    Total,
}

/// Kind of a chart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChartKind {
    /// Vertical bars.
    #[default]
    Column,
    /// Horizontal bars.
    Bar,
    /// Lines.
    Line,
    /// Filled lines.
    Area,
    /// A pie; exactly one series.
    Pie,
    /// Points; categories are the x values.
    Scatter,
}

/// A native Excel chart over columns of its own worksheet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// What it looks like.
    pub kind: ChartKind,
    /// Title above the chart.
    pub title: Option<String>,
    /// Index of the column with the categories, from 0.
    pub category_column: u32,
    /// Indices of the columns with the values, one series each, from 0; at most 255.
    pub value_columns: Vec<u32>,
    /// Index of the first row of data, from 0 below the header.
    pub first_row: u32,
    /// Number of rows of data.
    pub row_count: u32,
}
