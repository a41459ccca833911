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
