//! Values of cells: numbers in Excel's form, dates as serial numbers.

use rust_xlsxwriter::ExcelDateTime;

use crate::model::workbook::{Block, CellConversion, ColumnMapping, Data, SheetCell};
use mitt_base::number::{held_by_cell, units_held_by_cell};
use mitt_table::{CellRef, Column, Values, parse_date};

/// Serial number of 1970-01-01.
const EPOCH: i32 = 25_569;
/// Days from 1970 to 1900-01-01, Excel's first day, and to 1900-03-01: Excel counts a 29 February 1900 that did not exist.
const FIRST_DAY: i32 = -25_567;
const FIRST_OF_MARCH: i32 = -25_508;
/// Microseconds of a day.
const DAY: i64 = 86_400_000_000;

/// Returns the number of rows of a block below its header.
pub(super) fn rows(block: &Block) -> usize {
    block.data.as_ref().map_or(0, |data| data.table.rows()).saturating_add(block.rows.len())
}

/// A cell in a chart.
pub(super) enum Cell<'a> {
    Empty,
    Number(f64),
    /// The serial number of a date.
    Date(f64),
    Text(&'a str),
}

/// Returns the cell in a row, from 0 below the header, and a column of a block. Writes the text of a number into `text`.
pub(super) fn cell<'a>(
    block: &'a Block,
    row: usize,
    column: usize,
    text: &'a mut String,
) -> Cell<'a> {
    let in_table = block.data.as_ref().map_or(0, |data| data.table.rows());
    match &block.data {
        Some(data) if row < in_table => table_cell(data, row, column, text),
        _ => match block.rows.get(row - in_table).and_then(|row| row.cells.get(column)) {
            Some(SheetCell::Number(lexeme)) => of_number(lexeme),
            Some(SheetCell::Date(text)) => serial_of(text).map_or(Cell::Empty, Cell::Date),
            Some(SheetCell::Text(text)) => Cell::Text(text),
            Some(SheetCell::Link(link)) => Cell::Text(&link.text),
            Some(SheetCell::Formula(formula)) => of_result(&formula.value),
            Some(SheetCell::Empty | SheetCell::Boolean(_)) | None => Cell::Empty,
        },
    }
}

fn table_cell<'a>(data: &'a Data, row: usize, column: usize, text: &'a mut String) -> Cell<'a> {
    let Some(ColumnMapping { column, how }) = data.columns.get(column) else { return Cell::Empty };
    let index = match how {
        CellConversion::Formula(Some(value)) => value,
        CellConversion::Formula(None) | CellConversion::Blank => return Cell::Empty,
        _ => column,
    };
    let Some(column) = data.table.column(*index as usize) else { return Cell::Empty };
    if let (CellConversion::AsIs, Some(serial)) = (how, serial_at(column, row)) {
        return Cell::Date(serial);
    }
    match column.cell(row, text) {
        CellRef::Number(lexeme) if *how != CellConversion::Text => of_number(lexeme),
        CellRef::Text(text) if *how == CellConversion::Date => {
            serial_of(text).map_or(Cell::Empty, Cell::Date)
        }
        CellRef::Text(text) if *how == CellConversion::Link => Cell::Text(link_of(text).1),
        CellRef::Text(text) if matches!(how, CellConversion::Formula(_)) => of_result(text),
        CellRef::Number(text) | CellRef::Text(text) => Cell::Text(text),
        CellRef::Null | CellRef::Boolean(_) => Cell::Empty,
    }
}

fn of_number(lexeme: &str) -> Cell<'_> {
    held_by_cell(lexeme).map_or(Cell::Text(lexeme), Cell::Number)
}

fn of_result(text: &str) -> Cell<'_> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Cell::Number(number),
        _ if text.is_empty() => Cell::Empty,
        _ => Cell::Text(text),
    }
}

/// Returns the serial number of a cell in a column of dates, times or dates with time; `None` for other columns, and for
/// values that Excel does not support.
pub(super) fn serial_at(column: &Column, row: usize) -> Option<f64> {
    let (values, start) = column.values();
    match values {
        _ if !column.is_valid(row) => None,
        Values::Dates(days) => day_number(days[start + row]).map(f64::from),
        Values::Times(micros) => Some(part_of_day(micros[start + row])),
        Values::DateTimes(micros) => date_time_number(micros[start + row]),
        _ => None,
    }
}

/// Converts days since 1970 to Excel's serial number.
pub(super) fn day_number(days: i32) -> Option<i32> {
    let number = days.checked_add(EPOCH)? - i32::from(days < FIRST_OF_MARCH);
    (days >= FIRST_DAY).then_some(number)
}

/// Converts microseconds since midnight to a fraction of a day.
#[expect(
    clippy::cast_precision_loss,
    reason = "a day has fewer microseconds than a float has steps"
)]
pub(super) fn part_of_day(micros: i64) -> f64 {
    micros as f64 / DAY as f64
}

/// Converts microseconds since 1970 to Excel's serial number.
pub(super) fn date_time_number(micros: i64) -> Option<f64> {
    let days = i32::try_from(micros.div_euclid(DAY)).ok()?;
    Some(f64::from(day_number(days)?) + part_of_day(micros.rem_euclid(DAY)))
}

/// Returns the serial number of an ISO 8601 date with an optional time.
pub(super) fn serial_of(text: &str) -> Option<f64> {
    if let Some(days) = parse_date(text) {
        return day_number(days).map(f64::from);
    }
    let date = is_date_shaped(text).then(|| ExcelDateTime::parse_from_str(text).ok());
    date.flatten().map(|date| date.to_excel())
}

/// Returns `true` for a date, or a date and a time of day. The writer would put a time alone into the year 1900, and the
/// 25th hour into the next day. A time zone is allowed without effect: Excel has none, and shows the local time.
fn is_date_shaped(text: &str) -> bool {
    let number = |part: Option<&str>, most: u32| {
        part.is_some_and(|part| {
            part.bytes().all(|b| b.is_ascii_digit()) && part.parse().is_ok_and(|n: u32| n <= most)
        })
    };
    // Excel has no dates before 1900; the digits compare like numbers.
    let is_date = number(text.get(0..4), 9_999)
        && text >= "1900"
        && number(text.get(5..7), 12)
        && number(text.get(8..10), 31)
        && text.get(4..5) == Some("-")
        && text.get(7..8) == Some("-");
    let Some(time) = text.get(10..).filter(|_| is_date) else { return false };
    if time.is_empty() {
        return true;
    }
    let is_clock = |clock: &str, most: u32| {
        number(clock.get(0..2), most) && clock.get(2..3) == Some(":") && number(clock.get(3..5), 59)
    };
    let Some(clock) = time.strip_prefix(['T', ' ']).filter(|clock| is_clock(clock, 23)) else {
        return false;
    };
    let mut rest = &clock[5..];
    if let Some(seconds) = rest.strip_prefix(':') {
        if !number(seconds.get(0..2), 59) {
            return false;
        }
        rest = &seconds[2..];
        if let Some(fraction) = rest.strip_prefix('.') {
            let end = fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
            if !(1..=9).contains(&end) {
                return false;
            }
            rest = &fraction[end..];
        }
    }
    matches!(rest, "" | "Z")
        || rest.strip_prefix(['+', '-']).is_some_and(|zone| zone.len() == 5 && is_clock(zone, 14))
}

/// Writes a decimal. Returns `false` if a cell cannot hold it.
#[inline]
pub(super) fn push_units(out: &mut String, mut units: i64, mut scale: u8) -> bool {
    while scale > 0 && units % 10 == 0 {
        (units, scale) = (units / 10, scale - 1);
    }
    let mut rest = units.unsigned_abs();
    if !units_held_by_cell(units, scale) {
        return false;
    }
    let mut buffer = [b'0'; 24];
    let mut at = buffer.len();
    let point = buffer.len() - usize::from(scale);
    while rest > 0 || at + 1 > point {
        if at == point && scale > 0 {
            break;
        }
        at -= 1;
        buffer[at] = b'0' + u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
    }
    if units < 0 {
        out.push('-');
    }
    if scale == 0 {
        return push_ascii(out, &buffer[at..]);
    }
    let mut whole = [b'0'; 24];
    let mut start = whole.len();
    loop {
        start -= 1;
        whole[start] = b'0' + u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    push_ascii(out, &whole[start..]);
    out.push('.');
    push_ascii(out, &buffer[at..])
}

fn push_ascii(out: &mut String, digits: &[u8]) -> bool {
    out.push_str(std::str::from_utf8(digits).unwrap_or_default());
    true
}

/// Returns address and shown text of a link: `[shown](address)`, or the address alone.
pub(super) fn link_of(text: &str) -> (&str, &str) {
    let text = text.trim();
    let parts = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(')'))
        .and_then(|rest| rest.split_once("]("));
    match parts {
        Some((shown, url)) if !shown.is_empty() => (url, shown),
        Some((_, url)) => (url, url),
        None => (text, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_excel_would_round_stay_text() {
        for (lexeme, number) in [
            ("0", Some(0.0)),
            ("-0.05", Some(-0.05)),
            ("123456789012345", Some(123_456_789_012_345.0)),
            ("1234567890123456", None),
            ("1200000000000000000", Some(1.2e18)),
            ("0.00000000000000012", Some(1.2e-16)),
            ("1.2e3", Some(1200.0)),
            ("1e999", None),
            ("0.3333333333333333", Some(1.0 / 3.0)),
        ] {
            match (of_number(lexeme), number) {
                (Cell::Number(found), Some(number)) => assert_eq!(found, number, "{lexeme}"),
                (Cell::Text(text), None) => assert_eq!(text, lexeme),
                _ => panic!("{lexeme}"),
            }
        }
    }

    #[test]
    fn decimals_are_written_as_they_are() {
        for (units, scale, expected) in [
            (0, 0, Some("0")),
            (0, 2, Some("0")),
            (7, 0, Some("7")),
            (-5, 2, Some("-0.05")),
            (1250, 2, Some("12.5")),
            (-1200, 2, Some("-12")),
            (100, 0, Some("100")),
            (123_456_789_012_345, 3, Some("123456789012.345")),
            (1_234_567_890_123_456, 3, Some("1234567890123.456")),
            (3_333_333_333_333_333, 16, Some("0.3333333333333333")),
            (-14_285_714_285_714_286, 15, Some("-14.285714285714286")),
            (30_000_000_000_000_004, 17, Some("0.30000000000000004")),
            (12_345_678_901_234_567, 17, None),
            (1_234_567_890_123_456, 0, None),
            (12_345_678_901_234_560, 1, None),
            (1_200_000_000_000_000_000, 0, Some("1200000000000000000")),
            (i64::MIN, 0, None),
            (12, 18, Some("0.000000000000000012")),
        ] {
            let mut text = String::new();
            let written = push_units(&mut text, units, scale);
            assert_eq!(written.then_some(text.as_str()), expected, "{units} {scale}");
        }
    }

    #[test]
    fn days_of_excel() {
        for (text, serial) in [
            ("1900-01-01", Some(1.0)),
            ("1900-02-28", Some(59.0)),
            ("1900-03-01", Some(61.0)),
            ("2024-12-31", Some(45_657.0)),
            ("9999-12-31", Some(2_958_465.0)),
            ("1899-12-31", None),
            ("2024-12-31T12:00:00", Some(45_657.5)),
            ("1900-01-01 06:00", Some(1.25)),
            ("1899-12-31T06:00", None),
        ] {
            assert_eq!(serial_of(text), serial, "{text}");
        }
        assert_eq!(
            date_time_number(mitt_table::parse_date_time("1900-01-01T06:00:00").unwrap()),
            Some(1.25)
        );
        assert_eq!(
            date_time_number(mitt_table::parse_date_time("1899-12-31T06:00:00").unwrap()),
            None
        );
    }

    #[test]
    fn links_have_an_address_and_a_text() {
        for (text, expected) in [
            ("https://a.b/", ("https://a.b/", "https://a.b/")),
            (" [甲](https://a.b/) ", ("https://a.b/", "甲")),
            ("[](https://a.b/)", ("https://a.b/", "https://a.b/")),
            ("[a] (b)", ("[a] (b)", "[a] (b)")),
        ] {
            assert_eq!(link_of(text), expected, "{text}");
        }
    }
}
