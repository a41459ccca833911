//! Reads values from bytes. Nesting and the number of values are bounded, because input decides both.

use crate::name::Name;
use crate::object::{Dict, Object};

/// Most values of a document. One takes 32 bytes.
const MAX_VALUES: usize = 4_000_000;
/// Deepest nesting of lists and dictionaries. The stack of a component is small.
const MAX_DEPTH: usize = 100;

/// Values that may still be read.
#[derive(Debug)]
pub(crate) struct Budget(pub(crate) usize);

impl Default for Budget {
    fn default() -> Self {
        Self(MAX_VALUES)
    }
}

/// A position in bytes.
#[derive(Clone)]
pub(crate) struct Lexer<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) at: usize,
    /// A comment was skipped.
    pub(crate) has_comments: bool,
}

/// Why no value was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The bytes end.
    End,
    /// No value begins here.
    Syntax,
    /// A limit is exceeded.
    Limit,
}

pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b'\0' | b'\t' | b'\n' | b'\x0c' | b'\r' | b' ')
}

pub(crate) fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

fn is_regular(byte: u8) -> bool {
    !is_space(byte) && !is_delimiter(byte)
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|it| u8::try_from(it).ok())
}

/// Returns a whole number; `None` if it is none, or too large.
fn whole(digits: &[u8]) -> Option<i64> {
    if digits.len() > 18 {
        return std::str::from_utf8(digits).ok()?.parse().ok();
    }
    let next = |sum: i64, it: &u8| sum * 10 + i64::from(it - b'0');
    (!digits.is_empty()).then(|| digits.iter().fold(0, next))
}

/// Returns a number of digits with at most one point; zero if it is none.
fn decimal(text: &[u8]) -> f64 {
    // Both parts are exact up to 15 digits, so that their quotient is rounded once.
    const POWERS: [f64; 16] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let point = text.iter().position(|it| *it == b'.');
    if let Some(point) = point.filter(|_| (2..=16).contains(&text.len())) {
        let digits = text.iter().filter(|it| **it != b'.');
        let value = digits.fold(0_u64, |sum, it| sum * 10 + u64::from(it - b'0'));
        #[expect(clippy::cast_precision_loss, reason = "at most 15 digits")]
        return value as f64 / POWERS[text.len() - 1 - point];
    }
    std::str::from_utf8(text).ok().and_then(|it| it.parse().ok()).unwrap_or(0.0)
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at: at.min(bytes.len()), has_comments: false }
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(crate) fn skip_space(&mut self) {
        while let Some(byte) = self.peek() {
            if byte == b'%' {
                self.has_comments = true;
                while self.peek().is_some_and(|it| it != b'\n' && it != b'\r') {
                    self.at += 1;
                }
            } else if is_space(byte) {
                self.at += 1;
            } else {
                break;
            }
        }
    }

    /// Reads a word if it is there.
    pub(crate) fn keyword(&mut self, word: &[u8]) -> bool {
        let is_there = self.bytes[self.at..].starts_with(word);
        if is_there {
            self.at += word.len();
        }
        is_there
    }

    /// Reads the bytes of a word.
    pub(crate) fn word(&mut self) -> &'a [u8] {
        let start = self.at;
        while self.peek().is_some_and(is_regular) {
            self.at += 1;
        }
        &self.bytes[start..self.at]
    }

    /// Reads a whole number without a sign.
    pub(crate) fn unsigned(&mut self) -> Option<usize> {
        self.skip_space();
        let start = self.at;
        while self.peek().is_some_and(|it| it.is_ascii_digit()) {
            self.at += 1;
        }
        std::str::from_utf8(&self.bytes[start..self.at]).ok()?.parse().ok()
    }

    /// Reads `12 0 obj`; returns its two numbers.
    pub(crate) fn header(&mut self) -> Option<(u32, u16)> {
        let number = u32::try_from(self.unsigned()?).ok()?;
        let generation = self.unsigned()?;
        self.skip_space();
        self.keyword(b"obj").then_some((number, u16::try_from(generation).unwrap_or(u16::MAX)))
    }

    /// Reads a value. References are read if `has_refs`; content streams have none.
    pub(crate) fn value(&mut self, budget: &mut Budget, has_refs: bool) -> Result<Object, Fault> {
        self.nested(budget, has_refs, 0)
    }

    fn nested(
        &mut self,
        budget: &mut Budget,
        has_refs: bool,
        depth: usize,
    ) -> Result<Object, Fault> {
        if depth > MAX_DEPTH || budget.0 == 0 {
            return Err(Fault::Limit);
        }
        budget.0 -= 1;
        self.skip_space();
        let byte = self.peek().ok_or(Fault::End)?;
        match byte {
            b'/' => {
                self.at += 1;
                Ok(Object::Name(self.name()))
            }
            b'(' => Ok(Object::Str(self.literal())),
            b'<' if self.bytes.get(self.at + 1) == Some(&b'<') => {
                self.at += 2;
                self.dict(budget, has_refs, depth).map(Object::Dict)
            }
            b'<' => Ok(Object::Str(self.hex_string())),
            b'[' => {
                self.at += 1;
                let mut values = Vec::new();
                loop {
                    self.skip_space();
                    match self.peek() {
                        None => return Ok(Object::Array(values)),
                        Some(b']') => {
                            self.at += 1;
                            return Ok(Object::Array(values));
                        }
                        // Ends of what surrounds a list that is not closed.
                        Some(b'>' | b')' | b'}' | b'{') => {
                            if self.bytes[self.at..].starts_with(b">>") {
                                return Ok(Object::Array(values));
                            }
                            self.at += 1;
                        }
                        Some(_) => match self.nested(budget, has_refs, depth + 1) {
                            Ok(value) => values.push(value),
                            Err(Fault::Syntax) => {
                                let word = self.word();
                                if word.is_empty()
                                    || matches!(word, b"endobj" | b"endstream" | b"obj")
                                {
                                    return Ok(Object::Array(values));
                                }
                            }
                            Err(fault) => return Err(fault),
                        },
                    }
                }
            }
            b'+' | b'-' | b'.' | b'0'..=b'9' => self.number(has_refs),
            b't' | b'f' | b'n' => {
                let start = self.at;
                let value = match self.word() {
                    b"true" => Some(Object::Bool(true)),
                    b"false" => Some(Object::Bool(false)),
                    b"null" => Some(Object::Null),
                    _ => None,
                };
                value.ok_or_else(|| {
                    self.at = start;
                    Fault::Syntax
                })
            }
            _ => Err(Fault::Syntax),
        }
    }

    fn dict(&mut self, budget: &mut Budget, has_refs: bool, depth: usize) -> Result<Dict, Fault> {
        let mut dict = Dict::new();
        loop {
            self.skip_space();
            match self.peek() {
                None => return Ok(dict),
                Some(b'>') => {
                    self.at += 1;
                    if self.peek() == Some(b'>') {
                        self.at += 1;
                    }
                    return Ok(dict);
                }
                Some(b'/') => {
                    self.at += 1;
                    let key = self.name();
                    self.skip_space();
                    // A name without a value.
                    if self.peek() == Some(b'>') && self.bytes.get(self.at + 1) == Some(&b'>') {
                        continue;
                    }
                    match self.nested(budget, has_refs, depth + 1) {
                        Ok(value) => dict.push(&key, value),
                        Err(Fault::Syntax) => {
                            if self.is_over() {
                                return Ok(dict);
                            }
                        }
                        Err(fault) => return Err(fault),
                    }
                }
                Some(_) => {
                    // Something that does not belong here is left out.
                    if self.is_over() {
                        return Ok(dict);
                    }
                }
            }
        }
    }

    /// Skips a word or a byte that is no value. Returns `true` if the object ends here.
    fn is_over(&mut self) -> bool {
        let start = self.at;
        let word = self.word();
        if matches!(word, b"endobj" | b"stream" | b"endstream") {
            self.at = start;
            return true;
        }
        if word.is_empty() {
            self.at += 1;
        }
        false
    }

    fn name(&mut self) -> Name {
        let start = self.at;
        let rest = &self.bytes[start..];
        let end = rest.iter().position(|it| !is_regular(*it) || *it == b'#').unwrap_or(rest.len());
        self.at += end;
        if self.peek() != Some(b'#') {
            return Name::from(&rest[..end]);
        }
        let mut name = rest[..end].to_vec();
        while let Some(byte) = self.peek().filter(|it| is_regular(*it)) {
            let pair = self.bytes.get(self.at + 1).zip(self.bytes.get(self.at + 2));
            let code = pair.and_then(|(high, low)| Some(hex(*high)? << 4 | hex(*low)?));
            match code.filter(|_| byte == b'#') {
                Some(code) => {
                    name.push(code);
                    self.at += 3;
                }
                None => {
                    name.push(byte);
                    self.at += 1;
                }
            }
        }
        Name::from(name.as_slice())
    }

    fn literal(&mut self) -> Vec<u8> {
        self.at += 1;
        let mut text = Vec::new();
        let mut open = 1;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'(' => {
                    open += 1;
                    text.push(byte);
                }
                b')' => {
                    open -= 1;
                    if open == 0 {
                        break;
                    }
                    text.push(byte);
                }
                b'\r' => {
                    if self.peek() == Some(b'\n') {
                        self.at += 1;
                    }
                    text.push(b'\n');
                }
                b'\\' => self.escape(&mut text),
                _ => text.push(byte),
            }
        }
        text
    }

    fn escape(&mut self, text: &mut Vec<u8>) {
        let Some(byte) = self.peek() else { return };
        self.at += 1;
        match byte {
            b'n' => text.push(b'\n'),
            b'r' => text.push(b'\r'),
            b't' => text.push(b'\t'),
            b'b' => text.push(8),
            b'f' => text.push(12),
            b'\r' => {
                if self.peek() == Some(b'\n') {
                    self.at += 1;
                }
            }
            b'\n' => {}
            b'0'..=b'7' => {
                let mut code = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some(digit) = self.peek().filter(|it| (b'0'..=b'7').contains(it)) else {
                        break;
                    };
                    code = code * 8 + u32::from(digit - b'0');
                    self.at += 1;
                }
                text.push(u8::try_from(code & 0xff).unwrap_or(0));
            }
            other => text.push(other),
        }
    }

    fn hex_string(&mut self) -> Vec<u8> {
        self.at += 1;
        let mut text = Vec::new();
        let mut high = None;
        while let Some(byte) = self.peek() {
            self.at += 1;
            if byte == b'>' {
                break;
            }
            let Some(digit) = hex(byte) else { continue };
            match high.take() {
                Some(first) => text.push(first << 4 | digit),
                None => high = Some(digit),
            }
        }
        if let Some(first) = high {
            text.push(first << 4);
        }
        text
    }

    fn number(&mut self, has_refs: bool) -> Result<Object, Fault> {
        let start = self.at;
        while self.peek().is_some_and(|it| matches!(it, b'+' | b'-')) {
            self.at += 1;
        }
        let is_negative = self.bytes[start..self.at].contains(&b'-');
        let digits = self.at;
        let mut has_point = false;
        while let Some(byte) = self.peek() {
            match byte {
                b'.' if !has_point => has_point = true,
                b'0'..=b'9' => {}
                _ => break,
            }
            self.at += 1;
        }
        let text = &self.bytes[digits..self.at];
        let end = self.at;
        // `12-34`, `1.2.3` and exponents are rubbish that other readers skip too.
        while self.peek().is_some_and(|it| matches!(it, b'-' | b'.') || it.is_ascii_digit()) {
            self.at += 1;
        }
        if !has_point && let Some(number) = whole(text) {
            if has_refs && !is_negative && start == digits && self.at == end {
                if let Some(reference) = self.reference(number) {
                    return Ok(reference);
                }
                self.at = end;
            }
            return Ok(Object::Int(if is_negative { -number } else { number }));
        }
        if text.is_empty() {
            // A sign alone is zero.
            if self.at == start {
                return Err(Fault::Syntax);
            }
            return Ok(Object::Int(0));
        }
        let number = decimal(text);
        Ok(Object::Real(if is_negative { -number } else { number }))
    }

    /// Reads ` 0 R` behind a number.
    fn reference(&mut self, number: i64) -> Option<Object> {
        let number = u32::try_from(number).ok()?;
        if !self.peek().is_some_and(is_space) {
            return None;
        }
        self.skip_space();
        let start = self.at;
        while self.peek().is_some_and(|it| it.is_ascii_digit()) {
            self.at += 1;
        }
        if start == self.at || self.at - start > 5 || !self.peek().is_some_and(is_space) {
            return None;
        }
        self.skip_space();
        let is_end = self.bytes.get(self.at + 1).is_none_or(|it| !is_regular(*it));
        if self.peek() != Some(b'R') || !is_end {
            return None;
        }
        self.at += 1;
        Some(Object::Ref(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_the_standard_library_reads_them() {
        let read = |text: &str| Lexer::new(text.as_bytes(), 0).value(&mut Budget(9), false);
        for text in [
            "0.1",
            "12.345",
            "595.276",
            ".5",
            "7.",
            "0.000001",
            "123456789.012345",
            "3.141592653589793",
        ] {
            assert_eq!(read(text), Ok(Object::Real(text.parse().unwrap())), "{text}");
            assert_eq!(read(&format!("-{text}")), Ok(Object::Real(-text.parse::<f64>().unwrap())));
        }
        for text in ["0", "007", "999999999999999999", "9223372036854775807"] {
            assert_eq!(read(text), Ok(Object::Int(text.parse().unwrap())), "{text}");
        }
        assert_eq!(read("9223372036854775808"), Ok(Object::Real(9_223_372_036_854_775_808.0)));
        assert_eq!((read("-."), read("+")), (Ok(Object::Real(0.0)), Ok(Object::Int(0))));
    }

    #[test]
    fn names_end_where_they_end() {
        let read = |text: &str| Lexer::new(text.as_bytes(), 0).value(&mut Budget(9), false);
        for (text, name) in [
            ("/A#42c#20 x", "ABc "),
            ("/A#4/B", "A#4"),
            ("/", ""),
            ("/Long#2dName(x)", "Long-Name"),
        ] {
            assert_eq!(read(text), Ok(Object::name(name)), "{text}");
        }
    }
}
