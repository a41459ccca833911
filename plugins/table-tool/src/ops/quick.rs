//! Expressions over small numbers, with fractions of 128 bits. If these do not suffice, the exact way is used.

use crate::column::Numbers;
use crate::exact::product;
use mitt_arithmetic::Node;
use num_traits::ToPrimitive;
use std::cmp::Ordering;

/// The value of an expression for a row.
pub(super) struct Quick {
    /// `None` if an operand is null or a divisor is zero.
    pub(super) value: Option<Small>,
    pub(super) divided_by_zero: bool,
}

/// A fraction.
///
/// Invariant: the denominator is positive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Small {
    pub(super) numer: i128,
    pub(super) denom: i128,
}

/// The error of a number that does not fit, or an operation that is not supported here.
struct NotHere;

impl Quick {
    /// Calculates an expression. `None` if numbers become too long, or if the expression rounds.
    pub(super) fn of(root: &Node, operands: &[Numbers<'_>], row_idx: usize) -> Option<Quick> {
        let mut row = Row { operands, row_idx, divided_by_zero: false };
        let value = row.value(root).ok()?;
        Some(Quick { value, divided_by_zero: row.divided_by_zero })
    }
}

struct Row<'a> {
    operands: &'a [Numbers<'a>],
    row_idx: usize,
    divided_by_zero: bool,
}

impl Row<'_> {
    fn value(&mut self, node: &Node) -> Result<Option<Small>, NotHere> {
        Ok(match node {
            Node::Literal(value) => {
                let parts = value.numer.to_i128().zip(value.denom.to_i128());
                Some(parts.map(|(numer, denom)| Small { numer, denom }).ok_or(NotHere)?)
            }
            Node::Column(idx) => match self.operands[*idx].get(self.row_idx) {
                Some(number) => Some(Small {
                    numer: number.mantissa(),
                    denom: 10i128.checked_pow(number.scale()).ok_or(NotHere)?,
                }),
                None => None,
            },
            Node::Negate(node) => self.value(node)?.map(Small::negated),
            Node::Abs(node) => {
                self.value(node)?.map(|value| if value.numer < 0 { value.negated() } else { value })
            }
            Node::Round(..) | Node::Over(..) => return Err(NotHere),
            Node::Min(nodes) => self.extreme(nodes, Ordering::Less)?,
            Node::Max(nodes) => self.extreme(nodes, Ordering::Greater)?,
            Node::Coalesce(nodes) => {
                for node in nodes {
                    if let Some(value) = self.value(node)? {
                        return Ok(Some(value));
                    }
                }
                None
            }
            Node::Binary(operator, left, right) => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                let Some((left, right)) = left.zip(right) else { return Ok(None) };
                let value = match operator {
                    '+' => left.plus(right),
                    '-' => left.plus(right.negated()),
                    '*' => left.times(right.numer, right.denom),
                    _ if right.numer == 0 => {
                        self.divided_by_zero = true;
                        return Ok(None);
                    }
                    _ if right.numer < 0 => left.negated().times(right.denom, -right.numer),
                    _ => left.times(right.denom, right.numer),
                };
                Some(value.ok_or(NotHere)?)
            }
        })
    }

    fn extreme(&mut self, nodes: &[Node], wanted: Ordering) -> Result<Option<Small>, NotHere> {
        let mut best: Option<Small> = None;
        let mut is_null = false;
        for node in nodes {
            match (self.value(node)?, best) {
                (None, _) => is_null = true,
                (value, None) => best = value,
                (Some(value), Some(known)) => {
                    if value.compared(known).ok_or(NotHere)? == wanted {
                        best = Some(value);
                    }
                }
            }
            // The exact way also stops at a null, and does not report a division by zero after it.
            if is_null {
                return Ok(None);
            }
        }
        Ok(best)
    }
}

impl Small {
    /// Negates the fraction. Units have fewer than 128 bits, so that their negative exists.
    fn negated(self) -> Small {
        Small { numer: self.numer.saturating_neg(), denom: self.denom }
    }

    fn plus(self, other: Small) -> Option<Small> {
        if self.denom == other.denom {
            return Some(Small { numer: self.numer.checked_add(other.numer)?, denom: self.denom });
        }
        let (left, right) = (product(self.numer, other.denom)?, product(other.numer, self.denom)?);
        Some(Small { numer: left.checked_add(right)?, denom: product(self.denom, other.denom)? })
    }

    /// Multiplies by a fraction. `denom` is positive.
    fn times(self, numer: i128, denom: i128) -> Option<Small> {
        Some(Small { numer: product(self.numer, numer)?, denom: product(self.denom, denom)? })
    }

    fn compared(self, other: Small) -> Option<Ordering> {
        let (left, right) = (product(self.numer, other.denom)?, product(other.numer, self.denom)?);
        Some(left.cmp(&right))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::Column;
    use crate::exact::{ratio, round};
    use crate::fraction::Fraction;
    use crate::problem::Problems;
    use mitt_arithmetic::{Context, parse};
    use mitt_guest::tables::{Chunk, Values};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_quick_way_is_the_exact_way(a in -1_000i64..1_000, b in prop::option::of(any::<i64>()), which in 0usize..6) {
            let expression = [
                "[a] + [b] * 2", "[a] / [b] - 0.5", "max([a], [b] / 3) - min([a], -[b])",
                "coalesce([b], [a]) / ([a] - 7)", "abs([a] * [b])", "-[a] / -[b] / 3",
            ][which];
            let parsed = parse(expression).unwrap();
            let columns: Vec<Column> = parsed.columns.iter().map(|name| {
                let chunk = match name.as_str() {
                    "a" => Chunk::from(Values::Decimals { scale: 2, units: vec![a] }),
                    _ => Chunk::integers([b]),
                };
                Column::new("data", name.clone(), chunk).unwrap()
            }).collect();
            let mut problems = Problems::default();
            let operands: Vec<Numbers<'_>> = columns.iter().map(|column| column.numbers(&mut problems)).collect();
            let fractions = operands.iter().map(|numbers| numbers.get(0).map(Fraction::from)).collect();
            let mut context = Context { columns: fractions, divided_by_zero: false };
            let exact = parsed.root.value(&mut context);
            if let Some(quick) = Quick::of(&parsed.root, &operands, 0) {
                prop_assert_eq!(quick.divided_by_zero, context.divided_by_zero);
                prop_assert_eq!(quick.value.is_some(), exact.is_some());
                if let Some((quick, exact)) = quick.value.zip(exact)
                    && let Some(units) = ratio(quick.numer, quick.denom, 6)
                {
                    let number = round(&exact, 6).unwrap();
                    let units = rust_decimal::Decimal::from_i128_with_scale(units, 6);
                    prop_assert_eq!(crate::number::Number::from(units), number);
                }
            }
        }
    }
}
