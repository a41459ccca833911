//! In a build without the feature `highlight` code is plain.

use crate::Cancel;

/// What a piece of code is: nothing in particular.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {}

impl Token {
    pub(crate) const ALL: [Token; 0] = [];

    pub(crate) fn name(self) -> &'static str {
        match self {}
    }
}

/// Text of one kind within a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece<'a> {
    pub(crate) token: Option<Token>,
    pub(crate) text: &'a str,
}

/// The lines of a block of code.
#[derive(Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "the other build makes the others")]
pub(crate) enum Code<'a> {
    Plain,
    TooMuch,
    Lines(Vec<Vec<Piece<'a>>>),
}

/// Leaves code as it is.
#[derive(Debug, Default)]
pub(crate) struct Highlighter {}

impl Highlighter {
    pub(crate) fn lines<'a>(&mut self, _: Option<&str>, _: &'a str, _: &Cancel) -> Code<'a> {
        Code::Plain
    }
}
