//! Which cells of a column hold a value: a bit for each, from the lowest of the first byte.

/// Bits of a column, one for each cell. 1 means a value. It keeps no byte as long as no cell is null.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validity {
    bytes: Vec<u8>,
    length: usize,
    nulls: usize,
}

impl Validity {
    /// `length` cells, all of which are null or none.
    pub fn all(valid: bool, length: usize) -> Validity {
        match valid {
            true => Validity { bytes: Vec::new(), length, nulls: 0 },
            false => Validity { bytes: vec![0; length.div_ceil(8)], length, nulls: length },
        }
    }

    /// From bytes as Arrow has them; none at all means that no cell is null. `None` where there are too few or too many.
    pub fn from_bytes(mut bytes: Vec<u8>, length: usize) -> Option<Validity> {
        if bytes.is_empty() {
            return Some(Validity::all(true, length));
        }
        if bytes.len() != length.div_ceil(8) {
            return None;
        }
        clear_rest(&mut bytes, length);
        let set: usize = bytes.iter().map(|byte| byte.count_ones() as usize).sum();
        Some(Validity { bytes, length, nulls: length - set })
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there is no cell.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// How many cells are null.
    pub fn nulls(&self) -> usize {
        self.nulls
    }

    /// Whether the cell at `index` has a value.
    #[inline]
    pub fn is_valid(&self, index: usize) -> bool {
        self.nulls == 0 || bit(&self.bytes, index)
    }

    /// Append a cell.
    #[inline]
    pub fn push(&mut self, valid: bool) {
        if !valid && self.nulls == 0 {
            self.spell_out();
        }
        if self.nulls > 0 || !valid {
            push_bit(&mut self.bytes, self.length, valid);
        }
        self.length += 1;
        self.nulls += usize::from(!valid);
    }

    /// Append `count` cells of one kind.
    pub fn push_all(&mut self, valid: bool, count: usize) {
        if valid && self.nulls == 0 {
            self.length += count;
            return;
        }
        for _ in 0..count {
            self.push(valid);
        }
    }

    /// Append the cells of another.
    pub fn extend(&mut self, other: &Validity) {
        if other.nulls == 0 {
            return self.push_all(true, other.length);
        }
        if self.nulls == 0 {
            self.spell_out();
        }
        if self.length.is_multiple_of(8) {
            // Its bits begin with a byte, as these do, and those behind its last one are 0.
            self.bytes.extend_from_slice(&other.bytes);
            self.length += other.length;
            self.nulls += other.nulls;
            return;
        }
        for index in 0..other.length {
            self.push(other.is_valid(index));
        }
    }

    /// A part of it, which must be inside.
    pub fn part(&self, start: usize, length: usize) -> Validity {
        if self.nulls == 0 {
            return Validity::all(true, length);
        }
        let bytes = bits_from(&self.bytes, start, length);
        Validity::from_bytes(bytes, length).unwrap_or_else(|| Validity::all(true, length))
    }

    /// The bytes, as Arrow has them; none where no cell is null.
    pub fn into_bytes(self) -> Vec<u8> {
        if self.nulls == 0 { Vec::new() } else { self.bytes }
    }

    /// Bytes that it keeps on the heap.
    pub(crate) fn kept_bytes(&self) -> usize {
        self.bytes.capacity()
    }

    pub(crate) fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
    }

    /// A bit for each cell so far.
    fn spell_out(&mut self) {
        self.bytes = vec![0xff; self.length.div_ceil(8)];
        clear_rest(&mut self.bytes, self.length);
    }
}

/// Whether the bit at `index` is set.
#[inline]
pub(crate) fn bit(bytes: &[u8], index: usize) -> bool {
    bytes[index / 8] >> (index % 8) & 1 == 1
}

/// Append a bit to `length` of them.
#[inline]
pub(crate) fn push_bit(bytes: &mut Vec<u8>, length: usize, value: bool) {
    if length.is_multiple_of(8) {
        bytes.push(0);
    }
    if value {
        bytes[length / 8] |= 1 << (length % 8);
    }
}

/// `length` bits from bit `start` on, moved to the beginning of a byte.
pub(crate) fn bits_from(bytes: &[u8], start: usize, length: usize) -> Vec<u8> {
    let count = length.div_ceil(8);
    let (first, shift) = (start / 8, start % 8);
    let mut out = Vec::with_capacity(count);
    for index in first..first + count {
        let low = bytes.get(index).copied().unwrap_or(0) >> shift;
        let high = match shift {
            0 => 0,
            _ => bytes.get(index + 1).copied().unwrap_or(0) << (8 - shift),
        };
        out.push(low | high);
    }
    clear_rest(&mut out, length);
    out
}

/// Set the bits behind the last one to 0.
pub(crate) fn clear_rest(bytes: &mut [u8], length: usize) {
    if let Some(last) = bytes.last_mut()
        && !length.is_multiple_of(8)
    {
        *last &= (1 << (length % 8)) - 1;
    }
}
