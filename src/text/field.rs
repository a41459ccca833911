//! Fields as positions in a text. Their bytes are read eight or sixteen at a time, without a copy.

/// The position of a field. The highest bit of `start` is set if the field is in the buffer of unquoted fields.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span {
    start: usize,
    end: usize,
}

impl Span {
    /// The bit of unquoted fields. No text is so long that a position needs it.
    const UNQUOTED: usize = 1 << (usize::BITS - 1);

    #[inline]
    pub(crate) fn of_text(start: usize, end: usize) -> Span {
        Span { start, end }
    }

    /// Returns a position in the buffer of fields that were copied without their quotes.
    #[inline]
    pub(crate) fn of_unquoted(start: usize, end: usize) -> Span {
        Span { start: start | Span::UNQUOTED, end }
    }

    #[inline]
    pub(crate) fn is_unquoted(self) -> bool {
        self.start & Span::UNQUOTED != 0
    }

    #[inline]
    pub(crate) fn start(self) -> usize {
        self.start & !Span::UNQUOTED
    }

    #[inline]
    pub(crate) fn end(self) -> usize {
        self.end
    }

    #[inline]
    pub(crate) fn is_empty(self) -> bool {
        self.start() == self.end
    }

    #[inline]
    pub(crate) fn part(self, start: usize, end: usize) -> Span {
        Span { start: start | (self.start & Span::UNQUOTED), end }
    }
}

/// Consecutive rows of one width.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub(crate) text: &'a str,
    pub(crate) unquoted: &'a str,
    /// The fields of all rows. Their number is a multiple of the width.
    pub(crate) spans: &'a [Span],
    pub(crate) width: usize,
}

impl<'a> Rows<'a> {
    pub(crate) fn len(&self) -> usize {
        self.spans.len() / self.width.max(1)
    }

    /// Returns the fields of a column. The caller sets `PLAIN` if the buffer of unquoted fields is empty.
    #[inline(always)]
    pub(crate) fn column<const PLAIN: bool>(
        self,
        at: usize,
    ) -> impl Iterator<Item = Field<'a>> + Clone {
        let spans = self.spans.get(at..).unwrap_or_default();
        spans.iter().step_by(self.width.max(1)).map(move |span| {
            let source = if !PLAIN && span.is_unquoted() { self.unquoted } else { self.text };
            Field { source, start: if PLAIN { span.start } else { span.start() }, end: span.end }
        })
    }
}

/// A part of a text, between two characters.
#[derive(Clone, Copy)]
pub(crate) struct Field<'a> {
    source: &'a str,
    start: usize,
    end: usize,
}

impl<'a> From<&'a str> for Field<'a> {
    fn from(text: &'a str) -> Field<'a> {
        Field { source: text, start: 0, end: text.len() }
    }
}

impl<'a> Field<'a> {
    /// `start` and `end` must be between characters.
    #[inline]
    pub(crate) fn new(source: &'a str, start: usize, end: usize) -> Field<'a> {
        Field { source, start, end }
    }

    #[inline]
    pub(crate) fn as_str(&self) -> &'a str {
        &self.source[self.start..self.end]
    }

    #[inline(always)]
    pub(crate) fn bytes(&self) -> &'a [u8] {
        &self.source.as_bytes()[self.start..self.end]
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.end - self.start
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Returns the field without its first byte, which must be ASCII.
    #[inline(always)]
    pub(crate) fn behind_first(&self) -> Field<'a> {
        Field { start: self.start + 1, ..*self }
    }

    /// Returns the byte at an index below [`Field::len`].
    #[inline(always)]
    pub(crate) fn byte(&self, at: usize) -> u8 {
        self.source.as_bytes()[self.start + at]
    }

    /// Returns the eight bytes before an index, the last one in the highest byte. They can begin before the field.
    #[inline(always)]
    pub(crate) fn word_before(&self, at: usize) -> u64 {
        let bytes = self.source.as_bytes();
        let end = self.start + at;
        match end.checked_sub(8).and_then(|from| bytes[from..].first_chunk()) {
            Some(word) => u64::from_le_bytes(*word),
            None => {
                let mut word = [0; 8];
                word[8 - end..].copy_from_slice(&bytes[..end]);
                u64::from_le_bytes(word)
            }
        }
    }

    /// Returns sixteen bytes from the start of the field. They can end after it. `None` if the source has fewer.
    #[inline(always)]
    pub(crate) fn chunk(&self) -> Option<&'a [u8; 16]> {
        self.source.as_bytes()[self.start..].first_chunk()
    }

    /// Returns the bytes of the field, followed by zeros. `None` if it has more than sixteen.
    #[inline(always)]
    pub(crate) fn short(&self) -> Option<u128> {
        let ones = FIRST.get(self.len())?;
        Some(match self.chunk() {
            Some(chunk) => u128::from_le_bytes(*chunk) & ones,
            None => short(self.bytes()),
        })
    }
}

/// For each length up to sixteen, a mask of that many low bytes.
pub(crate) const FIRST: [u128; 17] = {
    let mut all = [0; 17];
    let mut count = 1;
    while count < 17 {
        all[count] = all[count - 1] << 8 | 0xFF;
        count += 1;
    }
    all
};

/// Returns at most sixteen bytes, followed by zeros.
pub(crate) fn short(bytes: &[u8]) -> u128 {
    let mut chunk = [0; 16];
    chunk[..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(chunk)
}

/// Returns `length` bytes of a buffer from `start` on, at most sixteen, followed by zeros.
#[inline(always)]
pub(crate) fn short_at(buffer: &[u8], start: usize, length: usize) -> u128 {
    match buffer[start..].first_chunk() {
        Some(chunk) => u128::from_le_bytes(*chunk) & FIRST[length],
        None => short(&buffer[start..start + length]),
    }
}
