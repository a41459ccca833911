//! Rows of tables as objects of the script. The interpreter notes which of them the script changed (`quickjs.patch`).

use rquickjs::{Array, Ctx, Result, Value, qjs};
use std::ffi::c_int;

unsafe extern "C" {
    /// Makes an object a row that is changed, or not.
    fn mitt_mark_row(row: qjs::JSValue, is_changed: c_int);
    /// Returns 3 for an object that is no row, 2 for a changed row, 1 for one to which more than `references` values refer,
    /// else 0.
    fn mitt_row_state(row: qjs::JSValue, references: c_int) -> c_int;
    /// Returns a number that is another one after each change of a row.
    fn mitt_row_changes(runtime: *mut qjs::JSRuntime) -> u32;
}

/// Makes an object a row that is changed, or not.
pub(crate) fn mark(row: Value<'_>, is_changed: bool) {
    // SAFETY: the value is alive.
    unsafe { mitt_mark_row(row.as_raw(), is_changed.into()) }
}

/// Makes all changed rows unchanged ones.
pub(crate) fn unmark(rows: Array<'_>) -> Result<()> {
    for index in 0..rows.len() {
        mark(rows.get(index)?, false);
    }
    Ok(())
}

/// Returns `true` for a row of a table.
pub(crate) fn marked(value: Value<'_>) -> bool {
    // SAFETY: the value is alive.
    unsafe { mitt_row_state(value.as_raw(), c_int::MAX) < 3 }
}

/// Returns a number that is another one after each change of a row.
pub(crate) fn changes(ctx: Ctx<'_>) -> f64 {
    // SAFETY: the context is alive, and has its runtime.
    f64::from(unsafe { mitt_row_changes(qjs::JS_GetRuntime(ctx.as_raw().as_ptr())) })
}

/// Returns the indices of the rows that were changed.
pub(crate) fn changed(rows: Array<'_>) -> Result<Vec<u32>> {
    indices(&rows, |row| {
        // SAFETY: the value is alive.
        unsafe { mitt_row_state(row.as_raw(), c_int::MAX) >= 2 }
    })
}

/// Returns the indices of the rows that were changed, or that something refers to besides the array and `holders` other
/// values.
pub(crate) fn busy(rows: Array<'_>, holders: i32) -> Result<Vec<u32>> {
    // The array and `row`.
    let references = 2 + holders;
    indices(&rows, |row| {
        // SAFETY: the value is alive.
        unsafe { mitt_row_state(row.as_raw(), references) > 0 }
    })
}

fn indices<'js>(rows: &Array<'js>, holds: impl Fn(&Value<'js>) -> bool) -> Result<Vec<u32>> {
    let mut indices = Vec::new();
    for index in 0..rows.len() {
        if holds(&rows.get(index)?) {
            indices.push(u32::try_from(index).unwrap_or(u32::MAX));
        }
    }
    Ok(indices)
}
