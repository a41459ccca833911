//! There are no threads in a sandbox, and older libraries of C for WASI do not even say so.
//!
//! The libraries for pictures could work on several threads, which is never asked of them here; the standard library links what that
//! would take.
//! Newer versions of wasi-libc have the same functions with the same answer.

use std::ffi::{c_int, c_void};

/// `EAGAIN` of WASI: no thread can be made.
const NO_THREADS: c_int = 6;

#[unsafe(no_mangle)]
extern "C" fn pthread_create(
    _: *mut c_void,
    _: *const c_void,
    _: *const c_void,
    _: *mut c_void,
) -> c_int {
    NO_THREADS
}

#[unsafe(no_mangle)]
extern "C" fn pthread_detach(_: *mut c_void) -> c_int {
    0
}

#[unsafe(no_mangle)]
extern "C" fn pthread_attr_init(_: *mut c_void) -> c_int {
    0
}

#[unsafe(no_mangle)]
extern "C" fn pthread_attr_setstacksize(_: *mut c_void, _: usize) -> c_int {
    0
}

#[unsafe(no_mangle)]
extern "C" fn pthread_attr_destroy(_: *mut c_void) -> c_int {
    0
}
