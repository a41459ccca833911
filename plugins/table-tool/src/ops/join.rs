//! `join`: combines two tables by equal keys. A hash join: linear in its input and output.

use super::join_keys::together;
use crate::column::Column;
use crate::groups::Groups;
use crate::problem::{Failure, Problems, quote};
use crate::table::{Frame, Outcome, check_names, check_result_rows};
use mitt_guest::tables::{Build, NULL_ROW, Source};
use std::collections::HashSet;

/// The rows that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JoinKind {
    Inner,
    Left,
    Right,
    Full,
    Cross,
}

/// A pair of columns that must be equal.
pub(crate) struct JoinKey {
    pub(crate) left: String,
    pub(crate) right: String,
}

pub(crate) fn join<T: Source>(
    left: &T,
    right: &T,
    on: &[JoinKey],
    kind: JoinKind,
    suffix: &str,
) -> Result<Outcome<T>, Failure> {
    let (left, right) = (Frame::new("left", left)?, Frame::new("right", right)?);
    let mut problems = Problems::default();
    let (left_keys, right_keys) = find_keys(&left, &right, on, kind, &mut problems);
    problems.check()?;
    let (left_columns, right_columns) = (left.columns(&left_keys)?, right.columns(&right_keys)?);
    check_types(&left_columns, &right_columns, &mut problems);
    let is_key: HashSet<usize> = right_keys.iter().copied().collect();
    let added: Vec<usize> = (0..right.names.len()).filter(|idx| !is_key.contains(idx)).collect();
    let columns = result_columns(&left.names, &right.names, &added, suffix, &mut problems);
    problems.check()?;

    let mut pairs = if kind == JoinKind::Cross {
        cross_pairs(left.n_rows, right.n_rows)?
    } else {
        keyed_pairs(&left_columns, &right_columns, (left.n_rows, right.n_rows), kind)?
    };
    drop((left_columns, right_columns));
    let keeps_left = matches!(kind, JoinKind::Left | JoinKind::Full);
    let keeps_right = matches!(kind, JoinKind::Right | JoinKind::Full);
    let (n_left, n_right) = (pairs.n_left_only, pairs.right_only.len());
    let warnings = &mut pairs.warnings;
    warn_unmatched("left", n_left, left.n_rows, keeps_left, warnings);
    warn_unmatched("right", n_right, right.n_rows, keeps_right, warnings);

    let new_names = &columns[left.names.len()..];
    let renamed: Vec<(u32, String)> =
        added.iter().map(|idx| *idx as u32).zip(new_names.iter().cloned()).collect();
    // If each row has one partner, nothing is copied.
    let mut table = left.rows(&pairs.left_rows)?;
    // A table without columns cannot be joined with another.
    if !renamed.is_empty() {
        table = table.beside(&right.table.select(&renamed)?.take(&pairs.right_rows)?)?;
    }
    if keeps_right && !pairs.right_only.is_empty() {
        check_result_rows(pairs.left_rows.len() + pairs.right_only.len())?;
        let below = right_only(&left, &right, (&left_keys, &right_keys), &renamed, &pairs)?;
        let builder = T::Builder::new(&columns);
        builder.append_table(&table)?;
        builder.append_table(&below)?;
        table = builder.finish()?;
    }
    Ok(Outcome { table, warnings: pairs.warnings })
}

/// Returns the rows without a left partner in the columns of the result. Their keys are in the left columns.
fn right_only<T: Source>(
    left: &Frame<'_, T>,
    right: &Frame<'_, T>,
    (left_keys, right_keys): (&[usize], &[usize]),
    added: &[(u32, String)],
    pairs: &Pairs,
) -> Result<T, Failure> {
    let mut from_right: Vec<(u32, String)> = Vec::with_capacity(left_keys.len() + added.len());
    for (left_key, right_key) in left_keys.iter().zip(right_keys) {
        from_right.push((*right_key as u32, left.names[*left_key].clone()));
    }
    from_right.extend_from_slice(added);
    let mut below = right.table.select(&from_right)?.take(&pairs.right_only)?;
    let other: Vec<usize> = (0..left.names.len()).filter(|idx| !left_keys.contains(idx)).collect();
    if !other.is_empty() {
        let nulls = left.select(&other)?.take(&vec![NULL_ROW; pairs.right_only.len()])?;
        below = nulls.beside(&below)?;
    }
    let places: std::collections::HashMap<String, u32> =
        below.columns().into_iter().map(|column| column.name).zip(0..).collect();
    let names = left.names.iter().chain(added.iter().map(|(_, name)| name));
    let ordered: Vec<(u32, String)> =
        names.filter_map(|name| Some((*places.get(name)?, name.clone()))).collect();
    Ok(below.select(&ordered)?)
}

fn find_keys<T: Source>(
    left: &Frame<'_, T>,
    right: &Frame<'_, T>,
    on: &[JoinKey],
    kind: JoinKind,
    problems: &mut Problems,
) -> (Vec<usize>, Vec<usize>) {
    match (kind, on.len()) {
        (JoinKind::Cross, 0) => {}
        (JoinKind::Cross, n_keys) => {
            problems.argument(|| format!("on: expected no keys for a cross join, got {n_keys}"))
        }
        (_, 0) => {
            problems.argument(|| "on: expected one pair of keys at least, got none".to_owned())
        }
        _ => {}
    }
    let (left_lookup, right_lookup) = (left.lookup(), right.lookup());
    let mut seen = (HashSet::new(), HashSet::new());
    let (mut left_keys, mut right_keys) = (Vec::new(), Vec::new());
    for (i, key) in on.iter().enumerate() {
        let left_idx = left_lookup.find(&format!("on[{i}].left"), &key.left, problems);
        let right_idx = right_lookup.find(&format!("on[{i}].right"), &key.right, problems);
        let (Some(left_idx), Some(right_idx)) = (left_idx, right_idx) else { continue };
        if !seen.0.insert(left_idx) || !seen.1.insert(right_idx) {
            problems.argument(|| {
                format!(
                    "on[{i}]: expected each column in one pair, got {} and {}",
                    quote(&key.left),
                    quote(&key.right)
                )
            });
        }
        left_keys.push(left_idx);
        right_keys.push(right_idx);
    }
    (left_keys, right_keys)
}

/// Checks the types of the keys: numbers and texts would silently match nothing. Dates are compared with texts in ISO 8601.
fn check_types(left: &[Column], right: &[Column], problems: &mut Problems) {
    for (i, (left, right)) in left.iter().zip(right).enumerate() {
        let (Some(left_type), Some(right_type)) = (left.only_type(), right.only_type()) else {
            continue;
        };
        let is_text = |one: &Column, other: &str| one.is_temporal() && other == "text";
        if left_type != right_type && !is_text(left, right_type) && !is_text(right, left_type) {
            let (left_name, right_name) = (quote(&left.name), quote(&right.name));
            problems.argument(|| format!("on[{i}]: expected keys of one type, got only {left_type} cells in left column {left_name} and only {right_type} cells in right column {right_name}"));
        }
    }
}

/// Returns the names of the result: those of `left`, then those of the columns that `right` adds.
fn result_columns(
    left: &[String],
    right: &[String],
    added: &[usize],
    suffix: &str,
    problems: &mut Problems,
) -> Vec<String> {
    let left_names: HashSet<&str> = left.iter().map(String::as_str).collect();
    let mut columns = left.to_vec();
    for idx in added {
        let name = &right[*idx];
        columns.push(if left_names.contains(name.as_str()) {
            format!("{name}{suffix}")
        } else {
            name.clone()
        });
    }
    check_names("suffix", &columns, problems);
    columns
}

/// The rows that are joined.
struct Pairs {
    left_rows: Vec<u32>,
    /// The right row for each left row; [`NULL_ROW`] without a partner.
    right_rows: Vec<u32>,
    n_left_only: usize,
    right_only: Vec<u32>,
    warnings: Vec<String>,
}

fn cross_pairs(n_left: usize, n_right: usize) -> Result<Pairs, Failure> {
    check_result_rows(n_left.saturating_mul(n_right))?;
    let rows =
        (0..n_left as u32).flat_map(|left| (0..n_right as u32).map(move |right| (left, right)));
    let (left_rows, right_rows) = rows.unzip();
    Ok(Pairs {
        left_rows,
        right_rows,
        n_left_only: 0,
        right_only: Vec::new(),
        warnings: Vec::new(),
    })
}

fn keyed_pairs(
    left: &[Column],
    right: &[Column],
    (n_left, n_right): (usize, usize),
    kind: JoinKind,
) -> Result<Pairs, Failure> {
    let keys = left.iter().zip(right).map(|(left, right)| together(left, right));
    let groups = Groups::new(&keys.collect::<Vec<_>>(), n_left + n_right);
    let has_null =
        |columns: &[Column], row: usize| columns.iter().any(|column| column.is_null(row));
    let may_be_null = |columns: &[Column]| columns.iter().any(|column| column.n_nulls() > 0);
    let (left_may, right_may) = (may_be_null(left), may_be_null(right));
    let is_null = |row: usize| left_may && has_null(left, row);
    let is_null_right = |row: usize| right_may && has_null(right, row);
    let (left_groups, right_groups) = groups.of_row.split_at(n_left);
    let mut n_in_left = vec![0u32; groups.len()];
    let mut n_null = 0;
    for (row, group) in left_groups.iter().enumerate() {
        if is_null(row) { n_null += 1 } else { n_in_left[*group as usize] += 1 }
    }
    let mut partners = Partners::new(&groups, right_groups, |row| !is_null_right(row));
    let keeps_left = matches!(kind, JoinKind::Left | JoinKind::Full);
    let (mut n_pairs, mut n_left_only, mut n_repeated, mut most) = (0u64, n_null, 0usize, 0);
    for (group, n_left) in n_in_left.iter().enumerate() {
        let n_found = partners.of(group as u32).len();
        n_pairs += u64::from(*n_left) * n_found as u64;
        n_left_only += if n_found == 0 { *n_left as usize } else { 0 };
        n_repeated += usize::from(*n_left > 1 && n_found > 1);
        most = most.max(n_found);
    }
    if keeps_left {
        n_pairs += n_left_only as u64;
    }
    // Pairs are counted before they are listed: repeated keys multiply, and the pairs alone could fill the memory.
    let n_pairs = usize::try_from(n_pairs).unwrap_or(usize::MAX);
    check_result_rows(n_pairs)?;
    let (left_rows, right_rows) = if most < 2 && n_left_only == 0 {
        // Each row has one partner.
        let partner: Vec<u32> = (0..groups.len())
            .map(|group| partners.of(group as u32).first().map_or(NULL_ROW, |row| *row))
            .collect();
        let right_rows = left_groups.iter().map(|group| partner[*group as usize]).collect();
        ((0..n_left as u32).collect(), right_rows)
    } else {
        let (mut left_rows, mut right_rows) =
            (Vec::with_capacity(n_pairs), Vec::with_capacity(n_pairs));
        for (row, group) in left_groups.iter().enumerate() {
            let found = if is_null(row) { &[] } else { partners.of(*group) };
            if found.is_empty() && keeps_left {
                left_rows.push(row as u32);
                right_rows.push(NULL_ROW);
            }
            left_rows.resize(left_rows.len() + found.len(), row as u32);
            right_rows.extend_from_slice(found);
        }
        (left_rows, right_rows)
    };
    let example = (n_repeated > 0).then(|| {
        // The first row with a repeated key.
        let mut seen = vec![false; groups.len()];
        let again = left_groups.iter().enumerate().find(|(row, group)| {
            !is_null(*row)
                && partners.of(**group).len() > 1
                && std::mem::replace(&mut seen[**group as usize], true)
        });
        again.map(|(row, _)| {
            left.iter().map(|column| column.cell(row).plain()).collect::<Vec<_>>().join(", ")
        })
    });
    partners.rows = Vec::new();
    let has_partner = |row: usize| !is_null_right(row) && n_in_left[right_groups[row] as usize] > 0;
    let right_only = (0..n_right).filter(|row| !has_partner(*row)).map(|row| row as u32).collect();
    let mut warnings = Vec::new();
    if let Some(example) = example.flatten() {
        warnings.push(format!(
            "rows multiply: {n_repeated} keys repeat on both sides, such as {}",
            quote(&example)
        ));
    }
    Ok(Pairs { left_rows, right_rows, n_left_only, right_only, warnings })
}

/// The right rows for each key.
struct Partners {
    rows: Vec<u32>,
    starts: Vec<u32>,
}

impl Partners {
    fn new(groups: &Groups, right: &[u32], counted: impl Fn(usize) -> bool) -> Partners {
        let mut starts = vec![0u32; groups.len() + 1];
        for (row, group) in right.iter().enumerate() {
            starts[*group as usize + 1] += u32::from(counted(row));
        }
        for group in 0..groups.len() {
            starts[group + 1] += starts[group];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; starts[groups.len()] as usize];
        for (row, group) in right.iter().enumerate().filter(|(row, _)| counted(*row)) {
            rows[next[*group as usize] as usize] = row as u32;
            next[*group as usize] += 1;
        }
        Partners { rows, starts }
    }

    fn of(&self, group: u32) -> &[u32] {
        let group = group as usize;
        &self.rows[self.starts[group] as usize..self.starts[group + 1] as usize]
    }
}

fn warn_unmatched(
    side: &str,
    n_unmatched: usize,
    n_rows: usize,
    is_kept: bool,
    warnings: &mut Vec<String>,
) {
    if n_unmatched > 0 {
        let fate = if is_kept { "kept, with nulls" } else { "left out" };
        warnings
            .push(format!("{n_unmatched} of {n_rows} rows of `{side}` have no partner: {fate}"));
    }
}
