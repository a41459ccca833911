//! A script as it was written, and as it runs.

use crate::edits::Edited;
use crate::erase::Problem;
use crate::forms::with_parentheses;
use crate::rewrite::{Rewritten, rewrite};
use crate::typescript::{seems_typed, without_types};

/// A script. Each form is made of the one before.
pub(crate) struct Script<'a> {
    /// As it was written.
    pub(crate) code: &'a str,
    /// With the parentheses that it lacks; `None` if it lacks none.
    completed: Option<Edited>,
    /// Without types, which are spaces; `None` if it has none.
    plain: Option<String>,
    /// Without imports and exports; `None` if it has none.
    rewritten: Option<Rewritten>,
}

impl<'a> Script<'a> {
    pub(crate) fn new(code: &'a str) -> Self {
        Self { code, completed: None, plain: None, rewritten: None }.prepared()
    }

    /// Returns the script with the parentheses that its end lacks; `None` if it cannot lack any.
    pub(crate) fn completed(&self) -> Option<Self> {
        let completed = Some(with_parentheses(self.code)?);
        Some(Self { code: self.code, completed, plain: None, rewritten: None }.prepared())
    }

    fn prepared(mut self) -> Self {
        let plain =
            if seems_typed(self.source()) { without_types(self.source()) } else { Ok(None) };
        self.plain = plain.unwrap_or_default();
        self.rewritten = rewrite(self.plain());
        self
    }

    fn source(&self) -> &str {
        self.completed.as_ref().map_or(self.code, |completed| &completed.code)
    }

    /// Returns the script without types, as far as they were removed.
    pub(crate) fn plain(&self) -> &str {
        self.plain.as_deref().unwrap_or_else(|| self.source())
    }

    /// Returns what the interpreter runs.
    pub(crate) fn runs(&self) -> &str {
        self.rewritten.as_ref().map_or_else(|| self.plain(), |rewritten| &rewritten.edited.code)
    }

    /// Returns `true` if the interpreter may run the script without rewriting: its tokens may have been misunderstood.
    pub(crate) fn may_be_plain(&self) -> bool {
        self.rewritten.as_ref().is_some_and(|rewritten| !rewritten.is_needed)
    }

    /// Returns `true` if no parentheses stand before an offset.
    pub(crate) fn begins_alike(&self, offset: usize) -> bool {
        self.code.as_bytes().get(..offset) == self.source().as_bytes().get(..offset)
    }

    /// Removes the types. Returns `false` if there are none, or none any more.
    ///
    /// # Errors
    /// The first place that is no TypeScript, or that has no form without types.
    pub(crate) fn remove_types(&mut self) -> Result<bool, Problem> {
        if self.plain.is_some() {
            return Ok(false);
        }
        let Some(plain) = without_types(self.source())? else { return Ok(false) };
        self.rewritten = rewrite(&plain);
        self.plain = Some(plain);
        Ok(true)
    }

    /// Returns the place in the script as it was written, its column in characters. The interpreter counts bytes, and may point
    /// to the space before a word.
    pub(crate) fn place(&self, line: u32, bytes: u32) -> (u32, u32) {
        let run = line_of(self.runs(), line);
        let before = &run[..run.floor_char_boundary(bytes.saturating_sub(1) as usize)];
        let mut place = (line, u32::try_from(before.chars().count() + 1).unwrap_or(u32::MAX));
        if let Some(rewritten) = &self.rewritten {
            place = rewritten.edited.place(place.0, place.1);
        }
        if let Some(completed) = &self.completed {
            place = completed.place(place.0, place.1);
        }
        let spaces = line_of(self.code, place.0)
            .chars()
            .skip(place.1.saturating_sub(1) as usize)
            .take_while(|c| c.is_whitespace())
            .count();
        (place.0, place.1 + u32::try_from(spaces).unwrap_or(0))
    }
}

fn line_of(code: &str, line: u32) -> &str {
    code.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default()
}
