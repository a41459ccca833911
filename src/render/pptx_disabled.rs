//! Stands for `pptx` in a build without the feature `pptx`: the same interface, with a refusal behind it.

use super::{Doc, Pptx, PptxOptions, SlideTexts};
use mitt_base::{Error, ErrorKind, Result};

/// Refuses every document, since this build has no writer.
///
/// # Errors
///
/// [`ErrorKind::Disabled`] - always.
pub fn pptx(_: &Doc, _: &PptxOptions) -> Result<Pptx> {
    Err(refused())
}

/// Refuses every document, as [`pptx`] does.
///
/// # Errors
///
/// [`ErrorKind::Disabled`] - always.
pub fn slide_texts(_: &Doc, _: &PptxOptions) -> Result<SlideTexts> {
    Err(refused())
}

fn refused() -> Error {
    let message = "this build of mitt cannot write slides (feature `pptx`)";
    Error::new(ErrorKind::Disabled("pptx"), message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_is_refused_with_the_feature_that_is_missing() {
        let error = pptx(&Doc::default(), &PptxOptions::default()).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Disabled("pptx"));
        assert!(error.to_string().contains("feature `pptx`"), "{error}");
        let error = slide_texts(&Doc::default(), &PptxOptions::default()).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Disabled("pptx"));
    }
}
