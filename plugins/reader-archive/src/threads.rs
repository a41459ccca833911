//! Functions of C for threads, which do not exist in a sandbox. Older versions of wasi-libc lack them.
//!
//! The library for 7z can use several threads, which is never requested here. The standard library still links these
//! functions. Newer versions of wasi-libc have the same functions with the same result.

use std::ffi::{c_int, c_void};

/// `EAGAIN` of WASI: the thread cannot be made.
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
