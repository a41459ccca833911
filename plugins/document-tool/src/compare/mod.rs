//! Compares the texts of two documents by blocks.
//!
//! Blocks with the same text are found first (`sequence`), then similar ones between them (`pairs`), then moved ones among
//! the rest (`moves`). Nothing is left out of the comparison without a warning.

mod block;
mod blocks;
mod event;
mod furniture;
mod moves;
mod normal;
mod pairs;
mod report;
mod sequence;
mod summary;
mod tables;
#[cfg(test)]
mod tests;
mod whole_tables;

use crate::bindings::exports::mitt::document_tool::tools::Comparison;
use mitt_guest::tables::Error;

pub(crate) use blocks::Source;
pub(crate) use whole_tables::{is_partial, is_tabular, replace};

use block::{Block, Kind};
use blocks::Parsed;
use pairs::Matcher;
use report::Report;
use sequence::{Alignment, Budget, Gap, align};
use tables::Pairs;

/// Most bytes of a text that are compared: both texts and their blocks must have room in the memory of a call.
pub(crate) const MAX_BYTES: usize = 12 << 20;

/// Most differences that are listed, and how many are by default.
const MAX_LISTED: u32 = 1_000;
const DEFAULT_LISTED: u32 = 200;

/// Returns how many differences are listed.
///
/// # Errors
///
/// `invalid-argument` - it is out of range.
pub(crate) fn checked_limit(limit: Option<u32>) -> Result<usize, Error> {
    let limit = limit.unwrap_or(DEFAULT_LISTED);
    if (1..=MAX_LISTED).contains(&limit) {
        return Ok(limit as usize);
    }
    Err(Error::InvalidArgument(format!("`limit`: expected 1 to {MAX_LISTED}, got {limit}")))
}

/// Compares two texts, and lists at most `limit` differences.
pub(crate) fn compare(before: Source, after: Source, limit: usize) -> Comparison {
    let is_plain = before.is_plain && after.is_plain;
    let (mut old, mut new) = (Parsed::new(before, is_plain), Parsed::new(after, is_plain));
    let mut budget = Budget::new();
    let tables = Pairs::new(&old, &new, &mut budget);
    tables.rehash(&mut old, &mut new);
    let hashes = |blocks: &[Block]| -> Vec<u64> { blocks.iter().map(|it| it.hash).collect() };
    let found = align(&hashes(&old.blocks), &hashes(&new.blocks), &mut budget);
    let n_renumbered = renumbered(&old, &new, &found);
    let (n_old, n_new) = (old.blocks.len(), new.blocks.len());
    let is_cut = old.source.is_cut || new.source.is_cut;
    let mut matcher = Matcher::new(&mut old, &mut new, &tables, &mut budget);
    matcher.is_coarse = found.is_coarse || tables.is_coarse;
    for Gap { old, new } in found.gaps(n_old, n_new) {
        let is_end = old.end == n_old && new.end == n_new;
        if is_cut && is_end && (old.is_empty() || new.is_empty()) {
            // The other document may go on with the same text behind the limit.
            continue;
        }
        let end = matcher.new.blocks.get(new.end).map_or(u32::MAX, |it| it.at);
        let indices = |range: std::ops::Range<usize>| range.map(|it| it as u32).collect();
        matcher.gap(indices(old), indices(new), end);
    }
    moves::find(&mut matcher);
    let (events, is_coarse) = (std::mem::take(&mut matcher.events), matcher.is_coarse);
    let report = Report { old: &old, new: &new, tables: &tables, is_coarse, n_renumbered };
    report.comparison(events, limit, &mut budget)
}

/// Returns the number of list items with the same text and another number.
fn renumbered(old: &Parsed, new: &Parsed, found: &Alignment) -> usize {
    let pairs =
        found.runs.iter().flat_map(|run| (0..run.len).map(|it| (run.old + it, run.new + it)));
    let pairs = pairs.map(|(at, to)| (&old.blocks[at], &new.blocks[to]));
    let is_item = |it: &Block| it.kind == Kind::Item && it.number > 0;
    pairs.filter(|(a, b)| is_item(a) && is_item(b) && a.number != b.number).count()
}
