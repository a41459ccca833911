//! Which columns of two sheets belong together: by the texts of their headers.

use super::align::align;
use super::map::Map;
use super::side::{Row, Side};
use crate::book::RowSpan;
use mitt_guest::FoldMap;
use std::collections::BTreeMap;

/// Most rows with contents among which the header is looked for.
const MAX_HEADER_ROWS: usize = 10;
/// Most rows by which columns with other headers are recognised.
const MAX_SAMPLE: usize = 2_000;

/// A row of headers.
#[derive(Clone, Debug)]
pub(super) struct Header {
    /// Position among the rows of the sheet.
    pub(super) span: usize,
    /// Columns and hashes of their headers.
    pub(super) cells: Vec<(u32, u64)>,
}

#[derive(Debug, Default)]
pub(super) struct Columns {
    pub(super) map: Map,
    pub(super) removed: Vec<u32>,
    pub(super) inserted: Vec<u32>,
    pub(super) headers: Option<(Header, Header)>,
}

impl Columns {
    /// Returns the new column of an old one; `None` if it was removed.
    pub(super) fn of_old(&self, column: u32) -> Option<u32> {
        (!self.removed.contains(&column)).then(|| self.map.get(column))
    }

    /// Returns a new column; `None` if it was inserted.
    pub(super) fn of_new(&self, column: u32) -> Option<u32> {
        (!self.inserted.contains(&column)).then_some(column)
    }

    pub(super) fn is_same(&self) -> bool {
        self.map.is_same() && self.removed.is_empty() && self.inserted.is_empty()
    }
}

/// Returns the first row of at least two contents of which more than half are texts.
fn header(side: &Side, sheet: usize) -> Option<Header> {
    let mut seen = 0;
    for (span, row) in side.spans(sheet).iter().enumerate() {
        let (mut all, mut texts) = (Vec::new(), 0);
        for (cell, hash) in side.contents(side.source(sheet, row)) {
            let kind = cell.tag().and_then(|it| it.attribute("t"));
            texts += usize::from(matches!(kind, Some("s" | "str" | "inlineStr")));
            all.push((cell.column, hash));
        }
        if all.len() >= 2 && texts * 2 > all.len() {
            return Some(Header { span, cells: all });
        }
        seen += usize::from(!all.is_empty());
        if seen >= MAX_HEADER_ROWS {
            return None;
        }
    }
    None
}

pub(super) fn columns(old: &Side, new: &Side, old_sheet: usize, new_sheet: usize) -> Columns {
    let (Some(a), Some(b)) = (header(old, old_sheet), header(new, new_sheet)) else {
        return Columns::default();
    };
    let hashes = |it: &Header| it.cells.iter().map(|it| it.1).collect::<Vec<_>>();
    let pairs = align(&hashes(&a), &hashes(&b)).pairs;
    // What differs in most of its texts is no header, but data.
    if pairs.len() * 2 < a.cells.len().min(b.cells.len()) {
        return Columns::default();
    }
    let mut found = Columns::default();
    let mut numbers: Vec<(u32, u32)> =
        pairs.iter().map(|(i, j)| (a.cells[*i].0, b.cells[*j].0)).collect();
    let (mut i, mut j) = (0, 0);
    for (end_i, end_j) in pairs.into_iter().chain([(a.cells.len(), b.cells.len())]) {
        let gap_old: Vec<u32> = a.cells[i..end_i].iter().map(|it| it.0).collect();
        let gap_new: Vec<u32> = b.cells[j..end_j].iter().map(|it| it.0).collect();
        (i, j) = (end_i + 1, end_j + 1);
        if gap_old.len() != gap_new.len() {
            found.removed.extend(gap_old);
            found.inserted.extend(gap_new);
            continue;
        }
        if gap_old.is_empty() {
            continue;
        }
        let old_values = values(old, old_sheet, &gap_old, a.span);
        let new_values = values(new, new_sheet, &gap_new, b.span);
        for (column, other) in gap_old.into_iter().zip(gap_new) {
            if are_alike(old_values.get(&column), new_values.get(&other)) {
                numbers.push((column, other))
            } else {
                found.removed.push(column);
                found.inserted.push(other);
            }
        }
    }
    found.map = Map::new(numbers);
    found.headers = Some((a, b));
    found
}

type Values = FoldMap<u64, u32>;

/// Returns the values of some columns below the header with their counts.
fn values(side: &Side, sheet: usize, wanted: &[u32], header: usize) -> BTreeMap<u32, Values> {
    let mut found: BTreeMap<u32, Values> = BTreeMap::new();
    for row in side.spans(sheet).iter().skip(header + 1).take(MAX_SAMPLE) {
        for (cell, hash) in side.contents(side.source(sheet, row)) {
            if wanted.contains(&cell.column) {
                *found.entry(cell.column).or_default().entry(hash).or_default() += 1;
            }
        }
    }
    found
}

/// Returns `true` if two columns have at least half of their values in common.
fn are_alike(old: Option<&Values>, new: Option<&Values>) -> bool {
    let (Some(old), Some(new)) = (old, new) else { return old.is_none() && new.is_none() };
    let count = |it: &Values| it.values().sum::<u32>();
    let common: u32 =
        old.iter().map(|(hash, count)| new.get(hash).map_or(0, |it| *it.min(count))).sum();
    common * 2 >= count(old).min(count(new))
}

/// Returns the rows of a part of a sheet that have contents, with hashes over the columns that both sheets have.
pub(super) fn rows(
    side: &Side,
    sheet: usize,
    spans: &[RowSpan],
    column: &dyn Fn(u32) -> Option<u32>,
) -> Vec<Row> {
    let mut found = Vec::new();
    for span in spans {
        let (mut hash, mut is_filled) = (0_u64, false);
        for (cell, value) in side.contents(side.source(sheet, span)) {
            if let Some(column) = column(cell.column) {
                is_filled = true;
                hash = hash.wrapping_add(super::side::joined([column.into(), value]));
            }
        }
        if is_filled {
            found.push(Row { span: *span, hash });
        }
    }
    found
}
