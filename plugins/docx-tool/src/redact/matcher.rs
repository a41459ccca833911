//! What is redacted: words and patterns, and where they stand in a text.

use crate::diff;
use crate::error::{Error, Result, invalid};
use crate::story::shorten;
use regex::{Regex, RegexBuilder};
use std::ops::Range;

/// Most words, and most characters of one.
const MAX_WORDS: usize = 500;
const MAX_WORD: usize = 200;
/// Most patterns, and most bytes of one. Each reads the whole document.
const MAX_PATTERNS: usize = 50;
const MAX_PATTERN: usize = 1_000;
/// Most bytes of a compiled pattern, and of all words together.
const MAX_COMPILED: usize = 1 << 20;
const MAX_COMPILED_WORDS: usize = 8 << 20;
/// Fewest characters of a word that is searched in pictures: shorter ones stand there by chance.
const MIN_IN_PICTURES: usize = 6;

/// The sign that stands for each character.
pub(super) const BLOCK: char = '\u{2588}';

#[derive(Debug)]
pub(super) struct Matcher {
    words: Option<Regex>,
    /// Words with a space in them, which may go on in the next paragraph.
    phrases: Option<Regex>,
    /// Words that are searched in pictures.
    long: Option<Regex>,
    patterns: Vec<Regex>,
}

impl Matcher {
    pub(super) fn new(words: &[String], patterns: &[String]) -> Result<Self> {
        if words.is_empty() && patterns.is_empty() {
            return invalid("expected at least one word or pattern, got none");
        }
        if words.len() > MAX_WORDS {
            return invalid(format!("expected at most {MAX_WORDS} words, got {}", words.len()));
        }
        if patterns.len() > MAX_PATTERNS {
            return invalid(format!(
                "expected at most {MAX_PATTERNS} patterns, got {}",
                patterns.len()
            ));
        }
        let mut problems = Vec::new();
        let mut plain = Vec::new();
        for (number, word) in words.iter().enumerate() {
            let text = Folded::new(word).text;
            let text = text.trim();
            let count = text.chars().count();
            match count {
                0 => problems.push(format!("words[{number}]: expected a word, got an empty one")),
                _ if count > MAX_WORD => problems.push(format!(
                    "words[{number}]: expected at most {MAX_WORD} characters, got {count}"
                )),
                _ if text.contains(BLOCK) => problems
                    .push(format!("words[{number}]: the sign `{BLOCK}` stands for redacted text")),
                _ => plain.push(text.to_owned()),
            }
        }
        let mut compiled = Vec::new();
        for (number, pattern) in patterns.iter().enumerate() {
            if pattern.len() > MAX_PATTERN {
                problems.push(format!(
                    "patterns[{number}]: expected at most {MAX_PATTERN} bytes, got {}",
                    pattern.len()
                ));
                continue;
            }
            match RegexBuilder::new(pattern).size_limit(MAX_COMPILED).build() {
                Ok(it) if it.is_match("") || it.is_match(&BLOCK.to_string()) => {
                    problems.push(format!(
                        "patterns[{number}]: `{}` also matches an empty text or the sign `{BLOCK}`; give a pattern that needs letters or digits",
                        shorten(pattern, 80)
                    ));
                }
                Ok(it) => compiled.push(it),
                Err(error) => {
                    let why = error.to_string();
                    let why = why.lines().last().unwrap_or_default();
                    let why = why.trim_start_matches("error: ").to_owned();
                    problems.push(format!("patterns[{number}]: the pattern cannot be used: {why}"));
                }
            }
        }
        if !problems.is_empty() {
            problems.truncate(20);
            return Err(Error::Invalid(problems.join("\n")));
        }
        // A longer word wins over its beginning.
        plain.sort_by_key(|it| std::cmp::Reverse(it.len()));
        let some = |wanted: &dyn Fn(&str) -> bool| -> Result<Option<Regex>> {
            let chosen: Vec<String> =
                plain.iter().filter(|it| wanted(it)).map(|it| expression(it)).collect();
            if chosen.is_empty() {
                return Ok(None);
            }
            RegexBuilder::new(&chosen.join("|"))
                .case_insensitive(true)
                .size_limit(MAX_COMPILED_WORDS)
                .build()
                .map(Some)
                .map_err(|_| {
                    Error::Invalid("expected fewer words, got too many for one call".to_owned())
                })
        };
        Ok(Self {
            words: some(&|_| true)?,
            phrases: some(&|it| it.contains(char::is_whitespace))?,
            long: some(&|it| it.chars().count() >= MIN_IN_PICTURES)?,
            patterns: compiled,
        })
    }

    pub(super) fn has_phrases(&self) -> bool {
        self.phrases.is_some()
    }

    /// Returns the hits in a text, as ranges of its characters.
    pub(super) fn hits(&self, text: &str) -> Vec<Range<usize>> {
        let folded = Folded::new(text);
        let mut out = overlapping(self.words.as_ref(), &folded.text);
        for pattern in &self.patterns {
            out.extend(pattern.find_iter(&folded.text).map(|it| it.range()));
        }
        folded.original(out)
    }

    /// Returns the hits of words with spaces in a text of several paragraphs.
    pub(super) fn phrase_hits(&self, text: &str) -> Vec<Range<usize>> {
        let folded = Folded::new(text);
        folded.original(overlapping(self.phrases.as_ref(), &folded.text))
    }

    pub(super) fn is_in(&self, text: &str) -> bool {
        let folded = Folded::new(text);
        let text = folded.text.as_str();
        self.words.as_ref().is_some_and(|it| it.is_match(text))
            || self.patterns.iter().any(|it| it.is_match(text))
    }

    /// Returns `true` if an address has a hit, also behind `%20`.
    pub(super) fn is_in_address(&self, text: &str) -> bool {
        self.is_in(text) || text.contains('%') && self.is_in(&percent_decoded(text))
    }

    pub(super) fn is_long_word_in(&self, text: &str) -> bool {
        self.long.as_ref().is_some_and(|it| it.is_match(&Folded::new(text).text))
    }
}

/// Returns matches that may overlap.
fn overlapping(expression: Option<&Regex>, text: &str) -> Vec<Range<usize>> {
    let Some(expression) = expression else { return Vec::new() };
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(found) = expression.find_at(text, at) {
        out.push(found.range());
        at = found.start() + text[found.start()..].chars().next().map_or(1, char::len_utf8);
    }
    out
}

/// Returns the expression of a word. Any white space stands for a space.
fn expression(word: &str) -> String {
    let parts: Vec<String> = word.split_whitespace().map(regex::escape).collect();
    parts.join("\\s+")
}

/// A text without what nobody sees, with the characters that each byte comes from.
pub(super) struct Folded {
    pub(super) text: String,
    /// Index of the character of each byte.
    from: Vec<u32>,
}

impl Folded {
    pub(super) fn new(text: &str) -> Self {
        let mut out = Self { text: String::with_capacity(text.len()), from: Vec::new() };
        for (index, it) in text.chars().enumerate() {
            if is_invisible(it) {
                continue;
            }
            let it = match it {
                // Full-width forms of ASCII.
                '\u{ff01}'..='\u{ff5e}' => char::from_u32(it as u32 - 0xfee0).unwrap_or(it),
                '\u{3000}' | '\u{2000}'..='\u{200a}' | '\u{205f}' => ' ',
                _ => diff::plain(it),
            };
            out.text.push(it);
            out.from.resize(out.text.len(), index as u32);
        }
        out
    }

    /// Returns ranges of bytes as ranges of the characters of the original text.
    fn original(&self, ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
        let index = |at: usize| self.from.get(at).map_or(0, |it| *it as usize);
        let all = ranges.into_iter().filter(|it| !it.is_empty());
        all.map(|it| index(it.start)..index(it.end - 1) + 1).collect()
    }
}

/// Returns `true` for a character without width: soft hyphens, joiners, marks of direction, selectors.
pub(super) fn is_invisible(it: char) -> bool {
    matches!(
        it,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
    )
}

pub(super) fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = (bytes[at] == b'%')
            .then(|| text.get(at + 1..at + 3).and_then(|it| u8::from_str_radix(it, 16).ok()))
            .flatten();
        out.push(code.unwrap_or(bytes[at]));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Returns a text with the characters of the ranges as blocks.
pub(super) fn masked(text: &str, hits: &[Range<usize>]) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for range in hits {
        for it in chars.get_mut(range.clone()).unwrap_or_default() {
            *it = BLOCK;
        }
    }
    chars.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matcher(words: &[&str], patterns: &[&str]) -> Result<Matcher> {
        let own = |all: &[&str]| all.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        Matcher::new(&own(words), &own(patterns))
    }

    #[test]
    fn words_are_found_in_any_form() {
        let found = matcher(&["John Smith", "ann", "anna", "abc", "bcd"], &[]).unwrap();
        let mask = |text: &str| masked(text, &found.hits(text));
        assert_eq!(mask("JOHN  smith"), "███████████");
        assert_eq!(mask("jo\u{ad}hn\u{a0}Smi\u{200b}th!"), "████████████!");
        assert_eq!(mask("Anna"), "████");
        assert_eq!(mask("xabcdx"), "x████x");
        assert_eq!(mask("ＡＢＣ"), "███");
        assert!(found.is_in_address("https://a.test/John%20Smith"));
    }

    #[test]
    fn what_cannot_be_searched_is_refused() {
        let problem =
            |words: &[&str], patterns: &[&str]| matcher(words, patterns).unwrap_err().to_string();
        assert!(problem(&[], &[]).contains("at least one word"));
        assert!(problem(&[" \u{200b}"], &[]).contains("words[0]"));
        assert!(problem(&["█"], &[]).contains("stands for redacted text"));
        assert!(problem(&["x".repeat(300).as_str()], &[]).contains("at most 200 characters"));
        assert!(problem(&vec!["x"; 501], &[]).contains("at most 500 words"));
        assert!(problem(&[], &vec!["x"; 51]).contains("at most 50 patterns"));
        assert!(problem(&[], &["x*"]).contains("an empty text"));
        assert!(problem(&[], &["("]).contains("cannot be used"));
        assert!(problem(&[], &["(\\w{100}){1000}"]).contains("cannot be used"));
        assert!(problem(&[], &["x".repeat(1_001).as_str()]).contains("at most 1000 bytes"));
    }
}
