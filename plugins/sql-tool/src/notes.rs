//! Collects notes about a result while statements run.

use std::collections::BTreeMap;
use std::sync::Mutex;

/// Counts of suspicious values. Shared with SQLite's callbacks.
#[derive(Default)]
pub(crate) struct Notes {
    texts: Mutex<BTreeMap<&'static str, u64>>,
    denied: Mutex<Option<String>>,
}

impl Notes {
    /// Counts a text that is not a number, which a function added as 0.
    pub(crate) fn text_in_sum(&self, function: &'static str) {
        if let Ok(mut texts) = self.texts.lock() {
            *texts.entry(function).or_default() += 1;
        }
    }

    /// Records why the authorizer refused a statement.
    pub(crate) fn deny(&self, reason: String) {
        if let Ok(mut denied) = self.denied.lock() {
            denied.get_or_insert(reason);
        }
    }

    pub(crate) fn take_denied(&self) -> Option<String> {
        self.denied.lock().ok()?.take()
    }

    /// Returns one sentence for each kind of note, and resets the counts.
    pub(crate) fn take(&self, truncations: i64) -> Vec<String> {
        let mut sentences = Vec::new();
        if let Ok(mut texts) = self.texts.lock() {
            for (function, count) in std::mem::take(&mut *texts) {
                sentences.push(format!(
                    "{function}(): {count} cells are text that is no number and counted as 0"
                ));
            }
        }
        if truncations > 0 {
            sentences.push(format!(
                "{truncations} divisions of whole numbers dropped a remainder, as 5 / 2 is 2; write 1.0 * a / b for the quotient"
            ));
        }
        sentences
    }
}
