//! Differences that were found, up to a limit. All are counted.

/// One difference of two workbooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub kind: String,
    /// In the later workbook unless it is gone there.
    pub place: String,
    pub before: String,
    pub after: String,
}

/// What a comparison found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    pub differences: Vec<Difference>,
    /// Number of all, also of those beyond the limit.
    pub total: u32,
    pub warnings: Vec<String>,
}

/// Most characters of a value.
const MAX_TEXT: usize = 200;
const MAX_WARNINGS: usize = 50;

#[derive(Debug)]
pub(super) struct Report {
    limit: usize,
    pub(super) found: Differences,
}

impl Report {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, found: Differences::default() }
    }

    /// Counts a difference, which is made only within the limit: kind, place, before and after.
    pub(super) fn add(&mut self, make: impl FnOnce() -> [String; 4]) {
        self.found.total = self.found.total.saturating_add(1);
        if self.found.differences.len() < self.limit {
            let [kind, place, before, after] = make();
            let (before, after) = (short(before), short(after));
            self.found.differences.push(Difference { kind, place, before, after });
        }
    }

    pub(super) fn warn(&mut self, line: String) {
        if self.found.warnings.len() < MAX_WARNINGS && !self.found.warnings.contains(&line) {
            self.found.warnings.push(line);
        }
    }
}

fn short(text: String) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
