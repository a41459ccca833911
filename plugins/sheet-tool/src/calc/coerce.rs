//! Conversions and comparisons of single values, as Excel does them.

use crate::moment;
use crate::value::{ErrorCode, Scalar, general};
use std::cell::Cell;
use std::cmp::Ordering;

thread_local! {
    /// `true` while formulas of a workbook with dates from 1904 are calculated. A formula makes a number of a text in some hundred
    /// places, and in each of them the text may be a date.
    static FROM_1904: Cell<bool> = const { Cell::new(false) };
}

/// Calls a function in which texts of dates are serial numbers of a workbook's date system.
pub(crate) fn with_date_system<T>(from_1904: bool, calculate: impl FnOnce() -> T) -> T {
    let before = FROM_1904.replace(from_1904);
    let result = calculate();
    FROM_1904.set(before);
    result
}

/// Returns a number: text that looks like one counts, as in `"5"+1`.
pub(crate) fn number(value: &Scalar) -> Result<f64, ErrorCode> {
    match value {
        Scalar::Empty => Ok(0.0),
        Scalar::Number(number) => Ok(*number),
        Scalar::Bool(value) => Ok(f64::from(u8::from(*value))),
        Scalar::Text(text) => parse(text).ok_or(ErrorCode::Value),
        Scalar::Error(code) => Err(*code),
    }
}

/// Returns a whole number, cut towards zero.
pub(crate) fn integer(value: &Scalar) -> Result<i64, ErrorCode> {
    let number = number(value)?;
    if number.abs() < 9e15 { Ok(number.trunc() as i64) } else { Err(ErrorCode::Num) }
}

pub(crate) fn text(value: &Scalar) -> Result<String, ErrorCode> {
    match value {
        Scalar::Error(code) => Err(*code),
        Scalar::Number(number) => Ok(general(*number)),
        other => Ok(other.shown()),
    }
}

pub(crate) fn truth(value: &Scalar) -> Result<bool, ErrorCode> {
    match value {
        Scalar::Empty => Ok(false),
        Scalar::Bool(value) => Ok(*value),
        Scalar::Number(number) => Ok(*number != 0.0),
        Scalar::Text(text) if text.eq_ignore_ascii_case("true") => Ok(true),
        Scalar::Text(text) if text.eq_ignore_ascii_case("false") => Ok(false),
        Scalar::Text(_) => Err(ErrorCode::Value),
        Scalar::Error(code) => Err(*code),
    }
}

/// Returns the result of a calculation; a number that is none becomes `#NUM!`.
pub(crate) fn finite(number: f64) -> Result<Scalar, ErrorCode> {
    if number.is_finite() {
        // There is no negative zero in Excel.
        Ok(Scalar::Number(if number == 0.0 { 0.0 } else { number }))
    } else {
        Err(ErrorCode::Num)
    }
}

/// Reads a text as Excel reads what a user types: `1,234.5`, `12%`, `$5`, `(3)`, `1e3`, dates, times.
pub(crate) fn parse(text: &str) -> Option<f64> {
    let text = text.trim();
    if text.is_empty() || text.len() > 60 {
        return None;
    }
    if let Some((serial, _)) = moment::serial(text, FROM_1904.get()) {
        return Some(serial);
    }
    if text.contains(':') {
        return clock(text);
    }
    if let Some(serial) = slashed(text) {
        return Some(serial);
    }
    let (mut rest, mut sign, mut scale) = (text, 1.0, 1.0);
    if let Some(inner) = rest.strip_prefix('(').and_then(|it| it.strip_suffix(')')) {
        (rest, sign) = (inner.trim(), -1.0);
    }
    if let Some(inner) = rest.strip_suffix('%') {
        (rest, scale) = (inner.trim_end(), 0.01);
    }
    if let Some(inner) = rest.strip_prefix('-') {
        (rest, sign) = (inner.trim_start(), -sign);
    } else if let Some(inner) = rest.strip_prefix('+') {
        rest = inner.trim_start();
    }
    rest = rest.strip_prefix('$').unwrap_or(rest);
    if !rest.starts_with(|it: char| it.is_ascii_digit() || it == '.') || rest == "." {
        return None;
    }
    let whole = rest.split(['.', 'e', 'E']).next().unwrap_or_default();
    let plain = if whole.contains(',') {
        let groups: Vec<&str> = whole.split(',').collect();
        let fits = groups[1..].iter().all(|it| it.len() == 3) && !groups[0].is_empty();
        if !fits || rest[whole.len()..].contains(',') {
            return None;
        }
        rest.replace(',', "")
    } else {
        rest.to_owned()
    };
    if !plain
        .bytes()
        .all(|it| it.is_ascii_digit() || matches!(it, b'.' | b'e' | b'E' | b'+' | b'-'))
    {
        return None;
    }
    plain.parse::<f64>().ok().filter(|it| it.is_finite()).map(|number| sign * number * scale)
}

fn clock(text: &str) -> Option<f64> {
    let (time, offset) = match text.to_ascii_uppercase() {
        it if it.ends_with("PM") => (it.trim_end_matches("PM").trim().to_owned(), 0.5),
        it if it.ends_with("AM") => (it.trim_end_matches("AM").trim().to_owned(), 0.0),
        it => return moment::clock(&it),
    };
    let serial = moment::clock(&time)?;
    // Noon is 12 PM, midnight is 12 AM.
    Some(if serial >= 0.5 { serial - 0.5 + offset } else { serial + offset })
}

/// Reads `month/day/year` and `year/month/day`.
fn slashed(text: &str) -> Option<f64> {
    let parts: Vec<&str> = text.split('/').collect();
    let [first, second, third] = parts[..] else { return None };
    let numbers = [first, second, third].map(|it| it.trim().parse::<i64>().ok());
    let [Some(a), Some(b), Some(c)] = numbers else { return None };
    let (year, month, day) = if first.len() == 4 { (a, b, c) } else { (c, a, b) };
    let year = match year {
        0..=29 => year + 2000,
        30..=99 => year + 1900,
        year => year,
    };
    moment::serial(&format!("{year:04}-{month:02}-{day:02}"), FROM_1904.get()).map(|it| it.0)
}

/// Compares two values: numbers before texts before booleans; an empty cell is as the other wants it.
pub(crate) fn compare(a: &Scalar, b: &Scalar) -> Result<Ordering, ErrorCode> {
    let rank = |value: &Scalar| match value {
        Scalar::Number(_) | Scalar::Empty => 0,
        Scalar::Text(_) => 1,
        Scalar::Bool(_) => 2,
        Scalar::Error(_) => 3,
    };
    Ok(match (a, b) {
        (Scalar::Error(code), _) | (_, Scalar::Error(code)) => return Err(*code),
        (Scalar::Empty, Scalar::Empty) => Ordering::Equal,
        (Scalar::Empty, Scalar::Text(text)) => "".cmp(text),
        (Scalar::Text(text), Scalar::Empty) => (**text).cmp(""),
        (Scalar::Empty, Scalar::Bool(value)) => false.cmp(value),
        (Scalar::Bool(value), Scalar::Empty) => value.cmp(&false),
        (Scalar::Empty, Scalar::Number(number)) => order(0.0, *number),
        (Scalar::Number(number), Scalar::Empty) => order(*number, 0.0),
        (Scalar::Number(a), Scalar::Number(b)) => order(*a, *b),
        (Scalar::Text(a), Scalar::Text(b)) => compare_text(a, b),
        (Scalar::Bool(a), Scalar::Bool(b)) => a.cmp(b),
        (a, b) => rank(a).cmp(&rank(b)),
    })
}

pub(crate) fn compare_text(a: &str, b: &str) -> Ordering {
    if a.is_ascii() && b.is_ascii() {
        let lower = |it: &u8| it.to_ascii_lowercase();
        a.as_bytes().iter().map(lower).cmp(b.as_bytes().iter().map(lower))
    } else {
        a.to_lowercase().cmp(&b.to_lowercase())
    }
}

/// Compares numbers by fifteen digits.
fn order(a: f64, b: f64) -> Ordering {
    if a == b || (a - b).abs() < a.abs().max(b.abs()) * 1e-15 {
        return Ordering::Equal;
    }
    a.partial_cmp(&b).unwrap_or(Ordering::Equal)
}

/// Returns a sum or a difference; what is left of two nearly equal numbers is zero, as in Excel.
pub(crate) fn settled(sum: f64, a: f64, b: f64) -> f64 {
    let greatest = a.abs().max(b.abs());
    if sum != 0.0 && sum.abs() < greatest * 2.3e-16 * 4.0 { 0.0 } else { sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_numbers_where_a_user_could_type_them() {
        for (text, expected) in [
            ("1,234.5", Some(1234.5)),
            ("12%", Some(0.12)),
            ("-$5", Some(-5.0)),
            ("(3)", Some(-3.0)),
            ("1e3", Some(1000.0)),
            ("2024-01-01", Some(45292.0)),
            ("1/2/2024", Some(45293.0)),
            ("6:00 PM", Some(0.75)),
            ("12:00 AM", Some(0.0)),
            ("1,23", None),
            ("abc", None),
            ("", None),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
    }

    #[test]
    fn texts_of_dates_have_the_date_system_of_the_workbook() {
        for (text, from_1900, from_1904) in [
            ("2024-01-01", 45_292.0, 43_830.0),
            ("1/2/2024", 45_293.0, 43_831.0),
            ("12", 12.0, 12.0),
        ] {
            assert_eq!(with_date_system(true, || parse(text)), Some(from_1904), "{text}");
            assert_eq!(parse(text), Some(from_1900), "{text}");
        }
    }

    #[test]
    fn values_are_compared_by_kind_and_without_case() {
        let text = |text: &str| Scalar::text(text);
        for (a, b, expected) in [
            (Scalar::Number(9.0), text("1"), Ordering::Less),
            (text("z"), Scalar::Bool(false), Ordering::Less),
            (text("ABC"), text("abc"), Ordering::Equal),
            (Scalar::Empty, text(""), Ordering::Equal),
            (Scalar::Empty, Scalar::Number(0.0), Ordering::Equal),
            (Scalar::Number(0.1 + 0.2), Scalar::Number(0.3), Ordering::Equal),
        ] {
            assert_eq!(compare(&a, &b), Ok(expected), "{a:?} {b:?}");
        }
    }
}
