//! Bodies of parts: what they are, and their bytes without the encoding for the way.

use super::fields::Head;
use super::words;
use crate::kind::TextKind;
use crate::matcher::Matcher;
use base64::Engine as _;
use encoding_rs::{Encoding, UTF_8};

/// Columns of a line of Base64, and of a quoted line without its `=`.
const BASE64_COLUMNS: usize = 76;
const QUOTED_COLUMNS: usize = 75;
/// Bytes of a file that are searched at once, and how many of them the next piece has again.
const WINDOW: usize = 1 << 20;
const OVERLAP: usize = 4 << 10;

/// What a body is.
#[derive(Debug)]
pub(super) enum Content {
    Text {
        kind: TextKind,
        label: Option<String>,
    },
    Multipart {
        boundary: String,
        is_signed: bool,
    },
    Message,
    /// Encrypted, or signed as one block.
    Encrypted,
    /// A file that cannot be searched.
    Unread,
}

impl Content {
    pub(super) fn of(head: &Head) -> Self {
        let found = head.content_type();
        let label = found.get("charset").map(|it| it.trim().to_ascii_lowercase());
        let text = |kind| Self::Text { kind, label: label.clone() };
        match found.kind.as_str() {
            // RFC 2045: what says nothing is a text.
            "" | "text/plain" => text(TextKind::Plain),
            "text/html" | "application/xhtml+xml" => text(TextKind::Html),
            "text/csv" | "text/tab-separated-values" => text(TextKind::Values),
            "text/markdown" | "text/x-markdown" => text(TextKind::Markdown),
            "text/rtf" | "text/richtext" => Self::Unread,
            "multipart/encrypted" => Self::Encrypted,
            "application/pkcs7-mime" | "application/x-pkcs7-mime" => Self::Encrypted,
            "message/rfc822" | "message/global" => Self::Message,
            kind if kind.starts_with("multipart/") => match found.get("boundary") {
                Some(boundary) if !boundary.is_empty() => Self::Multipart {
                    boundary: boundary.to_owned(),
                    is_signed: kind == "multipart/signed",
                },
                _ => text(TextKind::Plain),
            },
            kind if kind.starts_with("text/") || kind.starts_with("message/") => {
                text(TextKind::Plain)
            }
            "application/json" | "application/xml" | "application/ics" => text(TextKind::Plain),
            "application/octet-stream" => {
                let name = head.shown_file().to_ascii_lowercase();
                match name.rsplit('.').next() {
                    Some("txt" | "log" | "json" | "xml" | "ics" | "vcf") => text(TextKind::Plain),
                    Some("md") => text(TextKind::Markdown),
                    Some("csv" | "tsv") => text(TextKind::Values),
                    Some("html" | "htm") => text(TextKind::Html),
                    _ => Self::Unread,
                }
            }
            _ => Self::Unread,
        }
    }
}

/// How a body is encoded for the way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Transfer {
    SevenBit,
    EightBit,
    Quoted,
    Base64,
    Unknown,
}

fn transfer(head: &Head) -> Transfer {
    let value = head.value("content-transfer-encoding").unwrap_or_default().to_ascii_lowercase();
    match value.split(['(', ';', ' ']).next().unwrap_or_default().trim() {
        "" | "7bit" => Transfer::SevenBit,
        "8bit" | "binary" => Transfer::EightBit,
        "quoted-printable" => Transfer::Quoted,
        "base64" => Transfer::Base64,
        _ => Transfer::Unknown,
    }
}

/// Returns the bytes of a body; `None` if its encoding is not known.
pub(super) fn decoded(head: &Head, body: &[u8]) -> Option<Vec<u8>> {
    match transfer(head) {
        Transfer::SevenBit | Transfer::EightBit => Some(body.to_vec()),
        Transfer::Quoted => Some(words::quoted(body)),
        Transfer::Base64 => words::base64(body),
        Transfer::Unknown => None,
    }
}

/// Returns bytes encoded as the body was.
pub(super) fn encoded(head: &Head, bytes: &[u8], eol: &str) -> Vec<u8> {
    match transfer(head) {
        Transfer::Quoted => quoted(bytes, eol),
        Transfer::Base64 => {
            let text = base64::engine::general_purpose::STANDARD.encode(bytes);
            let mut out = Vec::with_capacity(text.len() + text.len() / 30);
            for line in text.as_bytes().chunks(BASE64_COLUMNS) {
                out.extend(line);
                out.extend(eol.bytes());
            }
            out
        }
        _ => bytes.to_vec(),
    }
}

fn quoted(bytes: &[u8], eol: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 8);
    let mut column = 0;
    let mut at = 0;
    while let Some(&it) = bytes.get(at) {
        let end = match &bytes[at..] {
            [b'\r', b'\n', ..] => 2,
            [b'\n', ..] => 1,
            _ => 0,
        };
        if end > 0 {
            out.extend(eol.bytes());
            column = 0;
            at += end;
            continue;
        }
        let is_at_end = matches!(bytes.get(at + 1), None | Some(b'\r' | b'\n'));
        let is_plain =
            (b'!'..=b'~').contains(&it) && it != b'=' || matches!(it, b' ' | b'\t') && !is_at_end;
        let written = if is_plain { vec![it] } else { format!("={it:02X}").into_bytes() };
        if column + written.len() > QUOTED_COLUMNS {
            out.push(b'=');
            out.extend(eol.bytes());
            column = 0;
        }
        column += written.len();
        out.extend(written);
        at += 1;
    }
    out
}

/// Returns the encoding of a text, and `true` if it may only have ASCII. `None` if its charset is not known.
pub(super) fn charset(
    head: &Head,
    label: Option<&str>,
    bytes: &[u8],
) -> Option<(&'static Encoding, bool)> {
    let is_seven_bit = transfer(head) == Transfer::SevenBit;
    match label.filter(|it| !it.is_empty()) {
        None | Some("us-ascii" | "ascii") if bytes.is_ascii() => Some((UTF_8, true)),
        None | Some("us-ascii" | "ascii") => {
            Some((mitt_text::decode::encoding(bytes).ok()?, is_seven_bit))
        }
        Some(label) => {
            let found = Encoding::for_label(label.as_bytes())?;
            (found != encoding_rs::REPLACEMENT).then_some((found, is_seven_bit))
        }
    }
}

/// Returns `true` if a text has a file in it in the manner of `uuencode` or `yEnc`.
pub(super) fn has_uuencoded(bytes: &[u8]) -> bool {
    bytes.split(|it| *it == b'\n').any(|line| {
        line.strip_prefix(b"begin ").is_some_and(|it| {
            it.len() > 4 && it[..3].iter().all(|it| (b'0'..b'8').contains(it)) && it[3] == b' '
        }) || line.starts_with(b"=ybegin ")
    })
}

/// Returns `true` if the bytes of a file have a long word, read as UTF-8, Latin-1 or UTF-16.
pub(super) fn has_word(bytes: &[u8], matcher: &Matcher) -> bool {
    let mut at = 0;
    loop {
        let end = (at + WINDOW).min(bytes.len());
        let piece = &bytes[at..end];
        let latin: String = piece.iter().map(|&it| char::from(it)).collect();
        if matcher.is_long_word_in(&String::from_utf8_lossy(piece))
            || matcher.is_long_word_in(&latin)
        {
            return true;
        }
        for offset in 0..2 {
            for convert in [u16::from_le_bytes, u16::from_be_bytes] {
                let units = piece.get(offset..).unwrap_or_default().chunks_exact(2);
                let units = units.map(|it| convert([it[0], it[1]]));
                let text: String =
                    char::decode_utf16(units).map(|it| it.unwrap_or('\u{fffd}')).collect();
                if matcher.is_long_word_in(&text) {
                    return true;
                }
            }
        }
        if end == bytes.len() {
            return false;
        }
        at = end - OVERLAP;
    }
}
