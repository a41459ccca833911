//! Texts that are kept instead of being searched.

use std::collections::BTreeSet;

/// Most bytes of all texts.
pub(super) const MAX_BYTES: usize = 64 << 20;
/// Most bytes of a text that is listed once, however often it is searched: names, titles, values of fields.
const MAX_SHORT: usize = 1_000;
/// Fewest characters of a text that a rule can find something in.
const MIN_CHARACTERS: usize = 2;

/// Texts in the order in which they were searched.
#[derive(Default)]
pub(crate) struct Listing {
    pub(super) texts: Vec<String>,
    short: BTreeSet<String>,
    bytes: usize,
}

impl Listing {
    pub(super) fn add(&mut self, text: &str) {
        let text = text.trim();
        if self.is_full() || text.chars().nth(MIN_CHARACTERS - 1).is_none() {
            return;
        }
        let is_known = if text.len() <= MAX_SHORT {
            !self.short.insert(text.to_owned())
        } else {
            // A page is searched in the order of its content and as it is seen, which are often the same.
            self.texts.last().is_some_and(|last| last == text)
        };
        if !is_known {
            self.bytes = self.bytes.saturating_add(text.len());
            self.texts.push(text.to_owned());
        }
    }

    /// Returns `true` if there is more text than is kept.
    pub(super) fn is_full(&self) -> bool {
        self.bytes > MAX_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_are_kept_once_and_all_of_them_have_a_bound() {
        let mut listing = Listing::default();
        ["Ada", " Ada ", "x", "", "张伟"].iter().for_each(|it| listing.add(it));
        assert_eq!(listing.texts, ["Ada", "张伟"]);
        let page = "x".repeat(MAX_BYTES / 2 + 1);
        listing.add(&page);
        listing.add(&page);
        assert!(listing.texts.len() == 3 && !listing.is_full(), "the same page again");
        listing.add(&page.replace('x', "y"));
        assert!(listing.is_full());
        listing.add("more");
        assert_eq!(listing.texts.len(), 4);
    }
}
