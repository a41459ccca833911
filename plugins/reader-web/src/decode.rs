//! Decodes the bytes of a page: by byte order mark, by zero bytes, as UTF-8, by its declaration, or by a guess.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, GB18030, GBK, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE, X_USER_DEFINED};

/// Number of bytes in which a page declares its encoding.
const DECLARED_WITHIN: usize = 4 << 10;

/// Number of bytes that are checked for UTF-8 with a few wrong bytes.
const SAMPLE_BYTES: usize = 1 << 20;

/// The text of a file, and warnings about its decoding.
pub(crate) struct Decoded {
    pub(crate) text: String,
    pub(crate) warnings: Vec<String>,
}

pub(crate) fn decode(bytes: &[u8]) -> Decoded {
    if let Some(text) = four_bytes(bytes) {
        return Decoded { text, warnings: Vec::new() };
    }
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return with(encoding, bytes.get(length..).unwrap_or_default(), None);
    }
    match bytes {
        [0, second, ..] if *second != 0 => return with(UTF_16BE, bytes, None),
        [first, 0, ..] if *first != 0 => return with(UTF_16LE, bytes, None),
        _ => {}
    }
    let declared = declared(bytes);
    // ISO-2022-JP consists of ASCII letters and escapes, which are also valid UTF-8.
    if declared == Some(ISO_2022_JP) && bytes.contains(&0x1b) {
        return with(ISO_2022_JP, bytes, None);
    }
    // Hardly any text in another encoding is valid UTF-8 by chance, so a declaration does not count.
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Decoded { text: text.to_owned(), warnings: Vec::new() };
    }
    if let Some(encoding) = declared
        && let Some(text) = encoding.decode_without_bom_handling_and_without_replacement(bytes)
    {
        return Decoded { text: text.into_owned(), warnings: Vec::new() };
    }
    let sample = bytes.get(..bytes.len().min(SAMPLE_BYTES)).unwrap_or_default();
    if is_damaged_utf8(sample, declared == Some(UTF_8)) {
        return with(UTF_8, bytes, None);
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    let guessed = superset(detector.guess(None, Utf8Detection::Allow));
    let warning = match declared {
        Some(declared) if declared != guessed => format!(
            "it says that it is in {}, which it is not: it was read as {}",
            declared.name(),
            guessed.name()
        ),
        Some(_) => return with(guessed, bytes, None),
        None => format!("it does not say its encoding: it was read as {}", guessed.name()),
    };
    with(guessed, bytes, Some(warning))
}

fn with(encoding: &'static Encoding, bytes: &[u8], warning: Option<String>) -> Decoded {
    let (text, is_damaged) = encoding.decode_without_bom_handling(bytes);
    let mut warnings: Vec<String> = warning.into_iter().collect();
    if is_damaged {
        let count = text.chars().filter(|it| *it == char::REPLACEMENT_CHARACTER).count();
        let name = encoding.name();
        warnings.push(match count {
            1 => format!("1 character is damaged: it is no {name}"),
            _ => format!("{count} characters are damaged: they are no {name}"),
        });
    }
    Decoded { text: text.into_owned(), warnings }
}

/// Returns whether bytes are UTF-8 with a few wrong bytes, such as a character that a program cut in two. The function
/// with this name in `mitt-text` explains the numbers.
fn is_damaged_utf8(bytes: &[u8], is_declared: bool) -> bool {
    let (mut characters, mut wrong) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        characters += chunk.valid().chars().filter(|letter| !letter.is_ascii()).count();
        wrong += usize::from(!chunk.invalid().is_empty());
    }
    let least = if is_declared { wrong + 1 } else { 8 * wrong };
    characters >= least.max(1)
}

/// Decodes UTF-32, recognized by its byte order mark or by the three zeros of its first letter.
fn four_bytes(bytes: &[u8]) -> Option<String> {
    let (is_big, rest) = match bytes {
        [0, 0, 0xFE, 0xFF, rest @ ..] => (true, rest),
        [0xFF, 0xFE, 0, 0, rest @ ..] => (false, rest),
        [0, 0, 0, letter, ..] if *letter != 0 => (true, bytes),
        [letter, 0, 0, 0, ..] if *letter != 0 => (false, bytes),
        _ => return None,
    };
    let (units, _) = rest.as_chunks::<4>();
    let code = |unit: &[u8; 4]| {
        if is_big { u32::from_be_bytes(*unit) } else { u32::from_le_bytes(*unit) }
    };
    let character = |unit| char::from_u32(code(unit)).unwrap_or(char::REPLACEMENT_CHARACTER);
    Some(units.iter().map(character).collect())
}

/// Returns the declared encoding: `<meta charset=…>`, `<?xml encoding="…"?>`.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let beginning: String =
        bytes.iter().take(DECLARED_WITHIN).map(|byte| byte.to_ascii_lowercase() as char).collect();
    ["charset", "encoding"].iter().find_map(|word| {
        beginning.match_indices(word).find_map(|(at, _)| {
            let rest = beginning.get(at + word.len()..)?.trim_start().strip_prefix('=')?;
            let rest = rest.trim_start_matches([' ', '"', '\'']);
            let end = rest.find(|it: char| !it.is_ascii_alphanumeric() && !"-_:.".contains(it));
            let label = rest.get(..end.unwrap_or(rest.len()))?;
            match Encoding::for_label(label.as_bytes())? {
                // The declaration was read as ASCII, so the page is not UTF-16.
                it if it == UTF_16LE || it == UTF_16BE || it == X_USER_DEFINED => Some(UTF_8),
                it => Some(superset(it)),
            }
        })
    })
}

/// Chinese pages declare GB2312 and use letters of its successors.
fn superset(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == GBK { GB18030 } else { encoding }
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{BIG5, EUC_KR};

    #[test]
    fn every_way_to_tell_an_encoding_is_followed() {
        let page = |label: &str| format!("<meta charset={label}><p>年度報告 2025</p>");
        for (label, encoding) in [("gb2312", GB18030), ("big5", BIG5), ("utf-8", UTF_8)] {
            let text = page(label);
            let decoded = decode(&encoding.encode(&text).0);
            assert_eq!((decoded.text, decoded.warnings.len()), (text, 0), "{label}");
        }
        let wide: Vec<u8> = "<p>年".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decode(&wide).text, "<p>年");
        let marked: Vec<u8> = "\u{feff}年".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decode(&marked).text, "年");
        let wider: Vec<u8> = "<年".chars().flat_map(|it| u32::from(it).to_le_bytes()).collect();
        assert_eq!(decode(&wider).text, "<年");
    }

    #[test]
    fn a_wrong_or_missing_encoding_is_told() {
        let text = "<meta charset=utf-8><p>中华人民共和国统计局年度报告，各项经济指标</p>";
        let decoded = decode(&GB18030.encode(text).0);
        assert_eq!(decoded.text, text);
        assert!(decoded.warnings[0].contains("read as gb18030"), "{:?}", decoded.warnings);
        let korean = "<p>한국어로 쓰여진 문서입니다. 통계 보고서</p>";
        let decoded = decode(&EUC_KR.encode(korean).0);
        assert_eq!(decoded.text, korean);
        assert_eq!(decoded.warnings, ["it does not say its encoding: it was read as EUC-KR"]);
    }

    #[test]
    fn one_damaged_character_leaves_the_others() {
        let text = "<meta charset=utf-8><p>papierosów, Łukasz, źródła";
        let mut bytes = text.as_bytes().to_vec();
        bytes.truncate(bytes.len() - "ródła".len() - 1);
        bytes.extend_from_slice(b"...</p>");
        let decoded = decode(&bytes);
        assert!(decoded.text.contains("papierosów, Łukasz, \u{fffd}..."), "{}", decoded.text);
        assert_eq!(decoded.warnings, ["1 character is damaged: it is no UTF-8"]);
    }
}
