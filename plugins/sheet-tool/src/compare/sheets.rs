//! Which sheets of two workbooks belong together.

use super::side::{Side, joined};
use std::collections::BTreeMap;

/// Most rows by which a sheet with another name is recognised.
const MAX_ROWS: usize = 20_000;

#[derive(Debug, Default)]
pub(super) struct SheetPairs {
    /// Old and new number, in the order of the new ones.
    pub(super) pairs: Vec<(usize, usize)>,
    pub(super) removed: Vec<usize>,
    pub(super) added: Vec<usize>,
}

pub(super) fn pairs(old: &Side, new: &Side) -> SheetPairs {
    let mut found = SheetPairs::default();
    let lower = |side: &Side, number: usize| side.book.sheets[number].name.to_lowercase();
    let mut free: Vec<usize> = (0..new.book.sheets.len()).collect();
    for number in 0..old.book.sheets.len() {
        match free.iter().position(|it| lower(new, *it) == lower(old, number)) {
            Some(at) => found.pairs.push((number, free.remove(at))),
            None => found.removed.push(number),
        }
    }
    // Another name, and most of its contents the same.
    let contents: BTreeMap<usize, Vec<u64>> =
        free.iter().map(|it| (*it, contents(new, *it))).collect();
    let renamed: Vec<(usize, usize)> = found
        .removed
        .iter()
        .filter_map(|&number| {
            let own = self::contents(old, number);
            let best = free.iter().map(|it| (common(&own, &contents[it]), *it)).max();
            let (count, other) = best?;
            let size = own.len().max(contents[&other].len());
            if count * 2 < size || size == 0 {
                return None;
            }
            free.retain(|it| *it != other);
            Some((number, other))
        })
        .collect();
    found.removed.retain(|it| !renamed.iter().any(|pair| pair.0 == *it));
    found.pairs.extend(renamed);
    found.pairs.sort_unstable_by_key(|it| it.1);
    found.added = free;
    found
}

/// Returns hashes of the first rows, sorted.
fn contents(side: &Side, sheet: usize) -> Vec<u64> {
    let rows = side.spans(sheet).iter().take(MAX_ROWS);
    let mut all: Vec<u64> = rows
        .filter_map(|span| {
            let cells: Vec<u64> = side.contents(side.source(sheet, span)).map(|it| it.1).collect();
            (!cells.is_empty()).then(|| joined(cells))
        })
        .collect();
    all.sort_unstable();
    all
}

/// Returns how many items two sorted lists have in common.
fn common(a: &[u64], b: &[u64]) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        count += usize::from(x == y);
        (i, j) = (i + usize::from(x <= y), j + usize::from(y <= x));
    }
    count
}
