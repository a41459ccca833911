//! Attributes of tags, and characters that XML writes in another form.

use std::borrow::Cow;

pub(super) fn is_name_byte(byte: u8) -> bool {
    !matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'>' | b'/' | b'=' | b'"' | b'\'' | b'<')
}

/// Returns the attributes of a tag: names as written, and values that are still escaped.
pub(super) fn attributes(tag: &str) -> impl Iterator<Item = (&str, &str)> {
    let bytes = tag.as_bytes();
    let mut at = 1 + bytes[1..].iter().position(|&it| !is_name_byte(it)).unwrap_or(0);
    std::iter::from_fn(move || {
        let start = at + bytes.get(at..)?.iter().position(|&it| is_name_byte(it))?;
        let end = start + bytes[start..].iter().position(|&it| !is_name_byte(it))?;
        let open = end + bytes[end..].iter().position(|it| matches!(it, b'"' | b'\''))?;
        let close = open + 1 + bytes[open + 1..].iter().position(|&it| it == bytes[open])?;
        at = close + 1;
        Some((&tag[start..end], &tag[open + 1..close]))
    })
}

/// Decodes the five entities of XML and references to characters. Anything else stays as it is.
pub(crate) fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.as_bytes().iter().take(12).position(|&it| it == b';');
        let character = end.and_then(|end| match &rest[1..end] {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            name => {
                let number = name.strip_prefix('#')?;
                let code = match number.strip_prefix(['x', 'X']) {
                    Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                    None => number.parse().ok()?,
                };
                char::from_u32(code)
            }
        });
        match (character, end) {
            (Some(character), Some(end)) => {
                out.push(character);
                rest = &rest[end + 1..];
            }
            _ => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Returns `true` for a character that XML 1.0 allows.
pub(crate) fn is_xml_char(it: char) -> bool {
    matches!(it, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// Escapes character data. Characters that XML does not allow are left out.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for it in text.chars().filter(|&it| is_xml_char(it)) {
        match it {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\r' => out.push_str("&#13;"),
            _ => out.push(it),
        }
    }
    out
}

/// Escapes the value of an attribute in double quotes.
pub(crate) fn escape_attr(text: &str) -> String {
    escape(text)
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
        .replace('\n', "&#10;")
        .replace('\t', "&#9;")
}
