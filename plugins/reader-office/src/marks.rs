//! Marks that travel through the library inside the text of a run: what is between them was written here, not in the
//! document.
//!
//! They are noncharacters, which no text contains that is meant for anybody else; [`strip`] takes them out of what was
//! there before.

/// Before and after text that is written as it is: an equation, whose backslashes and stars are no Markdown.
pub(crate) const RAW: [char; 2] = ['\u{fdd0}', '\u{fdd1}'];

/// Before and after the number that Word puts before a paragraph by itself.
pub(crate) const LABEL: [char; 2] = ['\u{fdd2}', '\u{fdd3}'];

/// Before and after the number of a document that was inserted here.
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

/// The inserted document that a text stands for.
pub(crate) fn take_chunk(text: &str) -> Option<usize> {
    text.trim().strip_prefix(CHUNK[0])?.strip_suffix(CHUNK[1])?.parse().ok()
}

/// Text with its marks as a person reads it: a number stands before its paragraph.
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

/// Text of a document without anything that looks like a mark; `None` if there is nothing.
pub(crate) fn strip(text: &str) -> Option<String> {
    const REFERENCE: &str = "&#xfdd";
    let has_reference = text
        .as_bytes()
        .windows(REFERENCE.len())
        .any(|window| window.eq_ignore_ascii_case(REFERENCE.as_bytes()));
    if !has_reference && !text.contains("&#6497") && !text.contains(is_mark) {
        return None;
    }
    let mut out: String = text.chars().filter(|character| !is_mark(*character)).collect();
    for mark in RAW.into_iter().chain(LABEL).chain(CHUNK) {
        let code = u32::from(mark);
        for reference in [
            format!("&#x{code:x};"),
            format!("&#x{code:X};"),
            format!("&#X{code:X};"),
            format!("&#{code};"),
        ] {
            out = out.replace(&reference, "");
        }
    }
    Some(out)
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
        assert_eq!(strip("a&#xFDD0;b&#64976;c").unwrap(), "abc");
        assert_eq!(strip("abc"), None);
    }
}
