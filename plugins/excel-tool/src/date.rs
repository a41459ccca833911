//! Converts ISO 8601 dates to Excel's serial numbers.

use mitt_guest::tables::calendar::{self, Civil};
use rust_decimal::Decimal;

/// A date with an optional time of day. Excel knows no time zones.
#[derive(Debug, PartialEq)]
pub(crate) struct Date {
    /// Microseconds since 1970-01-01T00:00:00.
    pub(crate) micros: i64,
    /// Days since 1899-12-31, with the time of day as a fraction.
    pub(crate) serial: Decimal,
    /// `true` if the time is not midnight.
    pub(crate) has_time: bool,
}

/// Parses a date of the years 1900 to 9999. A time may follow after `T` or a space; its seconds are optional.
pub(crate) fn parse(text: &str) -> Option<Date> {
    let text = text.trim();
    let (day, time) = match text.get(10..) {
        Some("") => (text, None),
        Some(rest) => (text.get(..10)?, Some(rest.strip_prefix(['T', 't', ' '])?)),
        None => return None,
    };
    let mut parts = day.split('-');
    let (year, month, date) =
        (field(parts.next()?, 4)?, field(parts.next()?, 2)?, field(parts.next()?, 2)?);
    if parts.next().is_some() || !(1900..=9999).contains(&year) || !(1..=12).contains(&month) {
        return None;
    }
    if date < 1 || date > days_in_month(year, month) {
        return None;
    }
    let ms = match time {
        Some(time) => milliseconds(time)?,
        None => 0,
    };
    let day = calendar::days(Civil { year: year as i32, month: month as u32, day: date as u32 });
    Some(Date {
        micros: i64::from(day) * calendar::DAY + ms * 1000,
        serial: serial(day, ms * 1000),
        has_time: ms != 0,
    })
}

fn field(text: &str, width: usize) -> Option<i64> {
    let digits = text.len() == width && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

/// Parses `08:30`, `08:30:00` or `08:30:00.250`. Excel keeps no finer fractions.
fn milliseconds(time: &str) -> Option<i64> {
    let (time, fraction) = match time.split_once('.') {
        Some((time, fraction)) => (time, Some(fraction)),
        None => (time, None),
    };
    let mut parts = time.split(':');
    let (hour, minute) = (field(parts.next()?, 2)?, field(parts.next()?, 2)?);
    let second = parts.next().map(|text| field(text, 2));
    if parts.next().is_some() || (fraction.is_some() && second.is_none()) {
        return None;
    }
    let second = match second {
        Some(second) => second?,
        None => 0,
    };
    let ms = match fraction {
        Some(digits) if (1..=3).contains(&digits.len()) => field(&format!("{digits:0<3}"), 3)?,
        Some(_) => return None,
        None => 0,
    };
    (hour < 24 && minute < 60 && second < 60)
        .then_some(((hour * 60 + minute) * 60 + second) * 1000 + ms)
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Returns the serial number of days since 1970 and microseconds of that day.
pub(crate) fn serial(day: i32, micros: i64) -> Decimal {
    // 1970-01-01 is day 25 569. Excel counts 1900-02-29, which did not exist.
    let days = i64::from(day) + 25_569 - i64::from(day < -25_508);
    (Decimal::from(days) + part_of_day(micros)).normalize()
}

/// Returns microseconds since midnight as a fraction of a day.
pub(crate) fn part_of_day(micros: i64) -> Decimal {
    (Decimal::from(micros) / Decimal::from(calendar::DAY)).normalize()
}

#[cfg(test)]
mod tests {
    use super::parse;
    use mitt_guest::tables::calendar::date_time_text;

    fn shown(micros: i64) -> String {
        date_time_text(micros).replace("T00:00:00", "")
    }

    #[test]
    fn dates_of_excel() {
        for (text, expected) in [
            ("1900-01-01", ("1900-01-01", "1", false)),
            ("1900-02-28", ("1900-02-28", "59", false)),
            ("1900-03-01", ("1900-03-01", "61", false)),
            ("2024-12-31", ("2024-12-31", "45657", false)),
            ("2024-02-29T00:00:00", ("2024-02-29", "45351", false)),
            ("2024-12-31T12:00", ("2024-12-31T12:00:00", "45657.5", true)),
            (
                "2024-12-31 08:30:00",
                ("2024-12-31T08:30:00", "45657.354166666666666666666667", true),
            ),
            (
                "2024-12-31T18:00:00.5",
                ("2024-12-31T18:00:00.5", "45657.750005787037037037037037", true),
            ),
            ("9999-12-31", ("9999-12-31", "2958465", false)),
        ] {
            let date = parse(text).unwrap_or_else(|| panic!("{text} is a date"));
            assert_eq!(
                (shown(date.micros).as_str(), date.serial.to_string().as_str(), date.has_time),
                expected
            );
        }
    }

    #[test]
    fn what_is_no_date() {
        for text in [
            "",
            "2024",
            "2024-12",
            "2024-13-01",
            "2023-02-29",
            "1900-02-29",
            "1899-12-31",
            "2024-1-1",
            "2024/12/31",
            "2024-12-31T",
            "2024-12-31T24:00",
            "2024-12-31T08:30:00Z",
            "2024-12-31T08:30:00+08:00",
            "2024-12-3１",
            "2024-12-31T08:30:00.1234",
            "2024-12-31T08:30.5",
            "+024-12-31",
            "2024-12-31x",
            "二〇二四年十二月",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
