//! Detects the encoding of bytes without a correct declaration. Mails of Chinese systems have raw names and subjects in GBK
//! or Big5.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// Most bytes for the detection of an encoding.
const GUESSED_FROM: usize = 64 << 10;

/// Decodes bytes in the declared encoding, or else in the most likely one.
pub(crate) fn decode(bytes: &[u8], label: Option<&str>, around: &[u8]) -> String {
    if let Some(encoding) = label.and_then(known) {
        let (text, _, has_errors) = encoding.decode(bytes);
        if !has_errors {
            return text.into_owned();
        }
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => text.trim_start_matches('\u{feff}').to_owned(),
        Err(_) => guess(bytes, around).decode(bytes).0.into_owned(),
    }
}

/// Returns a declared encoding; `None` for ASCII and Latin 1, which are often wrong.
fn known(label: &str) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(label.trim().as_bytes())?;
    (encoding != WINDOWS_1252).then_some(encoding)
}

/// Returns the most likely encoding of bytes that are not UTF-8. `around` may declare one, or adds characters for the
/// detection.
pub(crate) fn guess(bytes: &[u8], around: &[u8]) -> &'static Encoding {
    let start = around.get(..GUESSED_FROM).unwrap_or(around);
    if let Some(said) = charsets(start).find(|encoding| *encoding != UTF_8) {
        return said;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes.get(..GUESSED_FROM).unwrap_or(bytes), false);
    // Lines in UTF-8 do not help to detect another encoding.
    for line in start.split(|byte| *byte == b'\n').filter(|line| std::str::from_utf8(line).is_err())
    {
        detector.feed(line, false);
    }
    detector.feed(b"", true);
    detector.guess(None, Utf8Detection::Deny)
}

/// Returns the encodings that a text declares: `charset="gbk"`.
fn charsets(bytes: &[u8]) -> impl Iterator<Item = &'static Encoding> {
    let text = String::from_utf8_lossy(bytes).to_ascii_lowercase();
    let labels: Vec<String> = text
        .split("charset=")
        .skip(1)
        .map(|rest| {
            let rest = rest.trim_start_matches(['"', '\'', '3', 'd']);
            rest.chars()
                .take_while(|character| {
                    character.is_ascii_alphanumeric() || "-_:.".contains(*character)
                })
                .collect()
        })
        .collect();
    labels.into_iter().filter_map(|label| known(&label))
}

/// Returns the mail with the header fields of the mail and of its parts in UTF-8.
pub(crate) fn with_legible_fields(bytes: &[u8]) -> Cow<'_, [u8]> {
    if std::str::from_utf8(bytes).is_ok() {
        return Cow::Borrowed(bytes);
    }
    let mut out = Vec::with_capacity(bytes.len() + 256);
    let mut in_fields = true;
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n').peekable();
    let mut encoding = None;
    while let Some(line) = lines.next() {
        if in_fields && std::str::from_utf8(line).is_err() {
            let encoding = *encoding.get_or_insert_with(|| guess(line, bytes));
            out.extend_from_slice(encoding.decode_without_bom_handling(line).0.as_bytes());
        } else {
            out.extend_from_slice(line);
        }
        in_fields = fields_go_on(in_fields, line, lines.peek().copied());
    }
    Cow::Owned(out)
}

/// Returns `true` if the next line belongs to header fields, which begin after a boundary and end with an empty line.
pub(crate) fn fields_go_on(in_fields: bool, line: &[u8], next: Option<&[u8]>) -> bool {
    if line.iter().all(|byte| matches!(byte, b'\r' | b'\n')) {
        return false;
    }
    if !line.starts_with(b"--") {
        return in_fields;
    }
    next.and_then(|next| next.get(..8)).is_some_and(|start| start.eq_ignore_ascii_case(b"content-"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{BIG5, GBK};

    #[test]
    fn bare_bytes_are_in_the_likely_encoding() {
        let text = "关于二〇二四年第三季度销售数据的说明，请各部门查收。";
        let gbk = GBK.encode(text).0;
        assert_eq!(decode(&gbk, None, b""), text);
        assert_eq!(decode(&gbk, Some("us-ascii"), b""), text);
        assert_eq!(decode(&gbk, Some("utf-8"), b""), text);
        assert_eq!(decode(text.as_bytes(), Some("iso-8859-1"), b""), text);
        let (big, said) =
            (BIG5.encode("銷售數據").0, b"Content-Type: text/plain; charset=\"big5\"");
        assert_eq!(decode(&big, None, said), "銷售數據");
    }

    #[test]
    fn fields_are_made_legible_and_bodies_stay() {
        let mail = |name: &[u8]| {
            [
                b"Subject: ",
                name,
                b"\r\n\r\n--b\r\nContent-Type: x; name=",
                name,
                b"\r\n\r\n",
                name,
                b"\r\n--\r\n",
                name,
            ]
            .concat()
        };
        let gbk = GBK.encode("年报数据和季度说明").0;
        let found = with_legible_fields(&mail(&gbk)).into_owned();
        let utf = "年报数据和季度说明".as_bytes();
        assert!(found.starts_with(&[b"Subject: ", utf].concat()));
        assert!(found.ends_with(&[b"name=", utf, b"\r\n\r\n", &gbk, b"\r\n--\r\n", &gbk].concat()));
    }
}
