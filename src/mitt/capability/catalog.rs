//! The capability `catalog`: all tables of the session, by what names them.

use mitt_contract::host::mitt::host::{catalog as wit, types};
use mitt_table::Table;
use wasmtime::component::{Linker, Resource};

use super::shared::{AskedInStore, Nobody, ServiceError};
use crate::engine::StoreData;
use mitt_base::memory::Account;

/// What it asks of a session. The capability `tables` asks it too, for whom to charge.
pub(crate) trait Catalog: Send + Sync + 'static {
    /// Whom the memory of tables is charged to.
    fn account(&self) -> Account;

    /// All tables, those of documents first.
    fn entries(&self) -> Vec<CatalogEntry>;

    /// The table that a reference names.
    fn open(&self, reference: &str) -> Result<Table, ServiceError>;

    /// Keep a table among the results, under the reference that it gives.
    fn keep(&self, table: &Table) -> String;

    /// Let go of a result.
    fn forget(&self, reference: &str);
}

/// A table that can be opened.
pub(crate) struct CatalogEntry {
    /// What names it.
    pub(crate) reference: String,
    /// Name of the worksheet, or of the tool that made it.
    pub(crate) name: String,
    /// Its document.
    pub(crate) document: Option<String>,
    /// The table.
    pub(crate) table: Table,
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

/// Who answers, and the store whose tables they are.
pub(super) type Asked<'a> = AskedInStore<'a, dyn Catalog>;

/// Link the interface. `asked` finds in a store's data who answers.
pub(super) fn link<T: StoreData>(
    linker: &mut Linker<T>,
    asked: fn(&mut T) -> Asked<'_>,
) -> wasmtime::Result<()> {
    wit::add_to_linker::<T, Asked<'static>>(linker, asked)
}

impl wit::Host for Asked<'_> {
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
