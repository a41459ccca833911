//! Rows with equal keys. Knows nothing of what is calculated from them.
//!
//! Cells become numbers, as small as may be: keys of a dictionary and whole numbers near each other index a list, everything
//! else is hashed once. Several columns are put together pair by pair.

use crate::column::Column;
use mitt_guest::tables::Values;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// The rows of a table, divided by the values of some columns. Null is a key like any other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Groups {
    /// The group of each row; groups are numbered in order of first appearance.
    pub(crate) of_row: Vec<u32>,
    /// The first row of each group; one row that may not exist where all rows are one group.
    pub(crate) first_rows: Vec<u32>,
}

impl Groups {
    /// All rows as one group, also when there is none.
    pub(crate) fn one(n_rows: usize) -> Groups {
        Groups { of_row: vec![0; n_rows], first_rows: vec![0] }
    }

    /// Rows with equal cells in all columns. Without columns, all rows are one group.
    pub(crate) fn new(columns: &[Column], n_rows: usize) -> Groups {
        let mut columns = columns.iter();
        let Some(first) = columns.next() else { return Groups::one(n_rows) };
        columns.fold(Groups::of(first), |groups, column| groups.refined(&Groups::of(column)))
    }

    /// Rows with equal cells.
    pub(crate) fn of(column: &Column) -> Groups {
        let n_rows = column.n_rows();
        let chunk = &column.chunk;
        if let Some(cells) = column.mixed() {
            return intern(cells.iter());
        }
        if let Some(values) = column.ordered() {
            let key = |row: usize| (!chunk.is_null(row)).then(|| values[row]);
            let (low, high) = values.iter().fold((i64::MAX, i64::MIN), |(low, high), value| {
                (low.min(*value), high.max(*value))
            });
            let range = high.wrapping_sub(low) as u64;
            if low <= high && range < direct_bound(n_rows) {
                let index = |row: usize| key(row).map_or(0, |key| (key - low) as usize + 1);
                return index_all((0..n_rows).map(index), range as usize + 2);
            }
            return intern((0..n_rows).map(key));
        }
        match &chunk.values {
            Values::Dictionary { keys, values } => {
                let index = |row: usize| match chunk.is_null(row) {
                    true => values.len(),
                    false => keys[row] as usize,
                };
                index_all((0..n_rows).map(index), values.len() + 1)
            }
            Values::Texts(texts) => {
                intern((0..n_rows).map(|row| (!chunk.is_null(row)).then(|| texts.bytes(row))))
            }
            Values::WideDecimals { units, .. } => {
                intern((0..n_rows).map(|row| (!chunk.is_null(row)).then(|| units[row])))
            }
            _ if n_rows == 0 => Groups { of_row: Vec::new(), first_rows: Vec::new() },
            _ => Groups::one(n_rows),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.first_rows.len()
    }

    /// Rows that are in one group of both.
    pub(crate) fn refined(&self, other: &Groups) -> Groups {
        let n_other = other.len() as u64;
        let n_both = self.len() as u64 * n_other;
        let pairs = self.of_row.iter().zip(&other.of_row);
        if n_both < direct_bound(self.of_row.len()) {
            let width = other.len();
            let index = |(one, two): (&u32, &u32)| *one as usize * width + *two as usize;
            return index_all(pairs.map(index), n_both as usize);
        }
        intern(pairs.map(|(one, two)| u64::from(*one) * n_other + u64::from(*two)))
    }

    /// The rows, group by group and in order within one; and where the rows of each begin, with one more for the end.
    pub(crate) fn members(&self) -> (Vec<u32>, Vec<u32>) {
        let mut starts = vec![0u32; self.len() + 1];
        for group in &self.of_row {
            starts[*group as usize + 1] += 1;
        }
        for group in 0..self.len() {
            starts[group + 1] += starts[group];
        }
        let mut next = starts.clone();
        let mut rows = vec![0u32; self.of_row.len()];
        for (row, group) in self.of_row.iter().enumerate() {
            let place = &mut next[*group as usize];
            rows[*place as usize] = row as u32;
            *place += 1;
        }
        (rows, starts)
    }
}

/// A list of so many numbers is cheaper than hashing.
fn direct_bound(n_rows: usize) -> u64 {
    4 * n_rows as u64 + 1024
}

/// Groups of keys that are below `bound`.
fn index_all(keys: impl Iterator<Item = usize>, bound: usize) -> Groups {
    const NONE: u32 = u32::MAX;
    let mut by_key = vec![NONE; bound];
    let (mut of_row, mut first_rows) = (Vec::with_capacity(keys.size_hint().0), Vec::new());
    for (row, key) in keys.enumerate() {
        let group = &mut by_key[key];
        if *group == NONE {
            *group = first_rows.len() as u32;
            first_rows.push(row as u32);
        }
        of_row.push(*group);
    }
    Groups { of_row, first_rows }
}

/// Groups of any keys.
fn intern<K: Hash + Eq>(keys: impl Iterator<Item = K>) -> Groups {
    let mut by_key: HashMap<K, u32, BuildHasherDefault<Fold>> = HashMap::default();
    let (mut of_row, mut first_rows) = (Vec::with_capacity(keys.size_hint().0), Vec::new());
    for (row, key) in keys.enumerate() {
        of_row.push(*by_key.entry(key).or_insert_with(|| {
            first_rows.push(row as u32);
            first_rows.len() as u32 - 1
        }));
    }
    Groups { of_row, first_rows }
}

/// A hash of few instructions. Who makes keys collide on purpose spends the fuel of his own call.
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

    fn write_u8(&mut self, value: u8) {
        self.add(value.into());
    }

    fn write_u32(&mut self, value: u32) {
        self.add(value.into());
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
    use super::*;
    use mitt_guest::tables::{Cell, Chunk};
    use proptest::prelude::*;

    fn column(chunk: Chunk) -> Column {
        Column::new("data", "c".into(), chunk).unwrap()
    }

    /// What the definition says, in quadratic time.
    fn naive<K: PartialEq>(keys: &[K]) -> Vec<u32> {
        let mut distinct: Vec<&K> = Vec::new();
        let group = |key| match distinct.iter().position(|known| *known == key) {
            Some(group) => group as u32,
            None => {
                distinct.push(key);
                distinct.len() as u32 - 1
            }
        };
        keys.iter().map(group).collect()
    }

    proptest! {
        #[test]
        fn equal_cells_are_grouped(
            near in prop::collection::vec(prop::option::of(-3i64..3), 0..60),
            far in prop::collection::vec(prop::option::of(prop::sample::select(vec![i64::MIN, -1, 0, 7, i64::MAX])), 60),
            texts in prop::collection::vec(prop::option::of("[ab]{0,2}"), 60),
        ) {
            let n_rows = near.len();
            let (far, texts) = (&far[..n_rows], &texts[..n_rows]);
            let text = || texts.iter().map(|text| text.as_deref());
            let mixed = near.iter().zip(texts).map(|(number, text)| match (number, text) {
                (Some(number), _) if number % 2 == 0 => Cell::Number(number.to_string()),
                (_, Some(text)) => Cell::Text(text.clone()),
                _ => Cell::Null,
            });
            let mixed: Vec<Cell> = mixed.collect();
            let groups = |chunk: Chunk| Groups::of(&column(chunk));
            prop_assert_eq!(groups(Chunk::integers(near.clone())).of_row, naive(&near));
            prop_assert_eq!(groups(Chunk::integers(far.to_vec())).of_row, naive(far));
            prop_assert_eq!(groups(Chunk::texts(text())).of_row, naive(texts));
            prop_assert_eq!(groups(Chunk::dictionary(text())).of_row, naive(texts));
            prop_assert_eq!(groups(Chunk::from(Values::Mixed(mixed.clone()))).of_row, naive(&mixed));
            let both = [column(Chunk::integers(far.to_vec())), column(Chunk::dictionary(text()))];
            let pairs: Vec<_> = far.iter().zip(texts).collect();
            let found = Groups::new(&both, n_rows);
            prop_assert_eq!(&found.of_row, &naive(&pairs));
            let (rows, starts) = found.members();
            prop_assert_eq!(starts.len(), found.len() + 1);
            for group in 0..found.len() {
                let members = &rows[starts[group] as usize..starts[group + 1] as usize];
                prop_assert_eq!(members[0], found.first_rows[group]);
                prop_assert!(members.is_sorted());
                prop_assert!(members.iter().all(|row| found.of_row[*row as usize] == group as u32));
            }
        }
    }
}
