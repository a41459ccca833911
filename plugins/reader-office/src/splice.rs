//! Replaces pieces of a text in one pass.

use std::ops::Range;

pub(crate) struct Splice<'a> {
    text: &'a str,
    out: String,
    /// End of the part of `text` that was copied to `out` or replaced.
    taken: usize,
}

impl<'a> Splice<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, out: String::new(), taken: 0 }
    }

    /// Replaces a range by `new`. Ranges have to come in order.
    pub(crate) fn replace(&mut self, range: Range<usize>, new: &str) {
        self.out.push_str(self.text.get(self.taken..range.start).unwrap_or_default());
        self.out.push_str(new);
        self.taken = range.end;
    }

    pub(crate) fn insert(&mut self, at: usize, new: &str) {
        self.replace(at..at, new);
    }

    pub(crate) fn finish(mut self) -> String {
        self.out.push_str(self.text.get(self.taken..).unwrap_or_default());
        self.out
    }
}
