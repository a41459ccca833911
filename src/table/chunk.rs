//! A part of a column by itself: what comes in from a plugin and goes out to it.

use std::fmt;

use crate::column::Values;
use crate::date::{DAY, DAYS};
use crate::number::{MAX_DIGITS, power};
use crate::validity::Validity;

/// Cells of a column by themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    /// The values.
    pub values: Values,
    /// Which of them are null. Of [`Values::Empty`] and [`Values::Mixed`] it says nothing.
    pub validity: Validity,
}

impl Chunk {
    /// Whether the values are as [`Values`] describes them. Texts were checked when they were made.
    pub fn check(&self) -> Result<(), Problem> {
        let length = self.values.len();
        if self.validity.len() != length {
            return Err(Problem::Lengths(length, self.validity.len()));
        }
        if self.is_fine() {
            return Ok(());
        }
        let valid = |index: &usize| self.validity.is_valid(*index);
        // What stands in the slot of a null does not matter.
        let bad = |is_bad: &dyn Fn(usize) -> bool| (0..length).filter(valid).find(|at| is_bad(*at));
        let refused = match &self.values {
            Values::Decimals(scale, _) if *scale > 18 => return Err(Problem::Scale(*scale, 18)),
            Values::WideDecimals(scale, _) if *scale > MAX_DIGITS => {
                return Err(Problem::Scale(*scale, MAX_DIGITS));
            }
            Values::Decimals(_, units) => bad(&|at| units[at].unsigned_abs() >= 10_u64.pow(18)),
            Values::WideDecimals(_, units) => {
                let most = power(MAX_DIGITS).unwrap_or(i128::MAX).unsigned_abs();
                bad(&|at| units[at].unsigned_abs() >= most)
            }
            Values::Dictionary(keys, texts) => bad(&|at| keys[at] as usize >= texts.len()),
            Values::Dates(days) => bad(&|at| !DAYS.contains(&days[at])),
            Values::Times(micros) => bad(&|at| !(0..DAY).contains(&micros[at])),
            Values::DateTimes(micros) => bad(&|at| {
                i32::try_from(micros[at].div_euclid(DAY)).map_or(true, |day| !DAYS.contains(&day))
            }),
            _ => None,
        };
        match refused {
            Some(at) => Err(Problem::Value(at, self.values.column_type().name())),
            None => Ok(()),
        }
    }

    /// Whether all values are as described, those in the slots of nulls too, as nearly always. Otherwise [`check`](Self::check) says more.
    fn is_fine(&self) -> bool {
        match &self.values {
            Values::Decimals(scale, units) => {
                const BOUND: u64 = 10_u64.pow(18);
                *scale <= 18 && units.iter().all(|unit| unit.unsigned_abs() < BOUND)
            }
            Values::Dictionary(keys, texts) => keys.iter().all(|key| (*key as usize) < texts.len()),
            Values::Dates(days) => days.iter().all(|day| DAYS.contains(day)),
            Values::Times(micros) => micros.iter().all(|it| (0..DAY).contains(it)),
            _ => false,
        }
    }

    /// Bytes that it keeps on the heap.
    pub fn kept_bytes(&self) -> u64 {
        (self.values.kept_bytes() + self.validity.kept_bytes()) as u64
    }
}

/// What is wrong with a chunk or a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// So many values, so many bits of validity.
    Lengths(usize, usize),
    /// More digits behind the point than the form has.
    Scale(u8, u8),
    /// The value at this place is outside of its type.
    Value(usize, &'static str),
    /// So many chunks or cells for so many columns.
    Width(usize, usize),
    /// Chunks of different lengths.
    Ragged(usize, usize),
    /// More rows than a table has.
    Rows,
    /// Texts of a column that do not fit in 4 GiB.
    Texts,
    /// An empty name of a column.
    NoName,
    /// A name that comes twice.
    Twice(String),
    /// No such column or row.
    Nothing(&'static str, usize, usize),
    /// A column of Arrow's whose type no column here is of.
    Foreign {
        /// Its name.
        column: String,
        /// Its type, as Arrow writes it.
        ty: String,
    },
    /// A problem of the column of this name.
    InColumn(String, Box<Problem>),
    /// More memory than the session may have.
    Memory(mitt_base::Limit),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Lengths(values, bits) => {
                write!(f, "{values} values with {bits} bits of validity")
            }
            Problem::Scale(scale, most) => {
                write!(f, "a scale of {scale}; at most {most} digits stand behind the point")
            }
            Problem::Value(at, ty) => write!(f, "the value at {at} is no {ty}"),
            Problem::Width(given, width) => write!(f, "{given} cells for {width} columns"),
            Problem::Ragged(one, other) => write!(f, "columns of {one} and of {other} rows"),
            Problem::Rows => write!(f, "more than {} rows", u32::MAX - 1),
            Problem::Texts => f.write_str("the texts of a column take more than 4 GiB"),
            Problem::NoName => f.write_str("a column name is empty"),
            Problem::Twice(name) => write!(f, "the column `{name}` appears twice"),
            Problem::Nothing(what, index, count) => {
                write!(f, "no {what} {index}; there are {count}")
            }
            Problem::Foreign { column, ty } => {
                write!(
                    f,
                    "the column `{column}` is of Arrow's type {ty}, which no table holds; cast it, for example to text"
                )
            }
            Problem::InColumn(column, problem) => write!(f, "the column `{column}`: {problem}"),
            Problem::Memory(limit) => limit.fmt(f),
        }
    }
}

impl std::error::Error for Problem {}
