//! `share`: the part of a total.

use super::{column_text, rows_text};
use crate::exact::{Sum, ratio, round};
use crate::fraction::Fraction;
use crate::groups::Groups;
use crate::output::Output;
use crate::problem::{Failure, Problems};
use crate::table::{Frame, Outcome, decimals, place};
use mitt_guest::tables::Source;

pub(crate) fn share<T: Source>(
    table: &T,
    column: &str,
    group_by: &[String],
    name: Option<String>,
    n_decimals: Option<u32>,
) -> Result<Outcome<T>, Failure> {
    let frame = Frame::data(table)?;
    let mut problems = Problems::default();
    let mut lookup = frame.lookup();
    let column_idx = lookup.find("column", column, &mut problems);
    let group_idxs = lookup.find_all("group-by", group_by, &mut problems);
    let n_decimals = decimals(n_decimals, &mut problems);
    let name = name.unwrap_or_else(|| format!("{column}_share"));
    lookup.new_name("name", &name, &mut problems);
    let Some(column_idx) = column_idx else {
        return Err(problems.check().err().unwrap_or_else(|| unreachable!("a problem was added")));
    };
    let loaded = frame.column(column_idx)?;
    let numbers = loaded.numbers(&mut problems);
    problems.check()?;

    let groups = Groups::new(&frame.columns(&group_idxs)?, frame.n_rows);
    let mut quick: Option<Vec<i128>> = numbers.narrow().map(|_| vec![0; groups.len()]);
    let mut totals: Vec<Sum> = vec![Sum::default(); groups.len()];
    let mut negative = Vec::new();
    for (row_idx, group) in groups.of_row.iter().enumerate() {
        let Some(number) = numbers.get(row_idx) else { continue };
        match &mut quick {
            Some(quick) => quick[*group as usize] += number.mantissa(),
            None => totals[*group as usize].add(number),
        }
        if number.is_sign_negative() && !number.is_zero() {
            negative.push(row_idx);
        }
    }
    if let (Some(quick), Some((_, scale))) = (&quick, numbers.narrow()) {
        totals = quick.iter().map(|total| Sum::of_units(*total, 0, 1, scale.into())).collect();
    }
    let totals: Vec<Fraction> = totals.iter().map(Sum::fraction).collect();
    let mut without_total = Vec::new();
    let mut output = Output::new(n_decimals, frame.n_rows);
    for (row_idx, group) in groups.of_row.iter().enumerate() {
        let Some(number) = numbers.get(row_idx) else {
            output.push_null();
            continue;
        };
        let total = &totals[*group as usize];
        if !total.is_positive() {
            without_total.push(row_idx);
            output.push_null();
            continue;
        }
        let quick = quick.as_ref().map(|quick| quick[*group as usize]);
        let quick = quick.and_then(|total| ratio(number.mantissa(), total, n_decimals as i32));
        if quick.is_some_and(|share| output.push_calculated(share, n_decimals as u8).is_ok()) {
            continue;
        }
        let share = round(&(Fraction::from(number) / total.clone()), n_decimals).map(Some);
        output.push_result(share, &mut problems, &|row| place("result", row, &name));
    }
    problems.check()?;
    let mut warnings = Vec::new();
    loaded.warn_of_floats(&mut warnings);
    if !without_total.is_empty() {
        warnings.push(format!(
            "{} is null where the total is zero or negative: {}",
            column_text(&name),
            rows_text(&without_total)
        ));
    }
    if !negative.is_empty() {
        warnings.push(format!(
            "{} has negative numbers, so that other shares are too large: {}",
            column_text(column),
            rows_text(&negative)
        ));
    }
    Ok(Outcome { table: frame.with(vec![(name, output.finish())])?, warnings })
}
