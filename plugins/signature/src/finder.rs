//! Signatures in the bytes of a file, without a parser of PDF: enough for files that are not encrypted, whose signatures are
//! always outside of object streams.
//!
//! A reader of PDF files knows better which signatures are in use. This is for tests, and for files that it cannot read.

use crate::coverage::{decode_hex, is_space, places};
use crate::verify::SignatureInput;

/// Most signatures that are found in a file.
pub const MAX_SIGNATURES: usize = 1000;

/// Returns the signatures in the order of the file.
pub fn find_signatures(pdf: &[u8]) -> Vec<SignatureInput> {
    let mut signatures = Vec::new();
    for place in places(pdf, b"/ByteRange").take(MAX_SIGNATURES) {
        let Some(byte_range) = numbers(&pdf[place + b"/ByteRange".len()..]) else { continue };
        let start = pdf[..place]
            .windows(5)
            .rposition(|window| window == b" obj\n" || window == b" obj\r" || window == b" obj<");
        let start = start.unwrap_or(0);
        let end = pdf[place..]
            .windows(6)
            .position(|window| window == b"endobj")
            .map_or(pdf.len(), |found| place + found);
        let object = &pdf[start..end];
        let Some(contents) = value(object, b"/Contents").and_then(hex_string) else { continue };
        signatures.push(SignatureInput {
            field: format!("signature {}", signatures.len() + 1),
            byte_range,
            contents,
            subfilter: value(object, b"/SubFilter").and_then(name),
            certificates: value(object, b"/Cert").and_then(hex_string).into_iter().collect(),
            claimed_time: value(object, b"/M").and_then(literal),
        });
    }
    signatures
}

/// Returns what follows the key and white space.
fn value<'a>(object: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let is_end = |at: &usize| {
        object.get(at + key.len()).is_none_or(|byte| is_space(*byte) || b"</([".contains(byte))
    };
    let at = places(object, key).find(is_end)? + key.len();
    let rest = &object[at..];
    Some(&rest[rest.iter().take_while(|byte| is_space(**byte)).count()..])
}

fn hex_string(text: &[u8]) -> Option<Vec<u8>> {
    let inner = text.strip_prefix(b"<")?;
    decode_hex(&inner[..inner.iter().position(|byte| *byte == b'>')?])
}

fn name(text: &[u8]) -> Option<String> {
    let inner = text.strip_prefix(b"/")?;
    let end = inner
        .iter()
        .position(|byte| is_space(*byte) || b"/<>[]()".contains(byte))
        .unwrap_or(inner.len());
    Some(String::from_utf8_lossy(&inner[..end]).into_owned())
}

/// Reads a string without brackets in it; some writers escape the colon of a date.
fn literal(text: &[u8]) -> Option<String> {
    let inner = text.strip_prefix(b"(")?;
    let inner = String::from_utf8_lossy(&inner[..inner.iter().position(|byte| *byte == b')')?])
        .into_owned();
    Some(inner.replace("\\072", ":"))
}

fn numbers(text: &[u8]) -> Option<Vec<i64>> {
    let start = text.iter().take_while(|byte| is_space(**byte)).count();
    let inner = text[start..].strip_prefix(b"[")?;
    let inner = &inner[..inner.iter().take(2000).position(|byte| *byte == b']')?];
    let inner = std::str::from_utf8(inner).ok()?;
    inner.split_ascii_whitespace().map(|number| number.parse().ok()).collect()
}
