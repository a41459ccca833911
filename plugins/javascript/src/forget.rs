//! Forgets variables of earlier scripts.

use rquickjs::{Ctx, Error, Result, qjs};
use std::ffi::{CString, c_char, c_int};

unsafe extern "C" {
    /// Forgets a variable of `const`, `let` or `class` that a script has declared. Returns -1 for an exception
    /// (`quickjs.patch`).
    fn mitt_forget(ctx: *mut qjs::JSContext, name: *const c_char) -> c_int;
}

/// Forgets a variable that would hide the global name of the environment.
///
/// # Errors
/// There is no memory left.
pub(crate) fn forget(ctx: Ctx<'_>, name: String) -> Result<()> {
    let name = CString::new(name)?;
    // SAFETY: the context is alive, and the name ends with NUL.
    match unsafe { mitt_forget(ctx.as_raw().as_ptr(), name.as_ptr()) } {
        0.. => Ok(()),
        _ => Err(Error::Exception),
    }
}
