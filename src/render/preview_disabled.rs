//! Stands for `preview` in a build without that feature: a refusal.

use std::convert::Infallible;
use std::sync::Arc;

use crate::typeset::PageSize;
use mitt_base::{Error, ErrorKind, Result};

/// Refuses every page.
pub(super) fn first_page(_: &[u8], _: u32) -> Result<Vec<u8>> {
    Err(refused())
}

/// A PDF whose pages can be drawn. This build has none.
#[derive(Clone, Debug)]
pub struct PdfPages(Infallible);

impl PdfPages {
    /// Refuses every file.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Disabled`] - this build draws no pages (feature `preview`).
    pub fn open(_: impl Into<Arc<Vec<u8>>>) -> Result<PdfPages> {
        Err(refused())
    }

    /// Returns the sizes of the pages, in order.
    pub fn sizes(&self) -> &[PageSize] {
        match self.0 {}
    }

    /// Returns a page as a picture.
    ///
    /// # Errors
    ///
    /// None: there is nothing to call it on.
    pub fn draw(&self, _: usize, _: u32) -> Result<Vec<u8>> {
        match self.0 {}
    }
}

fn refused() -> Error {
    let message = "this build of mitt cannot draw a preview of pages (feature `preview`)";
    Error::new(ErrorKind::Disabled("preview"), message)
}
