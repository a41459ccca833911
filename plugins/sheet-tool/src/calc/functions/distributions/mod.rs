//! Distributions of probability. Old and new names are the same functions.

mod continuous;
mod discrete;
mod hypotheses;
pub(super) mod numeric;
mod sampling;

use super::{Single, Whole};

pub(super) fn find(name: &str) -> Option<Single> {
    continuous::find(name).or_else(|| sampling::find(name)).or_else(|| discrete::find(name))
}

/// Finds functions that take ranges.
pub(super) fn find_whole(name: &str) -> Option<(usize, usize, Whole)> {
    hypotheses::find(name)
}
