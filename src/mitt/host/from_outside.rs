//! Services that the embedder gives a host, for its builder and for its sessions.

use std::sync::Arc;

use super::shared::{Host, HostBuilder};
use crate::ocr::OcrOptions;
use mitt_base::formulas::Formulas;
use mitt_types::{Fetch, SigningKeys};

impl HostBuilder {
    /// Sets the fetcher of documents that are named by address. Default: none, so no document is fetched.
    #[must_use]
    pub fn fetch(mut self, fetch: Arc<dyn Fetch>) -> HostBuilder {
        self.outside.fetch = Some(fetch);
        self
    }

    /// Sets how text in pictures and on scanned pages is recognised, such as by [`Tesseract`](crate::ocr::Tesseract). Default:
    /// not at all; such files fail with [`NeedsOcr`](crate::InputProblem::NeedsOcr).
    #[must_use]
    pub fn ocr(mut self, options: OcrOptions) -> HostBuilder {
        self.outside.ocr = Some(options);
        self
    }

    /// Sets how fields of CSV files are handled that a spreadsheet would calculate, for sessions without a setting of their own.
    /// Default: each gets a leading apostrophe, and a warning on the file counts them.
    #[must_use]
    pub fn csv_formulas(mut self, formulas: Formulas) -> HostBuilder {
        self.outside.csv_formulas = formulas;
        self
    }

    /// Sets the keys that tools of sessions without keys of their own may sign with; those of all tenants. Default: none, so
    /// nothing is signed.
    #[must_use]
    pub fn signing_keys(mut self, keys: SigningKeys) -> HostBuilder {
        self.outside.signing_keys = keys;
        self
    }
}

impl Host {
    /// Returns the fetcher of documents.
    pub fn fetcher(&self) -> Option<&Arc<dyn Fetch>> {
        self.outside().fetch.as_ref()
    }

    /// Returns how fields of CSV files are handled that a spreadsheet would calculate.
    pub(crate) fn csv_formulas(&self) -> Formulas {
        self.outside().csv_formulas
    }

    /// Returns the keys that tools may sign with.
    pub(crate) fn signing_keys(&self) -> SigningKeys {
        self.outside().signing_keys.clone()
    }

    /// Returns how text in pictures is recognised.
    pub(crate) fn ocr(&self) -> Option<&OcrOptions> {
        self.outside().ocr.as_ref()
    }
}
