//! A workbook as plain data, the host's twin of `mitt:host/render`. Its rows are cells, or a table that is only referred to.
//! Knows no file format.

use std::time::Duration;

use mitt_base::memory::Account;
use mitt_base::rows::Rows;
use mitt_table::Table;

use super::Cancel;

mod design;
mod headers;

#[cfg(feature = "xlsx")]
pub(crate) use self::headers::MAX_HEADER_UNITS;

pub use self::design::{
    CellNote, DefinedName, InputKind, InputRule, Look, Orientation, PageSetup, Picture, Protection,
    Rule, RuleKind, RuleLook, SparklineKind, Sparklines, Stacking, Style,
};

/// Most cells of a workbook, headers not counted. As file they are about 50 MB.
pub const MAX_CELLS: usize = 10_000_000;

/// How a workbook is written.
#[derive(Clone, Debug, Default)]
pub struct XlsxOptions {
    /// Creation time in the file's properties, since 1970-01-01 00:00 UTC. The same time gives the same bytes.
    pub created: Duration,
    /// Ends the writing early.
    pub cancel: Cancel,
    /// Who is charged for the memory that the writing takes, while it takes it; nobody by default.
    pub memory: Option<Account>,
    /// Told of the rows that are written, of all sheets together; nobody by default.
    pub rows: Rows,
}

/// An Excel file.
#[derive(Clone, Debug)]
pub struct Xlsx {
    /// The file.
    pub bytes: Vec<u8>,
    /// What was changed on the way, one sentence each, by place.
    pub warnings: Vec<String>,
    /// Its sheets from left to right.
    pub sheets: Vec<SheetRows>,
}

/// What a sheet holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetRows {
    /// Name of the sheet, as it was written.
    pub name: String,
    /// Rows below the heads of its columns, totals among them.
    pub rows: u64,
}

/// A workbook.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Workbook {
    /// Title in the file's properties, and at the top of printed pages.
    pub title: Option<String>,
    /// Worksheets from left to right; 1 to 255.
    pub sheets: Vec<Sheet>,
    /// Names that formulas may use; at most 1 000.
    pub names: Vec<DefinedName>,
}

impl Workbook {
    /// Rows of its sheets down to the last one that anything stands in, headers and titles among them.
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
    /// Name on its tab: 1 to 31 UTF-16 units, none of `[ ] : * ? / \`, unique without regard to case. Another one is repaired,
    /// which a warning tells.
    pub name: String,
    /// What stands in it, without overlaps; at least one.
    pub blocks: Vec<Block>,
    /// Keep everything down to the header of the first block in view while scrolling.
    pub freeze_header: bool,
    /// Offer a filter in the header of the first block; Excel has one for a sheet. Totals rows at the end are left out of
    /// its range.
    pub auto_filter: bool,
    /// How it looks.
    pub look: Look,
    /// How it is printed.
    pub page: PageSetup,
    /// Keeps cells from being changed, but for columns that are unlocked.
    pub protection: Option<Protection>,
}

/// A part of a worksheet: perhaps a title, a header row, the rows of a table, then rows of cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// Its first row, from 0.
    pub row: u32,
    /// Its first column, from 0.
    pub column: u32,
    /// Text in a row of its own, above the header.
    pub title: Option<String>,
    /// Columns from left to right; 1 to 16 384.
    pub columns: Vec<SheetColumn>,
    /// A table whose rows stand below the header. It is read while the file is written, and not copied.
    pub data: Option<Data>,
    /// Rows below it. All rows of a sheet are at most 1 048 576.
    pub rows: Vec<SheetRow>,
    /// Charts, drawn below all blocks, or to the right of them where these are long.
    pub charts: Vec<Chart>,
    /// Name of a table of Excel's that its rows are, totals rows not among them: letters, digits, `_` and `.`, unique in the
    /// workbook. Headers of such a table differ.
    pub table_name: Option<String>,
    /// What marks cells by their values.
    pub rules: Vec<Rule>,
    /// What may be typed into cells.
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
    /// For each column of the block, which column of the table it shows, and how.
    pub columns: Vec<Shown>,
}

/// A column of a table in a worksheet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Index in the table.
    pub column: u32,
    /// How its values become cells.
    pub how: How,
}

/// How the values of a column become cells. Nulls and texts of no character become empty ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum How {
    /// As its type says: booleans, numbers, text, which is never a formula, and real dates, times of day and dates with time.
    /// Numbers that Excel would round and dates before 1900, which it does not have, become text.
    #[default]
    AsIs,
    /// Text, as the value is read.
    Text,
    /// ISO 8601 text as real dates.
    Date,
    /// Text as formulas; `{row}` in it stands for the number of the row. The values stand in the column of this index, if any.
    Formula(Option<u32>),
    /// Text as links: the address, or `[shown text](address)`.
    Link,
    /// Empty cells, whatever the table has there.
    Blank,
}

/// A column of a block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SheetColumn {
    /// Text of its header cell.
    pub header: String,
    /// Width in characters of the default font, from 1 to 255. Of blocks below each other the widest counts.
    pub width: f64,
    /// Excel number format; none means General.
    pub number_format: Option<String>,
    /// Horizontal position of its cells.
    pub alignment: Alignment,
    /// It is not shown.
    pub hidden: bool,
    /// How deep it is within groups that can be folded, from 0 to 7.
    pub level: u8,
    /// Its cells can be changed where the sheet is protected.
    pub unlocked: bool,
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
    /// A number in JSON notation. One that a cell does [not hold](mitt_base::number::held_by_cell) is written as text, and that is told.
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
    /// A pie with a hole; exactly one series.
    Doughnut,
}

/// A native Excel chart over columns of its own block.
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
    /// How the series stand together; columns, bars, lines and areas only.
    pub stacking: Stacking,
    /// Indices of columns that are drawn as lines over the others, which are columns.
    pub line_columns: Vec<u32>,
    /// The lines over the others have an axis of their own, at the right.
    pub second_axis: bool,
    /// Title of the axis of categories.
    pub category_title: Option<String>,
    /// Title of the axis of values.
    pub value_title: Option<String>,
    /// Title of the second axis of values.
    pub second_title: Option<String>,
}
