//! Shares of a document. Several instances read one document at once, and their readings are joined.

use crate::reading::Reading;
use mitt_reader_kit::Error;
use std::ops::RangeInclusive;

/// Fewest pages of a document that is divided. Each instance has to parse the whole document first, which is a quarter
/// of the work.
const MIN_PAGES: u32 = 40;

/// A share of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    index: u32,
    count: u32,
}

impl Share {
    /// The whole document.
    pub const WHOLE: Share = Share { index: 0, count: 1 };

    /// Returns share `index`, from 0, of `count`; `None` if there is no such share.
    pub fn new(index: u32, count: u32) -> Option<Share> {
        (index < count).then_some(Share { index, count })
    }

    pub(crate) fn is_first(self) -> bool {
        self.index == 0
    }

    /// Returns the part of `number` for this share, rounded up.
    pub(crate) fn of(self, number: usize) -> usize {
        number.div_ceil(self.count as usize)
    }

    /// Returns the pages of this share, from 1, of a document with `pages` pages; `None` if the document is read as a
    /// whole.
    pub(crate) fn pages(self, pages: u32) -> Option<RangeInclusive<u32>> {
        if self.count == 1 || (pages < MIN_PAGES && self.is_first()) {
            return None;
        }
        if pages < MIN_PAGES {
            // An empty range.
            return Some(RangeInclusive::new(1, 0));
        }
        let before = |index: u32| u64::from(pages) * u64::from(index) / u64::from(self.count);
        let before = |index| u32::try_from(before(index)).unwrap_or(pages);
        Some(before(self.index) + 1..=before(self.index + 1))
    }
}

/// Writes a reading as bytes for another instance.
pub(crate) fn pack(reading: &Reading) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(reading).map_err(|error| Error::Other(error.to_string()))
}

/// Parses the reading of another instance.
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
