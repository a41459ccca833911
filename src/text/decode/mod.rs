//! Decodes text files. The encoding follows from a byte order mark, from zeros, from valid UTF-8 or from a guess.
//!
//! It is detected in a sample, so that the time for it has a bound. Decoding reads each byte once.

mod coding;
mod east;
mod guess;
mod letters;
mod pages;
mod seven;
mod tables;
mod wide;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use coding::Coding;
use encoding_rs::{Encoding, GB18030, GBK, UTF_8};
use guess::Guess;
use seven::Seven;

use crate::clean;

/// The text of a file, and warnings about its decoding.
pub struct Decoded {
    /// The text.
    pub text: String,
    /// An encoding other than UTF-8, and replaced bytes, one sentence each.
    pub warnings: Vec<String>,
}

/// Bytes at the beginning that are searched for a declared encoding, as in `reader-web`.
const DECLARED_BYTES: usize = 4 << 10;

/// Bytes at the beginning from which the kind of a text is recognized.
const BEGINNING_BYTES: usize = 8 << 10;

/// Most bytes of the sample from which an encoding is guessed.
const SAMPLE_BYTES: usize = 128 << 10;

/// Bytes of the sample before the first one that is not ASCII.
const BEFORE_BYTES: usize = 512;

struct Detected {
    coding: Coding,
    /// `true` if browsers do not know the encoding. Such a guess is wrong more often.
    is_guess: bool,
    rival: Option<Coding>,
}

impl Detected {
    fn sure(coding: Coding) -> Detected {
        Detected { coding, is_guess: false, rival: None }
    }

    fn guessed(Guess { coding, rival }: Guess) -> Detected {
        let is_guess = !matches!(coding, Coding::Known(_));
        Detected { coding, is_guess, rival }
    }

    /// Returns the warning about the encoding. `None` for UTF-8.
    fn warning(&self) -> Option<String> {
        if matches!(self.coding, Coding::Known(encoding) if encoding == UTF_8) {
            return None;
        }
        let mut text = format!("the text was read as {}", self.coding.name());
        if self.is_guess {
            text.push_str(", which is a guess");
        }
        if let Some(rival) = &self.rival {
            text.push_str(&format!(
                "; {} would be nearly as likely: if letters are wrong, save the file as UTF-8",
                rival.name(),
            ));
            if let Some(name) = rival.converter() {
                text.push_str(&format!(" (`iconv -f {name} -t UTF-8`)"));
            }
        }
        Some(text)
    }
}

/// Decodes and cleans a text: line ends are `\n`, there are no other control characters but tabs, and it is composed (NFC).
pub fn decode(bytes: Vec<u8>) -> Decoded {
    let Decoded { text, warnings } = decode_only(bytes);
    let cleaned = match clean::text(&text) {
        std::borrow::Cow::Owned(cleaned) => Some(cleaned),
        std::borrow::Cow::Borrowed(_) => None,
    };
    Decoded { text: cleaned.unwrap_or(text), warnings }
}

/// Decodes a text without cleaning it. UTF-8 is not copied.
pub fn decode_only(bytes: Vec<u8>) -> Decoded {
    if let Some(decoded) = utf32(&bytes) {
        return decoded;
    }
    let found = coding_of(&bytes);
    let mut warnings: Vec<String> = found.warning().into_iter().collect();
    let (text, has_errors) = match found.coding {
        Coding::Known(encoding) => match String::from_utf8(bytes) {
            Ok(text) if encoding == UTF_8 => (text, false),
            Ok(text) => found.coding.decode(text.as_bytes()),
            Err(error) => found.coding.decode(error.as_bytes()),
        },
        coding => coding.decode(&bytes),
    };
    if has_errors {
        warnings.push(LOSSY.into());
    }
    Decoded { text, warnings }
}

/// Returns the encoding that [`decode`] reads a text as, for those who write it again.
///
/// # Errors
///
/// Its name, if browsers do not know the encoding.
pub fn encoding(bytes: &[u8]) -> Result<&'static Encoding, &'static str> {
    if utf32(bytes).is_some() {
        return Err("UTF-32");
    }
    let coding = coding_of(bytes).coding;
    coding.encoding().ok_or(coding.name())
}

/// Returns `true` if a text is in an encoding that browsers do not know, or would not detect.
pub fn is_before_the_web(bytes: &[u8]) -> bool {
    !matches!(coding_of(bytes).coding, Coding::Known(_))
}

/// Decodes the beginning of a text, at most 8 KiB, without cleaning it. The time for this has a bound.
pub fn beginning(bytes: &[u8]) -> String {
    let end = bytes.len().min(BEGINNING_BYTES);
    if let Some(decoded) = utf32(&bytes[..end & !3]) {
        return decoded.text;
    }
    coding_of(&bytes[..bytes.len().min(SAMPLE_BYTES)]).coding.decode(&bytes[..end]).0
}

/// Returns the most bytes that [`decode`] allocates at a time, beside the bytes of the text.
pub fn working_bytes(bytes: &[u8]) -> u64 {
    let length = bytes.len() as u64;
    let is_plain =
        || matches!(coding_of(bytes).coding, Coding::Known(encoding) if encoding == UTF_8);
    match std::str::from_utf8(bytes) {
        // Cleaning copies the text, and composing it copies it again.
        Ok(_) if is_plain() => 3 * length + (4 << 10),
        // A byte of another encoding becomes at most three. The guess counts pairs of bytes in at most 1 MiB.
        _ => 9 * length + (1 << 20),
    }
}

const LOSSY: &str = "some bytes are no characters and were replaced by `\u{FFFD}`";

fn coding_of(bytes: &[u8]) -> Detected {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return Detected::sure(Coding::Known(encoding));
    }
    if let Some(encoding) = wide::without_mark(bytes) {
        return Detected::sure(Coding::Known(encoding));
    }
    if let Some(seven) = Seven::of(bytes) {
        return Detected::sure(Coding::Seven(seven));
    }
    // ISO-2022-JP has only ASCII bytes, so it is valid UTF-8. No other text has its escape sequences.
    let is_escaped = memchr::memmem::find(bytes, b"\x1b$").is_some();
    if !is_escaped && is_utf8(bytes) {
        // Hebrew in EBCDIC has only ASCII bytes too, but no ASCII blanks.
        let sample = &bytes[..bytes.len().min(BEGINNING_BYTES)];
        if sample.is_ascii()
            && memchr::memchr2(b' ', b'\n', sample).is_none()
            && let Some(guess) = guess::mainframe(bytes)
        {
            return Detected::guessed(guess);
        }
        return Detected::sure(Coding::Known(UTF_8));
    }
    let sample = sample(bytes);
    // A declared encoding is right if the text decodes in it. Short texts cannot be recognized otherwise.
    let label = declared(bytes).unwrap_or_default();
    // A text whose declaration can be read as ASCII is not in UTF-16, even if it declares that.
    let known = Encoding::for_label(&label).filter(|encoding| encoding.is_ascii_compatible());
    if let Some(encoding) = known
        && !has_errors(encoding, sample, sample.len() < bytes.len())
    {
        return Detected::sure(Coding::Known(wider(encoding)));
    }
    if is_damaged_utf8(sample, known == Some(UTF_8)) {
        return Detected::sure(Coding::Known(UTF_8));
    }
    if let Some(coding) = Coding::declared(&label) {
        return Detected::sure(coding);
    }
    if let Some(guess) = guess::mainframe(bytes) {
        return Detected::guessed(guess);
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(sample, true);
    // No top-level domain as a hint: `cn` would turn all Japanese and traditional Chinese into GBK.
    let detected = detector.guess(None, Utf8Detection::Allow);
    Detected::guessed(guess::other(sample, wider(detected)))
}

/// Returns the part of a text from which its encoding is guessed.
fn sample(bytes: &[u8]) -> &[u8] {
    let first = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
    let start = first.saturating_sub(BEFORE_BYTES);
    &bytes[start..bytes.len().min(start + SAMPLE_BYTES)]
}

/// Returns `true` if bytes are not valid in an encoding. `is_cut` allows an incomplete character at the end.
fn has_errors(encoding: &'static Encoding, bytes: &[u8], is_cut: bool) -> bool {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let Some(room) = decoder.max_utf8_buffer_length(bytes.len()) else { return true };
    let mut text = String::with_capacity(room);
    decoder.decode_to_string(bytes, &mut text, !is_cut).2
}

/// Returns `true` if bytes are UTF-8. A long text may end in an incomplete character.
fn is_utf8(bytes: &[u8]) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none() && error.valid_up_to() > BEGINNING_BYTES,
    }
}

/// Returns `true` if bytes are UTF-8 with a few errors, such as a character that a program cut in two.
///
/// In other encodings, hardly any bytes form a character of UTF-8. So eight non-ASCII characters for each error are enough,
/// or more characters than errors if the text declares UTF-8. It may end in an incomplete character.
pub fn is_damaged_utf8(bytes: &[u8], is_declared: bool) -> bool {
    let (mut characters, mut wrong) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        characters += chunk.valid().chars().filter(|letter| !letter.is_ascii()).count();
        wrong += usize::from(!chunk.invalid().is_empty());
    }
    let least = if is_declared { wrong + 1 } else { 8 * wrong };
    characters >= least.max(1)
}

/// Returns GB18030 for GBK, which is a subset of it. Files that declare GBK are often GB18030.
fn wider(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == GBK { GB18030 } else { encoding }
}

/// Returns the encoding that XML or HTML declares in its first bytes, in lower case.
fn declared(bytes: &[u8]) -> Option<Vec<u8>> {
    let start = bytes[..bytes.len().min(DECLARED_BYTES)].to_ascii_lowercase();
    let label = if start.starts_with(b"<?xml") {
        let end = memchr::memchr(b'>', &start)?;
        after(&start[..end], b"encoding")?
    } else if memchr::memmem::find(&start, b"<meta").is_some() {
        after(&start, b"charset")?
    } else {
        return None;
    };
    let label = label.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let label = label.strip_prefix(b"\"").or_else(|| label.strip_prefix(b"'")).unwrap_or(label);
    let end = label
        .iter()
        .position(|byte| !byte.is_ascii_alphanumeric() && !b"-_.:".contains(byte))
        .unwrap_or(label.len());
    Some(label[..end].to_vec())
}

fn after<'a>(bytes: &'a [u8], part: &[u8]) -> Option<&'a [u8]> {
    memchr::memmem::find(bytes, part).map(|at| &bytes[at + part.len()..])
}

/// Decodes UTF-32, which has a byte order mark, or two zeros in its first units. `None` for any other text.
fn utf32(bytes: &[u8]) -> Option<Decoded> {
    let is_little = match bytes {
        [0xFF, 0xFE, 0, 0, ..] => true,
        [0, 0, 0xFE, 0xFF, ..] => false,
        [a, b, 0, 0, ..] if (*a, *b) != (0, 0) && bytes.len() >= 8 && bytes[6..8] == [0, 0] => true,
        [0, 0, a, b, ..] if (*a, *b) != (0, 0) && bytes.len() >= 8 && bytes[4..6] == [0, 0] => {
            false
        }
        _ => return None,
    };
    let convert = if is_little { u32::from_le_bytes } else { u32::from_be_bytes };
    let quads = bytes.chunks_exact(4);
    let mut has_errors = !quads.remainder().is_empty();
    let text: String = quads
        .map(|quad| {
            let value = convert([quad[0], quad[1], quad[2], quad[3]]);
            char::from_u32(value).unwrap_or_else(|| {
                has_errors = true;
                char::REPLACEMENT_CHARACTER
            })
        })
        .collect();
    let mut warnings =
        vec![format!("the text was read as UTF-32{}", if is_little { "LE" } else { "BE" })];
    if has_errors {
        warnings.push(LOSSY.into());
    }
    Some(Decoded { text, warnings })
}

#[cfg(test)]
mod guess_tests;

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::UTF_16LE;

    fn text_of(bytes: &[u8]) -> String {
        decode(bytes.to_vec()).text
    }

    #[test]
    fn encodings_are_found() {
        let text = "2024年经营报告：日活跃用户数与营业收入均保持增长。本年度公司完成了会员体系升级，付费转化率稳步提升。";
        for encoding in [UTF_8, GB18030, UTF_16LE, encoding_rs::BIG5] {
            let bytes = if encoding == UTF_16LE {
                [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
            } else {
                encoding.encode(text).0.into_owned()
            };
            if encoding != encoding_rs::BIG5 {
                assert_eq!(text_of(&bytes), text, "{}", encoding.name());
            }
        }
        assert_eq!(text_of(b"a\0b\0c\0d\0"), "abcd");
        assert_eq!(text_of("a\r\nb\rc\u{7}\u{FEFF}".as_bytes()), "a\nb\nc");
        assert!(decode(b"abc".to_vec()).warnings.is_empty());
        assert_eq!(text_of("e\u{301}".as_bytes()), "é");
    }

    #[test]
    fn declarations_and_marks_decide() {
        assert_eq!(
            text_of(b"<?xml version='1.0' encoding='ISO-8859-5'?><a>\xD4\xD0</a>")
                .lines()
                .last()
                .unwrap()
                .chars()
                .rev()
                .nth(4),
            Some('а')
        );
        assert_eq!(text_of(b"<meta charset=shift_jis>\x93\xFA"), "<meta charset=shift_jis>日");
        let utf32 =
            |text: &str| text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect::<Vec<_>>();
        assert_eq!(text_of(&utf32("\u{FEFF}年a")), "年a");
        assert_eq!(text_of(&utf32("年a")), "年a");
        let utf16: Vec<u8> = "年份\n收入\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(text_of(&utf16), "年份\n收入\n");
        assert_eq!(text_of(b"\x1b$BF|\x1b(B"), "日");
        assert_eq!(decode(b"\xFF\xFEa".to_vec()).warnings.len(), 2);
        assert_eq!(beginning("年\u{1}".as_bytes()), "年\u{1}");
        let old = |label: &str, bytes: &[u8]| {
            let page = format!("<?xml version='1.0' encoding='{label}'?><a>");
            let page = [page.as_bytes(), bytes].concat();
            is_before_the_web(&page).then(|| decode(page))
        };
        for (label, bytes) in [("IBM855", b"\xd2\xa0\xe1"), ("MacCyrillic", b"\xec\xe0\xf0")] {
            let Decoded { text, warnings } = old(label, bytes).unwrap();
            assert!(text.ends_with("мар"), "{label}: {text}");
            assert!(
                warnings[0].starts_with("the text was read as ") && !warnings[0].ends_with("guess"),
                "{warnings:?}"
            );
        }
        assert!(old("windows-1251", b"\xec\xe0\xf0").is_none());
        assert_eq!(encoding(b"a\0b\0c\0d\0"), Ok(UTF_16LE));
        assert_eq!(encoding("年份".as_bytes()), Ok(UTF_8));
        assert_eq!(encoding(&utf32("年a")), Err("UTF-32"));
        // A page that declares its encoding late, and is too short to recognize it by its letters.
        let page =
            format!("<html><style>{}</style><meta charset=windows-1254>\u{fe}", " ".repeat(2000));
        let page: Vec<u8> = page.chars().map(|it| it as u8).collect();
        assert!(text_of(&page).ends_with('ş') && !is_before_the_web(&page));
    }
}
