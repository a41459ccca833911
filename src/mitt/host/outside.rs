//! Services that the embedder gives a host: a fetcher and text recognition, both absent by default; the handling of CSV
//! fields that spreadsheets would calculate; and keys for signatures.

use std::sync::Arc;

use crate::ocr::OcrOptions;
use mitt_base::formulas::Formulas;
use mitt_types::{Fetch, SigningKeys};

/// Set by `HostBuilder::fetch`, `HostBuilder::ocr`, `HostBuilder::csv_formulas` and
/// `HostBuilder::signing_keys`.
#[derive(Clone, Debug, Default)]
pub(super) struct Outside {
    pub(super) fetch: Option<Arc<dyn Fetch>>,
    pub(super) ocr: Option<OcrOptions>,
    pub(super) csv_formulas: Formulas,
    pub(super) signing_keys: SigningKeys,
}
