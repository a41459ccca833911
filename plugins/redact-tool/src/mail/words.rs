//! Encoded words (RFC 2047): headers as people read them, with the places in the source.

use base64::Engine as _;
use encoding_rs::Encoding;
use std::ops::Range;

/// Most bytes of text in an encoded word that this writes: with its marks 75 characters.
const MAX_WORD: usize = 42;
/// Most bytes of an encoded word that is read. The standard allows 75.
const MAX_READ: usize = 16 << 10;

/// A piece of a header.
#[derive(Debug)]
pub(super) enum Piece {
    /// Source as it is.
    Raw(Range<usize>),
    /// A run of encoded words, and what it shows.
    Words(Range<usize>, String),
}

/// Takes the value of a header apart.
pub(super) fn pieces(value: &str) -> Vec<Piece> {
    let mut out = Vec::new();
    let (mut at, mut raw) = (0, 0);
    while let Some(found) = value[at..].find("=?") {
        let start = at + found;
        let mut end = start;
        let mut all: Vec<(String, Vec<u8>)> = Vec::new();
        // White space between two encoded words is not shown.
        loop {
            let gap = value[end..].len() - value[end..].trim_start().len();
            let next = if all.is_empty() { end } else { end + gap };
            let Some((length, charset, bytes)) = word(&value[next..]) else { break };
            // A character may be cut in two.
            match all.last_mut() {
                Some((last, joined)) if *last == charset => joined.extend(bytes),
                _ => all.push((charset, bytes)),
            }
            end = next + length;
        }
        if all.is_empty() {
            at = start + 2;
            continue;
        }
        if raw < start {
            out.push(Piece::Raw(raw..start));
        }
        let shown = all.iter().map(|(charset, bytes)| decode(charset, bytes)).collect();
        out.push(Piece::Words(start..end, shown));
        (at, raw) = (end, end);
    }
    if raw < value.len() {
        out.push(Piece::Raw(raw..value.len()));
    }
    out
}

/// Returns the length, the charset and the bytes of the encoded word that a text begins with.
fn word(text: &str) -> Option<(usize, String, Vec<u8>)> {
    let text = &text[..text.floor_char_boundary(MAX_READ)];
    let rest = text.strip_prefix("=?")?;
    let (charset, rest) = rest.split_once('?')?;
    let (kind, rest) = rest.split_once('?')?;
    let (data, rest) = rest.split_once("?=")?;
    let charset = charset.split('*').next()?.to_ascii_lowercase();
    if charset.is_empty() || charset.len() > 40 || data.contains(['\n', '\r']) {
        return None;
    }
    let bytes = match kind {
        "B" | "b" => base64(data.as_bytes())?,
        "Q" | "q" => quoted(data.replace('_', " ").as_bytes()),
        _ => return None,
    };
    Some((text.len() - rest.len(), charset, bytes))
}

/// Returns the text of bytes in a charset; if it is not known, in the one that they seem to have.
pub(super) fn decode(charset: &str, bytes: &[u8]) -> String {
    match Encoding::for_label(charset.as_bytes()) {
        Some(encoding) => encoding.decode_without_bom_handling(bytes).0.into_owned(),
        None => mitt_text::decode::decode_only(bytes.to_vec()).text,
    }
}

/// Returns the bytes of Base64, without signs that do not belong to it. `None` if there is nothing of it in a text.
pub(super) fn base64(text: &[u8]) -> Option<Vec<u8>> {
    use base64::alphabet::STANDARD;
    use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let is_sign = |it: &&u8| it.is_ascii_alphanumeric() || matches!(it, b'+' | b'/');
    let mut signs: Vec<u8> = text.iter().filter(is_sign).copied().collect();
    if signs.is_empty() && !text.trim_ascii().is_empty() {
        return None;
    }
    if signs.len() % 4 == 1 {
        signs.pop();
    }
    GeneralPurpose::new(&STANDARD, config).decode(signs).ok()
}

/// Returns the bytes of quoted-printable text.
pub(super) fn quoted(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&it) = text.get(at) {
        if it != b'=' {
            out.push(it);
            at += 1;
            continue;
        }
        let hex = text.get(at + 1..at + 3).filter(|it| it.iter().all(u8::is_ascii_hexdigit));
        let value = hex
            .and_then(|it| std::str::from_utf8(it).ok())
            .and_then(|it| u8::from_str_radix(it, 16).ok());
        if let Some(value) = value {
            out.push(value);
            at += 3;
            continue;
        }
        // `=` at the end of a line, also before blanks, is a soft line break (RFC 2045), not part of the text.
        let blanks = text[at + 1..].iter().take_while(|it| matches!(it, b' ' | b'\t')).count();
        let behind = &text[at + 1 + blanks..];
        at += match behind {
            [b'\r', b'\n', ..] => 3 + blanks,
            [b'\n', ..] => 2 + blanks,
            [] => 1 + blanks,
            _ => {
                out.push(b'=');
                1
            }
        };
    }
    out
}

/// Returns a text as encoded words in UTF-8.
pub(super) fn encode(text: &str, eol: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.floor_char_boundary(MAX_WORD);
        let (part, behind) = rest.split_at(end);
        if !out.is_empty() {
            out.push_str(eol);
            out.push(' ');
        }
        let data = base64::engine::general_purpose::STANDARD.encode(part);
        out.push_str(&format!("=?utf-8?B?{data}?="));
        rest = behind;
    }
    out
}
