//! The rows that may be among the first ones of a sorted result.

use super::rows::Rows;
use super::{Open, checked};
use crate::bindings::mitt::host::types::Error;
use crate::columns::{reference, value};
use rusqlite::types::ValueRef;

/// Most rows that are held at once. A column of few values has more rows that may be the first ones; SQLite sorts them all then.
const MOST_HELD: usize = 500_000;

/// Rows that are held at least before those that come later are dropped.
const HELD: usize = 65_536;

/// The rows of a result that may be among the first ones.
struct Best {
    most: usize,
    /// Places in the order of the result, as [`place`] returns them, and rows.
    held: Vec<(u128, u32)>,
    /// Last place that can be among the first rows; `add` drops rows behind it.
    last: u128,
    room: usize,
}

impl Best {
    fn new(most: usize) -> Self {
        Self { most, held: Vec::new(), last: u128::MAX, room: HELD + most * 2 }
    }

    /// Adds a row. Returns `false` if there are too many.
    fn add(&mut self, place: u128, row: u32) -> bool {
        if place > self.last {
            return true;
        }
        self.held.push((place, row));
        if self.held.len() < self.room {
            return true;
        }
        self.prune();
        self.room = self.room.max(self.held.len() * 2);
        self.held.len() <= MOST_HELD
    }

    /// Drops the rows after the last of the first ones. Rows at the same place stay.
    fn prune(&mut self) {
        if self.held.len() > self.most {
            let (_, (last, _), _) = self.held.select_nth_unstable(self.most - 1);
            self.last = *last;
            self.held.retain(|(place, _)| *place <= self.last);
        }
    }
}

/// Returns a number that is not greater for a value that SQLite sorts first. Of texts, only the first bytes count.
fn place(value: ValueRef<'_>, descending: bool) -> u128 {
    let place = match value {
        ValueRef::Null | ValueRef::Blob(_) => 0,
        ValueRef::Integer(number) => 1 + u128::from(number.cast_unsigned() ^ 1 << 63),
        // SQLite makes null of it.
        ValueRef::Real(number) if number.is_nan() => 0,
        ValueRef::Real(number) => {
            // 0 and -0 are equal.
            let bits = (number + 0.0).to_bits();
            let negative = bits >> 63 == 1;
            1 + u128::from(if negative { !bits } else { bits | 1 << 63 })
        }
        ValueRef::Text(text) => {
            let mut first = [0; 8];
            let length = text.len().min(8);
            first[..length].copy_from_slice(&text[..length]);
            1 + u128::from(u64::from_be_bytes(first))
        }
    };
    if descending { u128::MAX - place } else { place }
}

/// Returns the rows, in order, of the table by which a result is sorted that may be among its first ones; `None` if all may.
///
/// # Errors
/// The host cannot read a column.
pub(crate) fn top(text: &str, open: Open<'_>) -> Result<Option<Vec<u32>>, Error> {
    let Some((mut checked, tables)) = checked(text, open)? else { return Ok(None) };
    let (Some(key), most @ 1..) = (checked.keys.first().copied(), checked.most) else {
        return Ok(None);
    };
    let Some(mut rows) = Rows::new(&tables, &mut checked) else { return Ok(None) };
    let mut best = Best::new(most);
    let all = rows.each(&mut |parts, batch| {
        let (part, start) = (parts.get(key.at), parts.start(key.at.table) as u32);
        batch.rows[key.at.table].iter().all(|row| {
            let value = value(part, *row as usize);
            best.add(place(reference(&value), key.descending), start + row)
        })
    })?;
    if !all {
        return Ok(None);
    }
    best.prune();
    let mut rows: Vec<_> = best.held.into_iter().map(|(_, row)| row).collect();
    rows.sort_unstable();
    rows.dedup();
    Ok(Some(rows))
}

#[cfg(test)]
mod tests {
    use super::{Best, MOST_HELD, place};
    use rusqlite::types::ValueRef;

    #[test]
    fn places_are_in_the_order_of_values() {
        let texts: [&[u8]; 4] = [b"", b"A", b"a", "\u{534e}".as_bytes()];
        let sorted: [Vec<ValueRef<'_>>; 3] = [
            [i64::MIN, -1, 0, 1, i64::MAX].map(ValueRef::Integer).into(),
            [f64::NEG_INFINITY, -2.5, -1e-300, 0.0, 1e-300, 2.5, f64::INFINITY]
                .map(ValueRef::Real)
                .into(),
            texts.map(ValueRef::Text).into(),
        ];
        for values in sorted {
            let all: Vec<_> = [ValueRef::Null].into_iter().chain(values).collect();
            for pair in all.windows(2) {
                assert!(place(pair[0], false) < place(pair[1], false), "{pair:?}");
                assert!(place(pair[0], true) > place(pair[1], true), "{pair:?}");
            }
        }
        for (left, right) in [(0.0, -0.0), (f64::NAN, -f64::NAN)] {
            assert_eq!(place(ValueRef::Real(left), false), place(ValueRef::Real(right), false));
        }
        let text = |text: &'static [u8]| place(ValueRef::Text(text), false);
        assert_eq!(text(b"12345678a"), text(b"12345678b"));
    }

    #[test]
    fn the_first_rows_stay_with_those_at_the_same_place() {
        let mut best = Best::new(3);
        for row in 0..400_000 {
            assert!(best.add(u128::from(row / 2 * 7 % 100_003), row));
        }
        best.prune();
        let mut rows: Vec<_> = best.held.iter().map(|(_, row)| *row).collect();
        rows.sort_unstable();
        // The second row with the place 7 stays, because its tie may decide; so does each of the second round.
        assert_eq!(rows, [0, 1, 200_006, 200_007]);
        let mut many = Best::new(3);
        assert!((0..u32::MAX).any(|row| !many.add(0, row)));
        assert!(many.held.len() > MOST_HELD);
    }
}
