//! Stands for `preview` in a build without that feature: a refusal.

use mitt_base::{Error, ErrorKind, Result};

/// Refuses every page.
pub(super) fn first_page(_: &[u8], _: u32) -> Result<Vec<u8>> {
    let message = "this build of mitt cannot draw a preview of pages (feature `preview`)";
    Err(Error::new(ErrorKind::Disabled("preview"), message))
}
