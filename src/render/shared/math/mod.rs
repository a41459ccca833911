//! Formulas: LaTeX between dollar signs as a tree, which every format draws in its own way.
//!
//! Supports the usual commands of amsmath and amssymb, but no macros: nothing is expanded, so that reading takes time in
//! proportion to the source. Knows no output format. A formula with anything unknown is refused as a whole, because a part
//! of a formula has another meaning than the whole; it is then shown as its source.

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
    Class, Formula, Grid, GridKind, Letters, Mark, Node, ScriptPlacement, Side, Size, Strike,
    Symbol, Text, innermost, is_integral,
};

/// Most bytes of the source of a formula that is drawn. A derivation of a page has two thousand.
pub(crate) const MAX_BYTES: usize = 16 * 1024;

/// Most nested groups, arguments and tables. Formulas in practice have five.
pub(crate) const MAX_DEPTH: usize = 24;

/// Most cells of a table in a formula.
pub(crate) const MAX_CELLS: usize = 2_048;

/// Reads a formula.
///
/// # Errors
///
/// The part that is not understood, or the limit that is exceeded. The caller adds the place.
pub(crate) fn formula(source: &str) -> Result<Formula, String> {
    if source.len() > MAX_BYTES {
        return Err(format!("more than {MAX_BYTES} bytes"));
    }
    parse::formula(source)
}
