//! Rows of cells as they are shown, with their styles.
//!
//! A reader plugin writes them for workbooks, so they are read into types of their own, and nothing else passes.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most characters of the text of a cell, as spreadsheets have it. Texts of CSV files may be longer.
pub(super) const MAX_CELL_CHARACTERS: u64 = 32_767;

/// Bytes of JSON after which a response has no further row.
const MAX_ROWS_BYTES: usize = 8 * 1024 * 1024;

/// Cells after which a response has no further row. An empty cell is five bytes of JSON, and a hundred in memory.
const MAX_ROWS_CELLS: usize = 200_000;

/// Cells of a row from left to right. Empty cells at the end are left out.
pub type Row = Vec<Option<Cell>>;

/// A cell that is not empty.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(untagged)]
#[schemars(rename = "PreviewCell")]
pub enum Cell {
    /// Plain text.
    Text(String),
    /// Any other value, or a text with a style.
    Value(CellValue),
}

/// A cell with a value, a style or a formula.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default)]
#[schemars(rename = "PreviewCellValue")]
pub struct CellValue {
    /// The text that is displayed.
    #[serde(rename = "d")]
    pub displayed: String,
    /// The value.
    #[serde(rename = "v", skip_serializing_if = "Option::is_none")]
    pub value: Option<Scalar>,
    /// Kind of the value: `n` for a number, `t` for a text, `b` for a boolean, `d` for a date or time, `e` for an error.
    #[serde(rename = "k", skip_serializing_if = "Option::is_none")]
    pub kind: Option<CellKind>,
    /// Number of the style in the styles of the rows.
    #[serde(rename = "s", skip_serializing_if = "Option::is_none")]
    pub style: Option<u32>,
    /// Formula, such as `=A1*2`.
    #[serde(rename = "f", skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
}

/// Value of a cell.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(untagged)]
#[schemars(rename = "PreviewScalar")]
pub enum Scalar {
    /// `true` or `false`.
    Boolean(bool),
    /// Whole number.
    Integer(i64),
    /// Any other number.
    Number(f64),
    /// Text, such as a date in ISO 8601.
    Text(String),
}

/// Kind of the value of a cell.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[schemars(rename = "PreviewCellKind")]
pub enum CellKind {
    /// Number.
    #[serde(rename = "n")]
    Number,
    /// Text.
    #[serde(rename = "t")]
    Text,
    /// `true` or `false`.
    #[serde(rename = "b")]
    Boolean,
    /// Date, time, or both.
    #[serde(rename = "d")]
    Date,
    /// Error of a formula, such as `#DIV/0!`.
    #[serde(rename = "e")]
    Error,
}

/// Style of a cell. Default: none.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default)]
#[schemars(rename = "PreviewCellStyle")]
pub struct CellStyle {
    /// `true` for bold text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub bold: bool,
    /// `true` for italic text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub italic: bool,
    /// `true` for underlined text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub underline: bool,
    /// `true` for text that is struck through.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub strike: bool,
    /// Colour of the text: `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// Colour of the cell: `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fill: Option<String>,
    /// `left`, `center` or `right`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub align: Option<String>,
    /// Levels by which the text is indented.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indent: Option<u8>,
    /// `true` if long text is broken into lines.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub wrap: bool,
}

/// Some rows of a sheet.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[schemars(rename = "PreviewRows")]
pub struct Rows {
    /// Number of the first row, from 0.
    pub from: u64,
    /// Number of all rows of the sheet.
    pub total: u64,
    /// The rows. Fewer than were asked for at the end of the sheet, and where they are very long.
    pub rows: Vec<Row>,
    /// The styles that these rows use, by their numbers.
    pub styles: BTreeMap<u32, CellStyle>,
}

/// What is left of the bounds of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowsBudget {
    bytes: usize,
    cells: usize,
}

impl RowsBudget {
    pub(super) fn new() -> RowsBudget {
        RowsBudget { bytes: MAX_ROWS_BYTES, cells: MAX_ROWS_CELLS }
    }

    /// Returns `true` if no further row is added.
    pub(super) fn is_spent(&self) -> bool {
        self.bytes == 0 || self.cells == 0
    }
}

impl Cell {
    /// Returns the text that is displayed.
    pub fn text(&self) -> &str {
        match self {
            Cell::Text(text) => text,
            Cell::Value(value) => &value.displayed,
        }
    }

    /// Returns the formula, if it has one.
    pub fn formula(&self) -> Option<&str> {
        match self {
            Cell::Text(_) => None,
            Cell::Value(value) => value.formula.as_deref(),
        }
    }

    fn style(&self) -> Option<u32> {
        match self {
            Cell::Text(_) => None,
            Cell::Value(value) => value.style,
        }
    }

    /// Cuts texts that are longer than those of spreadsheets.
    fn cut(&mut self) {
        match self {
            Cell::Text(text) => cut(text),
            Cell::Value(CellValue { displayed, value, formula, .. }) => {
                cut(displayed);
                if let Some(Scalar::Text(text)) = value {
                    cut(text);
                }
                formula.iter_mut().for_each(cut);
            }
        }
    }

    /// Returns roughly the bytes that it takes as JSON.
    fn bytes(&self) -> usize {
        match self {
            Cell::Text(text) => text.len() + 3,
            Cell::Value(CellValue { displayed, formula, .. }) => {
                // The value is as long as the text, or shorter.
                2 * displayed.len() + formula.as_ref().map_or(0, String::len) + 32
            }
        }
    }
}

impl CellStyle {
    /// Leaves out what is none of the values that a style may have: these go into the style of a page.
    pub(super) fn checked(mut self) -> CellStyle {
        self.color = self.color.filter(|color| is_color(color));
        self.fill = self.fill.filter(|fill| is_color(fill));
        self.align = self.align.filter(|it| matches!(it.as_str(), "left" | "center" | "right"));
        self
    }
}

impl Rows {
    /// Adds a row, and takes it off the budget.
    pub(super) fn push(&mut self, mut row: Row, budget: &mut RowsBudget) {
        while row.last().is_some_and(Option::is_none) {
            row.pop();
        }
        row.shrink_to_fit();
        row.iter_mut().flatten().for_each(Cell::cut);
        // An empty cell is `null,`.
        let bytes: usize = row.iter().map(|cell| cell.as_ref().map_or(5, Cell::bytes)).sum();
        budget.bytes = budget.bytes.saturating_sub(bytes);
        budget.cells = budget.cells.saturating_sub(row.len());
        self.rows.push(row);
    }

    /// Adds the styles that the rows use.
    pub(super) fn add_styles(&mut self, styles: &BTreeMap<u32, CellStyle>) {
        for number in self.rows.iter().flatten().flatten().filter_map(Cell::style) {
            if !self.styles.contains_key(&number)
                && let Some(style) = styles.get(&number)
            {
                self.styles.insert(number, style.clone());
            }
        }
    }
}

fn is_color(text: &str) -> bool {
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
    digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn cut(text: &mut String) {
    // A character has at least one byte.
    if text.len() as u64 > MAX_CELL_CHARACTERS
        && let (kept, true) = mitt_base::text::cut_chars(text, MAX_CELL_CHARACTERS)
    {
        *text = format!("{kept}…");
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns a budget of so many bytes.
    pub(in crate::preview) fn budget(bytes: usize) -> RowsBudget {
        RowsBudget { bytes, ..RowsBudget::new() }
    }

    fn row(json: &str) -> Row {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn cells_are_read_and_written_in_one_form() {
        let json = r#"["a",null,{"d":"12.5 %","v":0.125,"k":"n","s":3},{"d":"7","v":7,"k":"n","f":"=A1"},{"d":"TRUE","v":true,"k":"b"},{"d":"2024-01-31","v":"2024-01-31","k":"d"}]"#;
        let read = row(json);
        assert_eq!(serde_json::to_string(&read).unwrap(), json);
        let texts: Vec<&str> = read.iter().flatten().map(Cell::text).collect();
        assert_eq!(texts, ["a", "12.5 %", "7", "TRUE", "2024-01-31"]);
        assert_eq!(read[3].as_ref().unwrap().formula(), Some("=A1"));
        for wrong in [r#"[[1]]"#, r#"[{"d":{"x":1}}]"#, r#"[{"d":"","k":"x"}]"#, "{}"] {
            assert!(serde_json::from_str::<Row>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn rows_end_with_their_last_cell_and_name_their_styles() {
        let bold = CellStyle { bold: true, ..CellStyle::default() };
        let styles = BTreeMap::from([(3, bold.clone()), (4, CellStyle::default())]);
        let (mut rows, mut budget) = (Rows::default(), RowsBudget::new());
        for json in [r#"[null,{"d":"x","s":3},null,null]"#, "[null]", r#"[{"d":"y","s":9}]"#] {
            rows.push(row(json), &mut budget);
        }
        assert_eq!(budget.cells, MAX_ROWS_CELLS - 3);
        rows.add_styles(&styles);
        assert_eq!(rows.rows.iter().map(Vec::len).collect::<Vec<_>>(), [2, 0, 1]);
        assert_eq!(rows.styles, BTreeMap::from([(3, bold)]));
        assert_eq!(serde_json::to_value(&rows).unwrap()["styles"]["3"]["bold"], true);
    }

    #[test]
    fn styles_hold_colours_and_nothing_else() {
        let style = |color: &str, align: &str| {
            let (color, align) = (Some(color.to_owned()), Some(align.to_owned()));
            let fill = color.clone();
            CellStyle { color, fill, align, ..CellStyle::default() }.checked()
        };
        let checked = style("#A1b2C3", "center");
        assert_eq!(
            (checked.color.as_deref(), checked.align.as_deref()),
            (Some("#A1b2C3"), Some("center"))
        );
        for wrong in ["", "red", "#12345", "#1234567", "#12345g", "url(//a)", "#é1234"] {
            assert_eq!(style(wrong, wrong), CellStyle::default(), "{wrong}");
        }
    }

    #[test]
    fn long_texts_are_cut_at_a_character() {
        let long = "年".repeat(40_000);
        let mut rows = Rows::default();
        let value = CellValue { displayed: long.clone(), ..CellValue::default() };
        let row = vec![Some(Cell::Text(long)), Some(Cell::Value(value))];
        rows.push(row, &mut RowsBudget::new());
        for cell in rows.rows[0].iter().flatten() {
            assert_eq!(cell.text().chars().count() as u64, MAX_CELL_CHARACTERS + 1);
        }
    }
}
