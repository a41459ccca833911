//! Stands for `highlight` in a build without that feature: code is plain.

use crate::Cancel;

/// Kind of a span of code; there are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {}

impl Token {
    pub(crate) const ALL: [Token; 0] = [];

    pub(crate) fn name(self) -> &'static str {
        match self {}
    }
}

/// A span of one kind within a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HighlightSpan<'a> {
    pub(crate) token: Option<Token>,
    pub(crate) text: &'a str,
}

/// A block of code, line by line.
#[derive(Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "the other build makes the others")]
pub(crate) enum Code<'a> {
    Plain,
    TooMuch,
    Lines(Vec<Vec<HighlightSpan<'a>>>),
}

/// Leaves code as it is.
#[derive(Debug, Default)]
pub(crate) struct Highlighter {}

impl Highlighter {
    pub(crate) fn lines<'a>(&mut self, _: Option<&str>, _: &'a str, _: &Cancel) -> Code<'a> {
        Code::Plain
    }
}
