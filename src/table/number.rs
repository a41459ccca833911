//! Exact decimals: from JSON's notation of numbers, and back in their shortest form.

use mitt_base::limits::MAX_NUMBER_LENGTH;

/// Most digits of a decimal, and most digits after its decimal point.
pub(crate) const MAX_DIGITS: u8 = 38;

/// A decimal number: `units / 10^scale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// The number without its decimal point; at most 38 digits.
    pub units: i128,
    /// Digits after the decimal point, from 0 to 38.
    pub scale: u8,
}

impl Decimal {
    /// Parses a number in JSON's notation and drops trailing zeros of its fraction. `None` if it needs more than 38 digits
    /// or is not a number.
    pub fn parse(text: &str) -> Option<Decimal> {
        let bytes = text.as_bytes();
        if bytes.len() > MAX_NUMBER_LENGTH {
            return None;
        }
        let (negative, rest) = match bytes.split_first() {
            Some((b'-', rest)) => (true, rest),
            _ => (false, bytes),
        };
        let (mut units, mut scale, mut digits) = (0_u128, 0_i32, 0);
        let mut point = false;
        let mut exponent = 0_i32;
        for (at, byte) in rest.iter().enumerate() {
            match byte {
                b'0'..=b'9' => {
                    units = units.checked_mul(10)?.checked_add(u128::from(byte - b'0'))?;
                    digits += 1;
                    scale += i32::from(point);
                }
                b'.' if !point && digits > 0 => point = true,
                b'e' | b'E' if digits > 0 => {
                    exponent = std::str::from_utf8(&rest[at + 1..]).ok()?.parse().ok()?;
                    break;
                }
                _ => return None,
            }
        }
        if digits == 0 {
            return None;
        }
        if units == 0 {
            return Some(Decimal { units: 0, scale: 0 });
        }
        while scale > 0 && units.is_multiple_of(10) {
            (units, scale) = (units / 10, scale - 1);
        }
        scale = scale.checked_sub(exponent)?;
        while scale < 0 {
            (units, scale) = (units.checked_mul(10)?, scale + 1);
        }
        while scale > 0 && units.is_multiple_of(10) {
            (units, scale) = (units / 10, scale - 1);
        }
        let units = i128::try_from(units).ok().filter(|units| *units < POWERS[38])?;
        let scale = u8::try_from(scale).ok().filter(|scale| *scale <= MAX_DIGITS)?;
        Some(Decimal { units: if negative { -units } else { units }, scale })
    }

    /// Returns the same number with a scale of `scale`, not less than now. `None` if it then has too many digits.
    pub fn rescaled(self, scale: u8) -> Option<Decimal> {
        let factor = power(scale.checked_sub(self.scale)?)?;
        let units = self.units.checked_mul(factor).filter(|units| units.abs() < POWERS[38])?;
        Some(Decimal { units, scale })
    }
}

const POWERS: [i128; 39] = {
    let mut powers = [1; 39];
    let mut index = 1;
    while index < 39 {
        powers[index] = powers[index - 1] * 10;
        index += 1;
    }
    powers
};

/// Returns 10 to the power of `exponent`, up to 38.
pub(crate) fn power(exponent: u8) -> Option<i128> {
    POWERS.get(usize::from(exponent)).copied()
}

/// Writes a decimal in its shortest form, without an exponent or trailing zeros of the fraction.
pub fn push_decimal(out: &mut String, mut units: i128, mut scale: u8) {
    while scale > 0 && units % 10 == 0 {
        (units, scale) = (units / 10, scale - 1);
    }
    if units < 0 {
        out.push('-');
    }
    let mut buffer = [b'0'; 40];
    let mut at = buffer.len();
    let mut rest = units.unsigned_abs();
    // Most numbers fit in 64 bits, whose division is one instruction.
    while rest > u128::from(u64::MAX) {
        at -= 1;
        buffer[at] = b'0' + u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
    }
    let mut rest = u64::try_from(rest).unwrap_or_default();
    while rest > 0 {
        at -= 1;
        buffer[at] = b'0' + u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
    }
    // At least one digit stands before the decimal point.
    at = at.min(buffer.len() - usize::from(scale) - 1);
    let (whole, fraction) = buffer[at..].split_at(buffer.len() - at - usize::from(scale));
    out.push_str(std::str::from_utf8(whole).unwrap_or_default());
    if !fraction.is_empty() {
        out.push('.');
        out.push_str(std::str::from_utf8(fraction).unwrap_or_default());
    }
}

/// Writes a floating-point number in the shortest JSON form that gives the same bits. Returns `false` for NaN and infinity,
/// which have none.
pub(crate) fn push_float(out: &mut String, value: f64) -> bool {
    use std::fmt::Write as _;
    if !value.is_finite() {
        return false;
    }
    let size = value.abs();
    let written = if value == 0.0 || (1e-5..1e17).contains(&size) {
        write!(out, "{value}")
    } else {
        write!(out, "{value:e}")
    };
    written.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_more_bytes_than_a_cell_holds_is_none() {
        let longest = format!("{}7", "0".repeat(MAX_NUMBER_LENGTH - 1));
        assert_eq!(Decimal::parse(&longest), Some(Decimal { units: 7, scale: 0 }));
        assert_eq!(Decimal::parse(&format!("0{longest}")), None);
    }

    #[test]
    fn a_larger_scale_needs_room_for_its_digits() {
        let rescaled =
            |units, scale| Decimal { units, scale: 0 }.rescaled(scale).map(|it| it.units);
        let most = 10_i128.pow(37) - 1;
        assert_eq!(rescaled(most, 1), Some(most * 10));
        assert_eq!(rescaled(-most, 1), Some(-most * 10));
        assert_eq!(rescaled(most + 1, 1), None);
        assert_eq!(rescaled(-most - 1, 1), None);
        assert_eq!(Decimal { units: 1, scale: 2 }.rescaled(1), None);
    }

    #[test]
    fn floats_are_written_in_the_shortest_form_of_json() {
        for (value, written) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.5, "1.5"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e-5, "0.00001"),
            (-9.9e-6, "-9.9e-6"),
            (9.9e16, "99000000000000000"),
            (1e17, "1e17"),
            (f64::MAX, "1.7976931348623157e308"),
        ] {
            let mut out = String::new();
            assert!(push_float(&mut out, value));
            assert_eq!(out, written);
            assert_eq!(out.parse::<f64>().map(f64::to_bits), Ok(value.to_bits()));
        }
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut out = String::new();
            assert!(!push_float(&mut out, value));
            assert_eq!(out, "");
        }
    }
}
