//! What a redaction finds, for its report.

/// Most places that are listed.
const MAX_PLACES: usize = 200;

/// What was found on the way.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) places: Vec<String>,
    pub(super) left_out: usize,
    pub(super) hits: usize,
    /// Cells whose formulas became values.
    pub(super) formulas: usize,
    /// Cells whose numbers became texts.
    pub(super) numbers: usize,
    /// Formulas of rules, names and charts that became `#REF!`.
    pub(super) lost: usize,
    pub(super) warnings: Vec<String>,
}

impl Found {
    pub(super) fn note(&mut self, place: &str, hits: usize) {
        self.hits += hits;
        if self.places.len() < MAX_PLACES {
            self.places.push(format!("{place}: {hits}"))
        } else {
            self.left_out += 1
        }
    }
}
