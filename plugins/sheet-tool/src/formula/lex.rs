//! Tokens of a formula with their places, so that everything unchanged stays as it is.

use crate::refs::{self, Area, At};
use crate::value::ErrorCode;

/// One end of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReferenceEnd {
    pub(crate) at: At,
    pub(crate) fixed_column: bool,
    pub(crate) fixed_row: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Cells,
    /// `A:C`; rows have no meaning.
    Columns,
    /// `3:5`; columns have no meaning.
    Rows,
}

/// What precedes `!`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SheetPrefix {
    None,
    One(String),
    /// All sheets between two.
    Span(String, String),
}

/// A reference in a formula.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ReferenceToken {
    pub(crate) sheet: SheetPrefix,
    pub(crate) first: ReferenceEnd,
    /// The other end of a range.
    pub(crate) last: Option<ReferenceEnd>,
    pub(crate) shape: Shape,
    /// Offset behind `!`.
    pub(crate) body: usize,
}

impl ReferenceToken {
    /// Returns all cells that it names.
    pub(crate) fn area(&self) -> Area {
        area(self.first, self.last, self.shape)
    }

    pub(crate) fn write(&self) -> String {
        let mut out = String::new();
        let mut end = |end: &ReferenceEnd| {
            if self.shape != Shape::Rows {
                out.push_str(if end.fixed_column { "$" } else { "" });
                out.push_str(&refs::column_name(end.at.column));
            }
            if self.shape != Shape::Columns {
                out.push_str(if end.fixed_row { "$" } else { "" });
                out.push_str(&end.at.row.to_string());
            }
        };
        end(&self.first);
        if let Some(last) = &self.last {
            let mut rest = String::new();
            std::mem::swap(&mut rest, &mut out);
            rest.push(':');
            let again = ReferenceToken { first: *last, last: None, ..self.clone() };
            return rest + &again.write();
        }
        out
    }
}

pub(crate) fn area(first: ReferenceEnd, last: Option<ReferenceEnd>, shape: Shape) -> Area {
    let (first, last) = (first.at, last.unwrap_or(first).at);
    let mut area = Area::new(
        first.row.min(last.row),
        first.column.min(last.column),
        first.row.max(last.row),
        first.column.max(last.column),
    );
    match shape {
        Shape::Cells => {}
        Shape::Columns => (area.first.row, area.last.row) = (1, refs::MAX_ROW),
        Shape::Rows => (area.first.column, area.last.column) = (1, refs::MAX_COLUMN),
    }
    area
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    Number(f64),
    Text(String),
    /// The name of a function; its bracket is the next token.
    Function(String),
    /// A name, `TRUE` or `FALSE`.
    Word(String),
    /// A name of one sheet.
    ScopedWord(String, String),
    Reference(ReferenceToken),
    /// A column of a table: the name of the table, and what stands in the outer brackets.
    Structured(String, String),
    Error(ErrorCode),
    /// Something in another workbook.
    External,
    Operator(&'static str),
    Open,
    Close,
    Comma,
    Semicolon,
    OpenBrace,
    CloseBrace,
    Blank,
    Unknown,
}

/// A token with its range of bytes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Spanned {
    pub(crate) token: Token,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Returns the tokens of a formula without its `=`. Together they are the whole text.
pub(crate) fn tokens(text: &str) -> Vec<Spanned> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|it| !it.is_empty()) {
        let (mut token, length) = one(rest);
        if let Token::Reference(reference) = &mut token {
            reference.body += at;
        }
        let end = (at + length.max(1)).min(text.len());
        all.push(Spanned { token, start: at, end });
        at = end;
    }
    all
}

fn one(rest: &str) -> (Token, usize) {
    let Some(c) = rest.chars().next() else { return (Token::Unknown, 0) };
    match c {
        '"' => {
            let length = quoted(rest, '"');
            let inner = rest.get(1..length.max(2) - 1).unwrap_or_default();
            (Token::Text(inner.replace("\"\"", "\"")), length)
        }
        '\'' => match refs::qualified(rest) {
            Some((name, behind)) => prefixed(rest, &name, rest.len() - behind.len()),
            None => (Token::Unknown, quoted(rest, '\'')),
        },
        '[' => {
            let length = brackets(rest);
            let behind = &rest[length..];
            let name = word_length(behind);
            if behind[name..].starts_with('!') {
                (Token::External, length + name + 1 + external_end(&behind[name + 1..]))
            } else {
                (Token::Structured(String::new(), inside(&rest[..length])), length)
            }
        }
        '#' => match ErrorCode::at_start(rest) {
            Some((code, length)) => (Token::Error(code), length),
            None => (Token::Operator("#"), 1),
        },
        '(' => (Token::Open, 1),
        ')' => (Token::Close, 1),
        ',' => (Token::Comma, 1),
        ';' => (Token::Semicolon, 1),
        '{' => (Token::OpenBrace, 1),
        '}' => (Token::CloseBrace, 1),
        c if c.is_whitespace() => {
            let length = rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len());
            (Token::Blank, length)
        }
        c if is_word(c) => word(rest),
        c => {
            let known =
                ["<=", ">=", "<>", "=", "<", ">", "+", "-", "*", "/", "^", "&", "%", ":", "@"];
            match known.iter().find(|it| rest.starts_with(**it)) {
                Some(operator) => (Token::Operator(operator), operator.len()),
                None => (Token::Unknown, c.len_utf8()),
            }
        }
    }
}

/// Reads what begins with the name of a sheet; `length` is that of the name with its `!`.
fn prefixed(rest: &str, name: &str, length: usize) -> (Token, usize) {
    let behind = &rest[length..];
    if name.contains('[') {
        return (Token::External, length + external_end(behind));
    }
    if let Some((code, end)) = ErrorCode::at_start(behind) {
        return (Token::Error(code), length + end);
    }
    let sheet = match name.split_once(':') {
        Some((first, last)) => SheetPrefix::Span(first.to_owned(), last.to_owned()),
        None => SheetPrefix::One(name.to_owned()),
    };
    if let Some((mut reference, end)) = reference(behind) {
        reference.sheet = sheet;
        reference.body = length;
        return (Token::Reference(reference), length + end);
    }
    let end = word_length(behind);
    (
        Token::ScopedWord(name.to_owned(), behind[..end].to_owned()),
        length + end.max(1).min(behind.len()),
    )
}

fn external_end(rest: &str) -> usize {
    match ErrorCode::at_start(rest) {
        Some((_, length)) => length,
        None => rest.find(|c| !is_word(c) && c != ':').unwrap_or(rest.len()),
    }
}

/// Reads a function, a reference, a sheet, a name or a number.
fn word(rest: &str) -> (Token, usize) {
    let length = word_length(rest);
    let (word, behind) = rest.split_at(length);
    if behind.starts_with('!') {
        return prefixed(rest, word, length + 1);
    }
    if behind.starts_with('(') && !word.starts_with(|it: char| it.is_ascii_digit()) {
        return (Token::Function(word.to_owned()), length);
    }
    if let Some(second) = behind.strip_prefix(':') {
        let end = word_length(second);
        if second[end..].starts_with('!') && end > 0 && refs::cell(word).is_none() {
            let name = format!("{word}:{}", &second[..end]);
            return prefixed(rest, &name, length + 1 + end + 1);
        }
    }
    if behind.starts_with('[') {
        let end = brackets(behind);
        return (Token::Structured(word.to_owned(), inside(&behind[..end])), length + end);
    }
    if let Some((reference, end)) = reference(rest) {
        return (Token::Reference(reference), end);
    }
    if word.starts_with(|it: char| it.is_ascii_digit() || it == '.')
        && let Some((number, length)) = number(rest)
    {
        return (Token::Number(number), length);
    }
    (Token::Word(word.to_owned()), length)
}

fn number(rest: &str) -> Option<(f64, usize)> {
    let bytes = rest.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    Some((rest.get(..end)?.parse().ok()?, end))
}

/// Reads a reference without the name of a sheet.
fn reference(rest: &str) -> Option<(ReferenceToken, usize)> {
    let length = word_length(rest);
    let (word, behind) = rest.split_at(length);
    let second = behind.strip_prefix(':').map(|second| {
        let end = word_length(second);
        (&second[..end], second[end..].starts_with(['(', '!', '[']))
    });
    let second = second.filter(|(_, is_other)| !is_other).map(|(word, _)| word);
    let pair = |read: fn(&str) -> Option<ReferenceEnd>| {
        Some((read(word)?, Some(read(second?)?), length + 1 + second?.len()))
    };
    let (first, last, length, shape) = match cell_end(word) {
        Some(first) => match second.and_then(cell_end) {
            Some(last) => {
                (first, Some(last), length + 1 + second.map_or(0, str::len), Shape::Cells)
            }
            None => (first, None, length, Shape::Cells),
        },
        None => pair(column_end)
            .map(|(first, last, length)| (first, last, length, Shape::Columns))
            .or_else(|| {
                pair(row_end).map(|(first, last, length)| (first, last, length, Shape::Rows))
            })?,
    };
    Some((ReferenceToken { sheet: SheetPrefix::None, first, last, shape, body: 0 }, length))
}

fn word_length(rest: &str) -> usize {
    rest.find(|c| !is_word(c)).unwrap_or(rest.len())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '\\' | '?')
}

/// Returns the length of a quoted text, in which quotation marks are doubled.
fn quoted(rest: &str, mark: char) -> usize {
    let mut at = 1;
    loop {
        match rest.get(at..).and_then(|it| it.find(mark)) {
            None => return rest.len(),
            Some(end) => {
                at += end + 1;
                if !rest[at..].starts_with(mark) {
                    return at;
                }
                at += 1;
            }
        }
    }
}

/// Returns the length of brackets with their content.
fn brackets(rest: &str) -> usize {
    let mut depth = 0_usize;
    let mut bytes = rest.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\'' => drop(bytes.next()),
            b'[' => depth += 1,
            b']' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    rest.len()
}

fn inside(brackets: &str) -> String {
    brackets.strip_prefix('[').and_then(|it| it.strip_suffix(']')).unwrap_or_default().to_owned()
}

fn cell_end(word: &str) -> Option<ReferenceEnd> {
    let at = refs::cell(word)?;
    let fixed_column = word.starts_with('$');
    let fixed_row = word.get(1..)?.contains('$');
    Some(ReferenceEnd { at, fixed_column, fixed_row })
}

fn column_end(word: &str) -> Option<ReferenceEnd> {
    let column = refs::column(word.strip_prefix('$').unwrap_or(word))?;
    Some(ReferenceEnd {
        at: At { row: 1, column },
        fixed_column: word.starts_with('$'),
        fixed_row: false,
    })
}

fn row_end(word: &str) -> Option<ReferenceEnd> {
    let row = refs::row(word.strip_prefix('$').unwrap_or(word))?;
    Some(ReferenceEnd {
        at: At { row, column: 1 },
        fixed_column: false,
        fixed_row: word.starts_with('$'),
    })
}
