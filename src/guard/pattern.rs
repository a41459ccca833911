//! A word as it is looked for: its folded letters, and what its own spelling has between them.

use crate::fold::{Class, Table, is_dense};
use crate::rules::{Kind, MAX_WORD_LETTERS};

/// A folded word.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    /// The letters, which are what the automaton looks for.
    pub(crate) text: String,
    letters: Vec<Letter>,
    /// Whether a letter is of a script without spaces.
    pub(crate) is_dense: bool,
    /// Whether it is written without separators and without letters of another script, as most are.
    pub(crate) is_simple: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Letter {
    pub(crate) letter: char,
    /// A separator stands before it.
    pub(crate) is_apart: bool,
    /// It is written with a letter of another script.
    pub(crate) is_alike: bool,
}

impl Pattern {
    /// The folded form of `word`, or why it cannot be looked for.
    pub(crate) fn new(word: &str) -> Result<Pattern, &'static str> {
        let table = Table::get();
        let mut letters: Vec<Letter> = Vec::new();
        let mut is_apart = false;
        for c in word.chars() {
            table.fold(c, |unit| match unit.class {
                Class::Hidden => {}
                Class::Letter | Class::Alike if letters.len() <= MAX_WORD_LETTERS => {
                    let is_alike = unit.class == Class::Alike;
                    letters.push(Letter { letter: unit.letter, is_apart, is_alike });
                    is_apart = false;
                }
                _ => is_apart = !letters.is_empty(),
            });
        }
        let is_dense = letters.iter().any(|it| is_dense(it.letter));
        match letters.len() {
            0 => Err("it has no letters and no digits, and signs are not looked for"),
            1 if !is_dense => Err("one letter would be found everywhere"),
            count if count > MAX_WORD_LETTERS => Err("it has more than 128 letters"),
            _ => {
                let text = letters.iter().map(|it| it.letter).collect();
                let is_simple = letters.iter().all(|it| !it.is_apart && !it.is_alike);
                Ok(Pattern { text, letters, is_dense, is_simple })
            }
        }
    }

    pub(crate) fn letters(&self) -> &[Letter] {
        &self.letters
    }

    /// What is meant by a word of which nothing else is said.
    pub(crate) fn default_kind(&self) -> Kind {
        if self.is_dense { Kind::Substring } else { Kind::Word }
    }
}
