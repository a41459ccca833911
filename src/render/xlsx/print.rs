//! How a sheet is printed, and where its charts and pictures stand so that no border of a page cuts one.
//!
//! Excel ignores breaks that are put by hand where a sheet is fitted to the width of its pages, but each range of a print area begins
//! a page of its own. So the data is one range, perhaps with figures below it on the same page, and the figures that do not fit
//! there are ranges of as many as a page takes.

use rust_xlsxwriter as writer;
use writer::{Worksheet, XlsxError};

use super::cells::{self, Cell};
use super::{header_row, legal, letters};
use crate::Paper;
use crate::workbook::{Block, Orientation, Sheet};

/// Pixels, of which an inch has 96, of a row that has text, of one that has none, of a column without a width, and between figures.
const TEXT_ROW: u32 = 22;
const EMPTY_ROW: u32 = 20;
const EMPTY_COLUMN: u32 = 64;
const GAP: u32 = 20;
/// Margins of a page, left and right, and above and below, with the number of the page.
const SIDES: u32 = 96;
const ENDS: u32 = 134;
/// Data smaller than this part of its size is printed on pages beside each other instead.
const SMALLEST: f64 = 0.5;
/// A sheet this much wider than a page is still printed upright.
const UPRIGHT: f64 = 1.15;
/// Rows whose texts are measured; more do not fit on a page.
const MEASURED_ROWS: usize = 150;
/// Part of a page that is filled: fonts differ from one machine to the next.
const FILLED: f64 = 0.96;
const LAST_ROW: u32 = 1_048_575;
const LAST_COLUMN: u32 = 16_383;

/// What is drawn on a sheet: pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Figure {
    pub(super) width: u32,
    pub(super) height: u32,
}

/// Where a figure stands: a cell, and pixels to the right of its left border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Anchor {
    pub(super) row: u32,
    pub(super) column: u16,
    pub(super) offset: u32,
}

/// A range of cells, first and last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Area {
    rows: (u32, u32),
    columns: (u32, u32),
}

impl Area {
    /// `$A$1:$C$7`
    pub(super) fn absolute(&self) -> String {
        let cell =
            |row: u32, column: u32| format!("${}${}", letters(column as usize), u64::from(row) + 1);
        format!("{}:{}", cell(self.rows.0, self.columns.0), cell(self.rows.1, self.columns.1))
    }
}

/// How a sheet is printed.
#[derive(Debug, PartialEq)]
pub(super) struct Plan {
    paper: Paper,
    is_landscape: bool,
    /// Pages beside each other, and below each other where all of it is one page.
    pages: (u16, u16),
    pub(super) anchors: Vec<Anchor>,
    pub(super) areas: Vec<Area>,
    /// Rows and the column that every page repeats.
    titles: Option<(u32, u32)>,
    first_column: Option<u16>,
}

/// What of a sheet is filled with cells.
struct Extent {
    top: u32,
    /// Behind the last row.
    end: u32,
    left: u32,
    right: u32,
    /// Widths of the columns from `left` to `right`, in pixels.
    widths: Vec<u32>,
}

impl Extent {
    fn of(sheet: &Sheet) -> Extent {
        let blocks = || sheet.blocks.iter();
        let right_of = |block: &Block| block.column + number(block.columns.len()).saturating_sub(1);
        let left = blocks().map(|block| block.column).min().unwrap_or(0);
        let right = blocks().map(right_of).max().unwrap_or(0).min(LAST_COLUMN);
        let mut widths = vec![0; (right - left + 1) as usize];
        let mut is_hidden = vec![false; widths.len()];
        for block in blocks() {
            for (index, column) in block.columns.iter().enumerate() {
                let at = (block.column - left) as usize + index;
                if let Some(width) = widths.get_mut(at) {
                    *width = (*width).max(pixels(column.width));
                    is_hidden[at] |= column.hidden;
                }
            }
        }
        for (width, is_hidden) in widths.iter_mut().zip(is_hidden) {
            *width = match (is_hidden, *width) {
                (true, _) => 0,
                (false, 0) => EMPTY_COLUMN,
                (false, width) => width,
            };
        }
        Extent {
            top: blocks().map(|block| block.row).min().unwrap_or(0),
            end: blocks().map(end_of).max().unwrap_or(0),
            left,
            right,
            widths,
        }
    }

    fn width(&self) -> u32 {
        self.widths.iter().sum()
    }

    /// The last column of what ends so many pixels to the right of the first one.
    fn column_at(&self, pixels: u32) -> u32 {
        let mut at = 0;
        for (index, width) in self.widths.iter().enumerate() {
            at += width;
            if at >= pixels {
                return self.left + number(index);
            }
        }
        (self.right + (pixels - at).div_ceil(EMPTY_COLUMN)).min(LAST_COLUMN)
    }

    /// Pixels of its rows; none where these are too many for a page.
    fn height(&self, sheet: &Sheet) -> Option<u32> {
        let rows = (self.end - self.top) as usize;
        if rows > MEASURED_ROWS {
            return None;
        }
        let mut lines = vec![0; rows];
        for block in &sheet.blocks {
            let top = (block.row - self.top) as usize;
            let header = (header_row(block) - self.top) as usize;
            lines[top] = lines[top].max(1);
            let of = |text: &str, index: usize| {
                lines_of(text, block.columns.get(index).map_or(8.0, |column| column.width))
            };
            for (index, column) in block.columns.iter().enumerate() {
                lines[header] = lines[header].max(of(&column.header, index));
            }
            let mut text = String::new();
            for row in 0..cells::rows(block) {
                let line = &mut lines[header + 1 + row];
                *line = (*line).max(1);
                for index in 0..block.columns.len() {
                    if let Cell::Text(text) = cells::cell(block, row, index, &mut text) {
                        *line = (*line).max(of(text, index));
                    }
                }
            }
        }
        let row = |lines: &u32| if *lines == 0 { EMPTY_ROW } else { TEXT_ROW * lines };
        Some(lines.iter().map(row).sum())
    }
}

fn end_of(block: &Block) -> u32 {
    header_row(block).saturating_add(1).saturating_add(number(cells::rows(block))).min(LAST_ROW + 1)
}

/// Width of a column in pixels.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 255")]
fn pixels(width: f64) -> u32 {
    (width.clamp(1.0, 255.0) * 7.0 + 5.0).round() as u32
}

/// Lines of a text that is wrapped in a column. Letters of Chinese are twice as wide as others.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 255")]
pub(super) fn lines_of(text: &str, width: f64) -> u32 {
    let width = width.clamp(1.0, 255.0) as usize;
    let of = |line: &str| {
        let columns: usize = line.chars().map(|c| if c < '\u{2E80}' { 1 } else { 2 }).sum();
        number(columns.div_ceil(width)).max(1)
    };
    text.lines().map(of).sum::<u32>().max(1)
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Decide how a sheet is printed.
pub(super) fn plan(sheet: &Sheet, figures: &[Figure]) -> Plan {
    let extent = Extent::of(sheet);
    let paper = sheet.page.paper.unwrap_or_default();
    let (short, long) = match paper {
        Paper::A4 => (794, 1_123),
        Paper::Letter => (816, 1_056),
    };
    let width = extent.width();
    let upright = f64::from(short - SIDES);
    let is_landscape = match sheet.page.orientation {
        Some(orientation) => orientation == Orientation::Landscape,
        None => f64::from(width) > upright * UPRIGHT,
    };
    let (wide, high) =
        if is_landscape { (long - SIDES, short - ENDS) } else { (short - SIDES, long - ENDS) };
    let widest = figures.iter().map(|figure| figure.width).max().unwrap_or(0);
    let width = width.max(widest);
    let pages = (f64::from(width) * SMALLEST / f64::from(wide)).ceil().clamp(1.0, 1_000.0);
    let scale = (pages * f64::from(wide) / f64::from(width.max(1))).min(1.0);
    let page = Page { width: f64::from(wide) / scale, height: f64::from(high) / scale * FILLED };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let pages = pages as u16;
    let height = extent.height(sheet).filter(|height| f64::from(*height) <= page.height);
    let below = match (pages, height) {
        (1, Some(height)) => below(&extent, &page, height, figures),
        _ => None,
    };
    let is_one_page = pages == 1 && height.is_some();
    let (anchors, areas) = below.unwrap_or_else(|| beside(&extent, &page, figures));
    let first = &sheet.blocks.first();
    // Of tables below each other the second would be printed below the header of the first.
    let titles = first
        .filter(|first| sheet.blocks.iter().all(|block| block.row == first.row))
        .filter(|_| !is_one_page || areas.len() == 1)
        .map(|first| (extent.top, header_row(first)));
    let is_narrow = extent.widths.first().is_some_and(|first| f64::from(*first) * 4.0 < page.width);
    Plan {
        paper,
        is_landscape,
        pages: (pages, u16::from(is_one_page && areas.len() == 1)),
        anchors,
        areas,
        titles,
        // It would stand beside the figures, too.
        first_column: (pages > 1 && is_narrow && figures.is_empty())
            .then(|| u16::try_from(extent.left).unwrap_or(u16::MAX)),
    }
}

/// What a page takes, in pixels of the sheet.
struct Page {
    width: f64,
    height: f64,
}

/// Figures below the data, if the first of them fits on the page of the data.
fn below(
    extent: &Extent,
    page: &Page,
    height: u32,
    figures: &[Figure],
) -> Option<(Vec<Anchor>, Vec<Area>)> {
    let widest = figures.iter().map(|figure| figure.width).max()?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
    let in_line =
        ((page.width + f64::from(GAP)) / f64::from(widest + GAP)).floor().max(1.0) as usize;
    let (mut row, mut used) = (extent.end + 1, height + EMPTY_ROW);
    let mut from = extent.top;
    let (mut anchors, mut areas) = (Vec::new(), Vec::new());
    let mut right = extent.right;
    let left = u16::try_from(extent.left).unwrap_or(u16::MAX);
    for line in figures.chunks(in_line) {
        let rows = line.iter().map(|figure| figure.height).max()?.div_ceil(EMPTY_ROW);
        if f64::from(used + rows * EMPTY_ROW) > page.height {
            if anchors.is_empty() {
                return None;
            }
            areas.push((from, row - 2));
            (from, used) = (row, 0);
        }
        let mut offset = 0;
        for figure in line {
            anchors.push(Anchor { row, column: left, offset });
            right = right.max(extent.column_at(offset + figure.width));
            offset += widest + GAP;
        }
        (row, used) = (row + rows + 1, used + (rows + 1) * EMPTY_ROW);
    }
    // Without the empty row behind the last of them.
    areas.push((from, row - 2));
    let columns = (extent.left, right);
    (row <= LAST_ROW)
        .then(|| (anchors, areas.into_iter().map(|rows| Area { rows, columns }).collect()))
}

/// Figures to the right of the data, below each other.
fn beside(extent: &Extent, page: &Page, figures: &[Figure]) -> (Vec<Anchor>, Vec<Area>) {
    let last = extent.end.saturating_sub(1).max(extent.top);
    let data = Area { rows: (extent.top, last), columns: (extent.left, extent.right) };
    let widest = figures.iter().map(|figure| figure.width).max().unwrap_or(0);
    let wide = widest.div_ceil(EMPTY_COLUMN);
    // Where no column is left, they stand above the data.
    let column = match extent.right + 2 + wide > LAST_COLUMN {
        true => 0,
        false => extent.right + 2,
    };
    let columns = (column, column + wide.max(1) - 1);
    let (mut anchors, mut areas) = (Vec::new(), vec![data]);
    let (mut row, mut from) = (1, 1);
    for figure in figures {
        let rows = figure.height.div_ceil(EMPTY_ROW) + 1;
        // The rows beside have text, and are higher than empty ones.
        if row > from && f64::from((row + rows - from) * TEXT_ROW) > page.height {
            areas.push(Area { rows: (from, row - 2), columns });
            from = row;
        }
        let at = u16::try_from(column).unwrap_or(u16::MAX);
        anchors.push(Anchor { row, column: at, offset: 0 });
        row += rows;
    }
    if !figures.is_empty() {
        areas.push(Area { rows: (from, row - 2), columns });
    }
    (anchors, areas)
}

/// Tell the writer. It knows one range only; the others are put beside it when the file is put together.
pub(super) fn apply(
    out: &mut Worksheet,
    plan: &Plan,
    title: Option<&str>,
) -> Result<(), XlsxError> {
    out.set_paper_size(match plan.paper {
        Paper::A4 => 9,
        Paper::Letter => 1,
    });
    if plan.is_landscape {
        out.set_landscape();
    } else {
        out.set_portrait();
    }
    out.set_print_fit_to_pages(plan.pages.0, plan.pages.1);
    // Inches: left, right, top, bottom, header, footer.
    out.set_margins(0.5, 0.5, 0.65, 0.75, 0.3, 0.35);
    out.set_print_center_horizontally(true);
    if let Some((first, last)) = plan.titles {
        out.set_repeat_rows(first, last)?;
    }
    if let Some(column) = plan.first_column {
        out.set_repeat_columns(column, column)?;
    }
    if let Some(Area { rows, columns }) = plan.areas.first() {
        let column = |index: u32| u16::try_from(index).unwrap_or(u16::MAX);
        out.set_print_area(rows.0, column(columns.0), rows.1, column(columns.1))?;
    }
    if let Some(title) = title.filter(|title| !title.trim().is_empty()) {
        out.set_header(format!("&C{FONT}{}", escaped(title)));
    }
    out.set_footer(format!("&L{FONT}&A&R{FONT}&P / &N"));
    Ok(())
}

/// The font of headers and footers, and its size. The space keeps digits apart from it.
const FONT: &str = "&\"Microsoft YaHei,Regular\"&9 ";

/// A title as a header takes it: at most 255 characters with the codes in front of it.
fn escaped(title: &str) -> String {
    let title = mitt_base::text::cut_chars(title.trim(), 90).0;
    legal(title).replace('&', "&&").replace(['\n', '\r', '\t'], " ")
}

#[cfg(test)]
#[path = "print_tests.rs"]
mod tests;
