//! Cells of a workbook by their rows and columns, out of its looks.
//!
//! A reader plugin wrote them, so nothing but the form that is expected passes. What has another form is not there.

use std::ops::RangeInclusive;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::region::{CellContent, Effort};
use crate::workbook_view::WorkbookView;
use mitt_base::at_most::AtMost;

/// Most cells of a place.
const MAX_CELLS: usize = 100_000;

/// Most columns and sheets of a workbook.
const MAX_COLUMNS: usize = 16_384;
const MAX_SHEETS: usize = 1_000;

/// Rows of a block that are not parsed yet.
type BlockRows<'a> = AtMost<&'a RawValue, { WorkbookView::BLOCK_ROWS }>;

/// Cells of a row.
type RowCells = AtMost<Option<ViewCell>, MAX_COLUMNS>;

/// Sheets of a workbook.
pub struct Sheets {
    view: WorkbookView,
    sheets: Vec<Sheet>,
}

/// A sheet.
#[derive(Debug, Deserialize)]
pub(super) struct Sheet {
    pub(super) name: String,
    /// Number of rows.
    pub(super) rows: u64,
    /// Number of columns.
    pub(super) columns: u64,
}

#[derive(Deserialize)]
struct Outline {
    sheets: AtMost<Sheet, MAX_SHEETS>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum ViewCell {
    Text(String),
    Value(ViewValue),
}

#[derive(Deserialize)]
struct ViewValue {
    /// The text that is displayed.
    #[serde(rename = "d", default)]
    displayed: String,
    #[serde(rename = "v")]
    value: Option<serde_json::Value>,
}

impl Sheets {
    /// Returns the sheets of a view; `None` if it has another form than expected.
    pub fn new(view: WorkbookView) -> Option<Sheets> {
        let Outline { sheets } = serde_json::from_str(view.outline()).ok()?;
        Some(Sheets { view, sheets: sheets.items })
    }

    /// Returns the sheet of this name with its number; without a name the only sheet.
    pub(super) fn find(&self, name: Option<&str>) -> Option<(usize, &Sheet)> {
        let mut all = self.sheets.iter().enumerate();
        let Some(name) = name else { return all.next().filter(|_| self.sheets.len() == 1) };
        let lower = name.trim().to_lowercase();
        let exact = self.sheets.iter().enumerate().find(|(_, it)| it.name == name);
        exact.or_else(|| all.find(|(_, it)| it.name.trim().to_lowercase() == lower))
    }

    /// Returns the values of the cells in a rectangle, whose rows and columns count from 1. `None` if there are too many, or if too
    /// much was compared for this answer already.
    pub(super) fn cells(
        &self,
        sheet: usize,
        rows: &RangeInclusive<u64>,
        columns: &RangeInclusive<u64>,
        effort: &mut Effort,
    ) -> Option<Vec<CellContent>> {
        let mut found = Vec::new();
        let is_complete = self.each(sheet, rows, effort, |_, _, column, cell| {
            if columns.contains(&column) {
                push(&mut found, cell);
            }
            found.len() < MAX_CELLS
        });
        is_complete.then_some(found)
    }

    /// Calls `each` with the name and the values of each cell of the workbook, until it returns `false`.
    pub(super) fn each_named(
        &self,
        effort: &mut Effort,
        mut each: impl FnMut(&mut Effort, &dyn Fn() -> String, Vec<CellContent>) -> bool,
    ) {
        for (number, sheet) in self.sheets.iter().enumerate() {
            let rows = 1..=sheet.rows;
            let goes_on = self.each(number, &rows, effort, |effort, row, column, cell| {
                let mut values = Vec::new();
                push(&mut values, cell);
                let name = || format!("{}!{}{row}", sheet.name, column_name(column));
                each(effort, &name, values)
            });
            if !goes_on {
                return;
            }
        }
    }

    /// Calls `each` with row, column and content of cells that are not empty, until it returns `false`. Returns `false` then, and
    /// if too much was compared for this answer already.
    fn each(
        &self,
        sheet: usize,
        rows: &RangeInclusive<u64>,
        effort: &mut Effort,
        mut each: impl FnMut(&mut Effort, u64, u64, ViewCell) -> bool,
    ) -> bool {
        let total = self.sheets.get(sheet).map_or(0, |it| it.rows);
        let (mut row, last) = ((*rows.start()).max(1), (*rows.end()).min(total));
        let size = WorkbookView::BLOCK_ROWS as u64;
        while row <= last {
            let block = (row - 1) / size;
            let end = last.min((block + 1) * size);
            let json = usize::try_from(block).ok().and_then(|block| self.view.block(sheet, block));
            // Rows that are not needed are passed over without being taken apart.
            if !effort.take(json.map_or(0, str::len)) {
                return false;
            }
            let parsed: BlockRows<'_> = json
                .and_then(|json| serde_json::from_str(json).ok())
                .unwrap_or_else(|| AtMost { items: Vec::new(), has_more: false });
            for number in row..=end {
                let index = usize::try_from((number - 1) % size).unwrap_or(usize::MAX);
                let cells =
                    parsed.items.get(index).and_then(|it| serde_json::from_str(it.get()).ok());
                let cells: RowCells = cells.unwrap_or_default();
                for (column, cell) in (1..).zip(cells.items) {
                    if let Some(cell) = cell
                        && !each(effort, number, column, cell)
                    {
                        return false;
                    }
                }
            }
            row = end + 1;
        }
        true
    }
}

fn push(found: &mut Vec<CellContent>, cell: ViewCell) {
    match cell {
        ViewCell::Text(text) => found.push(CellContent::Text(text)),
        ViewCell::Value(ViewValue { displayed, value }) => {
            match value {
                Some(serde_json::Value::Number(number)) => {
                    found.push(CellContent::Number(number.to_string()));
                }
                Some(serde_json::Value::String(text)) if text != displayed => {
                    found.push(CellContent::Text(text));
                }
                _ => {}
            }
            found.push(CellContent::Text(displayed));
        }
    }
}

/// Returns the letters of a column, which counts from 1.
pub(super) fn column_name(column: u64) -> String {
    let (mut letters, mut rest) = (Vec::new(), column);
    while rest > 0 {
        let letter = u8::try_from((rest - 1) % 26).unwrap_or_default();
        letters.push(char::from(b'A' + letter));
        rest = (rest - 1) / 26;
    }
    letters.iter().rev().collect()
}
