//! In the place of `extism/` where the feature is missing.

use std::borrow::Cow;

use mitt_base::{Error, ErrorKind, Result};
use mitt_wit::value::Interface;

/// As in `extism/`.
pub(super) const AROUND: (u32, &[u8]) = (0, &[]);

/// As in `extism/`: a core module is refused, anything else is as it is.
pub(crate) fn component(bytes: Cow<'_, [u8]>) -> Result<Cow<'_, [u8]>> {
    match bytes.get(..8) == Some(b"\0asm\x01\0\0\0") {
        true => Err(disabled("a component expected, got a core module")),
        false => Ok(bytes),
    }
}

/// As in `extism/`.
pub(crate) fn named(_: &mut Interface) {}

/// As in `extism/`.
pub(crate) fn asks(_: &[u8]) -> bool {
    false
}

#[cold]
fn disabled(message: &str) -> Error {
    Error::new(ErrorKind::Load, message)
        .hint("if it is a plug-in of Extism, use a build of mitt with the feature `extism`")
}
