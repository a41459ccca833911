//! Texts that are kept instead of being searched, for rules that the host applies.

use std::collections::BTreeSet;

/// Most bytes of all texts.
pub(crate) const MAX_BYTES: usize = 64 << 20;
/// Most bytes of a text that is listed once, however often it is searched: headers, names of parts.
const MAX_SHORT: usize = 1_000;
/// Fewest characters of a text that a rule can find something in.
const MIN_CHARACTERS: usize = 2;

/// Texts in the order in which they were searched.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) texts: Vec<String>,
    short: BTreeSet<String>,
    bytes: usize,
}

impl Listing {
    pub(crate) fn add(&mut self, text: &str) {
        let text = text.trim();
        if self.is_full() || text.chars().nth(MIN_CHARACTERS - 1).is_none() {
            return;
        }
        let is_known = if text.len() <= MAX_SHORT {
            !self.short.insert(text.to_owned())
        } else {
            // Views of a text that has nothing to decode are the text itself.
            self.texts.last().is_some_and(|last| last == text)
        };
        if !is_known {
            self.bytes = self.bytes.saturating_add(text.len());
            self.texts.push(text.to_owned());
        }
    }

    /// Returns `true` if there is more text than is kept.
    pub(crate) fn is_full(&self) -> bool {
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
        let long = "x".repeat(MAX_BYTES / 2 + 1);
        listing.add(&long);
        listing.add(&long);
        assert!(listing.texts.len() == 3 && !listing.is_full(), "the same text again");
        listing.add(&long.replace('x', "y"));
        assert!(listing.is_full());
        listing.add("more");
        assert_eq!(listing.texts.len(), 4);
    }
}
