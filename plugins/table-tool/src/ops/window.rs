//! `window`: running and moving calculations over rows, and neighbours of rows.

use super::sort::{SortKey, ranks};
use crate::aggregate::{push_difference, push_mean};
use crate::column::Column;
use crate::exact::Sum;
use crate::groups::Groups;
use crate::order::{Ranks, sorted};
use crate::output::Output;
use crate::problem::{Failure, Problems};
use crate::table::{Frame, Outcome, decimals, place};
use mitt_guest::tables::{NULL_ROW, Source};
use std::collections::VecDeque;

/// A function over a window; see the WIT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WindowFunction {
    Sum,
    Mean,
    Min,
    Max,
    Count,
    Lag,
    Lead,
    Difference,
}

impl WindowFunction {
    /// Returns the name in WIT.
    pub(crate) fn name(self) -> &'static str {
        match self {
            WindowFunction::Sum => "sum",
            WindowFunction::Mean => "mean",
            WindowFunction::Min => "min",
            WindowFunction::Max => "max",
            WindowFunction::Count => "count",
            WindowFunction::Lag => "lag",
            WindowFunction::Lead => "lead",
            WindowFunction::Difference => "difference",
        }
    }
}

/// The arguments of `window`.
pub(crate) struct Window<'a> {
    pub(crate) column: &'a str,
    pub(crate) function: WindowFunction,
    pub(crate) rows: Option<u32>,
    pub(crate) order_by: &'a [SortKey],
    pub(crate) group_by: &'a [String],
    pub(crate) name: Option<String>,
    pub(crate) decimals: Option<u32>,
}

pub(crate) fn window<T: Source>(table: &T, window: Window<'_>) -> Result<Outcome<T>, Failure> {
    let frame = Frame::data(table)?;
    let mut problems = Problems::default();
    let mut lookup = frame.lookup();
    let column_idx = lookup.find("column", window.column, &mut problems);
    let order_idxs = SortKey::find(window.order_by, "order-by", &lookup, &mut problems);
    let group_idxs = lookup.find_all("group-by", window.group_by, &mut problems);
    let n_decimals = decimals(window.decimals, &mut problems);
    if window.rows == Some(0) {
        problems.argument(|| "rows: expected 1 or more, got 0".to_owned());
    }
    let name =
        window.name.unwrap_or_else(|| format!("{}_{}", window.column, window.function.name()));
    lookup.new_name("name", &name, &mut problems);
    problems.check()?;

    let mut warnings = Vec::new();
    let groups = Groups::new(&frame.columns(&group_idxs)?, frame.n_rows);
    let mut keys = vec![Ranks::of_groups(&groups)];
    keys.extend(ranks(&frame.columns(&order_idxs)?, window.order_by, &mut warnings));
    let rows = sorted(&keys, frame.n_rows, usize::MAX);
    drop(keys);
    let column_idx = column_idx.unwrap_or(0);
    let walk = Walk { rows: &rows, groups: &groups, width: window.rows };
    let reach = window.rows.unwrap_or(1) as usize;
    let taken = match window.function {
        WindowFunction::Lag => Some(walk.neighbours(reach, false)),
        WindowFunction::Lead => Some(walk.neighbours(reach, true)),
        WindowFunction::Min | WindowFunction::Max => {
            let column = frame.column(column_idx)?;
            column.check_order(&mut problems);
            problems.check()?;
            Some(walk.extremes(&column, window.function == WindowFunction::Max))
        }
        _ => None,
    };
    if let Some(taken) = taken {
        let new = frame.renamed(column_idx, &name)?.take(&taken)?;
        return Ok(Outcome { table: table.beside(&new)?, warnings });
    }
    let column = frame.column(column_idx)?;
    let mut output = Output::new(0, frame.n_rows);
    match window.function {
        WindowFunction::Count => walk.counts(&column, &mut output),
        function => {
            column.warn_of_floats(&mut warnings);
            let calculation = Calculation { function, n_decimals, name: &name, reach };
            output = calculation.run(&walk, &column, &mut problems);
        }
    }
    problems.check()?;
    // The values are in the order of the walk; the rows of the table keep their order.
    let mut places = vec![0; frame.n_rows];
    (0..).zip(&rows).for_each(|(place, row)| places[*row as usize] = place);
    let new = T::from_columns(vec![(name, output.finish())])?.take(&places)?;
    Ok(Outcome { table: table.beside(&new)?, warnings })
}

/// The rows, group by group, in order within each group.
struct Walk<'a> {
    rows: &'a [u32],
    groups: &'a Groups,
    /// Rows of a window; `None` for all from the first of the group.
    width: Option<u32>,
}

impl Walk<'_> {
    /// Iterates over the rows and their positions in their groups.
    fn steps(&self) -> impl Iterator<Item = (usize, usize)> {
        let (mut group, mut place) = (None, 0);
        self.rows.iter().map(move |row| {
            let own = self.groups.of_row[*row as usize];
            place = if group == Some(own) { place + 1 } else { 0 };
            group = Some(own);
            (*row as usize, place)
        })
    }

    /// Returns `true` if the window that ends at this position of a group is complete.
    fn is_whole(&self, place: usize) -> bool {
        self.width.is_none_or(|width| place + 1 >= width as usize)
    }

    /// Returns the index of the row that leaves the window when the row at `i`, with this position in its group, enters.
    fn leaving(&self, i: usize, place: usize) -> Option<usize> {
        let width = self.width? as usize;
        (place >= width).then(|| i - width)
    }

    /// Returns for each row of the table the row at distance `reach` before or behind it.
    fn neighbours(&self, reach: usize, behind: bool) -> Vec<u32> {
        let mut taken = vec![NULL_ROW; self.rows.len()];
        for (i, row) in self.rows.iter().enumerate().skip(reach) {
            let other = self.rows[i - reach];
            if self.groups.of_row[*row as usize] == self.groups.of_row[other as usize] {
                let (at, from) = if behind { (other, *row) } else { (*row, other) };
                taken[at as usize] = from;
            }
        }
        taken
    }

    /// Returns for each row of the table the row with the smallest or largest cell of its window.
    fn extremes(&self, column: &Column, is_max: bool) -> Vec<u32> {
        let ranks = Ranks::new(column, is_max).of_row;
        let mut taken = vec![NULL_ROW; self.rows.len()];
        // Rows of the window that may still become the best, best first. Each enters and leaves once.
        let mut candidates: VecDeque<(usize, usize)> = VecDeque::new();
        for (i, (row, place)) in self.steps().enumerate() {
            if place == 0 {
                candidates.clear();
            }
            if let Some(left) = self.leaving(i, place)
                && candidates.front().is_some_and(|(at, _)| *at <= left)
            {
                candidates.pop_front();
            }
            if !column.is_null(row) {
                while candidates.back().is_some_and(|(_, other)| ranks[*other] > ranks[row]) {
                    candidates.pop_back();
                }
                candidates.push_back((i, row));
            }
            if self.is_whole(place) {
                taken[row] = candidates.front().map_or(NULL_ROW, |(_, row)| *row as u32);
            }
        }
        taken
    }

    fn counts(&self, column: &Column, output: &mut Output) {
        let mut count = 0;
        for (i, (row, place)) in self.steps().enumerate() {
            if place == 0 {
                count = 0;
            }
            count += i128::from(!column.is_null(row));
            if let Some(left) = self.leaving(i, place) {
                count -= i128::from(!column.is_null(self.rows[left] as usize));
            }
            if self.is_whole(place) { output.push_units(count, 0) } else { output.push_null() }
        }
    }
}

/// A calculation with numbers.
struct Calculation<'a> {
    function: WindowFunction,
    n_decimals: u32,
    name: &'a str,
    reach: usize,
}

impl Calculation<'_> {
    /// Returns a value for each row, in the order of the walk.
    fn run(&self, walk: &Walk<'_>, column: &Column, problems: &mut Problems) -> Output {
        let numbers = column.numbers(problems);
        let n_rows = walk.rows.len();
        // Values come in the order of the walk, but problems name rows of the table.
        let at = |i: usize| place("result", walk.rows[i] as usize, self.name);
        if self.function == WindowFunction::Difference {
            let mut output = Output::new(0, n_rows);
            for (i, (row, place)) in walk.steps().enumerate() {
                let before = (place >= self.reach).then(|| walk.rows[i - self.reach] as usize);
                let before = before.and_then(|before| numbers.get(before));
                match numbers.get(row).zip(before) {
                    Some(pair) => {
                        push_difference(pair, numbers.is_float, &mut output, problems, &at)
                    }
                    None => output.push_null(),
                }
            }
            return output;
        }
        let is_mean = self.function == WindowFunction::Mean;
        let mut output = Output::new(if is_mean { self.n_decimals } else { 0 }, n_rows);
        // Sums are exact, so a value that leaves the window can be subtracted.
        let (mut total, mut count, mut sum) = (0i128, 0u64, Sum::default());
        for (i, (row, place)) in walk.steps().enumerate() {
            if place == 0 {
                (total, count, sum) = (0, 0, Sum::default());
            }
            let left = walk.leaving(i, place).map(|left| walk.rows[left] as usize);
            let left = left.and_then(|left| numbers.get(left));
            let entered = numbers.get(row);
            count = count + u64::from(entered.is_some()) - u64::from(left.is_some());
            let Some((_, scale)) = numbers.narrow() else {
                entered.into_iter().for_each(|number| sum.add(number));
                left.into_iter().for_each(|number| sum.remove(number));
                let result = if !walk.is_whole(place) {
                    Ok(None)
                } else if is_mean {
                    sum.mean(self.n_decimals)
                } else {
                    sum.total(numbers.is_float)
                };
                output.push_result(result, problems, &at);
                continue;
            };
            total += entered.map_or(0, |number| number.mantissa());
            total -= left.map_or(0, |number| number.mantissa());
            if count == 0 || !walk.is_whole(place) {
                output.push_null();
            } else if is_mean {
                let mean = (total, scale, count);
                push_mean(mean, self.n_decimals, &mut output, problems, &at);
            } else if output.push_calculated(total, scale).is_err() {
                output.push_result(Err(crate::exact::TooLong), problems, &at);
            }
        }
        output
    }
}
