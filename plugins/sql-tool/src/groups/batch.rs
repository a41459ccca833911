//! A batch of rows: the parts of the columns that are read at a time, and numbers of rows in them.

use crate::bindings::mitt::host::tables::{Chunk, Values};
use std::rc::Rc;

/// A column: the number of its table in the list of the query, and its own number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct At {
    pub(super) table: usize,
    pub(super) column: u32,
}

/// A column by which rows are grouped.
#[derive(Clone, Copy)]
pub(super) struct Key {
    pub(super) at: At,
    pub(super) descending: bool,
}

pub(super) const FALSE: u8 = 0;
pub(super) const TRUE: u8 = 1;
pub(super) const UNKNOWN: u8 = 2;

/// Rows of each table that belong together. `rows` has the row numbers within the current part, for each table in the order of
/// the query; those of a table that is not joined yet are empty.
pub(super) struct Batch {
    pub(super) rows: Vec<Vec<u32>>,
    pub(super) length: usize,
}

impl Batch {
    pub(super) fn of(tables: usize) -> Self {
        Self { rows: vec![Vec::new(); tables], length: 0 }
    }

    /// Keeps the rows for which a condition is true.
    pub(super) fn retain(&mut self, truths: &[u8]) {
        for rows in self.rows.iter_mut().filter(|rows| !rows.is_empty()) {
            let mut truths = truths.iter();
            rows.retain(|_| truths.next() == Some(&TRUE));
        }
        self.length = truths.iter().filter(|truth| **truth == TRUE).count();
    }
}

/// The current part of each column that the query reads.
pub(super) struct Parts {
    pub(super) columns: Vec<Vec<Option<Rc<Chunk>>>>,
    /// The table that is read part by part, and the row with which its current part begins.
    pub(super) first: usize,
    pub(super) start: u64,
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

pub(super) static NOTHING: Chunk = Chunk { validity: Vec::new(), values: Values::Empty(0) };
