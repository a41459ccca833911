//! Copies a text with a mark in place of each find.

use std::ops::Range;

use crate::hit::{Action, Hit};

/// Replaces what was redacted. No rule finds anything in it, and no word goes across it.
pub const REDACTED: &str = "[███]";

/// Copies a text hit by hit. Hits come in the order of their starts.
#[derive(Debug, Default)]
pub(crate) struct Redactor {
    /// Position up to which the text is copied or left out, in bytes from the beginning.
    done: usize,
    /// `true` if a mark was written last.
    is_marked: bool,
}

impl Redactor {
    pub(crate) fn done(&self) -> usize {
        self.done
    }

    /// Copies the part `held`, which begins `base` bytes into the text, up to the end of the last redacted hit, and leaves
    /// those hits out.
    pub(crate) fn leave_out_all(&mut self, held: (&str, usize), hits: &[Hit], copied: &mut String) {
        for hit in hits.iter().filter(|hit| hit.action == Action::Redact) {
            self.leave_out(held, &hit.range, copied);
        }
    }

    /// Returns a part of `text` without `ranges`, the first of which reaches into the part or stands behind its start.
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

    /// Copies everything before `until`.
    pub(crate) fn plain(&mut self, (held, base): (&str, usize), until: usize, copied: &mut String) {
        if until > self.done {
            let from = self.done.saturating_sub(base);
            copied.push_str(held.get(from..until - base).unwrap_or_default());
            self.done = until;
            self.is_marked = false;
        }
    }
}
