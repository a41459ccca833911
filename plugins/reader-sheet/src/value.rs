//! Converts a stored value of a worksheet to an item.

use crate::columns::from_iso;
use crate::item::Item;
use calamine::{Data, ExcelDateTime};
use mitt_reader_kit::clean;
use mitt_reader_kit::scripts::{Script, Scripted};
use mitt_reader_kit::tables::calendar::{Civil, DAY, days};

#[derive(Clone)]
pub(crate) struct Value {
    pub(crate) item: Item,
    /// `true` if it is an Excel error such as `#DIV/0!`.
    pub(crate) is_error: bool,
    /// `true` for a whole number with so many digits that its float may represent other numbers too.
    pub(crate) is_rounded: bool,
}

/// Range of the whole numbers that Excel rounds and that may be identifiers.
const LONG: std::ops::Range<f64> = 1e15..1e20;

/// Returns the item of a value that is stored in the workbook.
pub(crate) fn from_data(data: &Data) -> Value {
    match data {
        Data::Empty => plain(Item::Null),
        Data::Int(value) => plain(integer(*value)),
        Data::Float(value) => number(*value),
        Data::String(text) => plain(text_item(text)),
        Data::Bool(value) => plain(Item::Boolean(*value)),
        Data::DateTime(value) => plain(date_time(*value)),
        Data::DateTimeIso(text) => plain(from_iso(&tidy_iso_date(text))),
        Data::DurationIso(text) => plain(from_iso(&tidy_iso_duration(text))),
        Data::Error(kind) => error_text(&kind.to_string()),
    }
}

pub(crate) fn plain(item: Item) -> Value {
    Value { item, is_error: false, is_rounded: false }
}

pub(crate) fn error_text(text: &str) -> Value {
    Value { is_error: true, ..plain(text_item(text)) }
}

pub(crate) fn text_item(text: &str) -> Item {
    // Blanks around text are invisible: `East ` must be found as `East` in every format.
    match clean(text).trim() {
        "" => Item::Null,
        text => Item::text_of(text),
    }
}

/// Returns text with its superscripts and subscripts marked. Each part has its start in UTF-16 units.
pub(crate) fn in_scripts(
    text: &str,
    runs: impl Iterator<Item = (usize, Option<Script>)>,
) -> String {
    let mut runs = runs.peekable();
    let mut out = Scripted::default();
    let (mut script, mut start, mut units) = (None, 0, 0);
    for (at, character) in text.char_indices() {
        while let Some((_, next)) = runs.next_if(|(from, _)| *from <= units) {
            if next != script {
                out.push(&text[start..at], script);
                (script, start) = (next, at);
            }
        }
        units += character.len_utf16();
    }
    out.push(&text[start..], script);
    out.finish()
}

fn integer(value: i64) -> Item {
    // With more than 15 digits, only the text is exact.
    if value.unsigned_abs() < 1_000_000_000_000_000 {
        Item::Number { scale: 0, units: value.into() }
    } else {
        Item::Lexeme(value.to_string().into())
    }
}

/// Returns the value of a number that the file has as a float.
pub(crate) fn number(value: f64) -> Value {
    if !value.is_finite() {
        return plain(Item::text_of(&value.to_string()));
    }
    let is_rounded = LONG.contains(&value.abs()) && value.fract() == 0.0;
    Value { is_rounded, ..plain(Item::number(value)) }
}

/// Returns the value of a number that the file has as text, or `None` if it is not a number.
///
/// Programs write floats with up to 17 digits: `0.1` becomes `0.10000000000000001`. Such a text gets the shortest
/// decimal of its float. All other digits stay as they are, because they do not come from a float.
pub(crate) fn from_digits(text: &str) -> Option<Value> {
    let text = text.trim_ascii();
    let float: f64 = text.parse().ok()?;
    if !float.is_finite() {
        return Some(plain(text_item(text)));
    }
    let Some(digits) = Digits::of(text) else { return Some(number(float)) };
    if digits.is_whole && !digits.has_exponent {
        return Some(plain(Item::decimal(&digits.text())));
    }
    if digits.significant.len() <= MAX_SHORT_DIGITS || digits.are_of(float) {
        return Some(number(float));
    }
    Some(plain(Item::decimal(&digits.text())))
}

/// Every decimal with at most this many digits is the shortest one of its float.
const MAX_SHORT_DIGITS: usize = 15;

/// The longest text of a number, from `decimal` of the contract.
const MAX_LENGTH: usize = 64;

/// The digits of a number.
struct Digits<'a> {
    text: &'a str,
    /// The digits without zeros at both ends.
    significant: String,
    is_whole: bool,
    has_exponent: bool,
}

impl<'a> Digits<'a> {
    /// Returns the digits, or `None` if the text is not a number in JSON notation or is too long.
    fn of(text: &'a str) -> Option<Self> {
        let text = text.strip_prefix('+').unwrap_or(text);
        let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
        let unsigned = mantissa.strip_prefix('-').unwrap_or(mantissa);
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let is_number = !whole.is_empty()
            && whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit());
        if !is_number || text.len() > MAX_LENGTH {
            return None;
        }
        let significant = [whole, fraction].concat().trim_matches('0').to_owned();
        Some(Self {
            text,
            significant,
            is_whole: fraction.bytes().all(|byte| byte == b'0'),
            has_exponent: mantissa.len() < text.len(),
        })
    }

    /// Returns whether a program that writes the float with this many digits writes these digits.
    fn are_of(&self, float: f64) -> bool {
        let written = format!("{:.*e}", self.significant.len().saturating_sub(1), float.abs());
        let mantissa = written.split('e').next().unwrap_or_default();
        mantissa.bytes().filter(|byte| *byte != b'.').eq(self.significant.bytes())
    }

    /// Returns the number in JSON notation, without leading zeros and without zeros at the end of a fraction.
    fn text(&self) -> String {
        match self.text.split_once('.').filter(|_| self.is_whole && !self.has_exponent) {
            Some((whole, _)) => without_leading_zeros(whole),
            None => without_leading_zeros(self.text),
        }
    }
}

fn without_leading_zeros(text: &str) -> String {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    let digits = digits.trim_start_matches('0');
    match digits.bytes().next() {
        None => "0".to_owned(),
        Some(b'0'..=b'9') => format!("{sign}{digits}"),
        Some(_) => format!("{sign}0{digits}"),
    }
}

/// Returns the shortest decimal of this float and no other, in JSON notation. `value` is finite.
pub(crate) fn lexeme(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        "0".to_owned()
    } else if !(1e-6..1e21).contains(&size) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}

/// Converts a serial number with a date format: a date, a date with a time, a time of day, or a duration.
pub(crate) fn date_time(value: ExcelDateTime) -> Item {
    let serial = value.as_f64();
    let (year, month, day, hour, minute, second, milli) = value.to_ymd_hms_milli();
    // Excel shows `####` for numbers outside its calendar, so only the number is left.
    if !serial.is_finite() || !(0.0..2_958_466.0).contains(&serial) {
        return number(serial).item;
    }
    let seconds = (i64::from(hour) * 60 + i64::from(minute)) * 60 + i64::from(second);
    let micros = seconds * 1_000_000 + i64::from(milli) * 1_000;
    if value.is_duration() && serial >= 1.0 {
        return Item::text_of(&duration(serial));
    }
    // Only the 1904 calendar has a day 0.
    if value.is_duration() || serial < 1.0 && (serial > 0.0 || year != 1904) {
        return Item::Time(micros.into());
    }
    let civil = Civil { year: year.into(), month: month.into(), day: day.into() };
    match micros {
        0 => Item::Date(days(civil)),
        _ => Item::DateTime((i64::from(days(civil)) * DAY + micros).into()),
    }
}

fn clock(hour: u64, minute: u8, second: u8, milli: u16) -> String {
    match milli {
        0 => format!("{hour:02}:{minute:02}:{second:02}"),
        _ => format!("{hour:02}:{minute:02}:{second:02}.{milli:03}"),
    }
}

fn duration(days: f64) -> String {
    let millis = (days * 86_400_000.0).round() as u64;
    let (hours, minutes, seconds, milli) =
        (millis / 3_600_000, millis / 60_000 % 60, millis / 1000 % 60, millis % 1000);
    match milli {
        0 => format!("PT{hours}H{minutes}M{seconds}S"),
        _ => format!("PT{hours}H{minutes}M{seconds}.{milli:03}S"),
    }
}

/// Returns a date as in the file, without a time at midnight and without zero fractions of a second.
fn tidy_iso_date(text: &str) -> String {
    let text = clean(text.trim());
    let Some((date, time)) = text.split_once('T') else { return text };
    let (time, zone) = match time.strip_suffix('Z') {
        Some(time) => (time, "Z"),
        None => (time, ""),
    };
    let time = match time.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|byte| byte == b'0') => whole,
        _ => time,
    };
    if matches!(time, "00:00:00" | "00:00") {
        date.to_owned()
    } else {
        format!("{date}T{time}{zone}")
    }
}

/// Returns a duration under a day as a time of day, because OpenDocument has one notation for both.
fn tidy_iso_duration(text: &str) -> String {
    let text = clean(text.trim());
    parse_clock(&text).unwrap_or(text)
}

fn parse_clock(text: &str) -> Option<String> {
    let (hours, rest) = text.strip_prefix("PT")?.split_once('H')?;
    let (minutes, rest) = rest.split_once('M')?;
    let seconds = rest.strip_suffix('S')?;
    let (seconds, fraction) = seconds.split_once(['.', ',']).unwrap_or((seconds, ""));
    let hours: u64 = hours.parse().ok().filter(|hours| *hours < 24)?;
    let milli = match fraction.trim_end_matches('0') {
        "" => 0,
        digits => format!("{digits:0<3}").get(..3)?.parse().ok()?,
    };
    Some(clock(hours, minutes.parse().ok()?, seconds.parse().ok()?, milli))
}

#[cfg(test)]
mod tests {
    use super::*;
    use calamine::{CellErrorType, ExcelDateTimeType};

    #[test]
    fn numbers_are_the_shortest_exact_lexeme() {
        let check = |value: f64, expected: &str| assert_eq!(lexeme(value), expected);
        check(0.0, "0");
        check(-0.0, "0");
        check(0.1, "0.1");
        check(0.1 + 0.2, "0.30000000000000004");
        check(1234.5, "1234.5");
        check(42.0, "42");
        check(-7.0, "-7");
        check(1e20, "100000000000000000000");
        check(1e21, "1e21");
        check(1.5e-7, "1.5e-7");
        check(f64::MAX, "1.7976931348623157e308");
        assert_eq!(number(f64::NAN).item, Item::text_of("NaN"));
    }

    #[test]
    fn digits_that_stand_in_the_file_are_kept() {
        for (text, expected) in [
            ("123456789012345678", "123456789012345678"),
            ("123456789012345679", "123456789012345679"),
            ("-9007199254740993", "-9007199254740993"),
            ("9007199254740993.0", "9007199254740993"),
            ("18446744073709551616", "18446744073709551616"),
            ("00123456789012345678", "123456789012345678"),
            ("1234567890123456.78", "1234567890123456.78"),
            ("0.123456789012345678901", "0.123456789012345678901"),
            (".5", "0.5"),
            ("+5", "5"),
            ("000", "0"),
            // These floats have more digits than necessary.
            ("0.10000000000000001", "0.1"),
            ("0.30000000000000004", "0.30000000000000004"),
            ("1.1000000000000001", "1.1"),
            ("33.333333333333336", "33.333333333333336"),
            ("0.1000000000000000055511151231257827", "0.1"),
            ("4.7619047619047616E-1", "0.47619047619047616"),
            ("0.47619047619047616", "0.47619047619047616"),
            ("1.2345678901234568E+17", "123456789012345680"),
            ("3.0335E-6", "0.0000030335"),
            ("1E400", "1E400"),
            ("1e-400", "0"),
            ("1e5", "100000"),
        ] {
            assert_eq!(from_digits(text).unwrap().item.text(), expected, "{text}");
        }
        for text in ["", "-", "abc", "1,5", "0x10", "1e", "--1"] {
            assert!(from_digits(text).is_none(), "{text}");
        }
        let endless = "9".repeat(400);
        assert_eq!(from_digits(&endless).unwrap().item, Item::text_of(&endless));
    }

    #[test]
    fn whole_numbers_that_a_float_may_have_rounded_are_marked() {
        for (value, is_rounded) in [
            (number(123_456_789_012_345_680.0), true),
            (number(1e15), true),
            (number(999_999_999_999_999.0), false),
            (number(6.022e23), false),
            (number(0.1 + 0.2), false),
            (from_digits("1.2345678901234568E+17").unwrap(), true),
            (from_digits("123456789012345678").unwrap(), false),
        ] {
            assert_eq!(value.is_rounded, is_rounded, "{}", value.item.text());
        }
    }

    #[test]
    fn runs_of_fonts_count_in_utf_16() {
        let up = Some(Script::Above);
        let runs =
            |runs: &[(usize, Option<Script>)]| in_scripts("😀 10610 t", runs.iter().copied());
        assert_eq!(runs(&[(5, up), (8, None)]), "😀 10⁶¹⁰ t");
        assert_eq!(runs(&[(0, None), (5, up), (6, None)]), "😀 10⁶10 t");
        assert_eq!(runs(&[(99, up)]), "😀 10610 t");
        assert_eq!(runs(&[]), "😀 10610 t");
    }

    #[test]
    fn serial_numbers_are_dates() {
        let check = |serial: f64, kind, is_1904, expected: &str| {
            let found = date_time(ExcelDateTime::new(serial, kind, is_1904));
            assert!(found.is_text(), "{serial}");
            assert_eq!(found.text(), expected);
        };
        let date = ExcelDateTimeType::DateTime;
        check(45_657.0, date, false, "2024-12-31");
        check(45_657.354_166_666_664, date, false, "2024-12-31T08:30:00");
        check(44_195.0, date, true, "2024-12-31");
        check(0.0, date, true, "1904-01-01");
        check(1.0, date, false, "1900-01-01");
        check(0.5, date, false, "12:00:00");
        check(2_958_465.0, date, false, "9999-12-31");
        check(0.25, ExcelDateTimeType::TimeDelta, false, "06:00:00");
        check(1.5, ExcelDateTimeType::TimeDelta, false, "PT36H0M0S");
        assert_eq!(date_time(ExcelDateTime::new(-1.0, date, false)), Item::number(-1.0));
        assert_eq!(date_time(ExcelDateTime::new(3e6, date, false)), Item::number(3e6));
    }

    #[test]
    fn iso_dates_lose_what_says_nothing() {
        assert_eq!(tidy_iso_date("2024-12-31T00:00:00.000Z"), "2024-12-31");
        assert_eq!(tidy_iso_date("2024-12-31T08:30:00.000"), "2024-12-31T08:30:00");
        assert_eq!(tidy_iso_date("2024-12-31"), "2024-12-31");
        assert_eq!(tidy_iso_duration("PT08H30M00S"), "08:30:00");
        assert_eq!(tidy_iso_duration("PT08H30M00.5S"), "08:30:00.500");
        assert_eq!(tidy_iso_duration("PT36H00M00S"), "PT36H00M00S");
    }

    #[test]
    fn errors_are_text_and_said_to_be_errors() {
        let value = from_data(&Data::Error(CellErrorType::Div0));
        assert_eq!(value.item, Item::text_of("#DIV/0!"));
        assert!(value.is_error);
        assert_eq!(from_data(&Data::String(" \u{0}".into())).item, Item::Null);
    }
}
