//! A column with all its cells.

use crate::cell::Cell;
use crate::number::Number;
use crate::problem::{Failure, Problems};
use crate::table::place;
use mitt_guest::tables::{Chunk, Decimal as Reading, Values, float_text};
use rust_decimal::Decimal;
use std::borrow::Cow;

/// The hint for columns with text among numbers.
pub(crate) const PARSE_HINT: &str = "hint: `parse-numbers` turns text into numbers";

/// A column.
pub(crate) struct Column {
    pub(crate) name: String,
    /// The values, without floats, which become decimals, and without mixed ones.
    pub(crate) chunk: Chunk,
    /// `true` if the column of the host has floating point numbers.
    pub(crate) is_float: bool,
    /// The cells if their types differ. `chunk` is empty then.
    mixed: Option<Vec<Cell>>,
}

impl Column {
    /// Makes a column. `table` is the parameter with the table, for messages.
    pub(crate) fn new(table: &str, name: String, chunk: Chunk) -> Result<Column, Failure> {
        let is_float = matches!(chunk.values, Values::Floats(_));
        let chunk = if is_float { decimals_of_floats(chunk) } else { chunk };
        let Values::Mixed(cells) = chunk.values else {
            return Ok(Column { name, chunk, is_float, mixed: None });
        };
        let (n_rows, mut problems) = (cells.len(), Problems::default());
        let mut mixed = Vec::with_capacity(n_rows);
        for (row_idx, cell) in cells.into_iter().enumerate() {
            mixed.push(Cell::try_from(cell).unwrap_or_else(|text| {
                problems.argument(|| format!("{}: {text}", place(table, row_idx, &name)));
                Cell::Null
            }));
        }
        problems.check()?;
        let chunk = Chunk::from(Values::Empty(n_rows));
        Ok(Column { name, chunk, is_float, mixed: Some(mixed) })
    }

    /// Makes a column for comparisons only, without a name.
    pub(crate) fn of_chunk(chunk: Chunk) -> Column {
        Column { name: String::new(), chunk, is_float: false, mixed: None }
    }

    /// Does what [`Column::of_chunk`] does for cells of different types.
    pub(crate) fn of_cells(cells: Vec<Cell>) -> Column {
        let chunk = Chunk::from(Values::Empty(cells.len()));
        Column { name: String::new(), chunk, is_float: false, mixed: Some(cells) }
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.chunk.len()
    }

    pub(crate) fn n_nulls(&self) -> usize {
        match &self.mixed {
            Some(cells) => cells.iter().filter(|cell| cell.is_null()).count(),
            None => self.chunk.n_nulls(),
        }
    }

    pub(crate) fn is_null(&self, row_idx: usize) -> bool {
        match &self.mixed {
            Some(cells) => cells[row_idx].is_null(),
            None => self.chunk.is_null(row_idx),
        }
    }

    /// Returns the cells if their types differ.
    pub(crate) fn mixed(&self) -> Option<&[Cell]> {
        self.mixed.as_deref()
    }

    pub(crate) fn is_temporal(&self) -> bool {
        matches!(self.chunk.values, Values::Dates(_) | Values::Times(_) | Values::DateTimes(_))
    }

    /// Returns the cells as integers in the same order: dates, times, whole numbers, narrow decimals without their point,
    /// booleans. `None` for other types.
    pub(crate) fn ordered(&self) -> Option<Cow<'_, [i64]>> {
        Some(match &self.chunk.values {
            Values::Integers(values)
            | Values::Decimals { units: values, .. }
            | Values::Times(values)
            | Values::DateTimes(values) => Cow::Borrowed(values),
            Values::Dates(days) => days.iter().map(|days| i64::from(*days)).collect(),
            Values::Booleans(bits) => (0..bits.len()).map(|row| i64::from(bits.get(row))).collect(),
            _ => return None,
        })
    }

    /// Returns the cell of a row.
    pub(crate) fn cell(&self, row_idx: usize) -> Cell {
        if let Some(cells) = &self.mixed {
            return cells[row_idx].clone();
        }
        if self.chunk.is_null(row_idx) {
            return Cell::Null;
        }
        match &self.chunk.values {
            Values::Booleans(bits) => Cell::Boolean(bits.get(row_idx)),
            Values::Integers(values) => Cell::Number(decimal(values[row_idx], 0).into()),
            Values::Decimals { scale, units } => {
                Cell::Number(decimal(units[row_idx], *scale).into())
            }
            Values::WideDecimals { scale, units } => Cell::Number(wide(units[row_idx], *scale)),
            Values::Texts(texts) => Cell::text(texts.get(row_idx)),
            Values::Dictionary { keys, values } => Cell::text(values.get(keys[row_idx] as usize)),
            Values::Dates(days) => Cell::Date(days[row_idx]),
            Values::Times(micros) => Cell::Time(micros[row_idx]),
            Values::DateTimes(micros) => Cell::DateTime(micros[row_idx]),
            Values::Empty(_) | Values::Mixed(_) | Values::Floats(_) => Cell::Null,
        }
    }

    /// Returns the type name of all cells that are not null; `None` if there are no such cells or several types.
    pub(crate) fn only_type(&self) -> Option<&'static str> {
        match &self.mixed {
            Some(cells) => {
                let mut types = cells.iter().filter(|cell| !cell.is_null()).map(Cell::type_name);
                let first = types.next()?;
                types.all(|other| other == first).then_some(first)
            }
            None => {
                let first = (0..self.n_rows()).find(|row| !self.chunk.is_null(*row))?;
                Some(self.cell(first).type_name())
            }
        }
    }

    /// Returns the numbers of the column. Every other value is a problem.
    pub(crate) fn numbers(&self, problems: &mut Problems) -> Numbers<'_> {
        let units = match &self.chunk.values {
            Values::Integers(units) => Units::Narrow { units, scale: 0 },
            Values::Decimals { scale, units } => Units::Narrow { units, scale: *scale },
            _ => Units::Exact(
                (0..self.n_rows()).map(|row_idx| self.number(row_idx, problems)).collect(),
            ),
        };
        Numbers { chunk: &self.chunk, units, is_float: self.is_float }
    }

    /// Returns the number in a cell; `None` for null and for problems.
    fn number(&self, row_idx: usize, problems: &mut Problems) -> Option<Decimal> {
        let cell = self.cell(row_idx);
        let at = || place("data", row_idx, &self.name);
        match &cell {
            Cell::Null => return None,
            Cell::Number(number) => match number.exact() {
                Some(decimal) => return Some(decimal),
                None => match number.rounded().filter(|_| self.is_float) {
                    Some(decimal) => return Some(decimal),
                    None => problems.argument(|| format!("{}: expected a number of at most 28 significant digits and decimals, got `{}`", at(), number.lexeme())),
                },
            },
            other => {
                problems.argument(|| {
                    format!("{}: expected a number or null, got {}", at(), other.show())
                });
                if let Cell::Text(_) = other {
                    problems.note(|| PARSE_HINT.to_owned());
                }
            }
        }
        None
    }

    /// Reports cells without an order and columns of several types as problems.
    pub(crate) fn check_order(&self, problems: &mut Problems) {
        let is_boolean = matches!(self.chunk.values, Values::Booleans(_));
        if !is_boolean && self.mixed.is_none() {
            return;
        }
        let mut first: Option<Cell> = None;
        for row_idx in 0..self.n_rows() {
            let cell = self.cell(row_idx);
            let at = || place("data", row_idx, &self.name);
            match (&cell, &first) {
                (Cell::Null, _) => {}
                (Cell::Boolean(_), _) => problems.argument(|| {
                    format!("{}: expected a number, a text or null, got {}", at(), cell.show())
                }),
                (_, None) => first = Some(cell),
                (_, Some(first)) if cell.compare(first).is_none() => problems.argument(|| {
                    let type_name = first.type_name();
                    format!(
                        "{}: expected a {type_name} like the cells above, got {}",
                        at(),
                        cell.show()
                    )
                }),
                _ => {}
            }
        }
    }

    /// Adds the warning of calculations with floating point numbers.
    pub(crate) fn warn_of_floats(&self, warnings: &mut Vec<String>) {
        if self.is_float {
            warnings.push(format!("column {} holds binary floating point numbers: they were calculated with as the shortest decimals that stand for them", crate::problem::quote(&self.name)));
        }
    }
}

/// The numbers of a column.
pub(crate) struct Numbers<'a> {
    chunk: &'a Chunk,
    units: Units<'a>,
    /// `true` if the numbers were floating point numbers.
    pub(crate) is_float: bool,
}

enum Units<'a> {
    /// A slot of a null holds any number.
    Narrow {
        units: &'a [i64],
        scale: u8,
    },
    Exact(Vec<Option<Decimal>>),
}

impl<'a> Numbers<'a> {
    /// Returns the numbers without their point, and their scale, if they are narrow. A null may hold any number.
    pub(crate) fn narrow(&self) -> Option<(&'a [i64], u8)> {
        match self.units {
            Units::Narrow { units, scale } => Some((units, scale)),
            Units::Exact(_) => None,
        }
    }

    /// Returns `true` if a number may be null.
    pub(crate) fn has_nulls(&self) -> bool {
        self.chunk.validity.is_some() || matches!(self.units, Units::Exact(_))
    }

    pub(crate) fn is_null(&self, row_idx: usize) -> bool {
        match &self.units {
            Units::Narrow { .. } => self.chunk.is_null(row_idx),
            Units::Exact(numbers) => numbers[row_idx].is_none(),
        }
    }

    pub(crate) fn get(&self, row_idx: usize) -> Option<Decimal> {
        match &self.units {
            Units::Narrow { units, scale } => {
                (!self.chunk.is_null(row_idx)).then(|| decimal(units[row_idx], *scale))
            }
            Units::Exact(numbers) => numbers[row_idx],
        }
    }
}

/// Converts a narrow decimal, which always fits.
fn decimal(units: i64, scale: u8) -> Decimal {
    Decimal::from_i128_with_scale(units.into(), scale.into())
}

fn wide(units: i128, scale: u8) -> Number {
    let digits = units.unsigned_abs().to_string();
    // The exponent is small, so this never fails.
    Number::from_parts(units < 0, &digits, -i64::from(scale)).unwrap_or(Number::ZERO)
}

/// Converts each float to the shortest decimal that reads back as it. Most are found without formatting.
fn decimals_of_floats(chunk: Chunk) -> Chunk {
    let Values::Floats(values) = &chunk.values else { return chunk };
    let is_value = |row: usize| !chunk.is_null(row) && values[row].is_finite();
    let quick = || {
        let mut readings = Vec::with_capacity(values.len());
        for (row, value) in values.iter().enumerate() {
            readings.push(if is_value(row) { short_decimal(*value)? } else { (0, 0) });
        }
        let scale = readings.iter().map(|(_, scale)| *scale).max().unwrap_or(0);
        let units = readings.iter().map(|(units, own)| {
            let units = units.checked_mul(10i64.checked_pow(u32::from(scale - own))?)?;
            (units.unsigned_abs() < 10u64.pow(18)).then_some(units)
        });
        Some(Values::Decimals { scale, units: units.collect::<Option<_>>()? })
    };
    match quick() {
        Some(values) => Chunk::new(values, (0..chunk.len()).map(is_value).collect()),
        None => Chunk::from_cells((0..chunk.len()).map(|row| chunk.cell(row)).collect()),
    }
}

/// Returns units and scale of a float that stands for a decimal of at most 15 digits.
fn short_decimal(value: f64) -> Option<(i64, u8)> {
    let mut power = 1.0;
    for scale in 0..=15 {
        let units = (value * power).round();
        if units.abs() >= 1e15 {
            return None;
        }
        // At most one decimal with so few digits is nearest to a float.
        if units / power == value {
            return Some((units as i64, scale));
        }
        power *= 10.0;
    }
    // A tiny number has few digits, but many zeros before them.
    let reading = Reading::parse(&float_text(value)?)?;
    Some((i64::try_from(reading.units).ok()?, (reading.scale <= 18).then_some(reading.scale)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn floats_stand_for_their_shortest_decimals() {
        let floats = vec![0.1, 1.5, -2.25, 3.0, f64::NAN, 0.000_001];
        let column = Column::new("data", "f".into(), Chunk::from(Values::Floats(floats))).unwrap();
        assert!(
            column.is_float && matches!(column.chunk.values, Values::Decimals { scale: 6, .. })
        );
        let shown: Vec<String> = (0..6).map(|row| column.cell(row).plain()).collect();
        assert_eq!(shown, ["0.1", "1.5", "-2.25", "3", "null", "0.000001"]);
        let far = Values::Floats(vec![1e300, 1e-300, 0.1 + 0.2]);
        let column = Column::new("data", "f".into(), Chunk::from(far)).unwrap();
        let shown: Vec<String> = (0..3).map(|row| column.cell(row).plain()).collect();
        assert_eq!(shown, ["1e300", "1e-300", "0.30000000000000004"]);
        let mut problems = Problems::default();
        let numbers = column.numbers(&mut problems);
        assert_eq!(numbers.get(1), Some(Decimal::ZERO));
        assert!(
            problems
                .check()
                .unwrap_err()
                .message
                .contains("data.rows[0].f: expected a number of at most 28")
        );
    }

    proptest! {
        #[test]
        fn a_short_decimal_is_the_shortest(value in prop::num::f64::NORMAL | prop::num::f64::ZERO, cents in -1_000_000_000i64..1_000_000_000) {
            for value in [value, cents as f64 / 100.0, cents as f64] {
                if let Some((units, scale)) = short_decimal(value) {
                    let text = Reading { units: units.into(), scale }.text();
                    prop_assert_eq!(Some(Reading::parse(&text)), float_text(value).map(|text| Reading::parse(&text)));
                }
            }
        }
    }
}
