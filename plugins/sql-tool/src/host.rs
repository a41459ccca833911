//! Connects to the host: its tables and catalog as [`Source`]s, its builder as a [`Sink`].

use crate::bindings::exports::mitt::sql_tool::tools::{NamedTable, Outcome};
use crate::bindings::mitt::host::catalog;
use crate::bindings::mitt::host::tables::{Builder, Chunk, Column, Table};
use crate::bindings::mitt::host::types::Error;
use crate::source::{Entry, Sink, Source};
use crate::{names, query};
use std::rc::Rc;

impl Source for Table {
    fn columns(&self) -> Vec<Column> {
        Table::columns(self)
    }

    fn rows(&self) -> u64 {
        Table::rows(self)
    }

    fn slice(&self, column: u32, start: u64, length: u64) -> Result<Chunk, Error> {
        Table::slice(self, column, start, length)
    }
}

/// The result that is being built.
#[derive(Default)]
struct Building(Option<Builder>);

impl Sink for Building {
    fn begin(&mut self, columns: &[String]) {
        self.0 = Some(Builder::new(columns));
    }

    fn append(&mut self, chunks: Vec<Chunk>) -> Result<(), Error> {
        self.0.as_ref().map_or(Ok(()), |builder| builder.append(&chunks))
    }
}

/// Runs the tool.
pub(crate) fn query(sql: &str, given: Vec<NamedTable>) -> Result<Outcome, Error> {
    let listed = catalog::list();
    let given_names: Vec<_> = given.iter().map(|table| table.name.clone()).collect();
    names::check_given(&given_names)?;
    let candidates: Vec<_> = listed
        .iter()
        .map(|entry| names::candidates(&entry.reference, entry.document.as_deref()))
        .collect();
    let mut entries: Vec<_> = given.into_iter().map(given_entry).collect();
    let assigned = names::assign(&given_names, &candidates);
    entries.extend(listed.into_iter().zip(assigned).map(|(entry, names)| {
        let reference = entry.reference.clone();
        Entry {
            names,
            reference: entry.reference,
            columns: entry.columns,
            rows: entry.rows,
            open: Box::new(move || Ok(Rc::new(catalog::open(&reference)?))),
        }
    }));
    let mut building = Building::default();
    let warnings = query::run(sql, entries, &mut building)?;
    let builder = building.0.ok_or(Error::Other("no result was begun".into()))?;
    Ok(Outcome { data: Builder::finish(builder)?, warnings })
}

fn given_entry(given: NamedTable) -> Entry {
    let table = Rc::new(given.data);
    let rows = Table::rows(&table);
    let columns = Table::columns(&table).into_iter().map(|column| column.name).collect();
    Entry {
        reference: String::new(),
        columns,
        rows,
        open: Box::new(move || Ok(table.clone())),
        names: vec![given.name],
    }
}
