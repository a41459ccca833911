//! Takes lines out of a table that are above it on the page: headings and sentences that the library put into its first
//! column.

use crate::regrid::{self, Index};
use crate::words::Line;
use unpdf::{Block, Page, Paragraph, Table, TableCell, TableRow};

/// The fewest rows with several cells that remain.
const MIN_ROWS: usize = 2;

/// How much farther such a line is from the table than the rows of the table are from each other.
const FAR: f32 = 1.5;

/// Returns whether the first row of a table has one cell with text.
pub(crate) fn is_worth_it(page: &Page) -> bool {
    page.elements.iter().any(|block| matches!(block, Block::Table(table) if single(table) > 0))
}

/// Puts the lines that stand apart in front of their tables.
pub(crate) fn part(page: &mut Page, lines: &[Line], index: &Index<'_>) {
    let mut blocks = Vec::with_capacity(page.elements.len());
    for mut block in std::mem::take(&mut page.elements) {
        if let Block::Table(table) = &mut block {
            let rest = table.rows.split_off(apart(table, lines, index));
            let above = std::mem::replace(&mut table.rows, rest);
            let text = |row: &TableRow| row.cells.first().map(TableCell::plain_text);
            let texts = above.iter().filter_map(text);
            blocks.extend(texts.map(|text| Block::Paragraph(Paragraph::with_text(text.trim()))));
        }
        blocks.push(block);
    }
    page.elements = blocks;
}

/// Returns how many rows at the top have text in their first cell only.
fn single(table: &Table) -> usize {
    let has_text = |cell: &TableCell| !cell.plain_text().trim().is_empty();
    let is_single = |row: &&TableRow| {
        let mut cells = row.cells.iter();
        cells.next().is_some_and(has_text) && row.cells.len() > 1 && !cells.any(has_text)
    };
    table.rows.iter().take_while(is_single).count()
}

/// Returns how many rows at the top stand apart from the others.
fn apart(table: &Table, lines: &[Line], index: &Index<'_>) -> usize {
    let count = single(table);
    if count == 0 || table.rows.len() < count + MIN_ROWS || table.has_merged_cells() {
        return 0;
    }
    let own = index.area(table).and_then(|area| regrid::within(table, lines, area));
    // Rows of several lines are in a grid of rules.
    let Some(own) = own.filter(|own| own.len() == table.rows.len()) else { return 0 };
    let pitch = |at: usize| match (at.checked_sub(1).and_then(|it| own.get(it)), own.get(at)) {
        (Some(above), Some(below)) => above.y - below.y,
        _ => 0.0,
    };
    let widest = (count + 1..own.len()).map(pitch).fold(0.0, f32::max);
    if pitch(count) > widest * FAR { count } else { 0 }
}
