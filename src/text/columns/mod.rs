//! Cells of a text become typed columns. Two steps: all cells of a column are looked at, then they are written in its type.
//!
//! The type of a column is that of all its cells together, and what a point or a comma means is decided for the columns of a file
//! together: see [`judge`].

mod build;
mod index;
mod judge;
mod seen;

pub(crate) use build::Building;
pub(crate) use index::recent_bytes;
pub(crate) use judge::judge;
pub(crate) use seen::Seen;

/// What the numbers of a column look like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Style {
    /// With a point before decimals, or without decimals.
    #[default]
    Point,
    /// With a comma before decimals and points between thousands.
    Comma,
    /// Nobody can tell: all of it stays text.
    Text,
    /// A column of other texts, in which `1.250` may be both: that stays text.
    Cautious,
}

/// The type that a column is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    #[default]
    Empty,
    Integer,
    /// At most 18 digits.
    Decimal(u8),
    /// At most 38 digits.
    Wide(u8),
    Date,
    Time,
    DateTime,
    /// Which spelling of [`seen::BOOLEANS`].
    Boolean(usize),
    Text,
    Mixed,
}

/// How a column is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) style: Style,
    pub(crate) kind: Kind,
    /// Whether texts with an exponent are numbers.
    pub(crate) exponents: bool,
}
