//! Dates and times in ISO 8601, as numbers. Days count from 1970-01-01 in the proleptic Gregorian calendar; the conversion
//! follows Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".

use std::fmt::Write as _;

/// Days of the years 0 to 9999.
pub(crate) const DAYS: std::ops::RangeInclusive<i32> = -719_528..=2_932_896;
/// Microseconds of a day.
pub(crate) const DAY: i64 = 86_400_000_000;

/// Parses `2024-12-31` to days since 1970-01-01. Accepts only this form, and only days that exist.
pub fn parse_date(text: &str) -> Option<i32> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *text.as_bytes() else { return None };
    let year = number(&[y1, y2, y3, y4])?;
    let (month, day) = (number(&[m1, m2])?, number(&[d1, d2])?);
    if !(1..=12).contains(&month) || day < 1 || day > days_of_month(year, month) {
        return None;
    }
    Some(days(year, month, day))
}

/// Parses `08:30:00`, with an optional fraction of one to six digits that does not end in zero, to microseconds since
/// midnight.
pub fn parse_time(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_at_checked(8)?;
    let [h1, h2, b':', m1, m2, b':', s1, s2] = *whole.as_bytes() else { return None };
    let (hour, minute, second) = (number(&[h1, h2])?, number(&[m1, m2])?, number(&[s1, s2])?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let micros = match fraction.as_bytes() {
        [] => 0,
        [b'.', digits @ .., last @ b'1'..=b'9'] if digits.len() < 6 => {
            let count = u32::try_from(digits.len()).ok()? + 1;
            (number(digits)? * 10 + i32::from(last - b'0')) * 10_i32.pow(6 - count)
        }
        _ => return None,
    };
    Some(i64::from(hour * 3600 + minute * 60 + second) * 1_000_000 + i64::from(micros))
}

/// Parses `2024-12-31T08:30:00`, without a time zone, to microseconds since 1970-01-01T00:00:00.
pub fn parse_date_time(text: &str) -> Option<i64> {
    let (date, time) = text.split_at_checked(10)?;
    Some(i64::from(parse_date(date)?) * DAY + parse_time(time.strip_prefix('T')?)?)
}

/// Writes days since 1970-01-01 as `2024-12-31`.
pub fn push_date(out: &mut String, days: i32) {
    let shifted = i64::from(days) + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let _ = write!(out, "{year:04}-{month:02}-{day:02}");
}

/// Writes microseconds since midnight as `08:30:00` or `08:30:00.25`.
pub fn push_time(out: &mut String, micros: i64) {
    let seconds = micros / 1_000_000;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let _ = write!(out, "{hour:02}:{minute:02}:{second:02}");
    let fraction = micros % 1_000_000;
    if fraction > 0 {
        let _ = write!(out, ".{fraction:06}");
        out.truncate(out.trim_end_matches('0').len());
    }
}

/// Writes microseconds since 1970-01-01T00:00:00 as `2024-12-31T08:30:00`.
pub fn push_date_time(out: &mut String, micros: i64) {
    push_date(out, i32::try_from(micros.div_euclid(DAY)).unwrap_or_default());
    out.push('T');
    push_time(out, micros.rem_euclid(DAY));
}

fn number(digits: &[u8]) -> Option<i32> {
    digits.iter().try_fold(0, |number, digit| {
        digit.is_ascii_digit().then(|| number * 10 + i32::from(digit - b'0'))
    })
}

fn days_of_month(year: i32, month: i32) -> i32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

fn days(year: i32, month: i32, day: i32) -> i32 {
    let year = year - i32::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let shifted_month = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * shifted_month + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_last_days_of_all_months_are_what_the_calendar_says() {
        let mut expected = *DAYS.start();
        for year in 0..=9999 {
            let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let february = if is_leap { 29 } else { 28 };
            for (month, last) in (1..).zip([31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]) {
                for (day, days) in [(1, expected), (last, expected + last - 1)] {
                    let text = format!("{year:04}-{month:02}-{day:02}");
                    assert_eq!(parse_date(&text), Some(days), "{text}");
                    let mut written = String::new();
                    push_date(&mut written, days);
                    assert_eq!(written, text);
                }
                assert_eq!(parse_date(&format!("{year:04}-{month:02}-{}", last + 1)), None);
                expected += last;
            }
        }
        assert_eq!(expected - 1, *DAYS.end());
    }

    #[test]
    fn each_part_of_a_time_has_its_own_bound() {
        for refused in ["24:00:00", "00:60:00", "00:00:60", "23:59:60", "23:60:59"] {
            assert_eq!(parse_time(refused), None, "{refused}");
        }
        assert_eq!(parse_time("23:59:59.999999"), Some(DAY - 1));
        assert_eq!(parse_time("01:02:03.5"), Some(3_723_500_000));
    }
}
