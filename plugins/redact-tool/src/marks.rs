//! The characters of a text that are taken out.

use crate::matcher::Matcher;
use crate::view::View;
use std::ops::Range;

/// Ranges of a text: those that become signs, and those that are left out.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// Sorted, none touches another.
    masked: Vec<Range<usize>>,
    cut: Vec<Range<usize>>,
    /// Where each hit begins.
    hits: Vec<usize>,
}

/// A part of a text that changes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) range: Range<usize>,
    pub(crate) is_cut: bool,
}

impl Marks {
    /// Adds the hits of a text at `start` as it is.
    pub(crate) fn add_source(&mut self, source: &str, start: usize, matcher: &Matcher) {
        let hits = merged(matcher.hits(source));
        let hits = hits.into_iter().map(|it| it.start + start..it.end + start);
        self.add(hits.map(|it| std::iter::once(it).collect()).collect());
    }

    /// Adds the hits of a view that are not there yet.
    pub(crate) fn add_view(&mut self, view: &View, matcher: &Matcher) {
        let hits = merged(matcher.hits(&view.text));
        self.add(hits.iter().map(|it| view.pieces(it)).collect());
    }

    fn add(&mut self, hits: Vec<Vec<Range<usize>>>) {
        let new: Vec<_> = hits
            .into_iter()
            .filter(|hit| !hit.is_empty() && !hit.iter().all(|it| self.has(it)))
            .collect();
        if new.is_empty() {
            return;
        }
        self.hits.extend(new.iter().map(|it| it[0].start));
        let old = std::mem::take(&mut self.masked);
        self.masked = merged(old.into_iter().chain(new.into_iter().flatten()).collect());
    }

    fn has(&self, range: &Range<usize>) -> bool {
        let at = self.masked.partition_point(|it| it.end < range.end);
        self.masked.get(at).is_some_and(|it| it.start <= range.start && it.end >= range.end)
    }

    /// Leaves a range out. It is no hit.
    pub(crate) fn cut(&mut self, range: Range<usize>) {
        if !range.is_empty() {
            self.cut.push(range);
        }
    }

    /// Returns where hits begin, in order.
    pub(crate) fn hits(&self) -> Vec<usize> {
        let mut hits = self.hits.clone();
        hits.sort_unstable();
        hits
    }

    pub(crate) fn n_cut(&self) -> usize {
        self.cut.len()
    }

    /// Returns all changes in order. What is cut is not masked.
    pub(crate) fn changes(&self) -> Vec<Change> {
        let cut = merged(self.cut.clone());
        let mut out: Vec<Change> = Vec::with_capacity(self.masked.len() + cut.len());
        let mut cuts = cut.iter().peekable();
        for it in &self.masked {
            let mut start = it.start;
            while let Some(next) = cuts.peek().filter(|next| next.start < it.end) {
                if start < next.start {
                    out.push(Change { range: start..next.start, is_cut: false });
                }
                start = start.max(next.end);
                if next.end > it.end {
                    break;
                }
                out.push(Change { range: (*next).clone(), is_cut: true });
                cuts.next();
            }
            if start < it.end {
                out.push(Change { range: start..it.end, is_cut: false });
            }
        }
        out.extend(cuts.map(|it| Change { range: it.clone(), is_cut: true }));
        out.sort_by_key(|it| it.range.start);
        out
    }
}

/// Returns sorted ranges of which none overlaps another.
fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|it| it.start);
    let mut out: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for it in ranges {
        match out.last_mut() {
            Some(last) if it.start < last.end => last.end = last.end.max(it.end),
            _ => out.push(it),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_is_not_masked() {
        let mut marks = Marks::default();
        let one = |it: Range<usize>| std::iter::once(it).collect::<Vec<_>>();
        marks.add(vec![one(2..5), one(8..12)]);
        marks.add(vec![one(3..5), vec![11..14, 20..21]]);
        marks.cut(4..9);
        marks.cut(30..31);
        assert_eq!(marks.hits(), [2, 8, 11]);
        let shown: Vec<_> = marks.changes().into_iter().map(|it| (it.range, it.is_cut)).collect();
        let expected =
            [(2..4, false), (4..9, true), (9..14, false), (20..21, false), (30..31, true)];
        assert_eq!(shown, expected);
    }
}
