//! Replacement for `watch.rs` in builds that do not watch folders.

use super::shared::Host;
use mitt_base::{Error, ErrorKind, Result};

/// Cannot be constructed in this build.
#[derive(Debug)]
pub enum Watch {}

impl Host {
    /// Always fails; use [`Host::reload`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Disabled`] - always.
    #[expect(clippy::unused_async, reason = "same signature as in builds with the feature")]
    pub async fn watch(&self) -> Result<Watch> {
        Err(Error::new(ErrorKind::Disabled("watch"), "this build of mitt does not watch folders")
            .hint("reload by hand, or use a build with the feature `watch`"))
    }
}
