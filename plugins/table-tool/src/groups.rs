//! Groups rows with equal keys. Knows nothing of what is calculated from them.
//!
//! Cells become small integers: keys of a dictionary, and whole numbers in a small range, are indices of a list; all others
//! are hashed once. Several columns are combined in pairs.

use crate::column::Column;
use mitt_guest::FoldMap;
use mitt_guest::tables::Values;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::hash::Hash;

/// The rows of a table, grouped by the values of some columns. Null is a key like any other.
#[derive(Clone, Debug)]
pub(crate) struct Groups {
    /// The group of each row. Groups are numbered in order of first appearance.
    pub(crate) of_row: Vec<u32>,
    /// The first row of each group. If all rows are one group, the row may not exist.
    pub(crate) first_rows: Vec<u32>,
    /// The number of rows of each group, counted when first needed.
    sizes: OnceCell<Vec<u32>>,
}

impl Groups {
    /// Returns all rows as one group, even if there are none.
    pub(crate) fn one(n_rows: usize) -> Groups {
        Groups::made(vec![0; n_rows], vec![0])
    }

    fn made(of_row: Vec<u32>, first_rows: Vec<u32>) -> Groups {
        Groups { of_row, first_rows, sizes: OnceCell::new() }
    }

    /// Groups rows with equal cells in all columns. Without columns, all rows are one group.
    pub(crate) fn new(columns: &[Column], n_rows: usize) -> Groups {
        let mut columns = columns.iter();
        let Some(first) = columns.next() else { return Groups::one(n_rows) };
        let keys = columns.fold(Keys::of(first), |keys, column| keys.paired(Keys::of(column)));
        keys.into_groups()
    }

    /// Groups rows with equal cells.
    pub(crate) fn of(column: &Column) -> Groups {
        Keys::of(column).into_groups()
    }

    pub(crate) fn len(&self) -> usize {
        self.first_rows.len()
    }

    /// Groups rows that are in one group of both.
    pub(crate) fn refined(&self, other: &Groups) -> Groups {
        let bounds = (self.len() as u64, other.len() as u64);
        pairs((&self.of_row, bounds.0), (&other.of_row, bounds.1))
    }

    /// Divides the rows of each group further, by their cells in the column.
    pub(crate) fn refined_by(&self, column: &Column) -> Groups {
        Keys::Small(Cow::Borrowed(&self.of_row), self.len() as u64)
            .paired(Keys::of(column))
            .into_groups()
    }

    /// Returns the number of rows of each group.
    pub(crate) fn sizes(&self) -> &[u32] {
        self.sizes.get_or_init(|| {
            let mut sizes = vec![0; self.len()];
            self.of_row.iter().for_each(|group| sizes[*group as usize] += 1);
            sizes
        })
    }

    /// Returns the rows, group by group and in order within each group, and the start of each group, with the end appended.
    pub(crate) fn members(&self) -> (Vec<u32>, Vec<u32>) {
        let mut starts = Vec::with_capacity(self.len() + 1);
        starts.push(0u32);
        for size in self.sizes() {
            starts.push(starts[starts.len() - 1] + size);
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

/// A number for each row, equal for equal cells.
enum Keys<'a> {
    /// Small numbers from the column or from other groups, and a bound above them.
    Small(Cow<'a, [u32]>, u64),
    /// Groups of cells that had to be hashed.
    Groups(Groups),
}

impl<'a> Keys<'a> {
    fn of(column: &'a Column) -> Keys<'a> {
        let n_rows = column.n_rows();
        let chunk = &column.chunk;
        if let Some(cells) = column.mixed() {
            return Keys::Groups(intern(cells.iter()));
        }
        // The slot of a null may hold any value.
        let present = |row: usize| chunk.validity.as_ref().is_none_or(|validity| validity.get(row));
        if let Some(values) = column.ordered() {
            let (low, high) = values.iter().fold((i64::MAX, i64::MIN), |(low, high), value| {
                (low.min(*value), high.max(*value))
            });
            let range = high.wrapping_sub(low) as u64;
            if low <= high && range < direct_bound(n_rows) && range < u64::from(u32::MAX - 1) {
                // Only null has the number 0.
                let key = |value: i64| value.wrapping_sub(low) as u32 + 1;
                let keys = match &chunk.validity {
                    None => values.iter().map(|value| key(*value)).collect(),
                    Some(_) => {
                        let rows = values.iter().enumerate();
                        rows.map(|(row, value)| if present(row) { key(*value) } else { 0 })
                            .collect()
                    }
                };
                return Keys::Small(Cow::Owned(keys), range + 2);
            }
            return Keys::Groups(intern((0..n_rows).map(|row| present(row).then(|| values[row]))));
        }
        match &chunk.values {
            Values::Dictionary { keys, values } => {
                let (bound, null) = (values.len() as u64 + 1, values.len() as u32);
                let keys = match &chunk.validity {
                    None => Cow::Borrowed(&keys[..]),
                    Some(_) => {
                        let rows = keys.iter().enumerate();
                        rows.map(|(row, key)| if present(row) { *key } else { null }).collect()
                    }
                };
                Keys::Small(keys, bound)
            }
            Values::Texts(texts) => {
                Keys::Groups(intern((0..n_rows).map(|row| present(row).then(|| texts.bytes(row)))))
            }
            Values::WideDecimals { units, .. } => {
                Keys::Groups(intern((0..n_rows).map(|row| present(row).then(|| units[row]))))
            }
            _ if n_rows == 0 => Keys::Groups(Groups::made(Vec::new(), Vec::new())),
            _ => Keys::Groups(Groups::one(n_rows)),
        }
    }

    fn into_groups(self) -> Groups {
        match self {
            Keys::Small(keys, bound) => {
                index_all(keys.iter().map(|key| *key as usize), bound as usize)
            }
            Keys::Groups(groups) => groups,
        }
    }

    /// Returns the numbers, and a bound above them.
    fn numbers(&self) -> (&[u32], u64) {
        match self {
            Keys::Small(keys, bound) => (keys, *bound),
            Keys::Groups(groups) => (&groups.of_row, groups.len() as u64),
        }
    }

    /// Combines the numbers of both.
    fn paired(self, other: Keys<'_>) -> Keys<'a> {
        let (one, two) = (self.numbers(), other.numbers());
        let is_small = one.1.saturating_mul(two.1) < direct_bound(one.0.len());
        Keys::Groups(if is_small {
            pairs(one, two)
        } else {
            // A dictionary may have many texts that no row has, so both are grouped first.
            self.into_groups().refined(&other.into_groups())
        })
    }
}

/// Groups pairs of numbers, each with a bound above them.
fn pairs((one, bound): (&[u32], u64), (two, width): (&[u32], u64)) -> Groups {
    let rows = one.iter().zip(two);
    let n_both = bound.saturating_mul(width);
    if n_both < direct_bound(one.len()) {
        let width = width as usize;
        let index = |(one, two): (&u32, &u32)| *one as usize * width + *two as usize;
        return index_all(rows.map(index), n_both as usize);
    }
    intern(rows.map(|(one, two)| u64::from(*one) * width + u64::from(*two)))
}

/// Returns the length up to which a list is cheaper than hashing.
fn direct_bound(n_rows: usize) -> u64 {
    4 * n_rows as u64 + 1024
}

/// Groups keys that are below `bound`.
fn index_all(keys: impl Iterator<Item = usize>, bound: usize) -> Groups {
    const NONE: u32 = u32::MAX;
    let mut by_key = vec![NONE; bound];
    let mut first_rows = Vec::new();
    let mut row = 0;
    let group = |key: usize| {
        let group = &mut by_key[key];
        if *group == NONE {
            *group = first_rows.len() as u32;
            first_rows.push(row);
        }
        row += 1;
        *group
    };
    let of_row = keys.map(group).collect();
    Groups::made(of_row, first_rows)
}

/// Groups keys of any kind.
fn intern<K: Hash + Eq>(keys: impl Iterator<Item = K>) -> Groups {
    let mut by_key: FoldMap<K, u32> = FoldMap::default();
    let (mut of_row, mut first_rows) = (Vec::with_capacity(keys.size_hint().0), Vec::new());
    for (row, key) in keys.enumerate() {
        of_row.push(*by_key.entry(key).or_insert_with(|| {
            first_rows.push(row as u32);
            first_rows.len() as u32 - 1
        }));
    }
    Groups::made(of_row, first_rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mitt_guest::tables::{Cell, Chunk};
    use proptest::prelude::*;

    fn column(chunk: Chunk) -> Column {
        Column::new("data", "c".into(), chunk).unwrap()
    }

    /// Groups keys by the definition, in quadratic time.
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
