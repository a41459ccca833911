//! Charts with names along a horizontal axis: columns, lines, areas, and columns with lines over them.

use super::super::measure::Font;
use super::super::palette;
use super::axis::{Axis, TICK_GAP};
use super::names::day_of;
use super::{Area, Drawing, LABEL};
use crate::model::chart::description::{ChartRole, ChartShape, ChartStack};
use crate::model::chart::scale::Scale;

/// Share of a place that its columns fill.
const FILLED: f64 = 0.72;
/// Greatest width of a column.
const MAX_COLUMN: f64 = 76.0;

/// Places on a horizontal axis.
pub(super) struct Places {
    pub(super) left: f64,
    /// Distance between places.
    pub(super) step: f64,
    /// Positions of places at uneven distances, such as days.
    at: Option<Vec<f64>>,
}

impl Places {
    /// Returns the middle of a place.
    pub(super) fn at(&self, index: usize) -> f64 {
        match &self.at {
            Some(at) => at.get(index).copied().unwrap_or(self.left),
            None => self.left + self.step * index as f64,
        }
    }
}

/// Start and end of a part of a stack.
pub(super) struct StackSegment {
    pub(super) from: f64,
    pub(super) to: f64,
}

impl Drawing<'_> {
    pub(super) fn columns(&mut self, area: Area) {
        let mut area = area;
        let mut names_ends = self.names_ends();
        let (ends, ends_width) = self.end_names();
        names_ends = names_ends && self.ends_fit(&ends, area.height() * 0.6);
        if !names_ends && self.has_legend() {
            area.top = self.legend(area.top);
        }
        area.top = self.axis_titles(area);
        // Half a line of the topmost number is above the plot.
        area.top += LABEL.line() / 2.0;
        if self.writes_values() {
            area.top += LABEL.line() * 0.5;
        }
        let foot_title = self.chart.category_title.as_deref();
        let bottom = self.foot_title(area, foot_title);
        let (first, second) = self.axes(area.height() - 30.0);
        let left = area.left + first.width() + TICK_GAP;
        let at_right = match (&second, names_ends) {
            (Some(second), _) => second.width() + TICK_GAP,
            (None, true) => ends_width,
            (None, false) => 4.0,
        };
        let right = (area.right - at_right).max(left + 20.0);
        let places = self.places(left, right);
        let at = |index: usize| places.at(index);
        let names = self.names(places.step, places.at(0), &at);
        let bottom = (bottom - names.height).max(area.top + 20.0);
        let plot = Area { left, top: area.top, right, bottom };
        let on_plot =
            |axis: Axis| Axis { scale: axis.scale.between(plot.bottom, plot.top), ..axis };
        let (first, second) = (on_plot(first), second.map(on_plot));
        self.grid(plot, &first, second.as_ref());
        self.write_names(plot, &names, &at);
        self.bodies(plot, &places, &first.scale);
        self.base_line(plot, &first.scale);
        let ends_at =
            self.all_lines(plot, &places, &first.scale, second.as_ref().map(|it| &it.scale));
        self.column_values(&places, &first.scale);
        self.line_values(plot, &places, &first.scale, second.as_ref().map(|it| &it.scale));
        if names_ends {
            self.write_ends(plot, &ends, &ends_at);
        }
    }

    /// Returns `true` if a legend is useful.
    pub(super) fn has_legend(&self) -> bool {
        self.chart.series.len() > 1
    }

    /// Returns the places between two ends. Lines begin at the edge, columns half a place behind it.
    fn places(&self, left: f64, right: f64) -> Places {
        let count = self.chart.len();
        let width = right - left;
        if self.chart.kind == ChartShape::Column || count < 2 {
            let step = width / count as f64;
            return Places { left: left + step / 2.0, step, at: None };
        }
        // Half of the first name is left of the plot, where the numbers of the axis are anyway.
        let inset = if count <= 24 { 10.0 } else { 2.0 };
        let (left, width) = (left + inset, width - 2.0 * inset);
        let step = width / (count - 1) as f64;
        Places { left, step, at: self.days(left, width) }
    }

    /// Returns the positions of days at uneven distances.
    fn days(&self, left: f64, width: f64) -> Option<Vec<f64>> {
        let days: Option<Vec<f64>> =
            self.chart.categories.iter().map(|name| day_of(name)).collect();
        let days = days.filter(|days| days.windows(2).all(|pair| pair[0] < pair[1]))?;
        let (first, last) = (*days.first()?, *days.last()?);
        Some(days.iter().map(|day| left + (day - first) / (last - first) * width).collect())
    }

    /// Returns the width of all columns of a place, and of one of them.
    pub(super) fn thickness(&self, step: f64) -> (f64, f64) {
        let beside = match self.chart.stack {
            ChartStack::Apart => self.main_series().len().max(1) as f64,
            _ => 1.0,
        };
        let each = (step * FILLED / beside).min(MAX_COLUMN);
        (each * beside, each)
    }

    /// Draws columns or areas.
    fn bodies(&mut self, plot: Area, places: &Places, scale: &Scale) {
        match self.chart.kind {
            ChartShape::Column => self.draw_columns(places, scale),
            ChartShape::Area => self.draw_areas(plot, places, scale),
            _ => {}
        }
    }

    fn draw_columns(&mut self, places: &Places, scale: &Scale) {
        let main = self.main_series();
        let (all, each) = self.thickness(places.step);
        let space = if each > 6.0 { 1.0 } else { 0.0 };
        for at in 0..self.chart.len() {
            let left = places.at(at) - all / 2.0;
            if self.is_stacked() {
                for (index, part) in self.stack(&main, at) {
                    let (a, b) = (scale.at(part.from), scale.at(part.to));
                    self.scene.rectangle(left, a.min(b), all, (a - b).abs(), palette::color(index));
                    if (a - b).abs() > 2.0 {
                        // A white line separates parts in grey prints.
                        self.scene.rectangle(left, b - 0.5, all, 1.0, palette::WHITE);
                    }
                }
                continue;
            }
            for (number, index) in main.iter().enumerate() {
                let Some(value) = self.value(*index, at) else { continue };
                let (a, b) = (scale.at(0.0), scale.at(value));
                let x = left + each * number as f64;
                let (top, height) = (a.min(b), (a - b).abs());
                self.scene.rectangle(
                    x,
                    top,
                    (each - space).max(0.4),
                    height,
                    palette::color(*index),
                );
            }
        }
    }

    /// Returns the parts of the stack at a place, upwards and downwards from zero, without those of no height.
    pub(super) fn stack(&self, main: &[usize], at: usize) -> Vec<(usize, StackSegment)> {
        let whole: f64 = match self.chart.stack {
            ChartStack::Full => {
                main.iter().filter_map(|index| self.value(*index, at)).map(f64::abs).sum()
            }
            _ => 1.0,
        };
        let (mut up, mut down) = (0.0, 0.0);
        let mut parts = Vec::new();
        for index in main {
            let value = self.value(*index, at).unwrap_or(0.0);
            if value == 0.0 || whole == 0.0 {
                continue;
            }
            let end = if value > 0.0 { &mut up } else { &mut down };
            let from = *end;
            *end += value / whole;
            parts.push((*index, StackSegment { from, to: *end }));
        }
        parts
    }

    /// Returns `true` if values are written at columns.
    pub(super) fn writes_values(&self) -> bool {
        use crate::model::chart::description::ChartLabels;

        let main = self.main_series().len();
        let count = main * self.chart.len();
        match self.chart.labels {
            ChartLabels::None => false,
            ChartLabels::All => true,
            ChartLabels::Auto if self.chart.kind == ChartShape::Column => {
                if self.is_stacked() {
                    count <= 40
                } else {
                    count <= 16 && self.chart.series.iter().all(|it| it.role == ChartRole::Main)
                }
            }
            ChartLabels::Auto => false,
        }
    }

    /// Font of values at columns.
    pub(super) const VALUE: Font = Font::new(11.0);
}
