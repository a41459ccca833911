//! Cleaning: control characters go, text is composed.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// The whole of a text: line ends are `\n`, control characters other than tab are gone, the text is composed (NFC).
pub(crate) fn text(text: &str) -> Cow<'_, str> {
    if is_plain(text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    let is_odd = |character: char| character == '\r' || is_dropped(character);
    let is_odd = text.chars().any(is_odd);
    let is_composed = is_nfc_quick(text.chars()) == IsNormalized::Yes;
    if !is_odd && is_composed {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' if characters.peek() == Some(&'\n') => {}
            '\r' => kept.push('\n'),
            _ if is_dropped(character) => {}
            _ => kept.push(character),
        }
    }
    Cow::Owned(if is_composed { kept } else { kept.nfc().collect() })
}

/// Whether nothing is to be cleaned: ASCII without control characters other than tab and line feed.
pub(crate) fn is_plain(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\t' | b'\n'))
}

fn is_dropped(character: char) -> bool {
    (character.is_control() && !matches!(character, '\n' | '\t')) || character == '\u{FEFF}'
}

/// The text with every run of white space as one space, and none at its ends.
pub fn single_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}
