//! Tables in results that are kept for the calls that follow.
//!
//! A result is shown to a model by its shape and first rows; the rest stays here, under a reference such as `t:3`. The oldest are let
//! go when there are too many: nothing else ends them before the session does.

use std::collections::BTreeMap;
use std::sync::Mutex;

use mitt_table::Table;

use crate::capability::CatalogEntry;
use mitt_base::{Result, lock};

/// Results that are kept at most.
const KEPT: usize = 100;
/// How a table in the result of a call is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableResults {
    #[default]
    /// With all its rows: for programs. The default.
    Whole,
    /// By reference, with all its rows where it is small, and otherwise with the first ones and their number: for models, which pay
    /// for each.
    Named {
        /// Most cells of a table that is small.
        cells: u64,
        /// Rows that are shown of one that is not.
        first_rows: u64,
    },
}

impl TableResults {
    /// For models: whole up to 400 cells, otherwise 10 rows.
    pub const MODEL: TableResults = TableResults::Named { cells: 400, first_rows: 10 };
    /// For scripts, which take the cells that they want.
    pub(crate) const SCRIPT: TableResults = TableResults::Named { cells: 0, first_rows: 0 };
}

/// Results that are kept.
#[derive(Default)]
pub(super) struct Results(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    /// The number that was given last.
    last: u64,
    /// The highest that was ever given.
    highest: u64,
    tables: BTreeMap<u64, (String, Table)>,
}

impl Results {
    /// Keep a table that `tool` gave. The name that it has from now on.
    pub(super) fn keep(&self, tool: &str, table: Table) -> String {
        let mut kept = lock(&self.0);
        kept.last = kept.last.saturating_add(1);
        let number = kept.last;
        kept.highest = kept.highest.max(number);
        kept.tables.insert(number, (tool.to_owned(), table));
        if kept.tables.len() > KEPT {
            kept.tables.pop_first();
        }
        format!("t:{number}")
    }

    /// The number of the next table.
    pub(super) fn next(&self) -> u64 {
        lock(&self.0).last.saturating_add(1)
    }

    /// Give the next table this number.
    pub(super) fn number_from(&self, next: u64) {
        let mut kept = lock(&self.0);
        kept.last = next.saturating_sub(1);
        kept.highest = kept.highest.max(kept.last);
    }

    pub(super) fn find(&self, reference: &str) -> Option<Result<Table, &'static str>> {
        let number = number_of(reference)?;
        let kept = lock(&self.0);
        Some(match kept.tables.get(&number) {
            Some((_, table)) => Ok(table.clone()),
            None if number <= kept.highest => {
                Err("was let go; make it again with the call that gave it")
            }
            None => return None,
        })
    }

    pub(super) fn forget(&self, reference: &str) {
        if let Some(number) = number_of(reference) {
            lock(&self.0).tables.remove(&number);
        }
    }

    pub(super) fn entries(&self) -> Vec<CatalogEntry> {
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

/// `3` of `t:3`.
fn number_of(reference: &str) -> Option<u64> {
    let digits = reference.strip_prefix("t:")?;
    (!digits.starts_with('0') && digits.bytes().all(|it| it.is_ascii_digit()))
        .then(|| digits.parse().ok())?
}
