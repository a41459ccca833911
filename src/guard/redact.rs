//! Redacting: the text between what was found, with a mark in place of each find.

use std::ops::Range;

use crate::hit::{Action, Hit};

/// What stands where something was redacted. No rule finds anything in it, and no word goes across it.
pub const REDACTED: &str = "[███]";

/// Copies a text, hit by hit in the order of their beginnings.
#[derive(Debug, Default)]
pub(crate) struct Redactor {
    /// Until where the text is copied or left out, in bytes from its beginning.
    done: usize,
    /// A mark was written last, and nothing behind it.
    is_marked: bool,
}

impl Redactor {
    pub(crate) fn done(&self) -> usize {
        self.done
    }

    /// Copy what `held`, which begins `base` bytes into the text, has until the last of `hits` that is redacted, without those.
    pub(crate) fn leave_out_all(&mut self, held: (&str, usize), hits: &[Hit], copied: &mut String) {
        for hit in hits.iter().filter(|hit| hit.action == Action::Redact) {
            self.leave_out(held, &hit.range, copied);
        }
    }

    /// A part of `text` with everything of `ranges` left out, the first of which reaches into it or stands behind.
    pub(crate) fn window<'a>(
        mut self,
        text: &str,
        window: Range<usize>,
        ranges: impl Iterator<Item = &'a Range<usize>>,
    ) -> String {
        let mut copied = String::new();
        self.done = window.start;
        for range in ranges.take_while(|range| range.start < window.end) {
            self.leave_out((text, 0), range, &mut copied);
        }
        self.plain((text, 0), window.end, &mut copied);
        copied
    }

    fn leave_out(&mut self, held: (&str, usize), range: &Range<usize>, copied: &mut String) {
        self.plain(held, range.start, copied);
        if range.end > self.done {
            if !self.is_marked {
                copied.push_str(REDACTED);
            }
            self.done = range.end;
            self.is_marked = true;
        }
    }

    /// Copy all until `until`.
    pub(crate) fn plain(&mut self, (held, base): (&str, usize), until: usize, copied: &mut String) {
        if until > self.done {
            let from = self.done.saturating_sub(base);
            copied.push_str(held.get(from..until - base).unwrap_or_default());
            self.done = until;
            self.is_marked = false;
        }
    }
}
