//! Encodings from before the web, which browsers and their libraries do not read: Korean in seven bits and in Johab, EBCDIC,
//! the pages of DOS, Cyrillic of the old Macintosh.
//!
//! Few of them say what they are: the seven-bit ones, and XML that names one. Each other is only taken where its text makes sense
//! and what the bytes would be otherwise makes none; a warning calls it a guess.

use encoding_rs::{EUC_KR, Encoding, GBK, X_MAC_CYRILLIC};

/// Bytes that are looked at to find an encoding.
const SAMPLE_BYTES: usize = 64 << 10;

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Legacy {
    /// ISO-2022-KR.
    Iso2022Kr,
    /// ISO-2022-CN, of which only simplified characters are read.
    Iso2022Cn,
    Johab,
    Ebcdic,
    Cp437,
    Cp850,
    Cp852,
    Cp855,
    MacCyrillic,
}

/// Names under which XML and pages call those that decoders of the web do not know, or by another name; without `ibm` and `cp`
/// in front, in lower case.
const DECLARED: [(&[u8], Legacy); 7] = [
    (b"437", Legacy::Cp437),
    (b"850", Legacy::Cp850),
    (b"852", Legacy::Cp852),
    (b"855", Legacy::Cp855),
    (b"johab", Legacy::Johab),
    (b"mac-cyrillic", Legacy::MacCyrillic),
    (b"maccyrillic", Legacy::MacCyrillic),
];

impl Legacy {
    /// The one that a text names; `label` is in lower case.
    pub(super) fn declared(label: &[u8]) -> Option<Legacy> {
        let number = label.strip_prefix(b"ibm").or_else(|| label.strip_prefix(b"cp"));
        let label = number.unwrap_or(label);
        DECLARED.iter().find(|(name, _)| *name == label).map(|(_, legacy)| *legacy)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Legacy::Iso2022Kr => "ISO-2022-KR",
            Legacy::Iso2022Cn => "ISO-2022-CN",
            Legacy::Johab => "Johab",
            Legacy::Ebcdic => "EBCDIC (code page 37)",
            Legacy::Cp437 => "DOS code page 437",
            Legacy::Cp850 => "DOS code page 850",
            Legacy::Cp852 => "DOS code page 852",
            Legacy::Cp855 => "DOS code page 855",
            Legacy::MacCyrillic => "MacCyrillic",
        }
    }

    /// What is said of it where the text does not name it.
    pub(super) fn doubt(self) -> &'static str {
        match self {
            Legacy::Iso2022Kr | Legacy::Iso2022Cn => "",
            Legacy::Ebcdic => ", which is a guess: brackets and national letters may be others",
            _ => ", which is a guess",
        }
    }

    /// The text, and whether some bytes are no characters.
    pub(super) fn decode(self, bytes: &[u8]) -> (String, bool) {
        match self {
            Legacy::Iso2022Kr => shifted(bytes, EUC_KR),
            Legacy::Iso2022Cn => shifted(bytes, GBK),
            Legacy::Johab => johab(bytes),
            Legacy::Ebcdic => (ebcdic(bytes), false),
            Legacy::Cp437 => (page(bytes, CP437), false),
            Legacy::Cp850 => (page(bytes, CP850), false),
            Legacy::Cp852 => (page(bytes, CP852), false),
            Legacy::Cp855 => (page(bytes, CP855), false),
            Legacy::MacCyrillic => {
                let (text, has_errors) = X_MAC_CYRILLIC.decode_without_bom_handling(bytes);
                (text.into_owned(), has_errors)
            }
        }
    }
}

/// The encoding of a text whose bytes are all below 128 and that says so at its beginning.
pub(super) fn seven_bits(bytes: &[u8]) -> Option<Legacy> {
    let start = &bytes[..bytes.len().min(1024)];
    let has = |mark: &[u8]| memchr::memmem::find(start, mark).is_some();
    if !has(b"\x1b$)") || !bytes.is_ascii() {
        return None;
    }
    if has(b"\x1b$)C") {
        Some(Legacy::Iso2022Kr)
    } else if has(b"\x1b$)A") {
        Some(Legacy::Iso2022Cn)
    } else {
        None
    }
}

/// Text of a mainframe. Its letters and blanks are where other encodings have signs and controls.
pub(super) fn mainframe(bytes: &[u8]) -> Option<Legacy> {
    let sample = &bytes[..bytes.len().min(SAMPLE_BYTES)];
    if sample.len() < 16 || sample.contains(&b' ') {
        return None;
    }
    let (mut letters, mut blanks, mut known) = (0, 0, 0);
    for byte in sample {
        match byte {
            0x81..=0x89 | 0x91..=0x99 | 0xA2..=0xA9 | 0xC1..=0xC9 | 0xD1..=0xD9 | 0xE2..=0xE9 => {
                letters += 1;
                known += 1;
            }
            0x40 => {
                blanks += 1;
                known += 1;
            }
            0xF0..=0xF9
            | 0x15
            | 0x25
            | 0x0D
            | 0x4B..=0x4E
            | 0x50
            | 0x5B..=0x5E
            | 0x60
            | 0x61
            | 0x6B..=0x6F
            | 0x7A..=0x7F => known += 1,
            _ => {}
        }
    }
    let length = sample.len();
    (known * 100 >= length * 95 && letters * 100 >= length * 30 && blanks * 100 >= length * 3)
        .then_some(Legacy::Ebcdic)
}

/// Korean in Johab: next to nothing but syllables, many of which every Korean text is full of.
pub(super) fn korean(bytes: &[u8]) -> Option<Legacy> {
    const COMMON: &str = "이다는의에을를가고하한은지로도사기";
    let end = bytes.len().min(SAMPLE_BYTES);
    let (text, _) = johab(&bytes[..end]);
    let wide: Vec<char> = text.chars().filter(|character| !character.is_ascii()).collect();
    let count = |is: fn(char) -> bool| wide.iter().filter(|character| is(**character)).count();
    let syllables = count(|character| ('가'..='힣').contains(&character));
    let errors = count(|character| character == char::REPLACEMENT_CHARACTER);
    let common = count(|character| COMMON.contains(character));
    (syllables >= 8
        && errors * 200 <= wide.len()
        && syllables * 100 >= wide.len() * 85
        && common * 100 >= syllables * 8)
        .then_some(Legacy::Johab)
}

/// A page of DOS, where its letters stand between letters and those of `guess` do not.
pub(super) fn dos(bytes: &[u8], guess: &'static Encoding) -> Option<Legacy> {
    if !guess.is_single_byte() {
        return None;
    }
    let sample = &bytes[..bytes.len().min(SAMPLE_BYTES)];
    let score_of = |text: &str| sense(&text.chars().collect::<Vec<_>>());
    let windows = score_of(&guess.decode_without_bom_handling(sample).0);
    let mut best: Option<(f64, Legacy)> = None;
    for legacy in [Legacy::Cp850, Legacy::Cp437, Legacy::Cp852] {
        let score = score_of(&legacy.decode(sample).0)?;
        if best.is_none_or(|(most, _)| score > most + 0.01) {
            best = Some((score, legacy));
        }
    }
    let (score, legacy) = best?;
    (score >= 0.8 && windows.is_none_or(|windows| windows <= 0.3)).then_some(legacy)
}

/// How much sense the characters beyond ASCII make, at most 1: letters stand beside letters, signs do not, lines of
/// frames stand beside blanks and lines. None for fewer than three.
fn sense(text: &[char]) -> Option<f64> {
    let (mut count, mut sum) = (0_u32, 0.0);
    let at = |index: Option<usize>| index.and_then(|index| text.get(index)).copied().unwrap_or(' ');
    for (index, character) in text.iter().copied().enumerate() {
        if character.is_ascii() {
            continue;
        }
        count += 1;
        let (before, after) = (at(index.checked_sub(1)), at(Some(index + 1)));
        let is_inside = before.is_alphabetic() && after.is_alphabetic();
        let is_line = |c: char| ('\u{2500}'..='\u{259f}').contains(&c);
        let is_run = index >= 3 && text[index - 3..index].iter().all(|c| *c == character);
        sum += if is_line(character) {
            let is_beside = |c: char| is_line(c) || !c.is_alphabetic();
            if is_beside(before) || is_beside(after) { 1.0 } else { -2.0 }
        } else if character.is_alphabetic() {
            // `STÜCK` and `Übung`, but not `fÖr`; and nobody writes `ÄÄÄÄ`.
            let is_odd = character.is_uppercase() && before.is_lowercase();
            let is_beside = before.is_alphabetic() || after.is_alphabetic();
            if is_run || is_odd {
                -2.0
            } else if is_beside {
                1.0
            } else {
                0.0
            }
        } else if matches!(character, '²' | '³') && before.is_alphabetic() {
            // A unit, not the Czech letter in its place.
            1.0
        } else if is_inside || character.is_control() || character == char::REPLACEMENT_CHARACTER {
            -2.0
        } else {
            0.0
        };
    }
    (count >= 3).then(|| sum / f64::from(count))
}

/// Two sets of characters, between which `SO` and `SI` change over.
fn shifted(bytes: &[u8], encoding: &'static Encoding) -> (String, bool) {
    let mut eight = Vec::with_capacity(bytes.len());
    let mut is_wide = false;
    let mut has_errors = false;
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            0x1B if after.starts_with(b"$)") => {
                // Another set than the one of this encoding.
                has_errors |= after.get(2).is_some_and(|set| !b"AC".contains(set));
                rest = after.get(3..).unwrap_or_default();
            }
            0x0E => is_wide = true,
            0x0F => is_wide = false,
            b'\n' | b'\r' => {
                is_wide = false;
                eight.push(byte);
            }
            0x21..=0x7E if is_wide => eight.push(byte | 0x80),
            _ => eight.push(byte),
        }
    }
    let (text, is_lossy) = encoding.decode_without_bom_handling(&eight);
    (text.into_owned(), has_errors || is_lossy)
}

/// Two bytes hold the three parts of a syllable in five bits each, or a sign of the Korean standard.
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
            // A letter alone.
            (Some(consonant), None) if last == 0 => {
                "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ".chars().nth(consonant as usize)
            }
            (None, Some(vowel)) if last == 0 => char::from_u32(0x314F + vowel),
            _ => None,
        };
    }
    // Two rows of the standard share one first byte.
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

fn page(bytes: &[u8], upper: &str) -> String {
    let upper: Vec<char> = upper.chars().collect();
    bytes
        .iter()
        .map(|byte| match byte.checked_sub(0x80) {
            Some(index) => upper[usize::from(index)],
            None => char::from(*byte),
        })
        .collect()
}

fn ebcdic(bytes: &[u8]) -> String {
    // A table, as looking a character up in a text takes the time of all before it.
    let upper: Vec<char> = CP037.chars().collect();
    let of = |byte: u8| match byte {
        0x05 => '\t',
        0x15 | 0x25 => '\n',
        0x0D => '\r',
        // Controls mean nothing here, and are dropped with all others.
        0..=0x3F => '\u{1}',
        _ => upper.get(usize::from(byte) - 0x40).copied().unwrap_or(char::REPLACEMENT_CHARACTER),
    };
    bytes.iter().map(|byte| of(*byte)).collect()
}

/// Bytes from 0x80 on of the DOS page of the United States.
const CP437: &str = "\
ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

/// Bytes from 0x80 on of the DOS page of Western Europe.
const CP850: &str = "\
ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐\
└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}";

/// Bytes from 0x80 on of the DOS page of Central Europe.
const CP852: &str = "\
ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐\
└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u{ad}˝˛ˇ˘§÷¸°¨˙űŘř■\u{a0}";

/// Bytes from 0x80 on of the DOS page of Cyrillic that goes before 866.
const CP855: &str = "\
ђЂѓЃёЁєЄѕЅіІїЇјЈљЉњЊћЋќЌўЎџЏюЮъЪаАбБцЦдДеЕфФгГ«»░▒▓│┤хХиИ╣║╗╝йЙ┐\
└┴┬├─┼кК╚╔╩╦╠═╬¤лЛмМнНоОп┘┌█▄Пя▀ЯрРсСтТуУжЖвВьЬ№\u{ad}ыЫзЗшШэЭщЩчЧ§■\u{a0}";

/// Bytes from 0x40 on of EBCDIC in its most common page.
const CP037: &str = "\
\u{20}\u{a0}âäàáãåçñ¢.<(+|&éêëèíîïìß!$*);¬-/ÂÄÀÁÃÅÇÑ¦,%_>?øÉÊËÈÍÎÏÌ`:#@'=\"\
Øabcdefghi«»ðýþ±°jklmnopqrªºæ¸Æ¤µ~stuvwxyz¡¿ÐÝÞ®^£¥·©§¶¼½¾[]¯¨´×\
{ABCDEFGHI\u{ad}ôöòóõ}JKLMNOPQR¹ûüùúÿ\\÷STUVWXYZ²ÔÖÒÓÕ0123456789³ÛÜÙÚ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_whole() {
        for table in [CP437, CP850, CP852, CP855] {
            assert_eq!(table.chars().count(), 128);
        }
        assert_eq!(CP037.chars().count(), 192);
    }

    #[test]
    fn letters_of_korean_in_johab() {
        // Syllable, syllable with a last consonant, letters alone, a sign, a Chinese character.
        let bytes = b"\x88\x61\xd0\x65 \x88\x41\x84\x61 \xd9\x32\xe0\x31";
        assert_eq!(johab(bytes), ("가한 ㄱㅏ\u{3000}".replace('\u{3000}', " 、伽"), false));
        assert_eq!(johab(b"\xff\xffa").0, "\u{FFFD}\u{FFFD}a");
    }
}
