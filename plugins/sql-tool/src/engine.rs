//! The few calls of SQLite, and of the changes to it, that `rusqlite` has no words for.

use crate::decimal::arithmetic;
use std::ffi::c_int;

// SAFETY: as `build.rs` and `sqlite/vfs.c` define them.
unsafe extern "C" {
    static mut mitt_arithmetic: Option<extern "C" fn(i32, f64, f64) -> f64>;
    static mut mitt_truncations: i64;
    static mut mitt_clock_was_asked: c_int;
}

/// Arithmetic on numbers with a point goes through [`arithmetic`] from now on. Before it no statement may run.
pub(crate) fn use_exact_arithmetic() {
    // SAFETY: a component has one thread; tests set the same function from each of theirs.
    unsafe { (&raw mut mitt_arithmetic).write(Some(arithmetic)) }
}

/// Divisions of whole numbers that dropped a remainder since the last call.
pub(crate) fn take_truncations() -> i64 {
    // SAFETY: a number, as above; tests that look at it run one after the other.
    unsafe { (&raw mut mitt_truncations).replace(0) }
}

/// Whether the time was asked for since the last call.
pub(crate) fn take_clock_was_asked() -> bool {
    // SAFETY: as above.
    unsafe { (&raw mut mitt_clock_was_asked).replace(0) != 0 }
}
