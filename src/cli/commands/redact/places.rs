//! In how many places of a file rules find something, if a tool lists some texts in several forms: as they are written and as they are
//! shown, a page in two orders. Places of different texts are added up, and forms of one text count once.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::rules::{RuleCounts, RuleMatches};
use super::terms::tight;

/// Texts before that a text may be another form of. Tools list the forms of a text one after the other.
const MAX_FORMS: usize = 16;

/// Characters in ten that two forms of a text share at least.
const SHARED: usize = 8;

/// Counts places of the texts of a file.
#[derive(Default)]
pub(super) struct PlaceCounts {
    /// Places in texts that have no more forms.
    counts: RuleCounts,
    last: VecDeque<SeenText>,
}

/// A text in which something was found.
struct SeenText {
    counts: RuleCounts,
    /// What was found.
    terms: BTreeSet<String>,
    /// How often each letter and digit stands in it.
    letters: BTreeMap<char, usize>,
    n_letters: usize,
}

impl PlaceCounts {
    /// Adds what was found in a text.
    pub(super) fn add(&mut self, text: &str, found: RuleMatches) {
        if found.counts.has_none() {
            return;
        }
        let seen = SeenText::new(text, found);
        match self.last.iter_mut().find(|it| it.is_form_of(&seen)) {
            Some(form) => {
                form.counts.take_larger(&seen.counts);
                form.terms.extend(seen.terms);
            }
            None => {
                if self.last.len() == MAX_FORMS {
                    self.counts.add_all(self.last.pop_front().map(|it| it.counts));
                }
                self.last.push_back(seen);
            }
        }
    }

    /// Returns the numbers of places.
    pub(super) fn counts(mut self) -> RuleCounts {
        self.counts.add_all(self.last.into_iter().map(|it| it.counts));
        self.counts
    }
}

impl SeenText {
    fn new(text: &str, found: RuleMatches) -> SeenText {
        let mut letters: BTreeMap<char, usize> = BTreeMap::new();
        let mut n_letters = 0;
        for letter in text.chars().filter(|it| it.is_alphanumeric()) {
            *letters.entry(letter).or_default() += 1;
            n_letters += 1;
        }
        // Without signs: a text in an address has a blank for the plus sign of a phone number.
        let plain = |text: &str| tight(text).chars().filter(|it| it.is_alphanumeric()).collect();
        let terms = found.terms.iter().map(|term| plain(term.text())).collect();
        SeenText { counts: found.counts, terms, letters, n_letters }
    }

    /// Returns `true` if both are forms of one text: one has what was found in the other, and they have about the same letters.
    fn is_form_of(&self, other: &SeenText) -> bool {
        let has_same = self.terms.is_subset(&other.terms) || other.terms.is_subset(&self.terms);
        let longest = self.n_letters.max(other.n_letters);
        has_same && {
            let shared = self.letters.iter().map(|(letter, count)| {
                other.letters.get(letter).map_or(0, |others| (*count).min(*others))
            });
            shared.sum::<usize>() * 10 >= longest * SHARED
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rules::Rules;
    use super::*;

    fn phones(texts: &[&str]) -> u64 {
        let rules = Rules::new(&["phone".to_owned()], &[]).unwrap();
        let mut places = PlaceCounts::default();
        for text in texts {
            let mut found = RuleMatches::default();
            rules.search(text, false, &mut found).unwrap();
            places.add(text, found);
        }
        places.counts().total()
    }

    #[test]
    fn texts_are_added_up_and_forms_of_a_text_count_once() {
        for (texts, expected) in [
            // Values of fields and a comment.
            (&["13800138000", "13900139000", "Please call 13800138000"][..], 3),
            // A page in the order of its content and as it is seen.
            (&["Left 13800138000 column, right one", "Left column, right 13800138000 one"], 1),
            // As it is written and as an address would have it.
            (&["call +86 138 0013 8000 now", "call  86 138 0013 8000 now"], 1),
            // As it is written and as it is shown, where more is found.
            (
                &[
                    "# Call **13800138000** and write to &#49;3900139000",
                    "Call 13800138000 and write to 13900139000",
                ],
                2,
            ),
            (&["nothing here", ""], 0),
        ] {
            assert_eq!(phones(texts), expected, "{texts:?}");
        }
        let many: Vec<String> =
            (0..40).map(|it| format!("{} 13800138000", "abcdefgh".repeat(it))).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(phones(&many) > 1);
        let apart: Vec<String> = (0..40).map(|it| format!("139{:08}", it * 7919)).collect();
        assert_eq!(phones(&apart.iter().map(String::as_str).collect::<Vec<_>>()), 40);
    }
}
