//! Sources of tables: the host in a component, memory in tests.

use crate::bindings::mitt::host::tables::{Chunk, Column, ColumnType, Texts, Values};
use crate::bindings::mitt::host::types::Error;
use std::rc::Rc;

/// A readable table.
pub(crate) trait Source {
    fn columns(&self) -> Vec<Column>;
    fn rows(&self) -> u64;
    /// Returns a part of a column, like the host's `slice`.
    fn slice(&self, column: u32, start: u64, length: u64) -> Result<Chunk, Error>;
}

/// Opens a table. Only tables that a query names are opened.
pub(crate) type Open = Box<dyn Fn() -> Result<Rc<dyn Source>, Error>>;

/// The data about a table that is known before it is opened.
pub(crate) struct Entry {
    /// The names of the table, the best one first.
    pub(crate) names: Vec<String>,
    pub(crate) reference: String,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: u64,
    pub(crate) open: Open,
}

/// A receiver of the rows of a result.
pub(crate) trait Sink {
    /// Begins a new result and drops an earlier one.
    fn begin(&mut self, columns: &[String]);
    fn append(&mut self, chunks: Vec<Chunk>) -> Result<(), Error>;
}

/// A small table of texts and whole numbers, for the lists of tables and columns.
pub(crate) struct Listing {
    columns: Vec<(&'static str, Items)>,
}

/// The cells of a column of a [`Listing`].
pub(crate) enum Items {
    Texts(Vec<String>),
    Integers(Vec<i64>),
}

impl Listing {
    pub(crate) fn new(columns: Vec<(&'static str, Items)>) -> Self {
        Self { columns }
    }
}

impl Source for Listing {
    fn columns(&self) -> Vec<Column> {
        let kind = |items: &Items| match items {
            Items::Texts(_) => ColumnType::Text,
            Items::Integers(_) => ColumnType::Integer,
        };
        let column = |(name, items): &(&str, Items)| Column {
            name: (*name).to_owned(),
            type_: kind(items),
            scale: 0,
            nulls: 0,
        };
        self.columns.iter().map(column).collect()
    }

    fn rows(&self) -> u64 {
        self.columns.first().map_or(0, |(_, items)| match items {
            Items::Texts(texts) => texts.len() as u64,
            Items::Integers(numbers) => numbers.len() as u64,
        })
    }

    fn slice(&self, column: u32, start: u64, length: u64) -> Result<Chunk, Error> {
        let part = |all: usize| {
            let start = all.min(start as usize);
            start..all.min(start.saturating_add(length as usize))
        };
        let values = match &self.columns[column as usize].1 {
            Items::Texts(texts) => Values::Texts(joined(&texts[part(texts.len())])),
            Items::Integers(numbers) => Values::Integers(numbers[part(numbers.len())].to_vec()),
        };
        Ok(Chunk { validity: Vec::new(), values })
    }
}

/// Joins texts to one buffer.
pub(crate) fn joined<T: AsRef<str>>(texts: &[T]) -> Texts {
    let mut offsets = vec![0];
    let mut bytes = Vec::new();
    for text in texts {
        bytes.extend_from_slice(text.as_ref().as_bytes());
        offsets.push(bytes.len() as u32);
    }
    Texts { offsets, bytes }
}
