//! Texts in one buffer, like Arrow's `Utf8`.

/// Texts in one buffer, whose length fits in 32 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texts {
    offsets: Vec<u32>,
    bytes: Vec<u8>,
}

impl Default for Texts {
    fn default() -> Texts {
        Texts { offsets: vec![0], bytes: Vec::new() }
    }
}

impl Texts {
    /// Makes texts from Arrow's offsets and UTF-8. `None` if they are not valid.
    pub fn from_parts(offsets: Vec<u32>, bytes: Vec<u8>) -> Option<Texts> {
        let sound = offsets.first() == Some(&0)
            && offsets.last().is_some_and(|last| *last as usize == bytes.len())
            && offsets.is_sorted();
        let text = std::str::from_utf8(&bytes).ok()?;
        let whole = sound && offsets.iter().all(|offset| text.is_char_boundary(*offset as usize));
        whole.then_some(Texts { offsets, bytes })
    }

    /// Returns the number of texts.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns `true` if there are no texts.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the text at `index`, which must exist.
    #[inline]
    pub fn get(&self, index: usize) -> &str {
        let range = self.offsets[index] as usize..self.offsets[index + 1] as usize;
        // Checked on arrival; checking again costs less than `unsafe`, whose correctness the compiler cannot check.
        std::str::from_utf8(&self.bytes[range]).unwrap_or_default()
    }

    /// Returns the bytes of the text at `index`.
    #[inline]
    pub fn get_bytes(&self, index: usize) -> &[u8] {
        &self.bytes[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }

    /// Appends a text. Returns `false` if it does not fit.
    #[must_use]
    pub fn push(&mut self, text: &str) -> bool {
        self.push_bytes(text.as_bytes())
    }

    /// Appends bytes that are known to be UTF-8. Returns `false` if they do not fit.
    #[must_use]
    pub(crate) fn push_bytes(&mut self, text: &[u8]) -> bool {
        let Ok(end) = u32::try_from(self.bytes.len() + text.len()) else { return false };
        self.bytes.extend_from_slice(text);
        self.offsets.push(end);
        true
    }

    /// Appends all of `more`. Returns `false` if they do not fit.
    #[must_use]
    pub(crate) fn extend(&mut self, more: &Texts) -> bool {
        let base = self.bytes.len();
        if u32::try_from(base + more.bytes.len()).is_err() {
            return false;
        }
        // It fits because the last offset does.
        let shift = u32::try_from(base).unwrap_or(u32::MAX);
        self.offsets.extend(more.offsets[1..].iter().map(|offset| shift + offset));
        self.bytes.extend_from_slice(&more.bytes);
        true
    }

    /// Returns a part, which must lie inside.
    pub fn part(&self, start: usize, length: usize) -> Texts {
        let base = self.offsets[start];
        let offsets: Vec<u32> =
            self.offsets[start..=start + length].iter().map(|offset| offset - base).collect();
        let bytes = self.bytes[base as usize..self.offsets[start + length] as usize].to_vec();
        Texts { offsets, bytes }
    }

    /// Returns offsets and UTF-8.
    pub fn into_parts(self) -> (Vec<u32>, Vec<u8>) {
        (self.offsets, self.bytes)
    }

    /// Returns the length of all texts, in bytes.
    pub fn byte_len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn kept_bytes(&self) -> usize {
        self.offsets.capacity() * size_of::<u32>() + self.bytes.capacity()
    }

    pub(crate) fn shrink(&mut self) {
        self.offsets.shrink_to_fit();
        self.bytes.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(all: &[&str]) -> Texts {
        let mut texts = Texts::default();
        assert!(all.iter().all(|text| texts.push(text)));
        texts
    }

    #[test]
    fn texts_are_joined_and_divided_without_losing_one() {
        let mut all = texts(&["a", "", "né"]);
        assert!(all.extend(&texts(&["four", "", "5"])));
        assert_eq!(all, texts(&["a", "", "né", "four", "", "5"]));
        assert_eq!(all.part(2, 3), texts(&["né", "four", ""]));
        assert_eq!(all.part(6, 0), Texts::default());
        assert_eq!((all.len(), all.byte_len(), all.is_empty()), (6, 9, false));
        assert!(Texts::default().is_empty());
        let (offsets, bytes) = all.clone().into_parts();
        assert_eq!(
            (offsets.as_slice(), bytes.as_slice()),
            (&[0, 1, 1, 4, 8, 8, 9][..], "anéfour5".as_bytes())
        );
        assert_eq!(Texts::from_parts(offsets, bytes), Some(all));
    }

    #[test]
    fn long_texts_are_joined_below_four_gibibytes() {
        let long = "x".repeat(70_000);
        let mut all = texts(&[&long]);
        assert!(all.extend(&texts(&[&long])));
        assert_eq!((all.len(), all.byte_len()), (2, 140_000));
    }

    #[test]
    fn unused_capacity_is_freed() {
        let mut all = texts(&["a"]);
        all.bytes.reserve(1_000);
        all.offsets.reserve(1_000);
        all.shrink();
        assert_eq!(all.kept_bytes(), 2 * size_of::<u32>() + 1);
    }
}
