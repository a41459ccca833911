//! Outlines: what a file has to show, before anything of it is shown.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a file has to show.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[schemars(rename = "PreviewOutline")]
pub struct Outline {
    /// Name of the file.
    pub name: String,
    /// Media type, found from the content.
    pub media_type: String,
    /// Size in bytes.
    pub size: u64,
    /// SHA-256 of the content.
    pub sha256: String,
    /// How it is shown.
    pub kind: OutlineKind,
    /// Title from the file's own properties.
    pub title: Option<String>,
    /// What is not shown or was changed while reading, one sentence each.
    pub warnings: Vec<String>,
    /// Sheets, for the kind `workbook`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sheets: Vec<SheetOutline>,
    /// Pages, for the kind `pages`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pages: Vec<OutlinePage>,
    /// Pages, slides or chapters in the text, for the kind `text`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<OutlinePlace>,
    /// Characters of the text, for the kind `text`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub characters: Option<u64>,
}

/// How a file is shown.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PreviewKind")]
pub enum OutlineKind {
    /// Sheets with rows of cells.
    Workbook,
    /// Pages that are drawn as pictures.
    Pages,
    /// Markdown.
    Text,
    /// The file is a picture.
    Picture,
    /// Not at all; the warnings say why.
    None,
}

/// A page that is drawn.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[schemars(rename = "PreviewPage")]
pub struct OutlinePage {
    /// Width in points.
    pub width: f32,
    /// Height in points.
    pub height: f32,
}

/// Start of a page, slide or chapter in the text.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[schemars(rename = "PreviewPlace")]
pub struct OutlinePlace {
    /// Name, such as `page 3`.
    pub label: String,
    /// Number of its first character.
    pub offset: u64,
}

/// A sheet. Rows and columns count from 0.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default)]
#[schemars(rename = "PreviewSheet")]
pub struct SheetOutline {
    /// Name.
    pub name: String,
    /// Number of rows.
    pub rows: u64,
    /// Number of columns.
    pub columns: u64,
    /// `true` if the workbook does not show it.
    pub hidden: bool,
    /// Rows at the top that do not scroll.
    pub frozen_rows: u64,
    /// Columns on the left that do not scroll.
    pub frozen_columns: u64,
    /// Widths of columns in pixels, from left to right; `null` for a column without one.
    pub widths: Vec<Option<f64>>,
    /// Merged cells: first row, first column, last row and last column of each area.
    pub merges: Vec<[u64; 4]>,
    /// Width of the other columns in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_width: Option<f64>,
    /// `false` if the workbook shows no lines between cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gridlines: Option<bool>,
    /// Rows that are not shown: first and last row of each range.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hidden_rows: Vec<[u64; 2]>,
    /// Columns that are not shown: first and last column of each range.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hidden_columns: Vec<[u64; 2]>,
    /// Charts.
    pub charts: Vec<SheetChart>,
    /// `true` if row 0 is a header that the reader found.
    pub header: bool,
}

/// A chart of a sheet.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default)]
#[schemars(rename = "PreviewChart")]
pub struct SheetChart {
    /// `bar`, `column`, `line`, `pie`, `area`, `scatter` or `other`.
    pub kind: String,
    /// Title.
    pub title: Option<String>,
    /// Row of its upper left corner.
    pub row: u64,
    /// Column of its upper left corner.
    pub column: u64,
    /// Labels of the values.
    pub categories: Vec<String>,
    /// Series of values.
    pub series: Vec<SheetSeries>,
}

/// Values of a chart.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default)]
#[schemars(rename = "PreviewSeries")]
pub struct SheetSeries {
    /// Name.
    pub name: String,
    /// The values; `null` where there is none.
    pub values: Vec<Option<f64>>,
}
