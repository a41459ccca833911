//! Texts in the encodings that they are in: what does not change keeps its bytes.

use crate::error::{Error, Result};
use crate::marks::Change;
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};
use std::borrow::Cow;
use std::ops::Range;

/// Returns the encoding of a text, which is that of its reader.
///
/// # Errors
/// [`Error::Unsupported`] - it is one that cannot be written.
pub(crate) fn detect(bytes: &[u8]) -> Result<&'static Encoding> {
    mitt_text::decode::encoding(bytes).map_err(|name| {
        Error::Unsupported(format!(
            "the text is in {name}, which cannot be written; save it as UTF-8 and redact that file"
        ))
    })
}

/// Returns the text, with a byte order mark as a character. Bytes that are no characters become U+FFFD.
pub(crate) fn decode<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> (Cow<'a, str>, bool) {
    encoding.decode_without_bom_handling(bytes)
}

/// Returns `true` if texts of an encoding can have a character.
pub(crate) fn can_have(encoding: &'static Encoding, it: char) -> bool {
    encode(encoding, &it.to_string()).is_some()
}

fn encode(encoding: &'static Encoding, text: &str) -> Option<Vec<u8>> {
    if encoding == UTF_16LE {
        return Some(text.encode_utf16().flat_map(u16::to_le_bytes).collect());
    }
    if encoding == UTF_16BE {
        return Some(text.encode_utf16().flat_map(u16::to_be_bytes).collect());
    }
    let (bytes, _, has_errors) = encoding.encode(text);
    (!has_errors).then(|| bytes.into_owned())
}

/// Returns the bytes of a text after its changes. `text` is what [`decode`] returned; `masked` returns what stands for a part.
///
/// # Errors
/// [`Error::Unsupported`] - the encoding cannot write the text again.
pub(crate) fn change(
    encoding: &'static Encoding,
    bytes: &[u8],
    text: &str,
    changes: &[Change],
    masked: &dyn Fn(&str) -> String,
) -> Result<Vec<u8>> {
    let refused = || {
        Error::Unsupported(format!(
            "the text cannot be written as {}; save it as UTF-8 and redact that file",
            encoding.name()
        ))
    };
    let part =
        |it: &Change| if it.is_cut { String::new() } else { masked(&text[it.range.clone()]) };
    // Its bytes depend on those before them.
    if encoding == ISO_2022_JP {
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for it in changes {
            out.push_str(&text[at..it.range.start]);
            out.push_str(&part(it));
            at = it.range.end;
        }
        out.push_str(&text[at..]);
        if encode(encoding, text).as_deref().map(without_ends) != Some(without_ends(bytes)) {
            return Err(refused());
        }
        return encode(encoding, &out).ok_or_else(refused);
    }
    let ranges: Vec<Range<usize>> = changes.iter().map(|it| it.range.clone()).collect();
    let places = places(encoding, bytes, text, &ranges);
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for (it, place) in changes.iter().zip(places) {
        out.extend(bytes.get(at..place.start).unwrap_or_default());
        out.extend(encode(encoding, &part(it)).ok_or_else(refused)?);
        at = at.max(place.end);
    }
    out.extend(&bytes[at..]);
    Ok(out)
}

/// Returns a text in ISO-2022-JP without the escape sequence at its end, which is often left out.
fn without_ends(bytes: &[u8]) -> &[u8] {
    bytes.strip_suffix(b"\x1b(B").unwrap_or(bytes)
}

/// Returns the bytes that ranges of the text come from. A damaged character belongs to the range beside it.
fn places(
    encoding: &'static Encoding,
    bytes: &[u8],
    text: &str,
    ranges: &[Range<usize>],
) -> Vec<Range<usize>> {
    if encoding == UTF_8 && bytes.len() == text.len() && bytes == text.as_bytes() {
        return ranges.to_vec();
    }
    let mut out: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut buffer = [0; 32];
    // Bytes of the text so far, and where the bytes begin that have not become a character yet.
    let (mut produced, mut pending) = (0, None);
    let mut start = None;
    for at in 0..bytes.len() {
        let Some(range) = ranges.get(out.len()) else { break };
        let is_last = at + 1 == bytes.len();
        let (_, _, written, _) = decoder.decode_to_utf8(&bytes[at..=at], &mut buffer, is_last);
        let from = pending.unwrap_or(at);
        if written == 0 {
            pending = Some(from);
            continue;
        }
        produced += written;
        // The byte behind a damaged character may begin the next one.
        let is_damaged = buffer[..written] == *"\u{fffd}".as_bytes();
        pending = is_damaged.then_some(at);
        if start.is_none() && produced > range.start {
            start = Some(from);
        }
        let mut range = range;
        while let Some(first) = start.filter(|_| produced >= range.end) {
            out.push(first..at + 1);
            start = None;
            let Some(next) = ranges.get(out.len()) else { break };
            range = next;
            // Two ranges in what one step gave.
            start = (produced > range.start).then_some(at + 1);
        }
    }
    while let Some(first) = start.take().filter(|_| out.len() < ranges.len()) {
        out.push(first..bytes.len());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{BIG5, EUC_JP, EUC_KR, GB18030, SHIFT_JIS, WINDOWS_1252};

    fn changed(encoding: &'static Encoding, bytes: &[u8], word: &str) -> Vec<u8> {
        let (text, _) = decode(encoding, bytes);
        let changes: Vec<Change> = text
            .match_indices(word)
            .map(|(at, it)| Change { range: at..at + it.len(), is_cut: false })
            .collect();
        change(encoding, bytes, &text, &changes, &|it| "*".repeat(it.chars().count())).unwrap()
    }

    #[test]
    fn other_bytes_stay_in_every_encoding() {
        for (encoding, word) in [
            (UTF_8, "张伟"),
            (GB18030, "张伟"),
            (BIG5, "張偉"),
            (SHIFT_JIS, "山田"),
            (EUC_JP, "山田"),
            (EUC_KR, "김철"),
            (ISO_2022_JP, "山田"),
            (UTF_16LE, "张伟"),
            (UTF_16BE, "张伟"),
            (WINDOWS_1252, "Zoë"),
        ] {
            let text = format!("a {word}, {word}{word}\r\n{word}");
            let bytes = encode(encoding, &text).unwrap();
            let stars = "*".repeat(word.chars().count());
            let expected = encode(encoding, &text.replace(word, &stars)).unwrap();
            assert_eq!(changed(encoding, &bytes, word), expected, "{}", encoding.name());
        }
    }

    #[test]
    fn damaged_bytes_stay_beside_what_changes() {
        assert_eq!(
            changed(UTF_8, b"\xff a \xe5\xbc Wei \xe5\xbc", "Wei"),
            b"\xff a \xe5\xbc *** \xe5\xbc"
        );
        // A lead byte without its second byte, directly before the word.
        let out = changed(GB18030, b"\x81\xffWei \x81", "Wei");
        assert!(out.ends_with(b"*** \x81") && !out.windows(3).any(|it| it == b"Wei"), "{out:?}");
        let odd = [b"W\0e\0i\0".as_slice(), b"x"].concat();
        assert_eq!(changed(UTF_16LE, &odd, "Wei"), [b"*\0*\0*\0".as_slice(), b"x"].concat());
    }
}
