//! Versions, handles and flags.

use std::ffi::{CStr, c_char};
use std::sync::Arc;

use crate::bytes::mitt_bytes;
use crate::code::mitt_code;
use crate::entry::entry;
use crate::handles::{mitt_cancel, mitt_handle};
use crate::objects::{self, Object};
use crate::problem::Problem;
use crate::raw::Out;

/// Version of this interface. It grows by one when a function, a structure or a field of JSON changes its meaning or
/// goes; what is only added does not change it.
pub const MITT_ABI_VERSION: u32 = 1;

/// Version of the library.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");

/// Returns the version of this interface. A program compares it with `MITT_ABI_VERSION` of the header that it was
/// compiled with, and stops if they differ.
#[unsafe(no_mangle)]
pub extern "C" fn mitt_abi_version() -> u32 {
    MITT_ABI_VERSION
}

/// Returns the version of Mitt, such as `0.1.0`, with a NUL at the end. The text is static and is not freed.
#[unsafe(no_mangle)]
pub extern "C" fn mitt_version() -> *const c_char {
    CStr::from_bytes_with_nul(VERSION.as_bytes()).unwrap_or(c"").as_ptr()
}

/// Returns the name of a code, such as `invalid-handle`, with a NUL at the end; `unknown` for other numbers. The text is
/// static and is not freed.
#[unsafe(no_mangle)]
pub extern "C" fn mitt_code_name(code: i32) -> *const c_char {
    mitt_code::name_of(code).as_ptr()
}

/// Frees a handle of a host, a session or a flag. The object ends with its last use: a session keeps its host alive, and
/// a call that runs keeps its session and its flag. Buffers are freed with `mitt_bytes_free` instead.
///
/// A session that ends is closed: its documents, variables and files in memory are gone. May be called from any thread,
/// also in a callback.
///
/// Returns `MITT_INVALID_HANDLE` if the handle was freed already, or was never given out.
#[unsafe(no_mangle)]
pub extern "C" fn mitt_handle_free(handle: mitt_handle) -> mitt_code {
    // SAFETY: null is allowed.
    let error = unsafe { Out::new("error", std::ptr::null_mut(), mitt_bytes::EMPTY) };
    entry(error, || match objects::remove_closable(handle)? {
        // Its end may call the caller, so it happens here and not under a lock.
        Object::Session(session) => {
            drop(session);
            Ok(())
        }
        _ => Ok(()),
    })
}

/// Makes a flag that ends the calls to which it is given. One flag may serve several calls.
///
/// Returns `MITT_NULL_POINTER` or `MITT_LIMIT`.
///
/// # Safety
///
/// `result` and `error` are null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mitt_cancel_new(
    result: *mut mitt_cancel,
    error: *mut mitt_bytes,
) -> mitt_code {
    // SAFETY: the caller promises it.
    let mut result = unsafe { Out::new("result", result, 0) };
    // SAFETY: the caller promises it.
    let error = unsafe { Out::new("error", error, mitt_bytes::EMPTY) };
    entry(error, || {
        result.check()?;
        result.set(objects::add(Object::Cancel(Arc::default()))?);
        Ok(())
    })
}

/// Sets a flag. The calls to which it was given end soon with `MITT_CANCELLED`, and so does each later one. Work of the
/// sandbox stops where it is; a callback that runs is not interrupted. A flag stays set.
///
/// May be called from any thread, also while other threads wait for the calls, and in a callback.
///
/// Returns `MITT_INVALID_HANDLE`.
#[unsafe(no_mangle)]
pub extern "C" fn mitt_cancel_set(cancel: mitt_cancel) -> mitt_code {
    // SAFETY: null is allowed.
    let error = unsafe { Out::new("error", std::ptr::null_mut(), mitt_bytes::EMPTY) };
    entry(error, || {
        let cancel = objects::cancel(cancel)?;
        cancel.set();
        Ok::<(), Problem>(())
    })
}

/// Frees the bytes of a result and sets `*bytes` to no bytes. Does nothing if there are none. May be called from any
/// thread.
///
/// Returns `MITT_INVALID_HANDLE` if the bytes were freed already, for example through a copy of the structure, and
/// `MITT_NULL_POINTER` if `bytes` is null.
///
/// # Safety
///
/// `bytes` is null or points to a structure that can be read and written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mitt_bytes_free(bytes: *mut mitt_bytes) -> mitt_code {
    // SAFETY: the caller promises that the pointer is null or valid.
    let given = unsafe { bytes.as_ref() }.copied();
    // SAFETY: as above.
    let out = unsafe { Out::new("bytes", bytes, mitt_bytes::EMPTY) };
    // SAFETY: null is allowed.
    let error = unsafe { Out::new("error", std::ptr::null_mut(), mitt_bytes::EMPTY) };
    entry(error, || {
        out.check()?;
        match given {
            Some(mitt_bytes { buffer: 0, .. }) | None => Ok(()),
            Some(bytes) => objects::remove_bytes(bytes.buffer),
        }
    })
}
