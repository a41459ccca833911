//! Stands for `xlsx` in a build without the feature `xlsx`: the same interface, with a refusal behind it.

use super::{Workbook, Xlsx, XlsxOptions};
use mitt_base::{Error, ErrorKind, Result};

/// Refuses every workbook, since this build has no writer.
///
/// # Errors
///
/// [`ErrorKind::Disabled`] - always.
pub fn xlsx(_: &Workbook, _: &XlsxOptions) -> Result<Xlsx> {
    let message = "this build of mitt cannot write Excel files (feature `xlsx`)";
    Err(Error::new(ErrorKind::Disabled("xlsx"), message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_workbook_is_refused_with_the_feature_that_is_missing() {
        let error = xlsx(&Workbook::default(), &XlsxOptions::default()).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Disabled("xlsx"));
        assert!(error.to_string().contains("feature `xlsx`"), "{error}");
    }
}
