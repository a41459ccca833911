//! The line of the script that is running.

use rquickjs::{Ctx, qjs};
use std::ffi::{CStr, c_char, c_int};

/// The file name of scripts in tracebacks.
const FILE: &CStr = c"script.js";

unsafe extern "C" {
    /// Returns the line of a file that is running; 0 if it is on no frame (`quickjs.patch`).
    fn mitt_current_line(runtime: *mut qjs::JSRuntime, filename: *const c_char) -> c_int;
}

/// Returns the line of the script that is running; 0 if none is.
pub(crate) fn current_line(ctx: &Ctx<'_>) -> u32 {
    // SAFETY: the context is alive, and has its runtime.
    unsafe { line_in(qjs::JS_GetRuntime(ctx.as_raw().as_ptr())) }
}

/// Returns the line of the script that is running; 0 if none is. For handlers that have no context.
///
/// # Safety
/// `runtime` is alive.
pub(crate) unsafe fn line_in(runtime: *mut qjs::JSRuntime) -> u32 {
    // SAFETY: the caller's.
    let line = unsafe { mitt_current_line(runtime, FILE.as_ptr()) };
    u32::try_from(line).unwrap_or(0)
}
