//! The content that a reader returns, before it is passed to the host.

use crate::bindings::exports::mitt::host::reader;
use crate::bindings::exports::mitt::host::reader::FoundTable;
use crate::{Cell, Error, HostContent};
use mitt_guest::tables::wit::tables;
use mitt_guest::tables::wit::types;
use mitt_guest::tables::{Build, Source};

/// Rows that are passed to the host at a time. Their cells are copied twice, so this bounds the memory for the copies.
const ROWS_AT_A_TIME: usize = 4096;

/// The content of a file. `T` is the type in which a reader holds a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Content<T = Table> {
    /// Title in the metadata of the file.
    pub title: Option<String>,
    /// Other metadata of the file: name and value.
    pub metadata: Vec<(String, String)>,
    /// The whole text as Markdown, with tables at their places.
    pub markdown: String,
    /// Starts of pages, slides, sheets or chapters, in order.
    pub places: Vec<Place>,
    /// The tables, in order.
    pub tables: Vec<NamedTable<T>>,
    /// Nested files, in order.
    pub parts: Vec<Part>,
    /// Numbers of the pages, from 1, that are pictures of text.
    pub scanned: Vec<u32>,
    /// What could not be read or was changed while reading, one sentence each.
    pub warnings: Vec<String>,
}

impl<T> Default for Content<T> {
    fn default() -> Content<T> {
        Content {
            title: None,
            metadata: Vec::new(),
            markdown: String::new(),
            places: Vec::new(),
            tables: Vec::new(),
            parts: Vec::new(),
            scanned: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

/// A nested file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name with folders: `2024/report.docx`.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// The start of a part of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Index of its first byte in the Markdown, at the start of a character.
    pub at: usize,
    /// Its name for people: `page 3`, `slide 2`, `sheet Umsatz`.
    pub label: String,
}

/// A table found in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedTable<T = Table> {
    /// Name of the worksheet, or the caption or nearest heading above the table. May be empty.
    pub name: String,
    /// Its content.
    pub data: T,
    /// The label of its place.
    pub place: Option<String>,
}

/// A small table, row by row. Each row has as many cells as there are columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Column names from left to right, unique and not empty.
    pub columns: Vec<String>,
    /// Rows from top to bottom.
    pub rows: Vec<Vec<Cell>>,
}

/// Data that a table can be built from.
pub trait TableSource {
    /// Builds the table in the host, or in memory for tests. Adds problems that are found while building to `warnings`.
    ///
    /// # Errors
    /// `quota` - the table would be too large; `invalid-argument` - the data is not valid for a table.
    fn build<T: Source>(self, warnings: &mut Vec<String>) -> Result<T, Error>;
}

impl TableSource for Table {
    fn build<T: Source>(self, _: &mut Vec<String>) -> Result<T, Error> {
        let builder = T::Builder::new(&self.columns);
        for rows in self.rows.chunks(ROWS_AT_A_TIME) {
            builder.append_cells(rows)?;
        }
        builder.finish()
    }
}

impl<T: TableSource> Content<T> {
    /// Passes the content to the host.
    ///
    /// # Errors
    /// Those of [`TableSource::build`].
    #[doc(hidden)]
    pub fn into_host(self) -> Result<HostContent, Error> {
        let Content { title, metadata, markdown, places, tables, parts, scanned, mut warnings } =
            self;
        let table = |NamedTable { name, data, place }: NamedTable<T>| {
            Ok(FoundTable { name, data: data.build::<tables::Table>(&mut warnings)?, place })
        };
        let tables = tables.into_iter().map(table).collect::<Result<_, Error>>()?;
        let places = in_characters(&markdown, places);
        let parts = parts.into_iter().map(|Part { name, bytes }| reader::Part { name, bytes });
        let parts = parts.collect();
        Ok(HostContent { title, metadata, markdown, places, tables, parts, scanned, warnings })
    }
}

impl<T: TableSource> Content<T> {
    /// Passes the content to the host, followed by the tables that the host already has.
    ///
    /// # Errors
    /// Those of [`TableSource::build`].
    #[doc(hidden)]
    pub fn with_built(self, built: Vec<NamedTable<tables::Table>>) -> Result<HostContent, Error> {
        let mut content = self.into_host()?;
        let table = |NamedTable { name, data, place }| FoundTable { name, data, place };
        content.tables.extend(built.into_iter().map(table));
        Ok(content)
    }
}

/// Returns the places with offsets in characters instead of bytes.
fn in_characters(markdown: &str, places: Vec<Place>) -> Vec<types::Place> {
    let (mut at, mut offset) = (0, 0);
    let place = |Place { at: byte, label }: Place| {
        offset += markdown.get(at..byte).map_or(0, |text| text.chars().count() as u64);
        at = at.max(byte);
        types::Place { offset, label }
    };
    places.into_iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mitt_guest::tables::Memory;

    #[test]
    fn a_table_of_rows_keeps_its_cells() {
        let row = |row: usize| vec![Cell::Number(row.to_string()), Cell::Text(format!("t{row}"))];
        let rows: Vec<_> = (0..ROWS_AT_A_TIME + 1).map(row).collect();
        let table = Table { columns: vec!["n".into(), "t".into()], rows: rows.clone() };
        assert_eq!(table.build::<Memory>(&mut Vec::new()).unwrap().to_rows(), rows);
    }
}
