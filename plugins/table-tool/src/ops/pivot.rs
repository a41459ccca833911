//! `pivot` and `unpivot`: values to columns, and back.

use crate::aggregate::{Function, Slice};
use crate::group_key::Groups;
use crate::problem::{Failure, Problems, quote};
use crate::table::{Cell, Lookup, Outcome, Table, check_names, check_result_size, decimals, place};
use std::collections::HashMap;

/// More columns than that are a mistake in the choice of the column.
const MAX_NEW_COLUMNS: usize = 1_000;

/// What `pivot` is asked for.
pub(crate) struct Pivot<'a> {
    pub(crate) rows: &'a [String],
    pub(crate) column: &'a str,
    pub(crate) values: &'a str,
    pub(crate) function: Function,
    pub(crate) decimals: Option<u32>,
}

pub(crate) fn pivot(table: &Table, pivot: &Pivot<'_>) -> Result<Outcome, Failure> {
    let mut problems = Problems::default();
    let lookup = Lookup::new("data", table);
    let row_keys = lookup.find_all("rows", pivot.rows, &mut problems);
    let column_idx = lookup.find("column", pivot.column, &mut problems).unwrap_or(0);
    let values_idx = lookup.find("values", pivot.values, &mut problems).unwrap_or(0);
    let n_decimals = decimals(pivot.decimals, &mut problems);
    problems.check()?;
    if row_keys.contains(&column_idx) {
        problems.argument(|| {
            format!(
                "column: expected a column that is not among `rows`, got {}",
                quote(pivot.column)
            )
        });
        problems.check()?;
    }
    let row_groups = Groups::new(table, &row_keys);
    let column_groups = Groups::new(table, &[column_idx]);
    let n_new = column_groups.members.len();
    if n_new > MAX_NEW_COLUMNS {
        problems.argument(|| {
            format!("column: expected at most {MAX_NEW_COLUMNS} different values, got {n_new}")
        });
        problems.check()?;
    }
    let mut columns = pivot.rows.to_vec();
    columns.extend(
        column_groups.members.iter().map(|members| table.rows[members[0]][column_idx].plain()),
    );
    check_names("column", &columns, &mut problems);
    problems.check()?;
    // Without rows there is no group to show, unlike in `group`, where a total of nothing has a meaning.
    let n_rows = if table.rows.is_empty() { 0 } else { row_groups.members.len() };
    check_result_size(n_rows, columns.len())?;

    let mut meeting: HashMap<(usize, usize), Vec<usize>> = HashMap::new();
    for (row_idx, (row_group, column_group)) in
        row_groups.of_row.iter().zip(&column_groups.of_row).enumerate()
    {
        meeting.entry((*row_group, *column_group)).or_default().push(row_idx);
    }
    let mut rows = Vec::with_capacity(n_rows);
    for row_group in 0..n_rows {
        let mut row = row_groups.key(row_group, table, &row_keys);
        for column_group in 0..n_new {
            row.push(meeting.get(&(row_group, column_group)).map_or(Cell::Null, |row_idxs| {
                let slice = Slice { table, column_idx: values_idx, row_idxs };
                let result_place =
                    || place("result", row_group, &columns[row_keys.len() + column_group]);
                slice.aggregate(pivot.function, n_decimals, &mut problems, result_place)
            }));
        }
        rows.push(row);
    }
    problems.check()?;
    Ok(Outcome { table: Table { columns, rows }, warnings: Vec::new() })
}

/// What `unpivot` is asked for.
pub(crate) struct Unpivot<'a> {
    pub(crate) keep: &'a [String],
    pub(crate) columns: Option<&'a [String]>,
    pub(crate) name: &'a str,
    pub(crate) value: &'a str,
}

pub(crate) fn unpivot(table: &Table, unpivot: &Unpivot<'_>) -> Result<Outcome, Failure> {
    let mut problems = Problems::default();
    let lookup = Lookup::new("data", table);
    let keep = lookup.find_all("keep", unpivot.keep, &mut problems);
    let mut is_kept = vec![false; table.columns.len()];
    keep.iter().for_each(|idx| is_kept[*idx] = true);
    let melted: Vec<usize> = match unpivot.columns {
        Some(columns) => lookup.find_some("columns", columns, &mut problems),
        None => (0..table.columns.len()).filter(|idx| !is_kept[*idx]).collect(),
    };
    let mut columns = unpivot.keep.to_vec();
    columns.extend([unpivot.name.to_owned(), unpivot.value.to_owned()]);
    if keep.len() == unpivot.keep.len() {
        check_names("name and value", &columns, &mut problems);
    }
    problems.check()?;
    check_result_size(table.rows.len().saturating_mul(melted.len()), columns.len())?;
    let names: Vec<Cell> = table.columns.iter().map(|name| Cell::text(name)).collect();
    let rows = table.rows.iter().flat_map(|row| {
        let (keep, names) = (&keep, &names);
        melted.iter().map(move |idx| {
            let mut cells: Vec<Cell> = keep.iter().map(|idx| row[*idx].clone()).collect();
            cells.extend([names[*idx].clone(), row[*idx].clone()]);
            cells
        })
    });
    Ok(Outcome { table: Table { columns, rows: rows.collect() }, warnings: Vec::new() })
}
