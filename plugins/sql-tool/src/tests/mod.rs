//! The tool over tables in memory.

mod groups;
mod limits;
mod logic;
mod names;
mod numbers;
mod tables;

use crate::bindings::mitt::host::tables::{Chunk, Column, ColumnType, Values};
use crate::bindings::mitt::host::types::{Cell, Error};
use crate::columns::{PART, value};
use crate::names::{assign, candidates};
use crate::query::run;
use crate::source::{Entry, Sink, Source, joined};
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use std::cell::Cell as Count;
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};

/// A lock for tests. SQLite is built without locks, because the component has one thread.
static TURN: Mutex<()> = Mutex::new(());

/// A table in memory. It counts the reads.
pub(super) struct Memory {
    columns: Vec<(Column, Chunk)>,
    rows: u64,
    pub(super) reads: Count<u64>,
}

impl Memory {
    pub(super) fn new(columns: Vec<(&str, ColumnType, u8, Chunk)>, rows: u64) -> Rc<Self> {
        let columns = columns.into_iter().map(|(name, type_, scale, chunk)| {
            (Column { name: name.into(), type_, scale, nulls: 0 }, chunk)
        });
        Rc::new(Self { columns: columns.collect(), rows, reads: Count::new(0) })
    }
}

impl Source for Memory {
    fn columns(&self) -> Vec<Column> {
        self.columns.iter().map(|(column, _)| column.clone()).collect()
    }

    fn rows(&self) -> u64 {
        self.rows
    }

    fn slice(&self, column: u32, start: u64, length: u64) -> Result<Chunk, Error> {
        self.reads.set(self.reads.get() + 1);
        let chunk = &self.columns[column as usize].1;
        assert!(start.is_multiple_of(PART) && length == PART);
        let part = start as usize..(start + length).min(self.rows) as usize;
        let values = match &chunk.values {
            Values::Integers(items) => Values::Integers(items[part].to_vec()),
            Values::Decimals(decimals) => {
                let mut decimals = decimals.clone();
                decimals.units = decimals.units[part].to_vec();
                Values::Decimals(decimals)
            }
            other => {
                assert!(self.rows <= PART);
                other.clone()
            }
        };
        Ok(Chunk { validity: chunk.validity.clone(), values })
    }
}

pub(super) fn chunk(values: Values) -> Chunk {
    Chunk { validity: Vec::new(), values }
}

pub(super) fn texts(items: &[&str]) -> Chunk {
    chunk(Values::Texts(joined(items)))
}

pub(super) fn decimals(scale: u8, units: &[i64]) -> Chunk {
    use crate::bindings::mitt::host::tables::Decimals;
    chunk(Values::Decimals(Decimals { scale, units: units.to_vec() }))
}

pub(super) fn entry(reference: &str, source: Rc<Memory>) -> Entry {
    let names = source.columns().into_iter().map(|column| column.name).collect();
    let document = (!reference.starts_with("t:"))
        .then(|| reference.split('#').next().unwrap_or_default().to_owned());
    Entry {
        names: assign(&[], &[candidates(reference, document.as_deref())]).remove(0),
        reference: reference.into(),
        columns: names,
        rows: source.rows,
        open: Box::new(move || Ok(source.clone())),
    }
}

/// The rows of a result as texts, and the column types of its first part.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
    pub(super) forms: Vec<&'static str>,
    /// The row limit, which the host has too.
    pub(super) quota: Option<usize>,
}

impl Sink for Rows {
    fn begin(&mut self, columns: &[String]) {
        self.columns = columns.to_vec();
        self.rows.clear();
        self.forms.clear();
    }

    fn append(&mut self, chunks: Vec<Chunk>) -> Result<(), Error> {
        let length = chunks.iter().map(length).max().unwrap_or(0);
        if self.forms.is_empty() {
            self.forms = chunks.iter().map(form).collect();
        }
        for row in 0..length {
            self.rows.push(chunks.iter().map(|chunk| shown(chunk, row)).collect());
        }
        match self.quota {
            Some(quota) if self.rows.len() > quota => Err(Error::Quota("too many rows".into())),
            _ => Ok(()),
        }
    }
}

fn length(chunk: &Chunk) -> usize {
    match &chunk.values {
        Values::Empty(length) => *length as usize,
        Values::Booleans(bits) => bits.length as usize,
        Values::Integers(items) | Values::Times(items) | Values::DateTimes(items) => items.len(),
        Values::Decimals(decimals) => decimals.units.len(),
        Values::WideDecimals(decimals) => decimals.units.len() / 16,
        Values::Floats(items) => items.len(),
        Values::Texts(texts) => texts.offsets.len() - 1,
        Values::Dictionary(dictionary) => dictionary.keys.len(),
        Values::Dates(items) => items.len(),
        Values::Mixed(cells) => cells.len(),
    }
}

fn form(chunk: &Chunk) -> &'static str {
    match &chunk.values {
        Values::Empty(_) => "empty",
        Values::Booleans(_) => "booleans",
        Values::Integers(_) => "integers",
        Values::Decimals(_) => "decimals",
        Values::WideDecimals(_) => "wide",
        Values::Floats(_) => "floats",
        Values::Texts(_) => "texts",
        Values::Dictionary(_) => "dictionary",
        Values::Dates(_) => "dates",
        Values::Times(_) => "times",
        Values::DateTimes(_) => "date-times",
        Values::Mixed(_) => "mixed",
    }
}

fn shown(chunk: &Chunk, row: usize) -> String {
    if let Values::Mixed(cells) = &chunk.values
        && let Cell::Number(text) | Cell::Text(text) = &cells[row]
    {
        return text.clone();
    }
    match value(chunk, row) {
        ToSqlOutput::Borrowed(ValueRef::Integer(number)) => number.to_string(),
        ToSqlOutput::Borrowed(ValueRef::Real(number)) => number.to_string(),
        ToSqlOutput::Borrowed(ValueRef::Text(text)) => String::from_utf8_lossy(text).into_owned(),
        ToSqlOutput::Owned(Value::Text(text)) => text.trim_start_matches('\u{b}').to_owned(),
        _ => "NULL".into(),
    }
}

pub(super) fn query_with(
    sql: &str,
    entries: Vec<Entry>,
    quota: Option<usize>,
) -> Result<(Rows, Vec<String>), Error> {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut rows = Rows { quota, ..Rows::default() };
    let warnings = run(sql, entries, &mut rows)?;
    Ok((rows, warnings))
}

/// Returns the rows, with `|` between the cells, and the warnings of a query over `entries`.
pub(super) fn ask(sql: &str, entries: Vec<Entry>) -> (Vec<String>, Vec<String>) {
    let (rows, warnings) =
        query_with(sql, entries, None).unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    (rows.rows.iter().map(|row| row.join("|")).collect(), warnings)
}

/// Returns the error of a query over `entries`, with the name of its case.
pub(super) fn refuse(sql: &str, entries: Vec<Entry>) -> String {
    match query_with(sql, entries, None) {
        Err(error) => {
            let case = match error {
                Error::InvalidArgument(_) => "invalid-argument",
                Error::NotFound(_) => "not-found",
                Error::Unsupported(_) => "unsupported",
                Error::Quota(_) => "quota",
                _ => "other",
            };
            format!("{case}: {}", crate::problem::text_of(&error))
        }
        Ok((rows, _)) => panic!("{sql}: {:?}", rows.rows),
    }
}
