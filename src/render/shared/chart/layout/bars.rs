//! Horizontal bars: names of any length on the left, values at the ends.

use super::super::palette::{self, BASE, GREY, GRID, INK};
use super::super::scene::Anchor;
use super::axis::{Axis, TICK_GAP};
use super::{Area, Drawing, LABEL};
use crate::model::chart::description::{ChartLabels, ChartStack};
use crate::model::chart::scale::Scale;

/// Share of a row that its bars fill.
const FILLED: f64 = 0.7;
/// Greatest thickness of a bar.
const MAX_BAR: f64 = 34.0;

/// Returns the greatest width of row names.
pub(super) fn names_width(width: f64) -> f64 {
    (width * 0.36).max(40.0)
}

impl Drawing<'_> {
    pub(super) fn bars(&mut self, area: Area) {
        let mut area = area;
        if self.has_legend() {
            area.top = self.legend(area.top);
        }
        area.top = self.axis_titles(area);
        let writes = self.writes_bar_values();
        let numbers = self.value_numbers(false);
        let main = self.main_series();
        let texts = self.texts(&main, &numbers);
        let (first, _) = self.axes(area.width() * 0.75);
        // If every bar has its value, an axis would repeat it.
        let has_axis = !writes || self.is_stacked();
        let foot = if has_axis { LABEL.line() + 4.0 } else { 2.0 };
        let (names, names_width) = self.row_names(area, foot);
        let widest = |is_negative: bool| {
            let texts = texts.iter().filter(|(number, at, _)| {
                self.value(main[*number], *at).is_some_and(|value| (value < 0.0) == is_negative)
            });
            texts.map(|(.., text)| Self::VALUE.width(text) + 6.0).fold(0.0, f64::max)
        };
        let (mut left_room, mut right_room) = (0.0, first.width() / 2.0);
        if writes && !self.is_stacked() {
            (left_room, right_room) = (widest(true), widest(false).max(4.0));
        }
        let left = area.left + names_width + TICK_GAP + left_room;
        let right = (area.right - right_room).max(left + 20.0);
        let plot =
            Area { left, top: area.top, right, bottom: (area.bottom - foot).max(area.top + 20.0) };
        // Without numbers below, the longest bar may end at the edge of the plot.
        let scale = if has_axis { first.scale } else { self.tight(first.scale) };
        let axis = Axis { scale: scale.between(plot.left, plot.right), ..first };
        if has_axis {
            self.upright_grid(plot, &axis);
        }
        let row = plot.height() / self.chart.len() as f64;
        self.write_row_names(plot, row, area.left + names_width, &names);
        self.draw_bars(plot, row, &axis.scale);
        let zero = axis.scale.at(0.0).clamp(plot.left, plot.right);
        self.scene.line((zero, plot.top), (zero, plot.bottom), BASE, 1.2);
        if writes {
            self.bar_values(plot, row, &axis.scale);
        }
    }

    /// Returns the scale from the least to the largest value.
    fn tight(&self, scale: Scale) -> Scale {
        let values = || {
            let main = self.main_series().into_iter();
            main.flat_map(|index| self.chart.series[index].values.iter().flatten())
                .map(|value| value.get())
        };
        let (min, max) = (values().fold(0.0, f64::min), values().fold(0.0, f64::max));
        if max - min <= 0.0 { scale } else { Scale { min, max, ..scale } }
    }

    fn writes_bar_values(&self) -> bool {
        let count = self.main_series().len() * self.chart.len();
        match self.chart.labels {
            ChartLabels::None => false,
            ChartLabels::All => true,
            ChartLabels::Auto => count <= 48,
        }
    }

    /// Returns the lines of the row names, and their width.
    fn row_names(&mut self, area: Area, foot: f64) -> (Vec<Vec<String>>, f64) {
        let most = names_width(self.scene.width);
        let row = (area.height() - foot) / self.chart.len() as f64;
        let lines = (((row + 2.0) / LABEL.line()).floor() as usize).clamp(1, 3);
        // If rows are lower than a line of text, only some have names.
        let each = (LABEL.line() / row).ceil().max(1.0) as usize;
        let mut names = Vec::with_capacity(self.chart.len());
        let chart = self.chart;
        for (at, name) in chart.categories.iter().enumerate() {
            names.push(match at % each {
                0 => self.wrap(name, LABEL, most, lines),
                _ => {
                    self.left_out += 1;
                    Vec::new()
                }
            });
        }
        let width = names.iter().flatten().map(|line| LABEL.width(line)).fold(0.0, f64::max);
        (names, width)
    }

    fn write_row_names(&mut self, plot: Area, row: f64, right: f64, names: &[Vec<String>]) {
        for (at, lines) in names.iter().enumerate() {
            let top = plot.top + row * (at as f64 + 0.5) - LABEL.line() * lines.len() as f64 / 2.0;
            for (number, line) in lines.iter().enumerate() {
                let y = top + LABEL.line() * (number as f64 + 0.5) + LABEL.drop();
                self.scene.text((right, y), line, LABEL, INK, Anchor::End);
            }
        }
    }

    fn upright_grid(&mut self, plot: Area, axis: &Axis) {
        let ticks = axis.scale.ticks();
        let texts: Vec<String> = ticks.iter().map(|tick| axis.numbers.text(*tick)).collect();
        let widest = texts.iter().map(|text| LABEL.width(text)).fold(0.0, f64::max);
        let step = plot.width() / (ticks.len().max(2) - 1) as f64;
        let each = ((widest + 8.0) / step).ceil().max(1.0) as usize;
        for (index, (tick, text)) in ticks.iter().zip(&texts).enumerate() {
            let x = axis.scale.at(*tick);
            self.scene.line((x, plot.top), (x, plot.bottom), GRID, 1.0);
            if index % each == 0 {
                let at = (x, plot.bottom + 4.0 + LABEL.line() / 2.0 + LABEL.drop());
                self.scene.text(at, text, LABEL, GREY, Anchor::Middle);
            }
        }
    }

    /// Returns the height of all bars of a row, and of one of them.
    fn bar_thickness(&self, row: f64) -> (f64, f64) {
        let beside = if self.is_stacked() { 1.0 } else { self.main_series().len().max(1) as f64 };
        let each = (row * FILLED / beside).min(MAX_BAR);
        (each * beside, each)
    }

    fn draw_bars(&mut self, plot: Area, row: f64, scale: &Scale) {
        let main = self.main_series();
        let (all, each) = self.bar_thickness(row);
        let space = if each > 6.0 { 1.0 } else { 0.0 };
        for at in 0..self.chart.len() {
            let top = plot.top + row * (at as f64 + 0.5) - all / 2.0;
            if self.is_stacked() {
                for (index, part) in self.stack(&main, at) {
                    let (a, b) = (scale.at(part.from), scale.at(part.to));
                    self.scene.rectangle(a.min(b), top, (a - b).abs(), all, palette::color(index));
                    if (a - b).abs() > 2.0 {
                        self.scene.rectangle(b - 0.5, top, 1.0, all, palette::WHITE);
                    }
                }
                continue;
            }
            for (number, index) in main.iter().enumerate() {
                let Some(value) = self.value(*index, at) else { continue };
                let (a, b) = (scale.at(0.0), scale.at(value));
                let y = top + each * number as f64;
                let height = (each - space).max(0.4);
                self.scene.rectangle(a.min(b), y, (a - b).abs(), height, palette::color(*index));
            }
        }
    }

    fn bar_values(&mut self, plot: Area, row: f64, scale: &Scale) {
        let main = self.main_series();
        let (all, each) = self.bar_thickness(row);
        let line = Self::VALUE.line();
        if self.is_stacked() {
            let parts: Vec<_> = (0..self.chart.len()).map(|at| self.stack(&main, at)).collect();
            let numbers = match self.chart.stack {
                ChartStack::Full => self.share_numbers(
                    &mut parts.iter().flatten().map(|(_, part)| part.to - part.from),
                ),
                _ => self.value_numbers(false),
            };
            for (at, parts) in parts.into_iter().enumerate() {
                for (index, part) in parts {
                    let (a, b) = (scale.at(part.from), scale.at(part.to));
                    let text = numbers.text(part.to - part.from);
                    if all < line - 3.0 || Self::VALUE.width(&text) > (a - b).abs() - 4.0 {
                        continue;
                    }
                    let y = plot.top + row * (at as f64 + 0.5) + Self::VALUE.drop();
                    self.scene.text(
                        ((a + b) / 2.0, y),
                        &text,
                        Self::VALUE,
                        palette::ink_on(index),
                        Anchor::Middle,
                    );
                }
            }
            return;
        }
        if each < line * 0.6 && self.chart.labels != ChartLabels::All {
            return;
        }
        let numbers = self.value_numbers(false);
        for (number, at, text) in self.texts(&main, &numbers) {
            let Some(value) = self.value(main[number], at) else { continue };
            let top = plot.top + row * (at as f64 + 0.5) - all / 2.0;
            let y = top + each * (number as f64 + 0.5) + Self::VALUE.drop();
            let (x, anchor) = if value < 0.0 {
                (scale.at(value) - 5.0, Anchor::End)
            } else {
                (scale.at(value) + 5.0, Anchor::Start)
            };
            self.scene.text((x, y), &text, Self::VALUE, INK, anchor);
        }
    }
}
