//! Tables of the session, as one attempt of a call sees them.

use mitt_table::Table;

use super::super::content::no_table;
use super::services::CallServices;
use mitt_base::memory::Account;
use mitt_skill::capability::{Catalog, CatalogEntry, ServiceError};

impl Catalog for CallServices {
    fn account(&self) -> Account {
        self.session().content.account()
    }

    fn entries(&self) -> Vec<CatalogEntry> {
        self.session().content.table_entries()
    }

    fn open(&self, reference: &str) -> Result<Table, ServiceError> {
        let found = self.session().content.find_table(reference);
        found.map_err(|why| ServiceError::NotFound(no_table("no table", reference, &why)))
    }

    fn keep(&self, table: &Table) -> String {
        self.session().content.keep_table(self.tool(), table.clone())
    }

    fn forget(&self, reference: &str) {
        self.session().content.forget_table(reference);
    }
}
