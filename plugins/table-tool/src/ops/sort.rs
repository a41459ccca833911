//! `sort`: orders rows.

use crate::column::Column;
use crate::groups::Groups;
use crate::order::{Ranks, natural_order_warning, sorted};
use crate::problem::{Failure, Problems};
use crate::table::{Frame, Lookup, Outcome};
use mitt_guest::tables::Source;

/// A column to sort by.
pub(crate) struct SortKey {
    pub(crate) column: String,
    pub(crate) descending: bool,
}

impl SortKey {
    /// Finds the columns of the keys.
    pub(crate) fn find(
        keys: &[SortKey],
        argument: &str,
        lookup: &Lookup<'_>,
        problems: &mut Problems,
    ) -> Vec<usize> {
        let names: Vec<String> = keys.iter().map(|key| key.column.clone()).collect();
        lookup.find_all(argument, &names, problems)
    }
}

/// Returns the ranks of rows for each key. Warns of misleading orders.
pub(crate) fn ranks(
    columns: &[Column],
    keys: &[SortKey],
    warnings: &mut Vec<String>,
) -> Vec<Ranks> {
    let pairs = columns.iter().zip(keys);
    let ranks = pairs.map(|(column, key)| {
        warnings.extend(natural_order_warning(column));
        Ranks::new(column, key.descending)
    });
    ranks.collect()
}

pub(crate) fn sort<T: Source>(
    table: &T,
    keys: &[SortKey],
    limit: Option<usize>,
    per: &[String],
) -> Result<Outcome<T>, Failure> {
    let frame = Frame::data(table)?;
    let mut problems = Problems::default();
    let lookup = frame.lookup();
    if keys.is_empty() {
        problems.argument(|| "keys: expected one column at least, got none".to_owned());
    }
    let column_idxs = SortKey::find(keys, "keys", &lookup, &mut problems);
    let per_idxs = lookup.find_all("per", per, &mut problems);
    if !per.is_empty() && limit.is_none() {
        problems.argument(|| "per: expected a `limit` with it, got none".to_owned());
    }
    problems.check()?;
    let mut warnings = Vec::new();
    let ranks = ranks(&frame.columns(&column_idxs)?, keys, &mut warnings);
    let limit = limit.unwrap_or(usize::MAX);
    let mut rows = sorted(&ranks, frame.n_rows, if per.is_empty() { limit } else { usize::MAX });
    if !per.is_empty() {
        let groups = Groups::new(&frame.columns(&per_idxs)?, frame.n_rows);
        let mut n_kept = vec![0; groups.len()];
        rows.retain(|row| {
            let n_kept = &mut n_kept[groups.of_row[*row as usize] as usize];
            *n_kept += 1;
            *n_kept <= limit
        });
    }
    Ok(Outcome { table: frame.rows(&rows)?, warnings })
}
