//! `calculate`: a new column from an expression.

use super::expression::{Context, parse};
use super::{column_text, rows_text};
use crate::exact::round;
use crate::fraction::Fraction;
use crate::problem::{Failure, Problems, quote};
use crate::table::{Lookup, Outcome, Table, check_result_size, decimals, place, result_cell};

pub(crate) fn calculate(
    mut table: Table,
    name: String,
    expression: &str,
    n_decimals: Option<u32>,
) -> Result<Outcome, Failure> {
    let mut problems = Problems::default();
    let mut lookup = Lookup::new("data", &table);
    lookup.new_name("name", &name, &mut problems);
    let n_decimals = decimals(n_decimals, &mut problems);
    let parsed =
        parse(expression).map_err(|text| problems.argument(|| format!("expression: {text}"))).ok();
    let names = parsed.as_ref().map(|parsed| parsed.columns.as_slice()).unwrap_or_default();
    let column_idxs: Vec<Option<usize>> =
        names.iter().map(|name| lookup.find("expression", name, &mut problems)).collect();
    problems.check()?;
    check_result_size(table.rows.len(), table.columns.len() + 1)?;
    let operands: Vec<_> =
        column_idxs.into_iter().flatten().map(|idx| table.numbers(idx, &mut problems)).collect();
    problems.check()?;

    let mut by_zero = Vec::new();
    let mut cells = Vec::with_capacity(table.rows.len());
    for row_idx in 0..table.rows.len() {
        let mut context = Context {
            columns: operands.iter().map(|column| column[row_idx].map(Fraction::from)).collect(),
            divided_by_zero: false,
        };
        let value = parsed.as_ref().and_then(|parsed| parsed.root.value(&mut context));
        if context.divided_by_zero {
            by_zero.push(row_idx);
        }
        let result = value.map(|value| round(&value, n_decimals)).transpose();
        cells.push(result_cell(result, &mut problems, || place("result", row_idx, &name)));
    }
    problems.check()?;
    let mut warnings = Vec::new();
    if !by_zero.is_empty() {
        warnings.push(format!(
            "{}: {} divides by zero in {}",
            column_text(&name),
            quote(expression),
            rows_text(&by_zero)
        ));
    }
    table.push_column(name, cells);
    Ok(Outcome { table, warnings })
}
