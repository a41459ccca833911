//! Facts about a column, collected in one pass over its cells, for totals, number formats and widths.

use crate::held::{held_by_cell, units_held_by_cell};
use crate::number::decimal;
use mitt_guest::tables::{Bits, Chunk, Decimal as Exact, Values, float_text};
use rust_decimal::Decimal;

/// The value of a cell for totals, formulas and formats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    Empty,
    Number(Decimal),
    /// The serial number of a date.
    Date(Decimal),
    /// Text or a boolean.
    Filled,
    /// A number with too many digits for a cell of Excel. The host writes it as text.
    TooLong,
    /// A number of more than 28 digits, or a formula whose value only Excel can calculate.
    Unknown,
}

/// The facts about a column.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Facts {
    pub(crate) rows: usize,
    /// Cells that are not empty.
    pub(crate) filled: usize,
    pub(crate) numbers: usize,
    pub(crate) dates: usize,
    /// `true` if only Excel can calculate the value of a cell.
    pub(crate) has_unknown: bool,
    /// The first row, from 0, whose number has too many digits for a cell.
    pub(crate) too_long: Option<usize>,
    /// The sum of numbers and dates; `None` if it has more than 28 digits.
    pub(crate) sum: Option<Decimal>,
    pub(crate) min: Option<Decimal>,
    pub(crate) max: Option<Decimal>,
    /// Most decimals of a number as written. `shortest_scale` does not count trailing zeros.
    pub(crate) scale: u32,
    pub(crate) shortest_scale: u32,
    /// The smallest absolute value of a number other than 0; only if numbers have more decimals than are shown.
    pub(crate) smallest: Option<Decimal>,
    /// Width of the widest text.
    pub(crate) width: usize,
}

/// A cell holds every number whose digits, read as an integer, are below this.
const LONG: u64 = 10_u64.pow(15);
/// Most decimals that an automatic format shows.
const SHOWN_DIGITS: u32 = 6;

impl Facts {
    /// Returns the facts about a column without rows.
    pub(crate) fn new() -> Facts {
        Facts { sum: Some(Decimal::ZERO), ..Facts::default() }
    }

    #[cfg(test)]
    pub(crate) fn of(values: &[Value]) -> Facts {
        let mut facts = Facts::new();
        values.iter().for_each(|value| facts.add(*value));
        facts
    }

    /// Adds the next cell.
    pub(crate) fn add(&mut self, value: Value) {
        self.filled += usize::from(value != Value::Empty);
        match value {
            Value::Number(number) => {
                self.numbers += 1;
                self.measure(number);
                self.scale = self.scale.max(number.scale());
                self.shortest_scale = self.shortest_scale.max(number.normalize().scale());
                if self.scale > SHOWN_DIGITS && !number.is_zero() {
                    let size = number.abs();
                    self.smallest = Some(self.smallest.map_or(size, |least| least.min(size)));
                }
            }
            Value::Date(serial) => {
                self.dates += 1;
                self.measure(serial);
            }
            Value::TooLong => self.too_long = self.too_long.or(Some(self.rows)),
            Value::Unknown => self.has_unknown = true,
            Value::Empty | Value::Filled => {}
        }
        self.rows += 1;
    }

    fn measure(&mut self, number: Decimal) {
        self.sum = self.sum.and_then(|sum| sum.checked_add(number));
        self.extend(number);
    }

    fn extend(&mut self, number: Decimal) {
        self.min = Some(self.min.map_or(number, |least| least.min(number)));
        self.max = Some(self.max.map_or(number, |most| most.max(number)));
    }

    /// Adds whole numbers or decimals of one scale. If one of them may be too long, examines each separately.
    pub(crate) fn add_units(&mut self, units: &[i64], scale: u8, validity: Option<&Bits>) {
        let is_valid = |index: usize| validity.is_none_or(|bits| bits.get(index));
        let (mut least, mut most, mut sum, mut count) = (i64::MAX, i64::MIN, 0_i128, 0);
        match validity {
            None => {
                for unit in units {
                    (least, most) = (least.min(*unit), most.max(*unit));
                    sum += i128::from(*unit);
                }
                count = units.len();
            }
            Some(_) => {
                for (index, unit) in units.iter().enumerate() {
                    if is_valid(index) {
                        (least, most) = (least.min(*unit), most.max(*unit));
                        sum += i128::from(*unit);
                        count += 1;
                    }
                }
            }
        }
        let is_long = count > 0 && (least.unsigned_abs() >= LONG || most.unsigned_abs() >= LONG);
        if is_long || scale > 6 {
            for (index, unit) in units.iter().enumerate() {
                self.add(if is_valid(index) {
                    of_units((*unit).into(), scale)
                } else {
                    Value::Empty
                });
            }
            return;
        }
        self.rows += units.len();
        self.filled += count;
        self.numbers += count;
        if count == 0 {
            return;
        }
        let of = |units: i128| Decimal::try_from_i128_with_scale(units, scale.into()).ok();
        self.sum = self.sum.and_then(|all| all.checked_add(of(sum)?));
        [least, most]
            .into_iter()
            .filter_map(|unit| of(unit.into()))
            .for_each(|number| self.extend(number));
        self.scale = self.scale.max(scale.into());
        self.shortest_scale = self.shortest_scale.max(scale.into());
    }

    /// Adds text and booleans, which only count as filled.
    pub(crate) fn add_filled(&mut self, rows: usize, filled: usize, width: usize) {
        self.rows += rows;
        self.filled += filled;
        self.width = self.width.max(width);
    }
}

/// Returns the value of a decimal of the host: [`Value::TooLong`] if a cell of Excel cannot hold it.
pub(crate) fn of_units(units: i128, scale: u8) -> Value {
    if units.unsigned_abs() >= u128::from(LONG) {
        let is_held = match i64::try_from(units) {
            Ok(units) => units_held_by_cell(units, scale),
            Err(_) => held_by_cell(&Exact { units, scale }.text()).is_some(),
        };
        if !is_held {
            return Value::TooLong;
        }
    }
    let Exact { units, scale } =
        if scale > 28 { shorter(units, scale) } else { Exact { units, scale } };
    Decimal::try_from_i128_with_scale(units, scale.into()).map_or(Value::Unknown, Value::Number)
}

fn shorter(mut units: i128, mut scale: u8) -> Exact {
    while scale > 0 && units % 10 == 0 {
        (units, scale) = (units / 10, scale - 1);
    }
    Exact { units, scale }
}

/// Returns the value of a floating point number, which a cell of Excel always holds.
pub(crate) fn of_float(value: f64) -> Value {
    match float_text(value) {
        Some(lexeme) => decimal(&lexeme).map_or(Value::Unknown, Value::Number),
        None => Value::Empty,
    }
}

/// Returns for each entry of a dictionary whether a cell uses it.
pub(crate) fn used(chunk: &Chunk) -> Vec<bool> {
    let Values::Dictionary { keys, values } = &chunk.values else { return Vec::new() };
    let mut used = vec![false; values.len()];
    for (index, key) in keys.iter().enumerate() {
        if !used[*key as usize] && !chunk.is_null(index) {
            used[*key as usize] = true;
        }
    }
    used
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_units_add_up_to_what_single_values_do() {
        let bits: Bits = [true, false, true, true].into_iter().collect();
        for (units, scale) in [
            (vec![1, 2, 3, -40], 0),
            (vec![125, 0, -5, 1_000], 2),
            (vec![1, 0, 2, 3], 9),
            (vec![i64::MAX, 7, 10_i64.pow(16), 0], 3),
        ] {
            for validity in [None, Some(&bits)] {
                let mut all = Facts::new();
                all.add_units(&units, scale, validity);
                let mut single = Facts::new();
                for (index, unit) in units.iter().enumerate() {
                    let is_valid = validity.is_none_or(|bits| bits.get(index));
                    single.add(if is_valid {
                        of_units((*unit).into(), scale)
                    } else {
                        Value::Empty
                    });
                }
                // `add_units` does not examine trailing zeros of single numbers.
                single.shortest_scale = all.shortest_scale;
                assert_eq!(all, single, "{units:?} {scale}");
            }
        }
    }
}
