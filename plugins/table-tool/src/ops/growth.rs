//! `growth` and `compare`: change and rate between rows or between columns.

use super::{column_text, rows_text};
use crate::aggregate::push_difference;
use crate::cell::Cell;
use crate::column::Column;
use crate::exact::{ratio, round};
use crate::fraction::Fraction;
use crate::groups::Groups;
use crate::order::{Ranks, natural_order_warning, sorted};
use crate::output::Output;
use crate::problem::{Failure, Problems, quote};
use crate::table::{Frame, Lookup, Outcome, decimals, place};
use mitt_guest::tables::{Chunk, NULL_ROW, Source};
use rust_decimal::Decimal;

/// The row to compare with.
pub(crate) struct Periods<'a> {
    pub(crate) order_by: Option<&'a str>,
    pub(crate) group_by: &'a [String],
    pub(crate) lag: u32,
}

pub(crate) fn growth<T: Source>(
    table: &T,
    columns: &[String],
    periods: &Periods<'_>,
    n_decimals: Option<u32>,
    suffix: &str,
) -> Result<Outcome<T>, Failure> {
    let frame = Frame::data(table)?;
    let mut problems = Problems::default();
    let mut lookup = frame.lookup();
    let column_idxs = lookup.find_some("columns", columns, &mut problems);
    let order_idx = periods.order_by.and_then(|name| lookup.find("order-by", name, &mut problems));
    let group_idxs = lookup.find_all("group-by", periods.group_by, &mut problems);
    let n_decimals = decimals(n_decimals, &mut problems);
    if periods.lag == 0 {
        problems.argument(|| "lag: expected 1 or more, got 0".to_owned());
    }
    let names = new_names(columns, suffix, &mut lookup, &mut problems);
    problems.check()?;

    let mut warnings = Vec::new();
    let groups = Groups::new(&frame.columns(&group_idxs)?, frame.n_rows);
    let order = order_idx.map(|idx| frame.column(idx)).transpose()?;
    let before = rows_before(order.as_ref(), &groups, periods.lag, &mut warnings, &mut problems);
    let mut new_columns = Vec::new();
    for (column_idx, names) in column_idxs.into_iter().zip(names) {
        let column = frame.column(column_idx)?;
        let numbers = column.numbers(&mut problems);
        let pairs = before.iter().enumerate().map(|(row, before)| {
            (*before != NULL_ROW).then(|| (numbers.get(row), numbers.get(*before as usize)))
        });
        let mut rates = Rates::new(frame.n_rows, n_decimals, numbers.is_float);
        rates.extend(pairs, &names, &mut problems);
        column.warn_of_floats(&mut warnings);
        rates.finish(names, &mut new_columns, &mut warnings);
    }
    problems.check()?;
    Ok(Outcome { table: frame.with(new_columns)?, warnings })
}

pub(crate) fn compare<T: Source>(
    table: &T,
    base: &str,
    columns: &[String],
    n_decimals: Option<u32>,
    suffix: &str,
) -> Result<Outcome<T>, Failure> {
    let frame = Frame::data(table)?;
    let mut problems = Problems::default();
    let mut lookup = frame.lookup();
    let base_idx = lookup.find("base", base, &mut problems);
    let column_idxs = lookup.find_some("columns", columns, &mut problems);
    let n_decimals = decimals(n_decimals, &mut problems);
    let names = new_names(columns, suffix, &mut lookup, &mut problems);
    problems.check()?;

    let base_column = frame.column(base_idx.unwrap_or(0))?;
    let bases = base_column.numbers(&mut problems);
    let (mut warnings, mut new_columns) = (Vec::new(), Vec::new());
    base_column.warn_of_floats(&mut warnings);
    for (column_idx, names) in column_idxs.into_iter().zip(names) {
        let column = frame.column(column_idx)?;
        // The problems of the base were reported already.
        let mut known = Problems::default();
        let is_base = Some(column_idx) == base_idx;
        let numbers = column.numbers(if is_base { &mut known } else { &mut problems });
        if !is_base {
            column.warn_of_floats(&mut warnings);
        }
        let pairs = (0..frame.n_rows).map(|row| Some((numbers.get(row), bases.get(row))));
        let mut rates = Rates::new(frame.n_rows, n_decimals, numbers.is_float || bases.is_float);
        rates.extend(pairs, &names, &mut problems);
        rates.finish(names, &mut new_columns, &mut warnings);
    }
    problems.check()?;
    Ok(Outcome { table: frame.with(new_columns)?, warnings })
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

/// The two new columns, and the rows whose rate has no meaning.
struct Rates {
    decimals: u32,
    is_lossy: bool,
    changes: Output,
    growths: Output,
    null_base: Vec<usize>,
    zero_base: Vec<usize>,
    negative_base: Vec<usize>,
}

impl Rates {
    fn new(n_rows: usize, decimals: u32, is_lossy: bool) -> Rates {
        Rates {
            decimals,
            is_lossy,
            changes: Output::new(0, n_rows),
            growths: Output::new(decimals, n_rows),
            null_base: Vec::new(),
            zero_base: Vec::new(),
            negative_base: Vec::new(),
        }
    }

    /// Appends pairs of a number and its base; `None` without a previous row.
    fn extend(
        &mut self,
        pairs: impl Iterator<Item = Option<(Option<Decimal>, Option<Decimal>)>>,
        names: &Names,
        problems: &mut Problems,
    ) {
        for (row_idx, pair) in pairs.enumerate() {
            let (now, base) = match pair {
                Some((Some(now), Some(base))) => (now, base),
                other => {
                    if let Some((_, None)) = other {
                        self.null_base.push(row_idx);
                    }
                    self.changes.push_null();
                    self.growths.push_null();
                    continue;
                }
            };
            let changes = &mut self.changes;
            let at = |row| place("result", row, &names.change);
            push_difference((now, base), self.is_lossy, changes, problems, &at);
            self.push_growth(row_idx, now, base, names, problems);
        }
    }

    fn push_growth(
        &mut self,
        row_idx: usize,
        now: Decimal,
        base: Decimal,
        names: &Names,
        problems: &mut Problems,
    ) {
        let wrong = match base.mantissa().signum() {
            0 => &mut self.zero_base,
            // From -10 to 5 the formula gives -150 %, although the number grew.
            -1 => &mut self.negative_base,
            _ => {
                let quick = (now.scale() == base.scale())
                    .then(|| now.mantissa() - base.mantissa())
                    .and_then(|change| ratio(change, base.mantissa(), self.decimals as i32));
                let is_done = quick.is_some_and(|growth| {
                    self.growths.push_calculated(growth, self.decimals as u8).is_ok()
                });
                if !is_done {
                    let base = Fraction::from(base);
                    let growth = (Fraction::from(now) - base.clone()) / base;
                    let growth = round(&growth, self.decimals).map(Some);
                    let at = |row| place("result", row, &names.growth);
                    self.growths.push_result(growth, problems, &at);
                }
                return;
            }
        };
        wrong.push(row_idx);
        self.growths.push_null();
    }

    fn finish(
        self,
        names: Names,
        new_columns: &mut Vec<(String, Chunk)>,
        warnings: &mut Vec<String>,
    ) {
        for (row_idxs, what) in [
            (&self.null_base, "null"),
            (&self.zero_base, "zero"),
            (&self.negative_base, "negative"),
        ] {
            if !row_idxs.is_empty() {
                warnings.push(format!(
                    "{} is null where the base is {what}: {}",
                    column_text(&names.growth),
                    rows_text(row_idxs)
                ));
            }
        }
        new_columns.push((names.change, self.changes.finish()));
        new_columns.push((names.growth, self.growths.finish()));
    }
}

/// Returns for each row the row `lag` periods before it, or [`NULL_ROW`].
fn rows_before(
    order: Option<&Column>,
    groups: &Groups,
    lag: u32,
    warnings: &mut Vec<String>,
    problems: &mut Problems,
) -> Vec<u32> {
    let n_rows = groups.of_row.len();
    let rows = match order {
        Some(order) => ordered_periods(order, groups, warnings, problems),
        None => groups.members().0,
    };
    let mut before = vec![NULL_ROW; n_rows];
    for (later, row) in rows.iter().enumerate().skip(lag as usize) {
        let earlier = rows[later - lag as usize];
        if groups.of_row[earlier as usize] == groups.of_row[*row as usize] {
            before[*row as usize] = earlier;
        }
    }
    before
}

/// Returns the rows, group by group, in order of their periods. A period occurs once in a group.
fn ordered_periods(
    order: &Column,
    groups: &Groups,
    warnings: &mut Vec<String>,
    problems: &mut Problems,
) -> Vec<u32> {
    let at = |row: u32| place("data", row as usize, &order.name);
    check_periods(order, groups, problems);
    let keys = [Ranks::of_groups(groups), Ranks::new(order, false)];
    let rows = sorted(&keys, groups.of_row.len(), usize::MAX);
    let group = |row: u32| groups.of_row[row as usize];
    let rank = |row: u32| keys[1].of_row[row as usize];
    for pair in rows.windows(2) {
        let is_again = group(pair[0]) == group(pair[1]) && rank(pair[0]) == rank(pair[1]);
        if is_again && !order.is_null(pair[0] as usize) {
            problems.argument(|| {
                format!(
                    "{}: expected each period once in its group, got {} again, which is rows[{}]",
                    at(pair[1]),
                    order.cell(pair[1] as usize).show(),
                    pair[0]
                )
            });
            problems.note(|| "hint: name the columns that separate the series in `group-by`, or sum them up with `group` first".to_owned());
        }
    }
    warnings.extend(natural_order_warning(order));
    if let Some((earlier, later)) = uneven_step(order, groups, &rows) {
        warnings.push(format!(
            "{} has no even steps: {} is followed by {}",
            column_text(&order.name),
            quote(&earlier),
            quote(&later)
        ));
    }
    rows
}

/// Checks that no period is null, and that the periods of a group have one type.
fn check_periods(order: &Column, groups: &Groups, problems: &mut Problems) {
    if order.mixed().is_none() && order.n_nulls() == 0 {
        return;
    }
    let mut first: Vec<Option<Cell>> = vec![None; groups.len()];
    for (row_idx, group) in groups.of_row.iter().enumerate() {
        let at = || place("data", row_idx, &order.name);
        let first = &mut first[*group as usize];
        match (order.cell(row_idx), &first) {
            (Cell::Null, _) => {
                problems.argument(|| format!("{}: expected a period, got null", at()));
            }
            (cell, None) => *first = Some(cell),
            (cell, Some(first)) if cell.compare(first).is_none() => {
                problems.argument(|| {
                    format!(
                        "{}: expected a {} like the periods above, got {}",
                        at(),
                        first.type_name(),
                        cell.show()
                    )
                });
            }
            _ => {}
        }
    }
}

/// Returns the first two numeric periods whose distance differs from the first step of their group.
fn uneven_step(order: &Column, groups: &Groups, rows: &[u32]) -> Option<(String, String)> {
    if order.is_temporal() {
        // Months have different numbers of days.
        return None;
    }
    let number = |row: u32| match order.cell(row as usize) {
        Cell::Number(number) => number.exact(),
        _ => None,
    };
    let mut first: Option<(u32, Decimal)> = None;
    for pair in rows.windows(2) {
        let group = groups.of_row[pair[0] as usize];
        if group != groups.of_row[pair[1] as usize] {
            continue;
        }
        let Some(step) =
            number(pair[1]).zip(number(pair[0])).and_then(|(one, two)| one.checked_sub(two))
        else {
            continue;
        };
        match first {
            Some((known, even)) if known == group => {
                if step != even {
                    let text = |row: u32| order.cell(row as usize).plain();
                    return Some((text(pair[0]), text(pair[1])));
                }
            }
            _ => first = Some((group, step)),
        }
    }
    None
}
