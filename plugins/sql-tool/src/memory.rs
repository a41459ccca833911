//! Memory functions of C for SQLite, with Rust's allocator.
//!
//! The allocator of a libc would be a second one in the same linear memory. In older versions of wasi-libc it takes all
//! memory above the data, including what Rust has allocated.

use std::alloc::{Layout, alloc, dealloc, realloc as grow};
use std::ffi::c_void;
use std::ptr::null_mut;

/// Bytes before each block that hold its size. The width keeps numbers of 8 bytes aligned.
const HEADER: usize = 8;

/// Returns the layout of a block of `size` bytes with its header; `None` if that is too large.
fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.checked_add(HEADER)?, HEADER).ok()
}

/// Writes the size before a block, and returns the address after it.
///
/// # Safety
/// `piece` is null or has room for the header.
unsafe fn headed(piece: *mut u8, size: usize) -> *mut c_void {
    if piece.is_null() {
        return null_mut();
    }
    // SAFETY: there is room, and the allocator respects the alignment of the layout.
    unsafe {
        piece.cast::<usize>().write(size);
        piece.add(HEADER).cast()
    }
}

/// C's `malloc`.
#[unsafe(no_mangle)]
extern "C" fn malloc(size: usize) -> *mut c_void {
    let Some(layout) = layout(size) else { return null_mut() };
    // SAFETY: the layout has a header, so it is not empty.
    unsafe { headed(alloc(layout), size) }
}

/// C's `calloc`.
#[unsafe(no_mangle)]
extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    let Some(size) = count.checked_mul(size) else { return null_mut() };
    let piece = malloc(size);
    if !piece.is_null() {
        // SAFETY: so many bytes were just allocated.
        unsafe { piece.write_bytes(0, size) }
    }
    piece
}

/// C's `free`.
///
/// # Safety
/// `piece` is null or comes from one of these functions, and was not freed.
#[unsafe(no_mangle)]
unsafe extern "C" fn free(piece: *mut c_void) {
    if piece.is_null() {
        return;
    }
    // SAFETY: the size was written there, and the layout was made from it.
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
/// That of [`free`].
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
