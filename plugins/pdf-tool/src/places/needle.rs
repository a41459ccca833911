//! What is searched: words as people see them, and numbers by their value.

use crate::error::{Result, invalid};
use crate::redact::folded;
use regex::{Regex, RegexBuilder};
use std::ops::Range;

/// Most characters of a text that is searched.
const MAX_TEXT: usize = 300;

/// A text that is searched.
pub(super) struct Needle {
    words: Regex,
    number: Option<Number>,
    /// The text begins or ends with a digit, which may belong to a longer number.
    begins_with_digit: bool,
    ends_with_digit: bool,
}

/// A number that is searched.
struct Number {
    values: Vec<String>,
    is_negative: bool,
    /// Numbers in a text; blanks divide thousands.
    wide: Regex,
    /// Numbers in a text; blanks divide numbers.
    narrow: Regex,
}

fn is_cjk(c: char) -> bool {
    matches!(u32::from(c), 0x2e80..=0x9fff | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff)
}

impl Needle {
    /// # Errors
    ///
    /// `invalid-argument` - the text is empty or too long.
    pub(super) fn new(text: &str) -> Result<Self> {
        let text = folded(text.trim());
        if text.trim().is_empty() || text.chars().count() > MAX_TEXT {
            return invalid(format!("expected a text of 1 to {MAX_TEXT} characters"));
        }
        let mut pattern = String::new();
        let mut before: Option<char> = None;
        for c in text.trim().chars() {
            if c == ' ' {
                if before != Some(' ') {
                    pattern.push_str(r"\s+");
                }
                before = Some(' ');
                continue;
            }
            // A word may be divided at the end of a line; Chinese is divided without a hyphen.
            match before {
                None | Some(' ') => {}
                Some('-') => pattern.push_str(r"\s*"),
                Some(it) if is_cjk(it) || is_cjk(c) => pattern.push_str(r"\x{ad}?\s*"),
                Some(_) => pattern.push_str(r"(?:[-\x{ad}] ?\n|\x{ad})?"),
            }
            match c {
                '-' => pattern.push_str(r"[-\x{ad}]"),
                c => pattern.push_str(&regex::escape(&c.to_string())),
            }
            before = Some(c);
        }
        let text = text.trim();
        Ok(Self {
            words: compile(&pattern)?,
            number: number(text)?,
            begins_with_digit: text.starts_with(|it: char| it.is_ascii_digit()),
            ends_with_digit: text.ends_with(|it: char| it.is_ascii_digit()),
        })
    }

    /// Returns where the text stands in another one.
    pub(super) fn spans(&self, text: &str) -> Vec<Range<usize>> {
        let Some(number) = &self.number else {
            let found = self.words.find_iter(text).map(|it| it.range());
            return found.filter(|it| !self.divides_number(text, it)).collect();
        };
        let mut spans: Vec<Range<usize>> = Vec::new();
        // What is read as one number with blanks is not read as several.
        let mut read: Vec<Range<usize>> = Vec::new();
        for (pattern, is_wide) in [(&number.wide, true), (&number.narrow, false)] {
            for found in pattern.find_iter(text) {
                let before = text[..found.start()].trim_end_matches(' ').chars().next_back();
                let is_word = text[..found.start()]
                    .chars()
                    .next_back()
                    .is_some_and(|it| it.is_alphanumeric() && !is_cjk(it));
                let fits = !is_word
                    && (!number.is_negative || matches!(before, Some('-' | '(')))
                    && values(found.as_str()).iter().any(|it| number.values.contains(it));
                let is_read = read
                    .get(read.partition_point(|it| it.end <= found.start()))
                    .is_some_and(|it| it.start < found.end());
                if fits && !is_read {
                    spans.push(found.range());
                }
                if is_wide && !is_word {
                    read.push(found.range());
                }
            }
        }
        spans.sort_by_key(|it| it.start);
        spans
    }

    /// Returns `true` if a border of a place is inside of a number: `2.3%` does not stand in `12.3%`.
    fn divides_number(&self, text: &str, place: &Range<usize>) -> bool {
        self.begins_with_digit && goes_on(text[..place.start].chars().rev())
            || self.ends_with_digit && goes_on(text[place.end..].chars())
    }

    /// Returns `true` if the text stands in another one.
    pub(super) fn is_in(&self, text: &str) -> bool {
        !self.spans(&folded(text)).is_empty()
    }
}

/// Returns `true` if a number goes on with these characters.
fn goes_on(mut outwards: impl Iterator<Item = char>) -> bool {
    match outwards.next() {
        Some('.' | ',' | '\'') => outwards.next().is_some_and(|it| it.is_ascii_digit()),
        Some(it) => it.is_ascii_digit(),
        None => false,
    }
}

fn compile(pattern: &str) -> Result<Regex> {
    let built = RegexBuilder::new(pattern).case_insensitive(true).size_limit(4 << 20).build();
    built.or_else(|_| invalid("the text is too long to be searched"))
}

/// Reads a text as a number; `None` if it is none.
fn number(text: &str) -> Result<Option<Number>> {
    let is_negative = text.starts_with('-');
    let digits = text.trim_start_matches(['-', '+']).trim();
    let values = values(digits);
    if values.is_empty() {
        return Ok(None);
    }
    let wide = compile(r"[0-9]{1,3}(?:[ '][0-9]{3})+(?:[.,][0-9]+)?")?;
    let narrow = compile(r"[0-9]+(?:[.,'][0-9]+)*")?;
    Ok(Some(Number { values, is_negative, wide, narrow }))
}

/// Returns what a number can mean, each as digits with a point: `1,250` is 1250 or 1.25. Nothing if it is no number, or has
/// zeros in front, as codes have.
fn values(text: &str) -> Vec<String> {
    let is_known = |it: char| it.is_ascii_digit() || matches!(it, '.' | ',' | '\'' | ' ');
    let bytes = text.as_bytes();
    if !text.chars().all(is_known)
        || !bytes.first().is_some_and(u8::is_ascii_digit)
        || !bytes.last().is_some_and(u8::is_ascii_digit)
    {
        return Vec::new();
    }
    let mut out = Vec::new();
    let mut add = |whole: &str, part: &str| {
        if let Some(whole) = joined(whole) {
            let part = part.trim_end_matches('0');
            let value = if part.is_empty() { whole } else { format!("{whole}.{part}") };
            if !out.contains(&value) {
                out.push(value);
            }
        }
    };
    add(text, "");
    if let Some(at) = text.rfind(['.', ',']) {
        let (whole, part) = (&text[..at], &text[at + 1..]);
        // The same separator does not divide both thousands and decimals.
        if part.bytes().all(|it| it.is_ascii_digit()) && !whole.contains(&text[at..=at]) {
            add(whole, part);
        }
    }
    out
}

/// Returns the digits of a whole number whose thousands may be divided; `None` if they are divided in another way.
fn joined(text: &str) -> Option<String> {
    let is_code = text.len() > 1 && text.starts_with('0');
    if is_code {
        return None;
    }
    let separators: Vec<char> = text.chars().filter(|it| !it.is_ascii_digit()).collect();
    if separators.windows(2).any(|it| it[0] != it[1]) {
        return None;
    }
    let groups: Vec<&str> = text.split(|it: char| !it.is_ascii_digit()).collect();
    let is_sound = groups.len() == 1
        || ((1..=3).contains(&groups[0].len()) && groups[1..].iter().all(|it| it.len() == 3));
    is_sound.then(|| groups.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_by_value() {
        let finds = |needle: &str, text: &str| Needle::new(needle).unwrap().is_in(text);
        for text in ["1250", "1,250.00", "1.250,00", "1 250", "1'250.0", "CHF 1250.-"] {
            assert!(finds("1250", text) && finds("1,250.00", text), "{text}");
        }
        for text in ["12500", "1251", "01250", "A1250", "1.2500", "1250.5", "11 250"] {
            assert!(!finds("1250", text), "{text}");
        }
        assert!(finds("-5", "a loss of -5") && finds("-5", "(5)") && !finds("-5", "5"));
        assert!(finds("2026", "in 2026 250 people") && finds("250", "in 2026 250 people"));
        assert!(!finds("250", "1 250 people"));
        assert!(finds("12.11.2026", "on 12.11.2026") && !finds("12.11.2026", "12112026"));
        assert!(finds("１２５０", "1,250"));
    }

    #[test]
    fn words_are_found_over_the_ends_of_lines() {
        let finds = |needle: &str, text: &str| Needle::new(needle).unwrap().spans(text).len();
        assert_eq!(finds("red wine", "Red\nWINE and red  wine"), 2);
        assert_eq!(finds("contract", "con-\ntract con\u{ad}\ntract con\u{ad}tract"), 3);
        assert_eq!(finds("notable", "no table, no\ntable"), 0);
        assert_eq!(finds("no table", "notable"), 0);
        assert_eq!(finds("合同条款", "合同\n条款"), 1);
        assert_eq!(finds("well-known", "well-\nknown, well-known"), 2);
    }

    #[test]
    fn a_number_with_its_unit_is_not_found_in_a_longer_one() {
        let finds = |needle: &str, text: &str| -> Vec<(usize, usize)> {
            let spans = Needle::new(needle).unwrap().spans(text);
            spans.into_iter().map(|it| (it.start, it.end)).collect()
        };
        assert_eq!(finds("2.3%", "12.3% and 2.3%"), [(10, 14)]);
        assert_eq!(finds("5 kg", "15 kg, 5 kg and 2.5 kg"), [(7, 11)]);
        assert_eq!(finds("Q1", "Q10, Q1, Q1. Then Q1.5"), [(5, 7), (9, 11)]);
        assert_eq!(finds("5%", "1,5% 1'005% -5% (5%) 第5%"), [(13, 15), (17, 19), (24, 26)]);
    }

    #[test]
    fn an_empty_text_and_a_long_one_are_refused() {
        assert!(Needle::new("  ").is_err() && Needle::new(&"x".repeat(301)).is_err());
    }
}
