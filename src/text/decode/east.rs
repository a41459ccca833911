//! East Asian multibyte encodings: decodes Johab and EUC-TW, and computes the cost of a text in each encoding.

use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GB18030, SHIFT_JIS};

use super::letters::BIT;
use super::tables::{JAPANESE, KOREAN, SIMPLIFIED, TAIWAN, TRADITIONAL};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wide {
    /// An encoding that browsers know.
    Web(&'static Encoding),
    Johab,
    /// EUC-TW.
    Taiwan,
}

impl Wide {
    /// Returns the text, and `true` if some bytes are not valid.
    pub(super) fn decode(self, bytes: &[u8]) -> (String, bool) {
        match self {
            Wide::Web(encoding) => {
                let (text, has_errors) = encoding.decode_without_bom_handling(bytes);
                (text.into_owned(), has_errors)
            }
            Wide::Johab => johab(bytes),
            Wide::Taiwan => taiwan(bytes),
        }
    }
}

/// Least multibyte characters of a text in Johab or EUC-TW.
const LEAST: usize = 8;

/// Returns the cost of a text in Johab, in EUC-TW and in the detected encoding. `ascii` is the cost of its ASCII.
pub(super) fn costs(sample: &[u8], detected: &'static Encoding, ascii: u64) -> Vec<(u64, Wide)> {
    // The most frequent characters of the language.
    let common = |encoding| match encoding {
        _ if encoding == GB18030 => Some(SIMPLIFIED),
        _ if encoding == BIG5 => Some(TRADITIONAL),
        _ if encoding == EUC_KR => Some(KOREAN),
        _ if encoding == SHIFT_JIS || encoding == EUC_JP => Some(JAPANESE),
        _ => None,
    };
    let web = common(detected).map(|common| (Wide::Web(detected), common));
    let all = [(Wide::Johab, KOREAN), (Wide::Taiwan, TRADITIONAL)].into_iter().chain(web);
    let cost = |(wide, common): (Wide, &str)| {
        let common: Vec<char> = common.chars().collect();
        let (text, _) = wide.decode(sample);
        // The sample may end in an incomplete character.
        let text = text.trim_end_matches(char::REPLACEMENT_CHARACTER);
        let (mut sum, mut count) = (0, 0);
        let mut before = ' ';
        for character in text.chars() {
            if !character.is_ascii() {
                sum += bits(character, &common);
                count += 1;
            }
            // Texts seldom switch between letters of ASCII and other characters within a word.
            if character.is_ascii() != before.is_ascii()
                && (character.is_ascii_alphabetic() || before.is_ascii_alphabetic())
            {
                sum += 6;
            }
            before = character;
        }
        // A few characters are no evidence.
        if !matches!(wide, Wide::Web(_)) && count < LEAST {
            sum += 100;
        }
        (sum * BIT + ascii, wide)
    };
    all.map(cost).collect()
}

/// Returns the cost of a character beyond ASCII, in bits.
fn bits(character: char, common: &[char]) -> u64 {
    match character {
        '、' | '。' | '，' | '　' => 6,
        '\u{3040}'..='\u{30ff}' => 7,
        '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff5e}' => 10,
        '\u{ff61}'..='\u{ff9f}' => 13,
        '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => {
            if common.binary_search(&character).is_ok() { 9 } else { 15 }
        }
        '\u{80}'..='\u{24f}' | '\u{2000}'..='\u{26ff}' => 14,
        '\u{370}'..='\u{451}' | '\u{3100}'..='\u{33ff}' => 16,
        char::REPLACEMENT_CHARACTER => 60,
        _ => 30,
    }
}

/// Decodes Johab. Two bytes hold the three parts of a syllable in five bits each, or a character of KS X 1001.
fn johab(bytes: &[u8]) -> (String, bool) {
    let mut out = String::with_capacity(bytes.len());
    let mut has_errors = false;
    let mut rest = bytes;
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first < 0x80 {
            out.push(char::from(first));
            continue;
        }
        match after.first().and_then(|second| johab_pair(first, *second)) {
            Some(character) => {
                out.push(character);
                rest = &after[1..];
            }
            None => {
                out.push(char::REPLACEMENT_CHARACTER);
                has_errors = true;
            }
        }
    }
    (out, has_errors)
}

fn johab_pair(first: u8, second: u8) -> Option<char> {
    if first < 0xD4 {
        let code = u32::from(first) << 8 | u32::from(second);
        let (initial, medial, last) = (code >> 10 & 31, code >> 5 & 31, code & 31);
        let last = match last {
            1..=17 => last - 1,
            19..=29 => last - 2,
            _ => return None,
        };
        let vowel = match medial {
            2 => None,
            3..=7 => Some(medial - 3),
            10..=15 => Some(medial - 5),
            18..=23 => Some(medial - 7),
            26..=29 => Some(medial - 9),
            _ => return None,
        };
        let consonant = match initial {
            1 => None,
            2..=20 => Some(initial - 2),
            _ => return None,
        };
        return match (consonant, vowel) {
            (Some(consonant), Some(vowel)) => {
                char::from_u32(0xAC00 + (consonant * 21 + vowel) * 28 + last)
            }
            (Some(consonant), None) if last == 0 => {
                "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ".chars().nth(consonant as usize)
            }
            (None, Some(vowel)) if last == 0 => char::from_u32(0x314F + vowel),
            _ => None,
        };
    }
    // Two rows of KS X 1001 share one first byte.
    let row = match first {
        0xD9..=0xDE => 2 * (first - 0xD9),
        0xE0..=0xF9 => 2 * (first - 0xE0) + 41,
        _ => return None,
    };
    let place = match second {
        0x31..=0x7E => second - 0x31,
        0x91..=0xFE => second - 0x43,
        _ => return None,
    };
    let (row, place) = (row + place / 94, place % 94);
    let pair = [0xA1 + row, 0xA1 + place];
    EUC_KR.decode_without_bom_handling_and_without_replacement(&pair)?.chars().next()
}

/// Decodes EUC-TW. A character has two bytes in plane 1, and four in the others, of which only plane 2 is decoded.
fn taiwan(bytes: &[u8]) -> (String, bool) {
    let mut out = String::with_capacity(bytes.len() * 3 / 2);
    let mut has_errors = false;
    let mut rest = bytes;
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first < 0x80 {
            out.push(char::from(first));
            continue;
        }
        let (plane, pair, length) = match (first, after) {
            (0x8E, [plane @ 0xA1..=0xB0, row, place, ..]) => (plane - 0xA0, [*row, *place], 3),
            (_, [place, ..]) => (1, [first, *place], 1),
            _ => (0, [0, 0], 0),
        };
        match taiwan_place(plane, pair) {
            Some(character) => {
                out.push(character);
                rest = &after[length..];
            }
            None => {
                out.push(char::REPLACEMENT_CHARACTER);
                has_errors = true;
                // An unknown character is replaced as a whole.
                let is_whole = pair.iter().all(|byte| (0xA1..=0xFE).contains(byte));
                rest = if is_whole { &after[length..] } else { rest };
            }
        }
    }
    (out, has_errors)
}

fn taiwan_place(plane: u8, [row, place]: [u8; 2]) -> Option<char> {
    let row = row.checked_sub(0xA1).filter(|row| *row < 94)?;
    let place = place.checked_sub(0xA1).filter(|place| *place < 94)?;
    let place = u16::from(row) * 94 + u16::from(place);
    let after = TAIWAN.partition_point(|run| (run.0, run.1) <= (plane, place));
    let (of, from, there, count) = *TAIWAN.get(after.checked_sub(1)?)?;
    if of != plane || place - from >= count {
        return None;
    }
    let there = there + (place - from);
    let trail = there % 157;
    let trail = if trail < 63 { trail + 0x40 } else { trail + 0xA1 - 63 };
    let pair = [(there / 157) as u8 + 0xA1, trail as u8];
    BIG5.decode_without_bom_handling_and_without_replacement(&pair)?.chars().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_korean_in_johab() {
        // Syllable, syllable with a final consonant, single letters, a punctuation mark, a Chinese character.
        let bytes = b"\x88\x61\xd0\x65 \x88\x41\x84\x61 \xd9\x32\xe0\x31";
        assert_eq!(johab(bytes), ("가한 ㄱㅏ\u{3000}".replace('\u{3000}', " 、伽"), false));
        assert_eq!(johab(b"\xff\xffa").0, "\u{FFFD}\u{FFFD}a");
    }

    #[test]
    fn characters_of_taiwan() {
        // The first of plane 1, punctuation, the first of plane 2, one of an unknown plane, invalid bytes.
        assert_eq!(taiwan(b"a\xc4\xa1\xa1\xa2\x8e\xa2\xa1\xa1").0, "a一，乂");
        assert_eq!(
            taiwan(b"\x8e\xa4\xa1\xa1b\xff\x8e"),
            ("\u{FFFD}b\u{FFFD}\u{FFFD}".into(), true)
        );
    }
}
