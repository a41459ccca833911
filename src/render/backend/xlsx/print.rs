//! Plans how a sheet is printed, and where its charts and pictures are, so that no page border cuts one.
//!
//! Excel ignores manual breaks if a sheet is fitted to the width of its pages, but each range of a print area begins a page.
//! So the data is one range, perhaps with figures below it on the same page, and the remaining figures are ranges of as many
//! as fit on a page.

use rust_xlsxwriter as writer;
use writer::{Worksheet, XlsxError};

use super::cells::{self, Cell};
use super::{header_row, legal, letters};
use crate::Paper;
use crate::model::workbook::{Block, Orientation, Sheet};

/// Pixels, 96 to the inch, of a row with text, of an empty row, of a column without a width, and between figures.
const TEXT_ROW: u32 = 22;
const EMPTY_ROW: u32 = 20;
const EMPTY_COLUMN: u32 = 64;
const GAP: u32 = 20;
/// Margins of a page: left and right together, and top and bottom together, including the page number.
const SIDES: u32 = 96;
const ENDS: u32 = 134;
/// Data that would be scaled below this factor is printed on pages beside each other instead.
const SMALLEST: f64 = 0.5;
/// Factor by which an upright sheet may be wider than a page.
const UPRIGHT: f64 = 1.15;
/// Most rows whose texts are measured. More do not fit on a page.
const MEASURED_ROWS: usize = 150;
/// Share of a page that is filled, because fonts differ between machines.
const FILLED: f64 = 0.96;
const LAST_ROW: u32 = 1_048_575;
const LAST_COLUMN: u32 = 16_383;

/// Size of a drawing on a sheet, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Figure {
    pub(super) width: u32,
    pub(super) height: u32,
}

/// Position of a figure: a cell, and pixels to the right of its left border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Anchor {
    pub(super) row: u32,
    pub(super) column: u16,
    pub(super) offset: u32,
}

/// A range of cells, from first to last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Area {
    rows: (u32, u32),
    columns: (u32, u32),
}

impl Area {
    /// Returns the range as `$A$1:$C$7`.
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
    /// Number of pages beside each other, and below each other if everything is one page.
    pages: (u16, u16),
    pub(super) anchors: Vec<Anchor>,
    pub(super) areas: Vec<Area>,
    /// Rows and the column that are repeated on every page.
    titles: Option<(u32, u32)>,
    first_column: Option<u16>,
}

/// Range of cells with content.
struct Extent {
    top: u32,
    /// The row behind the last one.
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

    /// Returns the column that is this many pixels to the right of the start of the first one.
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

    /// Returns the height of its rows in pixels; `None` if they are too many for a page.
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

/// Returns the width of a column in pixels.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 255")]
fn pixels(width: f64) -> u32 {
    (width.clamp(1.0, 255.0) * 7.0 + 5.0).round() as u32
}

/// Returns the number of lines of a text that is wrapped in a column. Chinese characters are twice as wide as others.
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

/// Decides how a sheet is printed.
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
    // With several tables below each other, the others would be printed below the header of the first.
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
        // It would be repeated beside the figures as well.
        first_column: (pages > 1 && is_narrow && figures.is_empty())
            .then(|| u16::try_from(extent.left).unwrap_or(u16::MAX)),
    }
}

/// Size of a page, in pixels of the sheet.
struct Page {
    width: f64,
    height: f64,
}

/// Returns figures below the data, if the first of them fits on the page of the data.
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

/// Returns figures to the right of the data, below each other.
fn beside(extent: &Extent, page: &Page, figures: &[Figure]) -> (Vec<Anchor>, Vec<Area>) {
    let last = extent.end.saturating_sub(1).max(extent.top);
    let data = Area { rows: (extent.top, last), columns: (extent.left, extent.right) };
    let widest = figures.iter().map(|figure| figure.width).max().unwrap_or(0);
    let wide = widest.div_ceil(EMPTY_COLUMN);
    // If no column is left, they cover the data.
    let column = if extent.right + 2 + wide > LAST_COLUMN { 0 } else { extent.right + 2 };
    let columns = (column, column + wide.max(1) - 1);
    let (mut anchors, mut areas) = (Vec::new(), vec![data]);
    let (mut row, mut from) = (1, 1);
    for figure in figures {
        let rows = figure.height.div_ceil(EMPTY_ROW) + 1;
        // Rows beside the data have text, and are higher than empty ones.
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

/// Configures the writer. It supports only one range; the others are added when the file is put together.
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

/// Font and size of headers and footers. The space separates digits from the size.
const FONT: &str = "&\"Microsoft YaHei,Regular\"&9 ";

/// Returns a title for a header: at most 255 characters, including the codes before it.
fn escaped(title: &str) -> String {
    let title = mitt_base::text::cut_chars(title.trim(), 90).0;
    legal(title).replace('&', "&&").replace(['\n', '\r', '\t'], " ")
}

#[cfg(test)]
#[path = "print_tests.rs"]
mod tests;
