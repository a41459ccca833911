//! Cleaning: control characters go, text is composed.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::field::{FIRST, Field};

/// The whole of a text: line ends are `\n`, control characters other than tab are gone, the text is composed (NFC).
pub(crate) fn text(text: &str) -> Cow<'_, str> {
    if is_clean(text) {
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
    // Marks may stand in another order once nothing is between them.
    let is_composed = is_composed && is_nfc_quick(kept.chars()) == IsNormalized::Yes;
    Cow::Owned(if is_composed { kept } else { kept.nfc().collect() })
}

/// As [`text`], of a field.
#[inline(always)]
pub(crate) fn field(field: Field<'_>) -> Cow<'_, str> {
    const BLANKS: u128 = u128::from_le_bytes([b' '; 16]);
    if let Some(short) = field.short() {
        let all = short | (BLANKS & !FIRST[field.len()]);
        if is_plain(all as u64) && is_plain((all >> 64) as u64) {
            return Cow::Borrowed(field.as_str());
        }
    }
    text(field.as_str())
}

/// Whether nothing is to be cleaned, as most texts say at first sight. A text of which this does not say so may be clean all the same.
fn is_clean(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (words, rest) = bytes.as_chunks::<8>();
    let plain = words.iter().take_while(|word| is_plain(u64::from_le_bytes(**word))).count();
    if plain == words.len() && rest.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        return true;
    }
    text[8 * plain..].chars().all(is_common)
}

/// Whether none of eight bytes is below a blank, above a tilde or above ASCII. A neighbour may make a byte look so, but none not so.
#[inline(always)]
fn is_plain(word: u64) -> bool {
    let below = word.wrapping_sub(0x2020_2020_2020_2020);
    let above = word.wrapping_add(0x0101_0101_0101_0101);
    (word | below | above) & 0x8080_8080_8080_8080 == 0
}

/// Whether a character stays as it is, whatever stands beside it: no control character, no mark, no part of another character.
fn is_common(character: char) -> bool {
    matches!(character,
        ' '..='~' | '\t' | '\n'
        // Latin letters and signs.
        | '\u{A0}'..='\u{2FF}'
        // Cyrillic.
        | '\u{400}'..='\u{482}'
        // Dashes and quotes.
        | '\u{2010}'..='\u{2027}'
        // Kana without the marks of their sound, and signs of Chinese.
        | '\u{3000}'..='\u{3029}' | '\u{3041}'..='\u{3096}' | '\u{30A0}'..='\u{30FF}'
        // Han, Korean syllables, wide forms.
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' | '\u{FF01}'..='\u{FF60}'
    )
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_characters_stay_as_they_are() {
        let common = || (0..=0x10_FFFF).filter_map(char::from_u32).filter(|it| is_common(*it));
        // Each is composed, and none joins with what stands before or behind it.
        assert!(common().all(|it| is_nfc_quick(std::iter::once(it)) == IsNormalized::Yes));
        assert!(common().all(|it| unicode_normalization::char::canonical_combining_class(it) == 0));
        assert!(!common().any(is_dropped));
        assert_eq!(common().filter(char::is_ascii).count(), 97);
    }

    #[test]
    fn only_what_is_to_be_cleaned_changes() {
        for (given, expected) in [
            ("plain ascii text", "plain ascii text"),
            ("北京 and Müller", "北京 and Müller"),
            ("12345678\u{7}", "12345678"),
            ("1234567\u{7f}8", "12345678"),
            ("\u{1}12345678", "12345678"),
            ("a\tb\nc", "a\tb\nc"),
            ("a\r\nb\rc", "a\nb\nc"),
            ("12345678e\u{301}", "12345678é"),
            ("e\u{FEFF}\u{301}", "é"),
            ("\u{80}x", "x"),
            // Two marks that stand in the other order once nothing is between them.
            ("a\u{305}\u{1}\u{332}", "a\u{332}\u{305}"),
        ] {
            assert_eq!(text(given), expected, "{given:?}");
            assert_eq!(text(expected), expected, "{given:?}");
        }
    }
}
