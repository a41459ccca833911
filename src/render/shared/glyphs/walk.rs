//! Processes all text for a PDF, one character at a time.

use std::collections::BTreeSet;

use super::missing::{self, Missing};
use super::scripts;
use super::signs::{self, Fate};

/// State of the walk over a text.
pub(crate) struct Walk<'a> {
    /// Returns `true` if some font draws a character correctly.
    pub(crate) covers: &'a dyn Fn(char) -> bool,
    /// The previous character within a paragraph.
    pub(crate) last: &'a mut Option<char>,
    /// Emoji and private-use characters that were left out.
    pub(crate) dropped: &'a mut BTreeSet<char>,
    pub(crate) missing: &'a mut Missing,
}

impl Walk<'_> {
    /// Calls `emit` with what is shown for each character of `text`, and its colour. `fold_spaces` joins adjacent spaces.
    pub(crate) fn text(
        &mut self,
        text: &str,
        fold_spaces: bool,
        emit: &mut dyn FnMut(&str, Option<&'static str>),
    ) {
        let mut skip = 0;
        for (at, c) in text.char_indices() {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            if matches!(c, '\n' | '\t') || (c == ' ' && !fold_spaces) {
                emit(text.get(at..at + 1).unwrap_or(" "), None);
                continue;
            }
            let rest = text.get(at + c.len_utf8()..).unwrap_or_default();
            match signs::fate(c, rest, self.covers) {
                // An emoji that was left out must not leave two spaces, or one at the start of a line.
                Fate::Keep if c == ' ' && matches!(*self.last, None | Some(' ')) => {}
                Fate::Keep => {
                    let mut buffer = [0; 4];
                    emit(c.encode_utf8(&mut buffer), None);
                    *self.last = Some(c);
                    self.missing.note_drawn(c);
                }
                Fate::Sign(sign) => {
                    emit(sign.text, sign.color);
                    *self.last = sign.text.chars().next_back();
                }
                Fate::Text(replacement, following) => {
                    emit(&replacement, None);
                    *self.last = replacement.chars().next_back();
                    skip = following;
                }
                // Between letters that join it affects their shapes.
                Fate::Ignore
                    if scripts::is_joiner(c)
                        && self.last.is_some_and(|last| !scripts::is_plain(last)) =>
                {
                    emit(c.encode_utf8(&mut [0; 4]), None);
                }
                Fate::Ignore => {}
                Fate::Drop => {
                    self.dropped.insert(c);
                }
                Fate::Missing => {
                    self.missing.note_missing(c, text, at);
                    emit(missing::BOX, Some("red"));
                    *self.last = Some(c);
                }
            }
        }
    }
}
