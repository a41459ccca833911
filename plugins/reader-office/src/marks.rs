//! Marks that pass through the library in the text of a run. The text between them was written by this crate and is not
//! in the document.
//!
//! They are noncharacters, which no exchanged text contains. [`strip`] removes those that a document has anyway.

/// Delimiters of text that is written unchanged: an equation, whose backslashes and stars are not Markdown.
pub(crate) const RAW: [char; 2] = ['\u{fdd0}', '\u{fdd1}'];

/// Delimiters of the automatic number of a paragraph.
pub(crate) const LABEL: [char; 2] = ['\u{fdd2}', '\u{fdd3}'];

/// Delimiters of the index of an inserted document.
const CHUNK: [char; 2] = ['\u{fdd4}', '\u{fdd5}'];

pub(crate) fn raw(text: &str) -> String {
    format!("{}{text}{}", RAW[0], RAW[1])
}

pub(crate) fn label(text: &str) -> String {
    format!("{}{text}{}", LABEL[0], LABEL[1])
}

pub(crate) fn chunk(index: usize) -> String {
    format!("{}{index}{}", CHUNK[0], CHUNK[1])
}

/// Returns the index of an inserted document.
pub(crate) fn take_chunk(text: &str) -> Option<usize> {
    text.trim().strip_prefix(CHUNK[0])?.strip_suffix(CHUNK[1])?.parse().ok()
}

/// Returns text without marks, as a person reads it: a number is before its paragraph.
pub(crate) fn read(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            _ if character == LABEL[1] => out.push(' '),
            _ if is_mark(character) => {}
            _ => out.push(character),
        }
    }
    out
}

/// Returns text of a document without marks; `None` if it has none.
pub(crate) fn strip(text: &str) -> Option<String> {
    let has_reference = text.match_indices("&#").any(|(at, _)| is_mark_reference(&text[at + 2..]));
    if !has_reference && !text.contains(is_mark) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("&#") {
        out.push_str(&rest[..at]);
        let behind = &rest[at + 2..];
        if is_mark_reference(behind) {
            rest = behind.split_once(';').map_or("", |(_, rest)| rest);
        } else {
            out.push_str("&#");
            rest = behind;
        }
    }
    out.push_str(rest);
    out.retain(|character| !is_mark(character));
    Some(out)
}

/// Returns whether a character reference, after its `&#`, is a mark.
fn is_mark_reference(reference: &str) -> bool {
    // Longer references are not valid.
    let Some(end) = reference.bytes().take(12).position(|byte| byte == b';') else { return false };
    let code = &reference[..end];
    let code = match code.strip_prefix(['x', 'X']) {
        Some(code) => u32::from_str_radix(code, 16),
        None => code.parse(),
    };
    code.ok().and_then(char::from_u32).is_some_and(is_mark)
}

fn is_mark(character: char) -> bool {
    ('\u{fdd0}'..='\u{fdd5}').contains(&character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_and_those_of_others_are_stripped() {
        let text = format!("{}{}", label("1.2"), raw("a"));
        assert_eq!(read(&text), "1.2 a");
        assert_eq!(take_chunk(&chunk(3)), Some(3));
        assert_eq!(strip(&text).unwrap(), "1.2a");
        assert_eq!(strip("a&#xFDD0;b&#64976;c&#x00fdD5;&#65;&#").unwrap(), "abc&#65;&#");
        assert_eq!(strip("abc"), None);
    }
}
