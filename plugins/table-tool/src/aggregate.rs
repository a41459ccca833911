//! Calculates results from the cells of each group of rows.

use crate::column::{Column, Numbers};
use crate::exact::{Sum, TooLong, difference, ratio, round};
use crate::fraction::Fraction;
use crate::groups::Groups;
use crate::number::Number;
use crate::order::Ranks;
use crate::output::{At, Output};
use crate::problem::Problems;
use mitt_guest::tables::{Chunk, NULL_ROW};
use num_bigint::BigInt;
use rust_decimal::Decimal;

/// A function over the cells of a group; see the WIT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Sum,
    Mean,
    Min,
    Max,
    Count,
    CountDistinct,
    Median,
    /// The percentile of this number of hundredths.
    Percentile(u8),
    First,
    Last,
    Stddev,
    Rows,
}

impl Function {
    /// Returns the name in WIT.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Function::Sum => "sum",
            Function::Mean => "mean",
            Function::Min => "min",
            Function::Max => "max",
            Function::Count => "count",
            Function::CountDistinct => "count-distinct",
            Function::Median => "median",
            Function::Percentile(10) => "p10",
            Function::Percentile(25) => "p25",
            Function::Percentile(75) => "p75",
            Function::Percentile(90) => "p90",
            Function::Percentile(95) => "p95",
            Function::Percentile(_) => "p99",
            Function::First => "first",
            Function::Last => "last",
            Function::Stddev => "stddev",
            Function::Rows => "rows",
        }
    }

    /// Returns `true` if the function does arithmetic, so that the types of the numbers matter.
    pub(crate) fn calculates(self) -> bool {
        matches!(
            self,
            Function::Sum
                | Function::Mean
                | Function::Median
                | Function::Percentile(_)
                | Function::Stddev
        )
    }
}

/// A cell for each group: new cells, or rows of the column for the host to gather.
pub(crate) enum Aggregated {
    New(Chunk),
    Rows(Vec<u32>),
}

/// Calculates. `at` names the cell of a group's result for the problem of too many digits.
pub(crate) fn aggregate(
    column: &Column,
    groups: &Groups,
    function: Function,
    decimals: u32,
    at: At<'_>,
    problems: &mut Problems,
) -> Aggregated {
    let mut results = Results { decimals, at, problems };
    let chunk = match function {
        Function::Rows => all_rows(groups),
        Function::Count if column.mixed().is_none() && column.chunk.n_nulls() == 0 => {
            all_rows(groups)
        }
        Function::Count => counts(groups, |row| !column.is_null(row)),
        Function::CountDistinct => distinct(column, groups),
        Function::First => return Aggregated::Rows(ends(column, groups, false)),
        Function::Last => return Aggregated::Rows(ends(column, groups, true)),
        Function::Min => return Aggregated::Rows(extremes(column, groups, false, &mut results)),
        Function::Max => return Aggregated::Rows(extremes(column, groups, true, &mut results)),
        Function::Sum => results.sums(column, groups),
        Function::Mean => results.means(column, groups),
        Function::Median => results.percentiles(column, groups, 50),
        Function::Percentile(percent) => results.percentiles(column, groups, percent),
        Function::Stddev => results.deviations(column, groups),
    };
    Aggregated::New(chunk)
}

fn all_rows(groups: &Groups) -> Chunk {
    Chunk::integers(groups.sizes().iter().map(|size| Some(i64::from(*size))))
}

fn counts(groups: &Groups, counted: impl Fn(usize) -> bool) -> Chunk {
    let mut counts = vec![0i64; groups.len()];
    for (row, group) in groups.of_row.iter().enumerate() {
        counts[*group as usize] += i64::from(counted(row));
    }
    Chunk::integers(counts.into_iter().map(Some))
}

fn distinct(column: &Column, groups: &Groups) -> Chunk {
    let both = groups.refined_by(column);
    let mut counts = vec![0i64; groups.len()];
    for row in &both.first_rows {
        // Without rows, there is one empty group.
        if let Some(group) = groups.of_row.get(*row as usize) {
            counts[*group as usize] += i64::from(!column.is_null(*row as usize));
        }
    }
    Chunk::integers(counts.into_iter().map(Some))
}

/// Returns the first or last row of each group whose cell is not null.
fn ends(column: &Column, groups: &Groups, is_last: bool) -> Vec<u32> {
    let mut rows = vec![NULL_ROW; groups.len()];
    for (row, group) in groups.of_row.iter().enumerate() {
        let found = &mut rows[*group as usize];
        if (is_last || *found == NULL_ROW) && !column.is_null(row) {
            *found = row as u32;
        }
    }
    rows
}

/// Returns the first row of each group with the smallest or largest cell.
fn extremes(column: &Column, groups: &Groups, is_max: bool, results: &mut Results<'_>) -> Vec<u32> {
    if column.mixed().is_some() || column.only_type() == Some("boolean") {
        return mixed_extremes(column, groups, is_max, results.problems);
    }
    let mut rows = vec![NULL_ROW; groups.len()];
    if let Some(values) = column.ordered() {
        for (row, group) in groups.of_row.iter().enumerate() {
            let found = &mut rows[*group as usize];
            let is_better =
                |best: i64| if is_max { values[row] > best } else { values[row] < best };
            if !column.is_null(row) && (*found == NULL_ROW || is_better(values[*found as usize])) {
                *found = row as u32;
            }
        }
        return rows;
    }
    let ranks = Ranks::new(column, is_max).of_row;
    for (row, group) in groups.of_row.iter().enumerate() {
        let found = &mut rows[*group as usize];
        let is_better = *found == NULL_ROW || ranks[row] < ranks[*found as usize];
        if !column.is_null(row) && is_better {
            *found = row as u32;
        }
    }
    rows
}

/// Types may differ between groups, but not in a group.
fn mixed_extremes(
    column: &Column,
    groups: &Groups,
    is_max: bool,
    problems: &mut Problems,
) -> Vec<u32> {
    let mut rows = vec![NULL_ROW; groups.len()];
    for (row, group) in groups.of_row.iter().enumerate() {
        let (found, cell) = (&mut rows[*group as usize], column.cell(row));
        let at = || crate::table::place("data", row, &column.name);
        if let crate::cell::Cell::Boolean(_) = cell {
            problems.argument(|| {
                format!("{}: expected a number, a text or null, got {}", at(), cell.show())
            });
            continue;
        }
        if cell.is_null() {
            continue;
        }
        if *found == NULL_ROW {
            *found = row as u32;
            continue;
        }
        let best = column.cell(*found as usize);
        match cell.compare(&best) {
            Some(order) if (is_max && order.is_gt()) || (!is_max && order.is_lt()) => {
                *found = row as u32;
            }
            Some(_) => {}
            None => problems.argument(|| {
                let type_name = best.type_name();
                format!(
                    "{}: expected a {type_name} like the cells above, got {}",
                    at(),
                    cell.show()
                )
            }),
        }
    }
    rows
}

/// The data that calculations of numbers share.
struct Results<'a> {
    decimals: u32,
    at: At<'a>,
    problems: &'a mut Problems,
}

/// Sums of each group in units of the column. They cannot overflow, because there are fewer than 2^32 rows of 64 bits.
struct Totals {
    totals: Vec<i128>,
    counts: Vec<u32>,
    scale: u8,
}

impl Totals {
    fn new(numbers: &Numbers<'_>, groups: &Groups) -> Option<Totals> {
        let (units, scale) = numbers.narrow()?;
        // If no number can be too large, a sum of 64 bits takes half the work.
        let bits = units.iter().fold(0, |bits, units| bits | (units ^ (units >> 63)));
        let n_bits =
            (i64::BITS - bits.leading_zeros()) + (usize::BITS - units.len().leading_zeros());
        let is_short = n_bits < i64::BITS;
        let rows = groups.of_row.iter().zip(units);
        if numbers.has_nulls() {
            let mut all = vec![(0i128, 0u32); groups.len()];
            for (row, (group, units)) in rows.enumerate() {
                if !numbers.is_null(row) {
                    let (total, count) = &mut all[*group as usize];
                    *total += i128::from(*units);
                    *count += 1;
                }
            }
            let (totals, counts) = all.into_iter().unzip();
            return Some(Totals { totals, counts, scale });
        }
        let totals = if is_short {
            let mut totals = vec![0i64; groups.len()];
            rows.for_each(|(group, units)| totals[*group as usize] += units);
            totals.into_iter().map(i128::from).collect()
        } else {
            let mut totals = vec![0i128; groups.len()];
            rows.for_each(|(group, units)| totals[*group as usize] += i128::from(*units));
            totals
        };
        let counts = groups.sizes().to_vec();
        Some(Totals { totals, counts, scale })
    }
}

fn exact_sums(numbers: &Numbers<'_>, groups: &Groups, squares: bool) -> Vec<Sum> {
    let mut sums = vec![Sum::default(); groups.len()];
    for (row, group) in groups.of_row.iter().enumerate() {
        if let Some(number) = numbers.get(row) {
            let sum = &mut sums[*group as usize];
            if squares { sum.add_square(number) } else { sum.add(number) }
        }
    }
    sums
}

impl Results<'_> {
    fn sums(&mut self, column: &Column, groups: &Groups) -> Chunk {
        let numbers = column.numbers(self.problems);
        let Some(totals) = Totals::new(&numbers, groups) else {
            let mut output = Output::new(0, groups.len());
            for sum in exact_sums(&numbers, groups, false) {
                output.push_result(sum.total(numbers.is_float), self.problems, self.at);
            }
            return output.finish();
        };
        let mut output = Output::new(totals.scale.into(), groups.len());
        for (total, count) in totals.totals.iter().zip(&totals.counts) {
            if *count == 0 {
                output.push_null();
            } else if output.push_calculated(*total, totals.scale).is_err() {
                output.push_result(Err(TooLong), self.problems, self.at);
            }
        }
        output.finish()
    }

    fn means(&mut self, column: &Column, groups: &Groups) -> Chunk {
        let numbers = column.numbers(self.problems);
        let mut output = Output::new(self.decimals, groups.len());
        let Some(totals) = Totals::new(&numbers, groups) else {
            for sum in exact_sums(&numbers, groups, false) {
                output.push_result(sum.mean(self.decimals), self.problems, self.at);
            }
            return output.finish();
        };
        for (total, count) in totals.totals.iter().zip(&totals.counts) {
            if *count == 0 {
                output.push_null();
                continue;
            }
            let mean = (*total, totals.scale, u64::from(*count));
            push_mean(mean, self.decimals, &mut output, self.problems, self.at);
        }
        output.finish()
    }

    fn deviations(&mut self, column: &Column, groups: &Groups) -> Chunk {
        let numbers = column.numbers(self.problems);
        let mut output = Output::new(self.decimals, groups.len());
        let narrow = numbers.narrow().and_then(|(units, scale)| {
            let mut moments = vec![(0i128, 0i128, 0u64); groups.len()];
            for (row, group) in groups.of_row.iter().enumerate() {
                if !numbers.is_null(row) {
                    let units = i128::from(units[row]);
                    let (total, squares, count) = &mut moments[*group as usize];
                    *total += units;
                    *squares = squares.checked_add(units * units)?;
                    *count += 1;
                }
            }
            Some((moments, scale))
        });
        match narrow {
            Some((moments, scale)) => {
                for (total, squares, count) in moments {
                    let sum = Sum::of_units(total, squares, count, scale.into());
                    output.push_result(sum.deviation(self.decimals), self.problems, self.at);
                }
            }
            None => {
                for sum in exact_sums(&numbers, groups, true) {
                    output.push_result(sum.deviation(self.decimals), self.problems, self.at);
                }
            }
        }
        output.finish()
    }

    fn percentiles(&mut self, column: &Column, groups: &Groups, percent: u8) -> Chunk {
        let numbers = column.numbers(self.problems);
        let (rows, starts) = groups.members();
        let mut output = Output::new(0, groups.len());
        let members = |group: usize| &rows[starts[group] as usize..starts[group + 1] as usize];
        for group in 0..groups.len() {
            let present = members(group).iter().map(|row| *row as usize);
            match numbers.narrow() {
                Some((units, scale)) => {
                    let present = present.filter(|row| !numbers.is_null(*row));
                    let mut values: Vec<i64> = present.map(|row| units[row]).collect();
                    let number =
                        |units: i64| Decimal::from_i128_with_scale(units.into(), scale.into());
                    match between(&mut values, percent) {
                        Some((lower, upper, _)) if lower == upper => {
                            output.push_units(lower.into(), scale);
                        }
                        pair => {
                            let pair =
                                pair.map(|(one, two, part)| (number(one), number(two), part));
                            let result = pair.map(|pair| interpolated(pair, self.decimals));
                            output.push_result(result.transpose(), self.problems, self.at);
                        }
                    }
                }
                None => {
                    let mut values: Vec<Decimal> =
                        present.filter_map(|row| numbers.get(row)).collect();
                    let pair = between(&mut values, percent);
                    let result = pair.map(|pair| interpolated(pair, self.decimals)).transpose();
                    output.push_result(result, self.problems, self.at);
                }
            }
        }
        output.finish()
    }
}

/// Appends `total / count`, rounded once. `total` is in units of `10^-scale`; `count` is at least 1.
pub(crate) fn push_mean(
    (total, scale, count): (i128, u8, u64),
    decimals: u32,
    output: &mut Output,
    problems: &mut Problems,
    at: At<'_>,
) {
    match ratio(total, count.into(), decimals as i32 - i32::from(scale)) {
        Some(mean) if output.push_calculated(mean, decimals as u8).is_ok() => {}
        _ => {
            let mean = Sum::of_units(total, 0, count, scale.into()).mean(decimals);
            output.push_result(mean, problems, at);
        }
    }
}

/// Returns the two neighbours of a percentile, and the position between them in hundredths. Among `n` sorted numbers, counted
/// from 0, a percentile is at `(n - 1) * percent / 100`.
fn between<N: Ord + Copy>(values: &mut [N], percent: u8) -> Option<(N, N, u8)> {
    let hundredths = values.len().checked_sub(1)? as u64 * u64::from(percent);
    let (place, part) = ((hundredths / 100) as usize, (hundredths % 100) as u8);
    let (_, lower, above) = values.select_nth_unstable(place);
    let lower = *lower;
    let upper = if part == 0 { None } else { above.iter().min() };
    Some((lower, upper.copied().unwrap_or(lower), part))
}

/// Returns the value between two neighbours. Equal neighbours keep their digits.
fn interpolated(
    (lower, upper, part): (Decimal, Decimal, u8),
    decimals: u32,
) -> Result<Number, TooLong> {
    if lower == upper {
        return Ok(Number::from(lower));
    }
    let way = Fraction::from(upper) - Fraction::from(lower);
    let part = Fraction::new(BigInt::from(part), BigInt::from(100));
    round(&(Fraction::from(lower) + way * part), decimals)
}

/// Appends `one - two`. Rounds only if floats are `lossy`.
pub(crate) fn push_difference(
    (one, two): (Decimal, Decimal),
    lossy: bool,
    output: &mut Output,
    problems: &mut Problems,
    at: At<'_>,
) {
    // Most pairs have the same scale.
    let quick = one.scale() == two.scale()
        && output.push_calculated(one.mantissa() - two.mantissa(), one.scale() as u8).is_ok();
    if !quick {
        output.push_result(difference(one, two, lossy).map(Some), problems, at);
    }
}
