//! `join`: combine two tables by equal keys. A hash join: linear in its input and output.

use crate::problem::{Failure, Problems, quote};
use crate::table::{Cell, Lookup, Outcome, Table, check_names, check_result_size};
use std::collections::{HashMap, HashSet};

/// Which rows are kept.
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

/// The right rows with one key, and how many left rows have it.
#[derive(Default)]
struct Partners {
    right_rows: Vec<usize>,
    n_left: usize,
}

pub(crate) fn join(
    left: &Table,
    right: &Table,
    on: &[JoinKey],
    kind: JoinKind,
    suffix: &str,
) -> Result<Outcome, Failure> {
    let mut problems = Problems::default();
    let (left_keys, right_keys) = find_keys(left, right, on, kind, &mut problems);
    problems.check()?;
    check_types(left, right, &left_keys, &right_keys, &mut problems);
    let is_key: HashSet<usize> = right_keys.iter().copied().collect();
    let added: Vec<usize> = (0..right.columns.len()).filter(|idx| !is_key.contains(idx)).collect();
    let columns = result_columns(left, right, &added, suffix, &mut problems);
    problems.check()?;

    let pairs = if kind == JoinKind::Cross {
        cross_pairs(left, right, columns.len())?
    } else {
        keyed_pairs((left, &left_keys), (right, &right_keys), kind, columns.len())?
    };
    let mut warnings = pairs.warnings;
    let is_matched = |row_idx: usize| pairs.right_matched.get(row_idx).copied().unwrap_or(true);
    let right_only: Vec<usize> =
        (0..right.rows.len()).filter(|row_idx| !is_matched(*row_idx)).collect();
    let keeps_right = matches!(kind, JoinKind::Right | JoinKind::Full);
    warn_unmatched(
        "left",
        pairs.n_left_only,
        left.rows.len(),
        matches!(kind, JoinKind::Left | JoinKind::Full),
        &mut warnings,
    );
    warn_unmatched("right", right_only.len(), right.rows.len(), keeps_right, &mut warnings);

    let n_right_only = if keeps_right { right_only.len() } else { 0 };
    check_result_size(pairs.rows.len() + n_right_only, columns.len())?;
    let mut rows: Vec<Vec<Cell>> = Vec::with_capacity(pairs.rows.len() + n_right_only);
    for (left_idx, right_idx) in pairs.rows {
        let mut row = left.rows[left_idx].clone();
        row.extend(added.iter().map(|idx| {
            right_idx.map_or(Cell::Null, |right_idx| right.rows[right_idx][*idx].clone())
        }));
        rows.push(row);
    }
    for right_idx in right_only.into_iter().take(n_right_only) {
        let right_row = &right.rows[right_idx];
        let mut row = vec![Cell::Null; left.columns.len()];
        for (left_key, right_key) in left_keys.iter().zip(&right_keys) {
            row[*left_key] = right_row[*right_key].clone();
        }
        row.extend(added.iter().map(|idx| right_row[*idx].clone()));
        rows.push(row);
    }
    Ok(Outcome { table: Table { columns, rows }, warnings })
}

fn find_keys(
    left: &Table,
    right: &Table,
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
    let (left_lookup, right_lookup) = (Lookup::new("left", left), Lookup::new("right", right));
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

/// Numbers on one side and texts on the other would silently match nothing.
fn check_types(
    left: &Table,
    right: &Table,
    left_keys: &[usize],
    right_keys: &[usize],
    problems: &mut Problems,
) {
    for (i, (left_key, right_key)) in left_keys.iter().zip(right_keys).enumerate() {
        let (left_type, right_type) = (only_type(left, *left_key), only_type(right, *right_key));
        if let (Some(left_type), Some(right_type)) = (left_type, right_type)
            && left_type != right_type
        {
            let (left_name, right_name) =
                (quote(&left.columns[*left_key]), quote(&right.columns[*right_key]));
            problems.argument(|| format!("on[{i}]: expected keys of one type, got only {left_type} cells in left column {left_name} and only {right_type} cells in right column {right_name}"));
        }
    }
}

fn only_type(table: &Table, column_idx: usize) -> Option<&'static str> {
    let mut types = table
        .rows
        .iter()
        .map(|row| &row[column_idx])
        .filter(|cell| !cell.is_null())
        .map(Cell::type_name);
    let first = types.next()?;
    types.all(|other| other == first).then_some(first)
}

fn result_columns(
    left: &Table,
    right: &Table,
    added: &[usize],
    suffix: &str,
    problems: &mut Problems,
) -> Vec<String> {
    let left_names: HashSet<&str> = left.columns.iter().map(String::as_str).collect();
    let mut columns = left.columns.clone();
    for idx in added {
        let name = &right.columns[*idx];
        columns.push(if left_names.contains(name.as_str()) {
            format!("{name}{suffix}")
        } else {
            name.clone()
        });
    }
    check_names("suffix", &columns, problems);
    columns
}

/// Which rows stand side by side.
struct Pairs {
    rows: Vec<(usize, Option<usize>)>,
    n_left_only: usize,
    /// Empty when it does not matter.
    right_matched: Vec<bool>,
    warnings: Vec<String>,
}

fn cross_pairs(left: &Table, right: &Table, n_columns: usize) -> Result<Pairs, Failure> {
    check_result_size(left.rows.len().saturating_mul(right.rows.len()), n_columns)?;
    let rows = (0..left.rows.len()).flat_map(|left_idx| {
        (0..right.rows.len()).map(move |right_idx| (left_idx, Some(right_idx)))
    });
    Ok(Pairs {
        rows: rows.collect(),
        n_left_only: 0,
        right_matched: Vec::new(),
        warnings: Vec::new(),
    })
}

fn keyed_pairs(
    (left, left_keys): (&Table, &[usize]),
    (right, right_keys): (&Table, &[usize]),
    kind: JoinKind,
    n_columns: usize,
) -> Result<Pairs, Failure> {
    let mut partners: HashMap<Vec<&Cell>, Partners> = HashMap::new();
    for (row_idx, row) in right.rows.iter().enumerate() {
        partners.entry(key(row, right_keys)).or_default().right_rows.push(row_idx);
    }
    let right_matched = vec![false; right.rows.len()];
    let mut pairs = Pairs { rows: Vec::new(), n_left_only: 0, right_matched, warnings: Vec::new() };
    let keeps_left = matches!(kind, JoinKind::Left | JoinKind::Full);
    let (mut n_repeated, mut example) = (0usize, None);
    for (left_idx, row) in left.rows.iter().enumerate() {
        let key = key(row, left_keys);
        let found =
            if key.iter().any(|cell| cell.is_null()) { None } else { partners.get_mut(&key) };
        let Some(found) = found else {
            pairs.n_left_only += 1;
            if keeps_left {
                pairs.rows.push((left_idx, None));
            }
            continue;
        };
        found.n_left += 1;
        if found.n_left == 2 && found.right_rows.len() > 1 {
            n_repeated += 1;
            example.get_or_insert_with(|| {
                key.iter().map(|cell| cell.plain()).collect::<Vec<_>>().join(", ")
            });
        }
        // Refused while it grows: repeated keys multiply, and the pairs alone could fill the memory.
        check_result_size(pairs.rows.len() + found.right_rows.len(), n_columns)?;
        for right_idx in &found.right_rows {
            pairs.right_matched[*right_idx] = true;
            pairs.rows.push((left_idx, Some(*right_idx)));
        }
    }
    if let Some(example) = example {
        pairs.warnings.push(format!(
            "rows multiply: {n_repeated} keys repeat on both sides, such as {}",
            quote(&example)
        ));
    }
    Ok(pairs)
}

fn key<'a>(row: &'a [Cell], key_idxs: &[usize]) -> Vec<&'a Cell> {
    key_idxs.iter().map(|idx| &row[*idx]).collect()
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
