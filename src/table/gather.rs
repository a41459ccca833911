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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CellRef, Chunk, TableBuilder};
    use mitt_base::Resource;

    fn account() -> Account {
        Account::root(Resource::Documents, u64::MAX)
    }

    fn table(values: Values, valid: &[bool]) -> Table {
        let mut validity = Validity::default();
        valid.iter().for_each(|valid| validity.push(*valid));
        let mut builder = TableBuilder::new(vec!["a".into()], &account());
        builder.append(vec![Chunk { values, validity }]).unwrap();
        builder.finish().unwrap()
    }

    #[test]
    fn nulls_of_a_column_are_taken_as_nulls() {
        let table = table(Values::Integers(vec![1, 2, 3]), &[true, false, true]);
        let taken = table.take(&[1, 2, 1], &account()).unwrap();
        let column = taken.column(0).unwrap();
        let mut text = String::new();
        let cells: Vec<_> = (0..3).map(|at| column.cell(at, &mut text).to_cell()).collect();
        assert_eq!(cells, [Cell::Null, Cell::Number("3".into()), Cell::Null]);
        assert_eq!(column.nulls(), 2);
        // Rows without a null have none.
        let none = table.take(&[0, 2], &account()).unwrap();
        assert_eq!(none.column(0).unwrap().nulls(), 0);
        assert_eq!(none.column(0).unwrap().cell(1, &mut text), CellRef::Number("3"));
    }

    #[test]
    fn rows_are_charged_by_what_their_type_takes() {
        let mut texts = Texts::default();
        assert!(texts.push("seven..") && texts.push("three"));
        let keys = Values::Dictionary(vec![0, 1], Arc::new(texts.clone()));
        // Every fourth of 100 rows is the second one, and every tenth is a row of nulls.
        let rows: Vec<u32> =
            (0..100).map(|at| if at % 10 == 9 { NO_ROW } else { u32::from(at % 4 == 0) }).collect();
        let second = rows.iter().filter(|row| **row == 1).count() as u64;
        let text_bytes = second * 5 + (90 - second) * 7;
        for (values, bytes) in [
            (Values::Booleans(vec![1], 2), 100 + 13),
            (Values::Integers(vec![1, 2]), 800 + 13),
            (Values::Decimals(1, vec![1, 2]), 800 + 13),
            (Values::WideDecimals(1, vec![1, 2]), 1_600 + 13),
            (Values::Floats(vec![1.5, 2.5]), 800 + 13),
            (Values::Dates(vec![1, 2]), 400 + 13),
            (Values::Times(vec![1, 2]), 800 + 13),
            (Values::DateTimes(vec![1, 2]), 800 + 13),
            (keys, 400 + 13),
            // A length for each, and a bit.
            (Values::Texts(texts), text_bytes + 500),
            (Values::Empty(2), 13),
        ] {
            let account = account();
            let shown = format!("{values:?}");
            let taken = table(values, &[true, true]).take(&rows, &account).unwrap();
            assert_eq!(account.usage().used, bytes, "{shown}");
            drop(taken);
            assert_eq!(account.usage().used, 0, "{shown}");
        }
    }

    #[test]
    fn a_row_that_is_not_there_is_named() {
        let table = table(Values::Integers(vec![1, 2]), &[true, true]);
        assert!(table.take(&[1, NO_ROW, 0], &account()).is_ok());
        assert_eq!(table.take(&[0, 2], &account()), Err(Problem::Nothing("row", 2, 2)));
    }
}
