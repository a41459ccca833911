//! Sums, differences and products of whole numbers and decimals, as the changed SQLite calculates them.
//!
//! A result of at most 15 digits is exact there (`decimal.rs`), so it is calculated here without its point. If any result of a part has
//! more digits, SQLite makes the groups.

use super::batch::{At, Batch, Parts};
use crate::bindings::mitt::host::tables::Values;
use crate::columns::{is_valid, reference, value};
use rusqlite::types::ValueRef;

/// Bound of the digits of operands and results.
const LIMIT: i64 = 1_000_000_000_000_000;

/// Most digits after the point.
const MOST_PLACES: u8 = 22;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Plus,
    Minus,
    Times,
}

impl Operation {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "plus" => Self::Plus,
            "minus" => Self::Minus,
            "times" => Self::Times,
            _ => return None,
        })
    }
}

/// What is calculated.
pub(super) enum Formula {
    /// A column of whole numbers or of decimals.
    Column(At),
    /// A number without its point, and its digits after the point.
    Constant(i64, u8),
    Calculated(Operation, Box<[Formula; 2]>),
}

/// The numbers of the rows of a batch, without their points.
pub(super) struct Numbers {
    /// `None` is null.
    pub(super) units: Vec<Option<i64>>,
    /// The digits after the point.
    pub(super) places: u8,
}

impl Formula {
    /// Calls `visit` with each column.
    pub(super) fn columns(&self, visit: &mut dyn FnMut(At)) {
        match self {
            Self::Column(at) => visit(*at),
            Self::Constant(..) => {}
            Self::Calculated(_, sides) => sides.iter().for_each(|side| side.columns(visit)),
        }
    }

    /// Returns the numbers of the rows of a batch; `None` if one of them, or of those on the way, has more than 15 digits.
    pub(super) fn numbers(&self, parts: &Parts, batch: &Batch) -> Option<Numbers> {
        match self {
            Self::Column(at) => {
                let (part, rows) = (parts.get(*at), &batch.rows[at.table]);
                let places = match &part.values {
                    Values::Decimals(decimals) => decimals.scale,
                    _ => 0,
                };
                let units = |row: &u32| {
                    let row = *row as usize;
                    let units = match &part.values {
                        Values::Decimals(decimals) if is_valid(part, row) => decimals.units[row],
                        Values::Decimals(_) => return Some(None),
                        _ => match reference(&value(part, row)) {
                            ValueRef::Integer(number) => number,
                            _ => return Some(None),
                        },
                    };
                    Some(Some(within(units)?))
                };
                Some(Numbers { units: rows.iter().map(units).collect::<Option<_>>()?, places })
            }
            Self::Constant(units, places) => {
                Some(Numbers { units: vec![Some(*units); batch.length], places: *places })
            }
            Self::Calculated(operation, sides) => {
                let left = sides[0].numbers(parts, batch)?;
                calculated(*operation, left, &sides[1].numbers(parts, batch)?)
            }
        }
    }
}

fn within(units: i64) -> Option<i64> {
    (units.unsigned_abs() < LIMIT.unsigned_abs()).then_some(units)
}

fn calculated(operation: Operation, mut left: Numbers, right: &Numbers) -> Option<Numbers> {
    let places = match operation {
        Operation::Times => left.places + right.places,
        Operation::Plus | Operation::Minus => left.places.max(right.places),
    };
    if places > MOST_PLACES {
        return None;
    }
    let power = |numbers: &Numbers| match operation {
        Operation::Times => Some(1),
        _ => 10_i64.checked_pow((places - numbers.places).into()),
    };
    let (left_power, right_power) = (power(&left)?, power(right)?);
    for (left, right) in left.units.iter_mut().zip(&right.units) {
        let (Some(one), Some(other)) = (*left, *right) else {
            *left = None;
            continue;
        };
        let one = within(one.checked_mul(left_power)?)?;
        let other = within(other.checked_mul(right_power)?)?;
        let result = match operation {
            Operation::Times => one.checked_mul(other)?,
            Operation::Plus => one + other,
            Operation::Minus => one - other,
        };
        *left = Some(within(result)?);
    }
    left.places = places;
    Some(left)
}

#[cfg(test)]
mod tests {
    use super::{Numbers, Operation, calculated};

    #[test]
    fn numbers_of_more_than_15_digits_are_not_calculated() {
        let calculate = |operation: &str, left: (i64, u8), right: (i64, u8)| {
            let numbers = |(units, places)| Numbers { units: vec![Some(units)], places };
            calculated(Operation::named(operation)?, numbers(left), &numbers(right))
                .map(|numbers| (numbers.units[0], numbers.places))
        };
        let most = 999_999_999_999_999;
        assert_eq!(calculate("plus", (150, 2), (5, 1)), Some((Some(200), 2)));
        assert_eq!(calculate("minus", (1, 0), (25, 2)), Some((Some(75), 2)));
        assert_eq!(calculate("times", (-15, 1), (25, 2)), Some((Some(-375), 3)));
        assert_eq!(calculate("plus", (most, 0), (1, 0)), None);
        assert_eq!(calculate("minus", (most, 0), (0, 1)), None);
        assert_eq!(calculate("times", (most, 0), (2, 0)), None);
        assert_eq!(calculate("times", (1, 12), (1, 10)), Some((Some(1), 22)));
        assert_eq!(calculate("times", (1, 12), (1, 11)), None);
        assert_eq!(calculate("over", (1, 0), (1, 0)), None);
    }
}
