//! `share`: part of a total.

use super::{column_text, rows_text};
use crate::exact::{Sum, round};
use crate::fraction::Fraction;
use crate::group_key::Groups;
use crate::problem::{Failure, Problems};
use crate::table::{Cell, Lookup, Outcome, Table, check_result_size, decimals, place, result_cell};

pub(crate) fn share(
    mut table: Table,
    column: &str,
    group_by: &[String],
    name: Option<String>,
    n_decimals: Option<u32>,
) -> Result<Outcome, Failure> {
    let mut problems = Problems::default();
    let mut lookup = Lookup::new("data", &table);
    let column_idx = lookup.find("column", column, &mut problems);
    let group_idxs = lookup.find_all("group-by", group_by, &mut problems);
    let n_decimals = decimals(n_decimals, &mut problems);
    let name = name.unwrap_or_else(|| format!("{column}_share"));
    lookup.new_name("name", &name, &mut problems);
    let numbers = column_idx.map(|idx| table.numbers(idx, &mut problems)).unwrap_or_default();
    problems.check()?;
    check_result_size(table.rows.len(), table.columns.len() + 1)?;

    let groups = Groups::new(&table, &group_idxs);
    let mut totals: Vec<Sum> = vec![Sum::default(); groups.members.len()];
    let mut negative = Vec::new();
    for (row_idx, (number, group)) in numbers.iter().zip(&groups.of_row).enumerate() {
        let Some(number) = number else { continue };
        totals[*group].add(*number);
        if number.is_sign_negative() {
            negative.push(row_idx);
        }
    }
    let totals: Vec<Fraction> = totals.iter().map(Sum::fraction).collect();
    let mut without_total = Vec::new();
    let mut cells = Vec::with_capacity(numbers.len());
    for (row_idx, (number, group)) in numbers.iter().zip(&groups.of_row).enumerate() {
        let total = &totals[*group];
        cells.push(match number {
            None => Cell::Null,
            Some(_) if !total.is_positive() => {
                without_total.push(row_idx);
                Cell::Null
            }
            Some(number) => {
                let share = round(&(Fraction::from(*number) / total.clone()), n_decimals).map(Some);
                result_cell(share, &mut problems, || place("result", row_idx, &name))
            }
        });
    }
    problems.check()?;
    let mut warnings = Vec::new();
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
    table.push_column(name, cells);
    Ok(Outcome { table, warnings })
}
