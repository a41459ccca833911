//! Aggregate functions, and ORDER BY with LIMIT, over tables of the session, column by column.
//!
//! SQLite reads one row after another, and sorts the rows by their groups if there is GROUP BY. `sqlite/columnwise.h` asks here whether
//! the groups of a query can be made from whole columns instead, with the same result. SQLite does the rest of the query. For the first
//! rows of a sorted result ([`top`]) it gets the rows that may be among them.

mod batch;
mod condition;
mod formula;
mod keys;
mod plan;
mod rows;
mod sums;
mod top;

use crate::bindings::mitt::host::types::Error;
use crate::columns::{Columns, PART};
use batch::At;
use keys::Groups;
use plan::{Checked, Plan};
use rows::Rows;
use rusqlite::types::Value;
use std::cell::Cell;
use std::rc::Rc;
use sums::{Running, Term};

pub(crate) use top::top;

/// Most bytes of groups of all cursors together. Above it SQLite sorts the rows, within its own limit.
const MOST_BYTES: usize = 48 << 20;

thread_local! {
    /// The bytes of groups that are finished and not dropped.
    static HELD: Cell<usize> = const { Cell::new(0) };
}

/// Opens a table by its number.
pub(crate) type Open<'a> = &'a dyn Fn(usize) -> Result<Rc<Columns>, Error>;

/// A checked plan and its tables.
type Opened = (Checked, Vec<Rc<Columns>>);

/// The finished groups of a query.
pub(crate) struct Finished {
    groups: Groups,
    functions: Vec<Running>,
    order: Vec<u32>,
    n_keys: usize,
    bytes: usize,
}

impl Drop for Finished {
    fn drop(&mut self) {
        HELD.set(HELD.get().saturating_sub(self.bytes));
    }
}

impl Checked {
    /// Calls `visit` with each column that the plan reads.
    fn columns(&self, visit: &mut dyn FnMut(At)) {
        self.keys.iter().for_each(|key| visit(key.at));
        self.equal.iter().chain(&self.left).flatten().for_each(|at| visit(*at));
        self.conditions.iter().for_each(|condition| condition.columns(visit));
        for function in &self.functions {
            if let Some(filter) = &function.filter {
                filter.columns(visit);
            }
            let Some(argument) = &function.argument else { continue };
            let terms = argument.arms.iter().map(|(_, term)| term).chain([&argument.otherwise]);
            for term in terms {
                match term {
                    Term::Column(at, _) => visit(*at),
                    Term::Formula(formula, _) => formula.columns(visit),
                    Term::Whole(_) | Term::Decimal(..) | Term::Null => {}
                }
            }
            argument.arms.iter().for_each(|(condition, _)| condition.columns(visit));
        }
    }
}

/// Opens the tables of a plan, and checks the plan.
fn checked(text: &str, open: Open<'_>) -> Result<Option<Opened>, Error> {
    let Some(plan) = Plan::read(text) else { return Ok(None) };
    let tables = plan.tables.iter().map(|table| open(*table)).collect::<Result<Vec<_>, _>>()?;
    Ok(plan.check(&tables).map(|checked| (checked, tables)))
}

/// Returns `true` if [`run`] can make the groups of a plan, or [`top`] can find its rows.
pub(crate) fn accepts(text: &str, open: Open<'_>) -> bool {
    match checked(text, open) {
        Ok(Some((mut checked, tables))) => Rows::new(&tables, &mut checked).is_some(),
        _ => false,
    }
}

/// Makes the groups of a plan; `None` if SQLite must make them.
///
/// # Errors
/// The host cannot read a column.
pub(crate) fn run(text: &str, open: Open<'_>) -> Result<Option<Finished>, Error> {
    run_within(text, open, MOST_BYTES)
}

/// Makes the groups of a plan if they take at most `most_bytes`.
pub(crate) fn run_within(
    text: &str,
    open: Open<'_>,
    most_bytes: usize,
) -> Result<Option<Finished>, Error> {
    let Some((mut checked, tables)) = checked(text, open)? else { return Ok(None) };
    let Some(mut rows) = Rows::new(&tables, &mut checked) else { return Ok(None) };
    let mut groups = Groups::new(&checked.keys);
    let mut functions: Vec<_> = checked.functions.into_iter().map(Running::new).collect();
    let mut seen = Vec::new();
    let mut bytes = 0;
    let mut n_rows = 0;
    let n_parts = rows.parts_in_all();
    let all = rows.each(&mut |parts, batch| {
        let of_rows = groups.of_rows(parts, batch);
        let count = groups.count();
        seen.resize(count, false);
        of_rows.iter().for_each(|group| seen[*group as usize] = true);
        let mut held = groups.weight();
        for function in &mut functions {
            function.add(parts, batch, &of_rows, count);
            held += function.weight();
            // The texts of one part may be many bytes for each function.
            if HELD.get() + held > most_bytes {
                return false;
            }
        }
        bytes = held;
        // If nearly each row so far is a group, the rest will be so.
        n_rows += batch.length;
        let is_first = n_rows <= PART as usize;
        let expected = if is_first && count > n_rows / 4 * 3 { bytes * n_parts } else { bytes };
        HELD.get() + expected <= most_bytes && functions.iter().all(Running::fits)
    })?;
    if !all {
        return Ok(None);
    }
    if checked.keys.is_empty() {
        // The one group is there even without rows.
        seen = vec![true];
        functions.iter_mut().for_each(|function| function.grow(1));
    }
    let order = groups.in_order(|group| seen.get(group as usize) == Some(&true));
    HELD.set(HELD.get() + bytes);
    Ok(Some(Finished { n_keys: checked.keys.len(), groups, functions, order, bytes }))
}

impl Finished {
    /// Returns the number of groups.
    pub(crate) fn len(&self) -> u64 {
        self.order.len() as u64
    }

    /// Returns a value of the group at a place: the keys in their order, then the results of the functions.
    ///
    /// # Errors
    /// A sum is too large.
    pub(crate) fn value(&self, place: u64, column: usize) -> Result<Value, &'static str> {
        let group = self.order[place as usize];
        match column.checked_sub(self.n_keys) {
            Some(function) => self.functions[function].result(group),
            None => Ok(self.groups.value(group, column)),
        }
    }
}
