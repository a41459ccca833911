//! A part of a column by itself, the form in which columns enter from plugins and go out to them.

use std::fmt;

use crate::date::{DAY, DAYS};
use crate::number::{MAX_DIGITS, power};
use crate::validity::Validity;
use crate::values::Values;

/// Some cells of a column.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    /// The values.
    pub values: Values,
    /// Which values are null. Has no meaning for [`Values::Empty`] and [`Values::Mixed`].
    pub validity: Validity,
}

impl Chunk {
    /// Checks that the values are as [`Values`] describes them. Texts were checked when they were made.
    pub fn check(&self) -> Result<(), Problem> {
        let length = self.values.len();
        if self.validity.len() != length {
            return Err(Problem::Lengths(length, self.validity.len()));
        }
        if self.is_fine() {
            return Ok(());
        }
        let valid = |index: &usize| self.validity.is_valid(*index);
        // The slot of a null may hold anything.
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

    /// Returns `true` if all values are valid, even in the slots of nulls, which is the usual case. Otherwise
    /// [`check`](Self::check) looks closer.
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

    /// Returns the bytes on the heap.
    pub fn kept_bytes(&self) -> u64 {
        (self.values.kept_bytes() + self.validity.kept_bytes()) as u64
    }
}

/// What is wrong with a chunk or a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The number of values and the number of validity bits differ.
    Lengths(usize, usize),
    /// The scale is larger than the layout allows.
    Scale(u8, u8),
    /// The value at this index is outside of its type.
    Value(usize, &'static str),
    /// The number of chunks or cells differs from the number of columns.
    Width(usize, usize),
    /// Chunks have different lengths.
    Ragged(usize, usize),
    /// A table cannot have so many rows.
    Rows,
    /// The texts of a column exceed 4 GiB.
    Texts,
    /// The name of a column is empty.
    NoName,
    /// Two columns have this name.
    Twice(String),
    /// There is no such column or row.
    Nothing(&'static str, usize, usize),
    /// The column before this one has the same name; its index.
    TwiceAt(usize),
    /// The type of an Arrow column has no counterpart here; the way out.
    Foreign(&'static str),
    /// A column of a batch is not that of the schema.
    Schema {
        /// The name in the schema.
        name: String,
        /// The type in the schema.
        ty: String,
    },
    /// A problem in a column of Arrow's arrays.
    ArrowColumn {
        /// Name, index and type of the column.
        place: String,
        /// What is wrong with it.
        problem: Box<Problem>,
    },
    /// The session's limit on memory was reached.
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
            Problem::TwiceAt(first) => {
                write!(f, "the column at index {first} has the same name; rename one of them")
            }
            Problem::Foreign(way_out) => write!(f, "no table holds this type; {way_out}"),
            Problem::Schema { name, ty } => {
                write!(f, "expected the column `{name}` of the type {ty}, as in the first batch")
            }
            Problem::ArrowColumn { place, problem } => write!(f, "{place}: {problem}"),
            Problem::Memory(limit) => limit.fmt(f),
        }
    }
}

impl std::error::Error for Problem {}
