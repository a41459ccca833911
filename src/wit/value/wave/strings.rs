//! Characters and strings of WAVE: quotes, escapes, and multi-line strings.

use super::parse::{CUT_OFF_HINT, Fault, Parser, QUOTES_HINT};
use std::borrow::Cow;

impl<'t> Parser<'t> {
    pub(super) fn character(&mut self) -> Result<char, Fault> {
        let start = self.at;
        let mut characters = self.text[start + 1..].chars();
        let (character, length) = match characters.next() {
            Some('\\') => self.escape(start + 1)?,
            Some(other) if !"'\n".contains(other) => (other, other.len_utf8()),
            _ => {
                return Fault::at(
                    start,
                    "expected one character in single quotes",
                    Some(QUOTES_HINT),
                );
            }
        };
        let end = start + 1 + length;
        if self.text.as_bytes().get(end) != Some(&b'\'') {
            return Fault::at(start, "expected one character in single quotes", Some(QUOTES_HINT));
        }
        self.at = end + 1;
        Ok(character)
    }

    pub(super) fn string(&mut self) -> Result<Cow<'t, str>, Fault> {
        let start = self.at;
        if self.rest().starts_with("\"\"\"") {
            return self.multiline();
        }
        let bytes = self.text.as_bytes();
        let mut end = start + 1;
        loop {
            match bytes.get(end) {
                Some(b'"') => break,
                Some(b'\\') => end += 2,
                Some(b'\n') => {
                    let hint = "write a line break as `\\n`, or use `\"\"\"` on lines of their own";
                    return Fault::at(end, "a line break inside a string", Some(hint));
                }
                Some(_) => end += 1,
                None => return Fault::at(start, "a string without an end", Some(CUT_OFF_HINT)),
            }
        }
        self.at = end + 1;
        // Quotes and backslashes are ASCII, so every cut falls between characters.
        self.unescape(start + 1, end)
    }

    /// Reads lines between `"""`, without the indentation of the last one.
    fn multiline(&mut self) -> Result<Cow<'t, str>, Fault> {
        let start = self.at + 3;
        let Some(length) = self.text[start..].find("\"\"\"") else {
            return Fault::at(self.at, "a string without an end", Some(CUT_OFF_HINT));
        };
        let end = start + length;
        let content = &self.text[start..end];
        let first = content.find('\n').unwrap_or(content.len());
        let last = content.rfind('\n').unwrap_or_default();
        if !matches!(&content[..first], "" | "\r") || first == content.len() {
            return Fault::at(start, "expected a line break after the opening `\"\"\"`", None);
        }
        let indent = &content[last + 1..];
        if indent.contains(|c| c != ' ') {
            let what = "expected only spaces before the closing `\"\"\"`";
            return Fault::at(end, what, Some("put it on a line of its own"));
        }
        let mut string = String::new();
        let mut line_start = start + first + 1;
        if first < last {
            for (number, line) in content[first + 1..last].split('\n').enumerate() {
                let Some(dedented) = line.strip_prefix(indent) else {
                    let what = "expected a line indented at least as far as the closing `\"\"\"`";
                    return Fault::at(line_start, what, None);
                };
                if number > 0 {
                    string.push('\n');
                }
                let dedented = dedented.strip_suffix('\r').unwrap_or(dedented);
                let from = line_start + indent.len();
                string.push_str(&self.unescape(from, from + dedented.len())?);
                line_start += line.len() + 1;
            }
        }
        self.at = end + 3;
        Ok(Cow::Owned(string))
    }

    /// Returns the text of `start..end` with its escapes resolved.
    fn unescape(&self, start: usize, end: usize) -> Result<Cow<'t, str>, Fault> {
        let source = &self.text[start..end];
        if !source.contains('\\') {
            return Ok(Cow::Borrowed(source));
        }
        let mut string = String::with_capacity(source.len());
        let mut at = start;
        while let Some(length) = self.text[at..end].find('\\') {
            string.push_str(&self.text[at..at + length]);
            let (character, escape) = self.escape(at + length)?;
            string.push(character);
            at += length + escape;
        }
        string.push_str(&self.text[at..end]);
        Ok(Cow::Owned(string))
    }

    /// Returns the character of the escape at `start`, and the length of the escape.
    fn escape(&self, start: usize) -> Result<(char, usize), Fault> {
        let mut rest = self.text[start + 1..].chars();
        let simple = match rest.next() {
            Some(same @ ('\\' | '\'' | '"')) => same,
            Some('t') => '\t',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('u') => {
                let digits = rest
                    .as_str()
                    .strip_prefix('{')
                    .and_then(|rest| rest.get(..rest.len().min(7)).unwrap_or(rest).split_once('}'))
                    .map(|(digits, _)| digits)
                    .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
                let character = digits
                    .and_then(|digits| u32::from_str_radix(digits, 16).ok())
                    .and_then(char::from_u32);
                let (Some(digits), Some(character)) = (digits, character) else {
                    let hint = "write a character by its number as in `\\u{4e2d}`, without halves of surrogate pairs";
                    return Fault::at(start, "invalid escape", Some(hint));
                };
                return Ok((character, digits.len() + 4));
            }
            _ => {
                let hint =
                    "the escapes are `\\\\`, `\\\"`, `\\'`, `\\n`, `\\r`, `\\t` and `\\u{…}`";
                return Fault::at(start, "invalid escape", Some(hint));
            }
        };
        Ok((simple, 2))
    }
}
