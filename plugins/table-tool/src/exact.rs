//! Exact arithmetic with one rounding at the end.
//!
//! `rust_decimal` silently rounds products and quotients with too many digits. Here, sums are integers, quotients are
//! fractions, and a result that does not fit is an error.

use crate::fraction::{Fraction, divide, from_scaled, power};
use crate::number::Number;

pub(crate) use crate::fraction::{TooLong, round};
use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::Zero;
use rust_decimal::Decimal;
use std::cmp::Ordering;

/// Default digits after the point of rounded results: a percentage with four digits.
pub(crate) const DEFAULT_DECIMALS: u32 = 6;

/// Most digits after the point. More would leave fewer than eight digits before it.
pub(crate) const MAX_DECIMALS: u32 = 20;

/// The scale of sums: `10^-28` is the smallest unit of a cell.
const SUM_SCALE: u32 = 28;

/// The sum and the sum of squares of any number of cells.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sum {
    total: BigInt,
    squares: BigInt,
    count: u64,
}

impl Sum {
    /// Returns the sum of `count` numbers, in units of `10^-scale` (at most 28), with their squares.
    pub(crate) fn of_units(total: i128, squares: i128, count: u64, scale: u32) -> Sum {
        let factor = power(SUM_SCALE - scale);
        let squares = BigInt::from(squares) * &factor * &factor;
        Sum { total: BigInt::from(total) * factor, squares, count }
    }

    /// Adds a number, for totals and means.
    pub(crate) fn add(&mut self, decimal: Decimal) {
        self.total += units(decimal);
        self.count += 1;
    }

    /// Removes a number that was added.
    pub(crate) fn remove(&mut self, decimal: Decimal) {
        self.total -= units(decimal);
        self.count -= 1;
    }

    /// Adds a number with its square, for deviations.
    pub(crate) fn add_square(&mut self, decimal: Decimal) {
        let units = units(decimal);
        self.squares += &units * &units;
        self.total += units;
        self.count += 1;
    }

    /// Returns the total; `None` for no numbers. If `lossy`, rounds a total that is too long to 28 digits.
    pub(crate) fn total(&self, lossy: bool) -> Result<Option<Number>, TooLong> {
        if self.count == 0 {
            return Ok(None);
        }
        match from_scaled(&self.total, SUM_SCALE) {
            Err(TooLong) if lossy => rounded(&self.total, SUM_SCALE).map(Some),
            total => total.map(Some),
        }
    }

    /// Returns the total as a fraction.
    pub(crate) fn fraction(&self) -> Fraction {
        Fraction::new(self.total.clone(), power(SUM_SCALE))
    }

    /// Returns the arithmetic mean; `None` for no numbers.
    pub(crate) fn mean(&self, decimals: u32) -> Result<Option<Number>, TooLong> {
        if self.count == 0 {
            return Ok(None);
        }
        let scaled = divide(&(&self.total * power(decimals)), &(power(SUM_SCALE) * self.count));
        from_scaled(&scaled, decimals).map(Some)
    }

    /// Returns the sample standard deviation; `None` for fewer than two numbers. Needs [`Sum::add_square`].
    pub(crate) fn deviation(&self, decimals: u32) -> Result<Option<Number>, TooLong> {
        if self.count < 2 {
            return Ok(None);
        }
        // n * sum(x^2) - sum(x)^2 = n * sum((x - mean)^2), so nothing is rounded before the root.
        let spread = &self.squares * self.count - &self.total * &self.total;
        let over = BigInt::from(self.count) * (self.count - 1) * power(2 * SUM_SCALE);
        from_scaled(&root(&(spread * power(2 * decimals)), &over), decimals).map(Some)
    }
}

/// Returns `one - two`, which is rounded only if `lossy`.
pub(crate) fn difference(one: Decimal, two: Decimal, lossy: bool) -> Result<Number, TooLong> {
    let units = units(one) - units(two);
    match from_scaled(&units, SUM_SCALE) {
        Err(TooLong) if lossy => rounded(&units, SUM_SCALE),
        difference => difference,
    }
}

/// Returns `under / over`, rounded half to even, in units of `10^-decimals`. `None` if a step needs more than 128 bits or
/// the result more than 28 digits. `over` is positive.
pub(crate) fn ratio(under: i128, over: i128, decimals: i32) -> Option<i128> {
    let factor = 10i128.checked_pow(decimals.unsigned_abs())?;
    let (under, over) = if decimals >= 0 {
        (product(under, factor)?, over)
    } else {
        (under, product(over, factor)?)
    };
    // A division of 64 bits is one instruction; one of 128 bits is a function call.
    let (quotient, rest) = match (u64::try_from(under.unsigned_abs()), u64::try_from(over)) {
        (Ok(under), Ok(over)) => (u128::from(under / over), u128::from(under % over)),
        _ => (under.unsigned_abs() / over as u128, under.unsigned_abs() % over as u128),
    };
    let is_up = match rest.cmp(&(over as u128 - rest)) {
        Ordering::Less => false,
        Ordering::Equal => quotient % 2 == 1,
        Ordering::Greater => true,
    };
    let quotient = i128::try_from(quotient + u128::from(is_up)).ok()?;
    (quotient < MAX_UNITS).then_some(if under < 0 { -quotient } else { quotient })
}

/// Bound of integers that are exact as calculated numbers.
pub(crate) const MAX_UNITS: i128 = 1 << 96;

/// Returns a product; `None` if it needs more than 128 bits.
pub(crate) fn product(one: i128, two: i128) -> Option<i128> {
    match (i64::try_from(one), i64::try_from(two)) {
        // A checked product of 128 bits takes several times as long.
        (Ok(one), Ok(two)) => Some(i128::from(one) * i128::from(two)),
        _ => one.checked_mul(two),
    }
}

/// Rounds a number to 28 digits.
fn rounded(scaled: &BigInt, scale: u32) -> Result<Number, TooLong> {
    let n_digits = scaled.magnitude().to_string().len() as u32;
    let n_excess = n_digits.saturating_sub(28).min(scale);
    from_scaled(&divide(scaled, &power(n_excess)), scale - n_excess)
}

fn units(decimal: Decimal) -> BigInt {
    BigInt::from(decimal.mantissa()) * 10u128.pow(SUM_SCALE - decimal.scale())
}

/// Returns the square root of `under / over`, rounded half to even. Neither is negative.
fn root(under: &BigInt, over: &BigInt) -> BigInt {
    if under.is_zero() {
        return BigInt::zero();
    }
    let floor = under.div_floor(over).sqrt();
    let twice: BigInt = &floor * 2u32 + 1u32;
    match (under * 4u32).cmp(&(&twice * &twice * over)) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decimal(lexeme: &str) -> Decimal {
        Number::from_json(lexeme).unwrap().exact().unwrap()
    }

    fn sum(lexemes: &[&str]) -> Sum {
        let mut sum = Sum::default();
        for lexeme in lexemes {
            sum.add_square(decimal(lexeme));
        }
        sum
    }

    #[test]
    fn a_sum_loses_no_digit() {
        for (lexemes, wanted) in [
            (&["0.1"; 10][..], "1"),
            (&["0.1", "0.2"], "0.3"),
            (
                &["79228162514264337593543950335", "1e-28", "-79228162514264337593543950335"],
                "0.0000000000000000000000000001",
            ),
            (&["1", "-1"], "0"),
        ] {
            assert_eq!(sum(lexemes).total(false).unwrap().unwrap().lexeme(), wanted);
        }
        assert_eq!(sum(&["79228162514264337593543950335", "0.1"]).total(false), Err(TooLong));
        assert_eq!(sum(&["79228162514264337593543950335", "1"]).total(false), Err(TooLong));
        assert_eq!(sum(&["79228162514264337593543950335", "1"]).total(true), Err(TooLong));
        let rounded = sum(&["12345678901234567890", "1.23456789012345"]).total(true);
        assert_eq!(rounded.unwrap().unwrap().lexeme(), "12345678901234567891.23456789");
        assert_eq!(sum(&[]).total(false), Ok(None));
    }

    #[test]
    fn means_are_rounded_half_to_even() {
        for (lexemes, decimals, wanted) in [
            (&["1", "2"][..], 0, "2"),
            (&["2", "3"], 0, "2"),
            (&["-1", "-2"], 0, "-2"),
            (&["-2", "-3"], 0, "-2"),
            (&["1", "1", "2"], 6, "1.333333"),
            (&["1", "2", "2"], 4, "1.6667"),
            (&["0.000001", "0.000002"], 6, "0.000002"),
            (&["1e28", "1e28"], 20, "10000000000000000000000000000"),
        ] {
            assert_eq!(
                sum(lexemes).mean(decimals).unwrap().unwrap().lexeme(),
                wanted,
                "{lexemes:?}"
            );
        }
    }

    #[test]
    fn deviations_are_of_the_sample() {
        for (lexemes, decimals, wanted) in [
            (&["2", "4", "4", "4", "5", "5", "7", "9"][..], 6, Some("2.13809")),
            (&["2", "4", "4", "4", "5", "5", "7", "9"], 20, Some("2.13808993529939507748")),
            (&["1", "3"], 6, Some("1.414214")),
            (&["5", "5", "5"], 6, Some("0")),
            // The textbook formula in floating point gives 0 or worse here.
            (&["1000000000000000.1", "1000000000000000.2", "1000000000000000.3"], 6, Some("0.1")),
            (&["5"], 6, None),
            (&[], 6, None),
        ] {
            assert_eq!(
                sum(lexemes).deviation(decimals).unwrap().map(|n| n.lexeme()).as_deref(),
                wanted,
                "{lexemes:?}"
            );
        }
    }

    #[test]
    fn differences_and_quotients() {
        assert_eq!(difference(decimal("0.3"), decimal("0.1"), false).unwrap().lexeme(), "0.2");
        assert_eq!(difference(decimal("1.50"), decimal("0.5"), false).unwrap().lexeme(), "1");
        assert_eq!(difference(decimal("1e28"), decimal("0.1"), false), Err(TooLong));
        assert_eq!(
            difference(decimal("-79228162514264337593543950335"), decimal("1"), false),
            Err(TooLong)
        );
        let over = |one, two, decimals| {
            round(&(Fraction::from(decimal(one)) / Fraction::from(decimal(two))), decimals)
                .map(|n| n.lexeme())
        };
        assert_eq!(over("1", "3", 6).unwrap(), "0.333333");
        assert_eq!(over("-1", "3", 6).unwrap(), "-0.333333");
        assert_eq!(over("1", "-8", 2).unwrap(), "-0.12");
        assert_eq!(over("1", "1e-28", 6).unwrap(), "10000000000000000000000000000");
        assert_eq!(over("100", "1e-28", 6), Err(TooLong));
        assert_eq!(Fraction::from(decimal("1250")).round(-2), Fraction::from(decimal("1200")));
        assert_eq!(Fraction::from(decimal("2.345")).round(2), Fraction::from(decimal("2.34")));
    }

    proptest! {
        #[test]
        fn a_mean_times_its_count_is_near_the_sum(values in prop::collection::vec(-1_000_000_000i64..1_000_000_000, 1..50)) {
            let mut sum = Sum::default();
            values.iter().for_each(|value| sum.add_square(Decimal::new(*value, 3)));
            let mean = sum.mean(20).unwrap().unwrap().exact().unwrap();
            let n_values = Fraction::from(Decimal::from(values.len()));
            let error = (Fraction::from(mean) * n_values - sum.fraction()).abs();
            prop_assert!(error <= Fraction::new(BigInt::from(values.len()), power(20)));
            let total = values.iter().sum::<i64>();
            prop_assert_eq!(sum.total(false).unwrap().unwrap(), Number::from(Decimal::new(total, 3)));
        }

        #[test]
        fn a_quick_ratio_is_the_exact_one(under: i64, over in 1i64.., decimals in 0u32..=20) {
            let exact = divide(&(BigInt::from(under) * power(decimals)), &BigInt::from(over));
            if let Some(quick) = ratio(under.into(), over.into(), decimals as i32) {
                prop_assert_eq!(BigInt::from(quick), exact);
            } else {
                prop_assert!(exact.magnitude().bits() > 96 || decimals > 18);
            }
            let coarse = divide(&BigInt::from(under), &(BigInt::from(over) * power(3)));
            prop_assert_eq!(ratio(under.into(), over.into(), -3).map(BigInt::from), Some(coarse));
        }

        #[test]
        fn a_root_is_the_nearest(under in 0u64.., over in 1u64..1_000_000) {
            // |root - sqrt(u/o)| <= 1/2, as integers: (2r-1)^2 o <= 4u <= (2r+1)^2 o.
            let (under, over) = (BigInt::from(under), BigInt::from(over));
            let found = root(&under, &over);
            let (low, high): (BigInt, BigInt) = (&found * 2 - 1, &found * 2 + 1);
            prop_assert!(found.is_zero() || &low * &low * &over <= &under * 4);
            prop_assert!(&under * 4 <= &high * &high * &over);
        }
    }
}
