//! Parses dates and times in ISO 8601.

use crate::field::Field;
use crate::number;

/// Microseconds of a day.
const DAY: i64 = 86_400_000_000;

/// Parses `2024-12-31` to days since 1970-01-01. `None` for any other form, and for a day that does not exist.
#[inline(always)]
pub(crate) fn date(text: Field<'_>) -> Option<i32> {
    if text.len() == 10 { days(text.word_before(8), text.word_before(10)) } else { None }
}

/// Does what [`date`] does for bytes.
pub(crate) fn date_of(text: &[u8]) -> Option<i32> {
    let text: &[u8; 10] = text.try_into().ok()?;
    days(u64::from_le_bytes(*text.first_chunk()?), u64::from_le_bytes(*text.last_chunk()?))
}

/// Parses a date from its first and its last eight bytes.
#[inline(always)]
fn days(start: u64, end: u64) -> Option<i32> {
    const MARKS: u64 = u64::from_le_bytes([0, 0, 0, 0, 0xFF, 0, 0, 0xFF]);
    const DASHES: u64 = u64::from_le_bytes([0, 0, 0, 0, b'-', 0, 0, b'-']);
    if start & MARKS != DASHES {
        return None;
    }
    let year = start & 0xFFFF_FFFF;
    let digits = year | (start >> 40 & 0xFFFF) << 32 | end >> 48 << 48;
    let number = i32::try_from(number::eight_digits(digits)?).ok()?;
    let (year, month, day) = (number / 10_000, number / 100 % 100, number % 100);
    let most = match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        1..=12 => 31,
        _ => return None,
    };
    if day < 1 || day > most {
        return None;
    }
    // Counts years from March on, so that the leap day is the last day of a year.
    let year = year - i32::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let shifted = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * shifted + 2) / 5 + day - 1;
    Some(
        era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year
            - 719_468,
    )
}

/// Parses `08:30:00` to microseconds since midnight. A fraction of one to six digits may follow, without a trailing zero.
pub(crate) fn time(text: &[u8]) -> Option<i64> {
    let (whole, fraction) = text.split_at_checked(8)?;
    let [h1, h2, b':', m1, m2, b':', s1, s2] = *whole else { return None };
    let (hour, minute, second) = (number(&[h1, h2])?, number(&[m1, m2])?, number(&[s1, s2])?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let micros = match fraction {
        [] => 0,
        [b'.', digits @ .., last @ b'1'..=b'9'] if digits.len() < 6 => {
            let count = u32::try_from(digits.len()).ok()? + 1;
            (number(digits)? * 10 + i32::from(last - b'0')) * 10_i32.pow(6 - count)
        }
        _ => return None,
    };
    Some(i64::from(hour * 3600 + minute * 60 + second) * 1_000_000 + i64::from(micros))
}

/// Parses `2024-12-31T08:30:00`, without a time zone, to microseconds since 1970-01-01T00:00:00. A blank may stand for the `T`, as
/// databases write it.
pub(crate) fn date_time(text: &[u8]) -> Option<i64> {
    let (days, clock) = text.split_at_checked(10)?;
    let clock = clock.strip_prefix(b"T").or(clock.strip_prefix(b" "))?;
    Some(i64::from(date_of(days)?) * DAY + time(clock)?)
}

fn number(digits: &[u8]) -> Option<i32> {
    digits.iter().try_fold(0, |number, digit| {
        digit.is_ascii_digit().then(|| number * 10 + i32::from(digit - b'0'))
    })
}
