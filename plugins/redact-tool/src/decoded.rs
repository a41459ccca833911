//! Texts with the escapes of web pages, addresses, JSON and tables undone.

use crate::marks::Marks;
use crate::matcher::{Matcher, windows};
use crate::view::{View, WINDOW};
use std::ops::Range;

/// Longest name of a character of HTML.
const MAX_NAME: usize = 32;
/// Longest name that browsers know without a semicolon.
const MAX_OLD_NAME: usize = 6;

/// Which escapes are undone.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Escapes {
    /// `&eacute;`, `&#233;`
    pub(crate) entities: bool,
    /// `%C3%A9`, and `+` for a space
    pub(crate) percent: bool,
    /// `\u00e9`
    pub(crate) json: bool,
    /// `""` in a field of a table
    pub(crate) quotes: bool,
}

impl Escapes {
    fn is_in(self, text: &str) -> bool {
        self.entities && text.contains('&')
            || self.percent && text.contains(['%', '+'])
            || self.json && text.contains("\\u")
            || self.quotes && text.contains("\"\"")
    }
}

/// Adds the hits that a text has only without its escapes.
pub(crate) fn mark(text: &str, escapes: Escapes, matcher: &Matcher, marks: &mut Marks) {
    mark_part(text, 0..text.len(), escapes, matcher, marks);
}

/// Does what [`mark`] does for a part of a text.
pub(crate) fn mark_part(
    text: &str,
    range: Range<usize>,
    escapes: Escapes,
    matcher: &Matcher,
    marks: &mut Marks,
) {
    let part = &text[range.clone()];
    if !escapes.is_in(part) {
        return;
    }
    for window in windows(part, WINDOW) {
        let piece = &part[window.clone()];
        if escapes.is_in(piece) {
            let mut view = View::default();
            push(&mut view, piece, range.start + window.start, escapes);
            marks.add_view(&view, matcher);
        }
    }
}

/// Adds a text at `start` of the source to a view.
pub(crate) fn push(view: &mut View, text: &str, start: usize, escapes: Escapes) {
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let special = rest.find(['&', '%', '+', '\\', '"']).unwrap_or(rest.len());
        view.push_source(&rest[..special], start + at);
        at += special;
        let rest = &text[at..];
        let place = start + at;
        at += match rest.as_bytes().first() {
            None => 0,
            Some(b'&') if escapes.entities => match entity(rest) {
                Some((length, shown)) => {
                    shown.chars().for_each(|it| view.push(it, place..place + length));
                    length
                }
                None => one(view, rest, place),
            },
            Some(b'%') if escapes.percent => percent(view, rest, place),
            Some(b'+') if escapes.percent => {
                view.push(' ', place..place + 1);
                1
            }
            Some(b'\\') if escapes.json => json(view, rest, place),
            Some(b'"') if escapes.quotes && rest.starts_with("\"\"") => {
                view.push('"', place..place + 2);
                2
            }
            Some(_) => one(view, rest, place),
        };
    }
}

/// Adds the first sign, which is ASCII, as it is.
fn one(view: &mut View, rest: &str, place: usize) -> usize {
    view.push_source(&rest[..1], place);
    1
}

/// Adds a run of `%C3%A9`. Returns its length.
fn percent(view: &mut View, rest: &str, place: usize) -> usize {
    let hex = |at: usize| {
        let digits = rest.as_bytes().get(3 * at..3 * at + 3)?;
        let is_hex = digits[0] == b'%' && digits[1..].iter().all(u8::is_ascii_hexdigit);
        is_hex.then(|| u8::from_str_radix(&rest[3 * at + 1..3 * at + 3], 16).ok())?
    };
    let bytes: Vec<u8> = (0..).map_while(hex).collect();
    if bytes.is_empty() {
        return one(view, rest, place);
    }
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        let invalid = (!chunk.invalid().is_empty()).then_some(('\u{fffd}', chunk.invalid().len()));
        let valid = chunk.valid().chars().map(|it| (it, it.len_utf8()));
        for (it, length) in valid.chain(invalid) {
            view.push(it, place + 3 * at..place + 3 * (at + length));
            at += length;
        }
    }
    3 * bytes.len()
}

/// Adds a `\u00e9`, or two of them that are one character. Returns the length.
fn json(view: &mut View, rest: &str, place: usize) -> usize {
    let unit = |at: usize| {
        let digits = rest.get(at..)?.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok()
    };
    let Some(first) = unit(0) else { return one(view, rest, place) };
    let units: Vec<u16> = std::iter::once(first).chain(unit(6)).collect();
    match char::decode_utf16(units).next() {
        Some(Ok(it)) => {
            let length = 6 * it.len_utf16();
            view.push(it, place..place + length);
            length
        }
        _ => one(view, rest, place),
    }
}

/// Returns the length of the character of HTML that a text begins with, and what it shows.
fn entity(rest: &str) -> Option<(usize, String)> {
    if let Some(number) = rest.strip_prefix("&#") {
        let (digits, radix, mark) = match number.strip_prefix(['x', 'X']) {
            Some(digits) => (digits, 16, 3),
            None => (number, 10, 2),
        };
        let length = digits.find(|it: char| !it.is_digit(radix)).unwrap_or(digits.len());
        let value = u32::from_str_radix(&digits[..length], radix).ok()?;
        let end = usize::from(digits[length..].starts_with(';'));
        let shown = char::from_u32(value).unwrap_or('\u{fffd}');
        return Some((mark + length + end, shown.to_string()));
    }
    let name = &rest[1..];
    let length = name.bytes().take(MAX_NAME).take_while(u8::is_ascii_alphanumeric).count();
    let known = |name: &str| {
        let written = format!("&{name};");
        let shown = html_escape::decode_html_entities(&written);
        (shown != written).then(|| shown.into_owned())
    };
    if name[length..].starts_with(';') {
        return known(&name[..length]).map(|shown| (length + 2, shown));
    }
    let mut old = (2..=length.min(MAX_OLD_NAME)).rev();
    old.find_map(|length| known(&name[..length]).map(|shown| (length + 1, shown)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone_and_have_their_places() {
        let all = Escapes { entities: true, percent: true, json: true, quotes: true };
        let source =
            "a&eacute;&#76;&#x69 &amp;&eacute%E5%BC%A0+\\u5f20\\ud83d\\ude00\"\"&x; 5% %zz\\n";
        let mut view = View::default();
        push(&mut view, source, 0, all);
        assert_eq!(view.text, "aéLi &é张 张😀\"&x; 5% %zz\\n");
        let at = view.text.find("张").unwrap();
        let pieces = view.pieces(&(at..at + "张 张".len()));
        assert_eq!(pieces.len(), 1);
        assert_eq!(&source[pieces[0].clone()], "%E5%BC%A0+\\u5f20");
    }
}
