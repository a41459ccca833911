//! Which rows of a column have a value, for joins and look-ups.

use rusqlite::types::ValueRef;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A value that is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key<'a> {
    Integer(i64),
    /// The bits of a number that is not whole.
    Real(u64),
    Text(&'a [u8]),
}

impl<'a> Key<'a> {
    /// Numbers that are equal have one key. `None` for what equals nothing, or what is not looked up.
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

/// The rows in which a column has each value, in their order.
#[derive(Default)]
pub(crate) struct RowsOf {
    integers: Numbers<i64>,
    reals: Numbers<u64>,
    texts: HashMap<Box<[u8]>, u32, BuildHasherDefault<Fold>>,
    rows: Vec<Vec<u32>>,
}

type Numbers<N> = HashMap<N, u32, BuildHasherDefault<Fold>>;

impl RowsOf {
    /// Adds a row that has a value. Rows come in their order.
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

    /// Returns the number of a value, for [`RowsOf::rows`].
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

/// A hash of few instructions. Keys that collide on purpose cost only the fuel of their own call.
#[derive(Default)]
pub(crate) struct Fold(u64);

impl Fold {
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for Fold {
    fn finish(&self) -> u64 {
        // The table takes its place from the low bits and a tag from the highest: both have to depend on all.
        let mixed = (self.0 ^ self.0 >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        mixed ^ mixed >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.add(u64::from_le_bytes(*word)));
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            self.add(u64::from_le_bytes(last));
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.add(value);
    }

    fn write_i64(&mut self, value: i64) {
        self.add(value as u64);
    }

    fn write_usize(&mut self, value: usize) {
        self.add(value as u64);
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
