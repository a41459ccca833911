//! Exact fractions. They are never reduced: reducing costs more than all other work, and a fraction lives for one row only.

use crate::number::Number;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};
use rust_decimal::Decimal;
use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A fraction. Its size is at most the sum of the sizes of all its operands.
///
/// Invariant: the denominator is positive.
#[derive(Clone, Debug)]
pub struct Fraction {
    /// The numerator.
    pub numer: BigInt,
    /// The denominator.
    pub denom: BigInt,
}

/// A fraction in decimal notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digits {
    /// The number as JSON has it.
    pub lexeme: String,
    /// `true` if no digit is missing. Otherwise the last digit is not zero, so that rounding to fewer digits is exact.
    pub is_exact: bool,
}

impl Fraction {
    /// Makes a fraction. `denom` is positive.
    pub fn new(numer: BigInt, denom: BigInt) -> Fraction {
        Fraction { numer, denom }
    }

    /// Returns the value in decimal notation with at most `decimals` digits behind the point, and one more if they are not all.
    pub fn digits(&self, decimals: u32) -> Digits {
        let (units, rest) = (self.numer.abs() * power(decimals)).div_rem(&self.denom);
        let is_exact = rest.is_zero();
        let mut digits = units.to_string();
        let width = decimals as usize;
        if digits.len() <= width {
            digits.insert_str(0, &"0".repeat(width + 1 - digits.len()));
        }
        let behind = digits.split_off(digits.len() - width);
        let behind = if is_exact { behind.trim_end_matches('0').to_owned() } else { behind + "1" };
        let sign = if self.numer.is_negative() { "-" } else { "" };
        let point = if behind.is_empty() { "" } else { "." };
        Digits { lexeme: format!("{sign}{digits}{point}{behind}"), is_exact }
    }

    /// Returns the same value in lowest terms.
    pub fn reduced(self) -> Fraction {
        let common = self.numer.gcd(&self.denom);
        if common.is_zero() {
            return self;
        }
        Fraction::new(self.numer / &common, self.denom / common)
    }

    /// Returns the size of numerator and denominator in bits.
    pub fn bits(&self) -> u64 {
        self.numer.bits() + self.denom.bits()
    }

    /// Returns `true` for zero.
    pub fn is_zero(&self) -> bool {
        self.numer.is_zero()
    }

    /// Returns `true` for a number above zero.
    pub fn is_positive(&self) -> bool {
        self.numer.is_positive()
    }

    /// Returns the absolute value.
    pub fn abs(self) -> Fraction {
        Fraction::new(self.numer.abs(), self.denom)
    }

    /// Rounds half to even to `decimals` digits. Negative `decimals` round to tens and hundreds.
    pub fn round(self, decimals: i32) -> Fraction {
        let step = power(decimals.unsigned_abs());
        if decimals < 0 {
            Fraction::new(divide(&self.numer, &(self.denom * &step)) * step, BigInt::from(1))
        } else {
            Fraction::new(divide(&(self.numer * &step), &self.denom), step)
        }
    }

    /// Returns the value; `None` if it is not an integer of 32 bits.
    pub fn to_i32(&self) -> Option<i32> {
        let (whole, rest) = self.numer.div_rem(&self.denom);
        if rest.is_zero() { i32::try_from(whole).ok() } else { None }
    }
}

impl From<Decimal> for Fraction {
    fn from(decimal: Decimal) -> Fraction {
        Fraction::new(BigInt::from(decimal.mantissa()), power(decimal.scale()))
    }
}

impl Add for Fraction {
    type Output = Fraction;

    fn add(self, other: Fraction) -> Fraction {
        if self.denom == other.denom {
            return Fraction::new(self.numer + other.numer, self.denom);
        }
        let numer = self.numer * &other.denom + other.numer * &self.denom;
        Fraction::new(numer, self.denom * other.denom)
    }
}

impl Sub for Fraction {
    type Output = Fraction;

    fn sub(self, other: Fraction) -> Fraction {
        self + -other
    }
}

impl Mul for Fraction {
    type Output = Fraction;

    fn mul(self, other: Fraction) -> Fraction {
        Fraction::new(self.numer * other.numer, self.denom * other.denom)
    }
}

/// Divides. The divisor is not zero.
impl Div for Fraction {
    type Output = Fraction;

    fn div(self, other: Fraction) -> Fraction {
        let (numer, denom) = (self.numer * other.denom, self.denom * other.numer);
        if denom.is_negative() {
            Fraction::new(-numer, -denom)
        } else {
            Fraction::new(numer, denom)
        }
    }
}

impl Neg for Fraction {
    type Output = Fraction;

    fn neg(self) -> Fraction {
        Fraction::new(-self.numer, self.denom)
    }
}

impl PartialEq for Fraction {
    fn eq(&self, other: &Fraction) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Fraction {}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Fraction) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Fraction) -> Ordering {
        (&self.numer * &other.denom).cmp(&(&other.numer * &self.denom))
    }
}

/// The error of a result with more digits than a calculated number may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong;

impl TooLong {
    /// The message.
    pub const TEXT: &str = "expected a result of at most 28 significant digits, got a longer one";
}

/// Rounds a fraction half to even.
///
/// # Errors
///
/// The number has more than 28 significant digits.
pub fn round(fraction: &Fraction, decimals: u32) -> Result<Number, TooLong> {
    from_scaled(&divide(&(&fraction.numer * power(decimals)), &fraction.denom), decimals)
}

/// Returns `scaled / 10^scale`.
///
/// # Errors
///
/// The number has more than 28 significant digits.
pub fn from_scaled(scaled: &BigInt, scale: u32) -> Result<Number, TooLong> {
    if let Some(mut mantissa) = scaled.to_i128() {
        let mut scale = scale;
        while scale > 0 && mantissa % 10 == 0 {
            mantissa /= 10;
            scale -= 1;
        }
        return Decimal::try_from_i128_with_scale(mantissa, scale)
            .map(Number::from)
            .map_err(|_| TooLong);
    }
    let digits = scaled.magnitude().to_string();
    match Number::from_parts(scaled.is_negative(), &digits, -i64::from(scale)) {
        Some(number @ Number::Exact(_)) => Ok(number),
        _ => Err(TooLong),
    }
}

/// Returns a power of ten.
pub fn power(exponent: u32) -> BigInt {
    match 10u128.checked_pow(exponent) {
        Some(power) => BigInt::from(power),
        None => BigInt::from(10).pow(exponent),
    }
}

/// Returns the integer quotient, rounded half to even. `over` is positive.
pub fn divide(under: &BigInt, over: &BigInt) -> BigInt {
    let (floor, rest) = under.div_mod_floor(over);
    match (rest * 2u32).cmp(over) {
        Ordering::Less => floor,
        Ordering::Greater => floor + 1u32,
        Ordering::Equal => {
            if floor.is_even() {
                floor
            } else {
                floor + 1u32
            }
        }
    }
}
