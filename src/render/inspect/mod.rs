//! The texts of a document or of an office file, one after the other, for a caller who decides what is left out of them.
//!
//! A text is what a reader sees as one: the pieces of a paragraph together, however they are formatted. Knows nothing of why
//! something is left out.

#[cfg(any(feature = "docx", feature = "fill"))]
mod office;
#[cfg(any(feature = "docx", feature = "fill"))]
mod part;
mod run;
mod tree;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use mitt_base::Result;

#[cfg(any(feature = "docx", feature = "fill"))]
pub use self::office::inspect_office;

/// Looks at the texts of a document.
pub trait Inspect {
    /// What stands where something is left out.
    fn mark(&self) -> &str;

    /// The places of `text` that are left out: bytes, in their order and apart from each other.
    ///
    /// # Errors
    ///
    /// The document is refused.
    fn text(&mut self, text: &str) -> Result<Vec<Range<usize>>>;

    /// Whether the formula of a cell is left out, which then becomes the text [`Inspect::mark`].
    ///
    /// # Errors
    ///
    /// The document is refused.
    fn formula(&mut self, formula: &str) -> Result<bool> {
        Ok(!self.text(formula)?.is_empty())
    }
}

/// What [`Doc::inspect`](crate::Doc::inspect) has left out of a document, for the same document that is read elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    mark: String,
    /// Numbers of texts, in their order, and the places in them.
    texts: Vec<(usize, Vec<Range<usize>>)>,
}

impl LeftOut {
    /// Whether it is nothing.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// How many places it has.
    pub fn places(&self) -> usize {
        self.texts.iter().map(|(_, ranges)| ranges.len()).sum()
    }
}

/// A build that writes no office files has none to look at.
///
/// # Errors
///
/// None.
#[cfg(not(any(feature = "docx", feature = "fill")))]
pub fn inspect_office(
    _file: &[u8],
    _look: &mut dyn Inspect,
    _memory: Option<&mitt_base::memory::Account>,
) -> Result<Option<Vec<u8>>> {
    Ok(None)
}
