//! Functions of SQLite, and of the changes to it, that `rusqlite` does not offer.

use crate::decimal::arithmetic;
use std::ffi::c_int;

// SAFETY: declared as `build.rs` and `sqlite/vfs.c` define them.
unsafe extern "C" {
    static mut mitt_arithmetic: Option<extern "C" fn(i32, f64, f64) -> f64>;
    static mut mitt_truncations: i64;
    static mut mitt_clock_was_asked: c_int;
}

/// Uses [`arithmetic`] for numbers with a point from now on. Must be called before the first statement.
pub(crate) fn use_exact_arithmetic() {
    // SAFETY: a component has one thread. Tests write the same function from all threads.
    unsafe { (&raw mut mitt_arithmetic).write(Some(arithmetic)) }
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
