//! Reads workbooks: every sheet becomes a table with typed cells and a section of the text.
//!
//! Nothing is calculated: a formula counts as the value that was last stored. Number formats only tell dates from
//! numbers; a cell that shows `12.5%` is `0.125`. Charts, pictures, comments and macros are not read.

mod grid;
mod layout;
mod open;
mod value;

use grid::Grid;
use layout::{Layout, lay_out};
use mitt_reader_kit::{Content, Error, NamedTable, push_table};
use open::{Sheet, Workbook};

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
    let taken = tables.iter().map(|table| table.data.rows.len() * table.data.columns.len()).sum();
    let name = sheet.name.clone();
    let Layout { captions, table, notes } = lay_out(Grid::new(sheet, taken)?);
    warnings.extend(notes.into_iter().map(|note| format!("sheet `{name}`: {note}")));
    if !markdown.is_empty() {
        markdown.push('\n');
    }
    markdown.push_str(&format!("## {name}\n"));
    for caption in &captions {
        markdown.push_str(&format!("\n{caption}\n"));
    }
    if table.columns.is_empty() {
        return Ok(());
    }
    markdown.push('\n');
    push_table(markdown, &table);
    let table_name = match captions.into_iter().next() {
        Some(caption) if layout::is_generic_name(&name) => caption,
        _ => name,
    };
    tables.push(NamedTable { name: table_name, data: table });
    Ok(())
}
