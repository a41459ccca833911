//! Stands for `file` in a build without the feature `theme-files`: the same interface, with a refusal behind it.

use std::sync::Arc;

use super::Theme;
use mitt_base::{Error, ErrorKind, Result};

impl Theme {
    /// Refuses every file, since this build reads none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Disabled`] - always.
    pub fn parse(_: &str, _: &str, _: &mut dyn FnMut(&str) -> Result<Arc<[u8]>>) -> Result<Theme> {
        let message = "this build of mitt cannot read files of themes (feature `theme-files`)";
        Err(Error::new(ErrorKind::Disabled("theme-files"), message))
    }
}
