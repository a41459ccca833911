//! `growth` and `compare`: change and rate, down the rows or across the columns.

use super::{column_text, rows_text};
use crate::exact::{TooLong, difference, round};
use crate::fraction::Fraction;
use crate::group_key::Groups;
use crate::number::Number;
use crate::order::natural_order_warning;
use crate::problem::{Failure, Problems, quote};
use crate::table::{Cell, Lookup, Outcome, Table, check_result_size, decimals, place, result_cell};
use rust_decimal::Decimal;
use std::cmp::Ordering;

/// Which row is the one before.
pub(crate) struct Periods<'a> {
    pub(crate) order_by: Option<&'a str>,
    pub(crate) group_by: &'a [String],
    pub(crate) lag: u32,
}

pub(crate) fn growth(
    mut table: Table,
    columns: &[String],
    periods: &Periods<'_>,
    n_decimals: Option<u32>,
    suffix: &str,
) -> Result<Outcome, Failure> {
    let mut problems = Problems::default();
    let mut lookup = Lookup::new("data", &table);
    let column_idxs = lookup.find_some("columns", columns, &mut problems);
    let order_idx = periods.order_by.and_then(|name| lookup.find("order-by", name, &mut problems));
    let group_idxs = lookup.find_all("group-by", periods.group_by, &mut problems);
    let n_decimals = decimals(n_decimals, &mut problems);
    if periods.lag == 0 {
        problems.argument(|| "lag: expected 1 or more, got 0".to_owned());
    }
    let names = new_names(columns, suffix, &mut lookup, &mut problems);
    problems.check()?;
    check_result_size(table.rows.len(), table.columns.len() + 2 * columns.len())?;

    let mut warnings = Vec::new();
    let before =
        rows_before(&table, order_idx, &group_idxs, periods.lag, &mut warnings, &mut problems);
    let mut new_columns = Vec::new();
    for (column_idx, names) in column_idxs.into_iter().zip(names) {
        let numbers = table.numbers(column_idx, &mut problems);
        let pairs = before
            .iter()
            .zip(&numbers)
            .map(|(before, now)| before.map(|before| (*now, numbers[before])));
        let rates = Rates::new(pairs, n_decimals, &names, &mut problems);
        rates.warn(&names.growth, &mut warnings);
        new_columns.push((names, rates));
    }
    problems.check()?;
    push_all(&mut table, new_columns);
    Ok(Outcome { table, warnings })
}

pub(crate) fn compare(
    mut table: Table,
    base: &str,
    columns: &[String],
    n_decimals: Option<u32>,
    suffix: &str,
) -> Result<Outcome, Failure> {
    let mut problems = Problems::default();
    let mut lookup = Lookup::new("data", &table);
    let base_idx = lookup.find("base", base, &mut problems);
    let column_idxs = lookup.find_some("columns", columns, &mut problems);
    let n_decimals = decimals(n_decimals, &mut problems);
    let names = new_names(columns, suffix, &mut lookup, &mut problems);
    problems.check()?;
    check_result_size(table.rows.len(), table.columns.len() + 2 * columns.len())?;

    let mut warnings = Vec::new();
    let bases = base_idx.map(|idx| table.numbers(idx, &mut problems)).unwrap_or_default();
    let mut new_columns = Vec::new();
    for (column_idx, names) in column_idxs.into_iter().zip(names) {
        let numbers = if Some(column_idx) == base_idx {
            bases.clone()
        } else {
            table.numbers(column_idx, &mut problems)
        };
        let pairs = numbers.iter().zip(&bases).map(|(now, base)| Some((*now, *base)));
        let rates = Rates::new(pairs, n_decimals, &names, &mut problems);
        rates.warn(&names.growth, &mut warnings);
        new_columns.push((names, rates));
    }
    problems.check()?;
    push_all(&mut table, new_columns);
    Ok(Outcome { table, warnings })
}

struct Names {
    change: String,
    growth: String,
}

fn new_names(
    columns: &[String],
    suffix: &str,
    lookup: &mut Lookup<'_>,
    problems: &mut Problems,
) -> Vec<Names> {
    let mut names = Vec::with_capacity(columns.len());
    for column in columns {
        let new = Names {
            change: format!("{column}_change{suffix}"),
            growth: format!("{column}_growth{suffix}"),
        };
        lookup.new_name("suffix", &new.change, problems);
        lookup.new_name("suffix", &new.growth, problems);
        names.push(new);
    }
    names
}

fn push_all(table: &mut Table, new_columns: Vec<(Names, Rates)>) {
    for (names, rates) in new_columns {
        table.push_column(names.change, rates.changes);
        table.push_column(names.growth, rates.growths);
    }
}

/// The two new columns, and where a rate has no meaning.
#[derive(Default)]
struct Rates {
    changes: Vec<Cell>,
    growths: Vec<Cell>,
    null_base: Vec<usize>,
    zero_base: Vec<usize>,
    negative_base: Vec<usize>,
}

impl Rates {
    /// Each pair is a number and its base; none where there is no row before.
    fn new(
        pairs: impl Iterator<Item = Option<(Option<Decimal>, Option<Decimal>)>>,
        decimals: u32,
        names: &Names,
        problems: &mut Problems,
    ) -> Rates {
        let mut rates = Rates::default();
        for (row_idx, pair) in pairs.enumerate() {
            let (change, growth) = match pair {
                None => (Ok(None), Ok(None)),
                Some((_, None)) => {
                    rates.null_base.push(row_idx);
                    (Ok(None), Ok(None))
                }
                Some((None, Some(_))) => (Ok(None), Ok(None)),
                Some((Some(now), Some(base))) => {
                    (difference(now, base).map(Some), rates.growth(row_idx, now, base, decimals))
                }
            };
            rates
                .changes
                .push(result_cell(change, problems, || place("result", row_idx, &names.change)));
            rates
                .growths
                .push(result_cell(growth, problems, || place("result", row_idx, &names.growth)));
        }
        rates
    }

    fn growth(
        &mut self,
        row_idx: usize,
        now: Decimal,
        base: Decimal,
        decimals: u32,
    ) -> Result<Option<Number>, TooLong> {
        match base.cmp(&Decimal::ZERO) {
            Ordering::Greater => {
                let base = Fraction::from(base);
                round(&((Fraction::from(now) - base.clone()) / base), decimals).map(Some)
            }
            Ordering::Equal => {
                self.zero_base.push(row_idx);
                Ok(None)
            }
            // From -10 to 5 the formula gives -150 %, where everyone would speak of growth.
            Ordering::Less => {
                self.negative_base.push(row_idx);
                Ok(None)
            }
        }
    }

    fn warn(&self, name: &str, warnings: &mut Vec<String>) {
        for (row_idxs, what) in [
            (&self.null_base, "null"),
            (&self.zero_base, "zero"),
            (&self.negative_base, "negative"),
        ] {
            if !row_idxs.is_empty() {
                warnings.push(format!(
                    "{} is null where the base is {what}: {}",
                    column_text(name),
                    rows_text(row_idxs)
                ));
            }
        }
    }
}

/// For each row the row `lag` periods before it.
fn rows_before(
    table: &Table,
    order_idx: Option<usize>,
    group_idxs: &[usize],
    lag: u32,
    warnings: &mut Vec<String>,
    problems: &mut Problems,
) -> Vec<Option<usize>> {
    let mut before = vec![None; table.rows.len()];
    let lag = lag as usize;
    let mut uneven: Option<(String, String)> = None;
    for mut members in Groups::new(table, group_idxs).members {
        if let Some(order_idx) = order_idx {
            order_periods(table, order_idx, &mut members, problems);
            uneven = uneven.or_else(|| uneven_step(table, order_idx, &members));
        }
        for (later, row_idx) in members.iter().enumerate().skip(lag) {
            before[*row_idx] = Some(members[later - lag]);
        }
    }
    if let Some(order_idx) = order_idx {
        let column = &table.columns[order_idx];
        warnings
            .extend(natural_order_warning(column, table.rows.iter().map(|row| &row[order_idx])));
        if let Some((earlier, later)) = uneven {
            warnings.push(format!(
                "{} has no even steps: {} is followed by {}",
                column_text(column),
                quote(&earlier),
                quote(&later)
            ));
        }
    }
    before
}

fn order_periods(table: &Table, order_idx: usize, members: &mut [usize], problems: &mut Problems) {
    let period = |row_idx: usize| &table.rows[row_idx][order_idx];
    let at = |row_idx: usize| place("data", row_idx, &table.columns[order_idx]);
    let mut first: Option<&Cell> = None;
    for row_idx in members.iter() {
        match (period(*row_idx), first) {
            (Cell::Null, _) => {
                problems.argument(|| format!("{}: expected a period, got null", at(*row_idx)))
            }
            (cell, None) => first = Some(cell),
            (cell, Some(first)) if cell.compare(first).is_none() => {
                problems.argument(|| {
                    format!(
                        "{}: expected a {} like the periods above, got {}",
                        at(*row_idx),
                        first.type_name(),
                        cell.show()
                    )
                });
            }
            _ => {}
        }
    }
    members.sort_by(|one, two| crate::order::compare(period(*one), period(*two), false));
    for pair in members.windows(2) {
        if !period(pair[0]).is_null() && period(pair[0]) == period(pair[1]) {
            problems.argument(|| {
                format!(
                    "{}: expected each period once in its group, got {} again, which is rows[{}]",
                    at(pair[1]),
                    period(pair[1]).show(),
                    pair[0]
                )
            });
            problems.note(|| "hint: name the columns that separate the series in `group-by`, or sum them up with `group` first".to_owned());
        }
    }
}

/// The first two numeric periods that are farther apart than the first step of their group.
fn uneven_step(table: &Table, order_idx: usize, members: &[usize]) -> Option<(String, String)> {
    let number = |row_idx: usize| match &table.rows[row_idx][order_idx] {
        Cell::Number(number) => number.exact(),
        _ => None,
    };
    let step = |pair: &[usize]| number(pair[1])?.checked_sub(number(pair[0])?);
    let first = members.windows(2).next().and_then(step)?;
    let uneven = members.windows(2).find(|pair| step(pair).is_some_and(|step| step != first))?;
    let text = |row_idx: usize| table.rows[row_idx][order_idx].plain();
    Some((text(uneven[0]), text(uneven[1])))
}
