//! Splits the source of a formula into tokens.

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A command without its backslash: letters, or one other character.
    Command(&'a str),
    Char(char),
    End,
}

/// Reads a source from left to right, each character once or twice.
pub(super) struct Scanner<'a> {
    source: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(source: &'a str) -> Scanner<'a> {
        Scanner { source, at: 0 }
    }

    fn rest(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or_default()
    }

    pub(super) fn skip_spaces(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Returns the next token without taking it. Spaces count.
    pub(super) fn peek(&self) -> Token<'a> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Token::End };
        if first != '\\' {
            return Token::Char(first);
        }
        let behind = rest.get(1..).unwrap_or_default();
        let letters =
            behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
        let end = match letters {
            0 => behind.chars().next().map_or(0, char::len_utf8),
            letters => letters,
        };
        Token::Command(behind.get(..end).unwrap_or_default())
    }

    /// Takes the next token.
    pub(super) fn next(&mut self) -> Token<'a> {
        let token = self.peek();
        self.at += match token {
            Token::Command(name) => 1 + name.len(),
            Token::Char(c) => c.len_utf8(),
            Token::End => 0,
        };
        token
    }

    /// Takes a character if it is next, behind any spaces.
    pub(super) fn take(&mut self, c: char) -> bool {
        self.skip_spaces();
        let is_next = self.peek() == Token::Char(c);
        if is_next {
            self.at += c.len_utf8();
        }
        is_next
    }

    /// Takes a star right behind a command.
    pub(super) fn take_star(&mut self) -> bool {
        let is_next = self.peek() == Token::Char('*');
        self.at += usize::from(is_next);
        is_next
    }

    /// Takes characters up to the first one for which `is_one` is false.
    pub(super) fn take_while(&mut self, is_one: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !is_one(c)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    /// Takes a number: digits, and a point between them.
    pub(super) fn take_number(&mut self) -> &'a str {
        let rest = self.rest();
        let is_figure = |c: char| c.is_ascii_digit();
        let mut end = rest.find(|c| !is_figure(c)).unwrap_or(rest.len());
        let behind = rest.get(end..).unwrap_or_default();
        if let Some(fraction) = behind.strip_prefix('.') {
            let length = fraction.find(|c| !is_figure(c)).unwrap_or(fraction.len());
            end += if length > 0 { 1 + length } else { 0 };
        }
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    /// Takes a text in braces without nested braces. Returns `None` if no brace is next, or it does not end.
    pub(super) fn take_name(&mut self) -> Option<&'a str> {
        self.skip_spaces();
        let rest = self.rest().strip_prefix('{')?;
        let end = rest.find(['{', '}', '\\'])?;
        let name = rest.get(..end)?;
        if !rest.get(end..)?.starts_with('}') {
            return None;
        }
        self.at += end + 2;
        Some(name.trim())
    }

    /// Takes a text in brackets without nested brackets.
    pub(super) fn take_option(&mut self) -> Option<&'a str> {
        let before = self.at;
        self.skip_spaces();
        let taken = self.rest().strip_prefix('[').and_then(|rest| rest.split_once([']', '\n']));
        match taken {
            Some((option, _)) => {
                self.at += option.len() + 2;
                Some(option)
            }
            None => {
                self.at = before;
                None
            }
        }
    }

    /// Returns `true` if the next text in brackets ends with one of these.
    pub(super) fn next_option_ends_with(&self, ends: &[&str]) -> bool {
        let inside = self.rest().strip_prefix('[').and_then(|rest| rest.split_once(']'));
        inside.is_some_and(|(inside, _)| {
            inside.len() <= 32 && ends.iter().any(|end| inside.trim().ends_with(end))
        })
    }
}
