//! Tables of the session as virtual tables of SQLite: read-only, opened when a query first names them.

use crate::bindings::mitt::host::tables::Chunk;
use crate::bindings::mitt::host::types::Error as HostError;
use crate::columns::{Columns, Kind, PART, date, value, wide_value};
use crate::groups::{self, Finished};
use crate::index::{Key, RowsOf};
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::vtab::{
    Context, Filters, IndexConstraintOp, IndexInfo, Module, VTab, VTabConnection, VTabCursor,
};
use rusqlite::{Error, Result, ffi};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString, c_int};
use std::rc::Rc;

/// Returns the columns of a table by its number, and opens it at the first call.
pub(crate) type Opener = Box<dyn Fn(usize) -> Result<Rc<Columns>, HostError>>;

thread_local! {
    // SQLite requires that the data of a module can be shared between threads. A number can, a handle of the host cannot.
    static OPENER: RefCell<Option<Opener>> = const { RefCell::new(None) };
    static FAILURE: RefCell<Option<HostError>> = const { RefCell::new(None) };
    static READ_WIDE: Cell<bool> = const { Cell::new(false) };
}

/// Sets the opener of tables. `None` drops all tables.
pub(crate) fn set_opener(opener: Option<Opener>) {
    OPENER.set(opener);
    FAILURE.set(None);
}

/// Returns `true` if numbers of more than 15 digits were read since the last call.
pub(crate) fn take_read_wide() -> bool {
    READ_WIDE.take()
}

/// Returns the error of the host that caused an error of SQLite.
pub(crate) fn take_failure() -> Option<HostError> {
    FAILURE.take()
}

fn open(number: usize) -> Result<Rc<Columns>, HostError> {
    OPENER.with_borrow(|opener| {
        let opener = opener.as_ref().ok_or(HostError::Other("no table is open".into()))?;
        opener(number)
    })
}

/// Returns `true` if the groups of a plan can be made, or its first rows found, column by column.
pub(crate) fn accepts(plan: &str) -> bool {
    #[cfg(test)]
    if ROW_BY_ROW.get() {
        return false;
    }
    let accepted = groups::accepts(plan, &open);
    #[cfg(test)]
    ACCEPTED.set(ACCEPTED.get() + u32::from(accepted));
    accepted
}

#[cfg(test)]
thread_local! {
    /// `true` if SQLite makes all groups.
    pub(crate) static ROW_BY_ROW: Cell<bool> = const { Cell::new(false) };
    /// How many rows were chosen.
    pub(crate) static CHOSEN: Cell<usize> = const { Cell::new(0) };
    /// How many plans were accepted.
    pub(crate) static ACCEPTED: Cell<u32> = const { Cell::new(0) };
}

fn fail(error: HostError) -> Error {
    let message = crate::problem::text_of(&error).to_owned();
    FAILURE.set(Some(error));
    Error::ModuleError(message)
}

/// Returns the module of all tables. The number of a table is the auxiliary datum; its name is that of the module.
pub(crate) fn module() -> &'static Module<'static, SessionTable> {
    // A constant, because its type has raw pointers and cannot be in a `static`.
    const MODULE: &Module<'static, SessionTable> = &Module::eponymous_only_module();
    MODULE
}

/// A virtual table. SQLite requires its own part at the beginning.
#[repr(C)]
pub(crate) struct SessionTable {
    base: ffi::sqlite3_vtab,
    number: usize,
    columns: Rc<Columns>,
}

impl SessionTable {
    /// Returns the number by which the table was opened.
    pub(crate) fn number(&self) -> usize {
        self.number
    }
}

/// The plan: the column of the index, [`ROWID`], or a full scan. `sqlite/columnwise.h` has one more: the groups of a query instead of
/// rows. It also gives scans and look-ups a text, by which they leave rows out.
const SCAN: c_int = -1;
const ROWID: c_int = -2;
const GROUPS: c_int = -3;

/// Most look-ups without an index, and most rows of each.
const FEW: usize = 256;

// SAFETY: `base` is the first field of a `#[repr(C)]` type.
unsafe impl VTab<'_> for SessionTable {
    type Aux = usize;
    type Cursor = Cursor;

    fn connect(
        _: &mut VTabConnection,
        number: Option<&usize>,
        _: &[u8],
        _: &[u8],
        _: &[u8],
        _: &[&[u8]],
    ) -> Result<(Cow<'static, CStr>, Self)> {
        let number = number.copied().unwrap_or(usize::MAX);
        let columns = open(number).map_err(fail)?;
        let declared: Vec<_> = columns
            .names
            .iter()
            .zip(&columns.kinds)
            .map(|(name, kind)| format!("\"{}\" {}", name.replace('"', "\"\""), kind.declaration()))
            .collect();
        let schema = CString::new(format!("CREATE TABLE x({})", declared.join(", ")))
            .map_err(|_| fail(HostError::Unsupported("a column name holds a zero byte".into())))?;
        Ok((Cow::Owned(schema), Self { base: ffi::sqlite3_vtab::default(), number, columns }))
    }

    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        let mut chosen = None;
        for (index, constraint) in info.constraints().enumerate() {
            if !constraint.is_usable()
                || constraint.operator() != IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_EQ
            {
                continue;
            }
            let column = constraint.column();
            let Ok(position) = usize::try_from(column) else {
                chosen = Some((index, ROWID));
                break;
            };
            // An index could miss rows if a number may equal a text, or if the comparison has another collation.
            let kind = self.columns.kinds.get(position);
            let fits = !matches!(kind, None | Some(Kind::Mixed | Kind::WideDecimal));
            if fits && chosen.is_none() && info.collation(index) == Ok("BINARY") {
                chosen = Some((index, column));
            }
        }
        let rows = self.columns.rows.max(1);
        match chosen {
            Some((index, plan)) => {
                // SQLite compares again, so the index may return too many rows, but not too few.
                info.constraint_usage(index).set_argv_index(1);
                info.set_idx_num(plan);
                info.set_estimated_cost(20.0);
                info.set_estimated_rows(if plan == ROWID {
                    1
                } else {
                    (rows / 100).clamp(1, 10) as i64
                });
            }
            None => {
                info.set_idx_num(SCAN);
                info.set_estimated_cost(rows as f64);
                info.set_estimated_rows(i64::try_from(rows).unwrap_or(i64::MAX));
            }
        }
        Ok(true)
    }

    fn open(&mut self) -> Result<Cursor> {
        Ok(Cursor {
            base: ffi::sqlite3_vtab_cursor::default(),
            columns: self.columns.clone(),
            rows: Rows::All,
            position: 0,
            end: 0,
            parts: RefCell::new(vec![None; self.columns.kinds.len()]),
            chosen: None,
            lookups: 0,
        })
    }
}

/// A part of a column, and its number.
type Part = (u64, Rc<Chunk>);

/// The rows of a cursor.
enum Rows {
    All,
    /// The rows with the value of this number.
    Found(Rc<RowsOf>, u32),
    /// Some rows, in order.
    Chosen(Rc<Vec<u32>>),
    /// Groups instead of rows; `None` if SQLite must make them.
    Groups(Option<Box<Finished>>),
}

/// A cursor. SQLite requires its own part at the beginning.
#[repr(C)]
pub(crate) struct Cursor {
    base: ffi::sqlite3_vtab_cursor,
    columns: Rc<Columns>,
    rows: Rows,
    position: u64,
    end: u64,
    /// The part of each column that was read last, with its number. It nearly always has the next row.
    parts: RefCell<Vec<Option<Part>>>,
    /// The rows that may be among the first ones of the query: one text belongs to a cursor, which may begin often.
    chosen: Option<Option<Rc<Vec<u32>>>>,
    lookups: usize,
}

impl Cursor {
    fn row(&self) -> u64 {
        match &self.rows {
            Rows::All | Rows::Groups(_) => self.position,
            Rows::Chosen(rows) => rows[self.position as usize].into(),
            Rows::Found(index, value) => index.rows(*value)[self.position as usize].into(),
        }
    }

    /// Makes groups. Without them the cursor has one row, which says so.
    fn make_groups(&mut self, plan: &str) -> Result<()> {
        let finished = groups::run(plan, &open).map_err(fail)?;
        self.end = finished.as_ref().map_or(1, Finished::len);
        self.rows = Rows::Groups(finished.map(Box::new));
        Ok(())
    }

    /// Returns the rows that may be among the first ones of a query; `None` if all may.
    fn chosen(&mut self, plan: &str) -> Result<Option<Rc<Vec<u32>>>> {
        if let Some(chosen) = &self.chosen {
            return Ok(chosen.clone());
        }
        let chosen = groups::top(plan, &open).map_err(fail)?.map(Rc::new);
        #[cfg(test)]
        CHOSEN.set(CHOSEN.get() + chosen.as_ref().map_or(0, |rows| rows.len()));
        self.chosen = Some(chosen.clone());
        Ok(chosen)
    }

    fn scan_chosen(&mut self, rows: Rc<Vec<u32>>) {
        self.end = rows.len() as u64;
        self.rows = Rows::Chosen(rows);
    }

    /// Looks up rows among the chosen ones.
    fn look_up_chosen(
        &mut self,
        column: c_int,
        value: ValueRef<'_>,
        chosen: Rc<Vec<u32>>,
    ) -> Result<()> {
        // SQLite compares again. For a few rows, that is faster than to make an index of all.
        if self.lookups < FEW && chosen.len() <= FEW {
            self.lookups += 1;
            self.scan_chosen(chosen);
            return Ok(());
        }
        self.look_up(column, value)?;
        match &self.rows {
            Rows::Found(index, value) => {
                let found = index.rows(*value);
                let (few, many) = if found.len() < chosen.len() {
                    (found, &**chosen)
                } else {
                    (&**chosen, found)
                };
                let both = few.iter().filter(|row| many.binary_search(row).is_ok());
                let both = Rc::new(both.copied().collect());
                self.scan_chosen(both);
            }
            _ if self.end > 0 => self.scan_chosen(chosen),
            _ => {}
        }
        Ok(())
    }

    fn look_up(&mut self, column: c_int, value: ValueRef<'_>) -> Result<()> {
        let Some(key) = Key::of(value) else {
            // Nothing equals null, and no column has blobs.
            self.end = 0;
            return Ok(());
        };
        let kind = self.columns.kinds[column as usize];
        let holds_text = matches!(kind, Kind::Text | Kind::Date | Kind::Time | Kind::DateTime);
        if key.is_text() != holds_text {
            // SQLite may convert one side before it compares: return all rows.
            return Ok(());
        }
        let index = self.columns.index(column as u32).map_err(fail)?;
        match index.find(key) {
            Some(value) => {
                self.end = index.rows(value).len() as u64;
                self.rows = Rows::Found(index, value);
            }
            None => self.end = 0,
        }
        Ok(())
    }
}

// SAFETY: `base` is the first field of a `#[repr(C)]` type.
unsafe impl VTabCursor for Cursor {
    fn filter(&mut self, plan: c_int, text: Option<&str>, arguments: &Filters<'_>) -> Result<()> {
        self.rows = Rows::All;
        self.position = 0;
        self.end = self.columns.rows;
        let chosen = match text {
            Some(text) if plan != GROUPS => self.chosen(text)?,
            _ => None,
        };
        match (plan, arguments.iter().next()) {
            (GROUPS, _) => self.make_groups(text.unwrap_or_default()),
            (SCAN, _) | (_, None) => {
                if let Some(chosen) = chosen {
                    self.scan_chosen(chosen);
                }
                Ok(())
            }
            (ROWID, Some(ValueRef::Integer(row))) => {
                self.position = u64::try_from(row - 1).unwrap_or(u64::MAX);
                self.end = self.columns.rows.min(self.position.saturating_add(1));
                Ok(())
            }
            (ROWID, Some(_)) => Ok(()),
            (column, Some(value)) => match chosen {
                Some(chosen) => self.look_up_chosen(column, value, chosen),
                None => self.look_up(column, value),
            },
        }
    }

    fn next(&mut self) -> Result<()> {
        self.position += 1;
        if self.position >= self.end && matches!(self.rows, Rows::Groups(_)) {
            // The memory is needed for what follows.
            self.rows = Rows::All;
        }
        Ok(())
    }

    fn eof(&self) -> bool {
        self.position >= self.end
    }

    fn column(&self, context: &mut Context, column: c_int) -> Result<()> {
        if let Rows::Groups(finished) = &self.rows {
            let value = match (finished, usize::try_from(column - 1)) {
                (Some(finished), Ok(column)) => finished
                    .value(self.position, column)
                    .map_err(|message| Error::UserFunctionError(message.into()))?,
                (finished, _) => Value::Integer(finished.is_some().into()),
            };
            return context.set_result(ToSqlOutput::Owned(value));
        }
        let row = self.row();
        let number = row / PART;
        let mut parts = self.parts.borrow_mut();
        let slot = &mut parts[column as usize];
        let part = match slot {
            Some((held, part)) if *held == number => part,
            _ => {
                let part = self.columns.part(column as u32, row).map_err(fail)?;
                &slot.insert((number, part)).1
            }
        };
        let row = (row % PART) as usize;
        match self.columns.kinds[column as usize] {
            Kind::WideDecimal => {
                READ_WIDE.set(true);
                context.set_result(wide_value(part, row))
            }
            Kind::Date => match date(part, row) {
                // SQLite copies the text.
                Some(text) => context.set_result(ToSqlOutput::Borrowed(ValueRef::Text(&text))),
                None => context.set_result(value(part, row)),
            },
            _ => context.set_result(value(part, row)),
        }
    }

    fn rowid(&self) -> Result<i64> {
        Ok(self.row() as i64 + 1)
    }
}
