//! Parses WAVE text to a tree of nodes. Knows no types: `read.rs` decides what a node means.
//!
//! The grammar is that of the crate `wasm-wave`, which the tests compare it with. Its own parser is not used: without
//! optimisation, its lexer recurses once per character of a string and per comment, so that a text within our limits can
//! overflow the stack; and its errors name byte ranges and token types. There are two extensions: words of a label may also
//! be joined by `_`, as in JSON, and arguments may be named.

use super::super::json::duplicate;
use super::super::problem::cut;
use mitt_base::error::{Error, ErrorKind, Remedy, Resource, Result};
use std::borrow::Cow;

/// Deepest nesting that any setting allows, as in `wasm-wave`. Parsing is recursive, and the stack is finite.
pub(super) const MAX_DEPTH: u64 = 100;
/// Longest number, in characters; JSON numbers have the same limit.
const MAX_NUMBER: usize = 4_300;
/// Longest part of the text that is shown, in characters.
const MAX_SHOWN_CHARACTERS: usize = 40;

const NAME: &str = "a name";
const ARGUMENT: &str = "the name of an argument";
pub(super) const QUOTES_HINT: &str = "strings are written in double quotes; single quotes hold one character; a call on a command \
line is put in single quotes as a whole";
pub(super) const CUT_OFF_HINT: &str = "it may have been cut off, or a shell took its quotes; put the whole call in single quotes there";

/// A value as it is written, with its offset.
#[derive(Debug)]
pub(crate) struct Node<'t> {
    pub(super) start: usize,
    pub(super) kind: NodeKind<'t>,
}

/// The kinds of values in the notation.
#[derive(Debug)]
pub(crate) enum NodeKind<'t> {
    Bool(bool),
    /// A number in the grammar of JSON, or `nan`, `inf`, `-inf`.
    Number(&'t str),
    Char(char),
    String(Cow<'t, str>),
    List(Vec<Node<'t>>),
    /// Never empty.
    Tuple(Vec<Node<'t>>),
    /// No duplicate names.
    Record(Entries<'t>),
    /// No duplicate names. Empty for `{}`, which some writers also use for an empty record.
    Flags(Vec<&'t str>),
    /// A label with or without a payload; also `some(…)`, `none`, `ok(…)` and `err(…)`.
    Case(Case<'t>),
}

/// Fields of a record, or named arguments.
pub(super) type Entries<'t> = Vec<(&'t str, Node<'t>)>;

/// A label as a value.
#[derive(Debug)]
pub(crate) struct Case<'t> {
    /// Without `%`.
    pub(super) name: &'t str,
    /// `true` for `some`, `none`, `ok` or `err` without `%`.
    pub(super) keyword: bool,
    pub(super) payload: Option<Box<Node<'t>>>,
}

/// The content of the parentheses of a call.
#[derive(Debug)]
pub(crate) enum Arguments<'t> {
    Positional(Vec<Node<'t>>),
    Named(Entries<'t>),
}

/// Parses a text that is one value.
pub(crate) fn value(text: &str) -> Result<Node<'_>> {
    let mut parser = Parser { text, at: 0, depth: 0, max_depth: MAX_DEPTH };
    let node = parser.value().and_then(|node| parser.end().map(|()| node));
    node.map_err(|fault| fault.error(text, MAX_DEPTH))
}

/// Parses a text that is one call: the part before the parenthesis, and the arguments. The parentheses are the first of at
/// most `max_depth` levels.
pub(crate) fn call(text: &str, max_depth: u64) -> Result<(&str, Arguments<'_>)> {
    let max_depth = max_depth.min(MAX_DEPTH);
    let mut parser = Parser { text, at: 0, depth: 1, max_depth };
    let call = parser.name().and_then(|name| Ok((name, parser.arguments()?)));
    call.map_err(|fault| fault.error(text, max_depth))
}

/// Returns line and column of an offset, both from 1; the column in characters.
pub(super) fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(offset)];
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |position| position + 1);
    (line, before[start..].chars().count() + 1)
}

/// Returns `true` if a label has a special meaning unless it is preceded by `%`.
pub(super) fn is_keyword(label: &str) -> bool {
    matches!(label, "true" | "false" | "some" | "none" | "ok" | "err" | "inf" | "nan")
}

pub(super) enum Fault {
    Syntax {
        offset: usize,
        what: String,
        hint: Option<&'static str>,
    },
    /// JSON stands in place of this notation.
    Json {
        offset: usize,
        what: String,
    },
    Depth,
}

impl Fault {
    #[cold]
    pub(super) fn at<T>(
        offset: usize,
        what: impl Into<String>,
        hint: Option<&'static str>,
    ) -> Result<T, Fault> {
        Err(Fault::Syntax { offset, what: what.into(), hint })
    }

    #[cold]
    fn error(self, text: &str, max_depth: u64) -> Error {
        let wrong = |offset: usize, what: String| {
            let (line, column) = position(text, offset);
            let message = format!("not valid WAVE: line {line}, column {column}: {what}");
            Error::new(ErrorKind::Arguments, message)
        };
        match self {
            Fault::Depth => Error::limit(Resource::ArgumentsDepth, max_depth, max_depth + 1),
            Fault::Syntax { offset, what, hint } => {
                let error = wrong(offset, what);
                match hint {
                    Some(hint) => error.hint(hint),
                    None => error,
                }
            }
            Fault::Json { offset, what } => wrong(offset, what).remedy(Remedy::JsonArguments),
        }
    }
}

pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    /// Open brackets at this position.
    depth: u64,
    max_depth: u64,
}

impl<'t> Parser<'t> {
    fn name(&mut self) -> Result<&'t str, Fault> {
        self.trivia();
        let rest = self.rest();
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || "-_/:.@%".contains(c)))
            .unwrap_or(rest.len());
        if end == 0 {
            return self.unexpected("the name of a tool, as in `excel-tool/create-excel(…)`");
        }
        self.at += end;
        Ok(&rest[..end])
    }

    fn arguments(&mut self) -> Result<Arguments<'t>, Fault> {
        self.expect(b'(', "`(` and the arguments")?;
        let start = self.at;
        let named = self.label(NAME).is_ok_and(|_| self.next_is(b':'));
        self.at = start;
        let arguments = if named {
            Arguments::Named(self.entries(b')', ARGUMENT)?)
        } else {
            Arguments::Positional(self.sequence(b')')?)
        };
        self.end()?;
        Ok(arguments)
    }

    fn end(&mut self) -> Result<(), Fault> {
        self.trivia();
        if self.at == self.text.len() { Ok(()) } else { self.unexpected("the end of the text") }
    }

    fn value(&mut self) -> Result<Node<'t>, Fault> {
        self.trivia();
        let start = self.at;
        let kind = match self.byte() {
            Some(b'(') => {
                self.open()?;
                match self.sequence(b')')? {
                    items if items.is_empty() => {
                        return Fault::at(start, "a tuple has at least one value", None);
                    }
                    items => NodeKind::Tuple(items),
                }
            }
            Some(b'[') => {
                self.open()?;
                NodeKind::List(self.sequence(b']')?)
            }
            Some(b'{') => self.braces()?,
            Some(b'"') => NodeKind::String(self.string()?),
            Some(b'\'') => NodeKind::Char(self.character()?),
            Some(b'-' | b'0'..=b'9') => NodeKind::Number(self.number()?),
            Some(b'%' | b'a'..=b'z' | b'A'..=b'Z') => self.case()?,
            _ => return self.unexpected("a value"),
        };
        Ok(Node { start, kind })
    }

    /// Reads an opening bracket, which a closing one must follow.
    fn open(&mut self) -> Result<(), Fault> {
        if self.depth >= self.max_depth {
            return Err(Fault::Depth);
        }
        self.depth += 1;
        self.at += 1;
        Ok(())
    }

    /// Reads values up to `close`, after the opening bracket.
    fn sequence(&mut self, close: u8) -> Result<Vec<Node<'t>>, Fault> {
        let mut items = Vec::new();
        while !self.eat(close) {
            items.push(self.value()?);
            if self.ends(close)? {
                break;
            }
        }
        self.depth -= 1;
        Ok(items)
    }

    fn braces(&mut self) -> Result<NodeKind<'t>, Fault> {
        self.open()?;
        let kind = self.within_braces()?;
        self.depth -= 1;
        Ok(kind)
    }

    fn within_braces(&mut self) -> Result<NodeKind<'t>, Fault> {
        if self.eat(b'}') {
            return Ok(NodeKind::Flags(Vec::new()));
        }
        if self.eat(b':') {
            self.expect(b'}', "`}` after `{:`")?;
            return Ok(NodeKind::Record(Vec::new()));
        }
        let start = self.at;
        let mut flags = vec![self.label(NAME)?];
        if self.next_is(b':') {
            self.at = start;
            return Ok(NodeKind::Record(self.entries(b'}', NAME)?));
        }
        while !self.ends(b'}')? {
            flags.push(self.label(NAME)?);
        }
        self.unique(flags.iter().copied())?;
        Ok(NodeKind::Flags(flags))
    }

    /// Reads `name: value, …` up to `close`.
    fn entries(&mut self, close: u8, expected: &'static str) -> Result<Entries<'t>, Fault> {
        let mut entries = Vec::new();
        loop {
            let name = self.label(expected)?;
            self.expect(b':', "`:` and a value")?;
            entries.push((name, self.value()?));
            if self.ends(close)? {
                break;
            }
        }
        self.unique(entries.iter().map(|(name, _)| *name))?;
        Ok(entries)
    }

    /// Returns `true` if `close` follows, with or without a comma before it; otherwise requires a comma. `wasm-wave` allows
    /// it to be missing between fields, against the standard.
    fn ends(&mut self, close: u8) -> Result<bool, Fault> {
        let comma = self.eat(b',');
        if !self.eat(close) {
            return if comma {
                Ok(false)
            } else {
                self.unexpected(match close {
                    b')' => "`,` or `)`",
                    b']' => "`,` or `]`",
                    _ => "`,` or `}`",
                })
            };
        }
        Ok(true)
    }

    /// Checks that none of `names`, which are slices of the text, appears twice.
    fn unique(&self, names: impl ExactSizeIterator<Item = &'t str> + Clone) -> Result<(), Fault> {
        let Some(twice) = duplicate(names.clone()) else { return Ok(()) };
        let last = names.filter(|name| *name == twice).last().unwrap_or(twice);
        let offset = last.as_ptr().addr() - self.text.as_ptr().addr();
        Fault::at(offset, format!("`{}` appears twice", cut(twice, MAX_SHOWN_CHARACTERS)), None)
    }

    fn case(&mut self) -> Result<NodeKind<'t>, Fault> {
        let escaped = self.byte() == Some(b'%');
        let name = self.label(NAME)?;
        let keyword = !escaped && is_keyword(name);
        match name {
            "true" | "false" if keyword => return Ok(NodeKind::Bool(name == "true")),
            "nan" | "inf" if keyword => return Ok(NodeKind::Number(name)),
            "none" if keyword => return Ok(NodeKind::Case(Case { name, keyword, payload: None })),
            "some" if keyword && !self.next_is(b'(') => {
                self.trivia();
                return self.unexpected("`(` and a value after `some`");
            }
            _ => {}
        }
        let mut payload = None;
        if self.next_is(b'(') {
            self.open()?;
            payload = Some(Box::new(self.value()?));
            self.expect(b')', "`)`")?;
            self.depth -= 1;
        }
        Ok(NodeKind::Case(Case { name, keyword, payload }))
    }

    /// Reads a label: words, each in lower or upper case. Returns it without its `%`.
    fn label(&mut self, expected: &'static str) -> Result<&'t str, Fault> {
        self.trivia();
        let bytes = self.text.as_bytes();
        let start = self.at + usize::from(self.byte() == Some(b'%'));
        let mut end = start;
        if bytes.get(start).is_some_and(u8::is_ascii_alphabetic) {
            end += word(&bytes[start..]);
            while let [b'-' | b'_', rest @ ..] = &bytes[end..] {
                match word(rest) {
                    0 => break,
                    length => end += 1 + length,
                }
            }
        }
        if end == start {
            return self.unexpected(expected);
        }
        self.at = end;
        Ok(&self.text[start..end])
    }

    fn number(&mut self) -> Result<&'t str, Fault> {
        let start = self.at;
        let rest = self.rest();
        if rest.starts_with("-inf") {
            self.at += 4;
            return Ok(&rest[..4]);
        }
        let bytes = rest.as_bytes();
        let digits = |from: usize| {
            bytes[from.min(bytes.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count()
        };
        let mut end = usize::from(bytes[0] == b'-');
        // No digits may follow a leading zero.
        end += if bytes.get(end) == Some(&b'0') { 1 } else { digits(end) };
        if bytes[end - 1] == b'-' {
            return self.unexpected("a value");
        }
        if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
            end += 1 + digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let exponent = digits(end + 1 + sign);
            if exponent > 0 {
                end += 1 + sign + exponent;
            }
        }
        if end > MAX_NUMBER {
            return Fault::at(start, format!("a number of more than {MAX_NUMBER} digits"), None);
        }
        self.at += end;
        Ok(&rest[..end])
    }

    /// Skips white space and comments.
    fn trivia(&mut self) {
        let bytes = self.text.as_bytes();
        loop {
            match &bytes[self.at..] {
                [b' ' | b'\t' | b'\n' | b'\r', ..] => self.at += 1,
                [b'/', b'/', rest @ ..] => {
                    let length = rest.iter().position(|byte| *byte == b'\n');
                    self.at += 2 + length.unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn next_is(&mut self, byte: u8) -> bool {
        self.trivia();
        self.byte() == Some(byte)
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.next_is(byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8, expected: &str) -> Result<(), Fault> {
        if self.eat(byte) { Ok(()) } else { self.unexpected(expected) }
    }

    /// Returns an error that says `expected` was missing here.
    #[cold]
    fn unexpected<T>(&self, expected: &str) -> Result<T, Fault> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Fault::at(
                self.at,
                format!("expected {expected}, but the text ends"),
                Some(CUT_OFF_HINT),
            );
        };
        let is_word = |c: char| c.is_alphanumeric() || "-_%+.".contains(c);
        let length = match rest.find(|c: char| !is_word(c)) {
            Some(0) => first.len_utf8(),
            Some(end) => end,
            None => rest.len(),
        };
        let found = cut(&rest[..length].escape_debug().to_string(), MAX_SHOWN_CHARACTERS);
        let what = format!("expected {expected}, found `{found}`");
        if first == '"' && matches!(expected, NAME | ARGUMENT) {
            return Err(Fault::Json { offset: self.at, what });
        }
        Fault::at(self.at, what, self.hint(first, expected))
    }

    fn hint(&self, found: char, expected: &str) -> Option<&'static str> {
        const NUMBERS: &str = "numbers are written as in JSON, such as `0.5` and `1`";
        let before = self.text.as_bytes().get(self.at.wrapping_sub(1)).copied().unwrap_or(b' ');
        Some(match found {
            '\'' => QUOTES_HINT,
            '“' | '”' | '„' | '‘' | '’' => "write straight quotes",
            '=' => "write `name: value`",
            ':' if expected == "`,` or `)`" => {
                "name all arguments or none of them; a value without a name stands first here"
            }
            '+' | '.' => NUMBERS,
            letter if letter.is_ascii_alphanumeric() && before.is_ascii_digit() => NUMBERS,
            letter if letter.is_ascii_alphanumeric() && before.is_ascii_alphabetic() => {
                "text is put in double quotes, and on a command line the whole call in single quotes; each word of a name is all in lower case or all in upper case, as in `true`"
            }
            letter if letter.is_alphabetic() && !letter.is_ascii() => {
                "names are ASCII words joined by `-`; text is put in double quotes"
            }
            _ if expected == ARGUMENT => "name all arguments or none of them",
            _ => return None,
        })
    }
}

/// Returns the length of the word at the beginning: letters of one case, and digits.
fn word(bytes: &[u8]) -> usize {
    let run = |is: fn(&u8) -> bool| {
        bytes.iter().take_while(|byte| is(byte) || byte.is_ascii_digit()).count()
    };
    run(u8::is_ascii_lowercase).max(run(u8::is_ascii_uppercase))
}
