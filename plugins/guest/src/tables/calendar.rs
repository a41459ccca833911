//! Converts dates and times between ISO 8601 and the numbers in columns. Days are counted from 1970-01-01 in the proleptic
//! Gregorian calendar, with Howard Hinnant's algorithms ("chrono-Compatible Low-Level Date Algorithms").
//!
//! Texts must have exactly the form that the host writes. Knows no time zones.

use std::fmt::Write as _;

/// Microseconds of a day.
pub const DAY: i64 = 86_400_000_000;

/// A day of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Civil {
    /// From 0 to 9999.
    pub year: i32,
    /// From 1 to 12.
    pub month: u32,
    /// From 1 to 31.
    pub day: u32,
}

/// Returns the days since 1970-01-01 of a day that exists.
pub fn days(civil: Civil) -> i32 {
    let year = civil.year - i32::from(civil.month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let shifted_month = if civil.month > 2 { civil.month - 3 } else { civil.month + 9 } as i32;
    let day_of_year = (153 * shifted_month + 2) / 5 + civil.day as i32 - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Returns the day of the calendar for days since 1970-01-01.
pub fn civil(days: i32) -> Civil {
    // A day outside the years that columns may hold must not overflow.
    let shifted = days.saturating_add(719_468);
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    Civil {
        year: year_of_era + era * 400 + i32::from(month <= 2),
        month: month as u32,
        day: (day_of_year - (153 * shifted_month + 2) / 5 + 1) as u32,
    }
}

/// Returns the days since 1970-01-01 for microseconds since 1970-01-01T00:00:00.
pub fn day_of(micros: i64) -> i32 {
    i32::try_from(micros.div_euclid(DAY)).unwrap_or_default()
}

/// Returns the day of the week: Monday is 1, Sunday is 7.
pub fn weekday(days: i32) -> u32 {
    // 1970-01-01 was a Thursday.
    (i64::from(days) + 3).rem_euclid(7) as u32 + 1
}

/// Returns year and number of the week in ISO 8601: week 1 has the first Thursday of the year.
pub fn iso_week(days: i32) -> (i32, u32) {
    let thursday = days.saturating_add(4 - weekday(days) as i32);
    let year = civil(thursday).year;
    let first = self::days(Civil { year, month: 1, day: 1 });
    (year, (thursday.saturating_sub(first) / 7 + 1) as u32)
}

/// Parses `2024-12-31` to days since 1970-01-01. `None` for another form or a day that does not exist.
pub fn parse_date(text: &str) -> Option<i32> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *text.as_bytes() else { return None };
    let year = number(&[y1, y2, y3, y4])? as i32;
    let (month, day) = (number(&[m1, m2])?, number(&[d1, d2])?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let wanted = Civil { year, month, day };
    let found = days(wanted);
    (civil(found) == wanted).then_some(found)
}

/// Parses `08:30:00` to microseconds since midnight. A fraction of one to six digits may follow.
pub fn parse_time(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_at_checked(8)?;
    let [h1, h2, b':', m1, m2, b':', s1, s2] = *whole.as_bytes() else { return None };
    let (hour, minute, second) = (number(&[h1, h2])?, number(&[m1, m2])?, number(&[s1, s2])?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let micros = match fraction.as_bytes() {
        [] => 0,
        [b'.', digits @ ..] if (1..=6).contains(&digits.len()) => {
            number(digits)? * 10u32.pow(6 - digits.len() as u32)
        }
        _ => return None,
    };
    Some(i64::from(hour * 3_600 + minute * 60 + second) * 1_000_000 + i64::from(micros))
}

/// Parses `2024-12-31T08:30:00` to microseconds since 1970-01-01T00:00:00. A fraction may follow.
pub fn parse_date_time(text: &str) -> Option<i64> {
    let (date, time) = text.split_at_checked(10)?;
    Some(i64::from(parse_date(date)?) * DAY + parse_time(time.strip_prefix('T')?)?)
}

/// Returns days since 1970-01-01 as `2024-12-31`.
pub fn date_text(days: i32) -> String {
    let Civil { year, month, day } = civil(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Returns microseconds since midnight as `08:30:00` or `08:30:00.25`.
pub fn time_text(micros: i64) -> String {
    let seconds = micros / 1_000_000;
    let mut text = format!("{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60);
    let fraction = micros % 1_000_000;
    if fraction > 0 {
        // Writing to a `String` cannot fail.
        let _ = write!(text, ".{fraction:06}");
        text.truncate(text.trim_end_matches('0').len());
    }
    text
}

/// Returns microseconds since 1970-01-01T00:00:00 as `2024-12-31T08:30:00`.
pub fn date_time_text(micros: i64) -> String {
    format!("{}T{}", date_text(day_of(micros)), time_text(micros.rem_euclid(DAY)))
}

fn number(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |number, digit| {
        digit.is_ascii_digit().then(|| number * 10 + u32::from(digit - b'0'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_and_written() {
        for (text, wanted) in [
            ("1970-01-01", Some(0)),
            ("1969-12-31", Some(-1)),
            ("2024-02-29", Some(19_782)),
            ("0000-01-01", Some(-719_528)),
            ("9999-12-31", Some(2_932_896)),
            ("2023-02-29", None),
            ("2024-13-01", None),
            ("2024-00-10", None),
            ("2024-1-1", None),
            ("2024-01-00", None),
            (" 2024-01-01", None),
        ] {
            assert_eq!(parse_date(text), wanted, "{text}");
            assert!(wanted.is_none_or(|days| date_text(days) == text), "{text}");
        }
        for day in (-719_528..=2_932_896).step_by(97) {
            assert_eq!(days(civil(day)), day);
            assert_eq!(parse_date(&date_text(day)), Some(day));
        }
    }

    #[test]
    fn times_are_read_and_written() {
        for (text, wanted) in [
            ("00:00:00", Some(0)),
            ("08:30:00.25", Some(30_600_250_000)),
            ("23:59:59.999999", Some(DAY - 1)),
            ("24:00:00", None),
            ("08:30", None),
            ("08:30:00.", None),
            ("08:30:00.1234567", None),
        ] {
            assert_eq!(parse_time(text), wanted, "{text}");
            assert!(wanted.is_none_or(|micros| time_text(micros) == text), "{text}");
        }
        assert_eq!(parse_date_time("1969-12-31T23:59:59"), Some(-1_000_000));
        assert_eq!(date_time_text(-1_000_000), "1969-12-31T23:59:59");
        assert_eq!(parse_date_time("2024-12-31 08:30:00"), None);
        civil(i32::MAX);
        civil(i32::MIN);
    }

    #[test]
    fn weeks_are_those_of_the_standard() {
        for (text, year, week, day) in [
            ("2021-01-03", 2020, 53, 7),
            ("2021-01-04", 2021, 1, 1),
            ("2024-12-30", 2025, 1, 1),
            ("2026-12-31", 2026, 53, 4),
            ("1970-01-01", 1970, 1, 4),
        ] {
            let days = parse_date(text).unwrap();
            assert_eq!((iso_week(days), weekday(days)), ((year, week), day), "{text}");
        }
    }
}
