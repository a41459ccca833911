//! Detects UTF-16 without a byte order mark, by the byte order that gives plausible characters.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

use super::tables::{SIMPLIFIED, TRADITIONAL};

/// Most bytes that are examined.
const SAMPLE_BYTES: usize = 4096;

/// Returns UTF-16 with the byte order of a text. `None` for any other text.
pub(super) fn without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = &bytes[..bytes.len().min(SAMPLE_BYTES) & !1];
    if sample.len() < 4 {
        return None;
    }
    let little = units(sample, u16::from_le_bytes);
    let big = units(sample, u16::from_be_bytes);
    let (little_sense, big_sense) = (sense(&little), sense(&big));
    let (encoding, units, sense, other) = if little_sense >= big_sense {
        (UTF_16LE, little, little_sense, big_sense)
    } else {
        (UTF_16BE, big, big_sense, little_sense)
    };
    let count = units.len() as i64;
    let most = 2 * count;
    // No other text has zeros. With one, the better order is right if it is plausible at all.
    let has_zero = sample.contains(&0);
    let is_sure = sense * 10 >= most * 7 && (sense - other) * 10 >= most;
    if has_zero && is_sure {
        return Some(encoding);
    }
    // Chinese without a blank, line end or Latin letter has no zeros. Shift_JIS has such pairs of bytes too, but few in the
    // first half of the range. ASCII letters have such pairs too, but few of common Chinese characters.
    let is_in = |range: std::ops::RangeInclusive<u16>| {
        units.iter().filter(|unit| range.contains(unit)).count() as i64
    };
    let is_chinese = bytes.len().is_multiple_of(2)
        && std::str::from_utf8(bytes).is_err()
        && count >= 6
        && is_in(0x4E00..=0x9FFF) * 10 >= count * 7
        && is_in(0x4E00..=0x7FFF) * 10 >= count * 3
        && other * 2 <= sense
        && sense * 10 >= most * 9
        && common(&units) * 5 >= units.len();
    let kana = is_in(0x3041..=0x30FE);
    let is_japanese = bytes.len().is_multiple_of(2)
        && std::str::from_utf8(bytes).is_err()
        && count >= 8
        && kana * 10 >= count * 3
        && (kana + is_in(0x4E00..=0x9FFF) + is_in(0x3000..=0x3002)) * 10 >= count * 8
        && other * 2 <= sense;
    (!has_zero && (is_chinese || is_japanese)).then_some(encoding)
}

/// Returns how many units are common Chinese characters.
fn common(units: &[u16]) -> usize {
    let lists = [SIMPLIFIED, TRADITIONAL].map(|list| list.chars().collect::<Vec<_>>());
    let is_common = |unit: &&u16| {
        let character = char::from_u32(u32::from(**unit)).unwrap_or_default();
        lists.iter().any(|list| list.binary_search(&character).is_ok())
    };
    units.iter().filter(is_common).count()
}

fn units(sample: &[u8], order: fn([u8; 2]) -> u16) -> Vec<u16> {
    sample.chunks_exact(2).map(|pair| order([pair[0], pair[1]])).collect()
}

/// Returns how plausible the units are: 2 for a character of ordinary texts, 3 for one that is rare in the other byte order,
/// and -4 for one that texts do not have.
fn sense(units: &[u16]) -> i64 {
    let mut sum = 0;
    let mut expects_low = false;
    let (mut han, mut hangul) = (0, 0);
    for (index, unit) in units.iter().copied().enumerate() {
        let is_pair = std::mem::take(&mut expects_low);
        sum += match unit {
            0x09 | 0x0A | 0x0D | 0x20..=0x7E => 2,
            // Blanks, line ends and tabs in the other byte order.
            0x0900 | 0x0A00 | 0x0D00 | 0x2000 => -4,
            // With a zero in the lower byte, these are common. Others are more likely letters in the other order.
            0x4E00 | 0x9700 | 0x3000 => 2,
            0xD800..=0xDBFF => {
                expects_low = true;
                // The sample may end in a surrogate pair.
                if index + 1 == units.len() { 2 } else { 0 }
            }
            0xDC00..=0xDFFF if is_pair => 4,
            _ if unit & 0xFF == 0 => 0,
            0x100..=0x24F => 1,
            0xA0..=0xFF | 0x370..=0x52F | 0x590..=0x6FF | 0x900..=0xE7F | 0x10A0..=0x10FF => 2,
            0x1E00..=0x1FFF | 0x2010..=0x205E | 0x20A0..=0x20BF | 0x2100..=0x22FF => 2,
            0x2460..=0x25FF | 0x3105..=0x312F | 0x3131..=0x318E | 0xFFE0..=0xFFE6 => 2,
            // CJK punctuation, kana and fullwidth forms.
            0x3001..=0x30FF | 0xFF01..=0xFF5E => 3,
            0x4E01..=0x9FFF => {
                han += 1;
                2
            }
            0xAC00..=0xD7A3 => {
                hangul += 1;
                2
            }
            _ => -4,
        };
        if is_pair && !(0xDC00..=0xDFFF).contains(&unit) {
            sum -= 4;
        }
    }
    // Hardly any text mixes Han and Hangul.
    sum - 2 * han.min(hangul)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str, encoding: &'static Encoding) -> Vec<u8> {
        let order = if encoding == UTF_16LE { u16::to_le_bytes } else { u16::to_be_bytes };
        text.encode_utf16().flat_map(order).collect()
    }

    #[test]
    fn the_order_is_found_by_what_makes_sense() {
        for text in [
            "一般需要一个字",
            "年份\n收入\n",
            "公司的一切收入",
            "abc def",
            "Größe, Привет",
            "東京は一番です。",
            "한국어 문장입니다",
            "表\t一\t二\r\n",
            "a😀b c",
            "第一章：总则。本公司依照法律设立，股东以其认缴的出资额为限承担责任",
        ] {
            for encoding in [UTF_16LE, UTF_16BE] {
                assert_eq!(without_mark(&bytes(text, encoding)), Some(encoding), "{text}");
            }
        }
    }

    #[test]
    fn other_texts_are_not_taken_for_it() {
        let japanese = "これは日本語の文章です。東京都千代田区の会社案内について説明する";
        let chinese = "公司依照法律设立，股东以其认缴的出资额为限承担责任";
        for bytes in [
            encoding_rs::SHIFT_JIS.encode(japanese).0,
            encoding_rs::EUC_JP.encode(japanese).0,
            encoding_rs::GBK.encode(chinese).0,
            encoding_rs::BIG5.encode("公司依照法律設立，股東以其認繳的出資額為限承擔責任").0,
            encoding_rs::EUC_KR.encode("한국어 문장은 이렇게 씁니다").0,
            encoding_rs::WINDOWS_1252.encode("Gr\u{f6}\u{df}e und L\u{e4}nge").0,
            chinese.as_bytes().into(),
            b"plain text"[..].into(),
            b"\0\x01\x02\x03\xfe\xff\0\x07\x80\x81".as_slice().into(),
        ] {
            assert_eq!(without_mark(&bytes), None, "{bytes:x?}");
        }
    }
}
