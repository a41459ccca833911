//! Shared texts of cells.

use crate::xml::{TagKind, XmlToken, unescape, xml_tokens};

/// Shared texts, as source.
#[derive(Debug, Default)]
pub(crate) struct Strings {
    xml: String,
    items: Vec<(u32, u32)>,
}

impl Strings {
    pub(crate) fn read(xml: String) -> Self {
        let mut items = Vec::new();
        {
            let mut all = xml_tokens(&xml);
            let mut start = None;
            loop {
                let before = all.offset();
                let Some(token) = all.next() else { break };
                let XmlToken::Tag(tag) = token else { continue };
                if tag.opens("si") {
                    match tag.kind {
                        TagKind::Empty => items.push((0, 0)),
                        _ => start = Some(all.offset()),
                    }
                } else if tag.closes("si")
                    && let Some(start) = start.take()
                {
                    items.push((start as u32, before as u32));
                }
            }
        }
        Self { xml, items }
    }

    pub(crate) fn get(&self, index: usize) -> Option<String> {
        self.item(index).map(plain)
    }

    /// Returns the source of a text.
    pub(crate) fn item(&self, index: usize) -> Option<&str> {
        let (start, end) = *self.items.get(index)?;
        self.xml.get(start as usize..end as usize)
    }

    pub(crate) fn source(&self) -> &str {
        &self.xml
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }
}

/// Returns a shared or an inline text without phonetic readings.
pub(crate) fn plain(item: &str) -> String {
    let (mut text, mut in_text, mut reading) = (String::new(), false, 0_u32);
    for token in xml_tokens(item) {
        match token {
            XmlToken::Tag(tag) if tag.name == "t" => in_text = tag.kind == TagKind::Open,
            XmlToken::Tag(tag) if tag.name == "rPh" => match tag.kind {
                TagKind::Open => reading += 1,
                TagKind::Close => reading = reading.saturating_sub(1),
                TagKind::Empty => {}
            },
            XmlToken::Text(raw) if in_text && reading == 0 => text.push_str(&unescape(raw)),
            XmlToken::Other(raw) if in_text && reading == 0 => {
                let inner = raw.strip_prefix("<![CDATA[").and_then(|it| it.strip_suffix("]]>"));
                text.push_str(inner.unwrap_or_default());
            }
            _ => {}
        }
    }
    decoded(&text)
}

/// Decodes escapes such as `_x000D_`.
pub(crate) fn decoded(text: &str) -> String {
    if !text.contains("_x") {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("_x") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let code = rest.get(2..6).filter(|_| rest.as_bytes().get(6) == Some(&b'_'));
        let digits = code.filter(|it| it.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match digits.and_then(|it| char::from_u32(u32::from_str_radix(it, 16).ok()?)) {
            Some(c) => {
                out.push(c);
                rest = &rest[7..];
            }
            None => {
                out.push_str("_x");
                rest = &rest[2..];
            }
        }
    }
    out + rest
}

/// Encodes text so that no part of it is read as such an escape.
pub(crate) fn encoded(text: &str) -> String {
    if !text.contains("_x") && !text.contains("_X") {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut out = String::new();
    for (at, c) in text.char_indices() {
        let is_code = c == '_'
            && matches!(bytes.get(at + 1), Some(b'x' | b'X'))
            && bytes.get(at + 2..at + 6).is_some_and(|it| it.iter().all(u8::is_ascii_hexdigit))
            && bytes.get(at + 6) == Some(&b'_');
        out.push_str(if is_code { "_x005F" } else { "" });
        out.push(c);
    }
    out
}
