//! What a host has from outside of it: who fetches documents, who recognises text in pictures. Nobody, unless an embedder says so.

use std::sync::Arc;

use crate::fetch::Fetch;
use crate::ocr::OcrOptions;

/// Set by `HostBuilder::fetch` and `HostBuilder::ocr`.
#[derive(Clone, Debug, Default)]
pub(super) struct Outside {
    pub(super) fetch: Option<Arc<dyn Fetch>>,
    pub(super) ocr: Option<OcrOptions>,
}
