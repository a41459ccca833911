//! Where hits were, and what a caller gets of it.

use std::collections::BTreeMap;

/// Most places in a result.
const MAX_PLACES: usize = 500;

/// A redacted file.
#[derive(Debug)]
pub struct Redacted {
    pub bytes: Vec<u8>,
    /// Places with the number of hits in each, in the order of the file.
    pub places: Vec<(String, usize)>,
    /// Number of hits in all places.
    pub total: usize,
    pub warnings: Vec<String>,
}

/// Counted hits by place, in the order in which the places came.
#[derive(Debug, Default)]
pub(crate) struct Places {
    index: BTreeMap<String, usize>,
    list: Vec<(String, usize)>,
    total: usize,
    more: usize,
}

impl Places {
    pub(crate) fn add(&mut self, place: &str, hits: usize) {
        self.total += hits;
        if let Some(&at) = self.index.get(place) {
            self.list[at].1 += hits;
        } else if self.list.len() < MAX_PLACES {
            self.index.insert(place.to_owned(), self.list.len());
            self.list.push((place.to_owned(), hits));
        } else {
            self.more += hits;
        }
    }

    pub(crate) fn total(&self) -> usize {
        self.total
    }

    pub(crate) fn finish(self, bytes: Vec<u8>, mut warnings: Vec<String>) -> Redacted {
        if self.more > 0 {
            let hits = if self.more == 1 { "hit is" } else { "hits are" };
            warnings.push(format!("{} {hits} in more places than are listed", self.more));
        }
        Redacted { bytes, places: self.list, total: self.total, warnings }
    }
}
