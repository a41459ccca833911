//! What `replace-everywhere` finds in a text: letters, whole words or a pattern.

use super::FindMode;
use crate::error::{Error, Result};
use regex::{Regex, RegexBuilder};
use std::ops::Range;

/// Most replacements of one `replace-everywhere`.
pub(super) const MAX_REPLACEMENTS: usize = 20_000;

/// Most bytes of a compiled pattern.
const MAX_PATTERN_BYTES: usize = 1 << 20;

/// What `replace-everywhere` finds.
pub(super) struct Wanted<'a> {
    find: &'a str,
    mode: FindMode,
    /// `None` for a text that is found letter by letter, for which a pattern would take ten times as long.
    pattern: Option<Regex>,
}

impl<'a> Wanted<'a> {
    pub(super) fn new(find: &'a str, mode: FindMode, ignores_case: bool) -> Result<Self> {
        let pattern = match mode {
            FindMode::Pattern => find.to_owned(),
            FindMode::Exact | FindMode::WholeWord if ignores_case => regex::escape(find),
            FindMode::Exact | FindMode::WholeWord => {
                return Ok(Self { find, mode, pattern: None });
            }
        };
        let pattern = RegexBuilder::new(&pattern)
            .case_insensitive(ignores_case)
            .size_limit(MAX_PATTERN_BYTES)
            .build()
            .map_err(|error| {
                let why = error.to_string();
                let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
                Error::Invalid(format!("the pattern cannot be used: {why}"))
            })?;
        Ok(Self { find, mode, pattern: Some(pattern) })
    }

    /// Returns the matches in a text with their replacements, at most one more than is allowed.
    pub(super) fn matches(&self, text: &str, replacement: &str) -> Vec<(Range<usize>, String)> {
        let kept = |(range, new): (Range<usize>, String)| {
            let is_kept =
                !range.is_empty() && self.fits(text, &range) && new != text[range.clone()];
            is_kept.then_some((range, new))
        };
        match &self.pattern {
            None => {
                let found = text.match_indices(self.find);
                let found = found.map(|(at, it)| (at..at + it.len(), replacement.to_owned()));
                found.filter_map(kept).take(MAX_REPLACEMENTS + 1).collect()
            }
            Some(pattern) => {
                let found = pattern.captures_iter(text).filter_map(|captures| {
                    let mut new = String::new();
                    match self.mode {
                        FindMode::Pattern => captures.expand(replacement, &mut new),
                        FindMode::Exact | FindMode::WholeWord => new.push_str(replacement),
                    }
                    Some((captures.get(0)?.range(), new))
                });
                found.filter_map(kept).take(MAX_REPLACEMENTS + 1).collect()
            }
        }
    }

    /// Returns `false` for a part of a word where whole words are wanted.
    fn fits(&self, text: &str, range: &Range<usize>) -> bool {
        let is_word = |it: Option<char>| it.is_some_and(|it| it.is_alphanumeric() || it == '_');
        self.mode != FindMode::WholeWord
            || !is_word(text[..range.start].chars().next_back())
                && !is_word(text[range.end..].chars().next())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(find: &str, mode: FindMode, ignores_case: bool, text: &str) -> Vec<Range<usize>> {
        let wanted = Wanted::new(find, mode, ignores_case).unwrap();
        wanted.matches(text, "new").into_iter().map(|it| it.0).collect()
    }

    #[test]
    fn letters_are_found_with_and_without_a_pattern() {
        for text in ["aXaXa", "中a.b中 a.b", "aaaa", "new new", "", "a b_a a", "a.b+a.b"] {
            for find in ["a", "aa", "aXa", "a.b", "中", "new", "b_a"] {
                for mode in [FindMode::Exact, FindMode::WholeWord] {
                    let plain = found(find, mode, false, text);
                    let wanted = Wanted {
                        find,
                        mode,
                        pattern: Some(Regex::new(&regex::escape(find)).unwrap()),
                    };
                    let all = wanted.matches(text, "new").into_iter();
                    assert_eq!(plain, all.map(|it| it.0).collect::<Vec<_>>(), "{find} {text}");
                }
            }
        }
    }

    #[test]
    fn words_case_and_patterns_differ() {
        let text = "Net net internet NET";
        assert_eq!(found("net", FindMode::Exact, false, text), [4..7, 13..16]);
        assert_eq!(found("NET", FindMode::WholeWord, false, text).len(), 1);
        assert_eq!(found("net", FindMode::WholeWord, true, text), [0..3, 4..7, 17..20]);
        assert_eq!(found("n?et", FindMode::Pattern, false, text), [1..3, 4..7, 13..16]);
        assert!(Wanted::new("(", FindMode::Pattern, false).is_err());
        assert!(Wanted::new("(", FindMode::Exact, false).is_ok());
    }
}
