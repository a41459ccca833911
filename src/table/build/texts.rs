//! The texts of a column under construction: equal texts are stored once, as long as enough of them repeat.

use std::hash::BuildHasher as _;
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::chunk::Problem;
use crate::text::Texts;
use crate::values::Values;

/// Most distinct texts of a dictionary, so that it is small compared to the column.
const MOST: usize = 65_536;
/// Cells after which at least every second text must have been a repetition.
const TRIED: usize = 4_096;

/// Finds the texts of a dictionary.
#[derive(Default)]
pub(super) struct Index {
    table: HashTable<u32>,
    /// Seeded for each column, because texts could be made to collide if the seed was known.
    hasher: DefaultHashBuilder,
}

impl Index {
    /// Returns the key of a text. `None` if a dictionary would not pay, because too many texts are distinct.
    fn key(&mut self, text: &str, texts: &mut Texts, cells: usize) -> Option<u32> {
        let hash = self.hasher.hash_one(text.as_bytes());
        let known = self.table.find(hash, |key| texts.get_bytes(*key as usize) == text.as_bytes());
        if let Some(key) = known {
            return Some(*key);
        }
        let count = texts.len();
        if count >= MOST || (cells >= TRIED && count * 2 > cells) || !texts.push(text) {
            return None;
        }
        let key = u32::try_from(count).ok()?;
        self.table
            .insert_unique(hash, key, |key| self.hasher.hash_one(texts.get_bytes(*key as usize)));
        Some(key)
    }

    /// Adds all texts that are not in the index yet, however they were added.
    fn complete(&mut self, texts: &Texts) {
        for at in self.table.len()..texts.len() {
            let Ok(key) = u32::try_from(at) else { return };
            let hash = self.hasher.hash_one(texts.get_bytes(at));
            self.table.insert_unique(hash, key, |key| {
                self.hasher.hash_one(texts.get_bytes(*key as usize))
            });
        }
    }

    pub(super) fn kept_bytes(&self) -> usize {
        self.table.capacity() * (size_of::<u32>() + 1)
    }
}

/// Appends a text to a column of texts.
pub(super) fn push(values: &mut Values, index: &mut Index, text: &str) -> Result<(), Problem> {
    match values {
        Values::Texts(texts) => texts.push(text).then_some(()).ok_or(Problem::Texts),
        Values::Dictionary(keys, texts) => {
            // Copies them if they are shared with the table that they came from.
            let own = Arc::make_mut(texts);
            index.complete(own);
            match index.key(text, own, keys.len()) {
                Some(key) => {
                    keys.push(key);
                    Ok(())
                }
                None => {
                    *values = Values::Texts(spelled_out(keys, texts)?);
                    *index = Index::default();
                    push(values, index, text)
                }
            }
        }
        _ => Ok(()),
    }
}

/// Appends texts of the same form at once. Returns `false` if the forms differ.
pub(super) fn extended(
    values: &mut Values,
    index: &mut Index,
    more: &Values,
) -> Result<bool, Problem> {
    match (&mut *values, more) {
        (Values::Texts(texts), Values::Texts(more)) => {
            texts.extend(more).then_some(true).ok_or(Problem::Texts)
        }
        (Values::Dictionary(keys, texts), Values::Dictionary(more, same))
            if Arc::ptr_eq(texts, same) =>
        {
            keys.extend_from_slice(more);
            Ok(true)
        }
        (Values::Dictionary(keys, texts), Values::Dictionary(more, others)) => {
            let own = Arc::make_mut(texts);
            index.complete(own);
            let mut known = Vec::with_capacity(others.len());
            for at in 0..others.len() {
                let Some(key) = index.key(others.get(at), own, usize::MAX / 2) else {
                    *values = Values::Texts(spelled_out(keys, texts)?);
                    *index = Index::default();
                    let Values::Texts(texts) = values else { return Ok(false) };
                    let more = spelled_out(more, others)?;
                    return texts.extend(&more).then_some(true).ok_or(Problem::Texts);
                };
                known.push(key);
            }
            // The slot of a null may hold an invalid key.
            keys.extend(more.iter().map(|key| known.get(*key as usize).copied().unwrap_or(0)));
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// Appends a slot for a null.
pub(super) fn push_null(values: &mut Values) {
    match values {
        Values::Texts(texts) => drop(texts.push("")),
        Values::Dictionary(keys, _) => keys.push(0),
        _ => {}
    }
}

/// Returns the texts of a dictionary's cells, each stored by itself.
pub(super) fn spelled_out(keys: &[u32], dictionary: &Texts) -> Result<Texts, Problem> {
    let mut texts = Texts::default();
    for key in keys {
        // The slot of a null may hold an invalid key.
        let key = *key as usize;
        let text = if key < dictionary.len() { dictionary.get_bytes(key) } else { &[] };
        if !texts.push_bytes(text) {
            return Err(Problem::Texts);
        }
    }
    Ok(texts)
}
