//! JSON numbers as text, so that nothing is lost between writing and reading.
//!
//! Does no arithmetic.

use std::cmp::Ordering;
use std::fmt;

/// A number as it was written, such as `12`, `-0.05` or `1.2e3`.
///
/// Invariant: the text is a number in the grammar of JSON. Equality compares the texts: `1.0` is not `1`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Number(String);

impl Number {
    /// Returns `text` as a number if it is one in the grammar of JSON.
    pub fn parse(text: impl Into<String>) -> Option<Number> {
        let text = text.into();
        is_number(&text).then_some(Number(text))
    }

    /// Returns the shortest number that reads back as `value`; `None` for NaN and infinity.
    pub fn from_f64(value: f64) -> Option<Number> {
        value.is_finite().then(|| Number(format!("{value:?}")))
    }

    /// Returns the shortest number that reads back as `value`; `None` for NaN and infinity.
    pub fn from_f32(value: f32) -> Option<Number> {
        value.is_finite().then(|| Number(format!("{value:?}")))
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the text.
    pub fn into_string(self) -> String {
        self.0
    }

    /// Returns `true` if it is written without fraction and exponent.
    pub fn is_integer(&self) -> bool {
        is_integer(&self.0)
    }

    /// Returns the value of an integer in any notation (`12`, `12.0`, `1.2e1`) of at most 38 digits.
    pub fn to_integer(&self) -> Option<i128> {
        if self.is_integer() {
            return parse_integer(&self.0);
        }
        let (negative, digits, point) = normalised(&self.0)?;
        if digits.is_empty() {
            return Some(0);
        }
        let length = usize::try_from(point).ok().filter(|length| *length <= 38)?;
        let zeros = length.checked_sub(digits.len())?;
        let sign = if negative { "-" } else { "" };
        format!("{sign}{digits}{}", "0".repeat(zeros)).parse().ok()
    }

    /// Returns `true` if the value has no fraction, and also if its exponent exceeds 64 bits.
    pub(crate) fn is_whole(&self) -> bool {
        normalised(&self.0).is_none_or(|(_, digits, point)| {
            i64::try_from(digits.len()).is_ok_and(|it| it <= point)
        })
    }

    /// Compares the values, in whatever notation. `None` if an exponent exceeds 64 bits.
    pub fn compare(&self, other: &Number) -> Option<Ordering> {
        let (left, right) = (normalised(&self.0)?, normalised(&other.0)?);
        let sign = |(negative, digits, _): &(bool, String, i64)| match (digits.is_empty(), negative)
        {
            (true, _) => 0,
            (false, false) => 1,
            (false, true) => -1,
        };
        let order = sign(&left).cmp(&sign(&right));
        if order != Ordering::Equal || left.1.is_empty() {
            return Some(order);
        }
        // Both begin with a nonzero digit at their leading position; missing digits are zeros.
        let order = left.2.cmp(&right.2).then_with(|| left.1.cmp(&right.1));
        Some(if left.0 { order.reverse() } else { order })
    }

    /// Returns a text that is equal for two numbers exactly if their values are.
    pub(crate) fn canonical(&self) -> String {
        match normalised(&self.0) {
            Some((_, digits, _)) if digits.is_empty() => "0".to_owned(),
            Some((negative, digits, point)) => {
                format!("{}0.{digits}e{point}", if negative { "-" } else { "" })
            }
            None => self.0.clone(),
        }
    }

    /// Returns sign, significant digits without zeros at their ends, and the power of ten of the first digit; no digits for zero.
    /// `None` if an exponent exceeds 64 bits.
    pub(crate) fn parts(&self) -> Option<(bool, String, i64)> {
        normalised(&self.0)
    }

    /// Returns the value if a double can hold it.
    pub(super) fn as_exact_f64(&self) -> Option<f64> {
        mitt_base::number::held(&self.0)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

macro_rules! from_integer {
    ($($integer:ty)*) => {$(
        impl From<$integer> for Number {
            fn from(value: $integer) -> Number {
                Number(value.to_string())
            }
        }
    )*};
}
from_integer!(u8 u16 u32 u64 usize i8 i16 i32 i64);

/// Returns `true` if `text` is a number in the grammar of JSON.
pub(super) fn is_number(text: &str) -> bool {
    let rest = text.strip_prefix('-').unwrap_or(text);
    let (integer, rest) = split_digits(rest);
    if integer.is_empty() || (integer.len() > 1 && integer.starts_with('0')) {
        return false;
    }
    let rest = match rest.strip_prefix('.') {
        None => rest,
        Some(rest) => match split_digits(rest) {
            ("", _) => return false,
            (_, rest) => rest,
        },
    };
    match rest.strip_prefix(['e', 'E']) {
        None => rest.is_empty(),
        Some(rest) => {
            let (digits, rest) = split_digits(rest.strip_prefix(['+', '-']).unwrap_or(rest));
            !digits.is_empty() && rest.is_empty()
        }
    }
}

/// Returns `true` if `text` is an integer in the grammar of JSON, without fraction and exponent.
pub(super) fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits.len() == 1 || !digits.starts_with('0'))
}

/// Returns the value of an integer; `None` beyond 128 bits.
pub(super) fn parse_integer(text: &str) -> Option<i128> {
    // Nearly every integer is short, and the 64-bit parser is several times faster.
    if text.len() <= 18 { text.parse::<i64>().ok().map(i128::from) } else { text.parse().ok() }
}

fn split_digits(text: &str) -> (&str, &str) {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

/// Returns sign, significant digits, and the power of ten of the first digit.
fn normalised(text: &str) -> Option<(bool, String, i64)> {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{integer}{fraction}");
    let significant = digits.trim_start_matches('0');
    let zeros = digits.len() - significant.len();
    let significant = significant.trim_end_matches('0');
    if significant.is_empty() {
        return Some((negative, String::new(), 0));
    }
    let point = i64::try_from(integer.len()).ok()?.checked_sub(i64::try_from(zeros).ok()?)?;
    Some((negative, significant.to_owned(), point.checked_add(exponent)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grammar() {
        for text in [
            "0",
            "-0",
            "12",
            "-0.05",
            "1.2e3",
            "1E+2",
            "1e-2",
            "0.0",
            "123456789012345678901234567890",
        ] {
            assert!(is_number(text), "{text}");
        }
        for text in [
            "", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "1 ", " 1", "NaN", "Infinity",
            "0x1", "1_0", "1.e2", "1,5",
        ] {
            assert!(!is_number(text), "{text}");
        }
        for text in ["0", "-0", "7", "-12", "123456789012345678901234567890"] {
            assert!(is_integer(text), "{text}");
        }
        for text in ["", "-", "1.0", "1e3", "007", "+5", "１"] {
            assert!(!is_integer(text), "{text}");
        }
    }

    #[test]
    fn integers_however_written() {
        let integer = |text: &str| Number::parse(text).unwrap().to_integer();
        for (text, value) in [
            ("12", 12),
            ("12.0", 12),
            ("1.2e1", 12),
            ("-1200e-2", -12),
            ("0.0", 0),
            ("-0", 0),
            ("-0.0e5", 0),
        ] {
            assert_eq!(integer(text), Some(value), "{text}");
        }
        assert_eq!(integer("1e37"), Some(10_i128.pow(37)));
        for text in ["1.5", "12e-1", "1e40", "1e99999999999999999999", "0.1", "1e-400"] {
            assert_eq!(integer(text), None, "{text}");
        }
    }

    #[test]
    fn order_is_that_of_the_values() {
        let rising = [
            "-1e400", "-12.5", "-12", "-0.001", "0", "1e-400", "0.1", "0.12", "0.2", "1", "9.99",
            "10", "1e2", "101", "1e400",
        ];
        let number = |text: &str| Number::parse(text).unwrap();
        for (left, a) in rising.iter().enumerate() {
            for (right, b) in rising.iter().enumerate() {
                assert_eq!(number(a).compare(&number(b)), Some(left.cmp(&right)), "{a} {b}");
            }
        }
        assert_eq!(number("1.20e1").compare(&number("12")), Some(Ordering::Equal));
        assert_eq!(number("-0.0").compare(&number("0")), Some(Ordering::Equal));
        assert_eq!(number("1e99999999999999999999").compare(&number("1")), None);
    }

    #[test]
    fn exact_floats() {
        for text in [
            "0.1",
            "1.0",
            "1",
            "1e3",
            "-0.0",
            "0.10",
            "123456.789e-3",
            "1e22",
            "9007199254740993.0e0",
        ] {
            let exact = text != "9007199254740993.0e0";
            assert_eq!(Number::parse(text).unwrap().as_exact_f64().is_some(), exact, "{text}");
        }
        for text in [
            "0.1000000000000000055511151231257827",
            "1e999",
            "12345678901234567890.123",
            "1e99999999999999999999",
        ] {
            assert_eq!(Number::parse(text).unwrap().as_exact_f64(), None, "{text}");
        }
    }

    #[test]
    fn floats_are_numbers() {
        for value in
            [0.0, -0.0, 1.0, 0.1, 1e300, 1e-300, f64::MAX, f64::MIN_POSITIVE, 123456789.125]
        {
            let number = Number::from_f64(value).unwrap();
            assert!(is_number(number.as_str()), "{number}");
            assert_eq!(number.as_str().parse::<f64>().unwrap().to_bits(), value.to_bits());
        }
        assert_eq!(Number::from_f64(f64::NAN), None);
        assert_eq!(Number::from_f32(f32::INFINITY), None);
    }
}
