//! `describe`: one row of statistics for each column.

use super::column_text;
use crate::aggregate::{Function, Slice};
use crate::problem::{Failure, Problems};
use crate::table::{Cell, Lookup, Outcome, Table, decimals, place};

const COLUMNS: [&str; 11] = [
    "column", "type", "count", "nulls", "distinct", "min", "max", "sum", "mean", "median", "stddev",
];

pub(crate) fn describe(
    table: &Table,
    columns: Option<&[String]>,
    n_decimals: Option<u32>,
) -> Result<Outcome, Failure> {
    let mut problems = Problems::default();
    let column_idxs = match columns {
        Some(columns) => Lookup::new("data", table).find_some("columns", columns, &mut problems),
        None => (0..table.columns.len()).collect(),
    };
    let n_decimals = decimals(n_decimals, &mut problems);
    problems.check()?;
    let row_idxs: Vec<usize> = (0..table.rows.len()).collect();
    let mut warnings = Vec::new();
    let mut rows = Vec::with_capacity(column_idxs.len());
    for (result_idx, column_idx) in column_idxs.into_iter().enumerate() {
        let slice = Slice { table, column_idx, row_idxs: &row_idxs };
        let type_name = column_type(table, column_idx);
        if type_name == "mixed" {
            let column = column_text(&table.columns[column_idx]);
            warnings.push(format!("{column} mixes types; `parse-numbers` with its name in `columns` shows which texts are no numbers"));
        }
        let functions: &[Function] = match type_name {
            "number" => &[
                Function::Min,
                Function::Max,
                Function::Sum,
                Function::Mean,
                Function::Median,
                Function::Stddev,
            ],
            "text" => &[Function::Min, Function::Max],
            _ => &[],
        };
        let n_values = table.rows.iter().filter(|row| !row[column_idx].is_null()).count();
        let mut row = vec![Cell::text(&table.columns[column_idx]), Cell::text(type_name)];
        row.extend([n_values, table.rows.len() - n_values, slice.distinct()].map(Cell::count));
        for function in functions {
            let result_place = || place("result", result_idx, function.name());
            row.push(slice.aggregate(*function, n_decimals, &mut problems, result_place));
        }
        row.resize(COLUMNS.len(), Cell::Null);
        rows.push(row);
    }
    problems.check()?;
    Ok(Outcome { table: Table { columns: COLUMNS.map(str::to_owned).to_vec(), rows }, warnings })
}

fn column_type(table: &Table, column_idx: usize) -> &'static str {
    let mut types = table
        .rows
        .iter()
        .map(|row| &row[column_idx])
        .filter(|cell| !cell.is_null())
        .map(Cell::type_name);
    match types.next() {
        None => "empty",
        Some(first) => {
            if types.all(|other| other == first) {
                first
            } else {
                "mixed"
            }
        }
    }
}
