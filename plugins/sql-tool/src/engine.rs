//! Functions of SQLite, and of the changes to it, that `rusqlite` does not offer.

use crate::decimal::arithmetic;
use crate::notes::{OPERANDS, Texts};
use std::cell::RefCell;
use std::ffi::{c_char, c_int};

// SAFETY: declared as `build.rs` and `sqlite/vfs.c` define them.
unsafe extern "C" {
    static mut mitt_arithmetic: Option<extern "C" fn(i32, f64, f64) -> f64>;
    static mut mitt_text: Option<extern "C" fn(*const c_char, c_int)>;
    static mut mitt_truncations: i64;
    static mut mitt_clock_was_asked: c_int;
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

/// Uses [`arithmetic`] for numbers with a point from now on. Must be called before the first statement.
pub(crate) fn use_exact_arithmetic() {
    // SAFETY: a component has one thread. Tests write the same function from all threads.
    unsafe {
        (&raw mut mitt_arithmetic).write(Some(arithmetic));
        (&raw mut mitt_text).write(Some(text_operand));
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
