//! What a worksheet shows beside its values: marks, checks of input, small charts, notes, pictures, its look and its pages.

use std::sync::Arc;

use crate::Paper;

/// What marks cells of columns by their values, as long as the values are such.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rule {
    /// Indices of the columns in the block, from 0; at least one.
    pub columns: Vec<u32>,
    /// When a cell is marked, or how all of them are.
    pub kind: RuleKind,
    /// What cells are compared with: a number, a date in ISO 8601, text, or a formula that begins with `=`. For
    /// [`RuleKind::Top`] and its like how many, from 1 to 1 000, or per cent to 100.
    pub value: Option<String>,
    /// The upper end for [`RuleKind::Between`] and [`RuleKind::NotBetween`].
    pub upper: Option<String>,
    /// How a marked cell looks.
    pub look: RuleLook,
}

/// When a [`Rule`] marks a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RuleKind {
    /// It equals the value.
    Equal,
    /// It differs from the value.
    NotEqual,
    /// It is more than the value.
    Greater,
    /// It is not less than the value.
    GreaterOrEqual,
    /// It is less than the value.
    #[default]
    Less,
    /// It is not more than the value.
    LessOrEqual,
    /// It is from the value to the upper end.
    Between,
    /// It is not from the value to the upper end.
    NotBetween,
    /// It is one of so many largest.
    Top,
    /// It is one of so many smallest.
    Bottom,
    /// It is among so many per cent of the largest.
    TopPercent,
    /// It is among so many per cent of the smallest.
    BottomPercent,
    /// It is above the mean of its columns.
    AboveAverage,
    /// It is below the mean of its columns.
    BelowAverage,
    /// Another cell has the same value.
    Duplicate,
    /// No other cell has the same value.
    Unique,
    /// Its text contains the value.
    Contains,
    /// Its text does not contain the value.
    NotContains,
    /// It is empty.
    Blank,
    /// A formula is true, which is written for the first row of the data.
    Formula,
    /// Every cell has a bar as long as its number.
    Bars,
    /// Every cell has a colour from white to that of the look.
    TwoColors,
    /// Every cell has a colour from red over yellow to green; with the look red the other way round.
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

/// How a cell looks that a [`Rule`] marks: its fill, and text that is legible on it.
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

/// What may be typed into cells of columns. It holds for the rows of data and, where nothing stands below them, for 1 000 more.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputRule {
    /// Indices of the columns in the block, from 0; at least one.
    pub columns: Vec<u32>,
    /// What is expected.
    pub kind: InputKind,
    /// For [`InputKind::Choices`]: what may be chosen, at most 255 characters with the commas between, none within.
    pub choices: Vec<String>,
    /// Smallest number, date in ISO 8601 or length.
    pub minimum: Option<String>,
    /// Largest number, date in ISO 8601 or length.
    pub maximum: Option<String>,
    /// For [`InputKind::Custom`], when it is right; for [`InputKind::Choices`], the range that has them.
    pub formula: Option<String>,
    /// What is shown beside a cell that is chosen; at most 255 characters.
    pub prompt: Option<String>,
    /// What is shown for a wrong value; at most 255 characters.
    pub message: Option<String>,
    /// A wrong value may be kept.
    pub warns: bool,
}

/// What an [`InputRule`] expects.
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
    /// A text of some length.
    Length,
    /// What makes a formula true, which is written for the first row of the data.
    Custom,
}

/// A small chart in each row of data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sparklines {
    /// Index of the column that shows them, which is otherwise empty.
    pub column: u32,
    /// Indices of the first and the last column of the values, which are beside each other.
    pub first: u32,
    /// See `first`.
    pub last: u32,
    /// What they look like.
    pub kind: SparklineKind,
}

/// What [`Sparklines`] look like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SparklineKind {
    /// A line, with its last point.
    #[default]
    Line,
    /// Bars.
    Column,
    /// Up for each number above 0, down for each below.
    WinLoss,
}

/// A note at a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellNote {
    /// Index of the column, from 0.
    pub column: u32,
    /// Index of the row, from 0 below the header; none is the header.
    pub row: Option<u32>,
    /// At most 2 000 characters.
    pub text: String,
}

/// A picture, drawn where charts are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// A PNG or JPEG file; at most 20 MiB of a workbook.
    pub bytes: Arc<[u8]>,
    /// What it shows, for those who do not see it.
    pub description: Option<String>,
    /// Width in pixels, from 16 to 2 000; none takes its own, or 640 if that is less.
    pub width: Option<u32>,
}

/// A name that formulas may use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DefinedName {
    /// Letters, digits, `_` and `.`; no cell such as `A1`.
    pub name: String,
    /// What it stands for: `=Sheet1!$A$1:$A$9`, or a constant such as `=0.13`.
    pub formula: String,
}

/// How a worksheet looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Look {
    /// Preset.
    pub style: Style,
    /// Colour of headers, as `0xRRGGBB`; none takes that of the style.
    pub accent: Option<u32>,
}

/// A preset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Style {
    /// Headers on dark blue, thin lines below rows.
    #[default]
    Report,
    /// Bold headers with a line below, thin lines around cells.
    Plain,
    /// As statements of accounts are set: no fills, a line above totals and two below, no grid.
    Financial,
    /// Headers on nearly black, every other row is grey, no grid.
    Dark,
}

/// How a worksheet is printed. It always fits the width of pages; header rows are repeated; pages have the name of the sheet and
/// numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageSetup {
    /// None chooses by the width of the columns.
    pub orientation: Option<Orientation>,
    /// None is A4.
    pub paper: Option<Paper>,
}

/// Which way round a page is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Orientation {
    /// Higher than wide.
    #[default]
    Portrait,
    /// Wider than high.
    Landscape,
}

/// Keeps cells from being changed by mistake. It is no secret: whoever wants to change them removes it in seconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Protection {
    /// What Excel asks for before it lifts the protection; at most 255 characters.
    pub password: Option<String>,
}

/// How the series of a chart stand together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stacking {
    /// Beside each other.
    #[default]
    None,
    /// On each other.
    Stacked,
    /// On each other, as parts of 100 %.
    Percent,
}
