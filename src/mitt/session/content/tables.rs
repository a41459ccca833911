//! Tables of a session by reference: those of its documents, and kept results. Also how tables are shown.

use std::collections::HashMap;

use mitt_table::Table;
use wasmtime::component::Val;

use super::results::TableResults;
use super::state::Content;
use mitt_base::memory::Account;
use mitt_base::{Error, ErrorKind, Result, text};
use mitt_skill::capability::CatalogEntry;
use mitt_types::json_rows::{JsonNumbers, push_json_row, push_json_text};
use mitt_wit::value::{Function, Tables};

/// Most tables that are listed in an error.
const LISTED: usize = 20;
/// Most bytes of a reference that are shown in an error.
const SHOWN: usize = 128;

impl Content {
    /// Returns all tables, those of documents first.
    pub(in crate::session) fn table_entries(&self) -> Vec<CatalogEntry> {
        let mut entries = Vec::new();
        for document in self.documents() {
            let name = &document.name;
            // Counted once per document, since a text may hold a hundred thousand tables.
            let mut alike = HashMap::<&str, usize>::new();
            for table in document.tables.iter() {
                *alike.entry(&table.name).or_default() += 1;
            }
            for (at, table) in document.tables.iter().enumerate() {
                let is_only = !table.name.is_empty() && alike.get(&*table.name) == Some(&1);
                let reference = match document.tables.len() {
                    1 => name.clone(),
                    _ if is_only => format!("{name}#{}", table.name),
                    _ => format!("{name}#{}", at + 1),
                };
                entries.push(CatalogEntry {
                    reference,
                    name: table.name.clone(),
                    document: Some(name.clone()),
                    table: table.data.clone(),
                });
            }
        }
        entries.extend(self.results.entries());
        entries
    }

    /// Returns the table that a reference names.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - there is no such table; the error lists the tables that exist.
    pub(in crate::session) fn table(&self, reference: &str) -> Result<Table> {
        self.find_table(reference).map_err(|why| {
            Error::new(ErrorKind::Input, no_table("there is no table", reference, &why))
        })
    }

    /// Returns the table that a reference names. The error is the end of a sentence about the reference.
    pub(in crate::session) fn find_table(&self, reference: &str) -> Result<Table, String> {
        match self.results.find(reference) {
            Some(Ok(table)) => return Ok(table),
            Some(Err(why)) => return Err(format!(", which {why}")),
            None => {}
        }
        let entries = self.table_entries();
        if let Some(found) = entries.iter().find(|entry| entry.reference == reference) {
            return Ok(found.table.clone());
        }
        // A table can also be named by its number in the document, and the only table of a document by the document's name.
        let numbered = reference.rsplit_once('#').and_then(|(document, number)| {
            let mut tables =
                entries.iter().filter(|entry| entry.document.as_deref() == Some(document));
            match number.parse::<usize>().ok().and_then(|it| it.checked_sub(1)) {
                Some(index) => tables.nth(index),
                None => tables.find(|entry| entry.name == number),
            }
        });
        if let Some(found) = numbered {
            return Ok(found.table.clone());
        }
        let several = entries.iter().any(|entry| entry.document.as_deref() == Some(reference));
        let why = if several { ", which has several tables" } else { "" };
        Err(format!("{why}; {}", listed(&entries)))
    }

    /// Inserts the JSON of each table in place of its number.
    pub(in crate::session) fn show_tables(
        &self,
        tool: &str,
        function: &Function,
        (value, tables): (&mut Option<Val>, Vec<Table>),
        how: TableResults,
    ) -> Result<()> {
        let Some(value) = value else { return Ok(()) };
        function.visit_gave(value, &mut |val| {
            if let Val::U32(number) = *val
                && let Some(table) = tables.get(number as usize)
            {
                *val = Val::String(self.shown(tool, table, how));
            }
            Ok(())
        })
    }

    fn shown(&self, tool: &str, table: &Table, how: TableResults) -> String {
        let TableResults::Named { cells, first_rows } = how else { return json(table, None, None) };
        let reference = self.results.keep(tool, table.clone());
        let is_small = table.cell_count() as u64 <= cells;
        let first_rows = usize::try_from(first_rows).unwrap_or(usize::MAX);
        json(table, Some(&reference), (!is_small).then_some(first_rows))
    }
}

/// Returns a list of the tables that exist.
fn listed(entries: &[CatalogEntry]) -> String {
    if entries.is_empty() {
        return "the session has no tables".to_owned();
    }
    let shown = entries.iter().take(LISTED).map(|entry| {
        let reference = text::one_line(text::cut_bytes(&entry.reference, SHOWN));
        format!("`{reference}`")
    });
    let mut names: Vec<_> = shown.collect();
    if entries.len() > LISTED {
        names.push("…".to_owned());
    }
    format!("the tables are {}", names.join(", "))
}

/// Returns a table as JSON: whole, or its first rows and their total number.
fn json(table: &Table, reference: Option<&str>, first_rows: Option<usize>) -> String {
    let mut out = String::from("{\"columns\":[");
    for (at, name) in table.names().enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        push_json_text(&mut out, name);
    }
    out.push(']');
    let shown = first_rows.unwrap_or(usize::MAX).min(table.rows());
    let rows = match first_rows {
        None => ",\"rows\":[",
        Some(_) => {
            out.push_str(&format!(",\"row_count\":{}", table.rows()));
            ",\"first_rows\":["
        }
    };
    if first_rows != Some(0) {
        out.push_str(rows);
        for row in 0..shown {
            out.push_str(if row > 0 { "," } else { "" });
            push_json_row(&mut out, table, row, JsonNumbers::Digits);
        }
        out.push(']');
    }
    if let Some(reference) = reference {
        out.push_str(",\"$ref\":");
        push_json_text(&mut out, reference);
    }
    out.push('}');
    out
}

/// Returns a sentence about a table that does not exist. `problem` is its beginning, `why` its end.
pub(in crate::session) fn no_table(problem: &str, reference: &str, why: &str) -> String {
    let shown = text::one_line(text::cut_bytes(reference, SHOWN));
    format!("{problem} `{shown}`{why}")
}

/// Tables that the arguments of a call may name.
pub(in crate::session) struct SessionTables<'a>(pub(in crate::session) &'a Content);

impl Tables for SessionTables<'_> {
    fn open(&self, reference: &str) -> Result<Table, String> {
        self.0.find_table(reference)
    }

    fn account(&self) -> Account {
        self.0.documents.account()
    }
}
