//! What a chart is: its description, and how it comes from the columns of a table.
//!
//! Knows no places and no shapes: `shared::chart` lays it out and draws it.

pub(crate) mod cell;
pub(crate) mod column;
pub(crate) mod description;
pub(crate) mod format;
pub(crate) mod scale;

pub use self::column::{ChartColumn, ChartWanted};
pub use self::description::{
    ChartDescription, ChartLabels, ChartPng, ChartRole, ChartSeries, ChartShape, ChartStack,
    ChartValue, MAX_CHART_POINTS, MAX_CHART_SERIES,
};
pub use self::format::{ChartFormat, NumberStyle};
