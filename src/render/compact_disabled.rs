//! Stands for `compact` in a build without the feature `pdf-compact`: the same interface, with a refusal behind it.

use super::{Doc, Pdf, PdfBackend, PdfOptions};
use mitt_base::{Error, ErrorKind, Result};

/// Refuses every document, since this build lacks the small typesetter.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompactBackend;

impl PdfBackend for CompactBackend {
    fn render(&self, _: &Doc, _: &PdfOptions) -> Result<Pdf> {
        let message =
            "this build of mitt cannot write PDF files without Typst (feature `pdf-compact`)";
        Err(Error::new(ErrorKind::Disabled("pdf-compact"), message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_is_refused_with_the_feature_that_is_missing() {
        let error = CompactBackend.render(&Doc::default(), &PdfOptions::default()).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Disabled("pdf-compact"));
        assert!(error.to_string().contains("feature `pdf-compact`"), "{error}");
    }
}
