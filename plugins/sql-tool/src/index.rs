//! Finds the rows with a value in a column, for joins and lookups.

use mitt_guest::FoldMap;
use rusqlite::types::ValueRef;

/// A value to look up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key<'a> {
    Integer(i64),
    /// The bits of a number that is not whole.
    Real(u64),
    Text(&'a [u8]),
}

impl<'a> Key<'a> {
    /// Returns the key of a value; equal numbers have one key. `None` for null, which equals nothing, and for blobs.
    pub(crate) fn of(value: ValueRef<'a>) -> Option<Self> {
        match value {
            ValueRef::Integer(number) => Some(Self::Integer(number)),
            ValueRef::Real(number) if number.fract() == 0.0 && number.abs() < 9e18 => {
                Some(Self::Integer(number as i64))
            }
            ValueRef::Real(number) => Some(Self::Real(number.to_bits())),
            ValueRef::Text(text) => Some(Self::Text(text)),
            ValueRef::Null | ValueRef::Blob(_) => None,
        }
    }

    pub(crate) fn is_text(self) -> bool {
        matches!(self, Self::Text(_))
    }
}

/// The rows for each value of a column, in order.
#[derive(Default)]
pub(crate) struct RowsOf {
    integers: FoldMap<i64, u32>,
    reals: FoldMap<u64, u32>,
    texts: FoldMap<Box<[u8]>, u32>,
    rows: Vec<Vec<u32>>,
}

impl RowsOf {
    /// Adds a row with its value. Rows must come in order.
    pub(crate) fn add(&mut self, key: Key<'_>, row: u32) {
        let new = self.rows.len() as u32;
        let place = match key {
            Key::Integer(number) => *self.integers.entry(number).or_insert(new),
            Key::Real(bits) => *self.reals.entry(bits).or_insert(new),
            Key::Text(text) => match self.texts.get(text) {
                Some(place) => *place,
                None => {
                    self.texts.insert(text.into(), new);
                    new
                }
            },
        };
        if place == new {
            self.rows.push(Vec::new());
        }
        self.rows[place as usize].push(row);
    }

    /// Returns the number of a value for [`RowsOf::rows`].
    pub(crate) fn find(&self, key: Key<'_>) -> Option<u32> {
        let place = match key {
            Key::Integer(number) => self.integers.get(&number),
            Key::Real(bits) => self.reals.get(&bits),
            Key::Text(text) => self.texts.get(text),
        };
        place.copied()
    }

    /// Returns the rows that have the value with this number.
    pub(crate) fn rows(&self, value: u32) -> &[u32] {
        self.rows.get(value as usize).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::{Key, RowsOf};
    use rusqlite::types::ValueRef;

    #[test]
    fn rows_are_found_by_their_value() {
        let values = [
            ValueRef::Integer(3),
            ValueRef::Text(b"3"),
            ValueRef::Real(3.0),
            ValueRef::Null,
            ValueRef::Real(0.5),
            ValueRef::Text("\u{4e2d}".as_bytes()),
            ValueRef::Integer(3),
            ValueRef::Real(-0.0),
            ValueRef::Text(b""),
        ];
        let mut index = RowsOf::default();
        for (row, value) in values.iter().enumerate() {
            if let Some(key) = Key::of(*value) {
                index.add(key, row as u32);
            }
        }
        let rows = |value: ValueRef<'_>| {
            Key::of(value).and_then(|key| index.find(key)).map(|value| index.rows(value).to_vec())
        };
        assert_eq!(rows(ValueRef::Real(3.0)), Some(vec![0, 2, 6]));
        assert_eq!(rows(ValueRef::Text(b"3")), Some(vec![1]));
        assert_eq!(rows(ValueRef::Real(0.5)), Some(vec![4]));
        assert_eq!(rows(ValueRef::Text("\u{4e2d}".as_bytes())), Some(vec![5]));
        assert_eq!(rows(ValueRef::Integer(0)), Some(vec![7]));
        assert_eq!(rows(ValueRef::Text(b"")), Some(vec![8]));
        assert_eq!((rows(ValueRef::Null), rows(ValueRef::Integer(4))), (None, None));
    }
}
