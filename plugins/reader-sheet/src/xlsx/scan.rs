//! Splits the XML of a part into tokens, from a stream.
//!
//! Worksheets are the largest parts, often a hundred times the size of the rest of a workbook, and consist of very
//! short elements. A general XML parser copies and checks each of them, which costs several times more than the work on
//! the cells. This scanner only omits the check that elements end in the order in which they began.

use std::borrow::Cow;
use std::io::Read;

/// Most bytes of a tag, or of the text between two tags.
const MAX_TOKEN: usize = 32 << 20;

const FIRST_BUFFER: usize = 64 << 10;

/// Why the rest of a part cannot be read.
pub(crate) type Damage = String;

#[derive(Debug, PartialEq)]
pub(crate) enum Token<'a> {
    Start(Tag<'a>),
    /// End of an element, by local name. Empty elements have no end.
    End(&'a [u8]),
    Text(Text<'a>),
}

#[derive(Debug, PartialEq)]
pub(crate) struct Tag<'a> {
    /// Local name, without its prefix.
    pub(crate) name: &'a [u8],
    attributes: &'a [u8],
    pub(crate) is_empty: bool,
}

/// Text as in the file. References such as `&amp;` are not replaced yet, unless the text is literal.
#[derive(Debug, PartialEq)]
pub(crate) struct Text<'a> {
    raw: &'a [u8],
    is_literal: bool,
}

pub(crate) struct Scanner<R> {
    input: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// `true` if the input has no more bytes, possibly because of a failure. The failure is reported after the buffered
    /// tokens.
    is_at_end: bool,
    failure: Option<Damage>,
}

/// The next item in the buffer.
enum NextToken {
    Token {
        kind: TokenKind,
        length: usize,
    },
    Skip {
        length: usize,
    },
    /// More bytes are needed.
    Incomplete,
}

enum TokenKind {
    Start,
    End,
    Text,
    Literal,
}

impl<R: Read> Scanner<R> {
    pub(crate) fn new(input: R) -> Self {
        Self::with_buffer(input, FIRST_BUFFER)
    }

    fn with_buffer(input: R, size: usize) -> Self {
        Self { input, buffer: vec![0; size], start: 0, end: 0, is_at_end: false, failure: None }
    }

    /// Returns the next token; `None` at the end of the part.
    pub(crate) fn next(&mut self) -> Result<Option<Token<'_>>, Damage> {
        loop {
            match find(&self.buffer[self.start..self.end]) {
                NextToken::Token { kind, length } => {
                    let token = &self.buffer[self.start..self.start + length];
                    self.start += length;
                    return Ok(Some(match kind {
                        TokenKind::Start => Token::Start(Tag::of(token)),
                        TokenKind::End => Token::End(local(name_of(&token[2..]))),
                        TokenKind::Text => Token::Text(Text { raw: token, is_literal: false }),
                        TokenKind::Literal => {
                            let raw = &token[CDATA.len()..length - 3];
                            Token::Text(Text { raw, is_literal: true })
                        }
                    }));
                }
                NextToken::Skip { length } => self.start += length,
                NextToken::Incomplete if !self.is_at_end => self.fill()?,
                NextToken::Incomplete if self.failure.is_some() => {
                    return Err(self.failure.clone().unwrap_or_default());
                }
                NextToken::Incomplete if self.start == self.end => return Ok(None),
                // A part may end with text, but not in a tag.
                NextToken::Incomplete if self.buffer[self.start] == b'<' => {
                    return Err("it is cut off inside a tag".to_owned());
                }
                NextToken::Incomplete => self.start = self.end,
            }
        }
    }

    /// Reads the text up to the end of an element that has just begun, nested elements included.
    pub(crate) fn text(&mut self, name: &[u8], out: &mut Vec<u8>) -> Result<(), Damage> {
        loop {
            match self.next()? {
                Some(Token::Text(text)) => text.push_to(out),
                Some(Token::End(end)) if end == name => return Ok(()),
                Some(_) => {}
                None => return Err(cut_off(name)),
            }
        }
    }

    fn fill(&mut self) -> Result<(), Damage> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.end == self.buffer.len() {
            if self.end >= MAX_TOKEN {
                return Err(format!("an element of it has more than {} MiB", MAX_TOKEN >> 20));
            }
            self.buffer.resize(self.end * 2, 0);
        }
        // Fills the buffer, because an incomplete token is searched again after each read.
        while self.end < self.buffer.len() && !self.is_at_end {
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(count) => {
                    self.end += count;
                    self.is_at_end = count == 0;
                }
                Err(error) => {
                    self.failure = Some(error.to_string());
                    self.is_at_end = true;
                }
            }
        }
        Ok(())
    }
}

pub(crate) fn cut_off(name: &[u8]) -> Damage {
    format!("it is cut off inside `{}`", String::from_utf8_lossy(name))
}

const CDATA: &[u8] = b"<![CDATA[";

fn find(bytes: &[u8]) -> NextToken {
    let after = |end: &[u8], from: usize| {
        let rest = bytes.get(from..)?;
        let at = rest.windows(end.len()).position(|window| window == end)?;
        Some(from + at + end.len())
    };
    let skip = |length: Option<usize>| match length {
        Some(length) => NextToken::Skip { length },
        None => NextToken::Incomplete,
    };
    let token = |kind, length: Option<usize>| match length {
        Some(length) => NextToken::Token { kind, length },
        None => NextToken::Incomplete,
    };
    match bytes {
        [] | [b'<'] => NextToken::Incomplete,
        [b'<', b'/', ..] => token(TokenKind::End, after(b">", 2)),
        [b'<', b'?', ..] => skip(after(b"?>", 2)),
        [b'<', b'!', ..] => match bytes {
            [_, _, b'-', b'-', ..] => skip(after(b"-->", 4)),
            _ if bytes.starts_with(CDATA) => token(TokenKind::Literal, after(b"]]>", CDATA.len())),
            // The next bytes decide which of them it is.
            _ if bytes.len() < CDATA.len() => NextToken::Incomplete,
            // A document type declaration, which programs do not write.
            _ => skip(after(b">", 2)),
        },
        [b'<', ..] => token(TokenKind::Start, tag_length(bytes)),
        _ => token(TokenKind::Text, bytes.iter().position(|byte| *byte == b'<')),
    }
}

/// Returns the length of the tag at the start. Attribute values may contain `>`.
fn tag_length(bytes: &[u8]) -> Option<usize> {
    let mut quote = 0;
    for (index, byte) in bytes.iter().enumerate() {
        match *byte {
            b'>' if quote == 0 => return Some(index + 1),
            b'"' | b'\'' if quote == 0 => quote = *byte,
            byte if byte == quote => quote = 0,
            _ => {}
        }
    }
    None
}

/// Returns the name at the start.
fn name_of(bytes: &[u8]) -> &[u8] {
    let is_end = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'/' | b'>' | b'=');
    &bytes[..bytes.iter().position(is_end).unwrap_or(bytes.len())]
}

/// Returns a name without its prefix.
fn local(name: &[u8]) -> &[u8] {
    match name.iter().position(|byte| *byte == b':') {
        Some(colon) => &name[colon + 1..],
        None => name,
    }
}

impl<'a> Tag<'a> {
    /// Returns the tag of these bytes, from `<` to `>`.
    fn of(bytes: &'a [u8]) -> Self {
        let inside = &bytes[1..bytes.len() - 1];
        let (inside, is_empty) = match inside {
            [inside @ .., b'/'] => (inside, true),
            inside => (inside, false),
        };
        let name = name_of(inside);
        Self { name: local(name), attributes: &inside[name.len()..], is_empty }
    }

    /// Returns the names of the attributes and their values as in the file.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
        let mut rest = self.attributes;
        std::iter::from_fn(move || {
            rest = rest.trim_ascii_start();
            let name = name_of(rest);
            rest = rest[name.len()..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
            let (quote, value) = rest.split_first()?;
            let length = value.iter().position(|byte| byte == quote)?;
            rest = &value[length + 1..];
            Some((name, &value[..length]))
        })
    }

    /// Returns the value of an attribute as in the file.
    pub(crate) fn attribute(&self, name: &[u8]) -> Option<&'a [u8]> {
        self.attributes().find(|(other, _)| *other == name).map(|(_, value)| value)
    }
}

impl Text<'_> {
    pub(crate) fn push_to(&self, out: &mut Vec<u8>) {
        // XML normalizes line ends to one character.
        let raw = if self.raw.contains(&b'\r') {
            Cow::Owned(with_line_feeds(self.raw))
        } else {
            Cow::Borrowed(self.raw)
        };
        if self.is_literal || !raw.contains(&b'&') {
            out.extend_from_slice(&raw);
        } else {
            out.extend_from_slice(unescaped(&raw).as_bytes());
        }
    }
}

fn with_line_feeds(raw: &[u8]) -> Vec<u8> {
    let mut bytes = raw.iter().copied().peekable();
    let mut out = Vec::with_capacity(raw.len());
    while let Some(byte) = bytes.next() {
        match byte {
            b'\r' if bytes.peek() == Some(&b'\n') => {}
            b'\r' => out.push(b'\n'),
            byte => out.push(byte),
        }
    }
    out
}

/// Returns text with its references replaced. An unknown reference leaves the whole text unchanged.
pub(crate) fn unescaped(raw: &[u8]) -> Cow<'_, str> {
    match String::from_utf8_lossy(raw) {
        Cow::Borrowed(text) => quick_xml::escape::unescape(text).unwrap_or(Cow::Borrowed(text)),
        damaged => damaged,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(xml: &str) -> Result<Vec<String>, Damage> {
        let lossy = String::from_utf8_lossy;
        let read = |mut scanner: Scanner<&[u8]>| {
            let mut found = Vec::new();
            while let Some(token) = scanner.next()? {
                found.push(match token {
                    Token::Start(tag) => {
                        let attributes = tag.attributes();
                        let attributes = attributes
                            .map(|(name, value)| format!(" {}={}", lossy(name), unescaped(value)));
                        let end = if tag.is_empty { "/" } else { "" };
                        format!("<{}{}{end}", lossy(tag.name), attributes.collect::<String>())
                    }
                    Token::End(name) => format!("/{}", lossy(name)),
                    Token::Text(text) => {
                        let mut out = Vec::new();
                        text.push_to(&mut out);
                        lossy(&out).into_owned()
                    }
                });
            }
            Ok::<_, Damage>(found)
        };
        let whole = read(Scanner::new(xml.as_bytes()));
        for size in 1..20 {
            assert_eq!(whole, read(Scanner::with_buffer(xml.as_bytes(), size)));
        }
        whole
    }

    #[test]
    fn tokens_are_found_wherever_the_stream_is_cut() {
        let xml = "\u{feff}<?xml version=\"1.0\"?><!DOCTYPE a><x:a b='1' r:c = \"x>y&amp;\"><!-- <no> --><d/>\
                   1 &lt;\r\n2&#65;&#13;\r.<![CDATA[<&amp;\r\n]]></x:a >&nbsp;<e f=\"\" />\n";
        let found = tokens(xml).unwrap();
        assert_eq!(
            found,
            [
                "\u{feff}",
                "<a b=1 r:c=x>y&",
                "<d/",
                "1 <\n2A\r\n.",
                "<&amp;\n",
                "/a",
                "&nbsp;",
                "<e f=/"
            ]
        );
    }

    #[test]
    fn what_is_cut_off_or_endless_is_refused() {
        assert_eq!(tokens("<a>text").unwrap(), ["<a"]);
        for cut in ["<a b=\"1", "<a>1</", "<!-- no end", "<![CDATA[x]]"] {
            assert!(tokens(cut).unwrap_err().contains("cut off"), "{cut}");
        }
        let endless = std::io::repeat(b'x');
        assert!(Scanner::new(endless).next().unwrap_err().contains("more than 32 MiB"));
    }

    #[test]
    fn damaged_attributes_end_the_list() {
        for tag in ["<a b>", "<a b=>", "<a =>", "<a b=1 c=2>", "< >", "<>"] {
            tokens(tag).unwrap();
        }
        assert_eq!(tokens("<a b='1'c='2' d>").unwrap(), ["<a b=1 c=2"]);
    }
}
