//! Charts: draws a description of a chart as SVG with real text or as a PNG picture, with its alternative text.
//!
//! `description` is the input, `layout` positions everything in a `Scene` of a few kinds of shapes, and the writers turn
//! that into files. Widths of letters come from a table of the bundled fonts, so that the same description has the same
//! layout in every build. `office` writes charts for Word and PowerPoint, which lay them out themselves. Knows no document;
//! `xlsx` writes charts of workbooks.

mod cell;
mod column;
mod description;
mod format;
mod layout;
mod measure;
#[cfg(any(feature = "docx", feature = "pptx"))]
mod office;
mod palette;
#[cfg(feature = "png")]
mod png;
#[cfg(not(feature = "png"))]
#[path = "png_disabled.rs"]
mod png;
mod scale;
mod scene;
mod svg;
#[cfg(test)]
mod tests;
mod widths;
mod words;

pub use self::column::{ChartColumn, ChartWanted};
pub use self::description::{
    ChartDescription, ChartLabels, ChartPng, ChartRole, ChartSeries, ChartShape, ChartStack,
    ChartValue, MAX_CHART_POINTS, MAX_CHART_SERIES,
};
pub use self::format::{ChartFormat, NumberStyle};
pub(crate) use self::layout::layout;
#[cfg(any(feature = "docx", feature = "pptx"))]
pub(crate) use self::office::{
    BOOK_KIND, CHART_KIND, ChartParts, OfficeChart, Type, chart_name, graphic,
};
pub use self::png::chart_png;
pub use self::svg::{ChartSvg, chart_svg};
pub(crate) use self::svg::{Frame, svg_of};
