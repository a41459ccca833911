//! Conditions over columns, in the logic of three values of SQL.

use super::batch::{At, Batch, FALSE, Parts, TRUE, UNKNOWN};
use crate::bindings::mitt::host::tables::{Chunk, Values};
use crate::calendar::parse_date;
use crate::columns::{is_valid, reference, text_at, value};
use rusqlite::types::ValueRef;
use std::cmp::Ordering;

/// A comparison of a column, at the left, with a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl Comparison {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "eq" => Self::Equal,
            "ne" => Self::Unequal,
            "lt" => Self::Less,
            "le" => Self::AtMost,
            "gt" => Self::Greater,
            "ge" => Self::AtLeast,
            _ => return None,
        })
    }

    /// Returns the comparison with its sides exchanged.
    pub(super) fn turned(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::AtMost => Self::AtLeast,
            Self::Greater => Self::Less,
            Self::AtLeast => Self::AtMost,
            same => same,
        }
    }

    #[inline]
    fn holds(self, order: Ordering) -> u8 {
        u8::from(match self {
            Self::Equal => order.is_eq(),
            Self::Unequal => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::AtMost => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::AtLeast => order.is_ge(),
        })
    }
}

/// A condition whose types are checked.
pub(super) enum Condition {
    /// A comparison with null.
    Unknown,
    Whole(At, Comparison, i64),
    Real(At, Comparison, f64),
    Text(At, Comparison, Vec<u8>),
    Null(At),
    And(Box<[Condition; 2]>),
    Or(Box<[Condition; 2]>),
    Not(Box<Condition>),
}

impl Condition {
    /// Calls `visit` with each column.
    pub(super) fn columns(&self, visit: &mut dyn FnMut(At)) {
        match self {
            Self::Unknown => {}
            Self::Whole(at, ..) | Self::Real(at, ..) | Self::Text(at, ..) | Self::Null(at) => {
                visit(*at);
            }
            Self::And(sides) | Self::Or(sides) => {
                sides.iter().for_each(|side| side.columns(visit));
            }
            Self::Not(inner) => inner.columns(visit),
        }
    }

    /// Returns the truth for each row of a batch.
    pub(super) fn truths(&self, parts: &Parts, batch: &Batch) -> Vec<u8> {
        match self {
            Self::Unknown => vec![UNKNOWN; batch.length],
            Self::Whole(at, comparison, wanted) => {
                let part = parts.get(*at);
                let rows = &batch.rows[at.table];
                if let Values::Integers(items) = &part.values
                    && part.validity.is_empty()
                {
                    let truth = |row: &u32| comparison.holds(items[*row as usize].cmp(wanted));
                    return rows.iter().map(truth).collect();
                }
                each(part, rows, |value| match value {
                    ValueRef::Integer(number) => comparison.holds(number.cmp(wanted)),
                    _ => UNKNOWN,
                })
            }
            Self::Real(at, comparison, wanted) => {
                each(parts.get(*at), &batch.rows[at.table], |value| match value {
                    ValueRef::Real(number) => {
                        number.partial_cmp(wanted).map_or(UNKNOWN, |order| comparison.holds(order))
                    }
                    _ => UNKNOWN,
                })
            }
            Self::Text(at, comparison, wanted) => {
                texts(parts.get(*at), &batch.rows[at.table], *comparison, wanted)
            }
            Self::Null(at) => each(parts.get(*at), &batch.rows[at.table], |value| {
                let is_null = match value {
                    ValueRef::Null => true,
                    // SQLite makes null of it.
                    ValueRef::Real(number) => number.is_nan(),
                    _ => false,
                };
                is_null.into()
            }),
            Self::And(sides) => both(parts, batch, sides, |left, right| match (left, right) {
                (FALSE, _) | (_, FALSE) => FALSE,
                (TRUE, TRUE) => TRUE,
                _ => UNKNOWN,
            }),
            Self::Or(sides) => both(parts, batch, sides, |left, right| match (left, right) {
                (TRUE, _) | (_, TRUE) => TRUE,
                (FALSE, FALSE) => FALSE,
                _ => UNKNOWN,
            }),
            Self::Not(inner) => {
                let not = |truth: u8| [TRUE, FALSE, UNKNOWN][usize::from(truth)];
                inner.truths(parts, batch).into_iter().map(not).collect()
            }
        }
    }
}

fn both(
    parts: &Parts,
    batch: &Batch,
    sides: &[Condition; 2],
    together: impl Fn(u8, u8) -> u8,
) -> Vec<u8> {
    let mut left = sides[0].truths(parts, batch);
    let right = sides[1].truths(parts, batch);
    left.iter_mut().zip(right).for_each(|(left, right)| *left = together(*left, right));
    left
}

fn each(part: &Chunk, rows: &[u32], truth: impl Fn(ValueRef<'_>) -> u8) -> Vec<u8> {
    rows.iter().map(|row| truth(reference(&value(part, *row as usize)))).collect()
}

/// Compares texts. One of a dictionary is compared once.
fn texts(part: &Chunk, rows: &[u32], comparison: Comparison, wanted: &[u8]) -> Vec<u8> {
    let one_by_one = |value: ValueRef<'_>| match value {
        ValueRef::Text(text) => comparison.holds(text.cmp(wanted)),
        _ => UNKNOWN,
    };
    if let Values::Dates(days) = &part.values {
        let wanted_day = std::str::from_utf8(wanted).ok().and_then(parse_date);
        let truth = |row: &u32| {
            let row = *row as usize;
            match wanted_day {
                // Dates are in the order of their texts.
                Some(wanted) if is_valid(part, row) => comparison.holds(days[row].cmp(&wanted)),
                Some(_) => UNKNOWN,
                None => one_by_one(reference(&value(part, row))),
            }
        };
        return rows.iter().map(truth).collect();
    }
    let Values::Dictionary(dictionary) = &part.values else {
        return each(part, rows, one_by_one);
    };
    let n_texts = dictionary.values.offsets.len().saturating_sub(1);
    if n_texts > rows.len() {
        return each(part, rows, one_by_one);
    }
    let known: Vec<_> = (0..n_texts)
        .map(|text| comparison.holds(text_at(&dictionary.values, text).cmp(wanted)))
        .collect();
    let truth = |row: &u32| {
        let row = *row as usize;
        if is_valid(part, row) { known[dictionary.keys[row] as usize] } else { UNKNOWN }
    };
    rows.iter().map(truth).collect()
}

#[cfg(test)]
mod tests {
    use super::Comparison;
    use std::cmp::Ordering::{Equal, Greater, Less};

    #[test]
    fn a_turned_comparison_says_the_same() {
        for name in ["eq", "ne", "lt", "le", "gt", "ge"] {
            let comparison = Comparison::named(name).unwrap();
            for order in [Less, Equal, Greater] {
                assert_eq!(
                    comparison.holds(order),
                    comparison.turned().holds(order.reverse()),
                    "{name}"
                );
            }
        }
        assert_eq!(Comparison::named("is"), None);
    }
}
