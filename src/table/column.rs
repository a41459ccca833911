//! A column: values of one type, and which of them are null.

use std::sync::Arc;

use mitt_base::memory::Charge;

use crate::cell::{Cell, CellRef};
use crate::chunk::Chunk;
use crate::date::{push_date, push_date_time, push_time};
use crate::number::{push_decimal, push_float};
use crate::text::Texts;
use crate::validity::{Validity, bit, bits_from};

/// What the cells of a column are. The cases are those of `mitt:host/tables`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// All of them are null.
    Empty,
    /// `true` or `false`.
    Boolean,
    /// Whole numbers of 64 bits with a sign.
    Integer,
    /// Decimals of at most 38 digits with one scale.
    Decimal,
    /// Floating point numbers of 64 bits.
    Float,
    /// Text.
    Text,
    /// Dates.
    Date,
    /// Times of day.
    Time,
    /// Dates with time.
    DateTime,
    /// Cells of several types, or numbers that no other type holds.
    Mixed,
}

impl ColumnType {
    /// Its name, as people read it.
    pub fn name(self) -> &'static str {
        match self {
            ColumnType::Empty => "empty",
            ColumnType::Boolean => "boolean",
            ColumnType::Integer => "integer",
            ColumnType::Decimal => "decimal",
            ColumnType::Float => "float",
            ColumnType::Text => "text",
            ColumnType::Date => "date",
            ColumnType::Time => "time",
            ColumnType::DateTime => "date-time",
            ColumnType::Mixed => "mixed",
        }
    }
}

/// The values of a column, in the layout of Arrow's arrays. A null has a slot with any value in it.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// So many nulls.
    Empty(usize),
    /// Booleans: bits from the lowest of the first byte, and how many there are.
    Booleans(Vec<u8>, usize),
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Decimals of at most 18 digits: the scale, and the numbers without their point.
    Decimals(u8, Vec<i64>),
    /// Decimals of at most 38 digits.
    WideDecimals(u8, Vec<i128>),
    /// Floating point numbers.
    Floats(Vec<f64>),
    /// Texts, each for itself.
    Texts(Texts),
    /// Texts that repeat: for each cell the index of its text.
    Dictionary(Vec<u32>, Arc<Texts>),
    /// Days since 1970-01-01, from year 0 to 9999.
    Dates(Vec<i32>),
    /// Microseconds since midnight.
    Times(Vec<i64>),
    /// Microseconds since 1970-01-01T00:00:00, from year 0 to 9999.
    DateTimes(Vec<i64>),
    /// Cells of several types.
    Mixed(Vec<Cell>),
}

impl Values {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Values::Empty(length) | Values::Booleans(_, length) => *length,
            Values::Integers(values)
            | Values::Decimals(_, values)
            | Values::Times(values)
            | Values::DateTimes(values) => values.len(),
            Values::WideDecimals(_, values) => values.len(),
            Values::Floats(values) => values.len(),
            Values::Texts(texts) => texts.len(),
            Values::Dictionary(keys, _) => keys.len(),
            Values::Dates(values) => values.len(),
            Values::Mixed(cells) => cells.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What they are.
    pub fn column_type(&self) -> ColumnType {
        match self {
            Values::Empty(_) => ColumnType::Empty,
            Values::Booleans(..) => ColumnType::Boolean,
            Values::Integers(_) => ColumnType::Integer,
            Values::Decimals(..) | Values::WideDecimals(..) => ColumnType::Decimal,
            Values::Floats(_) => ColumnType::Float,
            Values::Texts(_) | Values::Dictionary(..) => ColumnType::Text,
            Values::Dates(_) => ColumnType::Date,
            Values::Times(_) => ColumnType::Time,
            Values::DateTimes(_) => ColumnType::DateTime,
            Values::Mixed(_) => ColumnType::Mixed,
        }
    }

    /// Digits behind the point of decimals; 0 of all others.
    pub fn scale(&self) -> u8 {
        match self {
            Values::Decimals(scale, _) | Values::WideDecimals(scale, _) => *scale,
            _ => 0,
        }
    }

    /// A part, which must be inside. Texts of a dictionary are shared.
    pub fn part(&self, start: usize, length: usize) -> Values {
        let range = start..start + length;
        match self {
            Values::Empty(_) => Values::Empty(length),
            Values::Booleans(bits, _) => Values::Booleans(bits_from(bits, start, length), length),
            Values::Integers(values) => Values::Integers(values[range].to_vec()),
            Values::Decimals(scale, values) => Values::Decimals(*scale, values[range].to_vec()),
            Values::WideDecimals(scale, values) => {
                Values::WideDecimals(*scale, values[range].to_vec())
            }
            Values::Floats(values) => Values::Floats(values[range].to_vec()),
            Values::Texts(texts) => Values::Texts(texts.part(start, length)),
            Values::Dictionary(keys, texts) => {
                Values::Dictionary(keys[range].to_vec(), texts.clone())
            }
            Values::Dates(values) => Values::Dates(values[range].to_vec()),
            Values::Times(values) => Values::Times(values[range].to_vec()),
            Values::DateTimes(values) => Values::DateTimes(values[range].to_vec()),
            Values::Mixed(cells) => Values::Mixed(cells[range].to_vec()),
        }
    }

    /// The cell at `index`, which must exist and not be null. Numbers and dates are written into `text`, which is emptied.
    #[inline]
    pub(crate) fn cell<'a>(&'a self, index: usize, text: &'a mut String) -> CellRef<'a> {
        text.clear();
        match self {
            Values::Empty(_) => return CellRef::Null,
            Values::Booleans(bits, _) => return CellRef::Boolean(bit(bits, index)),
            Values::Texts(texts) => return CellRef::Text(texts.get(index)),
            Values::Dictionary(keys, texts) => {
                return CellRef::Text(texts.get(keys[index] as usize));
            }
            Values::Mixed(cells) => return cells[index].borrow(),
            Values::Integers(values) => push_decimal(text, values[index].into(), 0),
            Values::Decimals(scale, units) => push_decimal(text, units[index].into(), *scale),
            Values::WideDecimals(scale, units) => push_decimal(text, units[index], *scale),
            Values::Floats(values) => {
                if !push_float(text, values[index]) {
                    return CellRef::Null;
                }
            }
            Values::Dates(days) => {
                push_date(text, days[index]);
                return CellRef::Text(text);
            }
            Values::Times(micros) => {
                push_time(text, micros[index]);
                return CellRef::Text(text);
            }
            Values::DateTimes(micros) => {
                push_date_time(text, micros[index]);
                return CellRef::Text(text);
            }
        }
        CellRef::Number(text)
    }

    /// Bytes that they keep on the heap.
    pub(crate) fn kept_bytes(&self) -> usize {
        match self {
            // What it takes as soon as one of them has a value: a number alone must not promise four thousand million cells.
            Values::Empty(length) => length.saturating_mul(8),
            Values::Booleans(bits, _) => bits.capacity(),
            Values::Integers(values)
            | Values::Decimals(_, values)
            | Values::Times(values)
            | Values::DateTimes(values) => values.capacity() * 8,
            Values::WideDecimals(_, values) => values.capacity() * 16,
            Values::Floats(values) => values.capacity() * 8,
            Values::Texts(texts) => texts.kept_bytes(),
            Values::Dictionary(keys, texts) => keys.capacity() * 4 + texts.kept_bytes(),
            Values::Dates(values) => values.capacity() * 4,
            Values::Mixed(cells) => {
                let texts: usize = cells.iter().map(Cell::kept_bytes).sum();
                cells.capacity() * size_of::<Cell>() + texts
            }
        }
    }

    /// Let go of room that nothing is in.
    pub(crate) fn shrink(&mut self) {
        match self {
            Values::Empty(_) => {}
            Values::Booleans(bits, _) => bits.shrink_to_fit(),
            Values::Integers(values)
            | Values::Decimals(_, values)
            | Values::Times(values)
            | Values::DateTimes(values) => values.shrink_to_fit(),
            Values::WideDecimals(_, values) => values.shrink_to_fit(),
            Values::Floats(values) => values.shrink_to_fit(),
            Values::Texts(texts) => texts.shrink(),
            Values::Dictionary(keys, texts) => {
                keys.shrink_to_fit();
                if let Some(texts) = Arc::get_mut(texts) {
                    texts.shrink();
                }
            }
            Values::Dates(values) => values.shrink_to_fit(),
            Values::Mixed(cells) => cells.shrink_to_fit(),
        }
    }
}

/// What several columns may share.
#[derive(Debug)]
struct Data {
    values: Values,
    validity: Validity,
    /// Whose memory it is, until the last column that shares it is gone.
    _charge: Arc<Charge>,
}

/// A column, or a range of one. Cloning copies nothing.
#[derive(Clone, Debug)]
pub struct Column {
    data: Arc<Data>,
    start: usize,
    length: usize,
    nulls: usize,
}

impl Column {
    /// `charge` is what its memory was charged; it is kept as long as the column is.
    pub(crate) fn new(values: Values, validity: Validity, charge: Arc<Charge>) -> Column {
        let (length, nulls) = match &values {
            Values::Empty(length) => (*length, *length),
            Values::Mixed(cells) => {
                (cells.len(), cells.iter().filter(|cell| **cell == Cell::Null).count())
            }
            values => (values.len(), validity.nulls()),
        };
        Column {
            data: Arc::new(Data { values, validity, _charge: charge }),
            start: 0,
            length,
            nulls,
        }
    }

    /// Number of its cells.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether it has no cell.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// How many of its cells are null.
    pub fn nulls(&self) -> usize {
        self.nulls
    }

    /// What its cells are.
    pub fn column_type(&self) -> ColumnType {
        self.data.values.column_type()
    }

    /// Digits behind the point of decimals; 0 of all others.
    pub fn scale(&self) -> u8 {
        self.data.values.scale()
    }

    /// The values that it is a part of, and where it begins in them. For those who copy many cells at once.
    pub fn values(&self) -> (&Values, usize) {
        (&self.data.values, self.start)
    }

    /// Whether the cell at `index` has a value.
    #[inline]
    pub fn is_valid(&self, index: usize) -> bool {
        match &self.data.values {
            Values::Empty(_) => false,
            Values::Mixed(cells) => cells[self.start + index] != Cell::Null,
            _ => self.data.validity.is_valid(self.start + index),
        }
    }

    /// The cell at `index`, which must exist. Numbers and dates are written into `text`.
    #[inline]
    pub fn cell<'a>(&'a self, index: usize, text: &'a mut String) -> CellRef<'a> {
        assert!(index < self.length, "no such cell");
        match self.is_valid(index) {
            true => self.data.values.cell(self.start + index, text),
            false => CellRef::Null,
        }
    }

    /// A copy of the cells from `start` on: `length` of them, fewer at the end.
    pub fn slice(&self, start: usize, length: usize) -> Chunk {
        let start = start.min(self.length);
        let length = length.min(self.length - start);
        let validity = match &self.data.values {
            Values::Empty(_) | Values::Mixed(_) => Validity::all(true, length),
            _ => self.data.validity.part(self.start + start, length),
        };
        Chunk { values: self.data.values.part(self.start + start, length), validity }
    }

    /// The cells from `start` on: `length` of them, fewer at the end. Copies nothing.
    pub fn range(&self, start: usize, length: usize) -> Column {
        let start = start.min(self.length);
        let length = length.min(self.length - start);
        let nulls = match self.nulls {
            0 => 0,
            all if all == self.length => length,
            _ => (start..start + length).filter(|index| !self.is_valid(*index)).count(),
        };
        Column { data: self.data.clone(), start: self.start + start, length, nulls }
    }

    /// Bytes of what it is a part of.
    pub fn kept_bytes(&self) -> u64 {
        (size_of::<Data>() + self.data.values.kept_bytes() + self.data.validity.kept_bytes()) as u64
    }

    /// Where its memory is, so that what several share is counted once.
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.data).addr()
    }
}

/// Equal if the cells are, in whatever form they are kept.
impl PartialEq for Column {
    fn eq(&self, other: &Column) -> bool {
        let (mut left, mut right) = (String::new(), String::new());
        self.length == other.length
            && (0..self.length)
                .all(|index| self.cell(index, &mut left) == other.cell(index, &mut right))
    }
}
