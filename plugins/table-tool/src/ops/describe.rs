//! `describe`: one row of statistics for each column.

use super::column_text;
use crate::aggregate::{Aggregated, Function, aggregate};
use crate::cell::Cell;
use crate::column::Column;
use crate::groups::Groups;
use crate::problem::{Failure, Problems};
use crate::table::{Frame, Outcome, decimals, place};
use mitt_guest::tables::{Build, Cell as HostCell, Source};

const COLUMNS: [&str; 14] = [
    "column", "type", "count", "nulls", "distinct", "min", "max", "sum", "mean", "median",
    "stddev", "p25", "p75", "p90",
];

const FUNCTIONS: [Function; 9] = [
    Function::Min,
    Function::Max,
    Function::Sum,
    Function::Mean,
    Function::Median,
    Function::Stddev,
    Function::Percentile(25),
    Function::Percentile(75),
    Function::Percentile(90),
];

pub(crate) fn describe<T: Source>(
    table: &T,
    columns: Option<&[String]>,
    n_decimals: Option<u32>,
) -> Result<Outcome<T>, Failure> {
    let frame = Frame::data(table)?;
    let mut problems = Problems::default();
    let column_idxs = match columns {
        Some(columns) => frame.lookup().find_some("columns", columns, &mut problems),
        None => (0..frame.names.len()).collect(),
    };
    let n_decimals = decimals(n_decimals, &mut problems);
    problems.check()?;
    let mut warnings = Vec::new();
    let mut rows = Vec::with_capacity(column_idxs.len());
    for column_idx in column_idxs {
        let column = frame.column(column_idx)?;
        rows.push(row(&column, rows.len(), n_decimals, &mut warnings, &mut problems));
    }
    problems.check()?;
    let builder = T::Builder::new(&COLUMNS.map(str::to_owned));
    builder.append_cells(&rows)?;
    Ok(Outcome { table: builder.finish()?, warnings })
}

fn row(
    column: &Column,
    result_idx: usize,
    n_decimals: u32,
    warnings: &mut Vec<String>,
    problems: &mut Problems,
) -> Vec<HostCell> {
    let only_type = column.only_type();
    let (n_nulls, n_rows) = (column.n_nulls(), column.n_rows());
    let type_name = match only_type {
        Some("number") if column.is_float => "float",
        Some(only_type) => only_type,
        None if n_nulls == n_rows => "empty",
        None => "mixed",
    };
    if type_name == "mixed" {
        let column = column_text(&column.name);
        warnings.push(format!("{column} mixes types; `parse-numbers` with its name in `columns` shows which texts are no numbers"));
    }
    let functions: &[Function] = match type_name {
        "number" | "float" => &FUNCTIONS,
        "text" | "date" | "time" | "date-time" => &FUNCTIONS[..2],
        _ => &[],
    };
    if functions.len() > 2 {
        column.warn_of_floats(warnings);
    }
    let groups = Groups::one(n_rows);
    let mut cell = |function: Function| {
        let at = |_| place("result", result_idx, function.name());
        let result = aggregate(column, &groups, function, n_decimals, &at, problems);
        match result {
            Aggregated::New(chunk) => chunk.cell(0),
            Aggregated::Rows(rows) => {
                let found = column.n_rows() > rows[0] as usize;
                HostCell::from(&if found { column.cell(rows[0] as usize) } else { Cell::Null })
            }
        }
    };
    let text = |text: &str| HostCell::Text(text.to_owned());
    let count = |count: usize| HostCell::Number(count.to_string());
    let distinct = cell(Function::CountDistinct);
    let mut row = vec![
        text(&column.name),
        text(type_name),
        count(n_rows - n_nulls),
        count(n_nulls),
        distinct,
    ];
    row.extend(functions.iter().map(|function| cell(*function)));
    row.resize(COLUMNS.len(), HostCell::Null);
    row
}
