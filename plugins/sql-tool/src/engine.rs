//! Functions of SQLite, and of the changes to it, that `rusqlite` does not offer.

use crate::decimal::arithmetic;
use crate::notes::{OPERANDS, Texts};
use crate::virtual_table;
use rusqlite::ffi::sqlite3_vtab;
use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int, c_void};

// SAFETY: declared as `build.rs` and `sqlite/vfs.c` define them.
unsafe extern "C" {
    static mut mitt_arithmetic: Option<extern "C" fn(i32, f64, f64) -> f64>;
    static mut mitt_text: Option<extern "C" fn(*const c_char, c_int)>;
    static mut mitt_truncations: i64;
    static mut mitt_clock_was_asked: c_int;
    static mut mitt_module: *const c_void;
    static mut mitt_table_number: Option<unsafe extern "C" fn(*mut sqlite3_vtab) -> c_int>;
    static mut mitt_accepts_groups: Option<unsafe extern "C" fn(*const c_char) -> c_int>;
    static mut mitt_accepts_top: Option<unsafe extern "C" fn(*const c_char) -> c_int>;
}

thread_local! {
    /// Texts that operators calculated with since the last call of [`take_operands`].
    static TEXTS: RefCell<Texts> = RefCell::default();
}

/// Counts an operand that is text. SQLite calls this for the operators `+ - * / %`.
extern "C" fn text_operand(text: *const c_char, length: c_int) {
    // SAFETY: SQLite gives the bytes of a value, which it does not change during the call.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length.max(0) as usize) };
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    TEXTS.with_borrow_mut(|texts| texts.add(OPERANDS, text));
}

/// Returns the texts that operators calculated with since the last call.
pub(crate) fn take_operands() -> Texts {
    TEXTS.take()
}

/// Returns the number of a table of the session.
///
/// # Safety
/// `table` was made by the module of these tables.
unsafe extern "C" fn table_number(table: *mut sqlite3_vtab) -> c_int {
    // SAFETY: such a table begins with SQLite's part.
    let table = unsafe { &*table.cast::<virtual_table::SessionTable>() };
    c_int::try_from(table.number()).unwrap_or(c_int::MAX)
}

/// Returns 1 if a plan can be run column by column.
///
/// # Safety
/// `plan` is a text that ends with a zero byte.
unsafe extern "C" fn accepts(plan: *const c_char) -> c_int {
    // SAFETY: as above.
    let plan = unsafe { CStr::from_ptr(plan) };
    plan.to_str().is_ok_and(virtual_table::accepts).into()
}

/// Gives SQLite the functions of this plugin: [`arithmetic`] for numbers with a point, and groups column by column. Must be called
/// before the first statement.
pub(crate) fn prepare() {
    // SAFETY: a component has one thread. Tests write the same values from all threads.
    unsafe {
        (&raw mut mitt_arithmetic).write(Some(arithmetic));
        (&raw mut mitt_text).write(Some(text_operand));
        (&raw mut mitt_module).write(std::ptr::from_ref(virtual_table::module()).cast());
        (&raw mut mitt_table_number).write(Some(table_number));
        (&raw mut mitt_accepts_groups).write(Some(accepts));
        (&raw mut mitt_accepts_top).write(Some(accepts));
    }
}

/// Returns the number of whole-number divisions that dropped a remainder since the last call.
pub(crate) fn take_truncations() -> i64 {
    // SAFETY: a number, as above. Tests that read it run one after the other.
    unsafe { (&raw mut mitt_truncations).replace(0) }
}

/// Returns `true` if the time was read since the last call.
pub(crate) fn take_clock_was_asked() -> bool {
    // SAFETY: as above.
    unsafe { (&raw mut mitt_clock_was_asked).replace(0) != 0 }
}
