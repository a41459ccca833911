//! What a workbook costs to write: bounds on all that a short description can make large, added up over all sheets.
//!
//! The writer keeps every cell and every part of the file in memory until the end, and for each series of a chart a copy
//! of the values that it shows. Measured: the worst workbook within these bounds takes less than 512 MiB.

use std::collections::BTreeSet;

use crate::Cancel;
use crate::workbook::{Chart, Sheet, SheetCell, SheetRow, Workbook};
use mitt_base::Result;

/// Columns of all sheets; four full sheets. Each has formats and a width of its own.
const MAX_COLUMNS: usize = 65_536;
/// Number formats that differ. Excel takes 200 to 250, depending on its language.
const MAX_FORMATS: usize = 200;
/// Charts of all sheets.
const MAX_CHARTS: usize = 1_024;
/// Series of all charts: 16 for each of 256 charts.
const MAX_SERIES: usize = 4_096;
/// Values and categories that all series show: 100 series of a year of days are 73 000.
const MAX_POINTS: usize = 500_000;
/// Bytes of text among what all series show.
const MAX_POINT_BYTES: usize = 16 << 20;

/// Memory that the cells may take while the file is made. A full sheet of a million cells in twenty columns takes half.
const MAX_BYTES: usize = 400 << 20;
/// Memory for a row, without its cells.
const ROW_BYTES: usize = 64;
/// Memory for a node of the tree in which the writer keeps a row; below, the cells that a node holds at least.
const NODE_BYTES: usize = 704;
const NODE_CELLS: usize = 6;
/// Of a cell in the parts of the file, before they are packed.
const CELL_BYTES: usize = 80;
/// Of a byte of text: the writer's copy, that in the part of the file, which grows by doubling, and the packed one.
const TEXT_FACTOR: usize = 4;
/// Of the record of a text, or of a link.
const TEXT_BYTES: usize = 112;
const LINK_BYTES: usize = 640;

/// Rows between two looks at the flag.
const ROWS_PER_LOOK: usize = 1024;

/// Tell of everything that there is too much of.
///
/// # Errors
///
/// [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - it was cancelled.
pub(super) fn check(book: &Workbook, cancel: &Cancel, add: &mut dyn FnMut(String)) -> Result<()> {
    let mut most = |what: &str, limit: usize, got: usize, way_out: &str| {
        if got > limit {
            add(format!("workbook: at most {limit} {what} expected, got {got}; {way_out}"));
        }
    };
    let columns: usize = book.sheets.iter().map(|sheet| sheet.columns.len()).sum();
    most("columns of all sheets", MAX_COLUMNS, columns, "make several workbooks");
    let formats: BTreeSet<&str> = book
        .sheets
        .iter()
        .flat_map(|sheet| &sheet.columns)
        .filter_map(|column| column.number_format.as_deref())
        .collect();
    most("different number formats", MAX_FORMATS, formats.len(), "use one for several columns");

    let charts =
        || book.sheets.iter().flat_map(|sheet| sheet.charts.iter().map(move |c| (sheet, c)));
    most("charts", MAX_CHARTS, charts().count(), "make several workbooks");
    let series: usize = charts().map(|(_, chart)| chart.value_columns.len()).sum();
    most("series of all charts", MAX_SERIES, series, "show fewer columns");
    let points: usize = charts().map(|(_, chart)| points(chart)).fold(0, usize::saturating_add);
    most("values in all charts", MAX_POINTS, points, "show fewer rows, such as totals");
    // Counting the texts takes time for each point, so there must not be too many.
    if series <= MAX_SERIES && points <= MAX_POINTS {
        let bytes: usize = charts().map(|(sheet, chart)| point_bytes(sheet, chart)).sum();
        most("bytes of text in all charts", MAX_POINT_BYTES, bytes, "show shorter categories");
    }

    let bytes = all_cells_bytes(book, cancel)?;
    most(
        "bytes of memory for all cells",
        MAX_BYTES,
        bytes,
        "make several workbooks, or deliver the rows as a `.csv` file",
    );
    Ok(())
}

/// Memory that writing takes at most, in bytes, for whoever is charged for it. Of a workbook that is too large, which is
/// refused before it is written, only as much as one that is not.
///
/// # Errors
///
/// [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - it was cancelled.
pub(super) fn writing_bytes(book: &Workbook, cancel: &Cancel) -> Result<u64> {
    let charts =
        || book.sheets.iter().flat_map(|sheet| sheet.charts.iter().map(move |c| (sheet, c)));
    let points: usize = charts().map(|(_, chart)| points(chart)).fold(0, usize::saturating_add);
    let series: usize = charts().map(|(_, chart)| chart.value_columns.len()).sum();
    let texts = match series <= MAX_SERIES && points <= MAX_POINTS {
        true => charts().map(|(sheet, chart)| point_bytes(sheet, chart)).sum::<usize>(),
        false => 0,
    };
    let shown = points.min(MAX_POINTS) * TEXT_BYTES + texts.min(MAX_POINT_BYTES) * TEXT_FACTOR;
    Ok((shown + all_cells_bytes(book, cancel)?.min(MAX_BYTES)) as u64)
}

fn all_cells_bytes(book: &Workbook, cancel: &Cancel) -> Result<usize> {
    let mut bytes = 0_usize;
    for sheet in &book.sheets {
        for rows in sheet.rows.chunks(ROWS_PER_LOOK) {
            cancel.check()?;
            bytes = rows.iter().map(row_bytes).fold(bytes, usize::saturating_add);
        }
    }
    Ok(bytes)
}

/// Values and categories that a chart shows: each series has its own.
fn points(chart: &Chart) -> usize {
    chart.value_columns.len().saturating_mul(2).saturating_mul(chart.row_count as usize)
}

/// Bytes of the texts that a chart shows.
fn point_bytes(sheet: &Sheet, chart: &Chart) -> usize {
    let column = |index: u32| -> usize {
        let rows = sheet.rows.iter().skip(chart.first_row as usize).take(chart.row_count as usize);
        rows.filter_map(|row| row.cells.get(index as usize)).map(text_bytes).sum()
    };
    let categories = column(chart.category_column).saturating_mul(chart.value_columns.len());
    chart.value_columns.iter().map(|index| column(*index)).sum::<usize>().saturating_add(categories)
}

fn row_bytes(row: &SheetRow) -> usize {
    let nodes = row.cells.len().div_ceil(NODE_CELLS);
    let cells: usize = row.cells.iter().map(cell_bytes).fold(0, usize::saturating_add);
    ROW_BYTES + nodes * NODE_BYTES + row.cells.len() * CELL_BYTES + cells
}

fn cell_bytes(cell: &SheetCell) -> usize {
    let record = match cell {
        SheetCell::Link(_) => LINK_BYTES,
        SheetCell::Text(_) | SheetCell::Formula(_) => TEXT_BYTES,
        SheetCell::Number(_) | SheetCell::Date(_) | SheetCell::Boolean(_) | SheetCell::Empty => 0,
    };
    record.saturating_add(text_bytes(cell).saturating_mul(TEXT_FACTOR))
}

/// Bytes of the texts of a cell as they stand in the file.
fn text_bytes(cell: &SheetCell) -> usize {
    match cell {
        SheetCell::Text(text) => escaped(text),
        SheetCell::Formula(formula) => escaped(&formula.expression) + escaped(&formula.value),
        SheetCell::Link(link) => escaped(&link.url) + escaped(&link.text),
        SheetCell::Number(_) | SheetCell::Date(_) | SheetCell::Boolean(_) | SheetCell::Empty => 0,
    }
}

/// Bytes of a text in XML.
fn escaped(text: &str) -> usize {
    let more = |byte: u8| match byte {
        b'&' | b'"' | b'\'' => 5,
        b'<' | b'>' => 3,
        // Written as `_x0007_`, as is the beginning of such a name.
        b'_' | 0..=31 => 6,
        _ => 0,
    };
    text.len() + text.bytes().map(more).sum::<usize>()
}
