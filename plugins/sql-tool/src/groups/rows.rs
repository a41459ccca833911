//! The rows of a query with groups: parts of the largest table, filtered, and joined with the other tables.

use super::condition::{Condition, TRUE};
use super::plan::{At, Checked};
use crate::bindings::mitt::host::tables::{Chunk, Dictionary, Texts, Values};
use crate::bindings::mitt::host::types::Error;
use crate::columns::{Columns, Kind, PART, is_valid, reference, text_at, value};
use crate::index::{Key, RowsOf};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Longest text of a column. SQLite refuses a longer one.
const LONGEST: usize = 16 << 20;

/// Rows of each table that belong together. `rows` has the row numbers within the current part, for each table in the order of
/// the query; those of a table that is not joined yet are empty.
pub(super) struct Batch {
    pub(super) rows: Vec<Vec<u32>>,
    pub(super) length: usize,
}

impl Batch {
    fn of(tables: usize) -> Self {
        Self { rows: vec![Vec::new(); tables], length: 0 }
    }

    /// Keeps the rows for which a condition is true.
    fn retain(&mut self, truths: &[u8]) {
        for rows in self.rows.iter_mut().filter(|rows| !rows.is_empty()) {
            let mut truths = truths.iter();
            rows.retain(|_| truths.next() == Some(&TRUE));
        }
        self.length = truths.iter().filter(|truth| **truth == TRUE).count();
    }
}

/// The current part of each column that the query reads.
pub(super) struct Parts {
    columns: Vec<Vec<Option<Rc<Chunk>>>>,
    /// The table that is read part by part, and the row with which its current part begins.
    first: usize,
    start: u64,
}

impl Parts {
    pub(super) fn get(&self, at: At) -> &Chunk {
        // All columns of the plan are loaded before the first batch.
        self.columns[at.table][at.column as usize].as_deref().unwrap_or(&NOTHING)
    }

    /// Returns the row with which the current part of a table begins.
    pub(super) fn start(&self, table: usize) -> u64 {
        if table == self.first { self.start } else { 0 }
    }
}

static NOTHING: Chunk = Chunk { validity: Vec::new(), values: Values::Empty(0) };

/// How a table is joined: `new` equals `old`, which is in a table before.
struct Step {
    old: At,
    new: At,
    index: Rc<RowsOf>,
}

/// The way through the rows.
pub(super) struct Rows<'a> {
    tables: &'a [Rc<Columns>],
    /// The table with the most rows, which is read part by part. All others have one part.
    first: usize,
    steps: Vec<Step>,
    /// The conditions that can be checked after each number of joins.
    conditions: Vec<Vec<Condition>>,
    used: BTreeSet<(usize, u32)>,
    parts: Parts,
}

impl<'a> Rows<'a> {
    /// Plans the way; `None` if the tables are joined in another way than one column with one column, or are too long for it.
    pub(super) fn new(tables: &'a [Rc<Columns>], checked: &mut Checked) -> Option<Self> {
        let first =
            (0..tables.len()).max_by_key(|table| (tables[*table].rows, usize::MAX - table))?;
        let mut used = BTreeSet::new();
        checked.columns(&mut |at| {
            used.insert((at.table, at.column));
        });
        let fits = |table: usize| if table == first { u64::from(u32::MAX) } else { PART };
        if (0..tables.len()).any(|table| tables[table].rows > fits(table)) {
            return None;
        }
        let mut order = vec![first];
        let mut pairs = Vec::new();
        while order.len() < tables.len() {
            let (place, old, new) =
                checked.equal.iter().enumerate().find_map(|(place, pair)| {
                    let [left, right] = *pair;
                    let known = |at: At| order.contains(&at.table);
                    match (known(left), known(right)) {
                        (true, false) => Some((place, left, right)),
                        (false, true) => Some((place, right, left)),
                        _ => None,
                    }
                })?;
            checked.equal.remove(place);
            order.push(new.table);
            pairs.push((old, new));
        }
        if !checked.equal.is_empty() {
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
        let steps = pairs.into_iter().map(|(old, new)| Step { old, new, index: Rc::default() });
        let columns = tables.iter().map(|table| vec![None; table.kinds.len()]).collect();
        let parts = Parts { columns, first, start: 0 };
        Some(Self { tables, first, steps: steps.collect(), conditions, used, parts })
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
        if self.tables.iter().any(|table| table.rows == 0) {
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
            let part = self.tables[table].part(column, start)?;
            let length = self.tables[table].rows.min(start + PART) - start;
            let kind = self.tables[table].kinds[column as usize];
            if !is_usual(&part, kind, length as usize) {
                return Ok(false);
            }
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
            let Some(found) = found else { continue };
            let others = step.index.rows(found);
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
