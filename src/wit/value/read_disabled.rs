//! Replaces `read/` in builds without the feature `read`, which can use only interfaces that were recorded before.

use super::types::Interface;
use mitt_base::error::{Error, ErrorKind, Result};

impl Interface {
    /// Reads the interface of a component.
    ///
    /// # Errors
    ///
    /// Always [`ErrorKind::Disabled`]: this build has no `compile` feature.
    pub fn from_component(_bytes: &[u8]) -> Result<Interface> {
        Err(disabled())
    }

    /// Reads the interface of a component and its imports.
    ///
    /// # Errors
    ///
    /// Always [`ErrorKind::Disabled`]: this build has no `compile` feature.
    pub fn with_needs(_bytes: &[u8]) -> Result<(Interface, Vec<String>)> {
        Err(disabled())
    }
}

/// Checks that reading the types of a component cannot overflow the stack.
///
/// # Errors
///
/// Always [`ErrorKind::Disabled`]: this build has no `compile` feature.
pub fn check_nesting(_component: &[u8]) -> Result<()> {
    Err(disabled())
}

#[cold]
fn disabled() -> Error {
    Error::new(ErrorKind::Disabled("compile"), "this build cannot read components")
        .hint("use components compiled ahead of time, or build with the feature `compile`")
}
