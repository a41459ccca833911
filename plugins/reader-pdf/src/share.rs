//! Shares of a document: several instances read one document at once, and what they have read is put together.

use crate::reading::Reading;
use mitt_reader_kit::Error;
use std::ops::RangeInclusive;

/// Fewest pages of a document that is shared. Whoever reads a share has to take the whole document apart first, which is a quarter
/// of the work.
const MIN_PAGES: u32 = 40;

/// A share of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    index: u32,
    count: u32,
}

impl Share {
    /// Everything.
    pub const WHOLE: Share = Share { index: 0, count: 1 };

    /// The share `index`, from 0, of `count`, or `None` if there is no such share.
    pub fn new(index: u32, count: u32) -> Option<Share> {
        (index < count).then_some(Share { index, count })
    }

    pub(crate) fn is_first(self) -> bool {
        self.index == 0
    }

    /// Of something that the whole document has, about as much as the share has; rounded up.
    pub(crate) fn of(self, number: usize) -> usize {
        number.div_ceil(self.count as usize)
    }

    /// The pages of a document of `pages` that belong to it, from 1: as many as to the others. None if the document is read as a whole.
    pub(crate) fn pages(self, pages: u32) -> Option<RangeInclusive<u32>> {
        if self.count == 1 || (pages < MIN_PAGES && self.is_first()) {
            return None;
        }
        if pages < MIN_PAGES {
            // An empty one.
            return Some(RangeInclusive::new(1, 0));
        }
        let before = |index: u32| u64::from(pages) * u64::from(index) / u64::from(self.count);
        let before = |index| u32::try_from(before(index)).unwrap_or(pages);
        Some(before(self.index) + 1..=before(self.index + 1))
    }
}

/// What was read, as bytes for another instance.
pub(crate) fn pack(reading: &Reading) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(reading).map_err(|error| Error::Other(error.to_string()))
}

/// What another instance has read.
pub(crate) fn unpack(share: &[u8]) -> Result<Reading, Error> {
    serde_json::from_slice(share)
        .map_err(|error| Error::InvalidArgument(format!("no share of a document: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_of_a_long_document_belongs_to_one_share() {
        for count in 1..=9 {
            for pages in [0, 1, 39, 40, 41, 301, u32::MAX] {
                let mut next = 1;
                for index in 0..count {
                    match Share::new(index, count).unwrap().pages(pages) {
                        None => {
                            assert!(index == 0 && (count == 1 || pages < MIN_PAGES));
                            next = u64::from(pages) + 1;
                        }
                        Some(range) if range.is_empty() => assert!(pages < MIN_PAGES),
                        Some(range) => {
                            assert_eq!(u64::from(*range.start()), next);
                            next = u64::from(*range.end()) + 1;
                        }
                    }
                }
                assert_eq!(next, u64::from(pages) + 1, "{pages} pages in {count}");
            }
        }
        assert_eq!(Share::new(1, 1), None);
        assert_eq!(Share::new(0, 0), None);
        assert_eq!(Share::new(1, 2).unwrap().of(5), 3);
    }
}
