//! Finds texts of a dictionary again.

use std::borrow::Cow;
use std::hash::BuildHasher as _;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::clean;
use crate::field::{Field, short};
use crate::table::Texts;

/// Short texts that are found without a look into the table. A power of two.
const RECENT: usize = 512;

/// Most columns of a table of which each has such texts, so that their memory has a bound.
const MAX_COLUMNS: usize = 64;

/// Most bytes that the recent texts of so many columns take.
pub(crate) const fn recent_bytes(columns: usize) -> usize {
    let columns = if columns < MAX_COLUMNS { columns } else { MAX_COLUMNS };
    columns * RECENT * size_of::<Recent>()
}

/// Keys of the texts of a chunk.
pub(super) struct Index {
    table: HashTable<u32>,
    /// Seeded for each column, so that nobody can choose texts that collide.
    hasher: DefaultHashBuilder,
    /// Each at a place that its bytes say; none before the first text.
    recent: Vec<Recent>,
    has_recent: bool,
}

/// A text of at most sixteen bytes that was there before.
#[derive(Clone, Copy)]
struct Recent {
    low: u64,
    high: u64,
    /// No text has so many bytes as an empty place says.
    length: u32,
    key: u32,
}

const EMPTY: Recent = Recent { low: 0, high: 0, length: u32::MAX, key: 0 };

impl Index {
    /// For a column of a table of so many.
    pub(super) fn new(columns: usize) -> Index {
        Index {
            table: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            recent: Vec::new(),
            has_recent: columns <= MAX_COLUMNS,
        }
    }

    /// Forget all texts.
    pub(super) fn clear(&mut self) {
        self.table.clear();
        self.recent.fill(EMPTY);
    }

    /// The key of a field's text, which is added where it is new.
    #[inline(always)]
    pub(super) fn key(&mut self, field: Field<'_>, texts: &mut Texts) -> u32 {
        let Some(short) = field.short() else { return self.any_key(None, field, texts) };
        let (low, high) = (short as u64, (short >> 64) as u64);
        // Multiplied so that all bytes have a part in the upper bits.
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
        // What is there was cleaned, and cleaning it again would change nothing.
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

    /// The key of a text that is there. Texts of at most sixteen bytes are compared at once, as `short`.
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

    /// The key of a text that is not there yet.
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
