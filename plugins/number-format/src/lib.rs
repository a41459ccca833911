//! Number formats of spreadsheets, such as `#,##0.00;[Red]-0` or `[$-804]aaaa`: their sections, and how they show dates and times.
//!
//! The notation is that of ECMA-376, part 1, 18.8.31, with what Excel adds to it.

mod color;
mod date;
mod locale;
mod numerals;
mod section;

pub use color::{INDEXED, Rgb};
pub use date::write as write_date;
pub use locale::Language;
pub use numerals::Numerals;
pub use section::{Condition, HalfDay, Kind, Part, Section, Token, split};

/// Most bytes of a number format that is parsed. Spreadsheets accept 255 characters.
pub const MAX_BYTES: usize = 1_020;

/// Returns what the first section of a number format shows. A format longer than [`MAX_BYTES`] shows numbers, and so does the general
/// format under the names that old workbooks have for it.
pub fn kind(format: &str) -> Kind {
    let is_general =
        ["standard", "standaard"].iter().any(|name| format.trim().eq_ignore_ascii_case(name));
    match split(format).first() {
        Some(first) if !is_general && format.len() <= MAX_BYTES => Section::of(first).kind,
        _ => Kind::Number,
    }
}

/// Returns `true` if a number format shows numbers as dates or times.
pub fn is_date(format: &str) -> bool {
    matches!(kind(format), Kind::Date | Kind::Elapsed)
}
