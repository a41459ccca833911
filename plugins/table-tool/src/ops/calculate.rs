//! `calculate`: a new column from an expression.

use super::quick::Quick;
use super::{column_text, rows_text};
use crate::column::{Column, Numbers};
use crate::exact::{ratio, round};
use crate::fraction::Fraction;
use crate::output::Output;
use crate::problem::{Failure, Problems, quote};
use crate::table::{Frame, Outcome, decimals, place};
use mitt_arithmetic::{Context, Expression, parse};
use mitt_guest::tables::Source;

pub(crate) fn calculate<T: Source>(
    table: &T,
    name: String,
    expression: &str,
    n_decimals: Option<u32>,
) -> Result<Outcome<T>, Failure> {
    let frame = Frame::data(table)?;
    let mut problems = Problems::default();
    let mut lookup = frame.lookup();
    lookup.new_name("name", &name, &mut problems);
    let n_decimals = decimals(n_decimals, &mut problems);
    let parsed =
        parse(expression).map_err(|text| problems.argument(|| format!("expression: {text}"))).ok();
    let names = parsed.as_ref().map(|parsed| parsed.columns.as_slice()).unwrap_or_default();
    let column_idxs: Vec<Option<usize>> =
        names.iter().map(|name| lookup.find("expression", name, &mut problems)).collect();
    problems.check()?;
    let columns: Vec<Column> =
        frame.columns(&column_idxs.into_iter().flatten().collect::<Vec<_>>())?;
    let operands: Vec<Numbers<'_>> =
        columns.iter().map(|column| column.numbers(&mut problems)).collect();
    problems.check()?;

    let mut by_zero = Vec::new();
    let mut output = Output::new(n_decimals, frame.n_rows);
    if let Some(parsed) = &parsed {
        for row_idx in 0..frame.n_rows {
            let is_by_zero =
                push_row(parsed, &operands, row_idx, n_decimals, &mut output, &mut problems, &name);
            if is_by_zero {
                by_zero.push(row_idx);
            }
        }
    }
    problems.check()?;
    let mut warnings = Vec::new();
    columns.iter().for_each(|column| column.warn_of_floats(&mut warnings));
    if !by_zero.is_empty() {
        warnings.push(format!(
            "{}: {} divides by zero in {}",
            column_text(&name),
            quote(expression),
            rows_text(&by_zero)
        ));
    }
    Ok(Outcome { table: frame.with(vec![(name, output.finish())])?, warnings })
}

/// Appends the value of a row. Returns `true` if something was divided by zero.
fn push_row(
    parsed: &Expression,
    operands: &[Numbers<'_>],
    row_idx: usize,
    n_decimals: u32,
    output: &mut Output,
    problems: &mut Problems,
    name: &str,
) -> bool {
    if let Some(quick) = Quick::of(&parsed.root, operands, row_idx) {
        let Some(value) = quick.value else {
            output.push_null();
            return quick.divided_by_zero;
        };
        let rounded = ratio(value.numer, value.denom, n_decimals as i32);
        let is_done =
            rounded.is_some_and(|units| output.push_calculated(units, n_decimals as u8).is_ok());
        if is_done {
            return quick.divided_by_zero;
        }
    }
    let mut context = Context {
        columns: operands.iter().map(|numbers| numbers.get(row_idx).map(Fraction::from)).collect(),
        divided_by_zero: false,
    };
    let value = parsed.root.value(&mut context);
    let result = value.map(|value| round(&value, n_decimals)).transpose();
    output.push_result(result, problems, &|row| place("result", row, name));
    context.divided_by_zero
}
