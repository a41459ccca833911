//! Axes of values: their ranges, their grid, the format of their numbers.

use super::super::palette::{BASE, GREY, GRID};
use super::super::scene::Anchor;
use super::{Area, Drawing, LABEL, SMALL};
use crate::model::chart::description::{ChartRole, ChartShape, ChartStack};
use crate::model::chart::format::{ChartFormat, NumberStyle, Numbers};
use crate::model::chart::scale::{Scale, Zero};

/// Space between a number and the plot.
pub(super) const TICK_GAP: f64 = 7.0;

/// An axis of values.
pub(super) struct Axis {
    pub(super) scale: Scale,
    pub(super) numbers: Numbers,
}

impl Axis {
    /// Returns the width of its numbers.
    pub(super) fn width(&self) -> f64 {
        let texts =
            self.scale.ticks().into_iter().map(|tick| LABEL.width(&self.numbers.text(tick)));
        texts.fold(0.0, f64::max)
    }
}

impl Drawing<'_> {
    /// Returns the axis of the values, and the second one, for a plot of about this length.
    pub(super) fn axes(&self, length: f64) -> (Axis, Option<Axis>) {
        let ticks = ((length / 62.0).round() as usize).clamp(2, 8);
        let zero = match self.chart.kind {
            ChartShape::Column | ChartShape::Bar | ChartShape::Area => Zero::Always,
            ChartShape::Scatter => Zero::Free,
            _ => Zero::Near,
        };
        let mut first =
            self.range(false).map_or(Scale::nice(0.0, 1.0, zero, ticks), |(least, most)| {
                Scale::nice(least, most, zero, ticks)
            });
        if self.chart.stack == ChartStack::Full {
            let has_negative = self.range(false).is_some_and(|(least, _)| least < 0.0);
            first = Scale::shares();
            if has_negative {
                first.min = -1.0;
                first.step = 0.5;
            }
        }
        let mut second =
            self.range(true).map(|(least, most)| Scale::nice(least, most, zero, ticks));
        if let Some(second) = &mut second {
            share_grid(&mut first, second);
        }
        let format = self.first_format();
        let of = |scale: Scale, format: &ChartFormat| {
            let reach = scale.min.abs().max(scale.max.abs());
            Axis { numbers: Numbers::of_ticks(format, scale.step, reach, self.is_chinese), scale }
        };
        (of(first, &format), second.map(|second| of(second, &self.chart.second_format)))
    }

    /// Returns the format of values on the first axis.
    pub(super) fn first_format(&self) -> ChartFormat {
        match self.chart.stack {
            ChartStack::Full => {
                ChartFormat { style: NumberStyle::Percent, ..ChartFormat::default() }
            }
            _ => self.chart.format.clone(),
        }
    }

    /// Returns the least and the largest value on an axis; of stacks, of their sums.
    fn range(&self, is_second: bool) -> Option<(f64, f64)> {
        let mut range: Option<(f64, f64)> = None;
        let mut add = |value: f64| {
            let (least, most) = range.unwrap_or((value, value));
            range = Some((least.min(value), most.max(value)));
        };
        let is_stacked = self.chart.stack != ChartStack::Apart;
        for index in self.series_on(is_second) {
            if is_stacked && self.chart.series[index].role == ChartRole::Main {
                continue;
            }
            (0..self.chart.len()).filter_map(|at| self.value(index, at)).for_each(&mut add);
        }
        if is_stacked && !is_second {
            let main = self.main_series();
            for at in 0..self.chart.len() {
                let values = || main.iter().filter_map(|series| self.value(*series, at));
                add(values().filter(|value| *value > 0.0).sum());
                add(values().filter(|value| *value < 0.0).sum());
            }
        }
        range
    }

    /// Draws the grid of a vertical axis, its numbers on the left, and those of the second one on the right.
    pub(super) fn grid(&mut self, plot: Area, first: &Axis, second: Option<&Axis>) {
        for tick in first.scale.ticks() {
            let y = first.scale.at(tick);
            self.scene.line((plot.left, y), (plot.right, y), GRID, 1.0);
            let at = (plot.left - TICK_GAP, y + LABEL.drop());
            self.scene.text(at, &first.numbers.text(tick), LABEL, GREY, Anchor::End);
        }
        if let Some(second) = second {
            for tick in second.scale.ticks() {
                let at = (plot.right + TICK_GAP, second.scale.at(tick) + LABEL.drop());
                self.scene.text(at, &second.numbers.text(tick), LABEL, GREY, Anchor::Start);
            }
        }
    }

    /// Draws the line at zero, or at the bottom of the plot.
    pub(super) fn base_line(&mut self, plot: Area, scale: &Scale) {
        // If the axis has no zero, no line may look like it.
        if scale.min <= 0.0 && scale.max >= 0.0 {
            let y = scale.at(0.0);
            self.scene.line((plot.left, y), (plot.right, y), BASE, 1.2);
        }
    }

    /// Draws the titles of the value axes above them. Returns where they end.
    pub(super) fn axis_titles(&mut self, area: Area) -> f64 {
        let chart = self.chart;
        let has_second = !self.series_on(true).is_empty();
        let second = chart.second_title.as_ref().filter(|_| has_second);
        if chart.value_title.is_none() && second.is_none() {
            return area.top;
        }
        let y = area.top + SMALL.line() / 2.0 + SMALL.drop();
        let share = if second.is_some() { 0.48 } else { 1.0 };
        if let Some(title) = &chart.value_title {
            let title = self.fit(title, SMALL, area.width() * share);
            self.scene.text((area.left, y), &title, SMALL, GREY, Anchor::Start);
        }
        if let Some(title) = second {
            let title = self.fit(title, SMALL, area.width() * share);
            self.scene.text((area.right, y), &title, SMALL, GREY, Anchor::End);
        }
        area.top + SMALL.line() + 6.0
    }

    /// Draws the title of the axis below the plot. Returns where the plot and its names end.
    pub(super) fn foot_title(&mut self, area: Area, title: Option<&str>) -> f64 {
        let Some(title) = title else { return area.bottom };
        let title = self.fit(title, SMALL, area.width());
        let at = (area.right, area.bottom - SMALL.line() / 2.0 + SMALL.drop());
        self.scene.text(at, &title, SMALL, GREY, Anchor::End);
        area.bottom - SMALL.line() - 2.0
    }
}

/// Gives two axes the same number of steps, with their zeros at the same height if both have one.
fn share_grid(first: &mut Scale, second: &mut Scale) {
    let has_zero = |scale: &Scale| scale.min <= 0.0 && scale.max >= 0.0;
    if has_zero(first) && has_zero(second) {
        let ((a, b), (c, d)) = (first.steps(), second.steps());
        *first = first.with_steps(a.max(c), b.max(d));
        *second = second.with_steps(a.max(c), b.max(d));
        return;
    }
    let count = |scale: &Scale| ((scale.max - scale.min) / scale.step).round();
    let most = count(first).max(count(second));
    for scale in [first, second] {
        scale.max = scale.min + scale.step * most;
    }
}
