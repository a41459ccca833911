//! The columns of a table for SQLite: fetched in parts when they are first needed, and cached within a limit.

use crate::bindings::mitt::host::tables::{Bits, Chunk, Column, ColumnType, Texts, Values};
use crate::bindings::mitt::host::types::{Cell, Error};
use crate::calendar::{date_text, date_time_text, short_date, time_text};
use crate::decimal::Decimal;
use crate::index::{Key, RowsOf};
use crate::source::Source;
use crate::wide;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use std::cell::{Cell as Held, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// Rows of a part: half a megabyte of numbers.
pub(crate) const PART: u64 = 65_536;

/// Most bytes of parts that are cached for one table. Above it all its parts are dropped, and fetched again when needed.
/// Four such tables leave half of the plugin's memory to SQLite.
const KEPT_BYTES: usize = 48 << 20;

/// The declared type of a column, which decides how SQLite compares its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Boolean,
    Integer,
    /// Decimals of at most 15 digits, as the binary numbers that stand for them.
    Decimal,
    /// Decimals of more digits, as text with a collation that compares numbers.
    WideDecimal,
    Float,
    Text,
    Date,
    Time,
    DateTime,
    Mixed,
}

impl Kind {
    /// Returns the declared type. Its letters set the affinity: `TEXT` compares a date as text.
    pub(crate) fn declaration(self) -> &'static str {
        match self {
            Self::Boolean => "BOOLEAN",
            Self::Integer => "INTEGER",
            Self::Decimal => "DECIMAL",
            Self::WideDecimal => "DECIMAL_TEXT COLLATE decimal",
            Self::Float => "FLOAT",
            Self::Text => "TEXT",
            Self::Date => "DATE_TEXT",
            Self::Time => "TIME_TEXT",
            Self::DateTime => "DATETIME_TEXT",
            Self::Mixed => "",
        }
    }
}

/// A table and its cached parts.
pub(crate) struct Columns {
    source: Rc<dyn Source>,
    pub(crate) names: Vec<String>,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) rows: u64,
    parts: RefCell<HashMap<(u32, u64), Rc<Chunk>>>,
    bytes: Held<usize>,
    indexes: RefCell<HashMap<u32, Rc<RowsOf>>>,
}

impl Columns {
    /// Opens a table.
    ///
    /// # Errors
    /// A column of decimals cannot be read. Its number of digits decides how it is declared.
    pub(crate) fn new(source: Rc<dyn Source>) -> Result<Self, Error> {
        let (described, rows) = (source.columns(), source.rows());
        let mut kinds = Vec::new();
        for (column, index) in described.iter().zip(0..) {
            kinds.push(kind_of(&*source, column, index, rows)?);
        }
        Ok(Self {
            names: unique(described.into_iter().map(|column| column.name)),
            kinds,
            rows,
            source,
            parts: RefCell::default(),
            bytes: Held::new(0),
            indexes: RefCell::default(),
        })
    }

    /// Returns the part of a column that contains a row.
    pub(crate) fn part(&self, column: u32, row: u64) -> Result<Rc<Chunk>, Error> {
        let key = (column, row / PART);
        if let Some(part) = self.parts.borrow().get(&key) {
            return Ok(part.clone());
        }
        let part = Rc::new(self.source.slice(column, key.1 * PART, PART)?);
        let bytes = weight(&part);
        let mut parts = self.parts.borrow_mut();
        if self.bytes.get() + bytes > KEPT_BYTES {
            parts.clear();
            self.bytes.set(0);
        }
        self.bytes.set(self.bytes.get() + bytes);
        parts.insert(key, part.clone());
        Ok(part)
    }

    /// Returns the rows for each value of a column. The index is made once; a join uses it for each row of the other table.
    pub(crate) fn index(&self, column: u32) -> Result<Rc<RowsOf>, Error> {
        if let Some(index) = self.indexes.borrow().get(&column) {
            return Ok(index.clone());
        }
        let mut index = RowsOf::default();
        let mut start = 0;
        while start < self.rows {
            let part = self.part(column, start)?;
            for row in start..self.rows.min(start + PART) {
                let value = value(&part, (row - start) as usize);
                if let Some(key) = Key::of(reference(&value)) {
                    index.add(key, row as u32);
                }
            }
            start += PART;
        }
        let index = Rc::new(index);
        self.indexes.borrow_mut().insert(column, index.clone());
        Ok(index)
    }
}

/// Returns a value without its owner.
pub(crate) fn reference<'a>(value: &'a ToSqlOutput<'a>) -> ValueRef<'a> {
    match value {
        ToSqlOutput::Borrowed(value) => *value,
        ToSqlOutput::Owned(value) => value.into(),
        _ => ValueRef::Null,
    }
}

/// Makes names unique. SQLite ignores the case of Latin letters in names.
fn unique(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut taken = std::collections::HashSet::new();
    names
        .map(|name| {
            let mut unique = name.clone();
            let mut number = 2;
            while !taken.insert(unique.to_ascii_lowercase()) {
                unique = format!("{name}_{number}");
                number += 1;
            }
            unique
        })
        .collect()
}

fn kind_of(source: &dyn Source, column: &Column, index: u32, rows: u64) -> Result<Kind, Error> {
    Ok(match column.type_ {
        ColumnType::Empty | ColumnType::Text => Kind::Text,
        ColumnType::Boolean => Kind::Boolean,
        ColumnType::Integer => Kind::Integer,
        ColumnType::Float => Kind::Float,
        ColumnType::Date => Kind::Date,
        ColumnType::Time => Kind::Time,
        ColumnType::DateTime => Kind::DateTime,
        ColumnType::Mixed => Kind::Mixed,
        ColumnType::Decimal => {
            let mut start = 0;
            while start < rows {
                if is_wide(&source.slice(index, start, PART)?) {
                    return Ok(Kind::WideDecimal);
                }
                start += PART;
            }
            Kind::Decimal
        }
    })
}

/// Returns `true` if a number of a part has more than 15 digits.
fn is_wide(part: &Chunk) -> bool {
    let long = |digits: i128| {
        digits.unsigned_abs() >= 1_000_000_000_000_000
            && Decimal { digits, exponent: 0 }.to_double().is_none()
    };
    match &part.values {
        Values::Decimals(decimals) => {
            // The slot of a null may hold any number, so a wide one is checked again.
            let any =
                decimals.units.iter().any(|units| units.unsigned_abs() >= 1_000_000_000_000_000);
            any && (0..decimals.units.len())
                .any(|row| is_valid(part, row) && long(decimals.units[row].into()))
        }
        Values::WideDecimals(decimals) => (0..decimals.units.len() / 16)
            .any(|row| is_valid(part, row) && long(wide_units(&decimals.units, row))),
        _ => false,
    }
}

fn wide_units(bytes: &[u8], row: usize) -> i128 {
    bytes
        .get(row * 16..row * 16 + 16)
        .and_then(|bytes| bytes.try_into().ok())
        .map_or(0, i128::from_le_bytes)
}

fn weight(part: &Chunk) -> usize {
    let texts = |texts: &Texts| texts.offsets.len() * 4 + texts.bytes.len();
    part.validity.len()
        + match &part.values {
            Values::Empty(_) => 0,
            Values::Booleans(bits) => bits.bytes.len(),
            Values::Integers(items) | Values::Times(items) | Values::DateTimes(items) => {
                items.len() * 8
            }
            Values::Decimals(decimals) => decimals.units.len() * 8,
            Values::WideDecimals(decimals) => decimals.units.len(),
            Values::Floats(items) => items.len() * 8,
            Values::Dates(items) => items.len() * 4,
            Values::Texts(items) => texts(items),
            Values::Dictionary(dictionary) => dictionary.keys.len() * 4 + texts(&dictionary.values),
            Values::Mixed(cells) => cells.len() * 40,
        }
}

fn bit(bytes: &[u8], index: usize) -> bool {
    bytes.get(index / 8).is_some_and(|byte| byte >> (index % 8) & 1 == 1)
}

/// Returns `true` if a row of a part is not null.
pub(crate) fn is_valid(part: &Chunk, row: usize) -> bool {
    part.validity.is_empty() || bit(&part.validity, row)
}

/// Returns the text with this number.
pub(crate) fn text_at(texts: &Texts, index: usize) -> &[u8] {
    let (start, end) = match (texts.offsets.get(index), texts.offsets.get(index + 1)) {
        (Some(start), Some(end)) => (*start as usize, *end as usize),
        _ => return &[],
    };
    texts.bytes.get(start..end).unwrap_or_default()
}

/// Returns the value of a row of a part.
pub(crate) fn value(part: &Chunk, row: usize) -> ToSqlOutput<'_> {
    use ToSqlOutput::{Borrowed, Owned};
    if !is_valid(part, row) {
        return Borrowed(ValueRef::Null);
    }
    let owned = |text: String| Owned(Value::Text(text));
    let integer = |number: Option<&i64>| {
        number.map_or(Borrowed(ValueRef::Null), |&number| Borrowed(ValueRef::Integer(number)))
    };
    match &part.values {
        Values::Empty(_) => Borrowed(ValueRef::Null),
        Values::Booleans(Bits { bytes, .. }) => Borrowed(ValueRef::Integer(bit(bytes, row).into())),
        Values::Integers(items) => integer(items.get(row)),
        Values::Decimals(decimals) => {
            let units = decimals.units.get(row).copied().unwrap_or_default();
            match Decimal::double_of(units, decimals.scale) {
                Some(value) => Borrowed(ValueRef::Real(value)),
                None => {
                    number(Decimal { digits: units.into(), exponent: -i32::from(decimals.scale) })
                }
            }
        }
        Values::WideDecimals(decimals) => number(Decimal {
            digits: wide_units(&decimals.units, row),
            exponent: -i32::from(decimals.scale),
        }),
        Values::Floats(items) => items
            .get(row)
            .map_or(Borrowed(ValueRef::Null), |&number| Borrowed(ValueRef::Real(number))),
        Values::Texts(texts) => Borrowed(ValueRef::Text(text_at(texts, row))),
        Values::Dictionary(dictionary) => {
            let key = dictionary.keys.get(row).map_or(usize::MAX - 1, |&key| key as usize);
            Borrowed(ValueRef::Text(text_at(&dictionary.values, key)))
        }
        Values::Dates(items) => {
            owned(date_text(items.get(row).copied().unwrap_or_default().into()))
        }
        Values::Times(items) => owned(time_text(items.get(row).copied().unwrap_or_default())),
        Values::DateTimes(items) => {
            owned(date_time_text(items.get(row).copied().unwrap_or_default()))
        }
        Values::Mixed(cells) => match cells.get(row) {
            None | Some(Cell::Null) => Borrowed(ValueRef::Null),
            Some(Cell::Boolean(value)) => Borrowed(ValueRef::Integer((*value).into())),
            Some(Cell::Text(text)) => Borrowed(ValueRef::Text(text.as_bytes())),
            Some(Cell::Number(text)) => mixed_number(text),
        },
    }
}

/// Returns the text of a date that is not null.
pub(crate) fn date(part: &Chunk, row: usize) -> Option<[u8; 10]> {
    match &part.values {
        Values::Dates(items) if is_valid(part, row) => short_date((*items.get(row)?).into()),
        _ => None,
    }
}

/// Returns the value of a row of a column that has a number with more than 15 digits. All numbers of such a column are
/// texts: SQLite sorts every number before any text, and would write a short number without its mark into a table of texts.
pub(crate) fn wide_value(part: &Chunk, row: usize) -> ToSqlOutput<'_> {
    match value(part, row) {
        ToSqlOutput::Borrowed(ValueRef::Null) => ToSqlOutput::Borrowed(ValueRef::Null),
        ToSqlOutput::Owned(text) => ToSqlOutput::Owned(text),
        _ => match exact(part, row) {
            Some(decimal) => ToSqlOutput::Owned(Value::Text(wide::write(decimal))),
            None => ToSqlOutput::Borrowed(ValueRef::Null),
        },
    }
}

/// Returns the decimal of a row that is not null.
fn exact(part: &Chunk, row: usize) -> Option<Decimal> {
    let (digits, scale) = match &part.values {
        Values::Decimals(decimals) => ((*decimals.units.get(row)?).into(), decimals.scale),
        Values::WideDecimals(decimals) => (wide_units(&decimals.units, row), decimals.scale),
        _ => return None,
    };
    Some(Decimal { digits, exponent: -i32::from(scale) })
}

fn mixed_number(text: &str) -> ToSqlOutput<'static> {
    match (text.parse::<i64>(), Decimal::parse(text)) {
        (Ok(whole), _) => ToSqlOutput::Borrowed(ValueRef::Integer(whole)),
        (_, Some(decimal)) => number(decimal),
        // The nearest binary number for more than 38 digits, marked as inexact.
        _ => {
            let nearest = crate::decimal::marked(text.parse().unwrap_or(f64::NAN));
            ToSqlOutput::Borrowed(ValueRef::Real(nearest))
        }
    }
}

fn number(decimal: Decimal) -> ToSqlOutput<'static> {
    match decimal.to_double() {
        Some(value) => ToSqlOutput::Borrowed(ValueRef::Real(value)),
        None => ToSqlOutput::Owned(Value::Text(wide::write(decimal))),
    }
}
