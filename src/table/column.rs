//! A column: values of one type, and a bit for each that says whether it is null.

use std::sync::Arc;

use mitt_base::memory::Charge;

use crate::cell::{Cell, CellRef};
use crate::chunk::Chunk;
use crate::validity::Validity;
use crate::values::{ColumnType, Values};

/// Data that several columns may share.
#[derive(Debug)]
struct Data {
    values: Values,
    validity: Validity,
    /// The charge for this memory, which lives until the last column that shares it is dropped.
    _charge: Arc<Charge>,
}

/// A column, or a range of one. Cloning copies no cells.
#[derive(Clone, Debug)]
pub struct Column {
    data: Arc<Data>,
    start: usize,
    length: usize,
    nulls: usize,
}

impl Column {
    /// Makes a column. `charge` is the charge for its memory, and is kept as long as the column.
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

    /// Returns the number of cells.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns `true` if there are no cells.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns the number of nulls.
    pub fn nulls(&self) -> usize {
        self.nulls
    }

    /// Returns the type of the cells.
    pub fn column_type(&self) -> ColumnType {
        self.data.values.column_type()
    }

    /// Returns the scale of decimals; 0 for all other types.
    pub fn scale(&self) -> u8 {
        self.data.values.scale()
    }

    /// Returns the values that this is a range of, and its start in them, for code that copies many cells at once.
    pub fn values(&self) -> (&Values, usize) {
        (&self.data.values, self.start)
    }

    /// Returns `true` if the cell at `index` has a value.
    #[inline]
    pub fn is_valid(&self, index: usize) -> bool {
        match &self.data.values {
            Values::Empty(_) => false,
            Values::Mixed(cells) => cells[self.start + index] != Cell::Null,
            _ => self.data.validity.is_valid(self.start + index),
        }
    }

    /// Returns the cell at `index`, which must exist. Numbers and dates are written into `text`.
    #[inline]
    pub fn cell<'a>(&'a self, index: usize, text: &'a mut String) -> CellRef<'a> {
        assert!(index < self.length, "no such cell");
        if self.is_valid(index) {
            self.data.values.cell(self.start + index, text)
        } else {
            CellRef::Null
        }
    }

    /// Returns a copy of the `length` cells from `start` on, fewer at the end.
    pub fn slice(&self, start: usize, length: usize) -> Chunk {
        let start = start.min(self.length);
        let length = length.min(self.length - start);
        let validity = match &self.data.values {
            Values::Empty(_) | Values::Mixed(_) => Validity::all(true, length),
            _ => self.data.validity.part(self.start + start, length),
        };
        Chunk { values: self.data.values.part(self.start + start, length), validity }
    }

    /// Returns the `length` cells from `start` on, fewer at the end. Copies nothing.
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

    /// Returns the bytes of the data that this is a range of.
    pub fn kept_bytes(&self) -> u64 {
        (size_of::<Data>() + self.data.values.kept_bytes() + self.data.validity.kept_bytes()) as u64
    }

    /// Returns the address of the data, with which shared data is counted only once.
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.data).addr()
    }
}

/// Two columns are equal if their cells are, in whatever layout.
impl PartialEq for Column {
    fn eq(&self, other: &Column) -> bool {
        let (mut left, mut right) = (String::new(), String::new());
        self.length == other.length
            && (0..self.length)
                .all(|index| self.cell(index, &mut left) == other.cell(index, &mut right))
    }
}
