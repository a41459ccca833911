//! Services that the embedder gives a host: a fetcher and text recognition, both absent by default; and the handling of CSV
//! fields that spreadsheets would calculate.

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
