//! The cost of writing a workbook: limits on everything that a short description can make large, over all sheets.
//!
//! Rows are compressed as they are written. The writer keeps columns, links, and a copy of the values of each series of a
//! chart until the end.

use std::collections::BTreeSet;

use super::cells::{self, Cell};
use super::{charts as drawn, design};
use crate::model::workbook::{Block, Chart, Workbook};

/// Most columns of all sheets: four full sheets. Each has formats and a width of its own.
const MAX_COLUMNS: usize = 65_536;
/// Most different number formats. Excel supports 200 to 250, depending on its language.
const MAX_FORMATS: usize = 200;
/// Most charts of all sheets.
const MAX_CHARTS: usize = 1_024;
/// Most series of all charts: 16 for each of 256 charts.
const MAX_SERIES: usize = 4_096;
/// Most values and categories in all series: 100 series of a year of days are 73 000.
const MAX_POINTS: usize = 500_000;
/// Most bytes of text in all series.
const MAX_POINT_BYTES: usize = 16 << 20;

/// Bytes for each byte of text in a chart or a link: the writer's copy, the one in the part of the file, which grows by
/// doubling, and the compressed one.
pub(super) const TEXT_FACTOR: usize = 4;
/// Bytes for a cell in a chart, for a link, and for a column with its formats.
const POINT_BYTES: usize = 224;
pub(super) const LINK_BYTES: usize = 640;
const COLUMN_BYTES: usize = 512;

/// Reports each limit that is exceeded.
pub(super) fn check(book: &Workbook, add: &mut dyn FnMut(String)) {
    let mut most = |what: &str, limit: usize, got: usize, way_out: &str| {
        if got > limit {
            add(format!("workbook: expected at most {limit} {what}, got {got}; {way_out}"));
        }
    };
    let blocks = || book.sheets.iter().flat_map(|sheet| &sheet.blocks);
    let columns: usize = blocks().map(|block| block.columns.len()).sum();
    most("columns of all sheets", MAX_COLUMNS, columns, "make several workbooks");
    let formats: BTreeSet<&str> = blocks()
        .flat_map(|block| &block.columns)
        .filter_map(|column| column.number_format.as_deref())
        .collect();
    most("different number formats", MAX_FORMATS, formats.len(), "use one for several columns");

    let charts = || charts(book);
    most("charts", MAX_CHARTS, charts().count(), "make several workbooks");
    let series: usize = charts().map(|(_, chart)| drawn::values(chart).count()).sum();
    most("series of all charts", MAX_SERIES, series, "show fewer columns");
    let points: usize = charts().map(|(_, chart)| points(chart)).fold(0, usize::saturating_add);
    most("values in all charts", MAX_POINTS, points, "show fewer rows, such as totals");
    // Counting the texts takes time for each point, so there must not be too many.
    if series <= MAX_SERIES && points <= MAX_POINTS {
        let bytes: usize = charts().map(|(block, chart)| point_bytes(block, chart)).sum();
        most("bytes of text in all charts", MAX_POINT_BYTES, bytes, "show shorter categories");
    }
}

fn charts(book: &Workbook) -> impl Iterator<Item = (&Block, &Chart)> {
    let blocks = book.sheets.iter().flat_map(|sheet| &sheet.blocks);
    blocks.flat_map(|block| block.charts.iter().map(move |chart| (block, chart)))
}

/// Returns the memory for writing everything except the rows of a workbook that passed the check.
pub(super) fn frame_bytes(book: &Workbook) -> usize {
    let points: usize = charts(book).map(|(_, chart)| points(chart)).sum();
    let texts: usize = charts(book).map(|(block, chart)| point_bytes(block, chart)).sum();
    let blocks = book.sheets.iter().flat_map(|sheet| &sheet.blocks);
    let columns: usize = blocks.clone().map(|block| block.columns.len()).sum();
    let beside: usize = blocks.map(design::bytes).sum();
    beside + points * POINT_BYTES + texts * TEXT_FACTOR + columns * COLUMN_BYTES
}

/// Returns the number of values and categories in a chart; each series has its own.
fn points(chart: &Chart) -> usize {
    drawn::values(chart).count().saturating_mul(2).saturating_mul(chart.row_count as usize)
}

/// Returns the bytes of the texts in a chart.
fn point_bytes(block: &Block, chart: &Chart) -> usize {
    let mut lexeme = String::new();
    let mut column = |index: u32| -> usize {
        let rows = chart.first_row as usize
            ..(chart.first_row as usize).saturating_add(chart.row_count as usize);
        let end = rows.end.min(cells::rows(block));
        let text = |row| match cells::cell(block, row, index as usize, &mut lexeme) {
            Cell::Text(text) => escaped(text),
            Cell::Empty | Cell::Number(_) | Cell::Date(_) => 0,
        };
        (rows.start..end).map(text).sum()
    };
    let categories = column(chart.category_column).saturating_mul(drawn::values(chart).count());
    drawn::values(chart).map(column).sum::<usize>().saturating_add(categories)
}

/// Returns the bytes of a text in XML.
fn escaped(text: &str) -> usize {
    let more = |byte: u8| match byte {
        b'&' | b'"' | b'\'' => 5,
        b'<' | b'>' => 3,
        // Written as `_x0007_`; an underscore that begins such a name is escaped as well.
        b'_' | 0..=31 => 6,
        _ => 0,
    };
    text.len() + text.bytes().map(more).sum::<usize>()
}
