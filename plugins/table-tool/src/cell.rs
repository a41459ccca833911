//! One value, and the order of values. Knows no tables.

use crate::number::Number;
use crate::problem::quote;
use mitt_guest::tables::Cell as HostCell;
use mitt_guest::tables::calendar::{date_text, date_time_text, time_text};
use std::cmp::Ordering;
use std::rc::Rc;

/// One value. A floating point number is the shortest decimal that reads back as it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Cell {
    Null,
    Boolean(bool),
    Number(Number),
    Text(Rc<str>),
    Date(i32),
    Time(i64),
    DateTime(i64),
}

impl Cell {
    pub(crate) fn text(text: &str) -> Cell {
        Cell::Text(Rc::from(text))
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Cell::Null)
    }

    /// Returns the name of the type in messages and in `describe`.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Cell::Null => "null",
            Cell::Boolean(_) => "boolean",
            Cell::Number(_) => "number",
            Cell::Text(_) => "text",
            Cell::Date(_) => "date",
            Cell::Time(_) => "time",
            Cell::DateTime(_) => "date-time",
        }
    }

    /// Returns the order of two cells of one type; `None` for different types and for null.
    pub(crate) fn compare(&self, other: &Cell) -> Option<Ordering> {
        match (self, other) {
            (Cell::Number(one), Cell::Number(two)) => Some(one.cmp(two)),
            // UTF-8 has the order of code points.
            (Cell::Text(one), Cell::Text(two)) => Some(one.cmp(two)),
            (Cell::Boolean(one), Cell::Boolean(two)) => Some(one.cmp(two)),
            (Cell::Date(one), Cell::Date(two)) => Some(one.cmp(two)),
            (Cell::Time(one), Cell::Time(two)) | (Cell::DateTime(one), Cell::DateTime(two)) => {
                Some(one.cmp(two))
            }
            _ => None,
        }
    }

    /// Returns type and value for a message.
    pub(crate) fn show(&self) -> String {
        match self {
            Cell::Null => "null".to_owned(),
            _ => format!("{} {}", self.type_name(), quote(&self.plain())),
        }
    }

    /// Returns the value as text, for a column name.
    pub(crate) fn plain(&self) -> String {
        match self {
            Cell::Null => "null".to_owned(),
            Cell::Boolean(value) => value.to_string(),
            Cell::Number(number) => number.lexeme(),
            Cell::Text(text) => text.to_string(),
            Cell::Date(days) => date_text(*days),
            Cell::Time(micros) => time_text(*micros),
            Cell::DateTime(micros) => date_time_text(*micros),
        }
    }
}

impl TryFrom<HostCell> for Cell {
    type Error = String;

    fn try_from(cell: HostCell) -> Result<Cell, String> {
        Ok(match cell {
            HostCell::Null => Cell::Null,
            HostCell::Boolean(value) => Cell::Boolean(value),
            HostCell::Number(lexeme) => Cell::Number(Number::from_json(&lexeme)?),
            HostCell::Text(text) => Cell::Text(text.into()),
        })
    }
}

impl From<&Cell> for HostCell {
    fn from(cell: &Cell) -> HostCell {
        match cell {
            Cell::Null => HostCell::Null,
            Cell::Boolean(value) => HostCell::Boolean(*value),
            Cell::Number(number) => HostCell::Number(number.lexeme()),
            other => HostCell::Text(other.plain()),
        }
    }
}
