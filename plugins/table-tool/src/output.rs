//! Builds columns of results in the narrowest form that holds them.

use crate::cell::Cell;
use crate::exact::{MAX_UNITS, TooLong};
use crate::number::Number;
use crate::problem::Problems;
use mitt_guest::tables::{Bits, Cell as HostCell, Chunk, Decimal, Values};

/// Returns the path of a result by its row, for messages.
pub(crate) type At<'a> = &'a dyn Fn(usize) -> String;

/// A growing column.
pub(crate) struct Output {
    scale: u8,
    units: Units,
    validity: Bits,
}

enum Units {
    Narrow(Vec<i64>),
    Wide(Vec<i128>),
    /// The cells if the numbers do not fit in one form, or if a cell is not a number.
    Cells(Vec<HostCell>),
}

/// A narrow decimal has at most 18 digits, a wide one 38.
const MAX_NARROW: u128 = 10u128.pow(18);
const MAX_WIDE: u128 = 10u128.pow(38);

impl Output {
    /// Makes an empty column. `scale` is that of most numbers; a number with a larger one rewrites the column.
    pub(crate) fn new(scale: u32, n_rows: usize) -> Output {
        let units = Units::Narrow(Vec::with_capacity(n_rows));
        Output { scale: scale.min(18) as u8, units, validity: Bits::default() }
    }

    pub(crate) fn push_null(&mut self) {
        self.validity.push(false);
        match &mut self.units {
            Units::Narrow(units) => units.push(0),
            Units::Wide(units) => units.push(0),
            Units::Cells(cells) => cells.push(HostCell::Null),
        }
    }

    /// Appends a number without its point, which is before the last `scale` digits.
    pub(crate) fn push_units(&mut self, units: i128, scale: u8) {
        let (mut units, mut scale) = (units, scale);
        while scale > self.scale && units % 10 == 0 {
            (units, scale) = (units / 10, scale - 1);
        }
        if scale > self.scale {
            self.rescale(scale);
        }
        let factor = 10i128.checked_pow(u32::from(self.scale.saturating_sub(scale)));
        match factor.and_then(|factor| units.checked_mul(factor)) {
            Some(aligned) if self.scale >= scale && self.push_aligned(aligned) => {}
            _ => {
                self.make_cells().push(HostCell::Number(Decimal { units, scale }.text()));
                self.validity.push(true);
            }
        }
    }

    pub(crate) fn push(&mut self, number: &Number) {
        match number {
            Number::Exact(decimal) => self.push_units(decimal.mantissa(), decimal.scale() as u8),
            Number::Long(_) => self.push_cell(&Cell::Number(number.clone())),
        }
    }

    /// Appends a cell of any type.
    pub(crate) fn push_cell(&mut self, cell: &Cell) {
        match cell {
            Cell::Null => self.push_null(),
            Cell::Number(number @ Number::Exact(_)) => self.push(number),
            other => {
                self.make_cells().push(HostCell::from(other));
                self.validity.push(true);
            }
        }
    }

    /// Appends a result. If it is too long, adds a problem with the path from `at`.
    pub(crate) fn push_result(
        &mut self,
        result: Result<Option<Number>, TooLong>,
        problems: &mut Problems,
        at: At<'_>,
    ) {
        match result {
            Ok(Some(number)) => self.push(&number),
            Ok(None) => self.push_null(),
            Err(TooLong) => {
                let row_idx = self.validity.len();
                problems.argument(|| format!("{}: {}", at(row_idx), TooLong::TEXT));
                self.push_null();
            }
        }
    }

    /// Does what [`Output::push_units`] does for a calculated number. If it is too long, returns an error and changes
    /// nothing.
    pub(crate) fn push_calculated(&mut self, units: i128, scale: u8) -> Result<(), TooLong> {
        if units.unsigned_abs() >= MAX_UNITS as u128 || scale > 28 {
            return Err(TooLong);
        }
        self.push_units(units, scale);
        Ok(())
    }

    pub(crate) fn finish(self) -> Chunk {
        let scale = self.scale;
        let values = match self.units {
            Units::Narrow(units) if scale == 0 => Values::Integers(units),
            Units::Narrow(units) => Values::Decimals { scale, units },
            Units::Wide(units) => Values::WideDecimals { scale, units },
            Units::Cells(cells) => return Chunk::from_cells(cells),
        };
        Chunk::new(values, self.validity)
    }

    fn push_aligned(&mut self, aligned: i128) -> bool {
        let size = aligned.unsigned_abs();
        if let Units::Narrow(units) = &mut self.units {
            if size < MAX_NARROW {
                units.push(aligned as i64);
                self.validity.push(true);
                return true;
            }
            self.units = Units::Wide(units.iter().map(|units| i128::from(*units)).collect());
        }
        match &mut self.units {
            Units::Wide(units) if size < MAX_WIDE => {
                units.push(aligned);
                self.validity.push(true);
                true
            }
            _ => false,
        }
    }

    /// Increases the scale of all numbers.
    fn rescale(&mut self, scale: u8) {
        let factor = 10i128.checked_pow(u32::from(scale - self.scale));
        let wide: Option<Vec<i128>> = match &self.units {
            Units::Narrow(units) => {
                let scaled = |units: &i64| i128::from(*units).checked_mul(factor?);
                units.iter().map(scaled).collect()
            }
            Units::Wide(units) => units.iter().map(|units| units.checked_mul(factor?)).collect(),
            Units::Cells(_) => return,
        };
        let fits = |bound: u128| move |units: &i128| units.unsigned_abs() < bound;
        match wide.filter(|wide| scale <= 38 && wide.iter().all(fits(MAX_WIDE))) {
            Some(wide) => {
                self.scale = scale;
                self.units = if scale <= 18 && wide.iter().all(fits(MAX_NARROW)) {
                    Units::Narrow(wide.into_iter().map(|units| units as i64).collect())
                } else {
                    Units::Wide(wide)
                };
            }
            None => {
                self.make_cells();
            }
        }
    }

    /// Converts the numbers so far to cells once, and returns the cells.
    fn make_cells(&mut self) -> &mut Vec<HostCell> {
        let cell = |(row, units): (usize, i128)| {
            if self.validity.get(row) {
                HostCell::Number(Decimal { units, scale: self.scale }.text())
            } else {
                HostCell::Null
            }
        };
        let cells = match &self.units {
            Units::Cells(_) => None,
            Units::Narrow(units) => {
                Some(units.iter().map(|units| i128::from(*units)).enumerate().map(cell).collect())
            }
            Units::Wide(units) => Some(units.iter().copied().enumerate().map(cell).collect()),
        };
        if let Some(cells) = cells {
            self.units = Units::Cells(cells);
        }
        match &mut self.units {
            Units::Cells(cells) => cells,
            Units::Narrow(_) | Units::Wide(_) => unreachable!("they were turned into cells"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_numbers_come_out_as_they_went_in(lexemes in prop::collection::vec("-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,20})?", 0..12), hint in 0u32..8) {
            let mut output = Output::new(hint, 0);
            let mut wanted = Vec::new();
            for (i, lexeme) in lexemes.iter().enumerate() {
                if i % 4 == 3 {
                    output.push_null();
                    wanted.push(Cell::Null);
                }
                let number = Number::from_json(lexeme).unwrap();
                output.push(&number);
                wanted.push(Cell::Number(number));
            }
            let chunk = output.finish();
            let found: Vec<Cell> = (0..chunk.len()).map(|row| Cell::try_from(chunk.cell(row)).unwrap()).collect();
            prop_assert_eq!(found, wanted);
        }
    }
}
