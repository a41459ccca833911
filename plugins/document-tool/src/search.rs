//! Searches text: exactly, or without regard to case, width and white space.

use crate::bindings::exports::mitt::document_tool::tools::{Found, Matches};
use crate::outline::{Heading, headings};
use mitt_guest::tables::Error;
use mitt_guest::tables::wit::types::Place;

/// Most characters of the search text, and most results.
const MAX_TEXT: usize = 200;
const MAX_FOUND: u32 = 100;
const DEFAULT_FOUND: u32 = 20;
/// Characters before and after a match that are shown.
const AROUND: usize = 60;

/// The text to search for.
pub(crate) struct Needle {
    text: String,
    exact: bool,
    limit: usize,
}

impl Needle {
    /// Checks and folds the search text.
    ///
    /// # Errors
    ///
    /// `invalid-argument` - the text is empty or too long, or the limit is out of range.
    pub(crate) fn new(text: &str, exact: bool, limit: Option<u32>) -> Result<Needle, Error> {
        let invalid = |problem: String| Err(Error::InvalidArgument(problem));
        let length = text.chars().count();
        let limit = limit.unwrap_or(DEFAULT_FOUND);
        if !(1..=MAX_FOUND).contains(&limit) {
            return invalid(format!("`limit`: expected 1 to {MAX_FOUND}, got {limit}"));
        }
        let folded = if exact { text.to_owned() } else { Folded::new(text.trim()).text };
        if folded.is_empty() || length > MAX_TEXT {
            return invalid(format!("`text`: expected 1 to {MAX_TEXT} characters, got {length}"));
        }
        Ok(Needle { text: folded, exact, limit: limit as usize })
    }

    /// Adds the matches in `text` of a document.
    pub(crate) fn find(&self, document: &str, text: &str, places: &[Place], matches: &mut Matches) {
        let folded = if self.exact { None } else { Some(Folded::new(text)) };
        let hay = folded.as_ref().map_or(text, |it| it.text.as_str());
        let mut sections = headings(text).peekable();
        let mut section: Option<Heading<'_>> = None;
        let (mut counted, mut offset) = (0, 0_u64);
        for (at, _) in hay.match_indices(&self.text) {
            matches.total += 1;
            if matches.found.len() >= self.limit {
                continue;
            }
            let (start, end) = match &folded {
                Some(folded) => folded.original(at, at + self.text.len()),
                None => (at, at + self.text.len()),
            };
            offset += text[counted..start].chars().count() as u64;
            counted = start;
            while sections.peek().is_some_and(|next| next.offset <= offset) {
                section = sections.next();
            }
            let n_before = places.partition_point(|place| place.offset <= offset);
            let place = n_before.checked_sub(1).and_then(|at| places.get(at));
            matches.found.push(Found {
                document: document.to_owned(),
                offset,
                place: place.map(|place| place.label.clone()),
                heading: section.as_ref().map(|heading| heading.title.to_owned()),
                context: context(text, start, end),
            });
        }
    }
}

/// Returns a match with its surroundings, on one line.
fn context(text: &str, start: usize, end: usize) -> String {
    let before = text[..start].char_indices().rev().nth(AROUND - 1).map_or(0, |(at, _)| at);
    let behind = text[end..].char_indices().nth(AROUND).map_or(text.len(), |(at, _)| end + at);
    let words: Vec<&str> = text[before..behind].split_whitespace().collect();
    let (open, close) =
        (if before > 0 { "…" } else { "" }, if behind < text.len() { "…" } else { "" });
    format!("{open}{}{close}", words.join(" "))
}

/// A text without ignored differences, and the origin of each byte.
struct Folded {
    text: String,
    /// For each byte, the offset of its character in the original text.
    origins: Vec<u32>,
    end: usize,
}

impl Folded {
    fn new(text: &str) -> Folded {
        let mut folded = Folded {
            text: String::with_capacity(text.len()),
            origins: Vec::new(),
            end: text.len(),
        };
        let mut last = None;
        let mut chars = text.char_indices().peekable();
        while let Some((at, character)) = chars.next() {
            if is_ignored(character) {
                continue;
            }
            if character.is_whitespace() {
                while chars
                    .peek()
                    .is_some_and(|(_, next)| next.is_whitespace() || is_ignored(*next))
                {
                    chars.next();
                }
                // A line break between Chinese characters is nothing; elsewhere it is a space.
                let next = chars.peek().map(|(_, next)| *next);
                if !(last.is_some_and(is_wide) && next.is_some_and(is_wide)) {
                    folded.push(at, ' ');
                }
                last = Some(' ');
                continue;
            }
            last = Some(character);
            narrow(character).to_lowercase().for_each(|character| folded.push(at, character));
        }
        folded
    }

    fn push(&mut self, at: usize, character: char) {
        self.text.push(character);
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        self.origins.resize(self.text.len(), at);
    }

    /// Returns the start of the first and the end of the last character that the bytes `start..end` come from.
    fn original(&self, start: usize, end: usize) -> (usize, usize) {
        let of = |at: usize| self.origins.get(at).map_or(self.end, |at| *at as usize);
        (of(start), of(end))
    }
}

/// Returns `true` for soft hyphens, joiners and other invisible characters.
fn is_ignored(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}')
}

/// Converts full-width forms of ASCII to ASCII.
fn narrow(character: char) -> char {
    match character {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(character as u32 - 0xfee0).unwrap_or(character),
        other => other,
    }
}

/// Returns `true` for characters that are written without spaces between them.
pub(crate) fn is_wide(character: char) -> bool {
    matches!(character, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff01}'..='\u{ff60}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(text: &str, needle: &str, exact: bool) -> Vec<(u64, String)> {
        let mut matches = Matches { found: Vec::new(), total: 0 };
        Needle::new(needle, exact, None).unwrap().find("a.md", text, &[], &mut matches);
        assert_eq!(matches.found.len() as u64, matches.total);
        matches.found.into_iter().map(|found| (found.offset, found.context)).collect()
    }

    #[test]
    fn case_width_and_white_space_do_not_count_unless_wanted() {
        for (text, needle, at) in [
            ("the Net\n Revenue", "net revenue", 4),
            ("ＡＢＣ 2024", "abc 2024", 0),
            ("x 营业\n收入", "营业收入", 2),
            ("x 营业 收入", "营业收入", 2),
            ("soft\u{ad}ware", "software", 0),
            ("İstanbul", "stanbul", 1),
        ] {
            let found = find(text, needle, false);
            assert_eq!(found.iter().map(|it| it.0).collect::<Vec<_>>(), [at], "{text}");
            assert_eq!(
                find(text, needle, true).len(),
                usize::from(text.contains(needle)),
                "{text}"
            );
        }
        assert!(find("net revenue", "netrevenue", false).is_empty());
        assert_eq!(find("a.b a-b", "a.b", false).len(), 1, "no pattern");
    }

    #[test]
    fn a_match_tells_page_heading_and_what_is_around() {
        let text = format!("# 一\n{}DAU\n## 二\nDAU again", "x ".repeat(100));
        let places = [(0, "page 1"), (150, "page 2")];
        let places = places.map(|(offset, label)| Place { offset, label: label.into() });
        let mut matches = Matches { found: Vec::new(), total: 0 };
        Needle::new("dau", false, Some(1)).unwrap().find("a.pdf", &text, &places, &mut matches);
        assert_eq!((matches.found.len(), matches.total), (1, 2));
        let found = &matches.found[0];
        assert_eq!(
            (found.offset, found.place.as_deref(), found.heading.as_deref()),
            (204, Some("page 2"), Some("一"))
        );
        assert!(
            found.context.starts_with("…x x") && found.context.ends_with("DAU ## 二 DAU again"),
            "{}",
            found.context
        );
    }

    #[test]
    fn what_cannot_be_searched_for_is_refused() {
        for (text, limit) in [("", None), ("\u{200b} ", None), ("x", Some(0)), ("x", Some(101))] {
            assert!(
                matches!(Needle::new(text, false, limit), Err(Error::InvalidArgument(_))),
                "{text}"
            );
        }
        assert!(Needle::new(&"年".repeat(201), false, None).is_err());
        assert!(Needle::new(&"年".repeat(200), false, Some(100)).is_ok());
    }
}
