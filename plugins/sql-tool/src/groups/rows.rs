//! The rows of a query with groups: parts of the largest table, filtered, and joined with the other tables.

use super::batch::{At, Batch, NOTHING, Parts};
use super::condition::Condition;
use super::plan::Checked;
use crate::bindings::mitt::host::tables::{Chunk, Dictionary, Texts, Values};
use crate::bindings::mitt::host::types::Error;
use crate::columns::{Columns, Kind, PART, is_valid, reference, text_at, value};
use crate::index::{Key, RowsOf};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Longest text of a column. SQLite refuses a longer one.
const LONGEST: usize = 16 << 20;

/// How a table is joined: `new` equals `old`, which is in a table before.
struct Step {
    old: At,
    new: At,
    index: Rc<RowsOf>,
    /// A row of nulls for rows without a partner, which a LEFT JOIN has.
    null: Option<u32>,
}

/// The way through the rows.
pub(super) struct Rows<'a> {
    tables: &'a [Rc<Columns>],
    /// The table with the most rows, which is read part by part. All others have one part.
    first: usize,
    is_left: Vec<bool>,
    steps: Vec<Step>,
    /// The conditions that can be checked after each number of joins.
    conditions: Vec<Vec<Condition>>,
    used: BTreeSet<(usize, u32)>,
    parts: Parts,
}

impl<'a> Rows<'a> {
    /// Plans the way; `None` if the tables are joined in another way than one column with one column, or are too long for it.
    pub(super) fn new(tables: &'a [Rc<Columns>], checked: &mut Checked) -> Option<Self> {
        let is_left = &checked.is_left;
        let first = (0..tables.len())
            .filter(|table| !is_left[*table])
            .max_by_key(|table| (tables[*table].rows, usize::MAX - table))?;
        let mut used = BTreeSet::new();
        checked.columns(&mut |at| {
            used.insert((at.table, at.column));
        });
        let fits = |table: usize| if table == first { u64::from(u32::MAX) } else { PART };
        if (0..tables.len()).any(|table| tables[table].rows > fits(table)) {
            return None;
        }
        let (mut equal, mut left) = (checked.equal.clone(), checked.left.clone());
        let mut order = vec![first];
        let mut pairs = Vec::new();
        while order.len() < tables.len() {
            let is_next =
                |old: At, new: At| order.contains(&old.table) && !order.contains(&new.table);
            let inner = |[one, other]: [At; 2]| match (is_next(one, other), is_next(other, one)) {
                (true, _) if !is_left[other.table] => Some([one, other]),
                (_, true) if !is_left[one.table] => Some([other, one]),
                _ => None,
            };
            let next = equal.iter().enumerate().find_map(|(at, pair)| Some((at, inner(*pair)?)));
            let pair = match next {
                Some((place, pair)) => {
                    equal.remove(place);
                    pair
                }
                None => {
                    let place = left.iter().position(|[old, new]| is_next(*old, *new))?;
                    left.remove(place)
                }
            };
            order.push(pair[1].table);
            pairs.push(pair);
        }
        if !equal.is_empty() || !left.is_empty() {
            return None;
        }
        let mut conditions: Vec<Vec<_>> = order.iter().map(|_| Vec::new()).collect();
        for condition in checked.conditions.drain(..) {
            let mut step = 0;
            condition.columns(&mut |at| {
                step = step.max(order.iter().position(|table| *table == at.table).unwrap_or(0));
            });
            conditions[step].push(condition);
        }
        let steps = pairs.into_iter().map(|[old, new]| {
            let null = is_left[new.table].then_some(tables[new.table].rows as u32);
            Step { old, new, index: Rc::default(), null }
        });
        let steps: Vec<_> = steps.collect();
        let columns = tables.iter().map(|table| vec![None; table.kinds.len()]).collect();
        let parts = Parts { columns, first, start: 0 };
        let is_left = is_left.clone();
        Some(Self { tables, first, is_left, steps, conditions, used, parts })
    }

    /// Returns the number of parts of the table that is read part by part.
    pub(super) fn parts_in_all(&self) -> usize {
        self.tables[self.first].rows.div_ceil(PART).max(1) as usize
    }

    /// Calls `with` for each batch of rows.
    ///
    /// # Errors
    /// The host cannot read a part. `Ok(false)` if a part has a form that its type does not suggest, or if `with` returns `false`.
    pub(super) fn each(
        &mut self,
        with: &mut dyn FnMut(&Parts, &Batch) -> bool,
    ) -> Result<bool, Error> {
        let is_empty = |(table, is_left): (&Rc<Columns>, &bool)| table.rows == 0 && !is_left;
        if self.tables.iter().zip(&self.is_left).any(is_empty) {
            return Ok(true);
        }
        for table in 0..self.tables.len() {
            if table != self.first && !self.load(table, 0)? {
                return Ok(false);
            }
        }
        for step in &mut self.steps {
            step.index = self.tables[step.new.table].index(step.new.column)?;
        }
        let rows = self.tables[self.first].rows;
        let mut start = 0;
        while start < rows {
            if !self.load(self.first, start)? {
                return Ok(false);
            }
            self.parts.start = start;
            let length = rows.min(start + PART) - start;
            let mut batch = Batch::of(self.tables.len());
            batch.rows[self.first] = (0..length as u32).collect();
            batch.length = length as usize;
            if !self.join(batch, 0, with) {
                return Ok(false);
            }
            start += PART;
        }
        Ok(true)
    }

    fn load(&mut self, table: usize, start: u64) -> Result<bool, Error> {
        let of_table = self.used.range((table, 0)..=(table, u32::MAX));
        for &(_, column) in of_table {
            let length = self.tables[table].rows.min(start + PART) - start;
            let part = match length {
                0 => Rc::new(NOTHING.clone()),
                _ => self.tables[table].part(column, start)?,
            };
            let kind = self.tables[table].kinds[column as usize];
            if !is_usual(&part, kind, length as usize) {
                return Ok(false);
            }
            let part =
                if self.is_left[table] { Rc::new(with_null(&part, length as usize)) } else { part };
            self.parts.columns[table][column as usize] = Some(part);
        }
        Ok(true)
    }

    /// Filters a batch to which `done` tables were joined, and joins the next one.
    fn join(
        &self,
        mut batch: Batch,
        done: usize,
        with: &mut dyn FnMut(&Parts, &Batch) -> bool,
    ) -> bool {
        for condition in &self.conditions[done] {
            let truths = condition.truths(&self.parts, &batch);
            batch.retain(&truths);
        }
        let Some(step) = self.steps.get(done) else {
            return batch.length == 0 || with(&self.parts, &batch);
        };
        let found = found(self.parts.get(step.old), &batch.rows[step.old.table], &step.index);
        let mut joined = Batch::of(self.tables.len());
        let known: Vec<_> =
            (0..self.tables.len()).filter(|table| !batch.rows[*table].is_empty()).collect();
        for (place, found) in found.into_iter().enumerate() {
            let others = match (found, &step.null) {
                (Some(found), _) => step.index.rows(found),
                (None, Some(null)) => std::slice::from_ref(null),
                (None, None) => continue,
            };
            for table in &known {
                let row = batch.rows[*table][place];
                joined.rows[*table].extend(others.iter().map(|_| row));
            }
            joined.rows[step.new.table].extend_from_slice(others);
            joined.length += others.len();
            // One row may have many partners.
            if joined.length >= PART as usize {
                let full = std::mem::replace(&mut joined, Batch::of(self.tables.len()));
                if !self.join(full, done + 1, with) {
                    return false;
                }
            }
        }
        joined.length == 0 || self.join(joined, done + 1, with)
    }
}

/// Returns for each row the number of its value in an index.
fn found(part: &Chunk, rows: &[u32], index: &RowsOf) -> Vec<Option<u32>> {
    if let Values::Dictionary(dictionary) = &part.values
        && dictionary.values.offsets.len() <= rows.len()
    {
        let n_texts = dictionary.values.offsets.len().saturating_sub(1);
        let known: Vec<_> = (0..n_texts)
            .map(|text| index.find(Key::Text(text_at(&dictionary.values, text))))
            .collect();
        let find = |row: &u32| {
            let row = *row as usize;
            if is_valid(part, row) { known[dictionary.keys[row] as usize] } else { None }
        };
        return rows.iter().map(find).collect();
    }
    let find = |row: &u32| {
        let value = value(part, *row as usize);
        index.find(Key::of(reference(&value))?)
    };
    rows.iter().map(find).collect()
}

/// Returns a part of `length` rows with one more row, which is null.
fn with_null(part: &Chunk, length: usize) -> Chunk {
    let Chunk { mut validity, mut values } = part.clone();
    let filler = if validity.is_empty() { u8::MAX } else { 0 };
    validity.resize(length / 8 + 1, filler);
    validity[length / 8] &= !(1 << (length % 8));
    match &mut values {
        Values::Empty(length) => *length += 1,
        Values::Booleans(bits) => {
            bits.length += 1;
            bits.bytes.resize(length / 8 + 1, 0);
        }
        Values::Integers(items) | Values::Times(items) | Values::DateTimes(items) => items.push(0),
        Values::Decimals(decimals) => decimals.units.push(0),
        Values::Floats(items) => items.push(0.0),
        Values::Dates(items) => items.push(0),
        Values::Texts(texts) => texts.offsets.extend(texts.offsets.last().copied()),
        Values::Dictionary(dictionary) => dictionary.keys.push(0),
        // The parts of such columns are not read.
        Values::WideDecimals(_) | Values::Mixed(_) => {}
    }
    Chunk { validity, values }
}

/// Returns `true` if a part has all its rows in a form that the type of its column suggests, and no text that SQLite refuses.
fn is_usual(part: &Chunk, kind: Kind, length: usize) -> bool {
    let fits = |texts: &Texts| {
        let fits = |pair: &[u32]| pair[1].saturating_sub(pair[0]) as usize <= LONGEST;
        texts.bytes.len() <= LONGEST || texts.offsets.windows(2).all(fits)
    };
    let held = match (&part.values, kind) {
        (Values::Empty(_), _) => length,
        (Values::Booleans(bits), Kind::Boolean) => bits.length as usize,
        (Values::Integers(items), Kind::Integer)
        | (Values::Times(items), Kind::Time)
        | (Values::DateTimes(items), Kind::DateTime) => items.len(),
        (Values::Decimals(decimals), Kind::Decimal) => decimals.units.len(),
        (Values::Floats(items), Kind::Float) => items.len(),
        (Values::Dates(items), Kind::Date) => items.len(),
        (Values::Texts(texts), Kind::Text) if fits(texts) => texts.offsets.len().saturating_sub(1),
        (Values::Dictionary(Dictionary { keys, values }), Kind::Text) if fits(values) => {
            let n_texts = values.offsets.len().saturating_sub(1);
            if keys.iter().any(|key| *key as usize >= n_texts) {
                return false;
            }
            keys.len()
        }
        _ => return false,
    };
    held == length
}
