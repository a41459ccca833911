//! XML as a sequence of tags and texts, so that everything unchanged stays identical byte for byte.
//!
//! There is no tree and no check of nesting on purpose: parts of old Excel drawings are not well-formed XML, and must pass
//! through unharmed. Does not know what the names mean.

use crate::shared::losses::Losses;
use crate::shared::xml::push_text;

/// A token of a part. All tokens together make the part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum XmlToken<'a> {
    Text(&'a str),
    Tag(Tag<'a>),
    /// A comment, an instruction, or the beginning of a tag without an end.
    Other(&'a str),
}

/// A tag.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tag<'a> {
    /// The whole tag, with its brackets.
    pub(crate) raw: &'a str,
    /// Its name without a prefix.
    pub(crate) name: &'a str,
    pub(crate) kind: TagKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TagKind {
    Open,
    Close,
    Empty,
}

impl<'a> Tag<'a> {
    /// Returns the value of an attribute in the source, by its name without a prefix.
    pub(crate) fn attribute(&self, name: &str) -> Option<&'a str> {
        attributes(self.raw).find(|it| it.local() == name).map(|it| it.value)
    }

    /// Returns the value of an attribute as text.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.attribute(name).map(unescape)
    }

    pub(crate) fn number(&self, name: &str) -> Option<u32> {
        self.attribute(name)?.trim().parse().ok()
    }

    /// Returns the prefix: `x:` for `<x:row>`.
    pub(crate) fn prefix(&self) -> &'a str {
        let inner = self.raw.trim_start_matches(['<', '/']);
        inner.find(self.name).and_then(|at| inner.get(..at)).unwrap_or_default()
    }

    /// Returns `true` if it opens an element of this name, with or without content.
    pub(crate) fn opens(&self, name: &str) -> bool {
        self.kind != TagKind::Close && self.name == name
    }

    pub(crate) fn closes(&self, name: &str) -> bool {
        self.kind == TagKind::Close && self.name == name
    }
}

/// An attribute of a tag.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attribute<'a> {
    name: &'a str,
    pub(crate) value: &'a str,
    /// Position of its value in the tag.
    start: usize,
}

impl<'a> Attribute<'a> {
    pub(crate) fn local(&self) -> &'a str {
        self.name.rsplit(':').next().unwrap_or(self.name)
    }
}

/// Returns the attributes of a tag.
pub(crate) fn attributes(raw: &str) -> impl Iterator<Item = Attribute<'_>> {
    let mut at = raw.find(|c: char| c.is_ascii_whitespace()).unwrap_or(raw.len());
    std::iter::from_fn(move || {
        let rest = raw.get(at..)?;
        let equals = rest.find('=')?;
        let name = rest.get(..equals)?.trim();
        let after = rest.get(equals + 1..)?;
        let quote = after.find(|c: char| !c.is_ascii_whitespace())?;
        let mark = after.get(quote..)?.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let start = at + equals + 1 + quote + 1;
        let length = raw.get(start..)?.find(mark)?;
        let value = raw.get(start..start + length)?;
        at = start + length + 1;
        Some(Attribute { name, value, start })
    })
}

/// Returns the tag with the values that `change` returns, which are not yet escaped; `None` if nothing changes.
pub(crate) fn with_attributes(
    raw: &str,
    mut change: impl FnMut(&str, &str) -> Option<String>,
) -> Option<String> {
    let mut out = String::new();
    let mut copied = 0;
    for attribute in attributes(raw) {
        let Some(value) = change(attribute.local(), attribute.value) else { continue };
        out.push_str(raw.get(copied..attribute.start)?);
        out.push_str(&escape(&value));
        copied = attribute.start + attribute.value.len();
    }
    if copied == 0 {
        return None;
    }
    out.push_str(raw.get(copied..)?);
    Some(out)
}

/// Returns the tag with an attribute set or added.
pub(crate) fn set_attribute(raw: &str, name: &str, value: &str) -> String {
    let local = name.rsplit(':').next().unwrap_or(name);
    let changed = with_attributes(raw, |it, _| (it == local).then(|| value.to_owned()));
    changed.unwrap_or_else(|| {
        let end = raw.trim_end_matches(['>', '/']).trim_end().len();
        let (head, tail) = raw.split_at(end);
        format!("{head} {name}=\"{}\"{}", escape(value), tail.trim_start())
    })
}

/// Returns the tag without some attributes.
pub(crate) fn without_attributes(raw: &str, names: &[&str]) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut copied = 0;
    for attribute in attributes(raw).filter(|it| names.contains(&it.local())) {
        let end = attribute.start + attribute.value.len() + 1;
        let name = raw.get(..attribute.start).and_then(|it| it.rfind(attribute.name)).unwrap_or(0);
        out.push_str(raw.get(copied..name).unwrap_or_default().trim_end());
        copied = end;
    }
    out.push_str(raw.get(copied..).unwrap_or_default());
    out
}

/// Returns the tokens of a part.
pub(crate) fn xml_tokens(xml: &str) -> XmlTokens<'_> {
    XmlTokens { xml, at: 0 }
}

#[derive(Clone)]
pub(crate) struct XmlTokens<'a> {
    xml: &'a str,
    at: usize,
}

impl<'a> XmlTokens<'a> {
    /// Returns the number of bytes that were returned.
    pub(crate) fn offset(&self) -> usize {
        self.at
    }
}

impl<'a> Iterator for XmlTokens<'a> {
    type Item = XmlToken<'a>;

    fn next(&mut self) -> Option<XmlToken<'a>> {
        let rest = self.xml.get(self.at..).filter(|it| !it.is_empty())?;
        let (length, token) = match rest.strip_prefix('<') {
            None => {
                let length = rest.find('<').unwrap_or(rest.len());
                (length, XmlToken::Text(&rest[..length]))
            }
            Some(inner) => match special_end(rest, inner) {
                Some(length) => (length, XmlToken::Other(&rest[..length])),
                None => match tag_end(rest) {
                    Some(length) => (length, tag(&rest[..length])),
                    None => (rest.len(), XmlToken::Other(rest)),
                },
            },
        };
        self.at += length;
        Some(token)
    }
}

/// Returns the length of a comment, a CDATA section, an instruction or a declaration.
fn special_end(rest: &str, inner: &str) -> Option<usize> {
    let end = match () {
        () if inner.starts_with("!--") => "-->",
        () if inner.starts_with("![CDATA[") => "]]>",
        () if inner.starts_with('?') => "?>",
        () if inner.starts_with('!') => ">",
        () => return None,
    };
    Some(rest.find(end).map_or(rest.len(), |at| at + end.len()))
}

/// Returns the length of a tag, which ends at the first `>` outside of quotation marks.
fn tag_end(rest: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in rest.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(mark), byte) if mark == byte => quote = None,
            _ => {}
        }
    }
    None
}

fn tag(raw: &str) -> XmlToken<'_> {
    let kind = match () {
        () if raw.starts_with("</") => TagKind::Close,
        () if raw.ends_with("/>") => TagKind::Empty,
        () => TagKind::Open,
    };
    let inner = raw.trim_start_matches(['<', '/']);
    let end = inner
        .find(|c: char| c.is_ascii_whitespace() || matches!(c, '>' | '/'))
        .unwrap_or(inner.len());
    let name = &inner[..end];
    XmlToken::Tag(Tag { raw, name: name.rsplit(':').next().unwrap_or(name), kind })
}

/// Escapes text for XML. Leaves out characters that XML cannot represent.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_text(&mut out, text, &mut Losses::default());
    out
}

/// Replaces entities, `&…;`, by their characters.
pub(crate) fn unescape(raw: &str) -> String {
    let Some(first) = raw.find('&') else { return raw.to_owned() };
    let mut out = raw[..first].to_owned();
    let mut rest = &raw[first..];
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(12).position(|byte| byte == b';');
        let known = end.and_then(|end| Some((entity(rest.get(1..end)?)?, end)));
        match known {
            Some((c, end)) => {
                out.push(c);
                rest = &rest[end + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn entity(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pieces_together_are_the_part() {
        for xml in [
            "<?xml version=\"1.0\"?>\n<a b='>' c=\"/>\"><x:d/>text<!-- <e> --></a>",
            "<br>",
            "<a",
            "text < more",
            "<a b=\"",
            "<![CDATA[<a>]]>",
            "<!-- no end",
            "",
            "中<文>字</文>",
            "<>",
            "</>",
        ] {
            let whole: String = xml_tokens(xml)
                .map(|token| match token {
                    XmlToken::Text(text) | XmlToken::Other(text) => text,
                    XmlToken::Tag(tag) => tag.raw,
                })
                .collect();
            assert_eq!(whole, xml);
        }
    }

    #[test]
    fn attributes_are_changed_set_and_taken_away() {
        let raw = "<x:c r=\"A1\" r:id='rId1' t = \"s\" />";
        let Some(XmlToken::Tag(tag)) = xml_tokens(raw).next() else { panic!("expected a tag") };
        assert_eq!((tag.name, tag.prefix(), tag.kind), ("c", "x:", TagKind::Empty));
        assert_eq!((tag.attribute("r"), tag.attribute("id")), (Some("A1"), Some("rId1")));
        assert_eq!(tag.attribute("t"), Some("s"));
        assert_eq!(set_attribute(raw, "r", "B<2"), "<x:c r=\"B&lt;2\" r:id='rId1' t = \"s\" />");
        assert_eq!(set_attribute("<a>", "b", "1"), "<a b=\"1\">");
        assert_eq!(set_attribute("<a />", "b", "1"), "<a b=\"1\"/>");
        assert_eq!(without_attributes(raw, &["t", "r"]), "<x:c r:id='rId1' />");
        assert_eq!(with_attributes(raw, |_, _| None), None);
    }

    #[test]
    fn entities_are_read() {
        assert_eq!(unescape("&lt;&#65;&#x4e2d;&amp;amp;&bad;&"), "<A中&amp;&bad;&");
    }
}
