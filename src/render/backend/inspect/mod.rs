//! Visits the texts of a document or of an office file for a caller who decides what is left out of them.
//!
//! A text is what a reader sees as one: the pieces of a paragraph together, however they are formatted. Does not know why
//! something is left out.

#[cfg(any(feature = "docx", feature = "fill"))]
mod office;
#[cfg(any(feature = "docx", feature = "fill"))]
mod part;
mod run;
mod tree;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::model::disabled::built;
use mitt_base::Result;
use mitt_base::memory::Account;

/// Inspects the texts of a document.
pub trait Inspect {
    /// Returns the text that replaces what is left out.
    fn mark(&self) -> &str;

    /// Returns the ranges of `text` to leave out, in bytes, in order and not overlapping.
    ///
    /// # Errors
    ///
    /// The document is refused.
    fn text(&mut self, text: &str) -> Result<Vec<Range<usize>>>;

    /// Returns `true` if the formula of a cell is left out, which then becomes the text [`Inspect::mark`].
    ///
    /// # Errors
    ///
    /// The document is refused.
    fn formula(&mut self, formula: &str) -> Result<bool> {
        Ok(!self.text(formula)?.is_empty())
    }
}

/// What [`Doc::inspect`](crate::Doc::inspect) left out of a document, for the same document in another process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    mark: String,
    /// Numbers of texts in order, and the ranges in them.
    texts: Vec<(usize, Vec<Range<usize>>)>,
}

impl LeftOut {
    /// Returns `true` if nothing was left out.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Returns the number of ranges.
    pub fn places(&self) -> usize {
        self.texts.iter().map(|(_, ranges)| ranges.len()).sum()
    }
}

/// Shows each text of an office file (`.docx`, `.xlsx`, `.xlsm`, `.pptx`) to `look`, and leaves out the ranges that it
/// returns. Returns the new file; `None` if nothing was left out. The text of a paragraph or a cell is one text, however it
/// is divided into runs.
///
/// # Errors
///
/// Those of `look`; [`Input`](mitt_base::ErrorKind::Input) - the file cannot be unpacked, has parts that are not UTF-8, or
/// leaving something out would break it: in the name of a sheet, or in a formula that several cells share.
///
/// [`Limit`](mitt_base::ErrorKind::Limit) - `memory`, which is charged for unpacked parts, is exhausted.
pub fn inspect_office(
    file: &[u8],
    look: &mut dyn Inspect,
    memory: Option<&Account>,
) -> Result<Option<Vec<u8>>> {
    // A build that writes no office files has none to inspect.
    built!(
        if any(feature = "docx", feature = "fill"),
        else Ok(None),
        self::office::inspect_office(file, look, memory)
    )
}
