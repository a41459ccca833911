//! What is looked for: a number, or a quoted text.

use std::ops::Range;

use mitt_base::written_number::{Likeness, Number, numbers};

/// A value of an answer whose source is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// A number with its unit.
    Number(Number),
    /// Any other text.
    Text {
        /// The text as it was quoted.
        text: String,
        /// The text with its ASCII letters in lower case.
        lower: String,
    },
}

impl Wanted {
    /// Returns what a value looks for.
    pub(super) fn of(value: &str) -> Wanted {
        match Number::of_value(value) {
            Some(number) => Wanted::Number(number),
            None => Wanted::Text { text: value.to_owned(), lower: value.to_ascii_lowercase() },
        }
    }

    /// Returns how a number in JSON's notation is the same.
    pub(super) fn in_number(&self, lexeme: &str) -> Option<Likeness> {
        match self {
            Wanted::Number(wanted) => wanted.likeness(Number::of_json(lexeme)?),
            Wanted::Text { .. } => None,
        }
    }

    /// Calls `each` with each place in a text where it is the same, until `each` returns `false`.
    pub(super) fn in_text(&self, text: &str, mut each: impl FnMut(Likeness, Range<usize>) -> bool) {
        match self {
            Wanted::Number(wanted) => {
                numbers(text, |number, range| match wanted.likeness(number) {
                    Some(likeness) => each(likeness, range),
                    None => true,
                });
            }
            Wanted::Text { text: wanted, lower } => {
                // Bytes keep their places, unlike with the lower case of all letters.
                let all_lower = text.to_ascii_lowercase();
                for (start, _) in all_lower.match_indices(lower.as_str()) {
                    let range = start..start + lower.len();
                    let is_exact = text.get(range.clone()) == Some(wanted.as_str());
                    let likeness = if is_exact { Likeness::Exact } else { Likeness::Rounded };
                    if !each(likeness, range) {
                        return;
                    }
                }
            }
        }
    }

    /// Returns the best likeness in a short text.
    pub(super) fn best_in(&self, text: &str) -> Option<Likeness> {
        let mut best = None;
        self.in_text(text, |likeness, _| {
            best = Some(best.map_or(likeness, |best: Likeness| best.min(likeness)));
            best != Some(Likeness::Exact)
        });
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(value: &str, text: &str) -> Vec<(Likeness, String)> {
        let mut found = Vec::new();
        Wanted::of(value).in_text(text, |likeness, range| {
            found.push((likeness, text[range].to_owned()));
            true
        });
        found
    }

    #[test]
    fn numbers_are_found_by_their_values_and_texts_by_their_letters() {
        let text = "Growth was 0.125 (12.5 %), not 0.13. The Blue Heron and the blue heron.";
        let (exact, rounded) = (Likeness::Exact, Likeness::Rounded);
        assert_eq!(
            found("12.5%", text),
            [(exact, "0.125".to_owned()), (exact, "12.5 %".to_owned())]
        );
        assert_eq!(
            found("blue heron", text),
            [(rounded, "Blue Heron".to_owned()), (exact, "blue heron".to_owned())]
        );
        assert!(found("kingfisher", text).is_empty());
        assert_eq!(found("İ", "i İ"), [(exact, "İ".to_owned())]);
    }

    #[test]
    fn the_best_likeness_of_a_cell_counts() {
        let wanted = Wanted::of("12.5%");
        assert_eq!(wanted.best_in("12.46 to 12.5"), Some(Likeness::Exact));
        assert_eq!(wanted.best_in("about 12.46"), Some(Likeness::Rounded));
        assert_eq!(wanted.best_in("none"), None);
        assert_eq!(wanted.in_number("0.125"), Some(Likeness::Exact));
        assert_eq!(Wanted::of("heron").in_number("1"), None);
    }
}
