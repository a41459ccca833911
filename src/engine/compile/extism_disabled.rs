//! Replacement for `extism/` in builds without the feature.

use std::borrow::Cow;

use mitt_base::{Error, ErrorKind, Result};
use mitt_wit::value::Interface;

/// See `extism/`.
pub(super) const AROUND: (u32, &[u8]) = (0, &[]);

/// Refuses core modules, and returns other bytes unchanged.
pub fn component(bytes: Cow<'_, [u8]>) -> Result<Cow<'_, [u8]>> {
    if bytes.get(..8) == Some(b"\0asm\x01\0\0\0") {
        return Err(disabled("expected a component, got a core module"));
    }
    Ok(bytes)
}

/// Does nothing: without the feature there are no plug-ins.
pub fn named(_: &mut Interface) {}

/// Returns `false`: without the feature there are no plug-ins.
pub fn asks(_: &[u8]) -> bool {
    false
}

#[cold]
fn disabled(message: &str) -> Error {
    Error::new(ErrorKind::Load, message)
        .hint("if it is a plug-in of Extism, use a build of mitt with the feature `extism`")
}
