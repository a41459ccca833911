//! Tables of the host. In a script they are instances of the prelude's `Table`, which hold the name of the table here, its
//! source.
//!
//! A source is a reference of a document (`sales.csv`), or `~` and numbers for a result or a table that the script cut out.
//! Tables stay open as long as the interpreter, because values of monty have no finalizers.

use crate::context::Context;
use crate::contract::types::{Cell, Error};
use crate::decode::{Builder, number};
use mitt_guest::tables::{Chunk, Decimal, Values};
use monty_types::unstable::{MontyGraph, MontyNode, NodeId};
use std::cell::{Cell as Flag, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// Rows of one request to the host.
pub(crate) const PART_ROWS: u64 = 4_096;

/// Most cells of a tool's result that are read at once. Such a result needs no host later.
const SMALL_CELLS: u64 = 2_000;

/// Most cells of a script's table in the arguments of a call. A larger table is built in the host.
pub(crate) const INLINE_CELLS: usize = 10_000;

/// Most cells of a table that is shown completely as the value of a script, and the number of rows that are shown of a
/// larger one.
pub(crate) const SHOWN_CELLS: usize = 1_000;
pub(crate) const FIRST_ROWS: u64 = 10;

/// Results after which a reference is renewed before it is used. The session keeps 100.
const FRESH_RESULTS: u64 = 50;

/// A table of the host.
pub trait HostTable {
    /// Returns the names of the columns.
    fn columns(&self) -> Vec<String>;
    /// Returns the number of rows.
    fn rows(&self) -> u64;
    /// Returns cells of a column.
    ///
    /// # Errors
    /// The column does not exist.
    fn slice(&self, column: u32, start: u64, length: u64) -> Result<Chunk, Error>;
    /// Returns some columns under other names.
    ///
    /// # Errors
    /// A column does not exist, or a name is empty or repeated.
    fn select(&self, columns: &[(u32, String)]) -> Result<Rc<dyn HostTable>, Error>;
    /// Returns some rows.
    fn range(&self, start: u64, length: u64) -> Rc<dyn HostTable>;
    /// Keeps the table among the session's results, and returns the reference.
    fn keep(&self) -> String;
}

/// The tables that scripts of an interpreter have opened.
#[derive(Default)]
pub(crate) struct Opened {
    by_source: RefCell<HashMap<String, Rc<dyn HostTable>>>,
    /// The new references of sources without a reference or with an old one.
    kept: RefCell<HashMap<String, String>>,
    cut: Flag<u64>,
    /// The number of the latest result.
    latest: Flag<u64>,
}

impl Context {
    /// Returns the table of a source.
    ///
    /// # Errors
    /// No table has this name any more; the text has the reason.
    pub(crate) fn table(&self, source: &str) -> Result<Rc<dyn HostTable>, String> {
        if let Some(table) = self.tables.by_source.borrow().get(source) {
            return Ok(Rc::clone(table));
        }
        if source.starts_with('~') {
            return Err("this table was made by a script of an earlier session, and its rows were not read; make it again".to_owned());
        }
        let table = self.host.open(source).map_err(|error| crate::functions::describe(&error))?;
        self.tables.by_source.borrow_mut().insert(source.to_owned(), Rc::clone(&table));
        Ok(table)
    }

    /// Returns `true` if the table of a source is open.
    pub(crate) fn is_open(&self, source: &str) -> bool {
        self.tables.by_source.borrow().contains_key(source)
    }

    /// Opens the table of a reference in a result, and returns it with its source. Each session numbers its results anew, so
    /// a stored variable must not name a table by its reference.
    pub(crate) fn adopt(&self, reference: &str) -> Option<(Rc<dyn HostTable>, String)> {
        let table = self.host.open(reference).ok()?;
        self.saw(reference);
        let source = self.cut_out(Rc::clone(&table));
        self.tables.kept.borrow_mut().insert(source.clone(), reference.to_owned());
        Some((table, source))
    }

    fn saw(&self, reference: &str) {
        if let Some(number) = number_of(reference) {
            self.tables.latest.set(self.tables.latest.get().max(number));
        }
    }

    /// Returns a source for a table without a reference.
    pub(crate) fn cut_out(&self, table: Rc<dyn HostTable>) -> String {
        let number = self.tables.cut.get() + 1;
        self.tables.cut.set(number);
        let source = format!("~{}.{number}", crate::context::RUN.get());
        self.tables.by_source.borrow_mut().insert(source.clone(), table);
        source
    }

    /// Returns the reference of a source's table for the arguments of a call.
    pub(crate) fn reference(&self, source: &str, table: &Rc<dyn HostTable>) -> String {
        let is_fresh = |reference: &str| match number_of(reference) {
            Some(number) => {
                self.tables.latest.get() - number.min(self.tables.latest.get()) < FRESH_RESULTS
            }
            None => !reference.starts_with('~'),
        };
        let known =
            self.tables.kept.borrow().get(source).cloned().unwrap_or_else(|| source.to_owned());
        if is_fresh(&known) {
            return known;
        }
        let reference = self.keep(table);
        self.tables.kept.borrow_mut().insert(source.to_owned(), reference.clone());
        reference
    }

    /// Makes a new reference.
    pub(crate) fn keep(&self, table: &Rc<dyn HostTable>) -> String {
        let reference = table.keep();
        self.saw(&reference);
        reference
    }
}

/// Returns the 3 of `t:3`.
fn number_of(reference: &str) -> Option<u64> {
    reference.strip_prefix("t:")?.parse().ok()
}

impl Builder {
    /// Makes an instance of `Table` for a table of the host. Rows of a small result are read at once.
    ///
    /// # Errors
    /// Those of the host.
    pub(crate) fn host_table(
        &mut self,
        table: &Rc<dyn HostTable>,
        source: &str,
        name: &str,
    ) -> Result<NodeId, Error> {
        let names = table.columns();
        let width = names.len() as u64;
        let columns = names.iter().map(|name| self.string(name)).collect();
        let columns = self.list(columns);
        let is_small = table.rows().saturating_mul(width) <= SMALL_CELLS;
        let rows = if is_small { Some(self.rows(&**table, 0, table.rows())?) } else { None };
        Ok(self.table(columns, rows, name, source))
    }

    /// Returns rows as lists.
    pub(crate) fn rows(
        &mut self,
        table: &dyn HostTable,
        start: u64,
        length: u64,
    ) -> Result<NodeId, Error> {
        let rows = self.cells_by_row(table, start, length)?;
        let rows = rows.into_iter().map(|cells| self.list(cells)).collect();
        Ok(self.list(rows))
    }

    /// Returns rows as dicts, with the script's names of the columns.
    pub(crate) fn records(
        &mut self,
        table: &dyn HostTable,
        names: &[NodeId],
        start: u64,
        length: u64,
    ) -> Result<NodeId, Error> {
        let rows = self.cells_by_row(table, start, length)?;
        let record =
            |cells: Vec<NodeId>| MontyNode::Dict(names.iter().copied().zip(cells).collect());
        let rows = rows.into_iter().map(|cells| self.graph.push(record(cells))).collect();
        Ok(self.list(rows))
    }

    /// Returns a column as a list.
    pub(crate) fn column(&mut self, table: &dyn HostTable, column: u32) -> Result<NodeId, Error> {
        let mut cells = Vec::new();
        for start in (0..table.rows()).step_by(PART_ROWS as usize) {
            let chunk = table.slice(column, start, PART_ROWS)?;
            cells.extend((0..chunk.len()).map(|index| self.graph.push(node(&chunk, index))));
        }
        Ok(self.list(cells))
    }

    fn cells_by_row(
        &mut self,
        table: &dyn HostTable,
        start: u64,
        length: u64,
    ) -> Result<Vec<Vec<NodeId>>, Error> {
        let width = table.columns().len();
        let end = table.rows().min(start.saturating_add(length));
        let mut rows: Vec<Vec<NodeId>> = (start..end).map(|_| Vec::with_capacity(width)).collect();
        for column in 0..width {
            for part in (start..end).step_by(PART_ROWS as usize) {
                let chunk = table.slice(column as u32, part, PART_ROWS.min(end - part))?;
                for index in 0..chunk.len() {
                    let cell = self.graph.push(node(&chunk, index));
                    rows[(part - start) as usize + index].push(cell);
                }
            }
        }
        Ok(rows)
    }
}

/// Returns a cell as a value of monty.
pub(crate) fn node(chunk: &Chunk, index: usize) -> MontyNode {
    if chunk.is_null(index) {
        return MontyNode::None;
    }
    match &chunk.values {
        Values::Integers(values) => MontyNode::Int(values[index]),
        Values::Floats(values) if values[index].is_finite() => MontyNode::Float(values[index]),
        Values::Decimals { scale, units } => decimal(units[index], *scale),
        Values::WideDecimals { scale, units } => {
            number(&Decimal { units: units[index], scale: *scale }.text())
        }
        _ => match chunk.cell(index) {
            Cell::Null => MontyNode::None,
            Cell::Boolean(value) => MontyNode::Bool(value),
            Cell::Number(text) => number(&text),
            Cell::Text(text) => MontyNode::String(text),
        },
    }
}

/// Converts a decimal to int or float. A quotient of two exact floats is the float nearest to the decimal.
fn decimal(units: i64, scale: u8) -> MontyNode {
    let divisor = 10_i64.pow(u32::from(scale.min(18)));
    if units % divisor == 0 {
        MontyNode::Int(units / divisor)
    } else if units.unsigned_abs() < 1 << 53 {
        // Numbers below 2^53, and powers of ten up to 10^18, are exact as floats.
        MontyNode::Float(units as f64 / divisor as f64)
    } else {
        number(&Decimal { units: units.into(), scale }.text())
    }
}

/// Returns `true` if a script's lists still have the values of the table.
pub(crate) fn has_rows(
    graph: &MontyGraph,
    rows: &[NodeId],
    table: &dyn HostTable,
) -> Result<bool, Error> {
    if rows.len() as u64 != table.rows() {
        return Ok(false);
    }
    let width = table.columns().len();
    for start in (0..table.rows()).step_by(PART_ROWS as usize) {
        for column in 0..width {
            let chunk = table.slice(column as u32, start, PART_ROWS)?;
            for index in 0..chunk.len() {
                let Some(&row) = rows.get(start as usize + index) else { return Ok(false) };
                let (MontyNode::List(cells) | MontyNode::Tuple(cells)) = graph.node(row) else {
                    return Ok(false);
                };
                let is_same = cells.len() == width
                    && is_same(graph.node(cells[column]), &node(&chunk, index));
                if !is_same {
                    return Ok(false);
                }
            }
        }
    }
    Ok(true)
}

fn is_same(a: &MontyNode, b: &MontyNode) -> bool {
    match (a, b) {
        (MontyNode::None, MontyNode::None) => true,
        (MontyNode::Bool(a), MontyNode::Bool(b)) => a == b,
        (MontyNode::Int(a), MontyNode::Int(b)) => a == b,
        (MontyNode::BigInt(a), MontyNode::BigInt(b)) => a == b,
        (MontyNode::Float(a), MontyNode::Float(b)) => a.to_bits() == b.to_bits(),
        (MontyNode::Decimal(a), MontyNode::Decimal(b))
        | (MontyNode::String(a), MontyNode::String(b)) => a == b,
        _ => false,
    }
}

/// Converts the rows of a script to columns; `None` if a value cannot be a cell.
pub(crate) fn chunks(graph: &MontyGraph, width: usize, rows: &[NodeId]) -> Option<Vec<Chunk>> {
    let mut columns = vec![Vec::with_capacity(rows.len()); width];
    for &row in rows {
        let (MontyNode::List(cells) | MontyNode::Tuple(cells)) = graph.node(row) else {
            return None;
        };
        if cells.len() != width {
            return None;
        }
        for (column, &cell) in columns.iter_mut().zip(cells) {
            column.push(cell_of(graph.node(cell))?);
        }
    }
    Some(columns.into_iter().map(Chunk::from_cells).collect())
}

fn cell_of(node: &MontyNode) -> Option<Cell> {
    Some(match node {
        MontyNode::None => Cell::Null,
        MontyNode::Bool(value) => Cell::Boolean(*value),
        MontyNode::Int(value) => Cell::Number(value.to_string()),
        MontyNode::BigInt(value) => Cell::Number(value.to_string()),
        MontyNode::Float(value) if value.is_finite() => Cell::Number(format!("{value:?}")),
        MontyNode::Decimal(text)
            if !text.contains(|c: char| c.is_ascii_alphabetic() && c != 'E') =>
        {
            Cell::Number(text.replace("E+", "e").replace('E', "e"))
        }
        MontyNode::String(text) => Cell::Text(text.clone()),
        _ => return None,
    })
}
