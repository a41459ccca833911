//! Warnings about a filled workbook: one sentence for each kind, with the first places.

use std::collections::BTreeMap;

use mitt_base::text;

/// Most places of one kind that are named; the others are counted.
const MAX_PLACES: usize = 3;
/// Most characters of a place.
const MAX_SHOWN: u64 = 80;

/// Places by the beginning of the sentence, in the order of kinds.
#[derive(Default)]
pub(super) struct Warnings(BTreeMap<&'static str, (Vec<String>, usize)>);

impl Warnings {
    /// Records `what` at `place`.
    pub(super) fn add(&mut self, what: &'static str, place: impl std::fmt::Display) {
        let (places, count) = self.0.entry(what).or_default();
        *count += 1;
        if places.len() < MAX_PLACES {
            let shown = place.to_string().replace(|c: char| c == '`' || c.is_control(), " ");
            places.push(format!("`{}`", text::cut_chars(&shown, MAX_SHOWN).0));
        }
    }

    pub(super) fn into_warnings(self) -> Vec<String> {
        let sentence = |(what, (places, count)): (&str, (Vec<String>, usize))| {
            let more = count - places.len();
            let more = if more > 0 { format!(", and {more} more") } else { String::new() };
            format!("{what}: {}{more}", places.join(", "))
        };
        self.0.into_iter().map(sentence).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_name_places_and_have_an_end() {
        let mut warnings = Warnings::default();
        (0..1_000).for_each(|row| warnings.add("values were not used", format!("a`{row}")));
        warnings.add("a", "x".repeat(500));
        let warnings = warnings.into_warnings();
        assert_eq!(warnings[0].len(), 5 + 80);
        assert_eq!(warnings[1], "values were not used: `a 0`, `a 1`, `a 2`, and 997 more");
    }
}
