//! Reads workbooks. Every sheet becomes a table with typed cells and a section of the text.
//!
//! Nothing is calculated. A formula has the value that was stored last, and a formula without a value appears as its
//! own text. Number formats show which numbers are dates or identifiers: `12.5%` is `0.125`, and `02494` in the format
//! `00000` is that text. Comments and text boxes follow the cells. Only the titles of charts are read. Pictures and
//! macros are not read.
//!
//! For previews, the module `view` describes instead what a workbook looks like.

mod biff;
mod bytes;
mod columns;
mod format;
mod grid;
mod hidden;
mod intake;
mod item;
mod layout;
mod ods;
mod open;
mod package;
mod padding;
mod place;
mod properties;
mod rows;
mod unseen;
mod value;
mod view;
mod write;
mod xlsb;
mod xlsx;

pub use columns::Sheet;

use grid::Grid;
use item::Item;
use layout::{Layout, lay_out};
use mitt_reader_kit::{Content, Error, NamedTable, Place};
use open::Workbook;
use rows::Row;

mitt_reader_kit::export_reader!(crate::read);

/// Largest table, in cells, that may be empty to any degree.
const MAX_EMPTY_AREA: usize = 2_000_000;

/// In a larger table, at least one cell in this number of cells is not empty.
const MIN_FILLED: usize = 4;

/// The end of an extension that asks for a view of the workbook instead of its text and tables: `xlsx.view`.
const VIEW: &str = ".view";

/// Parses a workbook. `extension` is one of `xlsx`, `xlsm`, `xls`, `xlsb`, `ods`; with `.view` behind it, the text is
/// JSON that describes what the workbook looks like, and its rows are parts.
///
/// # Errors
///
/// `unsupported` - the workbook is encrypted, or the extension is not one of these. `malformed` - the workbook is
/// damaged. `quota` - it holds more cells or text than one document may have.
pub fn read(bytes: &[u8], extension: &str) -> Result<Content<Sheet>, Error> {
    if let Some(kind) = extension.strip_suffix(VIEW) {
        return view::read(bytes, kind);
    }
    let Workbook { properties, sheets, warnings } = open::open(bytes, extension)?;
    let (title, metadata) = properties.into_metadata();
    let content = Content { title, metadata, warnings, ..Content::default() };
    let mut writer = Writer { content, cells: intake::MAX_CELLS, row_bytes: write::MAX_ROW_BYTES };
    for sheet in sheets {
        writer.sheet(sheet)?;
    }
    Ok(writer.content)
}

/// Writes sheets one after the other.
struct Writer {
    content: Content<Sheet>,
    /// Number of cells that the tables may still have.
    cells: usize,
    /// Number of bytes that rows may still have in the text.
    row_bytes: usize,
}

impl Writer {
    fn sheet(&mut self, sheet: intake::Sheet) -> Result<(), Error> {
        let intake::Sheet { name, rows, merged, asides } = sheet;
        let n_cells: usize = rows.iter().map(|(_, row)| row.len()).sum();
        let area = MAX_EMPTY_AREA.max(n_cells.saturating_mul(MIN_FILLED)).min(self.cells);
        let layout = match Grid::new(rows, &merged, area) {
            Ok(grid) => lay_out(grid),
            Err(rows) => list_cells(rows, self.cells)?,
        };
        let Layout { captions, table, row_numbers, notes } = layout;
        let Content { markdown, places, tables, warnings, .. } = &mut self.content;
        warnings.extend(notes.into_iter().map(|note| format!("sheet `{name}`: {note}")));
        if !markdown.is_empty() {
            markdown.push('\n');
        }
        places.push(Place { at: markdown.len(), label: format!("sheet {name}") });
        markdown.push_str(&format!("## {name}\n"));
        for caption in &captions {
            markdown.push_str(&format!("\n{caption}\n"));
        }
        if !table.columns.is_empty() {
            markdown.push('\n');
            let shown = write::push_cells(markdown, &table, &row_numbers, &mut self.row_bytes);
            let n_rows = table.rows.len();
            if shown < n_rows {
                warnings.push(format!(
                    "sheet `{name}`: the text shows the first {shown} of {n_rows} rows; the table has all of them"
                ));
            }
        }
        write::push_asides(markdown, &asides);
        if table.columns.is_empty() {
            return Ok(());
        }
        let table_name = match captions.into_iter().next() {
            Some(caption) if layout::is_generic_name(&name) => caption,
            _ => name,
        };
        self.cells = self.cells.saturating_sub(table.rows.len() * table.columns.len());
        tables.push(NamedTable { name: table_name, data: table, place: None });
        Ok(())
    }
}

/// Lists cells that are too far apart for a table, one per row.
fn list_cells(rows: Vec<(u32, Row)>, allowed: usize) -> Result<Layout, Error> {
    const COLUMNS: [&str; 3] = ["row", "column", "value"];
    let n_cells: usize = rows.iter().map(|(_, row)| row.len()).sum();
    if n_cells * COLUMNS.len() > allowed {
        return Err(intake::too_many_cells_error());
    }
    let mut listed = Vec::with_capacity(n_cells);
    for (row, items) in rows {
        for (column, item) in items {
            let number = Item::number(f64::from(row + 1));
            let column = Item::text_of(&place::column_name(column));
            listed.push(Box::from([(0, number), (1, column), (2, item)]));
        }
    }
    let row_numbers = (0..).take(listed.len()).collect();
    Ok(Layout {
        captions: Vec::new(),
        table: Sheet { columns: COLUMNS.map(str::to_owned).to_vec(), rows: listed },
        row_numbers,
        notes: vec!["its cells lie too far apart for a table and are listed one by one".to_owned()],
    })
}
