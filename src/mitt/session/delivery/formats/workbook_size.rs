//! The memory that the description of a workbook occupies.

use super::text_bytes;
use mitt_render::{Sheet, SheetBlock, SheetCell, Workbook};

/// Returns the bytes that a workbook occupies. All of its parts are counted, because a short call can make a long list of any of
/// them. Its tables are not counted, because their maker is charged for them.
pub(super) fn workbook_bytes(book: &Workbook) -> u64 {
    let sheet = |sheet: &Sheet| {
        size_of_val(sheet)
            + sheet.name.len()
            + sheet_bytes(sheet)
            + sheet.blocks.iter().map(block_bytes).sum::<usize>()
    };
    let own = size_of_val(book) + text_bytes(&book.title) + names_bytes(book);
    (own + book.sheets.iter().map(sheet).sum::<usize>()) as u64
}

fn block_bytes(block: &SheetBlock) -> usize {
    let columns = block.columns.iter().map(|column| {
        size_of_val(column) + column.header.len() + text_bytes(&column.number_format)
    });
    let charts = block.charts.iter().map(|chart| {
        let series = size_of_val(chart.value_columns.as_slice())
            + size_of_val(chart.line_columns.as_slice());
        let titles = [&chart.title, &chart.category_title, &chart.value_title, &chart.second_title];
        size_of_val(chart) + titles.into_iter().map(text_bytes).sum::<usize>() + series
    });
    let rows = block
        .rows
        .iter()
        .map(|row| size_of_val(row) + row.cells.iter().map(cell_bytes).sum::<usize>());
    let data = block.data.as_ref().map_or(0, |data| size_of_val(data.columns.as_slice()));
    let own = size_of_val(block) + text_bytes(&block.title) + data + block_design_bytes(block);
    own + columns.sum::<usize>() + charts.sum::<usize>() + rows.sum::<usize>()
}

fn cell_bytes(cell: &SheetCell) -> usize {
    let text = match cell {
        SheetCell::Empty | SheetCell::Boolean(_) => 0,
        SheetCell::Number(text) | SheetCell::Text(text) | SheetCell::Date(text) => text.len(),
        SheetCell::Formula(formula) => formula.expression.len() + formula.value.len(),
        SheetCell::Link(link) => link.url.len() + link.text.len(),
    };
    size_of_val(cell) + text
}

/// Returns the bytes of the names that a workbook defines.
fn names_bytes(book: &Workbook) -> usize {
    book.names.iter().map(|it| size_of_val(it) + it.name.len() + it.formula.len()).sum()
}

/// Returns the bytes of a sheet apart from its blocks.
fn sheet_bytes(sheet: &Sheet) -> usize {
    sheet.protection.as_ref().map_or(0, |protection| text_bytes(&protection.password))
}

/// Returns the bytes of a block apart from its cells and charts.
fn block_design_bytes(block: &SheetBlock) -> usize {
    let rules = block.rules.iter().map(|rule| {
        let texts = text_bytes(&rule.value) + text_bytes(&rule.upper);
        size_of_val(rule) + size_of_val(rule.columns.as_slice()) + texts
    });
    let inputs = block.inputs.iter().map(|input| {
        let choices = input.choices.iter().map(|choice| size_of_val(choice) + choice.len());
        let texts = [&input.minimum, &input.maximum, &input.formula, &input.prompt, &input.message];
        size_of_val(input)
            + size_of_val(input.columns.as_slice())
            + choices.sum::<usize>()
            + texts.into_iter().map(text_bytes).sum::<usize>()
    });
    let notes = block.notes.iter().map(|note| size_of_val(note) + note.text.len());
    let pictures = block.pictures.iter().map(|picture| {
        size_of_val(picture) + picture.bytes.len() + text_bytes(&picture.description)
    });
    text_bytes(&block.table_name)
        + size_of_val(block.sparklines.as_slice())
        + rules.sum::<usize>()
        + inputs.sum::<usize>()
        + notes.sum::<usize>()
        + pictures.sum::<usize>()
}
