//! The common parts of two sequences: anchors of unique elements first, then Myers between them, within a budget.
//!
//! Knows no texts, only numbers.

use similar::{Algorithm, DiffTag, capture_diff_slices};
use std::ops::Range;

/// Most elements of two ranges without an anchor that are compared exactly. The worst time grows with the square.
const MAX_EXACT: usize = 3_000;
/// Most squares of such numbers of a comparison, added up.
const MAX_SQUARES: usize = 300_000_000;
/// Most elements of a comparison that are looked at in the search of anchors.
const MAX_LOOKED_AT: usize = 30_000_000;

/// Most bytes of a comparison that are cut into words.
const MAX_CUT_BYTES: usize = 5 << 20;

/// What the steps of a comparison may still cost.
#[derive(Debug)]
pub(crate) struct Budget {
    squares: usize,
    looked_at: usize,
    cut_bytes: usize,
}

impl Budget {
    pub(crate) fn new() -> Budget {
        Budget { squares: MAX_SQUARES, looked_at: MAX_LOOKED_AT, cut_bytes: MAX_CUT_BYTES }
    }

    /// Returns `true` if so many bytes may be cut into words.
    pub(crate) fn may_cut(&mut self, bytes: usize) -> bool {
        let left = self.cut_bytes.checked_sub(bytes);
        self.cut_bytes = left.unwrap_or(self.cut_bytes);
        left.is_some()
    }
}

/// A run of equal elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Run {
    pub(crate) old: usize,
    pub(crate) new: usize,
    pub(crate) len: usize,
}

/// Two ranges that have nothing in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
}

/// What two sequences have in common.
#[derive(Debug, Default)]
pub(crate) struct Alignment {
    pub(crate) runs: Vec<Run>,
    /// `true` if the budget was spent, so that ranges with common elements may be gaps.
    pub(crate) is_coarse: bool,
}

impl Alignment {
    /// Returns the gaps between the runs.
    pub(crate) fn gaps(&self, old_len: usize, new_len: usize) -> Vec<Gap> {
        let (mut old, mut new, mut gaps) = (0, 0, Vec::new());
        let end = Run { old: old_len, new: new_len, len: 0 };
        for run in self.runs.iter().chain([&end]) {
            if run.old > old || run.new > new {
                gaps.push(Gap { old: old..run.old, new: new..run.new });
            }
            (old, new) = (run.old + run.len, run.new + run.len);
        }
        gaps
    }
}

/// Aligns two sequences of hashes.
pub(crate) fn align(old: &[u64], new: &[u64], budget: &mut Budget) -> Alignment {
    let mut all: Vec<u64> = old.iter().chain(new).copied().collect();
    all.sort_unstable();
    all.dedup();
    let ids = |side: &[u64]| -> Vec<u32> {
        let id = |it: &u64| all.binary_search(it).unwrap_or_default() as u32;
        side.iter().map(id).collect()
    };
    let (old_ids, new_ids) = (ids(old), ids(new));
    let mut search = Search {
        old: &old_ids,
        new: &new_ids,
        seen: vec![Seen::default(); all.len()],
        budget,
        found: Alignment::default(),
    };
    let mut ranges = vec![Gap { old: 0..old.len(), new: 0..new.len() }];
    while let Some(range) = ranges.pop() {
        search.range(range, &mut ranges);
    }
    let mut found = search.found;
    found.runs.sort_unstable();
    found
}

/// How often an element is in a range of each side, and where.
#[derive(Clone, Copy, Default)]
struct Seen {
    n_old: u32,
    n_new: u32,
    old_at: u32,
}

struct Search<'a> {
    old: &'a [u32],
    new: &'a [u32],
    seen: Vec<Seen>,
    budget: &'a mut Budget,
    found: Alignment,
}

impl Search<'_> {
    /// Finds what two ranges share at their ends, and anchors between. Pushes the ranges between the anchors.
    fn range(&mut self, Gap { mut old, mut new }: Gap, ranges: &mut Vec<Gap>) {
        let (a, b) = (&self.old[old.clone()], &self.new[new.clone()]);
        let prefix = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        self.push(old.start, new.start, prefix);
        let (a, b) = (&a[prefix..], &b[prefix..]);
        let suffix = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
        self.push(old.end - suffix, new.end - suffix, suffix);
        old = old.start + prefix..old.end - suffix;
        new = new.start + prefix..new.end - suffix;
        if old.is_empty() || new.is_empty() {
            return;
        }
        let Some(left) = self.budget.looked_at.checked_sub(old.len() + new.len()) else {
            self.found.is_coarse = true;
            return;
        };
        self.budget.looked_at = left;
        let (anchors, shared_old, shared_new) = self.anchors(&old, &new);
        if anchors.is_empty() {
            self.exact(&shared_old, &shared_new);
            return;
        }
        let (mut old_at, mut new_at) = (old.start, new.start);
        for (at, to) in anchors {
            ranges.push(Gap { old: old_at..at, new: new_at..to });
            self.push(at, to, 1);
            (old_at, new_at) = (at + 1, to + 1);
        }
        ranges.push(Gap { old: old_at..old.end, new: new_at..new.end });
    }

    fn push(&mut self, old: usize, new: usize, len: usize) {
        if len > 0 {
            self.found.runs.push(Run { old, new, len });
        }
    }

    /// Returns elements that each range has once, as many as are in the same order in both; and the elements of each range
    /// that the other one has too.
    fn anchors(
        &mut self,
        old: &Range<usize>,
        new: &Range<usize>,
    ) -> (Vec<(usize, usize)>, Vec<usize>, Vec<usize>) {
        for at in old.clone() {
            let seen = &mut self.seen[self.old[at] as usize];
            seen.n_old += 1;
            seen.old_at = at as u32;
        }
        for at in new.clone() {
            self.seen[self.new[at] as usize].n_new += 1;
        }
        let unique = new.clone().filter_map(|at| {
            let seen = self.seen[self.new[at] as usize];
            (seen.n_old == 1 && seen.n_new == 1).then_some((seen.old_at as usize, at))
        });
        let pairs: Vec<(usize, usize)> = unique.collect();
        let (mut shared_old, mut shared_new) = (Vec::new(), Vec::new());
        if pairs.is_empty() {
            shared_old.extend(old.clone().filter(|at| self.seen[self.old[*at] as usize].n_new > 0));
            shared_new.extend(new.clone().filter(|at| self.seen[self.new[*at] as usize].n_old > 0));
        }
        for at in old.clone() {
            self.seen[self.old[at] as usize] = Seen::default();
        }
        for at in new.clone() {
            self.seen[self.new[at] as usize] = Seen::default();
        }
        (ascending(&pairs), shared_old, shared_new)
    }

    /// Finds what the elements at these indices have in common.
    fn exact(&mut self, old: &[usize], new: &[usize]) {
        if old.is_empty() {
            return;
        }
        let both = old.len() + new.len();
        if both > MAX_EXACT || both * both > self.budget.squares {
            self.found.is_coarse = true;
            return;
        }
        self.budget.squares -= both * both;
        let a: Vec<u32> = old.iter().map(|it| self.old[*it]).collect();
        let b: Vec<u32> = new.iter().map(|it| self.new[*it]).collect();
        for op in capture_diff_slices(Algorithm::Myers, &a, &b) {
            let (tag, at, to) = op.as_tag_tuple();
            if tag == DiffTag::Equal {
                at.zip(to).for_each(|(at, to)| self.push(old[at], new[to], 1));
            }
        }
    }
}

/// Returns the longest part of pairs, which ascend on the second side, that ascends on the first side too.
pub(crate) fn ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // The last pair of the best chain of each length, and the pair before each pair.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (index, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].0 < pair.0);
        before.push(length.checked_sub(1).map(|it| ends[it]));
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut chain = Vec::with_capacity(ends.len());
    let mut at = ends.last().copied();
    while let Some(index) = at {
        chain.push(pairs[index]);
        at = before[index];
    }
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn common(old: &[u64], new: &[u64]) -> Vec<u64> {
        let found = align(old, new, &mut Budget::new());
        let (mut at, mut to) = (0, 0);
        for run in &found.runs {
            assert!(run.old >= at && run.new >= to, "runs do not cross: {:?}", found.runs);
            (at, to) = (run.old + run.len, run.new + run.len);
            assert_eq!(old[run.old..at], new[run.new..to]);
        }
        found.runs.iter().flat_map(|run| old[run.old..run.old + run.len].to_vec()).collect()
    }

    #[test]
    fn common_parts_are_found_in_order() {
        for (old, new, expected) in [
            (&[1, 2, 3][..], &[1, 2, 3][..], &[1, 2, 3][..]),
            (&[1, 2, 3], &[1, 3], &[1, 3]),
            (&[], &[1], &[]),
            (&[1, 2, 3, 4, 5, 6], &[5, 6, 1, 2, 3, 4], &[1, 2, 3, 4]),
            // Nothing is unique.
            (&[3, 1, 1, 2, 2, 1, 4], &[5, 1, 2, 2, 1, 1, 6], &[1, 2, 2, 1]),
        ] {
            assert_eq!(common(old, new), expected, "{old:?} {new:?}");
        }
    }

    #[test]
    fn gaps_lie_between_runs() {
        let gaps = align(&[1, 9, 2, 3], &[1, 8, 8, 2, 3, 4], &mut Budget::new()).gaps(4, 6);
        assert_eq!(gaps, [Gap { old: 1..2, new: 1..3 }, Gap { old: 4..4, new: 5..6 }]);
    }

    #[test]
    fn a_budget_bounds_what_has_no_anchors() {
        // Two values in an order without period.
        let side = |mut seed: u64| -> Vec<u64> {
            let mut next = || {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                seed >> 63
            };
            (0..50_000).map(|_| next()).collect()
        };
        let (old, new) = (side(1), side(2));
        let is_coarse =
            |old: &[u64], new: &[u64], budget: &mut Budget| align(old, new, budget).is_coarse;
        assert!(is_coarse(&old, &new, &mut Budget::new()));
        assert!(!is_coarse(&old, &old, &mut Budget::new()));
        let mut budget = Budget::new();
        let small = (&old[..1_000], &new[..1_000]);
        assert!(!is_coarse(small.0, small.1, &mut budget));
        // The budget is that of a whole comparison.
        assert!((0..200).any(|_| is_coarse(small.0, small.1, &mut budget)));
    }
}
