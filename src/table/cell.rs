//! One value of a table.

use std::sync::Arc;

/// One value of a table, owned. Equal texts may be shared.
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

/// A borrowed [`Cell`].
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
    /// Returns the cell as text: empty for [`Cell::Null`], otherwise the JSON lexeme or the text itself.
    pub fn as_str(&self) -> &str {
        self.borrow().as_str()
    }

    /// Borrows the cell.
    pub fn borrow(&self) -> CellRef<'_> {
        match self {
            Cell::Null => CellRef::Null,
            Cell::Boolean(value) => CellRef::Boolean(*value),
            Cell::Number(text) => CellRef::Number(text),
            Cell::Text(text) => CellRef::Text(text),
        }
    }

    /// Returns the bytes on the heap: two counters and the text, rounded up to 16 bytes.
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
    /// Returns the cell as text: empty for null, otherwise the JSON lexeme or the text itself.
    pub fn as_str(self) -> &'a str {
        match self {
            CellRef::Null => "",
            CellRef::Boolean(true) => "true",
            CellRef::Boolean(false) => "false",
            CellRef::Number(text) | CellRef::Text(text) => text,
        }
    }

    /// Parses a field of a text format: null, a number if it cannot be anything else, or [text](Self::of_text).
    pub fn from_text(text: &'a str) -> CellRef<'a> {
        let trimmed = text.trim();
        if crate::is_plain_number(trimmed) {
            CellRef::Number(trimmed)
        } else {
            CellRef::of_text(trimmed)
        }
    }

    /// Returns the cell for a text of any format: null if it has only blanks.
    ///
    /// Surrounding blanks are dropped, as in column names and in the text that a model reads: they are invisible, and a
    /// search for `East` must find `East `, from a CSV file as from a workbook.
    pub fn of_text(text: &'a str) -> CellRef<'a> {
        match text.trim() {
            "" => CellRef::Null,
            trimmed => CellRef::Text(trimmed),
        }
    }

    /// Returns an owned cell.
    pub fn to_cell(self) -> Cell {
        match self {
            CellRef::Null => Cell::Null,
            CellRef::Boolean(value) => Cell::Boolean(value),
            CellRef::Number(text) => Cell::Number(text.into()),
            CellRef::Text(text) => Cell::Text(text.into()),
        }
    }
}
