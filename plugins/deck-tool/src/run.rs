//! Batches of edits: anchors and expected texts are checked first, and a batch with a problem changes nothing.

use crate::batch::Batch;
use crate::deck::Deck;
use crate::edits::Edit;
use crate::error::{Error, Result};
use crate::fitting::Overflow;
use crate::new_shape::Files;
use mitt_package::{counted, either};

/// Most edits of a batch.
const MAX_EDITS: usize = 1_000;
/// Most problems that are reported at once.
const MAX_PROBLEMS: usize = 20;
/// Most warnings of a batch; the host takes 100 for a file, and overflows are among them.
const MAX_WARNINGS: usize = 60;

/// An edited presentation.
#[derive(Clone, Debug, PartialEq)]
pub struct Edited {
    pub bytes: Vec<u8>,
    /// What each edit did, one sentence each.
    pub changes: Vec<String>,
    pub overflows: Vec<Overflow>,
    pub warnings: Vec<String>,
}

/// Applies a batch of edits.
///
/// # Errors
/// [`Error::Invalid`] - edits cannot be done, one problem each line; [`Error::Unsupported`] - the file has macros or a
/// signature; those of [`Deck::open`].
pub fn edit(bytes: Vec<u8>, edits: &[Edit], files: Files<'_>) -> Result<Edited> {
    let deck = Deck::open(bytes)?;
    deck.check_editable()?;
    if edits.len() > MAX_EDITS {
        return Err(Error::Invalid(format!(
            "expected at most {MAX_EDITS} edits, got {}",
            edits.len()
        )));
    }
    let mut batch = Batch::new(deck, files)?;
    let mut problems = Vec::new();
    for (number, edit) in edits.iter().enumerate() {
        collect(number, batch.check(edit), &mut problems)?;
    }
    let mut changes = Vec::new();
    if problems.is_empty() {
        for (number, edit) in edits.iter().enumerate() {
            changes.extend(collect(number, batch.apply(edit), &mut problems)?);
            if problems.len() >= MAX_PROBLEMS {
                break;
            }
        }
    }
    if !problems.is_empty() {
        problems.truncate(MAX_PROBLEMS);
        problems.push("nothing was changed".to_owned());
        return Err(Error::Invalid(problems.join("\n")));
    }
    let (bytes, overflows, mut warnings) = batch.finish()?;
    if warnings.len() > MAX_WARNINGS {
        let more = warnings.len() - MAX_WARNINGS;
        warnings.truncate(MAX_WARNINGS);
        let were = either(more, "was", "were");
        let further = counted(more, "further warning");
        warnings.push(format!("{further} {were} left out; use smaller batches."));
    }
    Ok(Edited { bytes, changes, overflows, warnings })
}

/// Collects problems of edits; a damaged file ends the batch at once.
fn collect<T>(number: usize, result: Result<T>, problems: &mut Vec<String>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Error::Malformed(text)) => Err(Error::Malformed(text)),
        Err(error) => {
            problems.push(format!("edits[{number}]: {error}"));
            Ok(None)
        }
    }
}
