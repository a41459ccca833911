//! Stands for `pdf` in a build without the feature `pdf`: the same interface, with a refusal behind it.

use super::{Doc, Pdf, PdfBackend, PdfOptions, TextPages};
use mitt_base::{Error, ErrorKind, Result};

/// Refuses every document, since this build has no typesetter.
#[derive(Clone, Copy, Debug, Default)]
pub struct TypstBackend;

/// Chooses no fonts, since nothing is typeset.
#[derive(Default)]
pub struct FontChoice(());

impl FontChoice {
    /// Takes any file for a font.
    pub fn look_at(&mut self, _: std::sync::Arc<[u8]>) -> bool {
        true
    }

    /// Returns `false`: this build has no fonts.
    pub fn is_bundled(_: &str) -> bool {
        false
    }

    /// Returns `None`.
    pub fn family(&self, _: usize) -> Option<&str> {
        None
    }

    /// Returns `None`.
    pub fn first_with(&self, _: &str) -> Option<usize> {
        None
    }

    /// Returns nothing.
    pub fn best_with(&self, _: &str) -> Vec<usize> {
        Vec::new()
    }

    /// Returns nothing.
    pub fn chosen(&self, _: u64) -> Vec<usize> {
        Vec::new()
    }
}

/// Refuses all texts, since this build has no typesetter.
///
/// # Errors
///
/// [`ErrorKind::Disabled`].
pub fn text_pages(_: &TextPages) -> Result<Vec<u8>> {
    let message = "this build of mitt cannot set text for PDF files (feature `pdf`)";
    Err(Error::new(ErrorKind::Disabled("pdf"), message))
}

impl PdfBackend for TypstBackend {
    fn render(&self, _: &Doc, _: &PdfOptions) -> Result<Pdf> {
        let message = "this build of mitt cannot write PDF files with Typst (feature `pdf`)";
        Err(Error::new(ErrorKind::Disabled("pdf"), message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_is_refused_with_the_feature_that_is_missing() {
        let error = TypstBackend.render(&Doc::default(), &PdfOptions::default()).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Disabled("pdf"));
        assert!(error.to_string().contains("feature `pdf`"), "{error}");
    }
}
