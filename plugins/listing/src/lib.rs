//! Texts in which a redaction searches, kept for rules that the host applies. Knows no files.

use std::collections::BTreeSet;

/// Most bytes of all texts.
pub const MAX_BYTES: usize = 64 << 20;
/// Most bytes of the texts of one window, beside its first text.
const MAX_WINDOW: usize = 4 << 20;
/// Most bytes of a text that is listed once, however often it is searched: headers, names, titles, values of fields.
const MAX_SHORT: usize = 1_000;
/// Fewest characters of a text that a rule can find something in.
const MIN_CHARACTERS: usize = 2;

/// Texts in the order in which they were searched.
#[derive(Debug, Default)]
pub struct Listing {
    texts: Vec<String>,
    short: BTreeSet<String>,
    bytes: usize,
}

impl Listing {
    /// Keeps a text, unless it is known or too short.
    pub fn add(&mut self, text: &str) {
        let text = text.trim();
        if self.is_full() || text.chars().nth(MIN_CHARACTERS - 1).is_none() {
            return;
        }
        let is_known = if text.len() <= MAX_SHORT {
            !self.short.insert(text.to_owned())
        } else {
            // A text is often searched in two ways that see the same: a page in the order of its content and as it is seen,
            // and a file that has nothing to decode.
            self.texts.last().is_some_and(|last| last == text)
        };
        if !is_known {
            self.bytes = self.bytes.saturating_add(text.len());
            self.texts.push(text.to_owned());
        }
    }

    /// Returns `true` if there is more text than is kept.
    pub fn is_full(&self) -> bool {
        self.bytes > MAX_BYTES
    }

    /// Returns the texts.
    pub fn into_texts(self) -> Vec<String> {
        self.texts
    }
}

/// Returns the texts from `start` on that one result takes, at least one, and where the next window begins.
pub fn window(texts: &[String], start: usize) -> (&[String], Option<usize>) {
    let rest = texts.get(start..).unwrap_or_default();
    let mut bytes = 0;
    let fits = |text: &&String| {
        bytes += text.len();
        bytes <= MAX_WINDOW
    };
    let count = rest.iter().take_while(fits).count().max(1).min(rest.len());
    (&rest[..count], (count < rest.len()).then_some(start + count))
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
        assert_eq!(listing.into_texts().len(), 4);
    }

    #[test]
    fn texts_come_in_windows() {
        let texts: Vec<String> = (0..3).map(|it| it.to_string().repeat(3 << 20)).collect();
        for (start, count, next) in [(0, 1, Some(1)), (2, 1, None), (3, 0, None), (9, 0, None)] {
            let (window, then) = window(&texts, start);
            assert_eq!((window.len(), then), (count, next), "{start}");
        }
        let small = vec!["ab".to_owned(); 5];
        assert_eq!((window(&small, 1).0.len(), window(&small, 1).1), (4, None));
    }
}
