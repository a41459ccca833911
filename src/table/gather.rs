//! Selects rows of a table by their numbers.

use std::sync::Arc;

use mitt_base::memory::Account;

use crate::cell::Cell;
use crate::chunk::Problem;
use crate::column::Column;
use crate::table::Table;
use crate::text::Texts;
use crate::validity::{Validity, bit, push_bit};
use crate::values::Values;

/// The number of a row of nulls.
pub const NO_ROW: u32 = u32::MAX;

impl Table {
    /// Returns the rows with these numbers, in this order; [`NO_ROW`] yields a row of nulls. Charges `account` before it
    /// copies.
    pub fn take(&self, rows: &[u32], account: &Account) -> Result<Table, Problem> {
        let most = self.rows();
        let wrong = rows.iter().find(|row| **row != NO_ROW && **row as usize >= most);
        if let Some(row) = wrong {
            return Err(Problem::Nothing("row", *row as usize, most));
        }
        if rows.len() > crate::build::MAX_ROWS {
            return Err(Problem::Rows);
        }
        let nulls = rows.contains(&NO_ROW);
        let mut columns = Vec::with_capacity(self.width());
        for (name, column) in self.columns() {
            let charge = account.charge(bytes(column, rows)?).map_err(Problem::Memory)?;
            let validity = if nulls || column.nulls() > 0 {
                validity(column, rows)
            } else {
                Validity::all(true, rows.len())
            };
            let taken = Column::new(gathered(column, rows), validity, Arc::new(charge));
            columns.push((name.to_owned(), taken));
        }
        Ok(Table::from_columns(columns, rows.len()))
    }
}

/// Returns the bytes that these rows of a column take.
fn bytes(column: &Column, rows: &[u32]) -> Result<u64, Problem> {
    let (values, start) = column.values();
    let at = |row: &&u32| (**row != NO_ROW).then(|| start + **row as usize);
    let each = match values {
        Values::Empty(_) => 0,
        Values::Booleans(..) => 1,
        Values::Integers(_) | Values::Decimals(..) | Values::Floats(_) => 8,
        Values::Times(_) | Values::DateTimes(_) => 8,
        Values::WideDecimals(..) => 16,
        Values::Dates(_) | Values::Dictionary(..) => 4,
        Values::Texts(texts) => {
            let lengths =
                rows.iter().filter_map(|row| at(&row)).map(|at| texts.get_bytes(at).len());
            let total: usize = lengths.sum();
            u32::try_from(total).map_err(|_| Problem::Texts)?;
            return Ok(total as u64 + rows.len() as u64 * 5);
        }
        // The texts are shared with those of the column.
        Values::Mixed(_) => size_of::<Cell>(),
    };
    Ok((rows.len() * each + rows.len().div_ceil(8)) as u64)
}

fn validity(column: &Column, rows: &[u32]) -> Validity {
    let mut validity = Validity::default();
    for row in rows {
        validity.push(*row != NO_ROW && column.is_valid(*row as usize));
    }
    validity
}

fn gathered(column: &Column, rows: &[u32]) -> Values {
    let (values, start) = column.values();
    let place = |row: &u32| (*row != NO_ROW).then(|| start + *row as usize);
    fn pick<T: Copy + Default>(
        rows: &[u32],
        values: &[T],
        place: impl Fn(&u32) -> Option<usize>,
    ) -> Vec<T> {
        rows.iter().map(|row| place(row).map_or(T::default(), |at| values[at])).collect()
    }
    match values {
        Values::Empty(_) => Values::Empty(rows.len()),
        Values::Booleans(bits, _) => {
            let mut out = Vec::with_capacity(rows.len().div_ceil(8));
            for (at, row) in rows.iter().enumerate() {
                push_bit(&mut out, at, place(row).is_some_and(|at| bit(bits, at)));
            }
            Values::Booleans(out, rows.len())
        }
        Values::Integers(values) => Values::Integers(pick(rows, values, place)),
        Values::Decimals(scale, units) => Values::Decimals(*scale, pick(rows, units, place)),
        Values::WideDecimals(scale, units) => {
            Values::WideDecimals(*scale, pick(rows, units, place))
        }
        Values::Floats(values) => Values::Floats(pick(rows, values, place)),
        Values::Dates(values) => Values::Dates(pick(rows, values, place)),
        Values::Times(values) => Values::Times(pick(rows, values, place)),
        Values::DateTimes(values) => Values::DateTimes(pick(rows, values, place)),
        Values::Dictionary(keys, texts) => {
            Values::Dictionary(pick(rows, keys, place), texts.clone())
        }
        Values::Texts(texts) => {
            let mut out = Texts::default();
            for row in rows {
                // They were found to fit before.
                let _ = out.push_bytes(place(row).map_or(&[][..], |at| texts.get_bytes(at)));
            }
            Values::Texts(out)
        }
        Values::Mixed(cells) => {
            let cell = |row: &u32| place(row).map_or(Cell::Null, |at| cells[at].clone());
            Values::Mixed(rows.iter().map(cell).collect())
        }
    }
}
