//! Formulas: LaTeX between dollar signs as a tree, which every format draws in its own way.
//!
//! The usual commands of amsmath and amssymb, and no macros: nothing is expanded, so that reading takes time in proportion to
//! the source. Knows no output format. A formula with anything that is not known is refused as a whole, since a part of a formula
//! says something else than the whole: it is then shown as its source.

mod commands;
mod grids;
mod letters;
mod linear;
mod parse;
mod scan;
mod signs;
#[cfg(test)]
pub(crate) mod tests;
mod tree;
mod words;

pub(crate) use self::letters::styled;
#[cfg(any(feature = "pptx", feature = "pdf-compact"))]
pub(crate) use self::linear::{Shift, linear};
pub(crate) use self::linear::{linear_text, lowered, raised};
#[cfg(any(feature = "pdf", feature = "docx"))]
pub(crate) use self::tree::Alphabet;
#[cfg(feature = "docx")]
pub(crate) use self::tree::end_of_operand;
pub(crate) use self::tree::{
    Class, Formula, Grid, GridKind, Letters, Mark, Node, Place, Side, Size, Strike, Symbol, Text,
    innermost, is_integral,
};

/// Longest source of a formula that is drawn, in bytes. A derivation of a page has two thousand.
pub(crate) const MAX_BYTES: usize = 16 * 1024;

/// Most groups, arguments and tables around a part of a formula. What people write has five.
pub(crate) const MAX_DEPTH: usize = 24;

/// Most cells of a table in a formula.
pub(crate) const MAX_CELLS: usize = 2_048;

/// Read a formula.
///
/// # Errors
///
/// What in it is not understood, or the bound that it is over, to be told with its place.
pub(crate) fn formula(source: &str) -> Result<Formula, String> {
    if source.len() > MAX_BYTES {
        return Err(format!("more than {MAX_BYTES} bytes"));
    }
    parse::formula(source)
}
