//! Buffers of results, which the caller frees.

use std::sync::Arc;

use crate::handles::mitt_handle;
use crate::objects::{self, Object};
use crate::problem::Problem;

/// Bytes that Mitt gives to the caller, who frees them with `mitt_bytes_free`. They stay where they are, and do not
/// change, until then. Text and JSON are UTF-8 and have no NUL at the end.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct mitt_bytes {
    /// The first byte; null if there are no bytes.
    pub data: *const u8,
    /// Number of bytes.
    pub len: usize,
    /// Identifies the buffer; 0 if there is none. It is not for the caller.
    pub buffer: mitt_handle,
}

impl mitt_bytes {
    /// No bytes.
    pub(crate) const EMPTY: mitt_bytes = mitt_bytes { data: std::ptr::null(), len: 0, buffer: 0 };

    /// Keeps the bytes for the caller.
    ///
    /// # Errors
    ///
    /// Those of [`objects::add`].
    pub(crate) fn keep(bytes: impl Into<Vec<u8>>) -> Result<mitt_bytes, Problem> {
        // The vector is shared as it is: a copy would take as much again.
        let bytes = Arc::new(bytes.into());
        let (data, len) = (bytes.as_ptr(), bytes.len());
        let buffer = objects::add(Object::Bytes(bytes))?;
        Ok(mitt_bytes { data, len, buffer })
    }
}
