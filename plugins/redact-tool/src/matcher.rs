//! What is redacted: words and patterns, and where they stand in a text.

use crate::error::{Error, Result, shorten};
use mitt_listing::Listing;
use regex::{Regex, RegexBuilder};
use std::cell::RefCell;
use std::ops::Range;
use unicode_normalization::UnicodeNormalization as _;

/// Most words, and most characters of one.
const MAX_WORDS: usize = 500;
const MAX_WORD: usize = 200;
/// Most patterns, and most bytes of one. Each reads the whole text.
const MAX_PATTERNS: usize = 50;
const MAX_PATTERN: usize = 1_000;
/// Most bytes of a compiled pattern, and of all words together.
const MAX_COMPILED: usize = 1 << 20;
const MAX_COMPILED_WORDS: usize = 8 << 20;
/// Bytes of a text that are searched at once, and how many of them the next window has again. A hit in a longer text is
/// shorter than these. The folded text and its map take six times a window.
const WINDOW: usize = 4 << 20;
const OVERLAP: usize = 64 << 10;
/// Bytes of a part of a long text that is listed.
const LISTED_WINDOW: usize = 8 << 20;
/// Fewest characters of a word that is searched in files of other types: shorter ones stand there by chance.
const MIN_IN_FILES: usize = 6;

/// The sign that stands for each character, and the one where a text cannot have it.
pub(crate) const BLOCK: char = '\u{2588}';
pub(crate) const STAR: char = '*';

#[derive(Debug)]
pub(crate) struct Matcher {
    words: Option<Regex>,
    /// Words that are searched in files of other types.
    long: Option<Regex>,
    patterns: Vec<Regex>,
    /// Keeps each text instead of searching it.
    listing: Option<RefCell<Listing>>,
}

impl Matcher {
    /// Returns a matcher that finds nothing, and that keeps every text in which it searches.
    pub(crate) fn listing() -> Self {
        Self { words: None, long: None, patterns: Vec::new(), listing: Some(RefCell::default()) }
    }

    /// Returns the texts that were kept.
    pub(crate) fn into_listing(self) -> Listing {
        self.listing.map(RefCell::into_inner).unwrap_or_default()
    }

    /// # Errors
    /// [`Error::Invalid`] - a word or a pattern cannot be used; each is named.
    pub(crate) fn new(words: &[String], patterns: &[String]) -> Result<Self> {
        let invalid = |text: String| Err(Error::Invalid(text));
        if words.is_empty() && patterns.is_empty() {
            return invalid("expected at least one word or pattern, got none".to_owned());
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
        let plain = plain_words(words, &mut problems);
        let patterns = compiled(patterns, &mut problems);
        if !problems.is_empty() {
            problems.truncate(20);
            return invalid(problems.join("\n"));
        }
        let some = |least: usize| -> Result<Option<Regex>> {
            let chosen: Vec<String> = plain
                .iter()
                .filter(|it| it.chars().count() >= least)
                .map(|it| expression(it))
                .collect();
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
        Ok(Self { words: some(0)?, long: some(MIN_IN_FILES)?, patterns, listing: None })
    }

    /// Returns the hits in a text, as ranges of its bytes at characters. Ranges may overlap.
    pub(crate) fn hits(&self, text: &str) -> Vec<Range<usize>> {
        if self.is_listed(text) {
            return Vec::new();
        }
        let mut out: Vec<Range<usize>> = Vec::new();
        for window in windows(text, WINDOW) {
            let part = &text[window.clone()];
            let first = out.len();
            let decomposed = Folded::new(part, true);
            if let Some(words) = &self.words {
                let found = overlapping(words, decomposed.text());
                out.extend(found.into_iter().map(|it| decomposed.original(&it)));
            }
            drop(decomposed);
            let folded = Folded::new(part, false);
            for pattern in &self.patterns {
                let found = pattern.find_iter(folded.text()).map(|it| it.range());
                out.extend(found.filter(|it| !it.is_empty()).map(|it| folded.original(&it)));
            }
            for it in &mut out[first..] {
                *it = it.start + window.start..it.end + window.start;
            }
        }
        out
    }

    pub(crate) fn is_in(&self, text: &str) -> bool {
        if self.is_listed(text) {
            return false;
        }
        windows(text, WINDOW).any(|window| {
            let part = &text[window];
            self.words.as_ref().is_some_and(|it| it.is_match(Folded::new(part, true).text()))
                || !self.patterns.is_empty() && {
                    let folded = Folded::new(part, false);
                    self.patterns.iter().any(|it| it.is_match(folded.text()))
                }
        })
    }

    /// Keeps a text if texts are listed. Returns `true` if they are.
    fn is_listed(&self, text: &str) -> bool {
        let Some(listing) = &self.listing else { return false };
        let mut listing = listing.borrow_mut();
        windows(text, LISTED_WINDOW).for_each(|window| listing.add(&text[window]));
        true
    }

    /// Returns `true` if a long word is in a text that is made of the bytes of a file of another type.
    pub(crate) fn is_long_word_in(&self, text: &str) -> bool {
        let is_in = |it: &Regex| {
            windows(text, WINDOW).any(|window| it.is_match(Folded::new(&text[window], true).text()))
        };
        self.long.as_ref().is_some_and(is_in)
    }

    /// Returns `true` if signs that stand for letters would be a hit.
    pub(crate) fn is_sign(&self, sign: char) -> bool {
        if self.listing.is_some() {
            return false;
        }
        let text: String = std::iter::repeat_n(sign, 64).collect();
        self.is_in(&text) || self.is_in(&sign.to_string())
    }
}

/// Returns the words as they are searched, the longest first, because a longer word wins over its beginning.
fn plain_words(words: &[String], problems: &mut Vec<String>) -> Vec<String> {
    let mut plain = Vec::new();
    for (number, word) in words.iter().enumerate() {
        let folded = Folded::new(word, true);
        let text = folded.text().trim();
        let count = text.chars().count();
        match count {
            0 => problems.push(format!("words[{number}]: expected a word, got an empty one")),
            _ if word.chars().count() > MAX_WORD => problems.push(format!(
                "words[{number}]: expected at most {MAX_WORD} characters, got {}",
                word.chars().count()
            )),
            _ if text.contains(BLOCK) => problems
                .push(format!("words[{number}]: the sign `{BLOCK}` stands for redacted text")),
            _ => plain.push(text.to_owned()),
        }
    }
    plain.sort_by_key(|it| std::cmp::Reverse(it.len()));
    plain
}

fn compiled(patterns: &[String], problems: &mut Vec<String>) -> Vec<Regex> {
    let blocks: String = std::iter::repeat_n(BLOCK, 64).collect();
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
            Ok(it) if it.is_match("") || it.is_match(&blocks) => problems.push(format!(
                "patterns[{number}]: `{}` also matches an empty text or the sign `{BLOCK}`; give a pattern that needs letters or digits",
                shorten(pattern, 80)
            )),
            Ok(it) => compiled.push(it),
            Err(error) => {
                let why = error.to_string();
                let why = why.lines().last().unwrap_or_default();
                let why = why.trim_start_matches("error: ");
                problems.push(format!("patterns[{number}]: the pattern cannot be used: {why}"));
            }
        }
    }
    compiled
}

/// Returns matches that may overlap.
fn overlapping(expression: &Regex, text: &str) -> Vec<Range<usize>> {
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

/// Returns the windows of a text, which overlap. They begin at lines where lines are short enough.
pub(crate) fn windows(text: &str, window: usize) -> impl Iterator<Item = Range<usize>> {
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let start = next?;
        let end = text.floor_char_boundary((start + window).min(text.len()));
        next = (end < text.len()).then(|| {
            let back = text.floor_char_boundary(end - OVERLAP);
            let line = text.as_bytes()[back - OVERLAP..back].iter().rposition(|it| *it == b'\n');
            line.map_or(back, |it| back - OVERLAP + it + 1)
        });
        Some(start..end)
    })
}

/// A text without what nobody sees, with the place that each byte comes from.
struct Folded<'a> {
    /// `None` if nothing is folded: the text is ASCII.
    folded: Option<(String, Vec<u32>)>,
    original: &'a str,
}

impl<'a> Folded<'a> {
    /// `is_decomposed` is `true` for words: letters and their marks are characters of their own.
    fn new(original: &'a str, is_decomposed: bool) -> Self {
        if original.is_ascii() && !original.contains(is_invisible) {
            return Self { folded: None, original };
        }
        let mut text = String::with_capacity(original.len());
        let mut from: Vec<u32> = Vec::with_capacity(original.len());
        let mut push = |it: char, at: usize| {
            text.push(it);
            from.resize(text.len(), at as u32);
        };
        for (at, it) in original.char_indices() {
            match it {
                _ if is_invisible(it) => {}
                _ if it.is_ascii() => push(it, at),
                _ if is_decomposed => {
                    std::iter::once(it).nfkd().for_each(|it| push(plain(it), at));
                }
                _ => push(plain(it), at),
            }
        }
        Self { folded: Some((text, from)), original }
    }

    fn text(&self) -> &str {
        self.folded.as_ref().map_or(self.original, |(text, _)| text)
    }

    /// Returns a range of the folded text as a range of the original one.
    fn original(&self, range: &Range<usize>) -> Range<usize> {
        let Some((_, from)) = &self.folded else { return range.clone() };
        let start = from[range.start] as usize;
        let last = from[range.end - 1] as usize;
        start..last + self.original[last..].chars().next().map_or(0, char::len_utf8)
    }
}

/// Returns the plain form of a sign that looks like it.
fn plain(it: char) -> char {
    match it {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(it as u32 - 0xfee0).unwrap_or(it),
        '\u{a0}' | '\u{202f}' | '\u{3000}' | '\u{2000}'..='\u{200a}' | '\u{205f}' => ' ',
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' => '"',
        '\u{2010}' | '\u{2011}' | '\u{2012}' | '\u{2013}' => '-',
        other => other,
    }
}

/// Returns `true` for a character without width: control characters, soft hyphens, joiners, marks of direction, selectors.
fn is_invisible(it: char) -> bool {
    matches!(
        it,
        '\0'..='\u{8}'
            | '\u{e}'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{ad}'
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

#[cfg(test)]
mod tests {
    use super::*;

    fn matcher(words: &[&str], patterns: &[&str]) -> Result<Matcher> {
        let own = |all: &[&str]| all.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        Matcher::new(&own(words), &own(patterns))
    }

    fn shown(found: &Matcher, text: &str) -> Vec<String> {
        found.hits(text).into_iter().map(|it| text[it].to_owned()).collect()
    }

    #[test]
    fn words_are_found_in_any_form() {
        let found = matcher(&["John Smith", "abc", "bcd", "Jos\u{e9}", "张伟"], &[]).unwrap();
        for text in
            ["JOHN  smith", "jo\u{ad}hn\u{a0}Smi\u{200b}th", "John\r\nSmith", "ＪＯＨＮ　Smith"]
        {
            assert_eq!(shown(&found, &format!("a {text} b")), [text]);
        }
        assert_eq!(shown(&found, "xabcdx"), ["abc", "bcd"]);
        assert_eq!(shown(&found, "JOSÉ"), ["JOSÉ"]);
        assert_eq!(shown(&found, "jose\u{301}!"), ["jose\u{301}"]);
        assert_eq!(shown(&found, "是张伟。"), ["张伟"]);
        assert!(shown(&found, "john. smith").is_empty());
    }

    #[test]
    fn long_texts_are_searched_in_windows_that_overlap() {
        let found = matcher(&["needle in hay"], &["\\bxy{3}\\b"]).unwrap();
        let line = "0123456789 abcdef\n";
        for at in [WINDOW - 5, WINDOW - OVERLAP - 3, WINDOW + 1] {
            let mut text = line.repeat((2 * WINDOW) / line.len());
            text.replace_range(at..at + 20, " needle in hay xyyy ");
            let hits = found.hits(&text);
            assert!(hits.iter().any(|it| text[it.clone()] == *"needle in hay"), "{at}");
            assert!(hits.iter().any(|it| text[it.clone()] == *"xyyy"), "{at}");
            assert!(found.is_in(&text));
        }
        // One line, with characters of several bytes.
        let text = "\u{4e00}".repeat(WINDOW / 2) + "needle in hay";
        assert_eq!(shown(&found, &text).last().map(String::as_str), Some("needle in hay"));
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
        assert!(problem(&[], &["\\S{5}"]).contains("or the sign"));
        assert!(problem(&[], &["("]).contains("cannot be used"));
        assert!(problem(&[], &["(\\w{100}){1000}"]).contains("cannot be used"));
        assert!(problem(&[], &["x".repeat(1_001).as_str()]).contains("at most 1000 bytes"));
    }
}
