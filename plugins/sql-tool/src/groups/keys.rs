//! Groups of rows with the same values, found by hashes of small numbers that stand for the values.

use super::batch::{Batch, Key, Parts};
use crate::bindings::mitt::host::tables::{Chunk, Values};
use crate::columns::{is_valid, reference, text_at, value};
use mitt_guest::FoldMap;
use rusqlite::types::{Value, ValueRef};
use std::cmp::Ordering;

/// The number of null in each column.
const NULL: u32 = 0;

/// Stands for a text of a dictionary that has no number yet.
const UNSEEN: u32 = u32::MAX;

/// The different values of a column, each with a number.
struct Codes {
    numbers: FoldMap<i64, u32>,
    texts: FoldMap<Box<[u8]>, u32>,
    values: Vec<Value>,
    /// The bytes of all texts.
    bytes: usize,
}

impl Codes {
    fn new() -> Self {
        let (numbers, texts) = (FoldMap::default(), FoldMap::default());
        Self { numbers, texts, values: vec![Value::Null], bytes: 0 }
    }

    fn of_text(&mut self, text: &[u8]) -> u32 {
        if let Some(code) = self.texts.get(text) {
            return *code;
        }
        let code = self.values.len() as u32;
        self.texts.insert(text.into(), code);
        self.bytes += text.len();
        // The texts of the host are UTF-8.
        self.values.push(Value::Text(String::from_utf8_lossy(text).into_owned()));
        code
    }

    fn of_number(&mut self, number: i64, value: impl FnOnce() -> Value) -> u32 {
        let values = &mut self.values;
        *self.numbers.entry(number).or_insert_with(|| {
            values.push(value());
            values.len() as u32 - 1
        })
    }

    fn of_value(&mut self, value: ValueRef<'_>) -> u32 {
        match value {
            ValueRef::Integer(number) => self.of_number(number, || Value::Integer(number)),
            // Equal decimals have the same bits.
            ValueRef::Real(number) => {
                self.of_number(number.to_bits().cast_signed(), || Value::Real(number))
            }
            ValueRef::Text(text) => self.of_text(text),
            ValueRef::Null | ValueRef::Blob(_) => NULL,
        }
    }

    /// Returns the number of the value of each row.
    fn of_rows(&mut self, part: &Chunk, rows: &[u32]) -> Vec<u32> {
        let valid = |row: usize| part.validity.is_empty() || is_valid(part, row);
        match &part.values {
            Values::Dictionary(dictionary) => {
                let mut known = vec![UNSEEN; dictionary.values.offsets.len().saturating_sub(1)];
                let code = |row: &u32| {
                    let row = *row as usize;
                    if !valid(row) {
                        return NULL;
                    }
                    let text = dictionary.keys[row] as usize;
                    if known[text] == UNSEEN {
                        known[text] = self.of_text(text_at(&dictionary.values, text));
                    }
                    known[text]
                };
                rows.iter().map(code).collect()
            }
            Values::Dates(days) => {
                let code = |row: &u32| {
                    let row = *row as usize;
                    if !valid(row) {
                        return NULL;
                    }
                    self.of_number(days[row].into(), || match value(part, row) {
                        rusqlite::types::ToSqlOutput::Owned(text) => text,
                        _ => Value::Null,
                    })
                };
                rows.iter().map(code).collect()
            }
            _ => rows
                .iter()
                .map(|row| self.of_value(reference(&value(part, *row as usize))))
                .collect(),
        }
    }

    /// Returns the place of each number in the order of the values.
    fn ranks(&self) -> Vec<u32> {
        let mut order: Vec<_> = (0..self.values.len() as u32).collect();
        order.sort_by(|left, right| {
            compare(&self.values[*left as usize], &self.values[*right as usize])
        });
        let mut ranks = vec![0; order.len()];
        for (rank, code) in (0..).zip(order) {
            ranks[code as usize] = rank;
        }
        ranks
    }
}

/// Compares values of one column as SQLite does: null first.
fn compare(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Integer(left), Value::Integer(right)) => left.cmp(right),
        (Value::Real(left), Value::Real(right)) => left.total_cmp(right),
        (Value::Text(left), Value::Text(right)) => left.as_bytes().cmp(right.as_bytes()),
        (Value::Null, Value::Null) => Ordering::Equal,
        (Value::Null, _) => Ordering::Less,
        _ => Ordering::Greater,
    }
}

/// The groups so far. Groups of several columns are groups of pairs: a group of the columns before, and a value of the next.
pub(super) struct Groups {
    keys: Vec<Key>,
    codes: Vec<Codes>,
    /// For each column after the first one, the number of each pair.
    numbers: Vec<FoldMap<u64, u32>>,
    pairs: Vec<Vec<u64>>,
}

impl Groups {
    pub(super) fn new(keys: &[Key]) -> Self {
        let further = keys.len().saturating_sub(1);
        Self {
            keys: keys.to_vec(),
            codes: keys.iter().map(|_| Codes::new()).collect(),
            numbers: vec![FoldMap::default(); further],
            pairs: vec![Vec::new(); further],
        }
    }

    /// Returns the number of the group of each row.
    pub(super) fn of_rows(&mut self, parts: &Parts, batch: &Batch) -> Vec<u32> {
        let mut columns = self
            .keys
            .iter()
            .zip(&mut self.codes)
            .map(|(key, codes)| codes.of_rows(parts.get(key.at), &batch.rows[key.at.table]));
        let mut groups = columns.next().unwrap_or_else(|| vec![0; batch.length]);
        for ((codes, numbers), pairs) in columns.zip(&mut self.numbers).zip(&mut self.pairs) {
            for (group, code) in groups.iter_mut().zip(codes) {
                let pair = u64::from(*group) << 32 | u64::from(code);
                *group = *numbers.entry(pair).or_insert_with(|| {
                    pairs.push(pair);
                    pairs.len() as u32 - 1
                });
            }
        }
        groups
    }

    /// Returns a bound of the number of groups.
    pub(super) fn count(&self) -> usize {
        match self.pairs.last() {
            Some(pairs) => pairs.len(),
            // Without keys, all rows are one group.
            None => self.codes.first().map_or(1, |codes| codes.values.len()),
        }
    }

    /// Returns about how many bytes this takes.
    pub(super) fn weight(&self) -> usize {
        let codes = self.codes.iter().map(|codes| codes.values.len() * 64 + codes.bytes * 2);
        let pairs = self.pairs.iter().map(|pairs| pairs.len() * 32);
        // And the order of the groups, in the end.
        codes.sum::<usize>() + pairs.sum::<usize>() + self.count() * 48
    }

    /// Returns the numbers of the values of a group, the last column first.
    fn codes_of(&self, group: u32) -> impl Iterator<Item = u32> {
        let mut rest = u64::from(group);
        let pairs = self.pairs.iter().rev().map(move |pairs| {
            let pair = pairs[rest as usize];
            rest = pair >> 32;
            (pair as u32, rest as u32)
        });
        let mut all: Vec<_> = pairs.collect();
        let first = all.last().map_or(group, |(_, rest)| *rest);
        all.push((first, 0));
        all.into_iter().map(|(code, _)| code)
    }

    /// Returns a value of a group.
    pub(super) fn value(&self, group: u32, column: usize) -> Value {
        let from_last = self.codes.len() - 1 - column;
        let code = self.codes_of(group).nth(from_last).unwrap_or(NULL);
        self.codes[column].values[code as usize].clone()
    }

    /// Returns the groups in the order in which SQLite gives them: that of their values.
    pub(super) fn in_order(&self, is_group: impl Fn(u32) -> bool) -> Vec<u32> {
        let ranks: Vec<_> = self.codes.iter().map(Codes::ranks).collect();
        let ranked = |group: u32| {
            let mut ranked: Vec<_> = self
                .codes_of(group)
                .zip(ranks.iter().zip(&self.keys).rev())
                .map(|(code, (ranks, key))| {
                    let rank = ranks[code as usize];
                    if key.descending { u32::MAX - rank } else { rank }
                })
                .collect();
            ranked.reverse();
            ranked
        };
        let mut order: Vec<_> = (0..self.count() as u32)
            .filter(|group| is_group(*group))
            .map(|group| (ranked(group), group))
            .collect();
        order.sort_unstable();
        order.into_iter().map(|(_, group)| group).collect()
    }
}
