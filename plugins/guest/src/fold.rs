//! A fast hasher for tables that live for one call.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A hash map with a [`FoldHasher`].
pub type FoldMap<K, V> = HashMap<K, V, BuildHasherDefault<FoldHasher>>;

/// A hash of few instructions, always the same for the same key.
///
/// Anyone can make keys that collide. That costs only the fuel of their own call.
#[derive(Clone, Debug, Default)]
pub struct FoldHasher(u64);

impl FoldHasher {
    #[inline]
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for FoldHasher {
    #[inline]
    fn finish(&self) -> u64 {
        // A hash map uses the low bits for the slot and the highest bits for a tag, so both must depend on all bits.
        let mixed = (self.0 ^ self.0 >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        mixed ^ mixed >> 32
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.add(u64::from_le_bytes(*word)));
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            self.add(u64::from_le_bytes(last));
        }
    }

    #[inline]
    fn write_u8(&mut self, value: u8) {
        self.add(value.into());
    }

    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.add(value.into());
    }

    #[inline]
    fn write_u64(&mut self, value: u64) {
        self.add(value);
    }

    #[inline]
    fn write_i64(&mut self, value: i64) {
        self.add(value as u64);
    }

    #[inline]
    fn write_usize(&mut self, value: usize) {
        self.add(value as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::{FoldHasher, FoldMap};
    use std::collections::HashSet;
    use std::hash::{Hash, Hasher};

    fn hash(key: impl Hash) -> u64 {
        let mut hasher = FoldHasher::default();
        key.hash(&mut hasher);
        hasher.finish()
    }

    #[test]
    fn equal_keys_have_one_hash_and_others_rarely() {
        let texts = ["", "a", "b", "ab", "ba", "12345678", "123456789", "12345678\0", "中文"];
        let hashes: HashSet<u64> = texts.into_iter().map(hash).collect();
        assert_eq!(hashes.len(), texts.len());
        assert!(texts.into_iter().all(|text| hash(text) == hash(text.to_owned())));
        assert_ne!(hash(1u8), hash(2u8));
        assert_ne!(hash((1u32, 2u64)), hash((2u32, 1u64)));
    }

    #[test]
    fn low_and_high_bits_depend_on_all_bits_of_a_key() {
        let low: HashSet<u64> = (0..64).map(|bit| hash(1u64 << bit) & 0xffff).collect();
        let high: HashSet<u64> = (0..64).map(|bit| hash(1i64 << bit) >> 48).collect();
        assert!(low.len() > 56 && high.len() > 56, "{} {}", low.len(), high.len());
    }

    #[test]
    fn a_map_finds_its_keys() {
        let map: FoldMap<usize, usize> = (0..1_000).map(|key| (key * 1_024, key)).collect();
        assert!((0..1_000).all(|key| map.get(&(key * 1_024)) == Some(&key)));
        assert_eq!(map.get(&1), None);
    }
}
