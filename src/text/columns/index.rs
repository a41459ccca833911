//! Finds the keys of texts for dictionary encoding.

use std::borrow::Cow;
use std::hash::BuildHasher as _;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::clean;
use crate::field::{Field, short};
use crate::table::Texts;

/// Slots of the cache of short texts, which avoids the hash table. A power of two.
const RECENT: usize = 512;

/// Most columns of a table with such caches, so that their memory has a bound.
const MAX_COLUMNS: usize = 64;

/// Returns the most bytes that the caches of `columns` columns take.
pub(crate) const fn recent_bytes(columns: usize) -> usize {
    let columns = if columns < MAX_COLUMNS { columns } else { MAX_COLUMNS };
    columns * RECENT * size_of::<Recent>()
}

/// Keys of the texts of a chunk.
pub(super) struct Index {
    table: HashTable<u32>,
    /// Seeded for each column, so that an attacker cannot choose texts that collide.
    hasher: DefaultHashBuilder,
    /// The cache of short texts, at slots that their bytes select. Empty before the first text.
    recent: Vec<Recent>,
    has_recent: bool,
}

/// A slot of the cache: a text of at most sixteen bytes.
#[derive(Clone, Copy)]
struct Recent {
    low: u64,
    high: u64,
    /// `u32::MAX` in an empty slot.
    length: u32,
    key: u32,
}

const EMPTY: Recent = Recent { low: 0, high: 0, length: u32::MAX, key: 0 };

impl Index {
    pub(super) fn new(columns: usize) -> Index {
        Index {
            table: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            recent: Vec::new(),
            has_recent: columns <= MAX_COLUMNS,
        }
    }

    pub(super) fn clear(&mut self) {
        self.table.clear();
        self.recent.fill(EMPTY);
    }

    /// Returns the key of the text of a field. Adds the text if it is new.
    #[inline(always)]
    pub(super) fn key(&mut self, field: Field<'_>, texts: &mut Texts) -> u32 {
        let Some(short) = field.short() else { return self.any_key(None, field, texts) };
        let (low, high) = (short as u64, (short >> 64) as u64);
        // The multiplication lets all bytes change the upper bits.
        let mixed = (low ^ high.rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let place = (mixed >> (64 - RECENT.ilog2())) as usize;
        if let Some(recent) = self.recent.get(place)
            && (recent.low, recent.high) == (low, high)
            && recent.length as usize == field.len()
        {
            return recent.key;
        }
        let key = self.any_key(Some(short), field, texts);
        if self.recent.is_empty() && self.has_recent {
            self.recent.resize(RECENT, EMPTY);
        }
        if let Some(recent) = self.recent.get_mut(place) {
            *recent = Recent { low, high, length: field.len() as u32, key };
        }
        key
    }

    #[inline(never)]
    fn any_key(&mut self, short: Option<u128>, field: Field<'_>, texts: &mut Texts) -> u32 {
        // Texts in the dictionary are clean, so a field that equals one needs no cleaning.
        if let Some(key) = self.find(short, field.bytes(), texts) {
            return key;
        }
        match clean::field(field) {
            Cow::Borrowed(_) => self.add(field, texts),
            Cow::Owned(cleaned) => {
                let field = Field::from(&*cleaned);
                let known = self.find(field.short(), field.bytes(), texts);
                known.unwrap_or_else(|| self.add(field, texts))
            }
        }
    }

    /// Returns the key of a text; `None` if it is new. Texts of at most sixteen bytes are compared as `short`.
    #[inline(always)]
    fn find(&self, short: Option<u128>, text: &[u8], texts: &Texts) -> Option<u32> {
        let found = match short {
            Some(short) => {
                let hash = self.hasher.hash_one(short);
                self.table.find(hash, |key| texts.is_short(*key as usize, text.len(), short))
            }
            None => {
                let hash = self.hasher.hash_one(text);
                self.table.find(hash, |key| texts.get(*key as usize) == text)
            }
        };
        found.copied()
    }

    /// Adds a new text, and returns its key.
    fn add(&mut self, text: Field<'_>, texts: &mut Texts) -> u32 {
        let key = u32::try_from(texts.len()).unwrap_or(u32::MAX);
        texts.push_field(text);
        let hasher = &self.hasher;
        let hash = |key: &u32| match texts.get(*key as usize) {
            text if text.len() <= 16 => hasher.hash_one(short(text)),
            text => hasher.hash_one(text),
        };
        self.table.insert_unique(hash(&key), key, hash);
        key
    }
}
