//! Who a host has from outside of it, for its builder and for its sessions.

use std::sync::Arc;

use super::shared::{Host, HostBuilder};
use crate::fetch::Fetch;
use crate::ocr::OcrOptions;
use mitt_base::formulas::Formulas;

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

    /// What is done with texts of CSV files that a spreadsheet would calculate, in sessions that do not say so themselves. Default: each
    /// gets an apostrophe in front of it, and a warning at the file counts them.
    #[must_use]
    pub fn csv_formulas(mut self, formulas: Formulas) -> HostBuilder {
        self.outside.csv_formulas = formulas;
        self
    }
}

impl Host {
    /// Who fetches documents.
    pub fn fetcher(&self) -> Option<&Arc<dyn Fetch>> {
        self.outside().fetch.as_ref()
    }

    /// What is done with texts of CSV files that a spreadsheet would calculate.
    pub(in crate::session) fn csv_formulas(&self) -> Formulas {
        self.outside().csv_formulas
    }

    /// Who recognises text in pictures.
    pub(in crate::session) fn ocr(&self) -> Option<&OcrOptions> {
        self.outside().ocr.as_ref()
    }
}
