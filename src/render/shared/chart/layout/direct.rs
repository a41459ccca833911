//! Names of lines and areas at their right ends, in their colours, which saves the reader a legend.

use super::super::palette::{self, GRID};
use super::super::scene::Anchor;
use super::{Area, Drawing, MAX_DIRECT, STRONG, spread};
use crate::model::chart::description::{ChartRole, ChartShape, ChartStack};

/// Space between the end of a line and its name.
const GAP: f64 = 10.0;
/// Most lines of a name.
const MAX_LINES: usize = 2;

impl Drawing<'_> {
    /// Returns `true` if series are named at their ends, provided that there is space.
    pub(super) fn names_ends(&self) -> bool {
        let all_lines = self.chart.series.iter().all(|series| series.role == ChartRole::Main);
        let count = self.chart.series.len();
        let has_names = self.chart.series.iter().all(|series| !series.name.trim().is_empty());
        matches!(self.chart.kind, ChartShape::Line | ChartShape::Area)
            && all_lines
            && has_names
            && (2..=MAX_DIRECT).contains(&count)
            && self.chart.len() > 1
            && self.scene.width >= 360.0
    }

    /// Returns the lines of the names, and their width at the right.
    pub(super) fn end_names(&self) -> (Vec<Vec<String>>, f64) {
        let most = (self.scene.width * 0.24).max(90.0);
        let name = |index: usize| {
            let name = self.chart.series.get(index).map_or("", |series| series.name.trim());
            STRONG.wrap(name, most, MAX_LINES).0
        };
        let names: Vec<_> = (0..self.chart.series.len()).map(name).collect();
        let widths = names.iter().flatten().map(|line| STRONG.width(line));
        let width = widths.fold(0.0, f64::max);
        (names, width + GAP)
    }

    /// Returns `true` if the names fit between two heights.
    pub(super) fn ends_fit(&self, names: &[Vec<String>], height: f64) -> bool {
        let lines: usize = names.iter().map(Vec::len).sum();
        lines as f64 * STRONG.line() <= height
            && self.chart.series.iter().all(|series| {
                let most = (self.scene.width * 0.24).max(90.0);
                !STRONG.wrap(series.name.trim(), most, MAX_LINES).1
            })
    }

    /// Draws the names; `ends` are the heights at which the series end.
    pub(super) fn write_ends(&mut self, plot: Area, names: &[Vec<String>], ends: &[(f64, f64)]) {
        let heights: Vec<f64> =
            names.iter().map(|lines| lines.len() as f64 * STRONG.line()).collect();
        let wanted: Vec<f64> = ends.iter().map(|(_, y)| *y).collect();
        let bounds = (plot.top - STRONG.line() / 2.0, plot.bottom + STRONG.line() / 2.0);
        let Some(places) = spread(&wanted, &heights, bounds.0, bounds.1) else { return };
        for (index, place) in places.iter().enumerate() {
            let (x, y) = ends[index];
            // A leader connects a name to a line that ends earlier, or if the name had to move.
            if (place - y).abs() > STRONG.line() * 0.6 || x < plot.right - 2.0 {
                let elbow = plot.right + 2.0;
                self.scene.line((x.max(plot.right - 2.0), y), (elbow, y), GRID, 1.0);
                self.scene.line((elbow, y), (plot.right + GAP - 2.0, *place), GRID, 1.0);
            }
            let top = place - heights[index] / 2.0;
            for (number, line) in names[index].iter().enumerate() {
                let y = top + STRONG.line() * (number as f64 + 0.5) + STRONG.drop();
                let at = (plot.right + GAP, y);
                self.scene.text(at, line, STRONG, palette::text_color(index), Anchor::Start);
            }
        }
    }

    /// Returns `true` if areas are stacked.
    pub(super) fn is_stacked(&self) -> bool {
        self.chart.stack != ChartStack::Apart
    }
}
