//! What a host has from outside of it: who fetches documents, who recognises text in pictures. Nobody, unless an embedder says so.

use std::sync::Arc;

use super::shared::{Host, HostBuilder};
use crate::fetch::Fetch;
use crate::ocr::OcrOptions;

/// See the methods of [`HostBuilder`].
#[derive(Clone, Debug, Default)]
pub(super) struct Outside {
    fetch: Option<Arc<dyn Fetch>>,
    ocr: Option<OcrOptions>,
}

impl HostBuilder {
    /// Who fetches documents by their addresses. Default nobody: no document is fetched.
    #[must_use]
    pub fn fetch(mut self, fetch: Arc<dyn Fetch>) -> HostBuilder {
        self.outside.fetch = Some(fetch);
        self
    }

    /// Have text in pictures and on scanned pages recognised, such as by [`Tesseract`](crate::ocr::Tesseract). Default by nobody: such files
    /// are then refused as [`NeedsOcr`](crate::InputProblem::NeedsOcr).
    #[must_use]
    pub fn ocr(mut self, options: OcrOptions) -> HostBuilder {
        self.outside.ocr = Some(options);
        self
    }
}

impl Host {
    /// Who fetches documents.
    pub fn fetcher(&self) -> Option<&Arc<dyn Fetch>> {
        self.outside().fetch.as_ref()
    }

    /// Who recognises text in pictures.
    pub(in crate::session) fn ocr(&self) -> Option<&OcrOptions> {
        self.outside().ocr.as_ref()
    }
}
