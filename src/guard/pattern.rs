//! A word as it is compared: its folded letters, and the separators in its own spelling.

use crate::fold::{Class, Table, is_dense};
use crate::rules::{MAX_WORD_LETTERS, RuleKind};

/// A folded word.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    /// The letters that the automaton searches for.
    pub(crate) text: String,
    letters: Vec<Letter>,
    /// `true` if a letter is of a script that has no spaces.
    pub(crate) is_dense: bool,
    /// `true` if it is written without separators and without letters of another script, as most words are.
    pub(crate) is_simple: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Letter {
    pub(crate) letter: char,
    /// `true` if a separator stands before it.
    pub(crate) is_apart: bool,
    /// `true` if it is written with a letter of another script.
    pub(crate) is_alike: bool,
}

impl Pattern {
    /// Folds `word`, or returns the reason why it cannot be searched for.
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

    /// Returns where the word counts if its rule does not say so.
    pub(crate) fn default_kind(&self) -> RuleKind {
        if self.is_dense { RuleKind::Substring } else { RuleKind::Word }
    }
}
