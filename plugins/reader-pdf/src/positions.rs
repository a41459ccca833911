//! The words of single pages with their positions, for pages that need them.

use crate::shades::{self, Grid};
use unpdf::parser::backend::{PdfBackend, RawBackend};
use unpdf::parser::{LayoutAnalyzer, TextSpan};

/// The document once more, opened when it is first needed.
pub(crate) struct Positions<'a> {
    bytes: &'a [u8],
    password: Option<&'a str>,
    backend: Option<Option<RawBackend>>,
}

impl<'a> Positions<'a> {
    pub(crate) fn new(bytes: &'a [u8], password: Option<&'a str>) -> Positions<'a> {
        Positions { bytes, password, backend: None }
    }

    fn backend(&mut self) -> Option<&RawBackend> {
        let open = || RawBackend::load_bytes_with_password(self.bytes, self.password).ok();
        self.backend.get_or_insert_with(open).as_ref()
    }

    /// The words of a page; none if it cannot be read.
    pub(crate) fn of(&mut self, page: u32) -> Vec<TextSpan> {
        let words = |backend| LayoutAnalyzer::new(backend).extract_page_spans(page).ok();
        self.backend().and_then(|backend| words(backend)).unwrap_or_default()
    }

    /// The shaded tables of a page of this height.
    pub(crate) fn shaded(&mut self, page: u32, height: f32) -> Vec<Grid> {
        let operations = |backend: &RawBackend| {
            let content = backend.page_content(*backend.pages().get(&page)?).ok()?;
            backend.decode_content(&content).ok()
        };
        let operations = self.backend().and_then(operations);
        operations.map(|operations| shades::grids(&operations, height)).unwrap_or_default()
    }
}
