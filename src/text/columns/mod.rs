//! Turns cells into typed columns, in two passes: the first finds the type of each column, the second writes its cells.
//!
//! The type of a column depends on all its cells, and the meaning of points and commas on all columns: see [`judge`].

mod build;
mod index;
mod judge;
mod seen;

pub(crate) use build::Building;
pub(crate) use index::recent_bytes;
pub(crate) use judge::{Judged, judge};
pub(crate) use seen::Seen;

/// The notation of the numbers of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Style {
    /// A decimal point, or no decimals.
    #[default]
    Point,
    /// A decimal comma, with points as thousands separators.
    Comma,
    /// Ambiguous: the whole column stays text.
    Text,
    /// A column of mostly other texts, in which `1.250` is ambiguous: such cells stay text.
    Cautious,
}

/// The type of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    #[default]
    Empty,
    Integer,
    /// Decimals of at most 18 digits, with their scale.
    Decimal(u8),
    /// Decimals of at most 38 digits, with their scale.
    Wide(u8),
    Date,
    Time,
    DateTime,
    /// Booleans, with the index of their spelling in [`seen::BOOLEANS`].
    Boolean(usize),
    Text,
    Mixed,
}

/// How a column is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) style: Style,
    pub(crate) kind: Kind,
    /// `true` if texts with an exponent are numbers.
    pub(crate) exponents: bool,
}
