//! Tables of the host. A script has the number of an open table; the prelude's `Table` is made of it.
//!
//! Tables stay open as long as the interpreter.

use crate::host::{Host, HostTable, describe};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Rows of one request to the host.
pub(crate) const PART_ROWS: u64 = 4_096;

/// Most cells of a table that is shown completely as the value of a script, and the number of rows that are shown of a
/// larger one.
pub(crate) const SHOWN_CELLS: u64 = 1_000;
pub(crate) const FIRST_ROWS: u64 = 10;

/// Results after which a reference is renewed before it is used. The session keeps 100.
const FRESH_RESULTS: u64 = 50;

/// The tables that scripts of an interpreter have opened.
#[derive(Default)]
pub(crate) struct Opened {
    tables: RefCell<Vec<OpenTable>>,
    /// The number of the latest result.
    latest: Cell<u64>,
}

struct OpenTable {
    table: Rc<dyn HostTable>,
    reference: Option<String>,
}

impl Opened {
    /// Returns an open table.
    ///
    /// # Errors
    /// There is none with this number.
    pub(crate) fn table(&self, number: u32) -> Result<Rc<dyn HostTable>, String> {
        let tables = self.tables.borrow();
        let open = tables
            .get(number as usize)
            .ok_or_else(|| "this is not a table of the session".to_owned())?;
        Ok(Rc::clone(&open.table))
    }

    /// Opens the table of a reference, and returns its number. A result is opened at once, because the session drops old
    /// ones.
    ///
    /// # Errors
    /// Those of the host.
    pub(crate) fn open(&self, host: &dyn Host, reference: &str) -> Result<u32, String> {
        let table = host.open(reference).map_err(|error| describe(&error))?;
        self.saw(reference);
        Ok(self.opened(table, Some(reference.to_owned())))
    }

    /// Returns the number of a table without a reference.
    pub(crate) fn cut_out(&self, table: Rc<dyn HostTable>) -> u32 {
        self.opened(table, None)
    }

    fn opened(&self, table: Rc<dyn HostTable>, reference: Option<String>) -> u32 {
        let mut tables = self.tables.borrow_mut();
        tables.push(OpenTable { table, reference });
        u32::try_from(tables.len() - 1).unwrap_or(u32::MAX)
    }

    fn saw(&self, reference: &str) {
        if let Some(number) = number_of(reference) {
            self.latest.set(self.latest.get().max(number));
        }
    }

    /// Returns `true` if the reference of a table is that of a result, or will be: the host may drop it after other calls.
    pub(crate) fn is_result(&self, number: u32) -> bool {
        let tables = self.tables.borrow();
        let reference = tables.get(number as usize).and_then(|open| open.reference.as_deref());
        reference.is_none_or(|reference| number_of(reference).is_some())
    }

    /// Returns the reference of a table for the arguments of a call.
    ///
    /// # Errors
    /// There is no table with this number.
    pub(crate) fn reference(&self, number: u32) -> Result<String, String> {
        let table = self.table(number)?;
        let known = self.tables.borrow()[number as usize].reference.clone();
        let is_fresh = |reference: &String| match number_of(reference) {
            Some(number) => self.latest.get() - number.min(self.latest.get()) < FRESH_RESULTS,
            None => true,
        };
        if let Some(reference) = known.filter(is_fresh) {
            return Ok(reference);
        }
        let reference = table.keep();
        self.saw(&reference);
        self.tables.borrow_mut()[number as usize].reference = Some(reference.clone());
        Ok(reference)
    }
}

/// Returns the 3 of `t:3`.
fn number_of(reference: &str) -> Option<u64> {
    reference.strip_prefix("t:")?.parse().ok()
}
