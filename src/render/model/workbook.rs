//! A workbook as plain data, the host's counterpart of `mitt:host/render`. Its rows are cells, or a table that is only
//! referred to. Knows no file format.

use std::time::Duration;

use mitt_base::memory::Account;
use mitt_base::rows::Rows;
use mitt_table::Table;

use crate::Cancel;

mod design;
mod headers;

#[cfg(feature = "xlsx")]
pub(crate) use self::headers::MAX_HEADER_UNITS;

pub use self::design::{
    CellNote, DefinedName, InputKind, InputRule, Orientation, PageSetup, Picture, Protection, Rule,
    RuleKind, RuleLook, SheetAppearance, SparklineKind, Sparklines, Stacking, Style,
};

/// Most cells of a workbook, without headers. They make a file of about 50 MB.
pub const MAX_CELLS: usize = 10_000_000;

/// Options for writing a workbook.
#[derive(Clone, Debug, Default)]
pub struct XlsxOptions {
    /// Creation time in the file's properties, since 1970-01-01 00:00 UTC. The same time gives the same bytes.
    pub created: Duration,
    /// Ends the writing early.
    pub cancel: Cancel,
    /// Account for the memory that writing takes while it lasts. Default: none is charged.
    pub memory: Option<Account>,
    /// Reporter of the rows that are written, over all sheets. Default: none.
    pub rows: Rows,
}

/// An Excel file.
#[derive(Clone, Debug)]
pub struct Xlsx {
    /// The file.
    pub bytes: Vec<u8>,
    /// Changes and losses, one sentence each, with places.
    pub warnings: Vec<String>,
    /// Its sheets from left to right.
    pub sheets: Vec<SheetRows>,
}

/// Size of a sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetRows {
    /// Name of the sheet, as written.
    pub name: String,
    /// Rows below the headers, including totals.
    pub rows: u64,
}

/// A workbook.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Workbook {
    /// Title in the file's properties, and at the top of printed pages.
    pub title: Option<String>,
    /// Worksheets from left to right; 1 to 255.
    pub sheets: Vec<Sheet>,
    /// Names for use in formulas; at most 1 000.
    pub names: Vec<DefinedName>,
}

impl Workbook {
    /// Returns the number of rows of its sheets down to the last one with content, including headers and titles.
    pub fn row_count(&self) -> u64 {
        let end = |block: &Block| {
            let data = block.data.as_ref().map_or(0, |data| data.table.rows());
            let above = 1 + u64::from(block.title.is_some());
            u64::from(block.row) + above + (data + block.rows.len()) as u64
        };
        let of_sheet = |sheet: &Sheet| {
            let first = sheet.blocks.iter().map(|block| u64::from(block.row)).min().unwrap_or(0);
            sheet.blocks.iter().map(end).max().map_or(0, |end| end - first)
        };
        self.sheets.iter().map(of_sheet).sum()
    }
}

/// A worksheet: one or several blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    /// Name on its tab: 1 to 31 UTF-16 units, none of `[ ] : * ? / \`, unique without regard to case. An invalid name is
    /// repaired, with a warning.
    pub name: String,
    /// Its contents, without overlaps; at least one block.
    pub blocks: Vec<Block>,
    /// Keeps everything down to the header of the first block in view while scrolling.
    pub freeze_header: bool,
    /// Offers a filter in the header of the first block, since Excel allows one for a sheet. Totals rows at the end are left
    /// out of its range.
    pub auto_filter: bool,
    /// Appearance.
    pub look: SheetAppearance,
    /// Print settings.
    pub page: PageSetup,
    /// Protects cells from changes, except in unlocked columns.
    pub protection: Option<Protection>,
}

/// A part of a worksheet: an optional title, a header row, the rows of a table, then rows of cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// First row, from 0.
    pub row: u32,
    /// First column, from 0.
    pub column: u32,
    /// Text in a row of its own, above the header.
    pub title: Option<String>,
    /// Columns from left to right; 1 to 16 384.
    pub columns: Vec<SheetColumn>,
    /// A table whose rows follow the header. It is read while the file is written, and not copied.
    pub data: Option<Data>,
    /// Rows below the table. A sheet has at most 1 048 576 rows.
    pub rows: Vec<SheetRow>,
    /// Charts, drawn below all blocks, or to the right of them where these are long.
    pub charts: Vec<Chart>,
    /// Name for an Excel table of these rows, without totals rows: letters, digits, `_` and `.`, unique in the workbook. Its
    /// headers must differ.
    pub table_name: Option<String>,
    /// Conditional formats.
    pub rules: Vec<Rule>,
    /// Rules for input into cells.
    pub inputs: Vec<InputRule>,
    /// Small charts in each row of data.
    pub sparklines: Vec<Sparklines>,
    /// Notes at cells.
    pub notes: Vec<CellNote>,
    /// Pictures, drawn behind the charts.
    pub pictures: Vec<Picture>,
}

/// A table as rows of a block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Data {
    /// The table.
    pub table: Table,
    /// Column of the table for each column of the block, and its conversion.
    pub columns: Vec<ColumnMapping>,
}

/// A column of a table in a worksheet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnMapping {
    /// Index in the table.
    pub column: u32,
    /// Conversion of its values to cells.
    pub how: CellConversion,
}

/// Conversion of a column's values to cells. Null and empty text become empty cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CellConversion {
    /// By type: booleans, numbers, text, which is never a formula, and real dates, times of day and dates with time. Numbers
    /// that Excel would round, and dates before 1900, which it does not support, become text.
    #[default]
    AsIs,
    /// Text, in the notation of the value.
    Text,
    /// ISO 8601 text as real dates.
    Date,
    /// Text as formulas; `{row}` in it stands for the number of the row. The column of this index, if any, has the values.
    Formula(Option<u32>),
    /// Text as links: the address, or `[shown text](address)`.
    Link,
    /// Empty cells, whatever the table contains.
    Blank,
}

/// A column of a block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SheetColumn {
    /// Text of its header cell.
    pub header: String,
    /// Width in characters of the default font, from 1 to 255. If blocks share a column of the sheet, the widest counts.
    pub width: f64,
    /// Excel number format; `None` for General.
    pub number_format: Option<String>,
    /// Horizontal position of its cells.
    pub alignment: Alignment,
    /// Hides the column.
    pub hidden: bool,
    /// Level of nested groups that can be collapsed, from 0 to 7.
    pub level: u8,
    /// Allows changes of its cells in a protected sheet.
    pub unlocked: bool,
}

/// A row of a worksheet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SheetRow {
    /// One cell per column.
    pub cells: Vec<SheetCell>,
    /// Style of the row.
    pub style: RowStyle,
}

/// A value of a worksheet. Its kind is never guessed from the text.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum SheetCell {
    /// Empty, but formatted like its column.
    #[default]
    Empty,
    /// `TRUE` or `FALSE`.
    Boolean(bool),
    /// A number in JSON notation. One that a cell does [not hold](mitt_base::number::held_by_cell) is written as text, with
    /// a warning.
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

/// A formula, and the value for viewers that do not calculate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Formula {
    /// Excel's English notation, with or without the leading `=`. Only functions that calculate from cells of the same
    /// workbook are allowed; everything that reaches another file, program or address is refused.
    pub expression: String,
    /// Its value, as a number or text. Empty if it is not known: then the cell has no value, and a warning names its column.
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

/// Style of a row.
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
    /// A pie with a hole; exactly one series.
    Doughnut,
}

/// A native Excel chart over columns of its own block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// Kind of chart.
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
    /// Stacking of the series; columns, bars, lines and areas only.
    pub stacking: Stacking,
    /// Indices of columns that are drawn as lines over the columns of a column chart.
    pub line_columns: Vec<u32>,
    /// Gives these lines an axis of their own, at the right.
    pub second_axis: bool,
    /// Title of the axis of categories.
    pub category_title: Option<String>,
    /// Title of the axis of values.
    pub value_title: Option<String>,
    /// Title of the second axis of values.
    pub second_title: Option<String>,
}
