//! `filter`: keeps the rows that meet conditions.

use super::column_text;
use crate::cell::Cell;
use crate::column::Column;
use crate::number::Number;
use crate::problem::{Failure, Problems};
use crate::table::{Frame, Lookup, Outcome, place};
use mitt_guest::tables::calendar::{DAY, parse_date, parse_date_time, parse_time};
use mitt_guest::tables::{Source, Texts, Values};
use std::cmp::Ordering;
use std::collections::HashSet;

/// An operator of a condition; see the WIT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Contains,
    StartsWith,
    EndsWith,
    In,
    IsNull,
    NotNull,
}

/// The way conditions are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Combine {
    And,
    Or,
}

/// A condition on a column.
pub(crate) struct Condition {
    pub(crate) column: String,
    pub(crate) operator: Operator,
    pub(crate) values: Vec<Cell>,
}

/// A checked condition.
struct Test {
    condition_idx: usize,
    column_idx: usize,
    operator: Operator,
    values: HashSet<Cell>,
    /// The operand; null for operators without one.
    value: Cell,
}

/// The results of a condition for each row.
struct Verdicts {
    holds: Vec<bool>,
    n_nulls: usize,
}

pub(crate) fn filter<T: Source>(
    table: &T,
    conditions: &[Condition],
    combine: Combine,
) -> Result<Outcome<T>, Failure> {
    let frame = Frame::data(table)?;
    let mut problems = Problems::default();
    let lookup = frame.lookup();
    if conditions.is_empty() {
        problems.argument(|| "conditions: expected one condition at least, got none".to_owned());
    }
    let checked = conditions
        .iter()
        .enumerate()
        .map(|(i, condition)| check(i, condition, &lookup, &mut problems));
    let tests: Vec<Test> = checked.collect::<Vec<_>>().into_iter().flatten().collect();
    problems.check()?;
    let is_and = combine == Combine::And;
    let mut keep = vec![is_and; frame.n_rows];
    let (mut warnings, mut warned) = (Vec::new(), HashSet::new());
    for mut test in tests {
        let column = frame.column(test.column_idx)?;
        if !test.adapt(&column, &mut problems) {
            continue;
        }
        let Verdicts { holds, n_nulls } = test.verdicts(&column, &mut problems);
        for (keep, holds) in keep.iter_mut().zip(holds) {
            *keep = if is_and { *keep & holds } else { *keep | holds };
        }
        if n_nulls > 0 && warned.insert(test.column_idx) {
            let noun = if n_nulls == 1 { "row" } else { "rows" };
            let column = column_text(&column.name);
            warnings.push(format!("{column} is null in {n_nulls} {noun}, for which no comparison holds; `is-null` finds them"));
        }
    }
    problems.check()?;
    let rows: Vec<u32> =
        (0u32..).zip(&keep).filter_map(|(row, keep)| keep.then_some(row)).collect();
    if rows.is_empty() {
        warnings.push("no row is left".to_owned());
    }
    Ok(Outcome { table: frame.rows(&rows)?, warnings })
}

fn check(
    i: usize,
    condition: &Condition,
    lookup: &Lookup<'_>,
    problems: &mut Problems,
) -> Option<Test> {
    let Condition { column, operator, values } = condition;
    let column_idx = lookup.find(&format!("conditions[{i}].column"), column, problems);
    let argument = || format!("conditions[{i}].values");
    let n_values = values.len();
    match operator {
        Operator::IsNull | Operator::NotNull if n_values != 0 => {
            problems.argument(|| {
                format!("{}: expected no value for this operator, got {n_values}", argument())
            });
        }
        Operator::IsNull | Operator::NotNull | Operator::In => {}
        _ if n_values != 1 => problems.argument(|| {
            format!("{}: expected one value for this operator, got {n_values}", argument())
        }),
        _ => {}
    }
    let is_textual =
        matches!(operator, Operator::Contains | Operator::StartsWith | Operator::EndsWith);
    for (j, value) in values.iter().enumerate() {
        let first = &values[0];
        if value.is_null() {
            problems.argument(|| {
                format!(
                    "{}[{j}]: expected a value, got null; `is-null` finds null cells",
                    argument()
                )
            });
        } else if is_textual && !matches!(value, Cell::Text(_)) {
            problems.argument(|| {
                format!(
                    "{}[{j}]: expected a text for this operator, got {}",
                    argument(),
                    value.show()
                )
            });
        } else if value.compare(first).is_none() && !first.is_null() {
            problems.argument(|| {
                format!(
                    "{}[{j}]: expected a {} like the first value, got {}",
                    argument(),
                    first.type_name(),
                    value.show()
                )
            });
        }
    }
    Some(Test {
        condition_idx: i,
        column_idx: column_idx?,
        operator: *operator,
        values: values.iter().cloned().collect(),
        value: values.first().cloned().unwrap_or(Cell::Null),
    })
}

impl Test {
    fn is_textual(&self) -> bool {
        matches!(self.operator, Operator::Contains | Operator::StartsWith | Operator::EndsWith)
    }

    /// Converts texts in ISO 8601 to the type of the column. A date becomes the beginning of its day if the column has
    /// times. Returns `true` if all could be parsed.
    fn adapt(&mut self, column: &Column, problems: &mut Problems) -> bool {
        if !column.is_temporal() || self.is_textual() {
            return true;
        }
        let read = |cell: &Cell| -> Result<Cell, String> {
            let Cell::Text(text) = cell else {
                return if cell.is_null() { Ok(Cell::Null) } else { Err(cell.show()) };
            };
            let midnight = |days: i32| i64::from(days) * DAY;
            let read = match &column.chunk.values {
                Values::Dates(_) => parse_date(text).map(Cell::Date),
                Values::Times(_) => parse_time(text).map(Cell::Time),
                _ => parse_date_time(text)
                    .or_else(|| parse_date(text).map(midnight))
                    .map(Cell::DateTime),
            };
            read.ok_or_else(|| cell.show())
        };
        let wanted = match &column.chunk.values {
            Values::Dates(_) => "a date such as `2024-12-31`",
            Values::Times(_) => "a time such as `08:30:00`",
            _ => "a date or a date with time such as `2024-12-31T08:30:00`",
        };
        let mut wrong = Vec::new();
        let mut adapted = |cell: &Cell| {
            read(cell).unwrap_or_else(|shown| {
                wrong.push(shown);
                Cell::Null
            })
        };
        if self.operator != Operator::In {
            self.value = adapted(&self.value);
        } else {
            let mut values: Vec<Cell> = self.values.drain().collect();
            values.sort_by_key(Cell::plain);
            // Any value of the set shows the type.
            let values: Vec<Cell> = values.iter().map(adapted).collect();
            self.value = values.first().cloned().unwrap_or(Cell::Null);
            self.values = values.into_iter().collect();
        }
        let i = self.condition_idx;
        for shown in &wrong {
            problems.argument(|| {
                format!(
                    "conditions[{i}].values: expected {wanted} for {}, got {shown}",
                    column_text(&column.name)
                )
            });
        }
        wrong.is_empty()
    }

    fn verdicts(&self, column: &Column, problems: &mut Problems) -> Verdicts {
        let n_rows = column.n_rows();
        let quick = match &column.chunk.values {
            _ if column.mixed().is_some() => None,
            Values::Dictionary { keys, values } => self.text_verdicts(values).map(|verdicts| {
                (0..n_rows)
                    .map(|row| !column.is_null(row) && verdicts[keys[row] as usize])
                    .collect::<Vec<bool>>()
            }),
            Values::Texts(texts) => self.text_verdicts(texts).map(|mut verdicts| {
                verdicts
                    .iter_mut()
                    .enumerate()
                    .for_each(|(row, holds)| *holds &= !column.is_null(row));
                verdicts
            }),
            _ => self.integer_verdicts(column),
        };
        if let Some(holds) = quick {
            return Verdicts { holds, n_nulls: column.n_nulls() };
        }
        let (mut holds, mut n_nulls) = (Vec::with_capacity(n_rows), 0);
        for row_idx in 0..n_rows {
            let cell = column.cell(row_idx);
            let verdict = self.holds(&cell);
            holds.push(verdict.unwrap_or(false));
            match verdict {
                Some(_) => {}
                None if cell.is_null() => n_nulls += 1,
                None => problems
                    .argument(|| self.mismatch(&cell, &place("data", row_idx, &column.name))),
            }
        }
        Verdicts { holds, n_nulls }
    }

    /// Compares texts by their bytes: UTF-8 has the order of code points and keeps substrings.
    fn text_verdicts(&self, texts: &Texts) -> Option<Vec<bool>> {
        let Cell::Text(value) = &self.value else { return None };
        let value = value.as_bytes();
        let all = |holds: &dyn Fn(&[u8]) -> bool| {
            Some((0..texts.len()).map(|index| holds(texts.bytes(index))).collect())
        };
        match self.operator {
            Operator::Eq => all(&|text| text == value),
            Operator::Ne => all(&|text| text != value),
            Operator::Lt => all(&|text| text < value),
            Operator::Le => all(&|text| text <= value),
            Operator::Gt => all(&|text| text > value),
            Operator::Ge => all(&|text| text >= value),
            Operator::StartsWith => all(&|text| text.starts_with(value)),
            Operator::EndsWith => all(&|text| text.ends_with(value)),
            Operator::Contains => {
                Some(texts.iter().map(|text| text.contains(str_of(&self.value))).collect())
            }
            Operator::In => {
                let values: HashSet<&[u8]> =
                    self.values.iter().map(|cell| str_of(cell).as_bytes()).collect();
                all(&|text| values.contains(text))
            }
            Operator::IsNull | Operator::NotNull => None,
        }
    }

    /// Compares integers, dates and times with one value, without making cells.
    fn integer_verdicts(&self, column: &Column) -> Option<Vec<bool>> {
        let units = column.ordered()?;
        let (threshold, is_exact) = match (&self.value, &column.chunk.values) {
            (Cell::Number(number), Values::Integers(_)) => floor(number, 0)?,
            (Cell::Number(number), Values::Decimals { scale, .. }) => floor(number, *scale)?,
            (Cell::Date(days), Values::Dates(_)) => (i64::from(*days), true),
            (Cell::Time(micros), Values::Times(_)) => (*micros, true),
            (Cell::DateTime(micros), Values::DateTimes(_)) => (*micros, true),
            _ => return None,
        };
        // A value between two units is above the lower one and equal to none.
        let [less, equal, greater] = match self.operator {
            Operator::Eq => [false, true, false],
            Operator::Ne => [true, false, true],
            Operator::Lt => [true, false, false],
            Operator::Le => [true, true, false],
            Operator::Gt => [false, false, true],
            Operator::Ge => [false, true, true],
            _ => return None,
        };
        let equal = if is_exact { equal } else { less };
        let holds = units.iter().enumerate().map(|(row, units)| {
            let holds = match units.cmp(&threshold) {
                Ordering::Less => less,
                Ordering::Equal => equal,
                Ordering::Greater => greater,
            };
            holds && !column.is_null(row)
        });
        Some(holds.collect())
    }

    /// Returns `true` if a cell meets the condition; `None` if it cannot be compared.
    fn holds(&self, cell: &Cell) -> Option<bool> {
        let order = || cell.compare(&self.value);
        Some(match self.operator {
            Operator::IsNull => cell.is_null(),
            Operator::NotNull => !cell.is_null(),
            Operator::In if self.value.is_null() => false,
            Operator::In => order().map(|_| self.values.contains(cell))?,
            Operator::Eq => order()? == Ordering::Equal,
            Operator::Ne => order()? != Ordering::Equal,
            Operator::Lt => order()? == Ordering::Less,
            Operator::Le => order()? != Ordering::Greater,
            Operator::Gt => order()? == Ordering::Greater,
            Operator::Ge => order()? != Ordering::Less,
            Operator::Contains | Operator::StartsWith | Operator::EndsWith => {
                let Cell::Text(value) = &self.value else { return None };
                let text = match cell {
                    Cell::Text(text) => text.to_string(),
                    Cell::Date(_) | Cell::Time(_) | Cell::DateTime(_) => cell.plain(),
                    _ => return None,
                };
                match self.operator {
                    Operator::Contains => text.contains(&**value),
                    Operator::StartsWith => text.starts_with(&**value),
                    _ => text.ends_with(&**value),
                }
            }
        })
    }

    fn mismatch(&self, cell: &Cell, place: &str) -> String {
        format!(
            "{place}: expected a {} to compare with {}, got {}",
            self.value.type_name(),
            self.value.show(),
            cell.show()
        )
    }
}

/// Returns the text of a cell that was checked to be text.
fn str_of(cell: &Cell) -> &str {
    if let Cell::Text(text) = cell { text } else { "" }
}

/// Returns the largest number of units that is at most `number`, and `true` if it is equal. `None` for too many digits.
fn floor(number: &Number, scale: u8) -> Option<(i64, bool)> {
    let decimal = number.exact()?;
    let (mantissa, own) = (decimal.mantissa(), decimal.scale());
    if own <= u32::from(scale) {
        let units = mantissa.checked_mul(10i128.checked_pow(u32::from(scale) - own)?)?;
        return Some((i64::try_from(units).ok()?, true));
    }
    let over = 10i128.checked_pow(own - u32::from(scale))?;
    Some((i64::try_from(mantissa.div_euclid(over)).ok()?, mantissa.rem_euclid(over) == 0))
}
