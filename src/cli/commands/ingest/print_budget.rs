//! Limits how much text is printed for all files together.

use std::cell::Cell;
use std::sync::Arc;

use crate::args::Ingest;
use mitt::{Document, Excerpt, TextBudget, excerpts};

/// Files that share a budget, so that long ones use what short ones leave. More files are divided into groups of this size,
/// because thousands of them should not be kept in memory.
const TOGETHER: usize = 32;

/// The budget that is left for the files that were not printed yet.
pub(super) struct PrintBudget {
    left: Cell<Option<TextBudget>>,
    n_files: Cell<usize>,
}

impl PrintBudget {
    /// Makes the budget from the options, for `n_files` files.
    pub(super) fn new(command: &Ingest, n_files: usize) -> PrintBudget {
        let mut budget = TextBudget::default();
        // The reader of the output may have no tools.
        budget.names_tools = false;
        budget.tokens = command.max_tokens.unwrap_or(u64::MAX);
        budget.characters = command.max_characters.unwrap_or(u64::MAX);
        let is_limited = command.max_tokens.is_some() || command.max_characters.is_some();
        PrintBudget { left: Cell::new(is_limited.then_some(budget)), n_files: Cell::new(n_files) }
    }

    /// Returns the number of files that share a budget.
    pub(super) fn n_together(&self) -> usize {
        if self.left.get().is_some() { TOGETHER } else { 1 }
    }

    /// Returns the excerpts to print of these documents, which come from `n_files` files. All are `None` without a limit:
    /// everything is printed.
    pub(super) fn excerpts(
        &self,
        documents: &[Arc<Document>],
        n_files: usize,
    ) -> Vec<Option<Excerpt>> {
        let Some(mut left) = self.left.get() else {
            return documents.iter().map(|_| None).collect();
        };
        let n_left = self.n_files.get().max(n_files);
        self.n_files.set(n_left - n_files);
        let mut budget = left;
        budget.tokens = share(left.tokens, n_files, n_left);
        budget.characters = share(left.characters, n_files, n_left);
        let documents: Vec<&Document> = documents.iter().map(AsRef::as_ref).collect();
        let shown = excerpts(&documents, &budget);
        for excerpt in &shown {
            left.tokens = taken(left.tokens, excerpt.tokens);
            left.characters = taken(left.characters, excerpt.text.chars().count() as u64);
        }
        self.left.set(Some(left));
        shown.into_iter().map(Some).collect()
    }
}

fn share(all: u64, some: usize, of: usize) -> u64 {
    if all == u64::MAX || some >= of {
        return all;
    }
    let share = u128::from(all) * some as u128 / of.max(1) as u128;
    u64::try_from(share).unwrap_or(u64::MAX)
}

fn taken(all: u64, used: u64) -> u64 {
    if all == u64::MAX { all } else { all.saturating_sub(used) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_what_is_left() {
        assert_eq!(
            (share(100, 1, 4), share(100, 4, 4), share(u64::MAX, 1, 2)),
            (25, 100, u64::MAX)
        );
        assert_eq!((taken(100, 30), taken(10, 30), taken(u64::MAX, 3)), (70, 0, u64::MAX));
    }
}
