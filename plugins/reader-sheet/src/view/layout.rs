//! Collects what a worksheet has besides its cells: widths, hidden rows and columns, merged regions, frozen panes.

use super::json::{Object, push_list};
use super::room::Room;
use crate::xlsx::{Tag, integer, is_true, unescaped};
use calamine::Dimensions;
use std::fmt::Write as _;

/// The most merged regions of a sheet.
const MAX_MERGES: usize = 10_000;

/// The most ranges of hidden rows, of hidden columns, and of rows or columns with a style.
const MAX_RANGES: usize = 50_000;

/// The most columns of a worksheet.
pub(super) const MAX_COLUMNS: u32 = 1 << 14;

/// The most rows of a worksheet.
pub(super) const MAX_ROWS: u32 = 1 << 20;

/// The bytes of two numbers, and of four, in an array.
const RANGE: usize = 24;

/// The width of a digit in the usual font, in pixels.
const DIGIT: f64 = 7.0;

/// The layout of a worksheet.
pub(super) struct Layout {
    frozen: (u32, u32),
    has_pane: bool,
    hides_gridlines: bool,
    pub(super) hides_zeros: bool,
    default_width: u32,
    columns: Vec<Columns>,
    hidden_rows: Vec<(u32, u32)>,
    /// First and last row, and the index of their cell format.
    row_formats: Vec<(u32, u32, usize)>,
    merges: Vec<Dimensions>,
    pub(super) omitted_merges: usize,
}

/// Columns beside each other with the same width.
struct Columns {
    first: u32,
    last: u32,
    width: Option<u32>,
    is_hidden: bool,
    format: Option<usize>,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            frozen: (0, 0),
            has_pane: false,
            hides_gridlines: false,
            hides_zeros: false,
            default_width: standard_width(8.0),
            columns: Vec::new(),
            hidden_rows: Vec::new(),
            row_formats: Vec::new(),
            merges: Vec::new(),
            omitted_merges: 0,
        }
    }
}

impl Layout {
    /// Takes an element before the cells.
    pub(super) fn element(&mut self, tag: &Tag<'_>) {
        let number = |name| decimal(tag.attribute(name)?);
        let is_off =
            |name| tag.attribute(name).is_some_and(|value| matches!(value, b"0" | b"false"));
        match tag.name {
            b"sheetView" => {
                self.hides_gridlines |= is_off(b"showGridLines");
                self.hides_zeros |= is_off(b"showZeros");
            }
            b"pane" if !self.has_pane => {
                self.has_pane = true;
                if matches!(tag.attribute(b"state"), Some(b"frozen" | b"frozenSplit")) {
                    let count =
                        |name, max: u32| number(name).unwrap_or(0.0).min(f64::from(max)) as u32;
                    self.frozen = (count(b"ySplit", MAX_ROWS), count(b"xSplit", MAX_COLUMNS));
                }
            }
            b"sheetFormatPr" => {
                self.default_width = match number(b"defaultColWidth") {
                    Some(width) => pixels(width),
                    None => standard_width(number(b"baseColWidth").unwrap_or(8.0)),
                };
            }
            b"col" if self.columns.len() < MAX_COLUMNS as usize => {
                let edge = |name| integer(tag.attribute(name)?)?.checked_sub(1);
                let Some((first, last)) = edge(b"min").zip(edge(b"max")) else { return };
                if first > last || first >= MAX_COLUMNS {
                    return;
                }
                self.columns.push(Columns {
                    first,
                    last: last.min(MAX_COLUMNS - 1),
                    width: number(b"width").map(pixels),
                    is_hidden: tag.attribute(b"hidden").is_some_and(is_true),
                    format: tag.attribute(b"style").and_then(integer).map(|index| index as usize),
                });
            }
            _ => {}
        }
    }

    /// Takes the beginning of a row.
    pub(super) fn row(&mut self, row: u32, tag: &Tag<'_>) {
        let has = |name| tag.attribute(name).is_some_and(is_true);
        if has(b"hidden") {
            let has_room = self.hidden_rows.len() < MAX_RANGES;
            match self.hidden_rows.last_mut() {
                Some((_, last)) if last.checked_add(1) == Some(row) => *last = row,
                _ if has_room => self.hidden_rows.push((row, row)),
                _ => {}
            }
        }
        if has(b"customFormat")
            && let Some(format) = tag.attribute(b"s").and_then(integer)
        {
            let format = format as usize;
            let has_room = self.row_formats.len() < MAX_RANGES;
            match self.row_formats.last_mut() {
                Some((_, last, known)) if last.checked_add(1) == Some(row) && *known == format => {
                    *last = row;
                }
                _ if has_room => {
                    self.row_formats.push((row, row, format));
                }
                _ => {}
            }
        }
    }

    pub(super) fn merge(&mut self, region: Dimensions, room: &mut Room) {
        let Dimensions { start, end } = region;
        let end = (end.0.min(MAX_ROWS - 1), end.1.min(MAX_COLUMNS - 1));
        if start.0 > end.0 || start.1 > end.1 {
            return;
        }
        let region = Dimensions { start, end };
        if self.merges.len() < MAX_MERGES && room.take(RANGE) {
            self.merges.push(region);
        } else {
            self.omitted_merges += 1;
        }
    }

    /// Writes the members of a sheet with a number of rows and columns. `style` returns the style id of a cell format
    /// that empty cells show, if it has one.
    pub(super) fn write(
        &self,
        sheet: &mut Object<'_>,
        rows: u32,
        columns: u32,
        room: &mut Room,
        mut style: impl FnMut(usize) -> Option<u32>,
    ) {
        let (frozen_rows, frozen_columns) = self.frozen;
        sheet.plain("frozen_rows", frozen_rows.min(rows));
        sheet.plain("frozen_columns", frozen_columns.min(columns));
        if self.hides_gridlines {
            sheet.plain("gridlines", false);
        }
        sheet.plain("default_width", self.default_width);
        push_list(sheet.member("widths"), self.widths(columns), |out, width| {
            _ = match width {
                Some(width) => write!(out, "{width}"),
                None => write!(out, "null"),
            };
        });
        push_list(sheet.member("merges"), &self.merges, |out, region| {
            let Dimensions { start, end } = region;
            _ = write!(out, "[{},{},{},{}]", start.0, start.1, end.0, end.1);
        });
        let used = |ranges: &[(u32, u32)], count: u32| -> Vec<(u32, u32)> {
            let used = ranges.iter().filter(|(first, _)| *first < count);
            used.map(|(first, last)| (*first, (*last).min(count - 1))).collect()
        };
        let hidden_columns = self.columns.iter().filter(|columns| columns.is_hidden);
        let hidden_columns: Vec<_> = hidden_columns.map(|it| (it.first, it.last)).collect();
        for (name, ranges) in [
            ("hidden_rows", used(&self.hidden_rows, rows)),
            ("hidden_columns", used(&hidden_columns, columns)),
        ] {
            let ranges: Vec<_> = ranges.into_iter().take_while(|_| room.take(RANGE)).collect();
            if !ranges.is_empty() {
                push_list(sheet.member(name), ranges, |out, (first, last)| {
                    _ = write!(out, "[{first},{last}]");
                });
            }
        }
        let of_columns = self.columns.iter().filter_map(|it| Some((it.first, it.last, it.format?)));
        let of_columns: Vec<_> = of_columns.collect();
        for (name, formats, count) in
            [("row_styles", &self.row_formats, rows), ("column_styles", &of_columns, columns)]
        {
            let used = formats.iter().filter(|(first, ..)| *first < count);
            let styled = used.filter_map(|(first, last, format)| {
                Some((*first, (*last).min(count - 1), style(*format)?))
            });
            let styled: Vec<_> = styled.take_while(|_| room.take(RANGE)).collect();
            if !styled.is_empty() {
                push_list(sheet.member(name), styled, |out, (first, last, style)| {
                    _ = write!(out, "[{first},{last},{style}]");
                });
            }
        }
    }

    /// Returns the widths of the first columns, without those at the end that have the default width.
    fn widths(&self, count: u32) -> Vec<Option<u32>> {
        let mut widths = vec![None; count as usize];
        // Overlapping entries would take long. Programs write none.
        let mut steps = 4 * MAX_COLUMNS as usize;
        for Columns { first, last, width, .. } in &self.columns {
            let end = (*last + 1).min(count) as usize;
            let Some(widths) = widths.get_mut(*first as usize..end) else { continue };
            let Some(left) = steps.checked_sub(widths.len()) else { break };
            steps = left;
            widths.fill(*width);
        }
        while widths.last() == Some(&None) {
            widths.pop();
        }
        widths
    }
}

fn decimal(text: &[u8]) -> Option<f64> {
    let number: f64 = unescaped(text).trim().parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(number)
}

/// Returns the width of a column in pixels. `width` is in characters and includes the margins of the cell.
fn pixels(width: f64) -> u32 {
    const MAX_WIDTH: f64 = 255.0;
    // ECMA-376 part 1, 18.3.1.13.
    ((256.0 * width.min(MAX_WIDTH) + (128.0 / DIGIT).trunc()) / 256.0 * DIGIT) as u32
}

/// Returns the width in pixels of columns that have room for a number of digits, between margins of 5 pixels.
/// Spreadsheets make it a multiple of 8.
fn standard_width(digits: f64) -> u32 {
    ((digits.min(255.0).trunc() * DIGIT + 5.0) / 8.0).ceil() as u32 * 8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xlsx::{Scanner, Token};

    fn layout(xml: &str) -> Layout {
        let mut layout = Layout::default();
        let mut scanner = Scanner::new(xml.as_bytes());
        let mut row = 0;
        while let Ok(Some(token)) = scanner.next() {
            match token {
                Token::Start(tag) if tag.name == b"row" => {
                    layout.row(row, &tag);
                    row += 1;
                }
                Token::Start(tag) => layout.element(&tag),
                _ => {}
            }
        }
        layout
    }

    fn written(layout: &Layout, rows: u32, columns: u32) -> String {
        let mut out = String::new();
        let mut object = Object::new(&mut out);
        layout.write(&mut object, rows, columns, &mut Room::new(10_000), |format| {
            Some(format as u32)
        });
        object.end();
        out
    }

    #[test]
    fn widths_are_pixels() {
        assert_eq!(pixels(9.140_625), 64);
        assert_eq!(pixels(20.0), 140);
        assert_eq!(pixels(1e9), 1785);
        assert_eq!(standard_width(8.0), 64);
        let layout = layout(
            "<sheetFormatPr defaultColWidth=\"10.7109375\"/><col min=\"1\" max=\"2\" width=\"5\"/>\
             <col min=\"4\" max=\"16384\" width=\"9.140625\" hidden=\"1\"/><col min=\"0\" max=\"x\"/><col min=\"9\" max=\"2\"/>",
        );
        assert_eq!(layout.default_width, 75);
        assert_eq!(layout.widths(6), [Some(35), Some(35), None, Some(64), Some(64), Some(64)]);
        assert_eq!(layout.widths(3), [Some(35), Some(35)]);
        assert!(written(&layout, 1, 6).contains("\"hidden_columns\":[[3,5]]"));
    }

    #[test]
    fn panes_rows_and_regions() {
        let mut layout = layout(
            "<sheetView showGridLines=\"0\"><pane ySplit=\"1\" xSplit=\"2\" state=\"frozen\"/><pane ySplit=\"9\" state=\"frozen\"/></sheetView>\
             <row hidden=\"1\"/><row hidden=\"true\"/><row s=\"7\" customFormat=\"1\"/><row s=\"8\"/><row hidden=\"1\"/><row hidden=\"1\"/>",
        );
        let mut room = Room::new(50);
        layout.merge(Dimensions::new((0, 0), (0, 3)), &mut room);
        layout.merge(Dimensions::new((5, 0), (0, 3)), &mut room);
        layout.merge(Dimensions::new((1, 0), (2, 3)), &mut room);
        layout.merge(Dimensions::new((1, 0), (2, 3)), &mut room);
        assert_eq!(layout.omitted_merges, 1);
        assert_eq!(
            written(&layout, 5, 4),
            "{\"frozen_rows\":1,\"frozen_columns\":2,\"gridlines\":false,\"default_width\":64,\"widths\":[],\
             \"merges\":[[0,0,0,3],[1,0,2,3]],\"hidden_rows\":[[0,1],[4,4]],\"row_styles\":[[2,2,7]]}"
        );
    }

    #[test]
    fn split_panes_are_not_frozen() {
        let layout = layout("<pane ySplit=\"1500\" state=\"split\"/><sheetView showZeros=\"0\"/>");
        assert_eq!(layout.frozen, (0, 0));
        assert!(layout.hides_zeros);
    }
}
