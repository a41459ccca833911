//! The proof for a text: the new file is read again, by other code than that which redacted it.
//!
//! Knows no marks and no views: it reads the whole text as the reader of the host does, cleaned and composed, and takes marks, tags
//! and escapes out with scanners of its own.

use crate::error::{Result, left, shorten};
use crate::kind::TextKind;
use crate::matcher::Matcher;
use encoding_rs::Encoding;

/// # Errors
/// [`crate::Error::Unsupported`] - a hit is left.
pub(crate) fn text(
    bytes: &[u8],
    encoding: &'static Encoding,
    kind: TextKind,
    matcher: &Matcher,
) -> Result<()> {
    // Both as the guess of the reader and as the encoding of the file: the guess may be another one after the change.
    let guessed = mitt_text::decode::decode(bytes.to_vec()).text;
    check(&guessed, kind, matcher)?;
    drop(guessed);
    check(&encoding.decode(bytes).0, kind, matcher)
}

fn check(text: &str, kind: TextKind, matcher: &Matcher) -> Result<()> {
    let refuse = |number: usize, line: &str| {
        left(&format!("line {}, \"{}\"", number + 1, shorten(&hidden(line, matcher), 60)))
    };
    if matcher.is_in(text) {
        let found = text.lines().enumerate().find(|(_, line)| matcher.is_in(line));
        return match found {
            Some((number, line)) => refuse(number, line),
            None => left("a text that goes on in the next line"),
        };
    }
    for (number, line) in text.lines().enumerate() {
        if !line.contains(['&', '%', '\\', '*', '_', '`', '~', '"', '[', '<']) {
            continue;
        }
        let plain = unescaped(line);
        let shown: String = match kind {
            TextKind::Markdown => {
                plain.chars().filter(|it| !matches!(it, '*' | '`' | '~' | '\\')).collect()
            }
            TextKind::Values => plain.replace("\"\"", "\""),
            TextKind::Plain | TextKind::Html => plain,
        };
        if matcher.is_in(&shown) {
            return refuse(number, line);
        }
    }
    Ok(())
}

/// A message quotes the place, but not what was to be removed.
fn hidden(line: &str, matcher: &Matcher) -> String {
    let mut out = line.to_owned();
    let mut hits = matcher.hits(line);
    hits.sort_by_key(|it| std::cmp::Reverse((it.start, it.end)));
    let mut before = usize::MAX;
    for hit in hits {
        let end = hit.end.min(before);
        if hit.start < end {
            out.replace_range(hit.start..end, "…");
        }
        before = before.min(hit.start);
    }
    out
}

/// Returns a line with numbers of characters and bytes of addresses as characters.
pub(crate) fn unescaped(line: &str) -> String {
    let mut bytes: Vec<u8> = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let number = rest.strip_prefix("&#").and_then(|it| {
            let end = it.find(';').filter(|end| *end <= 9)?;
            let value = match it[..end].strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => it[..end].parse(),
            };
            Some((char::from_u32(value.ok()?)?, end + 3))
        });
        let byte = rest
            .strip_prefix('%')
            .and_then(|it| it.get(..2))
            .and_then(|it| u8::from_str_radix(it, 16).ok());
        let mut buffer = [0; 4];
        match (number, byte) {
            (Some((it, length)), _) => {
                bytes.extend(it.encode_utf8(&mut buffer).as_bytes());
                rest = &rest[length..];
            }
            (None, Some(byte)) => {
                bytes.push(byte);
                rest = &rest[3..];
            }
            (None, None) => {
                bytes.extend(first.encode_utf8(&mut buffer).as_bytes());
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
