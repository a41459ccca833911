//! Stands for `fill` in a build without the feature `fill`: the same interface, with a refusal behind it.

use super::{FillOptions, FillValue, FillValues, Filled};
use mitt_base::{Error, ErrorKind, Result};

/// Refuses every template, since this build cannot fill it.
///
/// # Errors
///
/// [`ErrorKind::Disabled`] - always.
pub fn fill_xlsx(_: &[u8], _: &FillValues, _: &FillOptions) -> Result<Filled> {
    Err(disabled())
}

/// Refuses every template, since this build cannot fill it.
///
/// # Errors
///
/// [`ErrorKind::Disabled`] - always.
pub fn xlsx_files(_: &[u8], _: &FillValues) -> Result<Vec<String>> {
    Err(disabled())
}

/// Refuses every workbook, since this build cannot append to it.
///
/// # Errors
///
/// [`ErrorKind::Disabled`] - always.
pub fn append_xlsx(_: &[u8], _: Option<&str>, _: &FillValue, _: &FillOptions) -> Result<Filled> {
    Err(disabled())
}

fn disabled() -> Error {
    let message = "this build of mitt cannot fill workbooks (feature `fill`)";
    Error::new(ErrorKind::Disabled("fill"), message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_is_refused_with_the_feature_that_is_missing() {
        let error = fill_xlsx(b"", &FillValues::new(), &FillOptions::default()).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Disabled("fill"));
        assert!(error.to_string().contains("feature `fill`"), "{error}");
    }
}
