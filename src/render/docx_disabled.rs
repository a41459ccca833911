//! Stands for `docx` in a build without the feature `docx`: the same interface, with a refusal behind it.

use super::{Doc, Docx, DocxOptions, FillValues};
use mitt_base::{Error, ErrorKind, Result};

/// Refuses every document, since this build has no writer.
///
/// # Errors
///
/// [`ErrorKind::Disabled`] - always.
pub fn docx(_: &Doc, _: &DocxOptions) -> Result<Docx> {
    let message = "this build of mitt cannot write Word files (feature `docx`)";
    Err(Error::new(ErrorKind::Disabled("docx"), message))
}

/// Refuses every template, since this build has no writer.
///
/// # Errors
///
/// [`ErrorKind::Disabled`] - always.
pub fn fill_docx(_: &[u8], _: &FillValues, _: Option<&Doc>, options: &DocxOptions) -> Result<Docx> {
    docx(&Doc::default(), options)
}

/// Refuses every template, since this build has no writer.
///
/// # Errors
///
/// [`ErrorKind::Disabled`] - always.
pub fn docx_files(_: &[u8], _: &FillValues, options: &DocxOptions) -> Result<Vec<String>> {
    docx(&Doc::default(), options).map(|_| Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_is_refused_with_the_feature_that_is_missing() {
        let error = docx(&Doc::default(), &DocxOptions::default()).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Disabled("docx"));
        assert!(error.to_string().contains("feature `docx`"), "{error}");
    }
}
