//! Bytes as text: XML parts in UTF-8 and UTF-16, and words in files of other forms.

use crate::redact::terms::{MAX_LENGTH, Terms};

/// Bytes that are searched at once.
const CHUNK: usize = 1 << 16;
/// Bytes at the ends of a picture or a recording that are searched for all texts.
const END: usize = 1 << 11;
/// Bytes of a hit that are no chance in compressed data.
const SURE_BYTES: usize = 6;
/// Characters around a shorter hit that must be readable.
const SURE_CHARS: usize = 12;

/// Marks of pictures, which are no texts.
const FORMAT: [&str; 10] =
    ["tEXt", "iTXt", "zTXt", "IDAT", "IHDR", "IEND", "JFIF", "Exif", "RIFF", "ftyp"];

/// Returns the text of an XML part; `None` if it is no XML, or has an encoding that is not known.
pub(crate) fn xml(bytes: &[u8]) -> Option<String> {
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [b'<', 0, rest @ ..] if rest.get(1) == Some(&0) => utf16(bytes, u16::from_le_bytes),
        [0, b'<', ..] => utf16(bytes, u16::from_be_bytes),
        _ => String::from_utf8(bytes.to_vec()).ok(),
    }?;
    let start = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    start.starts_with('<').then_some(text)
}

fn utf16(bytes: &[u8], of: fn([u8; 2]) -> u16) -> Option<String> {
    let units: Vec<u16> = bytes.chunks_exact(2).map(|it| of([it[0], it[1]])).collect();
    String::from_utf16(&units).ok()
}

/// Returns `true` if a file that is no XML has a hit, as UTF-8 or UTF-16. A short hit counts only among readable characters,
/// because compressed data has each short word by chance.
pub(crate) fn hit(bytes: &[u8], terms: &Terms) -> bool {
    // Pictures and recordings are noise with texts at their ends, as a rule; so the slow search is for these ends.
    if is_compressed(bytes) && bytes.len() > 2 * END {
        let (head, tail) = (&bytes[..END], &bytes[bytes.len() - END..]);
        return narrow_units(bytes, terms)
            || wide(head, terms)
            || wide(tail, terms)
            || chunks(bytes).any(|it| narrow(it, terms));
    }
    chunks(bytes).any(|it| narrow(it, terms) || wide(it, terms))
}

/// Returns the bytes in pieces that overlap by more than a word.
fn chunks(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let starts = (0..bytes.len()).step_by(CHUNK);
    starts.map(|start| &bytes[start..bytes.len().min(start + CHUNK + 4 * MAX_LENGTH)])
}

fn is_compressed(bytes: &[u8]) -> bool {
    let heads: [&[u8]; 9] = [
        b"\x89PNG",
        b"\xff\xd8\xff",
        b"GIF8",
        b"RIFF",
        b"ID3",
        b"OggS",
        b"fLaC",
        b"\x1a\x45\xdf\xa3",
        b"\x1f\x8b",
    ];
    heads.iter().any(|it| bytes.starts_with(it)) || bytes.get(4..8) == Some(b"ftyp")
}

/// Searches text of UTF-8.
fn narrow(bytes: &[u8], terms: &Terms) -> bool {
    let texts = bytes.utf8_chunks().map(|it| it.valid());
    let runs = texts.flat_map(|it| it.split(|c: char| c.is_control() && !c.is_whitespace()));
    runs.filter(|it| it.len() >= SURE_BYTES).any(|it| sure(it, terms, 1))
}

/// Searches text of UTF-16 in both orders of bytes, at odd places too.
fn wide(bytes: &[u8], terms: &Terms) -> bool {
    let decoded = |shift: usize, of: fn([u8; 2]) -> u16| -> String {
        let units = bytes.get(shift..).unwrap_or_default().chunks_exact(2);
        char::decode_utf16(units.map(|it| of([it[0], it[1]])))
            .map(|it| it.unwrap_or('\u{fffd}'))
            .collect()
    };
    [0, 1].into_iter().any(|shift| {
        sure(&decoded(shift, u16::from_le_bytes), terms, 2)
            || sure(&decoded(shift, u16::from_be_bytes), terms, 2)
    })
}

/// Searches text of UTF-16 that has only Latin characters, of which each second byte is zero.
fn narrow_units(bytes: &[u8], terms: &Terms) -> bool {
    [0, 1].into_iter().any(|parity| {
        let mut from = None;
        let places = (parity..bytes.len() + 2).step_by(2);
        places.into_iter().any(|at| match (bytes.get(at), from) {
            (Some(0), None) => {
                from = Some(at);
                false
            }
            (Some(0), Some(start)) if at - start < CHUNK => false,
            (_, Some(start)) => {
                from = None;
                at - start >= SURE_BYTES
                    && wide(&bytes[start.saturating_sub(1)..bytes.len().min(at)], terms)
            }
            (_, None) => false,
        })
    })
}

fn sure(text: &str, terms: &Terms, width: usize) -> bool {
    let hits = terms.find(text);
    if hits.is_empty() {
        return false;
    }
    let chars: Vec<char> = text.chars().collect();
    let is_readable = |c: char| c != '\u{fffd}' && !c.is_control();
    hits.iter().any(|hit| {
        let found = &chars[hit.start..hit.end.min(chars.len())];
        if !found.iter().all(|&c| is_readable(c) || c.is_whitespace()) {
            return false;
        }
        let word: String = found.iter().collect();
        if FORMAT.contains(&&*word) {
            return false;
        }
        let bytes: usize = found.iter().map(|c| if width == 2 { 2 } else { c.len_utf8() }).sum();
        let before = chars[..hit.start].iter().rev().take(SURE_CHARS);
        let behind = chars[hit.end.min(chars.len())..].iter().take(SURE_CHARS);
        // Nearly each unit of 16 bits is a character, so there the neighbours say something only if they are plain.
        let counts = |c: &&char| is_readable(**c) && (width == 1 || c.is_ascii());
        let around = before.take_while(counts).count() + behind.take_while(counts).count();
        bytes >= SURE_BYTES || around + found.len() >= SURE_CHARS
    })
}

#[cfg(test)]
mod tests {
    use super::{hit, xml};
    use crate::redact::terms::Terms;

    #[test]
    fn words_are_found_in_each_encoding_and_at_each_offset() {
        let terms = Terms::new(&["Falcon".to_owned(), "abc".to_owned()], &[]).unwrap();
        let wide = |text: &str, of: fn(u16) -> [u8; 2]| -> Vec<u8> {
            text.encode_utf16().flat_map(of).collect()
        };
        for size in [0, 1, 65_530, 65_535, 200_001] {
            let at = |word: Vec<u8>| [vec![1_u8; size], word, vec![1; 9]].concat();
            assert!(hit(&at(b"fALCON".to_vec()), &terms), "{size}");
            assert!(hit(&at(wide("Falcon", u16::to_le_bytes)), &terms), "{size}");
            assert!(hit(&at(wide("Falcon", u16::to_be_bytes)), &terms), "{size}");
            assert!(!hit(&at(b"falco".to_vec()), &terms), "{size}");
        }
        let picture = |word: Vec<u8>| {
            let noise: Vec<u8> = (0..600_000_u32)
                .map(|it| (it.wrapping_mul(2_654_435_761) >> 13) as u8 | 1)
                .collect();
            [b"\x89PNG".to_vec(), noise.clone(), word, noise].concat()
        };
        assert!(!hit(&picture(Vec::new()), &terms));
        assert!(hit(&picture(b"Falcon".to_vec()), &terms));
        for shift in [0, 1] {
            let word = |of| [vec![1; shift], wide("a Falcon", of), vec![1; 9]].concat();
            assert!(hit(&picture(word(u16::to_le_bytes)), &terms), "{shift}");
            assert!(hit(&picture(word(u16::to_be_bytes)), &terms), "{shift}");
        }
        let text = Terms::new(&["text".to_owned()], &[]).unwrap();
        assert!(!hit(b"\x89PNG\x01tEXtSoftware\0Some Program", &text));
        assert!(hit(b"\x89PNG\x01tEXtSoftware\0Some text program", &text));
        assert!(!hit(b"\x01\x02abc\x03\x04", &terms));
        assert!(hit(b"\x01Author: abc Smith\x03\x04", &terms));
    }

    #[test]
    fn parts_of_xml_may_be_wide() {
        let wide: Vec<u8> = "\u{feff}<a/>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(xml(&wide).as_deref(), Some("<a/>"));
        assert_eq!(xml(&wide[2..]).as_deref(), Some("<a/>"));
        assert_eq!(xml(b"\xef\xbb\xbf <a/>").as_deref(), Some("\u{feff} <a/>"));
        assert_eq!(xml(b"PK"), None);
    }
}
