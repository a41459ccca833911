//! One value of a table.

use std::sync::Arc;

/// One value of a table, by itself. Equal texts may be shared.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// No value: an empty cell of a worksheet, `null` in JSON.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A number in JSON notation, exact to its last digit; at most 64 bytes.
    Number(Arc<str>),
    /// Text. Dates and times are text too, in ISO 8601.
    Text(Arc<str>),
}

/// A [`Cell`] that somebody else holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CellRef<'a> {
    /// No value.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A number in JSON notation.
    Number(&'a str),
    /// Text.
    Text(&'a str),
}

impl Cell {
    /// The cell as text: empty for [`Cell::Null`], otherwise the JSON lexeme or the text itself.
    pub fn as_str(&self) -> &str {
        self.borrow().as_str()
    }

    /// It, lent.
    pub fn borrow(&self) -> CellRef<'_> {
        match self {
            Cell::Null => CellRef::Null,
            Cell::Boolean(value) => CellRef::Boolean(*value),
            Cell::Number(text) => CellRef::Number(text),
            Cell::Text(text) => CellRef::Text(text),
        }
    }

    /// Bytes that it keeps on the heap, beside itself: two counters and the text, in pieces of 16 bytes.
    pub(crate) fn kept_bytes(&self) -> usize {
        match self {
            Cell::Null | Cell::Boolean(_) => 0,
            Cell::Number(text) | Cell::Text(text) => {
                (3 * size_of::<usize>() + text.len()).next_multiple_of(16)
            }
        }
    }
}

impl<'a> CellRef<'a> {
    /// The cell as text: empty for null, otherwise the JSON lexeme or the text itself.
    pub fn as_str(self) -> &'a str {
        match self {
            CellRef::Null => "",
            CellRef::Boolean(true) => "true",
            CellRef::Boolean(false) => "false",
            CellRef::Number(text) | CellRef::Text(text) => text,
        }
    }

    /// The cell that a field of a text format holds: nothing, a number if it can be nothing else, or [text](Self::of_text).
    pub fn from_text(text: &'a str) -> CellRef<'a> {
        let trimmed = text.trim();
        match crate::is_plain_number(trimmed) {
            true => CellRef::Number(trimmed),
            false => CellRef::of_text(trimmed),
        }
    }

    /// The cell that a text is, of whatever format: nothing if there are only blanks.
    ///
    /// Blanks around it are dropped, as they are in names of columns and in the text that a model reads: nobody sees them, and
    /// `East ` must be found where `East` is looked for, whether a CSV file or a workbook holds it.
    pub fn of_text(text: &'a str) -> CellRef<'a> {
        match text.trim() {
            "" => CellRef::Null,
            trimmed => CellRef::Text(trimmed),
        }
    }

    /// A cell of its own.
    pub fn to_cell(self) -> Cell {
        match self {
            CellRef::Null => Cell::Null,
            CellRef::Boolean(value) => Cell::Boolean(value),
            CellRef::Number(text) => Cell::Number(text.into()),
            CellRef::Text(text) => Cell::Text(text.into()),
        }
    }
}
