//! Appearance of a worksheet beyond its values: conditional formats, rules for input, sparklines, notes, pictures, styles
//! and print settings.

use std::sync::Arc;

use crate::Paper;

/// A conditional format for cells of columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rule {
    /// Indices of the columns in the block, from 0; at least one.
    pub columns: Vec<u32>,
    /// Condition, or the format of all cells.
    pub kind: RuleKind,
    /// Value to compare with: a number, a date in ISO 8601, text, or a formula that begins with `=`. For [`RuleKind::Top`]
    /// and similar kinds the count, from 1 to 1 000, or the percentage up to 100.
    pub value: Option<String>,
    /// The upper end for [`RuleKind::Between`] and [`RuleKind::NotBetween`].
    pub upper: Option<String>,
    /// Format of a marked cell.
    pub look: RuleLook,
}

/// Condition of a [`Rule`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RuleKind {
    /// The cell equals the value.
    Equal,
    /// The cell differs from the value.
    NotEqual,
    /// The cell is more than the value.
    Greater,
    /// The cell is not less than the value.
    GreaterOrEqual,
    /// The cell is less than the value.
    #[default]
    Less,
    /// The cell is not more than the value.
    LessOrEqual,
    /// The cell is from the value to the upper end.
    Between,
    /// The cell is not from the value to the upper end.
    NotBetween,
    /// The cell is among the largest; the value is their number.
    Top,
    /// The cell is among the smallest; the value is their number.
    Bottom,
    /// The cell is among the largest; the value is their percentage.
    TopPercent,
    /// The cell is among the smallest; the value is their percentage.
    BottomPercent,
    /// The cell is above the mean of its columns.
    AboveAverage,
    /// The cell is below the mean of its columns.
    BelowAverage,
    /// Another cell has the same value.
    Duplicate,
    /// No other cell has the same value.
    Unique,
    /// The cell's text contains the value.
    Contains,
    /// The cell's text does not contain the value.
    NotContains,
    /// The cell is empty.
    Blank,
    /// A formula, written for the first row of the data, is true.
    Formula,
    /// Every cell has a bar as long as its number.
    Bars,
    /// Every cell has a colour from white to that of `look`.
    TwoColors,
    /// Every cell has a colour from red over yellow to green; the reverse if `look` is red.
    ThreeColors,
    /// Every cell has an arrow.
    Arrows,
    /// Every cell has a traffic light.
    Lights,
    /// Every cell has a flag.
    Flags,
    /// Every cell has a tick, an exclamation mark or a cross.
    Signs,
    /// Every cell has up to five small bars.
    Ratings,
}

/// Format of a cell that a [`Rule`] marks: a fill, and text that is legible on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RuleLook {
    /// Dark red on light red.
    #[default]
    Red,
    /// Dark yellow on light yellow.
    Yellow,
    /// Dark green on light green.
    Green,
    /// Dark blue on light blue.
    Blue,
    /// Grey on light grey.
    Grey,
    /// Bold, without a fill.
    Bold,
}

/// A rule for input into cells of columns. It applies to the rows of data and, if nothing is below them, to 1 000 more.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputRule {
    /// Indices of the columns in the block, from 0; at least one.
    pub columns: Vec<u32>,
    /// Kind of input.
    pub kind: InputKind,
    /// For [`InputKind::Choices`]: the choices, at most 255 characters including the commas between them, without commas of
    /// their own.
    pub choices: Vec<String>,
    /// Smallest number, date in ISO 8601 or length.
    pub minimum: Option<String>,
    /// Largest number, date in ISO 8601 or length.
    pub maximum: Option<String>,
    /// For [`InputKind::Custom`], the condition; for [`InputKind::Choices`], the range of the choices.
    pub formula: Option<String>,
    /// Text beside a selected cell; at most 255 characters.
    pub prompt: Option<String>,
    /// Message for an invalid value; at most 255 characters.
    pub message: Option<String>,
    /// Allows keeping an invalid value.
    pub warns: bool,
}

/// Kind of input for an [`InputRule`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputKind {
    /// One of a list.
    #[default]
    Choices,
    /// A whole number.
    Whole,
    /// A number.
    Decimal,
    /// A date.
    Date,
    /// A text of limited length.
    Length,
    /// Input that makes a formula true, which is written for the first row of the data.
    Custom,
}

/// A small chart in each row of data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sparklines {
    /// Index of the column that shows them, which has no other content.
    pub column: u32,
    /// Indices of the first and the last of the adjacent columns with the values.
    pub first: u32,
    /// See `first`.
    pub last: u32,
    /// Kind of chart.
    pub kind: SparklineKind,
}

/// Kind of [`Sparklines`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SparklineKind {
    /// A line, with its last point.
    #[default]
    Line,
    /// Bars.
    Column,
    /// Up for each number above 0, down for each one below.
    WinLoss,
}

/// A note at a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellNote {
    /// Index of the column, from 0.
    pub column: u32,
    /// Index of the row, from 0 below the header; `None` for the header.
    pub row: Option<u32>,
    /// Text; at most 2 000 characters.
    pub text: String,
}

/// A picture, drawn among the charts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// A PNG or JPEG file; at most 20 MiB over the whole workbook.
    pub bytes: Arc<[u8]>,
    /// Description for people who cannot see it.
    pub description: Option<String>,
    /// Width in pixels, from 16 to 2 000. Default: its own, but at most 640.
    pub width: Option<u32>,
}

/// A name for use in formulas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DefinedName {
    /// Letters, digits, `_` and `.`, but not the name of a cell such as `A1`.
    pub name: String,
    /// Its meaning: `=Sheet1!$A$1:$A$9`, or a constant such as `=0.13`.
    pub formula: String,
}

/// Appearance of a worksheet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SheetAppearance {
    /// Preset.
    pub style: Style,
    /// Colour of headers, as `0xRRGGBB`. Default: that of the style.
    pub accent: Option<u32>,
}

/// A preset for the appearance of a worksheet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Style {
    /// Headers on dark blue, thin lines below rows.
    #[default]
    Report,
    /// Bold headers with a line below, thin lines around cells.
    Plain,
    /// In the style of financial statements: no fills, a line above totals and two below, no grid.
    Financial,
    /// Headers on nearly black, every other row grey, no grid.
    Dark,
}

/// Print settings of a worksheet. It always fits the width of pages; header rows are repeated; pages have the name of the
/// sheet and page numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageSetup {
    /// Orientation. Default: chosen by the width of the columns.
    pub orientation: Option<Orientation>,
    /// Paper. Default: A4.
    pub paper: Option<Paper>,
}

/// Orientation of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Orientation {
    /// Higher than wide.
    #[default]
    Portrait,
    /// Wider than high.
    Landscape,
}

/// Protects cells from accidental changes. This is no security: anyone can remove it in seconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Protection {
    /// Password that Excel requires to lift the protection; at most 255 characters.
    pub password: Option<String>,
}

/// Stacking of the series of a chart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stacking {
    /// Beside each other.
    #[default]
    None,
    /// On top of each other.
    Stacked,
    /// On top of each other, as shares of 100 %.
    Percent,
}
