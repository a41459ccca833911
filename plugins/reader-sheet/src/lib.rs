//! Reads workbooks: every sheet becomes a table with typed cells and a section of the text.
//!
//! Nothing is calculated: a formula counts as the value that was last stored, and one without a value stands as its own
//! text. Number formats only tell dates from numbers; a cell that shows `12.5%` is `0.125`. Comments and text boxes follow
//! the cells; of charts only the titles are read, of pictures and macros nothing.

mod biff;
mod bytes;
mod format;
mod grid;
mod intake;
mod layout;
mod ods;
mod open;
mod package;
mod place;
mod value;
mod write;
mod xlsb;
mod xlsx;

use grid::Grid;
use intake::Sheet;
use layout::{Layout, lay_out};
use mitt_reader_kit::{Cell, Content, Error, MAX_CELLS, NamedTable, Table};
use open::Workbook;

mitt_reader_kit::export_reader!(crate::read);

/// Parse a workbook. `extension` is one of `xlsx`, `xlsm`, `xls`, `xlsb`, `ods`.
///
/// # Errors
///
/// `unsupported` - the workbook is encrypted, or the extension is none of these. `malformed` - it is damaged. `quota` - it
/// holds more cells or text than one document may.
pub fn read(bytes: &[u8], extension: &str) -> Result<Content, Error> {
    let Workbook { title, sheets, mut warnings } = open::open(bytes, extension)?;
    let mut markdown = String::new();
    let mut tables = Vec::new();
    for sheet in sheets {
        write_sheet(sheet, &mut markdown, &mut tables, &mut warnings)?;
    }
    Ok(Content { title, markdown, tables, warnings })
}

fn write_sheet(
    sheet: Sheet,
    markdown: &mut String,
    tables: &mut Vec<NamedTable>,
    warnings: &mut Vec<String>,
) -> Result<(), Error> {
    let taken: usize =
        tables.iter().map(|table| table.data.rows.len() * table.data.columns.len()).sum();
    let Sheet { name, cells, merged, asides } = sheet;
    let allowed = MAX_CELLS.saturating_sub(taken);
    let layout = match Grid::new(cells, &merged, allowed) {
        Ok(grid) => lay_out(grid),
        Err(cells) => list_cells(cells, allowed)?,
    };
    let Layout { captions, table, row_numbers, notes } = layout;
    warnings.extend(notes.into_iter().map(|note| format!("sheet `{name}`: {note}")));
    if !markdown.is_empty() {
        markdown.push('\n');
    }
    markdown.push_str(&format!("## {name}\n"));
    for caption in &captions {
        markdown.push_str(&format!("\n{caption}\n"));
    }
    if !table.columns.is_empty() {
        markdown.push('\n');
        write::push_cells(markdown, &table, &row_numbers);
    }
    write::push_asides(markdown, &asides);
    if table.columns.is_empty() {
        return Ok(());
    }
    let table_name = match captions.into_iter().next() {
        Some(caption) if layout::is_generic_name(&name) => caption,
        _ => name,
    };
    tables.push(NamedTable { name: table_name, data: table });
    Ok(())
}

/// Cells that lie too far apart for a table, one per row.
fn list_cells(mut cells: Vec<(u32, u32, Cell)>, allowed: usize) -> Result<Layout, Error> {
    const COLUMNS: [&str; 3] = ["row", "column", "value"];
    if cells.len() * COLUMNS.len() > allowed {
        return Err(intake::too_many_cells_error());
    }
    cells.sort_by_key(|(row, column, _)| (*row, *column));
    let rows = cells.into_iter().map(|(row, column, cell)| {
        let row = Cell::Number((row + 1).to_string());
        vec![row, Cell::Text(place::column_name(column)), cell]
    });
    Ok(Layout {
        captions: Vec::new(),
        table: Table { columns: COLUMNS.map(str::to_owned).to_vec(), rows: rows.collect() },
        row_numbers: Vec::new(),
        notes: vec!["its cells lie too far apart for a table and are listed one by one".to_owned()],
    })
}
