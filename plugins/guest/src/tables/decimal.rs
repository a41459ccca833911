//! Converts exact decimals between JSON notation and the integers in columns.

/// Most digits of a decimal, and most of them after the point.
const MAX_DIGITS: u32 = 38;

/// A decimal number: `units / 10^scale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// The unscaled number, of at most 38 digits.
    pub units: i128,
    /// Digits after the point, from 0 to 38.
    pub scale: u8,
}

impl Decimal {
    /// Parses a number in JSON notation, and drops trailing zeros of its fraction. `None` if it needs more than 38 digits,
    /// or is not a number.
    pub fn parse(text: &str) -> Option<Decimal> {
        let (is_negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (rest, 0),
        };
        let (mut units, mut scale, mut is_fraction) = (0i128, exponent.checked_neg()?, false);
        for byte in mantissa.bytes() {
            match byte {
                b'0'..=b'9' => {
                    units = units.checked_mul(10)?.checked_add(i128::from(byte - b'0'))?;
                    scale = scale.checked_add(i32::from(is_fraction))?;
                }
                b'.' if !is_fraction => is_fraction = true,
                _ => return None,
            }
        }
        if units == 0 {
            return (!mantissa.is_empty()).then_some(Decimal { units: 0, scale: 0 });
        }
        while units % 10 == 0 && scale > 0 {
            (units, scale) = (units / 10, scale - 1);
        }
        while scale < 0 {
            (units, scale) = (units.checked_mul(10)?, scale + 1);
        }
        let units = if is_negative { -units } else { units };
        let fits = units.unsigned_abs() < 10u128.pow(MAX_DIGITS) && scale <= MAX_DIGITS as i32;
        fits.then_some(Decimal { units, scale: scale as u8 })
    }

    /// Returns the units at a larger scale. `None` if they have more than 38 digits, or `scale` is smaller.
    pub fn rescaled(self, scale: u8) -> Option<i128> {
        let factor = 10i128.checked_pow(u32::from(scale.checked_sub(self.scale)?))?;
        let units = self.units.checked_mul(factor)?;
        (units.unsigned_abs() < 10u128.pow(MAX_DIGITS)).then_some(units)
    }

    /// Returns the shortest form in JSON notation, without an exponent.
    pub fn text(self) -> String {
        let Decimal { mut units, mut scale } = self;
        while scale > 0 && units % 10 == 0 {
            (units, scale) = (units / 10, scale - 1);
        }
        let sign = if units < 0 { "-" } else { "" };
        let digits = match u64::try_from(units.unsigned_abs()) {
            // A division of 64 bits is one instruction, one of 128 bits is a function call.
            Ok(small) => small.to_string(),
            Err(_) => units.unsigned_abs().to_string(),
        };
        if scale == 0 {
            return format!("{sign}{digits}");
        }
        let digits = format!("{digits:0>width$}", width = usize::from(scale) + 1);
        let (whole, fraction) = digits.split_at(digits.len() - usize::from(scale));
        format!("{sign}{whole}.{fraction}")
    }
}

/// Returns the shortest number in JSON notation that reads back as `value`. `None` for infinity and NaN.
pub fn float_text(value: f64) -> Option<String> {
    if !value.is_finite() {
        return None;
    }
    let is_plain = value == 0.0 || (1e-5..1e17).contains(&value.abs());
    Some(if is_plain { format!("{}", value + 0.0) } else { format!("{value:e}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_read_and_written() {
        for (text, wanted) in [
            ("0", Some((0, 0, "0"))),
            ("-0.00", Some((0, 0, "0"))),
            ("12.50", Some((125, 1, "12.5"))),
            ("-0.05", Some((-5, 2, "-0.05"))),
            ("1.2e3", Some((1_200, 0, "1200"))),
            ("12E-1", Some((12, 1, "1.2"))),
            ("1e37", Some((10i128.pow(37), 0, "10000000000000000000000000000000000000"))),
            ("1e-38", Some((1, 38, "0.00000000000000000000000000000000000001"))),
            ("1e38", None),
            ("1e-39", None),
            ("", None),
            ("-", None),
            ("1.2.3", None),
            ("1e99999999999", None),
            ("x", None),
        ] {
            let found = Decimal::parse(text);
            assert_eq!(found.map(|found| (found.units, found.scale)), wanted.map(|w| (w.0, w.1)));
            assert_eq!(found.map(Decimal::text).as_deref(), wanted.map(|w| w.2), "{text}");
        }
        assert_eq!(Decimal { units: 1_500, scale: 3 }.text(), "1.5");
        assert_eq!(Decimal { units: 15, scale: 1 }.rescaled(3), Some(1_500));
        assert_eq!(Decimal { units: 10i128.pow(37), scale: 0 }.rescaled(1), None);
    }

    #[test]
    fn floats_are_shortest() {
        for (value, wanted) in [
            (0.1, Some("0.1")),
            (-0.0, Some("0")),
            (1e300, Some("1e300")),
            (1e-7, Some("1e-7")),
            (2.0, Some("2")),
            (f64::NAN, None),
            (f64::INFINITY, None),
        ] {
            assert_eq!(float_text(value).as_deref(), wanted);
        }
    }
}
