//! What a host has from outside of it: who fetches documents, who recognises text in pictures - nobody, unless an embedder says so -
//! and what programs that open its files may be led to do.

use std::sync::Arc;

use crate::fetch::Fetch;
use crate::ocr::OcrOptions;
use mitt_base::formulas::Formulas;

/// Set by `HostBuilder::fetch`, `HostBuilder::ocr` and `HostBuilder::csv_formulas`.
#[derive(Clone, Debug, Default)]
pub(super) struct Outside {
    pub(super) fetch: Option<Arc<dyn Fetch>>,
    pub(super) ocr: Option<OcrOptions>,
    pub(super) csv_formulas: Formulas,
}
