//! Aggregate functions over columns, for many groups at once. The results are those of `functions.rs` and of SQLite.

use super::batch::{At, Batch, Parts, TRUE};
use super::condition::Condition;
use super::formula::{Formula, Numbers};
use crate::bindings::mitt::host::tables::{Chunk, Values};
use crate::calendar::{date_text, date_time_text, time_text};
use crate::columns::{Kind, is_valid, reference, value};
use crate::total::Total;
use rusqlite::types::{Value, ValueRef};

/// An aggregate function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    Count,
    Sum,
    Total,
    Mean,
    DecimalSum,
    Least,
    Greatest,
}

impl Name {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "count" => Self::Count,
            "sum" => Self::Sum,
            "total" => Self::Total,
            "avg" => Self::Mean,
            "decimal_sum" => Self::DecimalSum,
            "min" => Self::Least,
            "max" => Self::Greatest,
            _ => return None,
        })
    }

    /// Returns `true` if the function adds numbers up.
    pub(super) fn adds(self) -> bool {
        !matches!(self, Self::Count | Self::Least | Self::Greatest)
    }
}

/// A value that a function gets.
pub(super) enum Term {
    Column(At, Kind),
    Whole(i64),
    /// A decimal without its point, and its digits after the point.
    Decimal(i128, u8),
    /// A formula, and `true` if its results are whole.
    Formula(Formula, bool),
    Null,
}

/// The argument of a function: the term of the first condition that is true, or another one.
pub(super) struct Argument {
    pub(super) arms: Vec<(Condition, Term)>,
    pub(super) otherwise: Term,
}

/// A function, with its argument and with the condition for its rows.
pub(super) struct Function {
    pub(super) name: Name,
    pub(super) argument: Option<Argument>,
    pub(super) filter: Option<Condition>,
}

/// A sum of whole numbers and decimals.
#[derive(Clone, Default)]
struct Sum {
    whole: i128,
    n_whole: u64,
    units: i128,
    n_units: u64,
}

/// The results so far, one for each group.
enum State {
    Counts(Vec<u64>),
    Whole(Vec<(i128, u64)>),
    /// Sums that have decimals, all with so many digits after the point.
    Sums(Vec<Sum>, u8),
    /// Sums of floating point numbers.
    Totals(Vec<Total>),
    /// The least or the greatest value.
    Best(Vec<Option<Value>>),
    /// That of whole numbers, or of dates and times, which are in the order of their texts.
    BestNumber(Vec<Option<i64>>, Kind),
}

/// A function while it runs.
pub(super) struct Running {
    function: Function,
    state: State,
    /// `false` after a number that SQLite must calculate.
    fits: bool,
}

impl Running {
    pub(super) fn new(function: Function) -> Self {
        let has = |wanted: fn(&Term) -> bool| {
            let terms = function.argument.iter().flat_map(|argument| {
                argument.arms.iter().map(|(_, term)| term).chain([&argument.otherwise])
            });
            terms.into_iter().any(wanted)
        };
        let state = match function.name {
            Name::Count => State::Counts(Vec::new()),
            Name::Least | Name::Greatest => match &function.argument {
                Some(Argument {
                    otherwise:
                        Term::Column(
                            _,
                            kind @ (Kind::Integer | Kind::Date | Kind::Time | Kind::DateTime),
                        ),
                    ..
                }) => State::BestNumber(Vec::new(), *kind),
                _ => State::Best(Vec::new()),
            },
            _ if has(|term| matches!(term, Term::Column(_, Kind::Float))) => {
                State::Totals(Vec::new())
            }
            _ if has(|term| {
                matches!(
                    term,
                    Term::Decimal(..) | Term::Column(_, Kind::Decimal) | Term::Formula(_, false)
                )
            }) =>
            {
                State::Sums(Vec::new(), 0)
            }
            _ => State::Whole(Vec::new()),
        };
        Self { function, state, fits: true }
    }

    /// Makes room for `count` groups.
    pub(super) fn grow(&mut self, count: usize) {
        self.state.grow(count);
    }

    /// Adds the rows of a batch, of which `groups` has the groups, to `count` groups.
    pub(super) fn add(&mut self, parts: &Parts, batch: &Batch, groups: &[u32], count: usize) {
        let Self { function, state, fits } = self;
        state.grow(count);
        let mut places: Vec<u32> = match &function.filter {
            None => (0..batch.length as u32).collect(),
            Some(filter) => places_of(&filter.truths(parts, batch)),
        };
        let Some(argument) = &function.argument else {
            if let State::Counts(counts) = state {
                places.iter().for_each(|place| counts[groups[*place as usize] as usize] += 1);
            }
            return;
        };
        let least = function.name == Name::Least;
        let mut terms = Vec::new();
        for (condition, term) in &argument.arms {
            let truths = condition.truths(parts, batch);
            let (chosen, rest) = places.iter().partition(|place| truths[**place as usize] == TRUE);
            terms.push((term, chosen));
            places = rest;
        }
        terms.push((&argument.otherwise, places));
        for (term, places) in terms {
            match term {
                Term::Null => {}
                Term::Whole(number) => state.add_whole(&places, groups, |_| Some(*number)),
                Term::Decimal(units, after) => {
                    *fits &= state.add_units(&places, groups, *after, |_| Some(*units));
                }
                Term::Formula(formula, is_whole) => {
                    let Some(Numbers { units, places: after }) = formula.numbers(parts, batch)
                    else {
                        *fits = false;
                        continue;
                    };
                    let number = |place: u32| units[place as usize];
                    if *is_whole {
                        state.add_whole(&places, groups, number);
                    } else {
                        let units = |place| number(place).map(i128::from);
                        *fits &= state.add_units(&places, groups, after, units);
                    }
                }
                Term::Column(at, _) => {
                    let column = Column { part: parts.get(*at), rows: &batch.rows[at.table] };
                    *fits &= state.add_column(&column, &places, groups, least);
                }
            }
        }
    }

    /// Returns `false` if SQLite must calculate the result.
    pub(super) fn fits(&self) -> bool {
        self.fits
    }

    /// Returns about how many bytes this takes.
    pub(super) fn weight(&self) -> usize {
        match &self.state {
            State::Counts(counts) => counts.len() * 8,
            State::Whole(sums) => sums.len() * 32,
            State::Sums(sums, _) => sums.len() * 64,
            // Each has some terms on the heap.
            State::Totals(totals) => totals.len() * (size_of::<Total>() + 64),
            State::Best(best) => best.iter().map(|value| 64 + length(value.as_ref())).sum(),
            State::BestNumber(best, _) => best.len() * 16,
        }
    }

    /// Returns the result for a group.
    ///
    /// # Errors
    /// The sum is too large, as in [`Total`].
    pub(super) fn result(&self, group: u32) -> Result<Value, &'static str> {
        let group = group as usize;
        let of_total = |total: &Total| match self.function.name {
            Name::Total => Ok(total.total()),
            Name::Mean => Ok(total.mean()),
            Name::DecimalSum => total.decimal_sum(),
            _ => total.sum(),
        };
        match &self.state {
            State::Counts(counts) => Ok(Value::Integer(counts[group].cast_signed())),
            State::Whole(sums) => {
                let (whole, n_whole) = sums[group];
                of_total(&Total::of(whole, n_whole, None))
            }
            State::Sums(sums, places) => {
                let Sum { whole, n_whole, units, n_units } = sums[group];
                of_total(&Total::of(whole, n_whole, Some((units, n_units, *places))))
            }
            State::Totals(totals) => of_total(&totals[group]),
            State::Best(best) => Ok(best[group].clone().unwrap_or(Value::Null)),
            State::BestNumber(best, kind) => Ok(match (best[group], kind) {
                (None, _) => Value::Null,
                (Some(days), Kind::Date) => Value::Text(date_text(days)),
                (Some(micros), Kind::Time) => Value::Text(time_text(micros)),
                (Some(micros), Kind::DateTime) => Value::Text(date_time_text(micros)),
                (Some(number), _) => Value::Integer(number),
            }),
        }
    }
}

fn places_of(truths: &[u8]) -> Vec<u32> {
    let places = (0..).zip(truths).filter(|(_, truth)| **truth == TRUE);
    places.map(|(place, _)| place).collect()
}

/// A column of a batch.
struct Column<'a> {
    part: &'a Chunk,
    rows: &'a [u32],
}

impl Column<'_> {
    fn row(&self, place: u32) -> usize {
        self.rows[place as usize] as usize
    }

    fn is_valid(&self, row: usize) -> bool {
        self.part.validity.is_empty() || is_valid(self.part, row)
    }
}

impl State {
    fn grow(&mut self, count: usize) {
        match self {
            Self::Counts(counts) => counts.resize(count, 0),
            Self::Whole(sums) => sums.resize(count, (0, 0)),
            Self::Sums(sums, _) => sums.resize(count, Sum::default()),
            Self::Totals(totals) => totals.resize_with(count, Total::default),
            Self::Best(best) => best.resize(count, None),
            Self::BestNumber(best, _) => best.resize(count, None),
        }
    }

    /// Adds whole numbers. `number` gets the place of a row in the batch.
    #[inline]
    fn add_whole(&mut self, places: &[u32], groups: &[u32], number: impl Fn(u32) -> Option<i64>) {
        let numbers = places
            .iter()
            .filter_map(|place| Some((groups[*place as usize] as usize, number(*place)?)));
        match self {
            Self::Counts(counts) => numbers.for_each(|(group, _)| counts[group] += 1),
            Self::Whole(sums) => numbers.for_each(|(group, number)| {
                let (sum, count) = &mut sums[group];
                *sum += i128::from(number);
                *count += 1;
            }),
            Self::Sums(sums, _) => numbers.for_each(|(group, number)| {
                let sum = &mut sums[group];
                sum.whole += i128::from(number);
                sum.n_whole += 1;
            }),
            Self::Totals(totals) => numbers.for_each(|(group, number)| {
                totals[group].add(ValueRef::Integer(number));
            }),
            Self::Best(_) | Self::BestNumber(..) => {}
        }
    }

    /// Adds decimals with `after` digits after the point. Returns `false` if a sum has too many digits.
    #[inline]
    fn add_units(
        &mut self,
        places: &[u32],
        groups: &[u32],
        after: u8,
        units: impl Fn(u32) -> Option<i128>,
    ) -> bool {
        let numbers = places
            .iter()
            .filter_map(|place| Some((groups[*place as usize] as usize, units(*place)?)));
        match self {
            Self::Counts(counts) => numbers.for_each(|(group, _)| counts[group] += 1),
            Self::Sums(sums, scale) => {
                let Some(power) = 10_i128.checked_pow(after.abs_diff(*scale).into()) else {
                    return false;
                };
                let is_finer = after > *scale;
                for sum in sums.iter_mut().filter(|_| is_finer) {
                    let Some(units) = sum.units.checked_mul(power) else { return false };
                    sum.units = units;
                }
                *scale = after.max(*scale);
                let power = if is_finer { 1 } else { power };
                for (group, units) in numbers {
                    let sum = &mut sums[group];
                    let changed = units.checked_mul(power).and_then(|it| sum.units.checked_add(it));
                    let Some(changed) = changed else { return false };
                    sum.units = changed;
                    sum.n_units += 1;
                }
            }
            _ => {}
        }
        true
    }

    /// Adds the values of a column. Returns `false` if a sum has too many digits.
    fn add_column(
        &mut self,
        column: &Column<'_>,
        places: &[u32],
        groups: &[u32],
        least: bool,
    ) -> bool {
        match (&column.part.values, &mut *self) {
            (_, Self::Best(best)) => {
                for place in places {
                    let value = value(column.part, column.row(*place));
                    let slot = &mut best[groups[*place as usize] as usize];
                    improve(slot, reference(&value), least);
                }
            }
            (Values::Empty(_), _) => {}
            (Values::Dates(days), Self::BestNumber(best, _)) => {
                best_number(best, column, places, groups, least, |row| days[row].into());
            }
            (
                Values::Integers(items) | Values::Times(items) | Values::DateTimes(items),
                Self::BestNumber(best, _),
            ) => best_number(best, column, places, groups, least, |row| items[row]),
            (Values::Integers(items), _) => self.add_whole(places, groups, |place| {
                let row = column.row(place);
                column.is_valid(row).then(|| items[row])
            }),
            (Values::Decimals(decimals), _) => {
                return self.add_units(places, groups, decimals.scale, |place| {
                    let row = column.row(place);
                    column.is_valid(row).then(|| decimals.units[row].into())
                });
            }
            (_, Self::Totals(totals)) => {
                for place in places {
                    let value = value(column.part, column.row(*place));
                    match reference(&value) {
                        // SQLite makes null of it.
                        ValueRef::Real(number) if number.is_nan() => {}
                        value => totals[groups[*place as usize] as usize].add(value),
                    }
                }
            }
            // Booleans are added up as 0 and 1. Other columns are only counted.
            _ => self.add_whole(places, groups, |place| {
                match reference(&value(column.part, column.row(place))) {
                    ValueRef::Null => None,
                    ValueRef::Real(number) if number.is_nan() => None,
                    ValueRef::Integer(number) => Some(number),
                    _ => Some(0),
                }
            }),
        }
        true
    }
}

/// Keeps the least, or the greatest, number of each group.
fn best_number(
    best: &mut [Option<i64>],
    column: &Column<'_>,
    places: &[u32],
    groups: &[u32],
    least: bool,
    number: impl Fn(usize) -> i64,
) {
    for place in places {
        let row = column.row(*place);
        if column.is_valid(row) {
            let slot = &mut best[groups[*place as usize] as usize];
            let number = number(row);
            let held = slot.unwrap_or(number);
            *slot = Some(if least { held.min(number) } else { held.max(number) });
        }
    }
}

/// Puts a value into a slot if the slot is empty, or if the value is less (or greater) than the one in it.
fn improve(slot: &mut Option<Value>, value: ValueRef<'_>, least: bool) {
    let order = match (slot.as_ref(), value) {
        (_, ValueRef::Null | ValueRef::Blob(_)) => return,
        (_, ValueRef::Real(number)) if number.is_nan() => return,
        (None, _) => None,
        (Some(Value::Integer(held)), ValueRef::Integer(number)) => Some(number.cmp(held)),
        (Some(Value::Real(held)), ValueRef::Real(number)) => number.partial_cmp(held),
        (Some(Value::Text(held)), ValueRef::Text(text)) => Some(text.cmp(held.as_bytes())),
        // The values of a column have one type.
        _ => return,
    };
    if order.is_none_or(|order| if least { order.is_lt() } else { order.is_gt() }) {
        *slot = Value::try_from(value).ok();
    }
}

/// Returns the bytes of a text.
fn length(value: Option<&Value>) -> usize {
    match value {
        Some(Value::Text(text)) => text.len(),
        Some(Value::Blob(bytes)) => bytes.len(),
        _ => 0,
    }
}
