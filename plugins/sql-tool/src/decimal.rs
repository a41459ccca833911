//! Exact decimals in the floating point numbers of SQLite.
//!
//! SQLite has no decimals, only binary numbers of 64 bits. But each decimal of at most 15 digits has a nearest binary
//! number, which is not the nearest one of another such decimal. So a binary number *stands for* the decimal of at most 15
//! digits to which it is nearest, if there is one: [`short`]. Arithmetic uses these decimals: [`arithmetic`]. A result that
//! needs more digits becomes a binary number that stands for none.
//!
//! Therefore a value shows whether it is exact, through sorting, grouping and temporary tables: [`is_exact`]. Results of
//! calculations with an inexact number are inexact.

/// Bound of the digits of an exact decimal.
const LIMIT: i64 = 1_000_000_000_000_000;

/// Powers of ten that are exact in binary.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// The number `digits` * 10^`exponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    pub(crate) digits: i128,
    pub(crate) exponent: i32,
}

impl Decimal {
    /// Returns the decimal without trailing zeros.
    pub(crate) fn shortest(mut self) -> Self {
        if self.digits == 0 {
            return Self { digits: 0, exponent: 0 };
        }
        while self.digits % 10 == 0 {
            self.digits /= 10;
            self.exponent += 1;
        }
        self
    }

    /// Parses a number in JSON notation with at most 38 digits.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let (negative, whole) = match whole.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, whole.strip_prefix('+').unwrap_or(whole)),
        };
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let mut digits = 0_i128;
        for byte in whole.bytes().chain(fraction.bytes()) {
            let digit = byte.is_ascii_digit().then(|| i128::from(byte - b'0'))?;
            digits = digits.checked_mul(10)?.checked_add(digit)?;
        }
        let exponent: i32 = exponent.parse().ok().filter(|e: &i32| e.abs() < 10_000)?;
        let exponent = exponent - i32::try_from(fraction.len()).ok()?;
        Some(Self { digits: if negative { -digits } else { digits }, exponent }.shortest())
    }

    /// Returns the binary number that stands for the decimal; `None` for more than 15 digits.
    pub(crate) fn to_double(self) -> Option<f64> {
        let Self { digits, exponent } = self.shortest();
        (digits.unsigned_abs() < LIMIT as u128).then(|| nearest(digits, exponent))
    }

    /// Does what [`Decimal::to_double`] does for a number without its point, which is before the last `scale` digits.
    #[inline]
    pub(crate) fn double_of(units: i64, scale: u8) -> Option<f64> {
        match POWERS.get(usize::from(scale)) {
            // Both are exact in binary, so the quotient is rounded once.
            Some(power) if units.unsigned_abs() < LIMIT as u64 => Some(units as f64 / power),
            _ => Self { digits: units.into(), exponent: -i32::from(scale) }.to_double(),
        }
    }

    /// Returns the nearest binary number, marked as inexact if the decimal has more than 15 digits.
    pub(crate) fn to_double_or_marked(self) -> f64 {
        self.to_double().unwrap_or_else(|| {
            marked(format!("{}e{}", self.digits, self.exponent).parse().unwrap_or(f64::NAN))
        })
    }

    /// Returns plain digits with a point, or with an exponent if that would be very long.
    pub(crate) fn text(self) -> String {
        let Self { digits, exponent } = self.shortest();
        let sign = if digits < 0 { "-" } else { "" };
        let plain = digits.unsigned_abs().to_string();
        match exponent {
            0..=40 => format!("{sign}{plain}{}", "0".repeat(exponent.unsigned_abs() as usize)),
            -60..0 => {
                let places = exponent.unsigned_abs() as usize;
                let plain = format!("{plain:0>width$}", width = places + 1);
                let (whole, fraction) = plain.split_at(plain.len() - places);
                format!("{sign}{whole}.{fraction}")
            }
            _ => format!("{sign}{plain}e{exponent}"),
        }
    }

    /// Returns the digits of both for a common exponent, and that exponent; `None` if they need more than 38 digits.
    pub(crate) fn aligned(self, other: Self) -> Option<(i128, i128, i32)> {
        let exponent = self.exponent.min(other.exponent);
        let scale = |number: Self| {
            if number.digits == 0 {
                return Some(0);
            }
            let power = 10_i128.checked_pow(number.exponent.abs_diff(exponent))?;
            number.digits.checked_mul(power)
        };
        Some((scale(self)?, scale(other)?, exponent))
    }

    pub(crate) fn plus(self, other: Self) -> Option<Self> {
        let (left, right, exponent) = self.aligned(other)?;
        Some(Self { digits: left.checked_add(right)?, exponent })
    }

    /// Rounds half away from zero to `places` digits after the point.
    pub(crate) fn rounded(self, places: i32) -> Self {
        let drop = (-places).saturating_sub(self.exponent);
        if drop <= 0 {
            return self;
        }
        let Some(power) = 10_i128.checked_pow(drop.unsigned_abs()) else {
            return Self { digits: 0, exponent: 0 };
        };
        let (mut digits, rest) = (self.digits / power, self.digits % power);
        if rest.unsigned_abs() * 2 >= power.unsigned_abs() {
            digits += self.digits.signum();
        }
        Self { digits, exponent: self.exponent + drop }.shortest()
    }
}

fn nearest(digits: i128, exponent: i32) -> f64 {
    // A decimal of 15 digits and a power of ten are exact in binary, so one operation rounds once.
    match (exponent, POWERS.get(exponent.unsigned_abs() as usize)) {
        (..0, Some(power)) => digits as f64 / power,
        (0.., Some(power)) => digits as f64 * power,
        (_, None) => format!("{digits}e{exponent}").parse().unwrap_or(f64::NAN),
    }
}

/// Returns the number without its point if it stands for a decimal with `places` digits after the point. A number halfway
/// between two of them stands for neither, so the direction of rounding does not matter.
#[inline]
pub(crate) fn units(value: f64, places: u8) -> Option<i64> {
    let power = POWERS.get(usize::from(places))?;
    let digits = (value * power).round_ties_even();
    let is_one = digits.abs() < LIMIT as f64 && digits / power == value;
    let is_usual = value.abs() >= 1e-7 || value == 0.0;
    (is_one && is_usual).then_some(digits as i64)
}

/// Returns the decimal of at most 15 digits that a binary number stands for.
pub(crate) fn short(value: f64) -> Option<Decimal> {
    let size = value.abs();
    if (1e-7..LIMIT as f64).contains(&size) {
        for (places, power) in POWERS.iter().enumerate() {
            let digits = (value * power).round_ties_even();
            if digits.abs() >= LIMIT as f64 {
                return None;
            }
            if digits / power == value {
                return Some(Decimal { digits: digits as i128, exponent: -(places as i32) });
            }
        }
        return None;
    }
    if value == 0.0 {
        return Some(Decimal { digits: 0, exponent: 0 });
    }
    let decimal = value.is_finite().then(|| Decimal::parse(&format!("{value:e}"))).flatten()?;
    (decimal.digits.unsigned_abs() < LIMIT as u128).then_some(decimal)
}

/// Returns `true` if a number is exactly the decimal that it stands for.
pub(crate) fn is_exact(value: f64) -> bool {
    short(value).is_some()
}

/// Rounds to 15 digits; `None` for NaN and infinity.
pub(crate) fn rounded_to_15(value: f64) -> Option<Decimal> {
    value.is_finite().then(|| Decimal::parse(&format!("{value:.14e}"))).flatten()
}

/// Returns the number, or the next one if it stands for a decimal, so that the result stands for none.
pub(crate) fn marked(value: f64) -> f64 {
    // Decimals of 15 digits are several binary numbers apart. Zero is returned unchanged, because its neighbours are of no
    // use.
    if value != 0.0 && value.is_finite() && is_exact(value) { value.next_up() } else { value }
}

/// Does the arithmetic of the changed SQLite. `operation`: 0 plus, 1 minus, 2 times, 3 divided by, 4 remainder; 8 is added
/// if an operand has lost digits before.
pub(crate) extern "C" fn arithmetic(operation: i32, left: f64, right: f64) -> f64 {
    let plain = match operation & 7 {
        0 => left + right,
        1 => left - right,
        2 => left * right,
        3 => left / right,
        _ => left % right,
    };
    if operation & 8 == 0
        && let (Some(left), Some(right)) = (short(left), short(right))
        && let Some(result) = exact(operation, left, right).and_then(Decimal::to_double)
    {
        return result;
    }
    marked(plain)
}

fn exact(operation: i32, left: Decimal, right: Decimal) -> Option<Decimal> {
    match operation & 7 {
        0 => left.plus(right),
        1 => left.plus(Decimal { digits: -right.digits, ..right }),
        2 => Some(Decimal {
            digits: left.digits.checked_mul(right.digits)?,
            exponent: left.exponent + right.exponent,
        }),
        3 => {
            // Quotients of 15 digits rarely need more digits; those count as inexact.
            let digits = left.digits.checked_mul(10_i128.pow(22))?;
            (digits.checked_rem(right.digits)? == 0).then(|| Decimal {
                digits: digits / right.digits,
                exponent: left.exponent - right.exponent - 22,
            })
        }
        _ => {
            let (left, right, exponent) = left.aligned(right)?;
            Some(Decimal { digits: left.checked_rem(right)?, exponent })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Decimal, arithmetic, is_exact, marked, rounded_to_15, short, units};

    #[test]
    fn numbers_stand_for_decimals() {
        for text in
            ["0.1", "12.5", "999999999999.999", "123456789012345", "1e20", "1.5e-9", "-0.07"]
        {
            let value: f64 = text.parse().unwrap();
            assert_eq!(short(value), Decimal::parse(text), "{text}");
            assert!(!is_exact(marked(value)), "{text}");
            assert_eq!(rounded_to_15(marked(value)), Decimal::parse(text), "{text}");
        }
        for text in ["0.1234567890123456", "1234567890123456.7", "0.30000000000000004"] {
            assert_eq!(short(text.parse().unwrap()), None, "{text}");
        }
    }

    /// The fast paths, and rounding half to even, agree with the definition.
    #[test]
    fn units_are_those_of_the_decimal() {
        let mut state = 1_u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state >> 16
        };
        for round in 0..200_000_u32 {
            let (digits, scale) =
                (random() as i64 % 10_i64.pow(1 + round % 16), (random() % 20) as u8);
            let decimal = Decimal { digits: digits.into(), exponent: -i32::from(scale) };
            assert_eq!(Decimal::double_of(digits, scale), decimal.to_double(), "{decimal:?}");
            let value = match round % 3 {
                0 => digits as f64 / 10_f64.powi(i32::from(scale)),
                1 => f64::from_bits(random() << 14 ^ random()),
                _ => digits as f64 / 64.0,
            };
            let Some(short) = short(value) else {
                assert_eq!(units(value, scale), None, "{value:e}");
                continue;
            };
            assert_eq!(short.to_double(), Some(value), "{value:e}");
            if let Some(units) = units(value, scale) {
                let same = Decimal { digits: units.into(), exponent: -i32::from(scale) };
                assert_eq!(same.shortest(), short.shortest(), "{value:e}");
            }
        }
        assert_eq!((units(0.0, 2), units(1.25, 2), units(1.25, 1)), (Some(0), Some(125), None));
    }

    #[test]
    fn arithmetic_is_exact_or_marked() {
        for (operation, left, right, expected) in [
            (0, 0.1, 0.2, Some(0.3)),
            (1, 1_000_000.1, 1_000_000.0, Some(0.1)),
            (2, 1.1, 1.1, Some(1.21)),
            (2, 0.1, 3.0, Some(0.3)),
            (3, 1.0, 8.0, Some(0.125)),
            (3, 0.3, 0.1, Some(3.0)),
            (3, 1.0, 3.0, None),
            (4, 5.5, 2.0, Some(1.5)),
            (4, -0.3, 0.1, Some(0.0)),
            (2, 123_456_789.12, 98_765_432.1, None),
            (8, 1e18, 0.5, None),
            (0, 1e20, 1e-20, None),
        ] {
            let result = arithmetic(operation, left, right);
            match expected {
                Some(expected) => assert_eq!(result, expected, "{operation} {left} {right}"),
                None => assert!(!is_exact(result), "{operation} {left} {right}: {result}"),
            }
        }
    }

    #[test]
    fn rounds_half_away_from_zero() {
        for (text, places, expected) in [
            ("2.675", 2, "2.68"),
            ("-2.5", 0, "-3"),
            ("1.005", 2, "1.01"),
            ("1234", -2, "1200"),
            ("0.4", 0, "0"),
            ("5", 3, "5"),
        ] {
            let rounded = Decimal::parse(text).unwrap().rounded(places);
            assert_eq!(rounded.text(), expected, "{text} {places}");
        }
    }
}
