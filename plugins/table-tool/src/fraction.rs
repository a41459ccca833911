//! Exact fractions. They are never reduced: reducing costs more than all other work, and a fraction lives for one row only.

use crate::exact::{divide, power};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, Zero};
use rust_decimal::Decimal;
use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A fraction. Its size is at most the sum of the sizes of all its operands.
///
/// Invariant: the denominator is positive.
#[derive(Clone, Debug)]
pub(crate) struct Fraction {
    pub(crate) numer: BigInt,
    pub(crate) denom: BigInt,
}

impl Fraction {
    /// Makes a fraction. `denom` is positive.
    pub(crate) fn new(numer: BigInt, denom: BigInt) -> Fraction {
        Fraction { numer, denom }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.numer.is_zero()
    }

    pub(crate) fn is_positive(&self) -> bool {
        self.numer.is_positive()
    }

    pub(crate) fn abs(self) -> Fraction {
        Fraction::new(self.numer.abs(), self.denom)
    }

    /// Rounds half to even to `decimals` digits. Negative `decimals` round to tens and hundreds.
    pub(crate) fn round(self, decimals: i32) -> Fraction {
        let step = power(decimals.unsigned_abs());
        if decimals < 0 {
            Fraction::new(divide(&self.numer, &(self.denom * &step)) * step, BigInt::from(1))
        } else {
            Fraction::new(divide(&(self.numer * &step), &self.denom), step)
        }
    }

    /// Returns the value; `None` if it is not an integer of 32 bits.
    pub(crate) fn to_i32(&self) -> Option<i32> {
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
