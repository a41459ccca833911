//! What is calculated from the cells of a group.

use crate::exact::{Sum, TooLong, round};
use crate::fraction::Fraction;
use crate::number::Number;
use crate::problem::Problems;
use crate::table::{Cell, Table, number, place, result_cell};
use rust_decimal::Decimal;
use std::cmp::Ordering;
use std::collections::HashSet;

/// See the WIT for what each gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Sum,
    Mean,
    Min,
    Max,
    Count,
    CountDistinct,
    Median,
    First,
    Last,
    Stddev,
    Rows,
}

impl Function {
    /// Name in WIT.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Function::Sum => "sum",
            Function::Mean => "mean",
            Function::Min => "min",
            Function::Max => "max",
            Function::Count => "count",
            Function::CountDistinct => "count-distinct",
            Function::Median => "median",
            Function::First => "first",
            Function::Last => "last",
            Function::Stddev => "stddev",
            Function::Rows => "rows",
        }
    }
}

/// A column of a table, of which some rows are looked at.
#[derive(Clone, Copy)]
pub(crate) struct Slice<'a> {
    pub(crate) table: &'a Table,
    pub(crate) column_idx: usize,
    pub(crate) row_idxs: &'a [usize],
}

impl<'a> Slice<'a> {
    fn cells(self) -> impl DoubleEndedIterator<Item = (usize, &'a Cell)> {
        let cells = self
            .row_idxs
            .iter()
            .map(move |row_idx| (*row_idx, &self.table.rows[*row_idx][self.column_idx]));
        cells.filter(|(_, cell)| !cell.is_null())
    }

    fn place(self, row_idx: usize) -> String {
        place("data", row_idx, &self.table.columns[self.column_idx])
    }

    fn numbers(self, problems: &mut Problems) -> Vec<Decimal> {
        let numbers = self
            .cells()
            .filter_map(|(row_idx, cell)| number(cell, problems, || self.place(row_idx)));
        numbers.collect()
    }

    /// Calculate. `result_place` names the cell of the result, in case it has too many digits.
    pub(crate) fn aggregate(
        self,
        function: Function,
        decimals: u32,
        problems: &mut Problems,
        result_place: impl FnOnce() -> String,
    ) -> Cell {
        let result = match function {
            Function::Rows => return Cell::count(self.row_idxs.len()),
            Function::Count => return Cell::count(self.cells().count()),
            Function::CountDistinct => return Cell::count(self.distinct()),
            Function::First => {
                return self.cells().next().map_or(Cell::Null, |(_, cell)| cell.clone());
            }
            Function::Last => {
                return self.cells().next_back().map_or(Cell::Null, |(_, cell)| cell.clone());
            }
            Function::Min => return self.extreme(Ordering::Less, problems),
            Function::Max => return self.extreme(Ordering::Greater, problems),
            Function::Sum => sum(&self.numbers(problems)).total(),
            Function::Mean => sum(&self.numbers(problems)).mean(decimals),
            Function::Median => median(self.numbers(problems), decimals),
            Function::Stddev => deviation(&self.numbers(problems), decimals),
        };
        result_cell(result, problems, result_place)
    }

    pub(crate) fn distinct(self) -> usize {
        self.cells().map(|(_, cell)| cell).collect::<HashSet<_>>().len()
    }

    fn extreme(self, wanted: Ordering, problems: &mut Problems) -> Cell {
        let mut best: Option<&Cell> = None;
        for (row_idx, cell) in self.cells() {
            if let Cell::Boolean(_) = cell {
                problems.argument(|| {
                    format!(
                        "{}: expected a number, a text or null, got {}",
                        self.place(row_idx),
                        cell.show()
                    )
                });
                continue;
            }
            match best.map(|best| (best, cell.compare(best))) {
                None => best = Some(cell),
                Some((_, Some(order))) => best = if order == wanted { Some(cell) } else { best },
                Some((best, None)) => {
                    let type_name = best.type_name();
                    problems.argument(|| {
                        format!(
                            "{}: expected a {type_name} like the cells above, got {}",
                            self.place(row_idx),
                            cell.show()
                        )
                    });
                }
            }
        }
        best.cloned().unwrap_or(Cell::Null)
    }
}

fn sum(numbers: &[Decimal]) -> Sum {
    let mut sum = Sum::default();
    numbers.iter().for_each(|number| sum.add(*number));
    sum
}

/// The sample standard deviation.
pub(crate) fn deviation(numbers: &[Decimal], decimals: u32) -> Result<Option<Number>, TooLong> {
    let mut sum = Sum::default();
    numbers.iter().for_each(|number| sum.add_square(*number));
    sum.deviation(decimals)
}

/// The middle number, or the mean of the two middle ones.
pub(crate) fn median(mut numbers: Vec<Decimal>, decimals: u32) -> Result<Option<Number>, TooLong> {
    if numbers.is_empty() {
        return Ok(None);
    }
    let middle = numbers.len() / 2;
    let is_even = numbers.len().is_multiple_of(2);
    let (below, upper, _) = numbers.select_nth_unstable(middle);
    let upper = *upper;
    if !is_even {
        return Ok(Some(Number::from(upper)));
    }
    match below.iter().max() {
        // The mean of two equal numbers is no division, and keeps its digits.
        Some(lower) if *lower != upper => {
            let sum = Fraction::from(*lower) + Fraction::from(upper);
            let mean = sum / Fraction::from(Decimal::TWO);
            round(&mean, decimals).map(Some)
        }
        _ => Ok(Some(Number::from(upper))),
    }
}
