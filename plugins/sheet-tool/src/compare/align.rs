//! Aligns two sequences by equal items. The work is bounded: gaps that are too large stay without pairs.

use mitt_guest::FoldMap;
use std::ops::Range;

/// Most steps of one alignment; a gap of 2 000 by 2 000 items has four million.
const MAX_STEPS: usize = 40_000_000;
/// Most steps within one gap.
const MAX_GAP: usize = 4_000_000;
/// Most gaps within gaps.
const MAX_DEPTH: u32 = 24;

/// Pairs of positions in rising order.
#[derive(Debug, Default)]
pub(super) struct Alignment {
    pub(super) pairs: Vec<(usize, usize)>,
    /// `true` if a gap was too large to look at every item.
    pub(super) is_rough: bool,
}

/// Returns pairs of equal items, as many as can be found within the bound.
pub(super) fn align(old: &[u64], new: &[u64]) -> Alignment {
    let mut found = Alignment::default();
    let mut steps = MAX_STEPS;
    let mut open = vec![(0..old.len(), 0..new.len(), 0_u32)];
    while let Some((mut a, mut b, depth)) = open.pop() {
        while !a.is_empty() && !b.is_empty() && old[a.start] == new[b.start] {
            found.pairs.push((a.start, b.start));
            (a.start, b.start) = (a.start + 1, b.start + 1);
        }
        while !a.is_empty() && !b.is_empty() && old[a.end - 1] == new[b.end - 1] {
            (a.end, b.end) = (a.end - 1, b.end - 1);
            found.pairs.push((a.end, b.end));
        }
        if a.is_empty() || b.is_empty() {
            continue;
        }
        let anchors = if depth < MAX_DEPTH { anchors(old, new, &a, &b) } else { Vec::new() };
        if !anchors.is_empty() {
            let (mut from_old, mut from_new) = (a.start, b.start);
            for (at_old, at_new) in anchors {
                open.push((from_old..at_old, from_new..at_new, depth + 1));
                found.pairs.push((at_old, at_new));
                (from_old, from_new) = (at_old + 1, at_new + 1);
            }
            open.push((from_old..a.end, from_new..b.end, depth + 1));
            continue;
        }
        let size = a.len().saturating_mul(b.len());
        if size > MAX_GAP || size > steps {
            found.is_rough = true;
            continue;
        }
        steps -= size;
        let score = |i: usize, j: usize| u32::from(old[a.start + i] == new[b.start + j]);
        let pairs = best(a.len(), b.len(), &score);
        found.pairs.extend(pairs.into_iter().map(|(i, j)| (a.start + i, b.start + j)));
    }
    found.pairs.sort_unstable();
    found
}

/// Returns the pairs in rising order with the greatest sum of scores. Pairs of score 0 do not count.
pub(super) fn best(
    rows: usize,
    columns: usize,
    score: &dyn Fn(usize, usize) -> u32,
) -> Vec<(usize, usize)> {
    let width = columns + 1;
    let mut sums = vec![0_u32; (rows + 1) * width];
    for i in (0..rows).rev() {
        for j in (0..columns).rev() {
            let skip = sums[(i + 1) * width + j].max(sums[i * width + j + 1]);
            let one = score(i, j);
            let take = if one > 0 { sums[(i + 1) * width + j + 1] + one } else { 0 };
            sums[i * width + j] = skip.max(take);
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut pairs = Vec::new();
    while i < rows && j < columns {
        let here = sums[i * width + j];
        let one = score(i, j);
        if one > 0 && here == sums[(i + 1) * width + j + 1] + one {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if here == sums[(i + 1) * width + j] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// Returns pairs of items that are unique in both ranges, in rising order.
fn anchors(old: &[u64], new: &[u64], a: &Range<usize>, b: &Range<usize>) -> Vec<(usize, usize)> {
    #[derive(Default)]
    struct Seen {
        old: u32,
        new: u32,
        at: usize,
    }
    let mut seen: FoldMap<u64, Seen> = FoldMap::default();
    for item in &old[a.clone()] {
        let it = seen.entry(*item).or_default();
        it.old = it.old.saturating_add(1);
    }
    for at in b.clone() {
        if let Some(it) = seen.get_mut(&new[at]) {
            (it.new, it.at) = (it.new.saturating_add(1), at);
        }
    }
    let both: Vec<(usize, usize)> = a
        .clone()
        .filter_map(|at| {
            let it = seen.get(&old[at])?;
            (it.old == 1 && it.new == 1).then_some((at, it.at))
        })
        .collect();
    rising(&both)
}

/// Returns a longest part of pairs, which are in the order of their first numbers, in which the second numbers rise.
pub(super) fn rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // The last pair of the best part of each length, and the pair before each.
    let (mut ends, mut before): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
    for (index, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|it| pairs[*it].1 < pair.1);
        before.push(length.checked_sub(1).map(|it| ends[it]));
        if length == ends.len() {
            ends.push(index);
        } else {
            ends[length] = index;
        }
    }
    let mut found = Vec::with_capacity(ends.len());
    let mut at = ends.last().copied();
    while let Some(index) = at {
        found.push(pairs[index]);
        at = before[index];
    }
    found.reverse();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_items_are_paired_around_insertions() {
        let pairs = |old: &[u64], new: &[u64]| align(old, new).pairs;
        assert_eq!(pairs(&[1, 2, 3], &[1, 9, 2, 3]), [(0, 0), (1, 2), (2, 3)]);
        assert_eq!(pairs(&[7, 7, 8, 7], &[7, 8, 7, 7]), [(0, 0), (2, 1), (3, 3)]);
        assert_eq!(pairs(&[1, 2], &[3, 4]), []);
        assert_eq!(rising(&[(0, 3), (1, 0), (2, 1), (3, 9)]), [(1, 0), (2, 1), (3, 9)]);
    }

    #[test]
    fn large_gaps_without_anchors_are_given_up() {
        let old: Vec<u64> = (0..6_000).map(|it| it % 7).collect();
        let new: Vec<u64> = (0..6_000).map(|it| 6 - it % 7).collect();
        assert!(align(&old, &new).is_rough);
    }
}
