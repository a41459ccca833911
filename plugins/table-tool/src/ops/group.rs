//! `group`: one row for each group of rows.

use crate::aggregate::{Function, Slice};
use crate::group_key::Groups;
use crate::problem::{Failure, Problems};
use crate::table::{Cell, Lookup, Outcome, Table, check_names, check_result_size, decimals, place};

/// A column of the result.
pub(crate) struct Aggregate {
    pub(crate) column: Option<String>,
    pub(crate) function: Function,
    pub(crate) name: Option<String>,
}

impl Aggregate {
    fn result_name(&self) -> String {
        match (&self.name, &self.column) {
            (Some(name), _) => name.clone(),
            (None, Some(column)) => format!("{column}_{}", self.function.name()),
            (None, None) => self.function.name().to_owned(),
        }
    }
}

pub(crate) fn group(
    table: &Table,
    by: &[String],
    aggregates: &[Aggregate],
    n_decimals: Option<u32>,
) -> Result<Outcome, Failure> {
    let mut problems = Problems::default();
    let lookup = Lookup::new("data", table);
    let key_idxs = lookup.find_all("by", by, &mut problems);
    let n_decimals = decimals(n_decimals, &mut problems);
    if by.is_empty() && aggregates.is_empty() {
        problems.argument(|| {
            "aggregates: expected one at least where `by` is empty, got none".to_owned()
        });
    }
    let mut column_idxs = Vec::with_capacity(aggregates.len());
    for (i, aggregate) in aggregates.iter().enumerate() {
        let argument = format!("aggregates[{i}].column");
        column_idxs.push(match &aggregate.column {
            Some(column) => lookup.find(&argument, column, &mut problems).unwrap_or(0),
            None if aggregate.function == Function::Rows => 0,
            None => {
                problems.argument(|| {
                    format!(
                        "{argument}: expected a column for `{}`, got none",
                        aggregate.function.name()
                    )
                });
                0
            }
        });
    }
    let names = by.iter().cloned().chain(aggregates.iter().map(Aggregate::result_name));
    let columns: Vec<String> = names.collect();
    // A column that `by` names twice has been reported already.
    if key_idxs.len() == by.len() {
        check_names("aggregates", &columns, &mut problems);
    }
    problems.check()?;

    let groups = Groups::new(table, &key_idxs);
    check_result_size(groups.members.len(), columns.len())?;
    let mut rows = Vec::with_capacity(groups.members.len());
    for (group, members) in groups.members.iter().enumerate() {
        let mut row: Vec<Cell> = groups.key(group, table, &key_idxs);
        for (aggregate, column_idx) in aggregates.iter().zip(&column_idxs) {
            let slice = Slice { table, column_idx: *column_idx, row_idxs: members };
            let result_place = || place("result", group, &aggregate.result_name());
            row.push(slice.aggregate(aggregate.function, n_decimals, &mut problems, result_place));
        }
        rows.push(row);
    }
    problems.check()?;
    Ok(Outcome { table: Table { columns, rows }, warnings: Vec::new() })
}
