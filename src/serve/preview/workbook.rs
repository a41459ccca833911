//! Workbooks as their reader sees them: sheets, and rows out of blocks of JSON.
//!
//! The reader plugin may have been misled by a hostile file, so nothing but the form that is expected passes.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::cells::{Cell, CellStyle, Rows, RowsBudget};
use super::outline::SheetOutline;
use mitt::WorkbookView;
use mitt_base::at_most::AtMost;
use mitt_base::{Error, ErrorKind, Result};

/// Most bytes out of which rows are read at once, without another thread.
pub(super) const SMALL_BYTES: usize = 256 * 1024;

/// Most columns that are shown, as many as spreadsheets have.
const MAX_COLUMNS: usize = 16_384;

/// Rows of a block that are not parsed yet.
type BlockRows<'a> = AtMost<&'a RawValue, { WorkbookView::BLOCK_ROWS }>;

/// Cells of a row.
type RowCells = AtMost<Option<Cell>, MAX_COLUMNS>;

/// Most sheets that are shown.
const MAX_SHEETS: usize = 1_000;

/// A workbook with its looks.
pub(super) struct Workbook {
    pub(super) sheets: Vec<SheetOutline>,
    styles: BTreeMap<u32, CellStyle>,
    view: WorkbookView,
}

#[derive(Deserialize)]
struct WorkbookOutline {
    sheets: Vec<SheetOutline>,
    #[serde(default)]
    styles: BTreeMap<u32, CellStyle>,
}

impl Workbook {
    /// Reads the outline of a workbook.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - it is not of the form that is expected.
    pub(super) fn new(view: WorkbookView) -> Result<Workbook> {
        let (sheets, styles) = outline_of(view.outline())?;
        Ok(Workbook { sheets, styles, view })
    }

    /// Returns what the reader did not show.
    pub(super) fn warnings(&self) -> &[String] {
        self.view.warnings()
    }

    /// Returns `true` if the blocks of these rows are so small that they are read at once.
    pub(super) fn is_small(&self, sheet: usize, from: u64, count: u64) -> bool {
        let bytes = |block| self.view.block(sheet, index(block)).map_or(0, str::len);
        blocks(from, count).map(bytes).sum::<usize>() <= SMALL_BYTES
    }

    /// Returns at most `count` rows of a sheet from row `from` on.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`] - there is no such sheet. [`ErrorKind::Host`] - the rows are not of the form that is expected.
    pub(super) fn rows(&self, sheet: usize, from: u64, count: u64) -> Result<Rows> {
        let total = self.sheets.get(sheet).ok_or_else(|| no_sheet(sheet, self.sheets.len()))?.rows;
        let mut rows = Rows { from, total, ..Rows::default() };
        let end = from.saturating_add(count).min(total);
        let size = WorkbookView::BLOCK_ROWS as u64;
        let (mut at, mut budget) = (from, RowsBudget::new());
        while at < end && !budget.is_spent() {
            let block = at / size;
            let last = end.min((block + 1) * size);
            let (first, length) = (index(at % size), index(last - at));
            let json = self.view.block(sheet, index(block)).unwrap_or("[]");
            push_rows(&mut rows, json, (first, length), &mut budget)?;
            at = from + rows.rows.len() as u64;
        }
        rows.add_styles(&self.styles);
        Ok(rows)
    }
}

/// Returns the blocks that have `count` rows from row `from` on.
fn blocks(from: u64, count: u64) -> RangeInclusive<u64> {
    let size = WorkbookView::BLOCK_ROWS as u64;
    from / size..=from.saturating_add(count.saturating_sub(1)) / size
}

/// Returns the error for a sheet that is not there.
pub(super) fn no_sheet(sheet: usize, sheets: usize) -> Error {
    let message = format!("expected a sheet below {sheets}, got {sheet}");
    Error::new(ErrorKind::Arguments, message)
}

/// Returns the sheets and the styles of an outline.
fn outline_of(json: &str) -> Result<(Vec<SheetOutline>, BTreeMap<u32, CellStyle>)> {
    let WorkbookOutline { mut sheets, styles } = serde_json::from_str(json).map_err(wrong_form)?;
    sheets.truncate(MAX_SHEETS);
    let styles = styles.into_iter().map(|(number, style)| (number, style.checked())).collect();
    Ok((sheets, styles))
}

/// Adds `length` rows of a block from its row `first` on, until the budget is spent. Rows that the block lacks are empty.
fn push_rows(
    rows: &mut Rows,
    json: &str,
    (first, length): (usize, usize),
    budget: &mut RowsBudget,
) -> Result<()> {
    // The other rows of the block are passed over without being taken apart.
    let block: BlockRows<'_> = serde_json::from_str(json).map_err(wrong_form)?;
    for number in first..first + length {
        let row: RowCells = match block.items.get(number) {
            Some(row) => serde_json::from_str(row.get()).map_err(wrong_form)?,
            None => RowCells::default(),
        };
        rows.push(row.items, budget);
        if budget.is_spent() {
            break;
        }
    }
    Ok(())
}

fn wrong_form(error: serde_json::Error) -> Error {
    Error::bug(format!("the looks of a workbook have another form than expected: {error}"))
}

fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preview::cells::Row;
    use crate::preview::cells::tests::budget;

    #[test]
    fn an_outline_may_lack_what_a_sheet_does_not_have() {
        let json = r##"{"sheets":[{"name":"A","rows":2,"columns":3,"merges":[[0,0,0,2]],"widths":[64,null],
            "hidden_rows":[[6,9]],"gridlines":false,"default_width":64,"charts":[{"kind":"pie","series":[{"name":"s","values":[1,null]}]}],"later":true}],
            "styles":{"1":{"fill":"#ffffff","color":"red","bold":true}}}"##;
        let (sheets, styles) = outline_of(json).unwrap();
        let sheet = &sheets[0];
        assert_eq!((sheet.rows, sheet.columns, sheet.hidden), (2, 3, false));
        assert_eq!((sheet.merges[0], sheet.widths.len()), ([0, 0, 0, 2], 2));
        assert_eq!(sheet.charts[0].series[0].values, [Some(1.0), None]);
        assert_eq!((&sheet.hidden_rows[..], sheet.gridlines), (&[[6, 9]][..], Some(false)));
        assert_eq!((styles[&1].bold, styles[&1].color.as_deref()), (true, None));
        for wrong in ["", "[]", "{}", r#"{"sheets":[{"name":1}]}"#] {
            assert_eq!(*outline_of(wrong).unwrap_err().kind(), ErrorKind::Host, "{wrong}");
        }
    }

    #[test]
    fn rows_are_taken_from_the_middle_of_a_block_and_end_where_they_are_too_long() {
        let block = r#"[["a"],["b"],[null,"c"]]"#;
        let texts = |rows: &Rows| -> Vec<String> {
            let text = |row: &Row| -> String { row.iter().flatten().map(Cell::text).collect() };
            rows.rows.iter().map(text).collect()
        };
        let mut rows = Rows::default();
        push_rows(&mut rows, block, (1, 4), &mut budget(1_000)).unwrap();
        assert_eq!(texts(&rows), ["b", "c", "", ""]);
        let mut rows = Rows::default();
        push_rows(&mut rows, block, (0, 3), &mut budget(1)).unwrap();
        assert_eq!(texts(&rows), ["a"]);
        for wrong in ["{}", "[1", r#"[[{"d":1}]]"#] {
            let pushed = push_rows(&mut Rows::default(), wrong, (0, 1), &mut budget(1_000));
            assert!(pushed.is_err(), "{wrong}");
        }
    }

    #[test]
    fn rows_of_many_empty_cells_end_early() {
        let row = format!("[{}\"x\"]", "null,".repeat(MAX_COLUMNS - 1));
        let block = format!("[{}]", vec![row.as_str(); 50].join(","));
        let mut rows = Rows::default();
        push_rows(&mut rows, &block, (0, 50), &mut RowsBudget::new()).unwrap();
        assert_eq!((rows.rows.len(), rows.rows[12].len()), (13, MAX_COLUMNS));
        // What is right of the last column of spreadsheets, or below the block, is not there.
        let wide = format!("[[{}\"x\"]]", "\"x\",".repeat(MAX_COLUMNS));
        let mut rows = Rows::default();
        push_rows(&mut rows, &wide, (0, 1), &mut RowsBudget::new()).unwrap();
        assert_eq!(rows.rows[0].len(), MAX_COLUMNS);
        let long = format!("[{}[\"x\"]]", "[],".repeat(WorkbookView::BLOCK_ROWS));
        let mut rows = Rows::default();
        push_rows(&mut rows, &long, (1_000, 1), &mut RowsBudget::new()).unwrap();
        assert_eq!(rows.rows, [Row::new()]);
    }

    #[test]
    fn the_blocks_of_rows_are_known() {
        for (from, count, expected) in [
            (0, 1_000, 0..=0),
            (0, 1_001, 0..=1),
            (999, 2, 0..=1),
            (1_500, 1, 1..=1),
            (2_000, 0, 2..=2),
        ] {
            assert_eq!(blocks(from, count), expected, "{from} {count}");
        }
    }
}
