//! One stored value of a worksheet as an item.

use crate::columns::from_iso;
use crate::item::Item;
use calamine::{Data, ExcelDateTime};
use mitt_reader_kit::clean;
use mitt_reader_kit::tables::calendar::{Civil, DAY, days};

/// What became of a stored value.
#[derive(Clone)]
pub(crate) struct Value {
    pub(crate) item: Item,
    /// The value was one of Excel's errors, such as `#DIV/0!`.
    pub(crate) is_error: bool,
}

/// The item for a value that is stored in the workbook itself.
pub(crate) fn from_data(data: &Data) -> Value {
    match data {
        Data::Empty => plain(Item::Null),
        Data::Int(value) => plain(integer(*value)),
        Data::Float(value) => plain(number(*value)),
        Data::String(text) => plain(text_item(text)),
        Data::Bool(value) => plain(Item::Boolean(*value)),
        Data::DateTime(value) => plain(date_time(*value)),
        Data::DateTimeIso(text) => plain(from_iso(&tidy_iso_date(text))),
        Data::DurationIso(text) => plain(from_iso(&tidy_iso_duration(text))),
        Data::Error(kind) => Value { item: Item::text_of(&kind.to_string()), is_error: true },
    }
}

pub(crate) fn plain(item: Item) -> Value {
    Value { item, is_error: false }
}

pub(crate) fn text_item(text: &str) -> Item {
    // Nobody sees blanks around it: `East ` must be found where `East` is looked for, whatever the file's type.
    match clean(text).trim() {
        "" => Item::Null,
        text => Item::text_of(text),
    }
}

fn integer(value: i64) -> Item {
    // Beyond 15 digits only the text is exact.
    match value.unsigned_abs() < 1_000_000_000_000_000 {
        true => Item::Number { scale: 0, units: value.into() },
        false => Item::Lexeme(value.to_string().into()),
    }
}

fn number(value: f64) -> Item {
    if value.is_finite() { Item::number(value) } else { Item::text_of(&value.to_string()) }
}

/// The shortest decimal that is this binary number and no other, in JSON notation. `value` is finite.
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

/// A serial number with a date format: a date, a date with a time, a time of day, or a duration.
fn date_time(value: ExcelDateTime) -> Item {
    let serial = value.as_f64();
    let (year, month, day, hour, minute, second, milli) = value.to_ymd_hms_milli();
    // Excel shows `####` for what lies outside its calendar; the number is all there is.
    if !serial.is_finite() || !(0.0..2_958_466.0).contains(&serial) {
        return number(serial);
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

/// A date as the file has it, without a time that is midnight and without empty fractions of a second.
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

/// A duration of less than a day is a time of day: OpenDocument has one notation for both.
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
        assert_eq!(number(f64::NAN), Item::text_of("NaN"));
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
