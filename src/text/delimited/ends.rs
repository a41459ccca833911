//! Finds the ends of fields, 64 bytes at a time, with one bit for each byte: 1 for a delimiter or a line end.

/// Bytes that are compared together.
const BLOCK: usize = 64;

/// A cursor over the ends of fields.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    /// The delimiter; a line feed for a text of one column.
    delimiter: u8,
    block: usize,
    /// Ends in the block that [`Ends::next`] did not return yet.
    hits: u64,
}

impl Ends {
    /// Begins at the offset `at`.
    pub(super) fn new(bytes: &[u8], delimiter: Option<u8>, at: usize) -> Ends {
        let delimiter = delimiter.unwrap_or(b'\n');
        Ends { delimiter, block: at, hits: find_ends(bytes, at, delimiter) }
    }

    /// Returns the offset of the next end, or the length of the text.
    #[inline(always)]
    pub(super) fn next(&mut self, bytes: &[u8]) -> usize {
        while self.hits == 0 {
            self.block += BLOCK;
            if self.block >= bytes.len() {
                self.block = bytes.len();
                return bytes.len();
            }
            self.hits = find_ends(bytes, self.block, self.delimiter);
        }
        let end = self.block + self.hits.trailing_zeros() as usize;
        self.hits &= self.hits - 1;
        end
    }

    /// Skips the ends before `at`. It must not be before the last one that was returned.
    #[inline]
    pub(super) fn skip_to(&mut self, bytes: &[u8], at: usize) {
        match at - self.block {
            inside @ 0..BLOCK => self.hits &= u64::MAX << inside,
            _ => {
                self.block = at;
                self.hits = find_ends(bytes, at, self.delimiter);
            }
        }
    }
}

/// Returns the ends in the block at an offset.
#[inline(never)]
fn find_ends(bytes: &[u8], block: usize, delimiter: u8) -> u64 {
    let rest = bytes.get(block..).unwrap_or_default();
    match rest.first_chunk() {
        Some(block) => end_bits(block, delimiter),
        None => {
            let mut block = [0; BLOCK];
            block[..rest.len()].copy_from_slice(rest);
            let inside = !u64::MAX.unbounded_shl(rest.len() as u32);
            end_bits(&block, delimiter) & inside
        }
    }
}

/// Returns one bit for each byte, the first byte lowest: 1 for an end.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline(always)]
fn end_bits(block: &[u8; BLOCK], delimiter: u8) -> u64 {
    use std::arch::wasm32::{u8x16_bitmask, u8x16_eq, u8x16_splat, u64x2, v128_or};

    let [delimiter, feed, back] = [u8x16_splat(delimiter), u8x16_splat(b'\n'), u8x16_splat(b'\r')];
    let (parts, _) = block.as_chunks::<16>();
    let mut bits = 0;
    for (at, part) in parts.iter().enumerate() {
        let part = u128::from_le_bytes(*part);
        let part = u64x2(part as u64, (part >> 64) as u64);
        let lines = v128_or(u8x16_eq(part, feed), u8x16_eq(part, back));
        let ends = v128_or(lines, u8x16_eq(part, delimiter));
        bits |= u64::from(u8x16_bitmask(ends)) << (16 * at);
    }
    bits
}

/// Returns one bit for each byte, the first byte lowest: 1 for an end. Compilers vectorize it.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline]
fn end_bits(block: &[u8; BLOCK], delimiter: u8) -> u64 {
    /// Moves the lowest bits of eight bytes to the highest byte.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let mut is_end = [0_u8; BLOCK];
    for (is_end, byte) in is_end.iter_mut().zip(block) {
        *is_end =
            u8::from(*byte == delimiter) | u8::from(*byte == b'\n') | u8::from(*byte == b'\r');
    }
    let (words, _) = is_end.as_chunks::<8>();
    let mut bits = 0;
    for (at, word) in words.iter().enumerate() {
        bits |= (u64::from_le_bytes(*word).wrapping_mul(GATHER) >> 56) << (8 * at);
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_is_found_once() {
        // All byte values, in an order that puts ends at all offsets of a block.
        let text: Vec<u8> = (0..5_000_u32).map(|at| (at * at / 7 + at) as u8).collect();
        for delimiter in [Some(b','), Some(b'\t'), Some(0), None] {
            let is_end = |byte: u8| matches!(byte, b'\n' | b'\r') || Some(byte) == delimiter;
            for (from, to) in [(0, 5_000), (1, 4_999), (63, 64), (70, 70), (4_900, 4_963)] {
                let bytes = &text[..to];
                let expected: Vec<usize> = (from..to).filter(|at| is_end(bytes[*at])).collect();
                let mut ends = Ends::new(bytes, delimiter, from);
                let mut found = Vec::new();
                while found.last() != Some(&to) {
                    found.push(ends.next(bytes));
                }
                assert_eq!(found[..found.len() - 1], expected, "{delimiter:?} {from} {to}");
                // Skips ends in the same block and beyond it.
                let mut ends = Ends::new(bytes, delimiter, from);
                let (mut at, mut step) = (from, 1);
                while at < to {
                    ends.skip_to(bytes, at);
                    let end = ends.next(bytes);
                    assert_eq!(end, (at..to).find(|at| is_end(bytes[*at])).unwrap_or(to));
                    (at, step) = (end + step, step * 3 % 151 + 1);
                }
            }
        }
    }
}
