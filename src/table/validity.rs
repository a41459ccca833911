//! Which cells of a column have a value: a bit for each, from the lowest of the first byte on.

/// The validity bits of a column; 1 means a value. No byte is stored as long as no cell is null.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validity {
    bytes: Vec<u8>,
    length: usize,
    nulls: usize,
}

impl Validity {
    /// Makes the bits of `length` cells that are all valid or all null.
    pub fn all(valid: bool, length: usize) -> Validity {
        if valid {
            Validity { bytes: Vec::new(), length, nulls: 0 }
        } else {
            Validity { bytes: vec![0; length.div_ceil(8)], length, nulls: length }
        }
    }

    /// Makes the bits from Arrow's bytes; no bytes at all mean that no cell is null. `None` if there are too few or too
    /// many.
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

    /// Returns the number of cells.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns `true` if there are no cells.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns the number of nulls.
    pub fn nulls(&self) -> usize {
        self.nulls
    }

    /// Returns `true` if the cell at `index` has a value.
    #[inline]
    pub fn is_valid(&self, index: usize) -> bool {
        self.nulls == 0 || bit(&self.bytes, index)
    }

    /// Appends a cell.
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

    /// Appends `count` cells that are all valid or all null.
    pub fn push_all(&mut self, valid: bool, count: usize) {
        if valid && self.nulls == 0 {
            self.length += count;
            return;
        }
        for _ in 0..count {
            self.push(valid);
        }
    }

    /// Appends the cells of another column.
    pub fn extend(&mut self, other: &Validity) {
        if other.nulls == 0 {
            return self.push_all(true, other.length);
        }
        if self.nulls == 0 {
            self.spell_out();
        }
        if self.length.is_multiple_of(8) {
            // Both begin at a byte boundary, and the bits after the last one are 0.
            self.bytes.extend_from_slice(&other.bytes);
            self.length += other.length;
            self.nulls += other.nulls;
            return;
        }
        for index in 0..other.length {
            self.push(other.is_valid(index));
        }
    }

    /// Returns a part, which must lie inside.
    pub fn part(&self, start: usize, length: usize) -> Validity {
        if self.nulls == 0 {
            return Validity::all(true, length);
        }
        let bytes = bits_from(&self.bytes, start, length);
        Validity::from_bytes(bytes, length).unwrap_or_else(|| Validity::all(true, length))
    }

    /// Returns the bytes in Arrow's layout; empty if no cell is null.
    pub fn into_bytes(self) -> Vec<u8> {
        if self.nulls == 0 { Vec::new() } else { self.bytes }
    }

    /// Returns the bytes on the heap.
    pub(crate) fn kept_bytes(&self) -> usize {
        self.bytes.capacity()
    }

    pub(crate) fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
    }

    /// Stores a bit for each cell so far.
    fn spell_out(&mut self) {
        self.bytes = vec![0xff; self.length.div_ceil(8)];
        clear_rest(&mut self.bytes, self.length);
    }
}

/// Returns `true` if the bit at `index` is set.
#[inline]
pub(crate) fn bit(bytes: &[u8], index: usize) -> bool {
    bytes[index / 8] >> (index % 8) & 1 == 1
}

/// Appends a bit to `length` bits.
#[inline]
pub(crate) fn push_bit(bytes: &mut Vec<u8>, length: usize, value: bool) {
    if length.is_multiple_of(8) {
        bytes.push(0);
    }
    if value {
        bytes[length / 8] |= 1 << (length % 8);
    }
}

/// Returns `length` bits from bit `start` on, moved to a byte boundary.
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

/// Sets the bits after the last one to 0.
pub(crate) fn clear_rest(bytes: &mut [u8], length: usize) {
    if let Some(last) = bytes.last_mut()
        && !length.is_multiple_of(8)
    {
        *last &= (1 << (length % 8)) - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_stored_from_the_first_null_on() {
        let mut bits = Validity::all(true, 3);
        bits.push_all(true, 4);
        assert_eq!((bits.len(), bits.nulls(), bits.is_empty()), (7, 0, false));
        assert_eq!(bits.clone().into_bytes(), [] as [u8; 0]);
        bits.push(false);
        bits.push_all(true, 2);
        bits.push_all(false, 2);
        assert_eq!((bits.len(), bits.nulls()), (12, 3));
        let valid: Vec<bool> = (0..12).map(|at| bits.is_valid(at)).collect();
        assert_eq!(valid, [1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 0].map(|bit| bit == 1));
        assert_eq!(bits.into_bytes(), [0b0111_1111, 0b0000_0011]);
        assert!(Validity::default().is_empty());
    }

    #[test]
    fn unused_capacity_is_freed() {
        let mut bits = Validity::all(false, 16);
        bits.bytes.reserve(1_000);
        bits.shrink();
        assert_eq!(bits.kept_bytes(), 2);
    }
}
