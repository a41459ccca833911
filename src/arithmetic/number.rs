//! Decimal numbers in JSON notation, of any length.
//!
//! Knows no tables, and no notations of people: those are in `parse`.

use rust_decimal::Decimal;
use std::cmp::Ordering;

/// The longest lexeme of the contract.
pub const MAX_LEXEME: usize = 64;

/// Largest exponent. It keeps the arithmetic of exponents far from overflow.
const MAX_EXPONENT: i64 = 1_000_000;

/// The largest scale of a [`Decimal`].
const MAX_SCALE: i64 = 28;

/// A decimal number. Equal numbers are equal values: `1` and `1.0` compare and hash the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    /// A number for calculations, without trailing zeros.
    Exact(Decimal),
    /// A number that [`Decimal`] cannot hold exactly. It can be compared and used as a key, but not in calculations.
    Long(Box<Long>),
}

/// The number `digits * 10^exponent`.
///
/// Invariant: `digits` is not empty and neither begins nor ends with a zero, so that equal values have equal parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Long {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Number {
    /// Zero.
    pub const ZERO: Number = Number::Exact(Decimal::ZERO);

    /// Parses a lexeme in JSON notation.
    pub fn from_json(lexeme: &str) -> Result<Number, String> {
        if lexeme.len() > MAX_LEXEME {
            return Err(format!("expected at most {MAX_LEXEME} characters, got {}", lexeme.len()));
        }
        let wanted = || format!("expected a decimal number in JSON notation, got `{lexeme}`");
        let (negative, unsigned) = match lexeme.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, lexeme),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent).ok_or_else(wanted)?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((_, "")) => return Err(wanted()),
            Some(parts) => parts,
            None => (mantissa, ""),
        };
        let leading_zero = whole.len() > 1 && whole.starts_with('0');
        if whole.is_empty() || leading_zero || !is_digits(whole) || !is_digits(fraction) {
            return Err(wanted());
        }
        Number::from_parts(
            negative,
            &format!("{whole}{fraction}"),
            exponent - fraction.len() as i64,
        )
        .ok_or_else(|| format!("expected an exponent of at most {MAX_EXPONENT}, got `{lexeme}`"))
    }

    /// Returns `digits * 10^exponent`; `None` if the exponent is out of range. `digits` are ASCII digits.
    pub fn from_parts(negative: bool, digits: &str, exponent: i64) -> Option<Number> {
        let digits = digits.trim_start_matches('0');
        let significant = digits.trim_end_matches('0');
        if significant.is_empty() {
            return Some(Number::ZERO);
        }
        let exponent = exponent + (digits.len() - significant.len()) as i64;
        if exponent.abs() > MAX_EXPONENT {
            return None;
        }
        Some(match fit(negative, significant, exponent) {
            Some(decimal) => Number::Exact(decimal),
            None => {
                Number::Long(Box::new(Long { negative, digits: significant.to_owned(), exponent }))
            }
        })
    }

    /// Returns the number for calculations; `None` if it has too many digits.
    pub fn exact(&self) -> Option<Decimal> {
        match self {
            Number::Exact(decimal) => Some(*decimal),
            Number::Long(_) => None,
        }
    }

    /// Returns the number, rounded to at most 28 digits after the point; `None` if it is too large.
    pub fn rounded(&self) -> Option<Decimal> {
        match self {
            Number::Exact(decimal) => Some(*decimal),
            Number::Long(long) => {
                let n_kept = long.digits.len() as i64 + (MAX_SCALE + long.exponent).min(0);
                let kept = long.digits.get(..usize::try_from(n_kept).unwrap_or(0))?;
                if kept.is_empty() {
                    return Some(Decimal::ZERO);
                }
                let exponent = long.exponent + (long.digits.len() - kept.len()) as i64;
                Number::from_parts(long.negative, kept, exponent)?.exact()
            }
        }
    }

    /// Returns the shortest lexeme in JSON notation, without an exponent if the contract's length allows.
    pub fn lexeme(&self) -> String {
        match self {
            Number::Exact(decimal) => decimal.to_string(),
            Number::Long(long) => long.lexeme(),
        }
    }

    fn parts(&self) -> Option<Long> {
        match self {
            Number::Exact(decimal) if decimal.is_zero() => None,
            Number::Exact(decimal) => {
                let digits = decimal.mantissa().unsigned_abs().to_string();
                let significant = digits.trim_end_matches('0');
                let exponent =
                    (digits.len() - significant.len()) as i64 - i64::from(decimal.scale());
                Some(Long {
                    negative: decimal.is_sign_negative(),
                    digits: significant.to_owned(),
                    exponent,
                })
            }
            Number::Long(long) => Some(Long::clone(long)),
        }
    }
}

impl From<Decimal> for Number {
    fn from(decimal: Decimal) -> Number {
        Number::Exact(decimal.normalize())
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Number) -> Ordering {
        if let (Number::Exact(one), Number::Exact(two)) = (self, other) {
            return one.cmp(two);
        }
        match (self.parts(), other.parts()) {
            (None, None) => Ordering::Equal,
            (None, Some(two)) => {
                if two.negative {
                    Ordering::Greater
                } else {
                    Ordering::Less
                }
            }
            (Some(one), None) => {
                if one.negative {
                    Ordering::Less
                } else {
                    Ordering::Greater
                }
            }
            (Some(one), Some(two)) => match (one.negative, two.negative) {
                (false, true) => Ordering::Greater,
                (true, false) => Ordering::Less,
                (false, false) => one.magnitude_cmp(&two),
                (true, true) => two.magnitude_cmp(&one),
            },
        }
    }
}

impl Long {
    /// Without trailing zeros, digits of equal weight compare like text.
    fn magnitude_cmp(&self, other: &Long) -> Ordering {
        let weight = |long: &Long| long.digits.len() as i64 + long.exponent;
        weight(self).cmp(&weight(other)).then_with(|| self.digits.cmp(&other.digits))
    }

    fn lexeme(&self) -> String {
        let sign = if self.negative { "-" } else { "" };
        let digits = &self.digits;
        let n_digits = digits.len() as i64;
        let room = MAX_LEXEME as i64 - sign.len() as i64;
        if (0..=room - n_digits).contains(&self.exponent) {
            return format!("{sign}{digits}{}", "0".repeat(self.exponent as usize));
        }
        let n_fraction = -self.exponent;
        if n_fraction > 0 && n_fraction < n_digits && n_digits < room {
            let (whole, fraction) = digits.split_at((n_digits - n_fraction) as usize);
            return format!("{sign}{whole}.{fraction}");
        }
        if n_fraction >= n_digits && n_fraction + 2 <= room {
            return format!("{sign}0.{}{digits}", "0".repeat((n_fraction - n_digits) as usize));
        }
        format!("{sign}{digits}e{}", self.exponent)
    }
}

/// Returns the number if it fits exactly. `rust_decimal` would round it otherwise.
fn fit(negative: bool, significant: &str, exponent: i64) -> Option<Decimal> {
    let n_zeros = usize::try_from(exponent).unwrap_or(0);
    if significant.len() + n_zeros > 29 || exponent < -MAX_SCALE {
        return None;
    }
    let mut mantissa: i128 = significant.parse().ok()?;
    mantissa *= 10i128.pow(n_zeros as u32);
    let scale = exponent.min(0).unsigned_abs() as u32;
    Decimal::try_from_i128_with_scale(if negative { -mantissa } else { mantissa }, scale).ok()
}

fn parse_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !is_digits(digits) {
        return None;
    }
    // The lexeme is short, so only the value can be out of range. The caller reports that.
    let value = digits.parse().unwrap_or(i64::MAX / 4).min(i64::MAX / 4);
    Some(if text.starts_with('-') { -value } else { value })
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(lexeme: &str) -> Number {
        Number::from_json(lexeme).unwrap()
    }

    #[test]
    fn lexemes_are_normalised() {
        for (lexeme, wanted) in [
            ("0", "0"),
            ("-0", "0"),
            ("-0.00", "0"),
            ("0e5", "0"),
            ("1.50", "1.5"),
            ("1.2e3", "1200"),
            ("12E-1", "1.2"),
            ("1e+2", "100"),
            ("-0.05", "-0.05"),
            ("100", "100"),
            ("79228162514264337593543950335", "79228162514264337593543950335"),
            ("79228162514264337593543950336", "79228162514264337593543950336"),
            ("0.0000000000000000000000000001", "0.0000000000000000000000000001"),
            ("0.00000000000000000000000000001", "0.00000000000000000000000000001"),
            ("1e-28", "0.0000000000000000000000000001"),
            ("1e40", "10000000000000000000000000000000000000000"),
            ("1e100", "1e100"),
            ("-1e-100", "-1e-100"),
            ("123456789012345678901234567890.12345", "123456789012345678901234567890.12345"),
            ("-1.5e300", "-15e299"),
        ] {
            assert_eq!(number(lexeme).lexeme(), wanted, "{lexeme}");
        }
    }

    #[test]
    fn what_is_not_json_is_refused() {
        for lexeme in [
            "", "-", "+1", "01", "1.", ".5", "1e", "1e+", "NaN", "Infinity", "0x1", "1,2", " 1",
            "1 ", "１", "--1", "1.2.3", "1e1.5",
        ] {
            assert!(
                Number::from_json(lexeme).unwrap_err().starts_with("expected a decimal number"),
                "{lexeme}"
            );
        }
        assert!(
            Number::from_json(&"1".repeat(65))
                .unwrap_err()
                .contains("at most 64 characters, got 65")
        );
        assert!(Number::from_json("1e99999999999999999999").unwrap_err().contains("exponent"));
        assert!(Number::from_json("1e-1000001").unwrap_err().contains("exponent"));
    }

    #[test]
    fn numbers_are_ordered_by_value() {
        let ordered = [
            "-1e50",
            "-79228162514264337593543950336",
            "-79228162514264337593543950335",
            "-2",
            "-1",
            "-1e-50",
            "0",
            "1e-51",
            "1e-50",
            "0.1",
            "1",
            "1.00000000000000000000000000000000001",
            "9",
            "10",
            "79228162514264337593543950335",
            "1e29",
            "1e50",
            "1.1e50",
        ];
        for (i, one) in ordered.iter().enumerate() {
            for (j, two) in ordered.iter().enumerate() {
                assert_eq!(number(one).cmp(&number(two)), i.cmp(&j), "{one} {two}");
            }
        }
        assert_eq!(number("1e2"), number("100.0"));
        assert_eq!(number("1e30"), number("10e29"));
    }
}
