//! Cleaning of text out of foreign files.

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// The text in composed form (NFC) without control characters other than tab and line feed; `\r\n` and `\r` are `\n`.
///
/// Not NFKC: it would make `①` a `1`. Byte order marks inside the text, soft hyphens and noncharacters go too: nobody
/// sees them, and a search for a word with one inside fails.
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
            // Line tabulation is Word's line break inside a paragraph; the separators are Unicode's.
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

/// The text with every run of white space as one space, without any at its ends.
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
