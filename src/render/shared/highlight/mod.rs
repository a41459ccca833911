//! Colours code for all formats: finds keywords, strings, comments and a few other kinds. The fence names the language; its
//! grammar is one of those that Typst includes. A build without grammars (feature `highlight`) leaves code plain.

#[cfg(feature = "highlight")]
mod grammars;

use crate::Cancel;
use crate::model::disabled::built;

/// Kind of a span of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Keyword,
    /// Also literal text within markup.
    String,
    Comment,
    /// A number, or another named value.
    Number,
    /// A type, a function, an attribute.
    Name,
    /// An inserted line of a diff.
    Inserted,
    /// A deleted line of a diff.
    Deleted,
}

impl Token {
    /// All kinds that this build finds: none without grammars.
    pub(crate) const ALL: &'static [Token] = if cfg!(feature = "highlight") {
        &[
            Token::Keyword,
            Token::String,
            Token::Comment,
            Token::Number,
            Token::Name,
            Token::Inserted,
            Token::Deleted,
        ]
    } else {
        &[]
    };

    /// Returns the name that styles and classes use.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Token::Keyword => "keyword",
            Token::String => "string",
            Token::Comment => "comment",
            Token::Number => "number",
            Token::Name => "name",
            Token::Inserted => "inserted",
            Token::Deleted => "deleted",
        }
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
pub(crate) enum Code<'a> {
    /// The fence names no language, or an unknown one.
    Plain,
    /// Too much code for colours.
    TooMuch,
    Lines(Vec<Vec<HighlightSpan<'a>>>),
}

/// Colours the code of one document.
#[derive(Debug, Default)]
pub(crate) struct Highlighter {
    bytes: usize,
    spans: usize,
}

impl Highlighter {
    /// Returns the spans of a block of code, which are all of its text except the line ends.
    pub(crate) fn lines<'a>(
        &mut self,
        language: Option<&str>,
        text: &'a str,
        cancel: &Cancel,
    ) -> Code<'a> {
        built!(
            if feature = "highlight",
            else Code::Plain,
            self::grammars::lines(self, language, text, cancel)
        )
    }
}
