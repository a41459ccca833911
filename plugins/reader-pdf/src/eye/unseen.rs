//! Counts the hidden text of a document, and writes the warnings about it.

use super::judge::Why;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was left out of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Unseen {
    /// For each reason, the number of places and of characters without spaces.
    found: BTreeMap<Why, (usize, usize)>,
    /// `true` if the page draws more than is followed.
    pub(crate) is_cut: bool,
}

impl Unseen {
    /// Counts a piece of text, unless it is white space only.
    pub(crate) fn add(&mut self, why: Why, letters: usize) {
        if letters > 0 {
            let (places, all) = self.found.entry(why).or_default();
            *places += 1;
            *all += letters;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty() && !self.is_cut
    }

    /// Returns the warnings about what was left out of these pages.
    pub(crate) fn warnings(pages: &[(u32, Unseen)]) -> Vec<String> {
        let mut all: BTreeMap<Why, (usize, usize)> = BTreeMap::new();
        for (why, (more, letters)) in pages.iter().flat_map(|(_, unseen)| &unseen.found) {
            let (places, sum) = all.entry(*why).or_default();
            *places += more;
            *sum += letters;
        }
        let named = |is: fn(&Unseen) -> bool| {
            let pages = pages.iter().filter(|(_, unseen)| is(unseen)).map(|(page, _)| *page);
            crate::reading::named_pages(&pages.collect::<Vec<_>>())
        };
        let mut warnings = Vec::new();
        if !all.is_empty() {
            let letters: usize = all.values().map(|(_, letters)| letters).sum();
            let places: usize = all.values().map(|(places, _)| places).sum();
            let place = if places == 1 { "place" } else { "places" };
            let reasons: Vec<String> = all
                .iter()
                .map(|(why, (_, letters))| format!("{} {letters}", why.as_str()))
                .collect();
            warnings.push(format!(
                "text that nobody sees was left out on {}: {letters} characters in {places} {place} ({})",
                named(|unseen| !unseen.found.is_empty()),
                reasons.join(", ")
            ));
        }
        if pages.iter().any(|(_, unseen)| unseen.is_cut) {
            warnings.push(format!(
                "only a part of what is drawn on {} was looked at: the rest was left out, or may be text that nobody sees",
                named(|unseen| unseen.is_cut)
            ));
        }
        warnings
    }
}
