//! Twin of `interface.rs` for builds without the `compile` feature, which read interfaces only from the cache.

use super::Interface;
use mitt_base::error::{Error, ErrorKind, Result};

impl Interface {
    /// Read the interface of a component.
    ///
    /// # Errors
    ///
    /// Always [`ErrorKind::Disabled`]: this build has no `compile` feature.
    pub fn from_component(_bytes: &[u8]) -> Result<Interface> {
        Err(Error::new(ErrorKind::Disabled("compile"), "this build cannot read components")
            .hint("use components compiled ahead of time, or build with the feature `compile`"))
    }
}
