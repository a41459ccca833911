//! The capability `catalog`: all tables of the session, by reference.

use mitt_contract::host::mitt::host::{catalog as wit, types};
use mitt_table::Table;
use wasmtime::component::{Linker, Resource};

use super::shared::{Nobody, ServiceError, ServiceHostInStore};
use mitt_base::memory::Account;
use mitt_engine::StoreData;

/// Interface to the session. The capability `tables` uses its account, too.
pub trait Catalog: Send + Sync + 'static {
    /// Returns the account that tables are charged to.
    fn account(&self) -> Account;

    /// Returns all tables, those of documents first.
    fn entries(&self) -> Vec<CatalogEntry>;

    /// Opens the table that a reference names.
    fn open(&self, reference: &str) -> Result<Table, ServiceError>;

    /// Keeps a table among the results, and returns its reference.
    fn keep(&self, table: &Table) -> String;

    /// Drops a result.
    fn forget(&self, reference: &str);
}

/// Table that can be opened.
pub struct CatalogEntry {
    /// Reference by which it can be opened.
    pub reference: String,
    /// Name of the worksheet, or of the tool that made it.
    pub name: String,
    /// Name of its document; `None` for a result.
    pub document: Option<String>,
    /// The table.
    pub table: Table,
}

impl Catalog for Nobody {
    fn account(&self) -> Account {
        Account::root(mitt_base::Resource::Documents, 0)
    }

    fn entries(&self) -> Vec<CatalogEntry> {
        Vec::new()
    }

    fn open(&self, _: &str) -> Result<Table, ServiceError> {
        Err(ServiceError::no_session())
    }

    fn keep(&self, _: &Table) -> String {
        String::new()
    }

    fn forget(&self, _: &str) {}
}

/// The session, and the store that owns the handles.
pub(super) type CatalogHost<'a> = ServiceHostInStore<'a, dyn Catalog>;

/// Links the interface. `host_getter` finds the session in a store's data.
pub(super) fn link<T: StoreData>(
    linker: &mut Linker<T>,
    host_getter: fn(&mut T) -> CatalogHost<'_>,
) -> wasmtime::Result<()> {
    wit::add_to_linker::<T, CatalogHost<'static>>(linker, host_getter)
}

impl wit::Host for CatalogHost<'_> {
    fn list(&mut self) -> wasmtime::Result<Vec<wit::Entry>> {
        let entries = self.session.entries().into_iter().map(|entry| wit::Entry {
            reference: entry.reference,
            name: entry.name,
            document: entry.document,
            columns: entry.table.names().map(str::to_owned).collect(),
            rows: entry.table.rows() as u64,
        });
        Ok(entries.collect())
    }

    fn open(
        &mut self,
        reference: String,
    ) -> wasmtime::Result<Result<Resource<Table>, types::Error>> {
        match self.session.open(&reference) {
            Ok(table) => Ok(Ok(self.core.table().push(table)?)),
            Err(error) => Ok(Err(error.into_wit())),
        }
    }

    fn keep(&mut self, table: Resource<Table>) -> wasmtime::Result<String> {
        let table = self.core.table().get(&table)?.clone();
        Ok(self.session.keep(&table))
    }

    fn forget(&mut self, reference: String) -> wasmtime::Result<()> {
        self.session.forget(&reference);
        Ok(())
    }
}
