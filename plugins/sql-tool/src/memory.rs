//! Memory of SQLite comes from Rust's allocator. That of a libc would be a second one in the same linear memory, and the one of
//! older versions of wasi-libc takes whatever lies above the data for its own, also what Rust holds already.

use std::alloc::{Layout, alloc, dealloc, realloc as grow};
use std::ffi::c_void;
use std::ptr::null_mut;

/// Before each piece stands how large it is; the width keeps numbers of 8 bytes aligned.
const HEADER: usize = 8;

/// Of a piece of `size` bytes with its header; nothing if there is no such piece.
fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.checked_add(HEADER)?, HEADER).ok()
}

/// Write the size in front of a piece, and give the place behind it.
///
/// # Safety
///
/// `piece` is null or has room for the header.
unsafe fn headed(piece: *mut u8, size: usize) -> *mut c_void {
    if piece.is_null() {
        return null_mut();
    }
    // SAFETY: there is room, and the allocator keeps to the alignment of the layout.
    unsafe {
        piece.cast::<usize>().write(size);
        piece.add(HEADER).cast()
    }
}

/// C's `malloc`.
#[unsafe(no_mangle)]
extern "C" fn malloc(size: usize) -> *mut c_void {
    let Some(layout) = layout(size) else { return null_mut() };
    // SAFETY: the layout is not empty, as it has a header.
    unsafe { headed(alloc(layout), size) }
}

/// C's `calloc`.
#[unsafe(no_mangle)]
extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    let Some(size) = count.checked_mul(size) else { return null_mut() };
    let piece = malloc(size);
    if !piece.is_null() {
        // SAFETY: as many bytes were just got.
        unsafe { piece.write_bytes(0, size) }
    }
    piece
}

/// C's `free`.
///
/// # Safety
///
/// `piece` is null or comes from one of the functions here, and was not given back.
#[unsafe(no_mangle)]
unsafe extern "C" fn free(piece: *mut c_void) {
    if piece.is_null() {
        return;
    }
    // SAFETY: the size was written there, and the layout was made of it before.
    unsafe {
        let start = piece.cast::<u8>().sub(HEADER);
        if let Some(layout) = layout(start.cast::<usize>().read()) {
            dealloc(start, layout);
        }
    }
}

/// C's `realloc`.
///
/// # Safety
///
/// As [`free`].
#[unsafe(no_mangle)]
unsafe extern "C" fn realloc(piece: *mut c_void, size: usize) -> *mut c_void {
    if piece.is_null() {
        return malloc(size);
    }
    // SAFETY: as in `free`; the new size was checked.
    unsafe {
        let start = piece.cast::<u8>().sub(HEADER);
        let (Some(old), Some(new)) = (layout(start.cast::<usize>().read()), layout(size)) else {
            return null_mut();
        };
        headed(grow(start, old, new.size()), size)
    }
}
