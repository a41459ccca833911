//! Converts rows of SQLite to columns for the host, and collects the warnings about them.

use crate::bindings::mitt::host::tables::{Bits, Chunk, Decimals, Texts, Values};
use crate::bindings::mitt::host::types::Cell;
use crate::calendar::{parse_date, parse_date_time, parse_time};
use crate::columns::Kind;
use crate::decimal::{Decimal, rounded_to_15, short};
use crate::source::joined;
use crate::wide;
use rusqlite::types::ValueRef;

/// Rows of a batch for the host.
pub(crate) const BATCH: usize = 8192;

/// A value of a result.
enum Item {
    Null,
    Integer(i64),
    Decimal(Decimal),
    Float(f64),
    Text(String),
}

/// The part of a result column that the host does not have yet.
pub(crate) struct ResultColumn {
    name: String,
    kind: Option<Kind>,
    items: Vec<Item>,
    n_inexact: u64,
    n_infinite: u64,
    n_blobs: u64,
}

impl ResultColumn {
    /// Makes a column. `declared` is the type of the table column that this one shows unchanged.
    pub(crate) fn new(name: String, declared: Option<&str>) -> Self {
        let known = [Kind::Boolean, Kind::Float, Kind::Date, Kind::Time, Kind::DateTime];
        let kind = known.into_iter().find(|kind| declared == Some(kind.declaration()));
        Self { name, kind, items: Vec::new(), n_inexact: 0, n_infinite: 0, n_blobs: 0 }
    }

    pub(crate) fn push(&mut self, value: ValueRef<'_>) {
        let item = match value {
            ValueRef::Null => Item::Null,
            ValueRef::Integer(number) => Item::Integer(number),
            ValueRef::Real(number) if self.kind == Some(Kind::Float) => Item::Float(number),
            ValueRef::Real(number) => match (short(number), rounded_to_15(number)) {
                (Some(decimal), _) => Item::Decimal(decimal),
                (None, Some(decimal)) => {
                    self.n_inexact += 1;
                    Item::Decimal(decimal)
                }
                (None, None) => {
                    self.n_infinite += 1;
                    Item::Null
                }
            },
            ValueRef::Text(bytes) => {
                let text = String::from_utf8_lossy(bytes).into_owned();
                match wide::read(&text) {
                    Some(decimal) => Item::Decimal(decimal),
                    None => Item::Text(wide::without_marks(text)),
                }
            }
            ValueRef::Blob(bytes) => {
                self.n_blobs += 1;
                Item::Text(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
            }
        };
        self.items.push(item);
    }

    /// Returns the values that were added since the last call.
    pub(crate) fn take(&mut self) -> Chunk {
        let items = std::mem::take(&mut self.items);
        let nulls = items.iter().any(|item| matches!(item, Item::Null));
        let validity = if nulls {
            bits(items.iter().map(|item| !matches!(item, Item::Null)))
        } else {
            Vec::new()
        };
        let special = match self.kind {
            Some(Kind::Boolean) => booleans(&items),
            Some(Kind::Date) => all_texts(&items, parse_date).map(Values::Dates),
            Some(Kind::Time) => all_texts(&items, parse_time).map(Values::Times),
            Some(Kind::DateTime) => all_texts(&items, parse_date_time).map(Values::DateTimes),
            _ => None,
        };
        let values = special.or_else(|| plain(&items)).unwrap_or_else(|| mixed(&items));
        match values {
            Values::Empty(_) | Values::Mixed(_) => Chunk { validity: Vec::new(), values },
            _ => Chunk { validity, values },
        }
    }

    /// Returns the warnings about all values.
    pub(crate) fn warnings(&self, rows: u64) -> Vec<String> {
        let Self { name, n_inexact, n_infinite, n_blobs, .. } = self;
        let mut warnings = Vec::new();
        if *n_inexact > 0 {
            warnings
                .push(format!("`{name}`: {n_inexact} of {rows} numbers are rounded to 15 digits"));
        }
        if *n_infinite > 0 {
            warnings.push(format!("`{name}`: {n_infinite} numbers are infinite, shown as null"));
        }
        if *n_blobs > 0 {
            warnings
                .push(format!("`{name}`: {n_blobs} cells are bytes, shown in hexadecimal digits"));
        }
        warnings
    }
}

fn bits(flags: impl Iterator<Item = bool>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (index, flag) in flags.enumerate() {
        if index % 8 == 0 {
            bytes.push(0);
        }
        if let Some(last) = bytes.last_mut() {
            *last |= u8::from(flag) << (index % 8);
        }
    }
    bytes
}

fn booleans(items: &[Item]) -> Option<Values> {
    let all = items.iter().all(|item| matches!(item, Item::Null | Item::Integer(0 | 1)));
    all.then(|| {
        Values::Booleans(Bits {
            length: items.len() as u64,
            bytes: bits(items.iter().map(|item| matches!(item, Item::Integer(1)))),
        })
    })
}

fn all_texts<T: Default>(items: &[Item], parse: fn(&str) -> Option<T>) -> Option<Vec<T>> {
    let parse = |item: &Item| match item {
        Item::Null => Some(T::default()),
        Item::Text(text) => parse(text),
        _ => None,
    };
    items.iter().map(parse).collect()
}

/// Returns the values if all have one type.
fn plain(items: &[Item]) -> Option<Values> {
    let first = items.iter().find(|item| !matches!(item, Item::Null));
    match first {
        None => Some(Values::Empty(items.len() as u64)),
        Some(Item::Text(_)) => texts(items).map(Values::Texts),
        Some(Item::Float(_)) => {
            let float = |item: &Item| match item {
                Item::Null => Some(0.0),
                Item::Float(number) => Some(*number),
                Item::Integer(number) => Some(*number as f64),
                _ => None,
            };
            items.iter().map(float).collect::<Option<_>>().map(Values::Floats)
        }
        Some(_) => integers(items).or_else(|| decimals(items)),
    }
}

fn texts(items: &[Item]) -> Option<Texts> {
    let text = |item: &Item| match item {
        Item::Null => Some(String::new()),
        Item::Text(text) => Some(text.clone()),
        _ => None,
    };
    items.iter().map(text).collect::<Option<Vec<_>>>().map(|texts| joined(&texts))
}

fn integers(items: &[Item]) -> Option<Values> {
    let integer = |item: &Item| match item {
        Item::Null => Some(0),
        Item::Integer(number) => Some(*number),
        _ => None,
    };
    items.iter().map(integer).collect::<Option<_>>().map(Values::Integers)
}

/// Returns whole numbers and decimals if they fit in 64 bits at one scale.
fn decimals(items: &[Item]) -> Option<Values> {
    let number = |item: &Item| match item {
        Item::Null => Some(Decimal { digits: 0, exponent: 0 }),
        Item::Integer(number) => Some(Decimal { digits: (*number).into(), exponent: 0 }.shortest()),
        Item::Decimal(decimal) => Some(decimal.shortest()),
        _ => None,
    };
    let numbers = items.iter().map(number).collect::<Option<Vec<_>>>()?;
    let scale = numbers.iter().map(|number| -number.exponent).max().unwrap_or(0).max(0);
    let scale = u8::try_from(scale).ok().filter(|&scale| scale <= 18)?;
    let unit = |number: &Decimal| {
        let places = u32::try_from(number.exponent + i32::from(scale)).ok()?;
        let units = number.digits.checked_mul(10_i128.checked_pow(places)?)?;
        // The form holds 18 digits.
        i64::try_from(units).ok().filter(|units| units.unsigned_abs() < 10_u64.pow(18))
    };
    let units = numbers.iter().map(unit).collect::<Option<_>>()?;
    Some(Values::Decimals(Decimals { scale, units }))
}

fn mixed(items: &[Item]) -> Values {
    let cell = |item: &Item| match item {
        Item::Null => Cell::Null,
        Item::Integer(number) => Cell::Number(number.to_string()),
        Item::Decimal(decimal) => Cell::Number(decimal.text()),
        Item::Float(number) => Cell::Number(format!("{number:e}")),
        Item::Text(text) => Cell::Text(text.clone()),
    };
    Values::Mixed(items.iter().map(cell).collect())
}
