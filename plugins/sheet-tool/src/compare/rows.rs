//! Which rows of two sheets belong together: by a column that names them, or by their contents.

use super::align::{align, best, rising};
use super::columns::{Columns, rows};
use super::side::{Row, Side, joined};
use crate::book::RowSpan;
use crate::refs;

/// Most columns that are looked at for unique values.
const MAX_KEYS: usize = 24;
/// Most steps for rows that are similar, in one gap and in all.
const MAX_GAP: usize = 10_000;
const MAX_STEPS: usize = 400_000;

/// Rows that belong together, and those that do not.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// In the order of the new rows.
    pub(super) pairs: Vec<(RowSpan, RowSpan)>,
    pub(super) removed: Vec<RowSpan>,
    pub(super) inserted: Vec<RowSpan>,
    /// Number of rows that stand elsewhere.
    pub(super) moved: usize,
    pub(super) is_rough: bool,
    /// `true` if rows were matched by several equal keys.
    pub(super) has_repeated_keys: bool,
    /// `false` if a wanted key was not found.
    pub(super) has_key: bool,
}

/// Hashes by which rows are matched.
enum Names {
    Keys(Vec<u64>, Vec<u64>),
    Contents(Vec<u64>, Vec<u64>),
}

pub(super) struct Sheets<'a> {
    pub(super) old: &'a Side,
    pub(super) new: &'a Side,
    pub(super) old_sheet: usize,
    pub(super) new_sheet: usize,
    /// `true` if equal source means equal cells.
    pub(super) is_same_source: bool,
}

pub(super) fn match_rows(it: &Sheets<'_>, columns: &Columns, key: Option<&str>) -> Rows {
    let (a, b) = (it.old.spans(it.old_sheet), it.new.spans(it.new_sheet));
    let mut found = Rows::default();
    let keys = key.and_then(|key| named(it, columns, key));
    found.has_key = keys.is_some();
    let (mut start, mut end) = (0, 0);
    if it.is_same_source && columns.is_same() {
        let same = |x: &RowSpan, y: &RowSpan| {
            x.number == y.number && it.old.source(it.old_sheet, x) == it.new.source(it.new_sheet, y)
        };
        start = a.iter().zip(b).take_while(|(x, y)| same(x, y)).count();
        let rest = a[start..].iter().rev().zip(b[start..].iter().rev());
        end = rest.take_while(|(x, y)| same(x, y)).count();
        found.pairs.extend(a[..start].iter().copied().zip(b[..start].iter().copied()));
        let (x, y) = (&a[a.len() - end..], &b[b.len() - end..]);
        found.pairs.extend(x.iter().copied().zip(y.iter().copied()));
    }
    let (x, y) = (&a[start..a.len() - end], &b[start..b.len() - end]);
    let in_place = if key.is_none() && columns.is_same() { stays(it, x, y) } else { None };
    let is_open = |at: usize| in_place.as_ref().is_none_or(|it| !it[at]);
    let open = |spans: &[RowSpan]| -> Vec<RowSpan> {
        spans.iter().enumerate().filter(|it| is_open(it.0)).map(|it| *it.1).collect()
    };
    if let Some(same) = &in_place {
        let both = x.iter().copied().zip(y.iter().copied()).zip(same);
        found.pairs.extend(both.filter(|it| *it.1).map(|it| it.0));
    }
    let old = rows(it.old, it.old_sheet, &open(x), &|column| columns.of_old(column));
    let new = rows(it.new, it.new_sheet, &open(y), &|column| columns.of_new(column));
    // The header and what is above it have no keys.
    let (mut top_old, mut top_new) = (0, 0);
    if let Some((x, y)) = &columns.headers {
        top_old = old.partition_point(|row| row.span.number <= a[x.span].number);
        top_new = new.partition_point(|row| row.span.number <= b[y.span].number);
    }
    let mut steps = MAX_STEPS;
    let mut pairs = Vec::new();
    let (old_top, old_data) = old.split_at(top_old);
    let (new_top, new_data) = new.split_at(top_new);
    by_content(it, columns, old_top, new_top, &mut steps, &mut found, &mut pairs);
    let mut data = Vec::new();
    let known = match keys {
        Some((x, y)) => Names::Keys(
            keys_of(it.old, it.old_sheet, old_data, x),
            keys_of(it.new, it.new_sheet, new_data, y),
        ),
        None => unique_keys(it, columns, old_data, new_data),
    };
    match known {
        Names::Keys(x, y) => {
            data = by_key(&x, &y);
            found.has_repeated_keys = [&x, &y].iter().any(|it| repeats(it));
        }
        Names::Contents(x, y) => {
            let with = |rows: &[Row], hashes: Vec<u64>| -> Vec<Row> {
                rows.iter().zip(hashes).map(|(row, hash)| Row { hash, ..*row }).collect()
            };
            let (old, new) = (with(old_data, x), with(new_data, y));
            by_content(it, columns, &old, &new, &mut steps, &mut found, &mut data);
        }
    }
    pairs.extend(data.into_iter().map(|(i, j)| (i + top_old, j + top_new)));
    finish(&mut found, &old, &new, &pairs);
    found
}

/// Returns which rows are the same at the same place, if nearly all are.
fn stays(it: &Sheets<'_>, old: &[RowSpan], new: &[RowSpan]) -> Option<Vec<bool>> {
    if !it.is_same_source || old.len() != new.len() {
        return None;
    }
    let is_same = |(x, y): (&RowSpan, &RowSpan)| {
        x.number == y.number && it.old.source(it.old_sheet, x) == it.new.source(it.new_sheet, y)
    };
    let same: Vec<bool> = old.iter().zip(new).map(is_same).collect();
    let count = same.iter().filter(|it| **it).count();
    (count * 10 >= same.len() * 9).then_some(same)
}

fn finish(found: &mut Rows, old: &[Row], new: &[Row], pairs: &[(usize, usize)]) {
    let (mut is_old, mut is_new) = (vec![false; old.len()], vec![false; new.len()]);
    for (i, j) in pairs {
        (is_old[*i], is_new[*j]) = (true, true);
        found.pairs.push((old[*i].span, new[*j].span));
    }
    let rest = |rows: &[Row], known: &[bool]| {
        rows.iter().zip(known).filter(|it| !it.1).map(|it| it.0.span).collect::<Vec<_>>()
    };
    (found.removed, found.inserted) = (rest(old, &is_old), rest(new, &is_new));
    let mut numbers: Vec<(usize, usize)> =
        found.pairs.iter().map(|it| (it.0.number as usize, it.1.number as usize)).collect();
    numbers.sort_unstable();
    found.moved = numbers.len() - rising(&numbers).len();
    found.pairs.sort_unstable_by_key(|it| it.1.number);
}

/// Returns the column that a key names in both sheets, by its header or its letter.
fn named(it: &Sheets<'_>, columns: &Columns, key: &str) -> Option<(u32, u32)> {
    let hash = Side::text_hash(key.trim());
    if let Some((a, b)) = &columns.headers {
        let find = |cells: &[(u32, u64)]| cells.iter().find(|it| it.1 == hash).map(|it| it.0);
        if let (Some(x), Some(y)) = (find(&a.cells), find(&b.cells)) {
            return Some((x, y));
        }
    }
    let column = refs::column(key.trim())?;
    let has = |side: &Side, sheet: usize| {
        side.spans(sheet).iter().any(|span| {
            crate::book::cells(side.source(sheet, span)).any(|cell| cell.column == column)
        })
    };
    let new = columns.of_old(column)?;
    (has(it.old, it.old_sheet) && has(it.new, it.new_sheet)).then_some((column, new))
}

/// Returns the key of each row; for one without a key the hash of all its cells.
fn keys_of(side: &Side, sheet: usize, rows: &[Row], column: u32) -> Vec<u64> {
    let key = |row: &Row| {
        let mut all = side.contents(side.source(sheet, &row.span));
        all.find(|it| it.0.column == column).map_or(row.hash, |it| it.1)
    };
    rows.iter().map(key).collect()
}

fn repeats(keys: &[u64]) -> bool {
    let mut sorted = keys.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).any(|it| it[0] == it[1])
}

/// Returns pairs of equal keys; equal ones in their order.
fn by_key(old: &[u64], new: &[u64]) -> Vec<(usize, usize)> {
    let sorted = |keys: &[u64]| {
        let mut all: Vec<(u64, usize)> = keys.iter().copied().zip(0..).collect();
        all.sort_unstable();
        all
    };
    let (old, new) = (sorted(old), sorted(new));
    let (mut i, mut j) = (0, 0);
    let mut pairs = Vec::new();
    while let (Some(a), Some(b)) = (old.get(i), new.get(j)) {
        match a.0.cmp(&b.0) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                pairs.push((a.1, b.1));
                (i, j) = (i + 1, j + 1);
            }
        }
    }
    pairs
}

/// Returns the keys of a column whose values are unique and filled in both sheets, and mostly the same; without one the
/// contents.
fn unique_keys(it: &Sheets<'_>, columns: &Columns, old: &[Row], new: &[Row]) -> Names {
    let contents = |rows: &[Row]| rows.iter().map(|it| it.hash).collect();
    if old.len() < 2 || new.len() < 2 {
        return Names::Contents(contents(old), contents(new));
    }
    let first = it.old.source(it.old_sheet, &old[0].span);
    let wanted: Vec<u32> = it
        .old
        .contents(first)
        .filter(|cell| !Side::is_formula_hash(cell.1))
        .map(|cell| cell.0.column)
        .filter(|column| columns.of_old(*column).is_some())
        .take(MAX_KEYS)
        .collect();
    let found_old = filled(it.old, it.old_sheet, old, &wanted);
    let wanted: Vec<u32> =
        found_old.iter().filter_map(|(column, _)| columns.of_old(*column)).collect();
    let found_new = filled(it.new, it.new_sheet, new, &wanted);
    let mut best: Option<(usize, &Vec<u64>, &Vec<u64>, u32)> = None;
    for (column, x) in &found_old {
        let Some(to) = columns.of_old(*column) else { continue };
        let Some((_, y)) = found_new.iter().find(|it| it.0 == to) else { continue };
        let common = by_key(x, y).len();
        if common * 2 >= x.len().min(y.len()) && best.as_ref().is_none_or(|it| common > it.0) {
            best = Some((common, x, y, to));
        }
    }
    let Some((_, x, y, column)) = best else {
        return Names::Contents(contents(old), contents(new));
    };
    // Numbers that count rows are new in all rows below an insertion: then the other cells decide.
    let without = |rows: &[Row], keys: &[u64]| -> Vec<u64> {
        rows.iter()
            .zip(keys)
            .map(|(row, key)| row.hash.wrapping_sub(joined([column.into(), *key])))
            .collect()
    };
    let (rest_old, rest_new) = (without(old, x), without(new, y));
    let by_keys = by_key(x, y).into_iter().filter(|it| rest_old[it.0] == rest_new[it.1]).count();
    let others = align(&rest_old, &rest_new).pairs;
    if others.len() > by_keys + by_keys / 4 + 1 && rest_old.iter().any(|it| *it != 0) {
        Names::Contents(rest_old, rest_new)
    } else {
        Names::Keys(x.clone(), y.clone())
    }
}

/// Returns the hashes of those columns that are filled with unique values in all rows.
fn filled(side: &Side, sheet: usize, rows: &[Row], wanted: &[u32]) -> Vec<(u32, Vec<u64>)> {
    let mut open: Vec<(u32, Vec<u64>)> = wanted.iter().map(|it| (*it, Vec::new())).collect();
    for (number, row) in rows.iter().enumerate() {
        if open.is_empty() {
            return open;
        }
        for (cell, hash) in side.contents(side.source(sheet, &row.span)) {
            if let Some(it) = open.iter_mut().find(|it| it.0 == cell.column)
                && !Side::is_formula_hash(hash)
            {
                it.1.push(hash);
            }
        }
        open.retain(|it| it.1.len() == number + 1);
    }
    open.retain(|it| !repeats(&it.1));
    open
}

/// Pairs rows with equal contents, and similar rows between them.
fn by_content(
    it: &Sheets<'_>,
    columns: &Columns,
    old: &[Row],
    new: &[Row],
    steps: &mut usize,
    found: &mut Rows,
    pairs: &mut Vec<(usize, usize)>,
) {
    let hashes = |rows: &[Row]| rows.iter().map(|it| it.hash).collect::<Vec<_>>();
    let equal = align(&hashes(old), &hashes(new));
    found.is_rough |= equal.is_rough;
    let (mut i, mut j) = (0, 0);
    for (end_i, end_j) in equal.pairs.iter().copied().chain([(old.len(), new.len())]) {
        let (a, b) = (&old[i..end_i], &new[j..end_j]);
        if !a.is_empty() && !b.is_empty() {
            let size = a.len().saturating_mul(b.len());
            let mut similar = Vec::new();
            if size <= MAX_GAP && size <= *steps {
                *steps -= size;
                similar = alike(it, columns, a, b);
            } else if a.len() != b.len() {
                found.is_rough = true;
            }
            // As many rows before as after: each is a changed one.
            let (mut x, mut y) = (0, 0);
            for (end_x, end_y) in similar.into_iter().chain([(a.len(), b.len())]) {
                if end_x - x == end_y - y {
                    pairs.extend((x..end_x).zip(y..end_y).map(|(x, y)| (i + x, j + y)));
                }
                if end_x < a.len() {
                    pairs.push((i + end_x, j + end_y));
                }
                (x, y) = (end_x + 1, end_y + 1);
            }
        }
        if end_i < old.len() {
            pairs.push((end_i, end_j));
        }
        (i, j) = (end_i + 1, end_j + 1);
    }
}

/// Returns pairs of rows that have at least half of their cells in common.
fn alike(it: &Sheets<'_>, columns: &Columns, a: &[Row], b: &[Row]) -> Vec<(usize, usize)> {
    let cells = |side: &Side, sheet: usize, row: &Row, of: &dyn Fn(u32) -> Option<u32>| {
        let mut all: Vec<u64> = side
            .contents(side.source(sheet, &row.span))
            .filter_map(|(cell, hash)| Some(joined([of(cell.column)?.into(), hash])))
            .collect();
        all.sort_unstable();
        all
    };
    let old: Vec<_> = a
        .iter()
        .map(|row| cells(it.old, it.old_sheet, row, &|column| columns.of_old(column)))
        .collect();
    let new: Vec<_> = b
        .iter()
        .map(|row| cells(it.new, it.new_sheet, row, &|column| columns.of_new(column)))
        .collect();
    best(old.len(), new.len(), &|i, j| {
        let (x, y) = (&old[i], &new[j]);
        let common = x.iter().filter(|it| y.binary_search(it).is_ok()).count();
        if common * 2 >= x.len().max(y.len()) { common as u32 } else { 0 }
    })
}
