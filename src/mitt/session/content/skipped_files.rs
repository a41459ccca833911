//! Files inside of a document that were not read, for one warning about all of them.

use mitt_base::{Error, text};

/// Inner files that exceeded the budget. There may be thousands, so only some are named.
#[derive(Default)]
pub(in crate::session) struct SkippedFiles {
    names: Vec<String>,
    pub(in crate::session) count: u64,
    /// The last error, which says which budget is exhausted.
    error: Option<Error>,
}

impl SkippedFiles {
    /// Number of files that are named.
    const NAMED: usize = 8;

    pub(in crate::session) fn add(&mut self, name: &str, error: Error) {
        self.count += 1;
        if self.names.len() < Self::NAMED {
            self.names.push(text::shortened(name, 80));
        }
        self.error = Some(error);
    }

    /// Returns one warning for all of them; `None` if there are none.
    pub(in crate::session) fn warning(self) -> Option<String> {
        let error = self.error?;
        let names = self.names.join(", ");
        let more = match self.count - self.names.len() as u64 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let hint = error.hints().first().map_or(String::new(), |hint| format!("; {hint}"));
        Some(format!("files in it were left out: {names}{more}: {error}{hint}"))
    }
}
