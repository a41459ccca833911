//! A part of a column as plain data, in the memory layout of Apache Arrow.

use super::calendar::{date_text, date_time_text, time_text};
use super::decimal::{Decimal, float_text};
use super::source::NULL_ROW;
use super::wit::types::Cell;
use std::collections::HashMap;

/// Bits, eight in a byte, lowest bit first. Unused bits of the last byte are 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits {
    len: usize,
    bytes: Vec<u8>,
}

impl Bits {
    /// Makes `len` bits from bytes. Missing bytes are 0.
    pub fn new(len: usize, mut bytes: Vec<u8>) -> Bits {
        bytes.resize(len.div_ceil(8), 0);
        Bits { len, bytes }
    }

    /// Returns the number of bits.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if there are no bits.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the bit at an index below [`Bits::len`].
    #[inline]
    pub fn get(&self, index: usize) -> bool {
        self.bytes[index / 8] >> (index % 8) & 1 == 1
    }

    /// Appends a bit.
    #[inline]
    pub fn push(&mut self, bit: bool) {
        if self.len.is_multiple_of(8) {
            self.bytes.push(0);
        }
        self.bytes[self.len / 8] |= u8::from(bit) << (self.len % 8);
        self.len += 1;
    }

    /// Returns the number of bits that are 1.
    pub fn count(&self) -> usize {
        self.bytes.iter().map(|byte| byte.count_ones() as usize).sum()
    }

    /// Returns the bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl FromIterator<bool> for Bits {
    fn from_iter<I: IntoIterator<Item = bool>>(bits: I) -> Bits {
        let mut all = Bits::default();
        bits.into_iter().for_each(|bit| all.push(bit));
        all
    }
}

/// Texts in one buffer.
///
/// Invariant: `offsets` begins with 0, is sorted, and ends with the length of `bytes`. Each text is UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texts {
    pub(super) offsets: Vec<u32>,
    pub(super) bytes: Vec<u8>,
}

impl Default for Texts {
    fn default() -> Texts {
        Texts { offsets: vec![0], bytes: Vec::new() }
    }
}

impl Texts {
    /// Makes texts from parts that keep the invariant, as those of the host do.
    pub fn new(offsets: Vec<u32>, bytes: Vec<u8>) -> Texts {
        if offsets.is_empty() { Texts::default() } else { Texts { offsets, bytes } }
    }

    /// Returns the number of texts.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns `true` if there are no texts.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the UTF-8 of the text at an index below [`Texts::len`].
    #[inline]
    pub fn bytes(&self, index: usize) -> &[u8] {
        &self.bytes[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }

    /// Returns the text at an index below [`Texts::len`]. Checks UTF-8, which costs more than comparing bytes.
    pub fn get(&self, index: usize) -> &str {
        std::str::from_utf8(self.bytes(index)).expect("texts of the host are UTF-8")
    }

    /// Appends a text. All together must stay below 4 GiB, the memory of a plugin.
    pub fn push(&mut self, text: &str) {
        self.push_bytes(text.as_bytes());
    }

    fn push_bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.offsets.push(self.bytes.len() as u32);
    }

    /// Iterates over the texts.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|index| self.get(index))
    }
}

impl<'a> FromIterator<&'a str> for Texts {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Texts {
        let mut all = Texts::default();
        texts.into_iter().for_each(|text| all.push(text));
        all
    }
}

/// Values of one type. A slot whose cell is null may hold any value.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Nulls only: their number.
    Empty(usize),
    /// Booleans.
    Booleans(Bits),
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Decimals of at most 18 digits, without their point, which is before the last `scale` digits.
    Decimals { scale: u8, units: Vec<i64> },
    /// Decimals of at most 38 digits.
    WideDecimals { scale: u8, units: Vec<i128> },
    /// Floating point numbers.
    Floats(Vec<f64>),
    /// Texts without dictionary encoding.
    Texts(Texts),
    /// Texts with dictionary encoding: `keys` are indices in `values`.
    Dictionary { keys: Vec<u32>, values: Texts },
    /// Days since 1970-01-01.
    Dates(Vec<i32>),
    /// Microseconds since midnight.
    Times(Vec<i64>),
    /// Microseconds since 1970-01-01T00:00:00.
    DateTimes(Vec<i64>),
    /// Cells of several types, nulls among them.
    Mixed(Vec<Cell>),
}

impl Values {
    /// Returns the number of values.
    pub fn len(&self) -> usize {
        match self {
            Values::Empty(len) => *len,
            Values::Booleans(bits) => bits.len(),
            Values::Integers(values)
            | Values::Decimals { units: values, .. }
            | Values::Times(values)
            | Values::DateTimes(values) => values.len(),
            Values::WideDecimals { units, .. } => units.len(),
            Values::Floats(values) => values.len(),
            Values::Texts(texts) => texts.len(),
            Values::Dictionary { keys, .. } => keys.len(),
            Values::Dates(days) => days.len(),
            Values::Mixed(cells) => cells.len(),
        }
    }

    /// Returns `true` if there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A part of a column, or all of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    /// A bit for each cell: 1 for a value, 0 for null. `None` if no cell is null, and for `Empty` and `Mixed`.
    pub validity: Option<Bits>,
    /// The values.
    pub values: Values,
}

impl From<Values> for Chunk {
    /// Makes a chunk without nulls, except those of `Empty` and `Mixed`.
    fn from(values: Values) -> Chunk {
        Chunk { validity: None, values }
    }
}

impl Chunk {
    /// Makes a chunk of values and their validity: 1 for a value, 0 for null.
    pub fn new(values: Values, validity: Bits) -> Chunk {
        let is_full = validity.count() == validity.len();
        Chunk { validity: (!is_full).then_some(validity), values }
    }

    /// Makes a chunk of whole numbers. `None` is null.
    pub fn integers(values: impl IntoIterator<Item = Option<i64>>) -> Chunk {
        let mut validity = Bits::default();
        let values = values.into_iter().inspect(|value| validity.push(value.is_some()));
        let values = values.map(Option::unwrap_or_default).collect();
        Chunk::new(Values::Integers(values), validity)
    }

    /// Makes a chunk of texts without dictionary encoding. `None` is null.
    pub fn texts<'a>(texts: impl IntoIterator<Item = Option<&'a str>>) -> Chunk {
        let mut validity = Bits::default();
        let texts = texts.into_iter().inspect(|text| validity.push(text.is_some()));
        let texts = texts.map(Option::unwrap_or_default).collect();
        Chunk::new(Values::Texts(texts), validity)
    }

    /// Returns the number of cells.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns `true` if there are no cells.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns `true` if the cell at an index is null.
    #[inline]
    pub fn is_null(&self, index: usize) -> bool {
        match (&self.validity, &self.values) {
            (Some(validity), _) => !validity.get(index),
            (None, Values::Empty(_)) => true,
            (None, Values::Mixed(cells)) => matches!(cells[index], Cell::Null),
            (None, _) => false,
        }
    }

    /// Returns the number of cells that are null.
    pub fn n_nulls(&self) -> usize {
        match (&self.validity, &self.values) {
            (Some(validity), _) => validity.len() - validity.count(),
            (None, Values::Empty(len)) => *len,
            (None, Values::Mixed(cells)) => {
                cells.iter().filter(|cell| matches!(cell, Cell::Null)).count()
            }
            (None, _) => 0,
        }
    }

    /// Returns the cell at an index. Dates and times are text in ISO 8601. A float is the shortest number that reads back as
    /// it, or null if it is infinite or NaN.
    pub fn cell(&self, index: usize) -> Cell {
        if self.is_null(index) {
            return Cell::Null;
        }
        let decimal = |units: i128, scale| Cell::Number(Decimal { units, scale }.text());
        match &self.values {
            Values::Empty(_) => Cell::Null,
            Values::Booleans(bits) => Cell::Boolean(bits.get(index)),
            Values::Integers(values) => decimal(values[index].into(), 0),
            Values::Decimals { scale, units } => decimal(units[index].into(), *scale),
            Values::WideDecimals { scale, units } => decimal(units[index], *scale),
            Values::Floats(values) => float_text(values[index]).map_or(Cell::Null, Cell::Number),
            Values::Texts(texts) => Cell::Text(texts.get(index).to_owned()),
            Values::Dictionary { keys, values } => {
                Cell::Text(values.get(keys[index] as usize).to_owned())
            }
            Values::Dates(days) => Cell::Text(date_text(days[index])),
            Values::Times(micros) => Cell::Text(time_text(micros[index])),
            Values::DateTimes(micros) => Cell::Text(date_time_text(micros[index])),
            Values::Mixed(cells) => cells[index].clone(),
        }
    }

    /// Returns the cells with these indices; [`NULL_ROW`] gives null.
    ///
    /// # Panics
    /// A cell does not exist.
    pub fn take(&self, rows: &[u32]) -> Chunk {
        fn pick<V: Clone>(values: &[V], rows: &[u32], null: V) -> Vec<V> {
            let of = |row: &u32| {
                if *row == NULL_ROW { null.clone() } else { values[*row as usize].clone() }
            };
            rows.iter().map(of).collect()
        }
        let values = match &self.values {
            Values::Empty(_) => Values::Empty(rows.len()),
            Values::Booleans(bits) => Values::Booleans(
                rows.iter().map(|row| *row != NULL_ROW && bits.get(*row as usize)).collect(),
            ),
            Values::Integers(values) => Values::Integers(pick(values, rows, 0)),
            Values::Decimals { scale, units } => {
                Values::Decimals { scale: *scale, units: pick(units, rows, 0) }
            }
            Values::WideDecimals { scale, units } => {
                Values::WideDecimals { scale: *scale, units: pick(units, rows, 0) }
            }
            Values::Floats(values) => Values::Floats(pick(values, rows, 0.0)),
            Values::Texts(texts) => {
                let mut taken = Texts::default();
                for row in rows {
                    let is_null = *row == NULL_ROW;
                    taken.push_bytes(if is_null { b"" } else { texts.bytes(*row as usize) });
                }
                Values::Texts(taken)
            }
            Values::Dictionary { keys, values } => {
                Values::Dictionary { keys: pick(keys, rows, 0), values: values.clone() }
            }
            Values::Dates(days) => Values::Dates(pick(days, rows, 0)),
            Values::Times(micros) => Values::Times(pick(micros, rows, 0)),
            Values::DateTimes(micros) => Values::DateTimes(pick(micros, rows, 0)),
            Values::Mixed(cells) => Values::Mixed(pick(cells, rows, Cell::Null)),
        };
        match values {
            Values::Empty(_) | Values::Mixed(_) => Chunk::from(values),
            _ => {
                let is_value = |row: &u32| *row != NULL_ROW && !self.is_null(*row as usize);
                Chunk::new(values, rows.iter().map(is_value).collect())
            }
        }
    }

    /// Makes a chunk of texts with dictionary encoding, in order of first appearance. `None` is null.
    pub fn dictionary<'a>(texts: impl IntoIterator<Item = Option<&'a str>>) -> Chunk {
        let (mut keys, mut values, mut validity) = (Vec::new(), Texts::default(), Bits::default());
        let mut by_text: HashMap<&str, u32> = HashMap::new();
        for text in texts {
            validity.push(text.is_some());
            keys.push(text.map_or(0, |text| {
                *by_text.entry(text).or_insert_with(|| {
                    values.push(text);
                    values.len() as u32 - 1
                })
            }));
        }
        if values.is_empty() {
            return Chunk::from(Values::Empty(keys.len()));
        }
        Chunk::new(Values::Dictionary { keys, values }, validity)
    }
}
