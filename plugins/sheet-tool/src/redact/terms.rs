//! What is searched for, and where it stands in a text.

use crate::error::{Result, invalid};
use regex::{Regex, RegexBuilder};
use std::borrow::Cow;
use std::ops::Range;

/// Most words and patterns of a call.
const MAX_TERMS: usize = 500;
/// Most bytes of one.
const MAX_LENGTH: usize = 1_000;
/// Most memory of one compiled pattern.
const MAX_PROGRAM: usize = 4 << 20;
/// What stands in the place of a removed character.
pub(super) const MASK: char = '█';

/// Words and patterns, ready to be searched.
#[derive(Debug)]
pub(super) struct Terms(Vec<Term>);

#[derive(Debug)]
struct Term {
    pattern: Regex,
    /// The first two letters of a word, in lower case, if both are ASCII. A text of ASCII without them has no hit.
    start: Option<[u8; 2]>,
}

impl Term {
    fn may_be_in(&self, ascii: &str) -> bool {
        let Some(start) = self.start else { return true };
        ascii.as_bytes().windows(2).any(|it| it.eq_ignore_ascii_case(&start))
    }
}

impl Terms {
    pub(super) fn new(words: &[String], patterns: &[String]) -> Result<Self> {
        if words.is_empty() && patterns.is_empty() {
            return invalid("expected at least one word or pattern");
        }
        if words.len() + patterns.len() > MAX_TERMS {
            return invalid(format!("expected at most {MAX_TERMS} words and patterns"));
        }
        let mut all = Vec::new();
        for word in words {
            let folded = folded(word.trim()).0;
            if folded.trim().is_empty() || word.len() > MAX_LENGTH {
                return invalid(format!("expected words of 1 to {MAX_LENGTH} bytes, got `{word}`"));
            }
            // A blank may be any white space, also an end of line within a cell.
            let parts: Vec<String> = folded.split_whitespace().map(regex::escape).collect();
            let start: Vec<u8> = folded.trim_start().bytes().take(2).collect();
            let start = <[u8; 2]>::try_from(start).ok();
            let start = start.filter(|it| it.iter().all(u8::is_ascii_graphic));
            all.push((parts.join(r"\s+"), start.map(|it| it.map(|it| it.to_ascii_lowercase()))));
        }
        for pattern in patterns {
            if pattern.trim().is_empty() || pattern.len() > MAX_LENGTH {
                return invalid(format!("expected patterns of 1 to {MAX_LENGTH} bytes"));
            }
            all.push((pattern.clone(), None));
        }
        let mut terms = Vec::with_capacity(all.len());
        for (pattern, start) in &all {
            let built = RegexBuilder::new(pattern)
                .case_insensitive(true)
                .size_limit(MAX_PROGRAM)
                .dfa_size_limit(MAX_PROGRAM)
                .build();
            match built {
                Ok(term) if term.is_match("") => {
                    return invalid(format!("the pattern `{pattern}` also matches nothing at all"));
                }
                Ok(pattern) => terms.push(Term { pattern, start: *start }),
                Err(error) => {
                    let why = error.to_string();
                    let why = why.lines().last().unwrap_or_default();
                    return invalid(format!("the pattern `{pattern}` cannot be used: {why}"));
                }
            }
        }
        Ok(Self(terms))
    }

    /// Returns the ranges of bytes that are to be removed, in order and without overlap. What is masked already does not count.
    pub(super) fn hits(&self, text: &str) -> Vec<Range<usize>> {
        if text.is_empty() {
            return Vec::new();
        }
        let (plain, places) = if text.is_ascii() {
            (Cow::Borrowed(text), None)
        } else {
            let (plain, places) = folded(text);
            (Cow::Owned(plain), places)
        };
        let mut found: Vec<Range<usize>> = Vec::new();
        for term in &self.0 {
            if places.is_none() && !term.may_be_in(&plain) {
                continue;
            }
            for hit in term.pattern.find_iter(&plain) {
                let is_masked = hit.as_str().chars().all(|it| it == MASK || it.is_whitespace());
                if !is_masked {
                    found.push(match &places {
                        Some(places) => places[hit.start()]..places[hit.end()],
                        None => hit.range(),
                    });
                }
            }
        }
        found.sort_unstable_by_key(|it| (it.start, it.end));
        let mut merged: Vec<Range<usize>> = Vec::new();
        for hit in found {
            match merged.last_mut() {
                Some(last) if hit.start < last.end => last.end = last.end.max(hit.end),
                _ => merged.push(hit),
            }
        }
        merged
    }

    pub(super) fn has(&self, text: &str) -> bool {
        !self.hits(text).is_empty()
    }

    /// Returns a text with its hits masked, and their number; `None` if there are none.
    pub(super) fn masked(&self, text: &str) -> Option<(String, usize)> {
        let mut text = text.to_owned();
        let mut count = 0;
        // What is masked may make room for another hit of a pattern.
        for _ in 0..8 {
            let hits = self.hits(&text);
            if hits.is_empty() {
                break;
            }
            count += hits.len();
            text = covered(&text, &hits);
        }
        (count > 0).then_some((text, count))
    }
}

/// Returns a text with some ranges masked, character for character. Ends of lines stay.
pub(super) fn covered(text: &str, hits: &[Range<usize>]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for hit in hits {
        out.push_str(&text[copied..hit.start]);
        let masks = text[hit.clone()].chars().map(|it| if it == '\n' { it } else { MASK });
        out.extend(masks);
        copied = hit.end;
    }
    out + &text[copied..]
}

/// Makes characters that look alike the same, so that a wide letter or a hard blank does not hide a word. Returns for each byte
/// of the result its place in the text; `None` if they are the same.
fn folded(text: &str) -> (String, Option<Vec<usize>>) {
    if text.is_ascii() {
        return (text.to_owned(), None);
    }
    let (mut out, mut places) = (String::with_capacity(text.len()), Vec::new());
    for (at, c) in text.char_indices() {
        let length = out.len();
        match c {
            'ﬀ' => out.push_str("ff"),
            'ﬁ' => out.push_str("fi"),
            'ﬂ' => out.push_str("fl"),
            'ﬃ' => out.push_str("ffi"),
            'ﬄ' => out.push_str("ffl"),
            'ﬅ' | 'ﬆ' => out.push_str("st"),
            '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' => {}
            '‘' | '’' | '‛' => out.push('\''),
            '“' | '”' => out.push('"'),
            '‐' | '‑' | '‒' | '–' | '−' => out.push('-'),
            '\u{ff01}'..='\u{ff5e}' => out.extend(char::from_u32(u32::from(c) - 0xfee0)),
            other if other.is_whitespace() && other != '\n' => out.push(' '),
            other => out.push(other),
        }
        places.resize(out.len(), at);
        // A hit that ends within a ligature takes all of it.
        for place in places.iter_mut().skip(length + 1) {
            *place = at + c.len_utf8();
        }
    }
    places.push(text.len());
    (out, Some(places))
}
