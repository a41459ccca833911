//! Cleans text from foreign files.

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Returns the text in composed form (NFC), with no control characters but tab and line feed. `\r\n` and `\r` become `\n`.
///
/// Not NFKC, which would turn `①` into `1`. Byte order marks, soft hyphens and noncharacters are removed too: they are
/// invisible, and a search for a word that contains one would fail.
pub fn clean(text: &str) -> String {
    if text.is_ascii() && !text.bytes().any(|byte| byte < 0x20 || byte == 0x7f) {
        return text.to_owned();
    }
    let mut kept = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' => {
                if characters.peek() != Some(&'\n') {
                    kept.push('\n');
                }
            }
            // The line break of Word within a paragraph, and the line and paragraph separators of Unicode.
            '\u{b}' | '\u{2028}' | '\u{2029}' => kept.push('\n'),
            '\t' | '\n' => kept.push(character),
            '\u{ad}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {}
            _ if character.is_control() => {}
            _ => kept.push(character),
        }
    }
    match is_nfc_quick(kept.chars()) {
        IsNormalized::Yes => kept,
        _ => kept.nfc().collect(),
    }
}

/// Returns the text with each run of white space as one space, and none at its ends.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_dropped_and_text_is_composed() {
        assert_eq!(clean("a\r\nb\rc\u{b}d\te\0\u{1}\u{7f}\u{85}f"), "a\nb\nc\nd\tef");
        assert_eq!(clean("e\u{301}\u{feff}①"), "é①");
        assert_eq!(clean("plain"), "plain");
    }

    #[test]
    fn white_space_becomes_single_spaces() {
        assert_eq!(single_line(" a\n\n b\tc\u{3000}d "), "a b c d");
    }
}
