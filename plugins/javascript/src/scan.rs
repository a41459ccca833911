//! Divides JavaScript into tokens, as far as `rewrite.rs`, `forms.rs` and `names.rs` need them: words, punctuation and what must
//! not be looked into.
//!
//! Knows no grammar. A slash begins a regular expression where the token before it cannot end a value.

/// A kind of token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// An identifier or a keyword.
    Word,
    /// A number, a regular expression or the end of a template.
    Value,
    /// A string.
    Text,
    /// One byte of punctuation.
    Mark(u8),
}

/// A token, as a range of bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Open brackets around it. A bracket has the depth of what is outside.
    pub(crate) depth: u32,
    /// `true` if a line ends between the token before and this one.
    pub(crate) begins_line: bool,
}

/// The tokens of a source text.
pub(crate) struct Tokens<'a> {
    code: &'a str,
    list: Vec<Token>,
}

impl<'a> Tokens<'a> {
    /// Divides a source text. Brackets that do not match leave the depth at 0.
    pub(crate) fn new(code: &'a str) -> Self {
        let mut scan = Scan {
            code,
            bytes: code.as_bytes(),
            at: 0,
            line_ended: false,
            tokens: Vec::new(),
            open: Vec::new(),
        };
        scan.run();
        Self { code, list: scan.tokens }
    }

    /// Returns all tokens.
    pub(crate) fn into_list(self) -> Vec<Token> {
        self.list
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn get(&self, at: usize) -> Option<Token> {
        self.list.get(at).copied()
    }

    /// Returns the text of a token; empty behind the last one.
    pub(crate) fn text(&self, at: usize) -> &'a str {
        self.list.get(at).map_or("", |token| &self.code[token.start..token.end])
    }

    pub(crate) fn is_word(&self, at: usize) -> bool {
        self.list.get(at).is_some_and(|token| token.kind == Kind::Word)
    }

    /// Returns the word at an index; empty for another token, and for the name of a property.
    pub(crate) fn word(&self, at: usize) -> &'a str {
        let is_property =
            at > 0 && self.text(at - 1) == "." && !(at > 1 && self.text(at - 2) == ".");
        if self.is_word(at) && !is_property { self.text(at) } else { "" }
    }

    /// Returns the next bracket from an index on that no other brackets surround; the number of tokens if there is none.
    pub(crate) fn outer(&self, bracket: &str, from: usize) -> usize {
        (from..self.len())
            .find(|&at| self.list[at].depth == 0 && self.text(at) == bracket)
            .unwrap_or(self.len())
    }
}

impl std::ops::Index<usize> for Tokens<'_> {
    type Output = Token;

    fn index(&self, at: usize) -> &Token {
        &self.list[at]
    }
}

/// Words after which a slash begins a regular expression.
const BEFORE_VALUE: [&str; 15] = [
    "return",
    "typeof",
    "case",
    "in",
    "of",
    "delete",
    "void",
    "throw",
    "new",
    "instanceof",
    "else",
    "do",
    "await",
    "yield",
    "default",
];

struct Scan<'a> {
    code: &'a str,
    bytes: &'a [u8],
    at: usize,
    line_ended: bool,
    tokens: Vec<Token>,
    /// Open brackets; `$` for the braces in a template.
    open: Vec<u8>,
}

impl Scan<'_> {
    fn run(&mut self) {
        if self.code.starts_with("#!") {
            self.line_comment();
        }
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => {
                    self.line_ended = true;
                    self.at += 1;
                }
                b'/' if self.next_is(b'/') => self.line_comment(),
                b'/' if self.next_is(b'*') => self.block_comment(),
                b'/' if self.value_may_begin() => self.regular_expression(),
                b'"' | b'\'' => self.string(byte),
                b'`' => {
                    let start = self.at;
                    self.at += 1;
                    self.template(start);
                }
                b'(' | b'[' | b'{' => {
                    self.push(Kind::Mark(byte), self.at + 1);
                    self.open.push(byte);
                }
                b')' | b']' | b'}' => {
                    let opened = self.open.pop();
                    if opened == Some(b'$') {
                        let start = self.at;
                        self.at += 1;
                        self.template(start);
                    } else {
                        self.push(Kind::Mark(byte), self.at + 1);
                    }
                }
                _ if byte.is_ascii_digit() => self.number(),
                _ if is_word(byte) => {
                    let rest = &self.bytes[self.at..];
                    let length = rest.iter().position(|&byte| !is_word(byte)).unwrap_or(rest.len());
                    self.push(Kind::Word, self.at + length);
                }
                _ if byte.is_ascii_whitespace() => self.at += 1,
                _ => self.push(Kind::Mark(byte), self.at + 1),
            }
        }
    }

    fn push(&mut self, kind: Kind, end: usize) {
        let depth = u32::try_from(self.open.len()).unwrap_or(u32::MAX);
        let begins_line = std::mem::take(&mut self.line_ended);
        self.tokens.push(Token { kind, start: self.at, end, depth, begins_line });
        self.at = end;
    }

    fn next_is(&self, byte: u8) -> bool {
        self.bytes.get(self.at + 1) == Some(&byte)
    }

    fn value_may_begin(&self) -> bool {
        let Some(last) = self.tokens.last() else { return true };
        match last.kind {
            Kind::Word => BEFORE_VALUE.contains(&&self.code[last.start..last.end]),
            Kind::Value | Kind::Text => false,
            Kind::Mark(mark) => !matches!(mark, b')' | b']'),
        }
    }

    fn line_comment(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    }

    fn block_comment(&mut self) {
        let rest = &self.code[self.at + 2..];
        let length = rest.find("*/").map_or(rest.len(), |end| end + 2);
        self.line_ended |= rest[..length].contains('\n');
        self.at += 2 + length;
    }

    fn number(&mut self) {
        let mut end = self.at;
        while let Some(&byte) = self.bytes.get(end) {
            let signs_exponent = matches!(byte, b'+' | b'-')
                && matches!(self.bytes[end - 1], b'e' | b'E')
                && !self.bytes[self.at..end].starts_with(b"0x");
            if !is_word(byte) && byte != b'.' && !signs_exponent {
                break;
            }
            end += 1;
        }
        self.push(Kind::Value, end);
    }

    fn string(&mut self, quote: u8) {
        let mut end = self.at + 1;
        while let Some(&byte) = self.bytes.get(end) {
            end += 1;
            match byte {
                // A string goes on behind a backslash and the end of a line.
                b'\\' => end += 1 + usize::from(self.bytes[end..].starts_with(b"\r\n")),
                // A string does not reach over other ends of lines. The error is the interpreter's.
                b'\n' => break,
                _ if byte == quote => break,
                _ => {}
            }
        }
        self.push(Kind::Text, end.min(self.bytes.len()));
    }

    /// Reads a part of a template, to its end or to its next value.
    fn template(&mut self, start: usize) {
        let mut end = self.at;
        while let Some(&byte) = self.bytes.get(end) {
            end += 1;
            match byte {
                b'\\' => end += 1,
                b'`' => break,
                b'$' if self.bytes.get(end) == Some(&b'{') => {
                    self.at = start;
                    self.push(Kind::Mark(b'$'), end + 1);
                    self.open.push(b'$');
                    return;
                }
                _ => {}
            }
        }
        self.at = start;
        self.push(Kind::Value, end.min(self.bytes.len()));
    }

    fn regular_expression(&mut self) {
        let (mut end, mut in_class) = (self.at + 1, false);
        while let Some(&byte) = self.bytes.get(end) {
            end += 1;
            match byte {
                b'\\' => end += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => break,
                b'\n' => break,
                _ => {}
            }
        }
        end = end.min(self.bytes.len());
        let flags = self.bytes[end..].iter().take_while(|&&byte| is_word(byte)).count();
        self.push(Kind::Value, end + flags);
    }
}

/// Returns `true` for bytes of identifiers. Bytes above 127 are parts of letters.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'#') || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::Tokens;

    #[test]
    fn strings_templates_and_regular_expressions_are_not_looked_into() {
        let code = "a /* { */ = b / c; // {\nx = /[/{]'/g; y = `{${ {a: `}`} }'`; '{'; 年 = 1e-3";
        let tokens = Tokens::new(code);
        let texts: Vec<&str> = (0..tokens.len()).map(|at| tokens.text(at)).collect();
        assert_eq!(
            texts,
            [
                "a", "=", "b", "/", "c", ";", "x", "=", "/[/{]'/g", ";", "y", "=", "`{${", "{",
                "a", ":", "`}`", "}", "}'`", ";", "'{'", ";", "年", "=", "1e-3"
            ]
        );
        assert!(tokens.list.iter().all(|token| token.depth <= 2));
    }

    #[test]
    fn the_end_of_the_text_ends_everything() {
        for code in ["'a", "`a", "`${", "/a", "/*", "1e", "'\\", "`\\", "/\\", ")", "#!x"] {
            assert!(Tokens::new(code).list.iter().all(|token| token.end <= code.len()), "{code}");
        }
    }
}
