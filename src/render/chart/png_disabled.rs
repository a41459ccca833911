//! Stands for `png` in a build without the feature `png`: a refusal.

use super::description::{ChartDescription, ChartPng};
use mitt_base::{Error, ErrorKind, Result};

/// Refuses every chart.
///
/// # Errors
///
/// [`ErrorKind::Disabled`](mitt_base::ErrorKind::Disabled) - this build draws no pictures (feature `png`).
pub fn chart_png(_: &ChartDescription, _: f64) -> Result<ChartPng> {
    let message = "this build of mitt cannot draw pictures of charts (feature `png`)";
    Err(Error::new(ErrorKind::Disabled("png"), message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_picture_is_refused_with_the_feature_that_is_missing() {
        let error = chart_png(&ChartDescription::default(), 1.0).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Disabled("png"));
        assert!(error.to_string().contains("feature `png`"), "{error}");
    }
}
