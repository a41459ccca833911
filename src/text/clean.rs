//! Cleans text: removes control characters and composes it (NFC).

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::field::{FIRST, Field};

/// Returns the cleaned text: line ends are `\n`, there are no other control characters but tabs, and it is composed (NFC).
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
    // Combining marks may need another order after the characters between them were removed.
    let is_composed = is_composed && is_nfc_quick(kept.chars()) == IsNormalized::Yes;
    Cow::Owned(if is_composed { kept } else { kept.nfc().collect() })
}

/// Does what [`text`] does for a field.
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

/// Returns `true` if a text is clean, as most texts are. `false` means that only a full check can say.
fn is_clean(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (words, rest) = bytes.as_chunks::<8>();
    let plain = words.iter().take_while(|word| is_plain(u64::from_le_bytes(**word))).count();
    if plain == words.len() && rest.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        return true;
    }
    text[8 * plain..].chars().all(is_common)
}

/// Returns `true` if all eight bytes are printable ASCII. A carry between bytes can only make the result `false`.
#[inline(always)]
fn is_plain(word: u64) -> bool {
    let below = word.wrapping_sub(0x2020_2020_2020_2020);
    let above = word.wrapping_add(0x0101_0101_0101_0101);
    (word | below | above) & 0x8080_8080_8080_8080 == 0
}

/// Returns `true` if a character stays as it is beside any other: it is no control character and composes with nothing.
fn is_common(character: char) -> bool {
    matches!(character,
        ' '..='~' | '\t' | '\n'
        // Latin letters and symbols.
        | '\u{A0}'..='\u{2FF}'
        // Cyrillic.
        | '\u{400}'..='\u{482}'
        // Dashes and quotes.
        | '\u{2010}'..='\u{2027}'
        // Kana without combining sound marks, and CJK punctuation.
        | '\u{3000}'..='\u{3029}' | '\u{3041}'..='\u{3096}' | '\u{30A0}'..='\u{30FF}'
        // Han, Hangul syllables, fullwidth forms.
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' | '\u{FF01}'..='\u{FF60}'
    )
}

fn is_dropped(character: char) -> bool {
    (character.is_control() && !matches!(character, '\n' | '\t')) || character == '\u{FEFF}'
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
    fn common_characters_stay_as_they_are() {
        let common = || (0..=0x10_FFFF).filter_map(char::from_u32).filter(|it| is_common(*it));
        // Each one is composed, and none composes with a character before or after it.
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
            // Two combining marks that need the other order after the character between them was removed.
            ("a\u{305}\u{1}\u{332}", "a\u{332}\u{305}"),
        ] {
            assert_eq!(text(given), expected, "{given:?}");
            assert_eq!(text(expected), expected, "{given:?}");
        }
    }
}
