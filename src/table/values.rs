//! The values of a column in the layout of Arrow's arrays, and their types.

use std::sync::Arc;

use crate::cell::{Cell, CellRef};
#[cfg(feature = "arrow")]
use crate::date::DAY;
use crate::date::{push_date, push_date_time, push_time};
use crate::number::{push_decimal, push_float};
use crate::text::Texts;
use crate::validity::{bit, bits_from};

/// The type of a column's cells. The cases are those of `mitt:host/tables`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Only nulls.
    Empty,
    /// `true` or `false`.
    Boolean,
    /// Signed 64-bit integers.
    Integer,
    /// Decimals of at most 38 digits with a common scale.
    Decimal,
    /// 64-bit floating-point numbers.
    Float,
    /// Text.
    Text,
    /// Dates.
    Date,
    /// Times of day.
    Time,
    /// Dates with a time of day.
    DateTime,
    /// Cells of several types, or numbers that no other type can hold.
    Mixed,
}

impl ColumnType {
    /// Returns the name for people.
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

/// The values of a column, in the layout of Arrow's arrays. A null has a slot, which may hold any value.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Only nulls, and their number.
    Empty(usize),
    /// Booleans as bits, from the lowest of the first byte on, and their number.
    Booleans(Vec<u8>, usize),
    /// Integers.
    Integers(Vec<i64>),
    /// Decimals of at most 18 digits: the scale, and the numbers without their decimal point.
    Decimals(u8, Vec<i64>),
    /// Decimals of at most 38 digits: the same.
    WideDecimals(u8, Vec<i128>),
    /// Floating-point numbers.
    Floats(Vec<f64>),
    /// Texts, each stored by itself.
    Texts(Texts),
    /// Repeated texts: for each cell the index of its text.
    Dictionary(Vec<u32>, Arc<Texts>),
    /// Days since 1970-01-01, in the years 0 to 9999.
    Dates(Vec<i32>),
    /// Microseconds since midnight.
    Times(Vec<i64>),
    /// Microseconds since 1970-01-01T00:00:00, in the years 0 to 9999.
    DateTimes(Vec<i64>),
    /// Cells of several types.
    Mixed(Vec<Cell>),
}

impl Values {
    /// Returns the number of values.
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

    /// Returns `true` if there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the type.
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

    /// Returns the scale of decimals: their digits after the decimal point. 0 for all other types.
    pub fn scale(&self) -> u8 {
        match self {
            Values::Decimals(scale, _) | Values::WideDecimals(scale, _) => *scale,
            _ => 0,
        }
    }

    /// Returns a part, which must lie inside. Texts of a dictionary are shared.
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

    /// Returns the cell at `index`, which must exist and not be null. Numbers and dates are written into `text`, which is
    /// cleared first.
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

    /// Returns the bytes on the heap.
    pub(crate) fn kept_bytes(&self) -> usize {
        match self {
            // Count what it takes once one of them has a value: a mere number must not promise four billion cells.
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

    /// Makes dates those of midnight.
    #[cfg(feature = "arrow")]
    pub(crate) fn dates_to_date_times(&mut self) {
        if let Values::Dates(days) = self {
            // The slot of a null may hold any day.
            let micros = days.iter().map(|day| i64::from(*day).wrapping_mul(DAY));
            *self = Values::DateTimes(micros.collect());
        }
    }

    /// Frees unused capacity.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_count_what_they_allocate() {
        fn room<T>() -> Vec<T> {
            Vec::with_capacity(100)
        }
        let mut texts = Texts::default();
        assert!(texts.push(&"x".repeat(1_000)));
        texts.shrink();
        let text_bytes = texts.kept_bytes();
        assert_eq!(text_bytes, 1_008);
        let cell = Cell::Text("x".repeat(33).into());
        // Two counters, a length and the text, in blocks of 16 bytes.
        assert_eq!((cell.kept_bytes(), Cell::Null.kept_bytes()), (64, 0));
        let mut cells = room();
        cells.extend([Cell::Null, cell]);
        let keys = Values::Dictionary(room(), Arc::new(texts.clone()));
        for (values, bytes) in [
            // A mere number must not promise cells for nothing.
            (Values::Empty(100), 800),
            (Values::Booleans(room(), 0), 100),
            (Values::Integers(room()), 800),
            (Values::Decimals(0, room()), 800),
            (Values::WideDecimals(0, room()), 1_600),
            (Values::Floats(room()), 800),
            (Values::Texts(texts), text_bytes),
            (keys, 400 + text_bytes),
            (Values::Dates(room()), 400),
            (Values::Times(room()), 800),
            (Values::DateTimes(room()), 800),
            (Values::Mixed(cells), 100 * size_of::<Cell>() + 64),
        ] {
            assert_eq!(values.kept_bytes(), bytes, "{:?}", values.column_type());
        }
    }

    #[test]
    fn unused_capacity_is_freed() {
        fn one<T>(value: T) -> Vec<T> {
            let mut values = Vec::with_capacity(100);
            values.push(value);
            values
        }
        for (mut values, bytes) in [
            (Values::Booleans(one(1), 1), 1),
            (Values::Integers(one(1)), 8),
            (Values::Decimals(0, one(1)), 8),
            (Values::WideDecimals(0, one(1)), 16),
            (Values::Floats(one(1.0)), 8),
            (Values::Dictionary(one(0), Arc::default()), 8),
            (Values::Dates(one(1)), 4),
            (Values::Times(one(1)), 8),
            (Values::DateTimes(one(1)), 8),
            (Values::Mixed(one(Cell::Null)), size_of::<Cell>()),
        ] {
            values.shrink();
            assert_eq!(values.kept_bytes(), bytes, "{:?}", values.column_type());
        }
    }

    #[test]
    fn a_float_that_json_cannot_write_is_null() {
        let values = Values::Floats(vec![1.5, f64::NAN, f64::INFINITY]);
        let mut text = String::new();
        assert_eq!(values.cell(0, &mut text), CellRef::Number("1.5"));
        assert_eq!(values.cell(1, &mut text), CellRef::Null);
        assert_eq!(values.cell(2, &mut text), CellRef::Null);
    }

    #[test]
    fn values_know_whether_there_are_any() {
        assert!(Values::Integers(Vec::new()).is_empty());
        assert!(!Values::Integers(vec![0]).is_empty());
    }
}
