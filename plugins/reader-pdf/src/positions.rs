//! The words of single pages with their positions, for pages that need them.

use unpdf::parser::backend::RawBackend;
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
}
