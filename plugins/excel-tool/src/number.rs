//! Decimal numbers as text and as values.

use rust_decimal::Decimal;

/// Returns the exact value of a number in JSON notation; `None` if it needs more than 28 digits.
pub(crate) fn decimal(lexeme: &str) -> Option<Decimal> {
    let Some((mantissa, exponent)) = lexeme.split_once(['e', 'E']) else {
        return Decimal::from_str_exact(lexeme).ok();
    };
    let mut value = Decimal::from_str_exact(mantissa).ok()?;
    let exponent: i32 = exponent.parse().ok()?;
    // Not `from_scientific`, which rounds digits that do not fit.
    let scale = i32::try_from(value.scale()).ok()?.checked_sub(exponent)?;
    if scale >= 0 {
        let scale = u32::try_from(scale).ok().filter(|&scale| scale <= Decimal::MAX_SCALE)?;
        value.set_scale(scale).ok()?;
        return Some(value);
    }
    if value.is_zero() {
        return Some(Decimal::ZERO);
    }
    value.set_scale(0).ok()?;
    (0..scale.unsigned_abs()).try_fold(value, |value, _| value.checked_mul(Decimal::TEN))
}

/// Converts a number that a model wrote as text to JSON notation: `12`, `-0.5`, `+3`, `1,234,567.89`.
///
/// A comma is accepted only between groups of three digits. `1,5` is ambiguous and gives `None`.
pub(crate) fn from_text(text: &str) -> Option<String> {
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix(['-', '\u{2212}']) {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = match digits.find(['e', 'E']) {
        Some(at) => (&digits[..at], Some(&digits[at + 1..])),
        None => (digits, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let whole = if whole.contains(',') { ungrouped(whole)? } else { whole.to_owned() };
    let all_digits =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let exponent_ok =
        exponent.is_none_or(|text| all_digits(text.strip_prefix(['-', '+']).unwrap_or(text)));
    if !all_digits(&whole) || !fraction.is_none_or(all_digits) || !exponent_ok {
        return None;
    }
    // JSON allows no leading zeros.
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        trimmed => trimmed,
    };
    let fraction = fraction.map(|digits| format!(".{digits}")).unwrap_or_default();
    let exponent = exponent.map(|digits| format!("e{digits}")).unwrap_or_default();
    Some(format!("{sign}{whole}{fraction}{exponent}"))
}

fn ungrouped(whole: &str) -> Option<String> {
    let mut groups = whole.split(',');
    let first = groups.next()?;
    let right = !first.is_empty() && first.len() <= 3 && groups.all(|group| group.len() == 3);
    right.then(|| whole.replace(',', ""))
}

#[cfg(test)]
mod tests {
    use super::{decimal, from_text};

    #[test]
    fn exact_or_nothing() {
        for (lexeme, expected) in [
            ("0.1", Some("0.1")),
            ("1.50", Some("1.50")),
            ("-1.2e3", Some("-1200")),
            ("1.25E-3", Some("0.00125")),
            ("12e+2", Some("1200")),
            ("0e999", Some("0")),
            ("1e-28", Some("0.0000000000000000000000000001")),
            ("1e-29", None),
            ("1e40", None),
            ("1e2147483648", None),
            ("1e-2147483648", None),
            ("79228162514264337593543950335", Some("79228162514264337593543950335")),
            ("79228162514264337593543950336", None),
            ("0.12345678901234567890123456789", None),
        ] {
            assert_eq!(
                decimal(lexeme).map(|value| value.to_string()).as_deref(),
                expected,
                "{lexeme}"
            );
        }
    }

    #[test]
    fn numbers_as_text() {
        for (text, expected) in [
            ("12", Some("12")),
            (" -0.50 ", Some("-0.50")),
            ("+3", Some("3")),
            ("\u{2212}3", Some("-3")),
            ("007", Some("7")),
            ("1,234,567.89", Some("1234567.89")),
            ("1.5e-3", Some("1.5e-3")),
            ("1,5", None),
            ("1,2345", None),
            (",123", None),
            ("1.", None),
            (".5", None),
            ("--1", None),
            ("12%", None),
            ("n/a", None),
            ("", None),
            ("NaN", None),
        ] {
            assert_eq!(from_text(text).as_deref(), expected, "{text}");
        }
    }
}
