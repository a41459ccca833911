//! A table without a host, on which unit tests run operations natively.
//!
//! It checks arguments as the host does. It has no quota, and it copies data that the host shares.

use super::chunk::{Chunk, Values};
use super::source::{Build, NULL_ROW, Source};
use super::wit::tables::{Column, ColumnType};
use super::wit::types::{Cell, Error};
use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

/// A table in memory.
#[derive(Clone, Debug)]
pub struct Memory {
    columns: Vec<(String, Rc<Chunk>)>,
    n_rows: usize,
}

impl Memory {
    /// Makes a table of whole columns and keeps their types.
    ///
    /// # Panics
    /// The lengths of the columns differ.
    pub fn new(columns: Vec<(&str, Chunk)>) -> Memory {
        let n_rows = columns.first().map_or(0, |(_, chunk)| chunk.len());
        assert!(columns.iter().all(|(_, chunk)| chunk.len() == n_rows), "columns of one length");
        let columns = columns.into_iter().map(|(name, chunk)| (name.to_owned(), Rc::new(chunk)));
        Memory { columns: columns.collect(), n_rows }
    }

    /// Makes a table of rows of cells, and infers the types of the columns.
    ///
    /// # Errors
    /// `invalid-argument` - a row has another number of cells, or a name is empty or not unique.
    pub fn from_rows(columns: &[String], rows: &[Vec<Cell>]) -> Result<Memory, Error> {
        let builder = MemoryBuilder::new(columns);
        builder.append_cells(rows)?;
        builder.finish()
    }

    /// Returns all rows as cells.
    pub fn to_rows(&self) -> Vec<Vec<Cell>> {
        let row = |row| self.columns.iter().map(|(_, chunk)| chunk.cell(row)).collect();
        (0..self.n_rows).map(row).collect()
    }

    fn chunk(&self, column: u32) -> Result<&(String, Rc<Chunk>), Error> {
        let wanted =
            || invalid(format!("expected a column below {}, got {column}", self.columns.len()));
        self.columns.get(column as usize).ok_or_else(wanted)
    }

    fn checked(columns: Vec<(String, Rc<Chunk>)>, n_rows: usize) -> Result<Memory, Error> {
        let mut seen = HashSet::new();
        match columns.iter().find(|(name, _)| name.is_empty() || !seen.insert(name)) {
            Some((name, _)) => Err(invalid(format!("expected unique names, got `{name}`"))),
            None => Ok(Memory { columns, n_rows }),
        }
    }
}

fn invalid(text: String) -> Error {
    Error::InvalidArgument(text)
}

impl Source for Memory {
    type Builder = MemoryBuilder;

    fn columns(&self) -> Vec<Column> {
        let column = |(name, chunk): &(String, Rc<Chunk>)| {
            let (type_, scale) = match &chunk.values {
                Values::Empty(_) => (ColumnType::Empty, 0),
                Values::Booleans(_) => (ColumnType::Boolean, 0),
                Values::Integers(_) => (ColumnType::Integer, 0),
                Values::Decimals { scale, .. } | Values::WideDecimals { scale, .. } => {
                    (ColumnType::Decimal, *scale)
                }
                Values::Floats(_) => (ColumnType::Float, 0),
                Values::Texts(_) | Values::Dictionary { .. } => (ColumnType::Text, 0),
                Values::Dates(_) => (ColumnType::Date, 0),
                Values::Times(_) => (ColumnType::Time, 0),
                Values::DateTimes(_) => (ColumnType::DateTime, 0),
                Values::Mixed(_) => (ColumnType::Mixed, 0),
            };
            Column { name: name.clone(), type_, scale, nulls: chunk.n_nulls() as u64 }
        };
        self.columns.iter().map(column).collect()
    }

    fn rows(&self) -> u64 {
        self.n_rows as u64
    }

    fn slice(&self, column: u32, start: u64, length: u64) -> Result<Chunk, Error> {
        let (_, chunk) = self.chunk(column)?;
        let end = start.saturating_add(length).min(self.rows());
        if start == 0 && end == self.rows() {
            return Ok(Chunk::clone(chunk));
        }
        Ok(chunk.take(&(start..end).map(|row| row as u32).collect::<Vec<_>>()))
    }

    fn select(&self, columns: &[(u32, String)]) -> Result<Memory, Error> {
        let column = |(column, name): &(u32, String)| {
            self.chunk(*column).map(|(_, chunk)| (name.clone(), Rc::clone(chunk)))
        };
        let columns = columns.iter().map(column).collect::<Result<_, _>>()?;
        Memory::checked(columns, self.n_rows)
    }

    fn range(&self, start: u64, length: u64) -> Memory {
        let end = start.saturating_add(length).min(self.rows());
        let rows: Vec<u32> = (start..end).map(|row| row as u32).collect();
        self.take(&rows).expect("rows below the number of rows exist")
    }

    fn take(&self, rows: &[u32]) -> Result<Memory, Error> {
        if let Some(row) =
            rows.iter().find(|row| **row != NULL_ROW && **row as usize >= self.n_rows)
        {
            return Err(invalid(format!("expected rows below {}, got {row}", self.n_rows)));
        }
        let columns =
            self.columns.iter().map(|(name, chunk)| (name.clone(), Rc::new(chunk.take(rows))));
        Ok(Memory { columns: columns.collect(), n_rows: rows.len() })
    }

    fn beside(&self, right: &Memory) -> Result<Memory, Error> {
        if self.n_rows != right.n_rows {
            return Err(invalid(format!("expected {} rows, got {}", self.n_rows, right.n_rows)));
        }
        Memory::checked(self.columns.iter().chain(&right.columns).cloned().collect(), self.n_rows)
    }
}

/// Makes tables in memory.
#[derive(Debug)]
pub struct MemoryBuilder {
    names: Vec<String>,
    parts: RefCell<Vec<Vec<Chunk>>>,
}

impl Build for MemoryBuilder {
    type Table = Memory;

    fn new(columns: &[String]) -> MemoryBuilder {
        MemoryBuilder { names: columns.to_vec(), parts: RefCell::new(Vec::new()) }
    }

    fn append(&self, chunks: Vec<Chunk>) -> Result<(), Error> {
        let n_rows = chunks.first().map_or(0, Chunk::len);
        let is_right = |chunk: &Chunk| {
            chunk.len() == n_rows && chunk.validity.as_ref().is_none_or(|bits| bits.len() == n_rows)
        };
        if chunks.len() != self.names.len() || !chunks.iter().all(is_right) {
            return Err(invalid(format!("expected {} chunks of one length", self.names.len())));
        }
        self.parts.borrow_mut().push(chunks);
        Ok(())
    }

    fn append_cells(&self, rows: &[Vec<Cell>]) -> Result<(), Error> {
        if rows.iter().any(|row| row.len() != self.names.len()) {
            return Err(invalid(format!("expected {} cells in each row", self.names.len())));
        }
        let column = |i: usize| Chunk::from_cells(rows.iter().map(|row| row[i].clone()).collect());
        self.append((0..self.names.len()).map(column).collect())
    }

    fn append_table(&self, table: &Memory) -> Result<(), Error> {
        self.append(table.columns.iter().map(|(_, chunk)| Chunk::clone(chunk)).collect())
    }

    fn finish(self) -> Result<Memory, Error> {
        let parts = self.parts.into_inner();
        let n_rows = parts.iter().map(|part| part.first().map_or(0, Chunk::len)).sum();
        let mut columns: Vec<Vec<Chunk>> = self.names.iter().map(|_| Vec::new()).collect();
        for part in parts {
            part.into_iter().zip(&mut columns).for_each(|(chunk, column)| column.push(chunk));
        }
        let columns = self.names.into_iter().zip(columns.into_iter().map(joined).map(Rc::new));
        Memory::checked(columns.collect(), n_rows)
    }
}

/// Joins the chunks of a column. Dates and floats keep their type only if all chunks have it, as in the host.
fn joined(mut chunks: Vec<Chunk>) -> Chunk {
    chunks.retain(|chunk| !chunk.is_empty());
    match chunks.len() {
        0 => return Chunk::from(Values::Empty(0)),
        1 => return chunks.remove(0),
        _ => {}
    }
    let len = chunks.iter().map(Chunk::len).sum();
    let is_null = |chunk: &Chunk| matches!(chunk.values, Values::Empty(_));
    let validity = || {
        let bits = chunks.iter().flat_map(|chunk| (0..chunk.len()).map(|row| !chunk.is_null(row)));
        bits.collect()
    };
    macro_rules! same {
        ($kind:path) => {
            if chunks.iter().all(|chunk| is_null(chunk) || matches!(chunk.values, $kind(_))) {
                let mut all = Vec::with_capacity(len);
                for chunk in &chunks {
                    match &chunk.values {
                        $kind(values) => all.extend_from_slice(values),
                        _ => all.resize(all.len() + chunk.len(), Default::default()),
                    }
                }
                return Chunk::new($kind(all), validity());
            }
        };
    }
    if chunks.iter().all(is_null) {
        return Chunk::from(Values::Empty(len));
    }
    same!(Values::Integers);
    same!(Values::Floats);
    same!(Values::Dates);
    same!(Values::Times);
    same!(Values::DateTimes);
    let cells = chunks.iter().flat_map(|chunk| (0..chunk.len()).map(|row| chunk.cell(row)));
    Chunk::from_cells(cells.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::chunks;

    fn cell(text: &str) -> Cell {
        match text {
            "null" => Cell::Null,
            "true" => Cell::Boolean(true),
            _ if text.starts_with(|char: char| char.is_ascii_digit()) => Cell::Number(text.into()),
            _ => Cell::Text(text.into()),
        }
    }

    #[test]
    fn types_are_found() {
        for (cells, wanted, scale) in [
            ("null null", ColumnType::Empty, 0),
            ("true null", ColumnType::Boolean, 0),
            ("1 2.0", ColumnType::Integer, 0),
            ("1 2.50 null", ColumnType::Decimal, 1),
            ("1 0.00000000000000000001", ColumnType::Decimal, 20),
            ("1e37 1", ColumnType::Decimal, 0),
            ("1e40 1", ColumnType::Mixed, 0),
            ("a a null", ColumnType::Text, 0),
            ("a 1", ColumnType::Mixed, 0),
        ] {
            let rows: Vec<Vec<Cell>> = cells.split(' ').map(|text| vec![cell(text)]).collect();
            let table = Memory::from_rows(&["c".to_owned()], &rows).unwrap();
            let column = table.columns().remove(0);
            assert_eq!((column.type_, column.scale), (wanted, scale), "{cells}");
            assert_eq!(table.to_rows().len(), rows.len());
        }
    }

    #[test]
    fn rows_are_gathered() {
        let dates =
            Chunk::new(Values::Dates(vec![0, 1, 2]), [true, false, true].into_iter().collect());
        let table =
            Memory::new(vec![("d", dates), ("t", Chunk::texts([Some("x"), None, Some("z")]))]);
        let taken = table.take(&[2, NULL_ROW, 0, 1]).unwrap();
        let text = |text: &str| Cell::Text(text.to_owned());
        assert_eq!(
            taken.to_rows(),
            [
                vec![text("1970-01-03"), text("z")],
                vec![Cell::Null, Cell::Null],
                vec![text("1970-01-01"), text("x")],
                vec![Cell::Null, Cell::Null],
            ]
        );
        assert!(table.take(&[3]).is_err());
        assert!(table.beside(&table).is_err());
        assert!(table.select(&[(2, "x".into())]).is_err());
        assert!(table.select(&[(0, "x".into()), (1, "x".into())]).is_err());
        assert_eq!(table.range(1, 9).to_rows(), table.to_rows()[1..]);
        let parts: Vec<usize> = chunks(&table, 1, 2).map(|chunk| chunk.unwrap().len()).collect();
        assert_eq!(parts, [2, 1]);
        let twice = MemoryBuilder::new(&["a".into(), "b".into()]);
        twice.append_table(&table).unwrap();
        twice.append_cells(&[vec![Cell::Null, cell("1")]]).unwrap();
        let twice = twice.finish().unwrap();
        let types: Vec<ColumnType> = twice.columns().iter().map(|column| column.type_).collect();
        assert_eq!(types, [ColumnType::Date, ColumnType::Mixed]);
    }
}
