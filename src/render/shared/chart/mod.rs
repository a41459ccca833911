//! Charts: draws a description of a chart as SVG with real text or as a PNG picture, with its alternative text.
//!
//! The description is the input, `layout` positions everything in a `Scene` of a few kinds of shapes, and the writers turn
//! that into files. Widths of letters come from a table of the bundled fonts, so that the same description has the same
//! layout in every build. `office` writes charts for Word and PowerPoint, which lay them out themselves. Knows no document;
//! `xlsx` writes charts of workbooks.

mod layout;
mod measure;
#[cfg(any(feature = "docx", feature = "pptx"))]
mod office;
mod palette;
#[cfg(feature = "png")]
mod png;
mod scene;
mod svg;
#[cfg(test)]
mod tests;
mod widths;
mod words;

pub(crate) use self::layout::layout;
#[cfg(any(feature = "docx", feature = "pptx"))]
pub(crate) use self::office::{
    BOOK_KIND, CHART_KIND, ChartParts, OfficeChart, Type, chart_name, graphic,
};
pub use self::svg::{ChartSvg, chart_svg};
pub(crate) use self::svg::{Frame, svg_of};

use crate::model::chart::{ChartDescription, ChartPng};
use crate::model::disabled::built;
use mitt_base::Result;

/// Draws a chart as a PNG picture, `scale` times as large as its description says: 1 for a screen, 2 for a sharp one, 3 for
/// print. The same description gives the same bytes.
///
/// # Errors
///
/// [`ErrorKind::Arguments`](mitt_base::ErrorKind::Arguments) - those of [`ChartDescription::check`]; a scale outside of 0.25
/// to 8; more than 16 million pixels. [`ErrorKind::Disabled`](mitt_base::ErrorKind::Disabled) - this build draws no pictures
/// (feature `png`).
pub fn chart_png(chart: &ChartDescription, scale: f64) -> Result<ChartPng> {
    built!(chart_png: self::png::chart_png(chart, scale))
}
