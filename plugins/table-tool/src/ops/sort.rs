//! `sort`: order rows.

use crate::order::{compare, natural_order_warning};
use crate::problem::{Failure, Problems};
use crate::table::{Lookup, Outcome, Table};
use std::cmp::Ordering;

/// A column to sort by.
pub(crate) struct SortKey {
    pub(crate) column: String,
    pub(crate) descending: bool,
}

pub(crate) fn sort(
    table: Table,
    keys: &[SortKey],
    limit: Option<usize>,
) -> Result<Outcome, Failure> {
    let mut problems = Problems::default();
    let names: Vec<String> = keys.iter().map(|key| key.column.clone()).collect();
    let column_idxs = Lookup::new("data", &table).find_some("keys", &names, &mut problems);
    problems.check()?;
    let Table { columns, mut rows } = table;
    let warnings = column_idxs
        .iter()
        .filter_map(|idx| natural_order_warning(&columns[*idx], rows.iter().map(|row| &row[*idx])))
        .collect();
    rows.sort_by(|one, two| {
        let orders = column_idxs
            .iter()
            .zip(keys)
            .map(|(idx, key)| compare(&one[*idx], &two[*idx], key.descending));
        orders.fold(Ordering::Equal, Ordering::then)
    });
    rows.truncate(limit.unwrap_or(usize::MAX));
    Ok(Outcome { table: Table { columns, rows }, warnings })
}
