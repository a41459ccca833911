//! Result tables that are kept for later calls.
//!
//! A model sees the shape and the first rows of a result; the table stays here, under a reference such as `t:3`. The oldest
//! tables are dropped when there are too many; otherwise they live as long as the session.

use std::collections::BTreeMap;
use std::sync::Mutex;

use mitt_table::Table;

use mitt_base::{Result, lock};
use mitt_skill::capability::CatalogEntry;

/// Most tables that are kept.
pub(in crate::session) const KEPT_TABLES: u64 = 100;

/// How tables in a call's result are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableResults {
    #[default]
    /// With all rows, for programs. This is the default.
    Whole,
    /// By reference, with all rows if the table is small, and otherwise with the first rows and their number. For models, which
    /// pay for each token.
    Named {
        /// Most cells of a table that is shown with all rows.
        cells: u64,
        /// Rows that are shown of a larger table.
        first_rows: u64,
    },
}

impl TableResults {
    /// For models: all rows of tables up to 400 cells, otherwise 10 rows.
    pub const MODEL: TableResults = TableResults::Named { cells: 400, first_rows: 10 };
    /// For scripts, which read the cells that they need.
    pub(crate) const SCRIPT: TableResults = TableResults::Named { cells: 0, first_rows: 0 };
}

/// Tables that are kept.
#[derive(Default)]
pub(in crate::session) struct Results(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    /// Number that was assigned last.
    last: u64,
    /// Highest number that was ever assigned.
    highest: u64,
    tables: BTreeMap<u64, (String, Table)>,
}

impl Results {
    /// Keeps a table that `tool` returned. Returns its name.
    pub(in crate::session) fn keep(&self, tool: &str, table: Table) -> String {
        let mut kept = lock(&self.0);
        kept.last = kept.last.saturating_add(1);
        let number = kept.last;
        kept.highest = kept.highest.max(number);
        kept.tables.insert(number, (tool.to_owned(), table));
        if kept.tables.len() as u64 > KEPT_TABLES {
            kept.tables.pop_first();
        }
        format!("t:{number}")
    }

    /// Returns the number that the next table gets.
    pub(in crate::session) fn next(&self) -> u64 {
        lock(&self.0).last.saturating_add(1)
    }

    /// Makes `next` the number of the next table.
    pub(in crate::session) fn number_from(&self, next: u64) {
        let mut kept = lock(&self.0);
        kept.last = next.saturating_sub(1);
        kept.highest = kept.highest.max(kept.last);
    }

    pub(in crate::session) fn find(&self, reference: &str) -> Option<Result<Table, &'static str>> {
        let number = number_of(reference)?;
        let kept = lock(&self.0);
        Some(match kept.tables.get(&number) {
            Some((_, table)) => Ok(table.clone()),
            None if number <= kept.highest => Err("was dropped; repeat the call that returned it"),
            None => return None,
        })
    }

    pub(in crate::session) fn forget(&self, reference: &str) {
        if let Some(number) = number_of(reference) {
            lock(&self.0).tables.remove(&number);
        }
    }

    pub(in crate::session) fn entries(&self) -> Vec<CatalogEntry> {
        let kept = lock(&self.0);
        let entry = |(number, (tool, table)): (&u64, &(String, Table))| CatalogEntry {
            reference: format!("t:{number}"),
            name: tool.clone(),
            document: None,
            table: table.clone(),
        };
        kept.tables.iter().map(entry).collect()
    }
}

/// Parses `t:3` to `3`.
fn number_of(reference: &str) -> Option<u64> {
    let digits = reference.strip_prefix("t:")?;
    (!digits.starts_with('0') && digits.bytes().all(|it| it.is_ascii_digit()))
        .then(|| digits.parse().ok())?
}
