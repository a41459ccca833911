//! The capability `tables`: tables by handle. A plugin has those that it was given and those that it makes, and no others.
//!
//! A table is charged to the session before it is made, and cells that the host copies cost fuel: otherwise a short loop could
//! keep the host busy forever.

mod convert;

use mitt_base::memory::Account;
use mitt_base::rows::Rows;
use mitt_contract::host::mitt::host::{tables as wit, types};
use mitt_table::{Problem, Table, TableBuilder};
use wasmtime::component::{HasData, Linker, Resource};

use super::shared::{HostResult, ServiceError};
use mitt_engine::{StoreCore, StoreData};

/// Most columns of a table that a plugin makes: as many as a worksheet has.
const MAX_COLUMNS: usize = 16_384;

/// Fuel for a cell that the host copies, about as much as a plugin would need; and for a cell that is written individually, with
/// its text.
const COPIED: u64 = 2;
const WRITTEN: u64 = 100;

/// The store that owns the tables, and the account for new ones.
pub(super) struct TablesHost<'a> {
    pub(super) core: &'a mut StoreCore,
    pub(super) account: Account,
    /// Reporter of rows that are read.
    pub(super) rows: Rows,
}

impl HasData for TablesHost<'static> {
    type Data<'a> = TablesHost<'a>;
}

/// Links the interface. `host_getter` finds the tables in a store's data.
pub(super) fn link<T: StoreData>(
    linker: &mut Linker<T>,
    host_getter: fn(&mut T) -> TablesHost<'_>,
) -> wasmtime::Result<()> {
    wit::add_to_linker::<T, TablesHost<'static>>(linker, host_getter)
}

impl TablesHost<'_> {
    fn table(&mut self, table: &Resource<Table>) -> wasmtime::Result<Table> {
        // A clone does not copy the content.
        Ok(self.core.table().get(table)?.clone())
    }

    /// Counts the work of processing `cells` cells.
    fn work(&mut self, cells: usize, each: u64) -> wasmtime::Result<()> {
        Ok(self.core.work((cells as u64).saturating_mul(each))?)
    }

    fn keep(&mut self, table: Table) -> wasmtime::Result<Resource<Table>> {
        Ok(self.core.table().push(table)?)
    }

    /// Returns the new table of an operation, or the error for the plugin.
    fn made(&mut self, made: Result<Table, Problem>) -> HostResult<Resource<Table>> {
        match made {
            Ok(table) => self.keep(table).map(Ok),
            Err(problem) => Ok(Err(self.refuse(&problem))),
        }
    }

    /// Returns a problem as the plugin receives it, and records the limit that was reached: if the plugin then gives up, the call
    /// ends with that limit.
    fn refuse(&mut self, problem: &Problem) -> types::Error {
        if let Problem::Memory(limit) = problem {
            self.core.refuse_table(limit.clone());
        }
        refused(problem)
    }
}

/// Converts a problem for the plugin.
pub(super) fn refused(problem: &Problem) -> types::Error {
    let text = problem.to_string();
    match problem {
        Problem::Memory(_) | Problem::Rows | Problem::Texts => ServiceError::Quota(text).into_wit(),
        _ => ServiceError::InvalidArgument(text).into_wit(),
    }
}

impl wit::Host for TablesHost<'_> {}

impl wit::HostTable for TablesHost<'_> {
    fn columns(&mut self, table: Resource<Table>) -> wasmtime::Result<Vec<wit::Column>> {
        Ok(self
            .table(&table)?
            .columns()
            .map(|(name, column)| convert::column(name, column))
            .collect())
    }

    fn rows(&mut self, table: Resource<Table>) -> wasmtime::Result<u64> {
        Ok(self.table(&table)?.rows() as u64)
    }

    fn slice(
        &mut self,
        table: Resource<Table>,
        column: u32,
        start: u64,
        length: u64,
    ) -> HostResult<wit::Chunk> {
        let table = self.table(&table)?;
        let Some(found) = table.column(column as usize) else {
            return Ok(Err(refused(&Problem::Nothing("column", column as usize, table.width()))));
        };
        let (start, length) = (place(start), place(length));
        self.work(length.min(found.len()), COPIED)?;
        Ok(Ok(convert::chunk_out(found.slice(start, length))))
    }

    fn cells(
        &mut self,
        table: Resource<Table>,
        start: u64,
        length: u64,
    ) -> wasmtime::Result<Vec<Vec<types::Cell>>> {
        let table = self.table(&table)?;
        let rows = table.cells(place(start), place(length));
        self.work(rows.len().saturating_mul(table.width()), WRITTEN)?;
        Ok(rows
            .map(|row| row.iter().map(|cell| convert::cell_out(cell.borrow())).collect())
            .collect())
    }

    fn select(
        &mut self,
        table: Resource<Table>,
        columns: Vec<(u32, String)>,
    ) -> HostResult<Resource<Table>> {
        let table = self.table(&table)?;
        if columns.len() > MAX_COLUMNS {
            return Ok(Err(too_wide(columns.len())));
        }
        let columns = columns.into_iter().map(|(index, name)| (index as usize, name)).collect();
        self.made(table.select(columns))
    }

    fn range(
        &mut self,
        table: Resource<Table>,
        start: u64,
        length: u64,
    ) -> wasmtime::Result<Resource<Table>> {
        let part = self.table(&table)?.range(place(start), place(length));
        self.keep(part)
    }

    fn take(&mut self, table: Resource<Table>, rows: Vec<u32>) -> HostResult<Resource<Table>> {
        let table = self.table(&table)?;
        self.work(rows.len().saturating_mul(table.width()), COPIED)?;
        let taken = table.take(&rows, &self.account);
        self.made(taken)
    }

    fn beside(
        &mut self,
        table: Resource<Table>,
        right: Resource<Table>,
    ) -> HostResult<Resource<Table>> {
        let (left, right) = (self.table(&table)?, self.table(&right)?);
        let width = left.width() + right.width();
        if width > MAX_COLUMNS {
            return Ok(Err(too_wide(width)));
        }
        self.made(left.beside(&right))
    }

    fn drop(&mut self, table: Resource<Table>) -> wasmtime::Result<()> {
        self.core.table().delete(table)?;
        Ok(())
    }
}

impl wit::HostBuilder for TablesHost<'_> {
    fn new(&mut self, columns: Vec<String>) -> wasmtime::Result<Resource<TableBuilder>> {
        let mut builder = TableBuilder::new(columns, &self.account);
        builder.charge_names().map_err(|problem| match problem {
            Problem::Memory(limit) => mitt_base::Error::reached(limit).into(),
            other => wasmtime::Error::msg(other.to_string()),
        })?;
        Ok(self.core.table().push(builder)?)
    }

    fn append(
        &mut self,
        builder: Resource<TableBuilder>,
        chunks: Vec<wit::Chunk>,
    ) -> HostResult<()> {
        let chunks = chunks.into_iter().enumerate().map(|(at, chunk)| {
            convert::chunk_in(chunk).map_err(|what| {
                ServiceError::InvalidArgument(format!("chunk {at}: {what}")).into_wit()
            })
        });
        let chunks: Vec<_> = match chunks.collect() {
            Ok(chunks) => chunks,
            Err(error) => return Ok(Err(error)),
        };
        let cells: usize = chunks.iter().map(|chunk| chunk.values.len()).sum();
        self.work(cells, COPIED)?;
        self.rows.add(chunks.first().map_or(0, |chunk| chunk.values.len()));
        let builder = self.core.table().get_mut(&builder)?;
        let appended = builder.append(chunks);
        Ok(appended.map_err(|problem| self.refuse(&problem)))
    }

    fn append_cells(
        &mut self,
        builder: Resource<TableBuilder>,
        rows: Vec<Vec<types::Cell>>,
    ) -> HostResult<()> {
        self.work(rows.iter().map(Vec::len).sum(), WRITTEN)?;
        self.rows.add(rows.len());
        let builder = self.core.table().get_mut(&builder)?;
        for row in &rows {
            if row.len() != builder.names().len() {
                let problem = Problem::Width(row.len(), builder.names().len());
                return Ok(Err(refused(&problem)));
            }
            if let Err(problem) = builder.push_row(row.iter().map(convert::cell_in)) {
                return Ok(Err(self.refuse(&problem)));
            }
        }
        Ok(Ok(()))
    }

    fn append_table(
        &mut self,
        builder: Resource<TableBuilder>,
        table: Resource<Table>,
    ) -> HostResult<()> {
        let table = self.table(&table)?;
        self.work(table.cell_count(), COPIED)?;
        self.rows.add(table.rows());
        let builder = self.core.table().get_mut(&builder)?;
        let appended = builder.append_table(&table);
        Ok(appended.map_err(|problem| self.refuse(&problem)))
    }

    fn finish(&mut self, builder: Resource<TableBuilder>) -> HostResult<Resource<Table>> {
        let builder = self.core.table().delete(builder)?;
        if builder.names().len() > MAX_COLUMNS {
            return Ok(Err(too_wide(builder.names().len())));
        }
        self.made(builder.finish())
    }

    fn drop(&mut self, builder: Resource<TableBuilder>) -> wasmtime::Result<()> {
        self.core.table().delete(builder)?;
        Ok(())
    }
}

fn too_wide(width: usize) -> types::Error {
    let text = format!("{width} columns; a table has at most {MAX_COLUMNS}");
    ServiceError::InvalidArgument(text).into_wit()
}

/// Converts an index. One that is too large saturates, and is then reported as out of range.
fn place(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
