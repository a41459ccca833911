//! Bytes of a text file to text: byte order mark, zeros, UTF-8, then a guess.
//!
//! Which encoding it is is found out of a sample, so that the time for it has a bound. Decoding takes each byte once.

mod legacy;
mod wide;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, GB18030, GBK, UTF_8};
use legacy::Legacy;

use crate::clean;

/// The text of a file, and what was done to get it.
pub struct Decoded {
    /// The text.
    pub text: String,
    /// What was done, one sentence each.
    pub warnings: Vec<String>,
}

/// Bytes at the beginning that tell kinds of text apart.
const BEGINNING_BYTES: usize = 8 << 10;

/// Bytes that an encoding is guessed from, beginning a little before the first that is not ASCII.
const SAMPLE_BYTES: usize = 128 << 10;

/// Bytes before that.
const BEFORE_BYTES: usize = 512;

/// How the bytes of a text become characters.
enum Coding {
    Known(&'static Encoding),
    /// One that [`encoding_rs`] does not have, and what is said of it.
    Old(Legacy, &'static str),
}

/// Decode and clean: line ends are `\n`, control characters other than tab are gone, the text is composed (NFC).
pub fn decode(bytes: Vec<u8>) -> Decoded {
    let Decoded { text, warnings } = decode_only(bytes);
    let cleaned = match clean::text(&text) {
        std::borrow::Cow::Owned(cleaned) => Some(cleaned),
        std::borrow::Cow::Borrowed(_) => None,
    };
    Decoded { text: cleaned.unwrap_or(text), warnings }
}

/// Decode without cleaning, for who cleans piece by piece. Bytes in UTF-8 are not copied.
pub fn decode_only(bytes: Vec<u8>) -> Decoded {
    if let Some(decoded) = utf32(&bytes) {
        return decoded;
    }
    let mut warnings = Vec::new();
    let (text, has_errors) = match coding_of(&bytes) {
        Coding::Known(encoding) => {
            if encoding != UTF_8 {
                warnings.push(format!("the text was read as {}", encoding.name()));
            }
            match String::from_utf8(bytes) {
                Ok(text) if encoding == UTF_8 => (text, false),
                Ok(text) => decoded(encoding, text.as_bytes()),
                Err(error) => decoded(encoding, error.as_bytes()),
            }
        }
        Coding::Old(legacy, doubt) => {
            warnings.push(format!("the text was read as {}{doubt}", legacy.name()));
            legacy.decode(&bytes)
        }
    };
    if has_errors {
        warnings.push(LOSSY.into());
    }
    Decoded { text, warnings }
}

fn decoded(encoding: &'static Encoding, bytes: &[u8]) -> (String, bool) {
    let (text, _, has_errors) = encoding.decode(bytes);
    (text.into_owned(), has_errors)
}

/// Whether a text is in an encoding that decoders of the web do not know.
pub fn is_before_the_web(bytes: &[u8]) -> bool {
    matches!(coding_of(bytes), Coding::Old(..))
}

/// The beginning of a text as it stands, control characters included. Takes no more time for a long text than for a short one.
pub fn beginning(bytes: &[u8]) -> String {
    let end = bytes.len().min(BEGINNING_BYTES);
    if let Some(decoded) = utf32(&bytes[..end & !3]) {
        return decoded.text;
    }
    match coding_of(&bytes[..bytes.len().min(SAMPLE_BYTES)]) {
        Coding::Known(encoding) => encoding.decode(&bytes[..end]).0.into_owned(),
        Coding::Old(legacy, _) => legacy.decode(&bytes[..end]).0,
    }
}

/// The most bytes that are there at a time while a text is decoded and cleaned, beside its bytes.
pub fn working_bytes(bytes: &[u8]) -> u64 {
    let length = bytes.len() as u64;
    match std::str::from_utf8(bytes) {
        // Cleaning copies the text, and composing it copies it again.
        Ok(_) => 3 * length + (4 << 10),
        // A byte of another encoding becomes three at most. The guess has a state of its own.
        Err(_) => 9 * length + (512 << 10),
    }
}

const LOSSY: &str = "some bytes are no characters and were replaced by `\u{FFFD}`";

fn coding_of(bytes: &[u8]) -> Coding {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return Coding::Known(encoding);
    }
    if let Some(encoding) = wide::without_mark(bytes) {
        return Coding::Known(encoding);
    }
    if let Some(legacy) = legacy::seven_bits(bytes) {
        return Coding::Old(legacy, legacy.doubt());
    }
    // ISO-2022-JP has only ASCII bytes, so it would pass for UTF-8; its escapes stand in no other text.
    let is_escaped = memchr::memmem::find(bytes, b"\x1b$").is_some();
    if !is_escaped && is_utf8(bytes) {
        return Coding::Known(UTF_8);
    }
    let sample = sample(bytes);
    // What the text says of itself is right if it decodes; short texts cannot be told apart otherwise.
    let label = declared(bytes).unwrap_or_default();
    // A text that can be read up to here is not in UTF-16, whatever it says.
    let known = Encoding::for_label(&label).filter(|encoding| encoding.is_ascii_compatible());
    if let Some(encoding) = known
        && !has_errors(encoding, sample, sample.len() < bytes.len())
    {
        return Coding::Known(wider(encoding));
    }
    if let Some(legacy) = Legacy::declared(&label) {
        return Coding::Old(legacy, "");
    }
    if let Some(legacy) = legacy::mainframe(bytes) {
        return Coding::Old(legacy, legacy.doubt());
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(sample, true);
    // No hint of a country: `cn` would turn all Japanese and traditional Chinese into GBK.
    let guess = detector.guess(None, Utf8Detection::Allow);
    match legacy::korean(sample).or_else(|| legacy::dos(sample, guess)) {
        Some(legacy) => Coding::Old(legacy, legacy.doubt()),
        None => Coding::Known(wider(guess)),
    }
}

/// The part of a text that its encoding is guessed from: it begins with ASCII, or with the text.
fn sample(bytes: &[u8]) -> &[u8] {
    let first = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
    let start = first.saturating_sub(BEFORE_BYTES);
    &bytes[start..bytes.len().min(start + SAMPLE_BYTES)]
}

/// Whether bytes are no characters of an encoding; a character may be cut at the end.
fn has_errors(encoding: &'static Encoding, bytes: &[u8], is_cut: bool) -> bool {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let Some(room) = decoder.max_utf8_buffer_length(bytes.len()) else { return true };
    let mut text = String::with_capacity(room);
    decoder.decode_to_string(bytes, &mut text, !is_cut).2
}

/// Whether bytes are UTF-8, the last character of which may be cut.
fn is_utf8(bytes: &[u8]) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none() && error.valid_up_to() > BEGINNING_BYTES,
    }
}

/// GBK is a part of GB18030, and files that are called the one often are the other.
fn wider(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == GBK { GB18030 } else { encoding }
}

/// The encoding that XML and HTML name in their first lines, in lower case.
fn declared(bytes: &[u8]) -> Option<Vec<u8>> {
    let start = bytes[..bytes.len().min(1024)].to_ascii_lowercase();
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

/// Text in UTF-32, which browsers and their libraries do not read: marked, or by its two zeros in every four bytes.
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
            let bytes = match encoding == UTF_16LE {
                true => [0xFEFF]
                    .into_iter()
                    .chain(text.encode_utf16())
                    .flat_map(u16::to_le_bytes)
                    .collect(),
                false => encoding.encode(text).0.into_owned(),
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
    }
}
