//! Chunks of tables in the memory layout of Apache Arrow, so that buffers are passed on unchanged.

use crate::field::{Field, short_at};

/// A single value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// No value.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A number in JSON notation.
    Number(String),
    /// Text.
    Text(String),
}

/// Texts in one buffer of UTF-8, with the offset of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texts {
    /// The start of each text, and the end of the last one. The first offset is 0.
    pub offsets: Vec<u32>,
    /// The texts, without separators.
    pub bytes: Vec<u8>,
}

impl Default for Texts {
    fn default() -> Texts {
        Texts { offsets: vec![0], bytes: Vec::new() }
    }
}

impl Texts {
    /// Appends a text. Offsets fit in 32 bits, because a chunk is passed on long before it reaches 4 GiB.
    pub(crate) fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.offsets.push(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
    }

    /// Appends a field. A short one is copied as sixteen bytes and truncated: a copy of constant length is faster.
    #[inline(always)]
    pub(crate) fn push_field(&mut self, field: Field<'_>) {
        match field.chunk() {
            Some(chunk) if field.len() <= chunk.len() => {
                let end = self.bytes.len() + field.len();
                self.bytes.extend_from_slice(chunk);
                self.bytes.truncate(end);
                self.offsets.push(u32::try_from(end).unwrap_or(u32::MAX));
            }
            _ => self.push(field.bytes()),
        }
    }

    /// Returns `true` if the text at `index` has `length` bytes, at most sixteen, and these are `short`.
    #[inline(always)]
    pub(crate) fn is_short(&self, index: usize, length: usize, short: u128) -> bool {
        let (start, end) = (self.offsets[index] as usize, self.offsets[index + 1] as usize);
        end - start == length && short_at(&self.bytes, start, length) == short
    }

    /// Returns the bytes of the text at `index`, which must exist.
    pub(crate) fn get(&self, index: usize) -> &[u8] {
        &self.bytes[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }

    /// Returns the number of texts.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns `true` if there are no texts.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Values of one type. The slot of a null holds any value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    /// Nulls only: their number.
    Empty(usize),
    /// Booleans: their bits, lowest bit first, and their number.
    Booleans(Vec<u8>, usize),
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Decimals of at most 18 digits: the scale, and the unscaled numbers.
    Decimals(u8, Vec<i64>),
    /// Decimals of at most 38 digits: the scale, and the unscaled numbers.
    WideDecimals(u8, Vec<i128>),
    /// Texts without dictionary encoding.
    Texts(Texts),
    /// Texts with dictionary encoding: the index of the text of each cell, and the different texts.
    Dictionary(Vec<u32>, Texts),
    /// Days since 1970-01-01.
    Dates(Vec<i32>),
    /// Microseconds since midnight.
    Times(Vec<i64>),
    /// Microseconds since 1970-01-01T00:00:00.
    DateTimes(Vec<i64>),
    /// Cells of several types.
    Mixed(Vec<Cell>),
}

/// A part of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The values.
    pub values: Values,
    /// A bit for each cell: 1 for a value, 0 for null. `None` if no cell is null, and for `Empty` and `Mixed`.
    pub validity: Option<Vec<u8>>,
}

/// Receives tables.
pub trait Sink {
    /// Why the sink takes no more.
    type Error;

    /// Begins a table with these headings. Drops a table that was begun and not ended, because it is read again.
    ///
    /// # Errors
    ///
    /// Those of the sink.
    fn begin(&mut self, header: &[String]) -> Result<(), Self::Error>;

    /// Appends rows: one chunk for each column, all of one length.
    ///
    /// # Errors
    ///
    /// Those of the sink.
    fn append(&mut self, chunks: Vec<Chunk>) -> Result<(), Self::Error>;

    /// Ends the table, and names it.
    ///
    /// # Errors
    ///
    /// Those of the sink.
    fn end(&mut self, name: String) -> Result<(), Self::Error>;
}

/// Why a text was not read.
#[derive(Debug)]
pub enum Problem<E> {
    /// The sink takes no more.
    Sink(E),
    /// The text exceeds a limit. The sentence names the limit and the place.
    TooMuch(String),
}

impl<E> From<E> for Problem<E> {
    fn from(error: E) -> Problem<E> {
        Problem::Sink(error)
    }
}
