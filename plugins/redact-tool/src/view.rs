//! A text as its readers see it, with the place in the source that each of its bytes comes from.

use std::ops::Range;

/// Bytes of a source whose views are made at once: a view takes about ten times its text.
pub(crate) const WINDOW: usize = 1 << 20;

#[derive(Debug, Default)]
pub(crate) struct View {
    pub(crate) text: String,
    /// Range of the source for each byte.
    from: Vec<(u32, u32)>,
}

impl View {
    /// Adds a character that stands for a range of the source. The range is empty for one that is only seen.
    pub(crate) fn push(&mut self, it: char, from: Range<usize>) {
        self.text.push(it);
        self.from.resize(self.text.len(), (from.start as u32, from.end as u32));
    }

    /// Adds a part of the source as it is.
    pub(crate) fn push_source(&mut self, source: &str, start: usize) {
        for (at, it) in source.char_indices() {
            self.push(it, start + at..start + at + it.len_utf8());
        }
    }

    /// Returns the ranges of the source of a hit, without what is between them.
    pub(crate) fn pieces(&self, hit: &Range<usize>) -> Vec<Range<usize>> {
        let mut out: Vec<Range<usize>> = Vec::new();
        for &(start, end) in self.from.get(hit.clone()).unwrap_or_default() {
            let (start, end) = (start as usize, end as usize);
            match out.last_mut() {
                _ if start == end => {}
                Some(last) if start <= last.end && start >= last.start => {
                    last.end = last.end.max(end);
                }
                _ => out.push(start..end),
            }
        }
        out
    }
}
