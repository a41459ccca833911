//! Words and patterns, and where they stand in a text.

use crate::error::{Result, invalid};
use regex::{Regex, RegexBuilder};
use std::ops::Range;

/// Most words and patterns of a call.
const MAX_TERMS: usize = 500;
/// Most bytes of a word or a pattern.
pub(crate) const MAX_LENGTH: usize = 1_000;
/// Memory of one compiled pattern, and of all words together.
const MAX_PATTERN_BYTES: usize = 1 << 20;
const MAX_WORDS_BYTES: usize = 16 << 20;
/// What stands for a character that was removed.
pub(crate) const BLOCK: char = '█';

/// Words and patterns, ready to be searched.
#[derive(Debug)]
pub(crate) struct Terms(Vec<Regex>);

/// Makes characters that look alike the same, and leaves out those that have no width.
fn fold(c: char, out: &mut String) {
    match c {
        'ﬀ' => out.push_str("ff"),
        'ﬁ' => out.push_str("fi"),
        'ﬂ' => out.push_str("fl"),
        'ﬃ' => out.push_str("ffi"),
        'ﬄ' => out.push_str("ffl"),
        'ﬅ' | 'ﬆ' => out.push_str("st"),
        '‘' | '’' | '‛' => out.push('\''),
        '“' | '”' => out.push('"'),
        '‐' | '‑' | '‒' | '–' | '−' => out.push('-'),
        '\u{ff01}'..='\u{ff5e}' => out.extend(char::from_u32(u32::from(c) - 0xfee0)),
        '\u{a0}' | '\u{202f}' | '\u{3000}' => out.push(' '),
        c if is_invisible(c) => {}
        c => out.push(c),
    }
}

/// Returns `true` for soft hyphens, characters without width and marks of direction.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
    )
}

impl Terms {
    /// Compiles words and patterns. Both match letters of either case.
    ///
    /// # Errors
    /// [`crate::Error::Invalid`] - there are none or too many, or one is empty, too long, or no pattern.
    pub(crate) fn new(words: &[String], patterns: &[String]) -> Result<Self> {
        let count = words.len() + patterns.len();
        if count == 0 || count > MAX_TERMS {
            return invalid(format!("expected 1 to {MAX_TERMS} words and patterns, got {count}"));
        }
        let mut all: Vec<String> = Vec::new();
        for (at, word) in words.iter().enumerate() {
            let mut folded = String::new();
            word.chars().for_each(|it| fold(it, &mut folded));
            let pieces: Vec<String> = folded.split_whitespace().map(regex::escape).collect();
            if pieces.is_empty() || word.len() > MAX_LENGTH {
                return invalid(format!(
                    "expected a word of 1 to {MAX_LENGTH} bytes in words[{at}]"
                ));
            }
            all.push(pieces.join(r"\s+"));
        }
        // At one place the first alternative is taken, which must not be the beginning of a longer one.
        all.sort_by_key(|it| std::cmp::Reverse(it.len()));
        let mut terms = Vec::new();
        if !all.is_empty() {
            terms.push(compile(&all.join("|"), MAX_WORDS_BYTES, "words")?);
        }
        for (at, pattern) in patterns.iter().enumerate() {
            if pattern.is_empty() || pattern.len() > MAX_LENGTH {
                return invalid(format!(
                    "expected a pattern of 1 to {MAX_LENGTH} bytes in patterns[{at}]"
                ));
            }
            let term = compile(pattern, MAX_PATTERN_BYTES, &format!("patterns[{at}]"))?;
            if term.is_match("") {
                return invalid(format!(
                    "patterns[{at}] matches an empty text, so it would match everywhere: `{pattern}`"
                ));
            }
            terms.push(term);
        }
        Ok(Self(terms))
    }

    /// Returns `true` if a text has a hit.
    pub(crate) fn hit(&self, text: &str) -> bool {
        !self.find(text).is_empty()
    }

    /// Returns the hits in a text as ranges of characters, in their order. Hits that overlap are one.
    pub(crate) fn find(&self, text: &str) -> Vec<Range<usize>> {
        // Most texts have no hit, and most of those that could are plain.
        if text.is_ascii() {
            return self.find_folded(text, |at| at);
        }
        let mut folded = String::with_capacity(text.len());
        text.chars().for_each(|it| fold(it, &mut folded));
        if !self.0.iter().any(|it| it.is_match(&folded)) {
            return Vec::new();
        }
        folded.clear();
        let mut owners: Vec<usize> = Vec::with_capacity(text.len());
        for (at, c) in text.chars().enumerate() {
            fold(c, &mut folded);
            owners.resize(folded.len(), at);
        }
        self.find_folded(&folded, |at| owners.get(at).copied().unwrap_or(usize::MAX - 1))
    }

    /// Finds hits in a folded text; `owner` returns the character that a byte belongs to.
    fn find_folded(&self, text: &str, owner: impl Fn(usize) -> usize) -> Vec<Range<usize>> {
        let mut all: Vec<Range<usize>> = Vec::new();
        for term in &self.0 {
            for found in term.find_iter(text) {
                // What was blackened already is no hit of `\S+`.
                let is_new = found.as_str().chars().any(|c| c != BLOCK && !c.is_whitespace());
                if is_new {
                    all.push(owner(found.start())..owner(found.end() - 1) + 1);
                }
            }
        }
        all.sort_by_key(|it| it.start);
        let mut out: Vec<Range<usize>> = Vec::new();
        for range in all {
            match out.last_mut().filter(|it| range.start < it.end) {
                Some(last) => last.end = last.end.max(range.end),
                None => out.push(range),
            }
        }
        out
    }

    /// Returns a text with its hits blackened; `None` if it has none.
    pub(crate) fn blacken(&self, text: &str) -> Option<(String, usize)> {
        let hits = self.find(text);
        if hits.is_empty() {
            return None;
        }
        let is_hit = |at: usize| hits.iter().any(|it| it.contains(&at));
        let chars = text.chars().enumerate().filter(|&(at, c)| !(is_hit(at) && is_invisible(c)));
        Some((chars.map(|(at, c)| if is_hit(at) { BLOCK } else { c }).collect(), hits.len()))
    }
}

fn compile(pattern: &str, bytes: usize, place: &str) -> Result<Regex> {
    let built = RegexBuilder::new(pattern).case_insensitive(true).size_limit(bytes).build();
    built.or_else(|error| {
        let why = error.to_string();
        let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
        invalid(format!("{place} cannot be used: {why}"))
    })
}

#[cfg(test)]
mod tests {
    use super::Terms;

    fn terms(words: &[&str], patterns: &[&str]) -> Terms {
        let owned = |it: &[&str]| it.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        Terms::new(&owned(words), &owned(patterns)).unwrap()
    }

    #[test]
    fn hits_are_found_in_each_case_and_through_what_has_no_width() {
        let terms = terms(&["Li Wei", "falcon", "falcon nine"], &[r"\d{3}-\d{4}"]);
        let blacken = |text: &str| terms.blacken(text).map(|it| it.0).unwrap_or_default();
        assert_eq!(blacken("by li\u{a0}\n WEI."), "by ████████.");
        assert_eq!(blacken("a Fal\u{ad}c\u{200b}on"), "a ██████");
        assert_eq!(blacken("Falcon Nine"), "███████████");
        assert_eq!(blacken("ＦＡＬＣＯＮ 555‑1234"), "██████ ████████");
        assert_eq!(blacken("nothing"), "");
        assert_eq!(terms.find("falcon falcon").len(), 2);
    }

    #[test]
    fn what_was_blackened_is_no_hit() {
        assert!(!terms(&[], &[r"\S{3,}"]).hit("██████ ████"));
        assert!(terms(&[], &[r"\S{3,}"]).hit("██████a"));
    }

    #[test]
    fn words_and_patterns_have_bounds() {
        let problem = |words: &[String], patterns: &[String]| {
            Terms::new(words, patterns).unwrap_err().to_string()
        };
        let owned = |it: &str| vec![it.to_owned()];
        assert!(problem(&[], &[]).contains("got 0"));
        assert!(problem(&vec!["a".to_owned(); 501], &[]).contains("got 501"));
        assert!(problem(&owned(" \u{200b}"), &[]).contains("words[0]"));
        assert!(problem(&owned(&"a".repeat(1_001)), &[]).contains("words[0]"));
        assert!(problem(&[], &owned("")).contains("patterns[0]"));
        assert!(problem(&[], &owned("(")).contains("patterns[0] cannot be used: unclosed group"));
        assert!(problem(&[], &owned("a*")).contains("matches an empty text"));
        assert!(problem(&[], &owned(r"(\w{200}){200}")).contains("exceeds size limit"));
    }
}
