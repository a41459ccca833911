//! The problems of a workbook, which are reported all at once.

use super::refused;
use mitt_base::{Result, text};

/// Most problems that are listed. More would say nothing new.
const MAX_PROBLEMS: usize = 20;

/// Most bytes of a name or header in a message.
const MAX_SHOWN: usize = 120;

/// The problems of a workbook.
#[derive(Debug, Default)]
pub(super) struct Problems {
    list: Vec<String>,
    more: usize,
}

impl Problems {
    /// Adds a problem. Those that are not listed are not formatted either, since a workbook may have a million.
    pub(super) fn add(&mut self, problem: impl FnOnce() -> String) {
        if self.list.len() < MAX_PROBLEMS {
            self.list.push(problem());
        } else {
            self.more += 1;
        }
    }

    /// Returns all problems as an error, if there are any.
    pub(super) fn into_result(mut self) -> Result<()> {
        if self.more > 0 {
            self.list.push(format!("and {} more problems", self.more));
        }
        if self.list.is_empty() { Ok(()) } else { Err(refused(self.list)) }
    }
}

/// Returns the part of a name that a message quotes.
pub(super) fn shown(name: &str) -> &str {
    text::cut_bytes(name, MAX_SHOWN)
}
