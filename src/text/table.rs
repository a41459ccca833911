//! Parts of tables on their way out, in the layout of Apache Arrow: buffers are handed over as they are.

use crate::field::{Field, short_at};

/// One value by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// No value.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A number in JSON's notation.
    Number(String),
    /// Text.
    Text(String),
}

/// Texts one behind the other: where each begins, where the last one ends, and their UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texts {
    /// One more than there are texts. The first is 0.
    pub offsets: Vec<u32>,
    /// The texts.
    pub bytes: Vec<u8>,
}

impl Default for Texts {
    fn default() -> Texts {
        Texts { offsets: vec![0], bytes: Vec::new() }
    }
}

impl Texts {
    /// Append a text. All of a chunk fit in 32 bits, because a chunk is handed over long before.
    pub(crate) fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.offsets.push(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
    }

    /// Append a field. A short one is copied with what stands behind it, which goes again: so many bytes are copied at once.
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

    /// Whether the text at `index` has so many bytes, at most sixteen, and these are `short`.
    #[inline(always)]
    pub(crate) fn is_short(&self, index: usize, length: usize, short: u128) -> bool {
        let (start, end) = (self.offsets[index] as usize, self.offsets[index + 1] as usize);
        end - start == length && short_at(&self.bytes, start, length) == short
    }

    /// The bytes of the text at `index`, which must exist.
    pub(crate) fn get(&self, index: usize) -> &[u8] {
        &self.bytes[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Values of one type. The slot of a null holds any value.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// Texts, each for itself.
    Texts(Texts),
    /// Texts that repeat: for each cell the index of its text.
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
    /// A bit for each cell, 1 where there is a value. `None` where no cell is null, and for `Empty` and `Mixed`.
    pub validity: Option<Vec<u8>>,
}

/// What takes tables.
pub trait Sink {
    /// Why it takes no more.
    type Error;

    /// A table of these headings begins. A table that was begun and not ended is dropped: it is read again.
    ///
    /// # Errors
    ///
    /// As the sink has them.
    fn begin(&mut self, header: &[String]) -> Result<(), Self::Error>;

    /// Rows, as one chunk for each column.
    ///
    /// # Errors
    ///
    /// As the sink has them.
    fn append(&mut self, chunks: Vec<Chunk>) -> Result<(), Self::Error>;

    /// The table ends, and has this name.
    ///
    /// # Errors
    ///
    /// As the sink has them.
    fn end(&mut self, name: String) -> Result<(), Self::Error>;
}

/// Why a text was not read.
#[derive(Debug)]
pub enum Problem<E> {
    /// The sink takes no more.
    Sink(E),
    /// There is too much of something. The sentence names the place.
    TooMuch(String),
}

impl<E> From<E> for Problem<E> {
    fn from(error: E) -> Problem<E> {
        Problem::Sink(error)
    }
}
