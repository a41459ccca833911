//! Points over two axes of numbers.

use super::super::palette::{self, BASE, GREY, GRID, Mark};
use super::super::scene::{Anchor, Paint, add_mark};
use super::axis::{Axis, TICK_GAP};
use super::{Area, Drawing, LABEL};
use crate::model::chart::format::Numbers;
use crate::model::chart::scale::{Scale, Zero};

/// Most points that are drawn as single marks with a rim; more are one path.
const MAX_RIMMED: usize = 400;

impl Drawing<'_> {
    pub(super) fn scatter(&mut self, area: Area) {
        let mut area = area;
        if self.has_legend() {
            area.top = self.legend(area.top);
        }
        area.top = self.axis_titles(area) + LABEL.line() / 2.0;
        let bottom =
            self.foot_title(area, self.chart.category_title.as_deref()) - LABEL.line() - 4.0;
        let (first, _) = self.axes(area.height() - 30.0);
        let left = area.left + first.width() + TICK_GAP;
        let x = self.x_axis(area.right - left);
        let right = (area.right - x.width() / 2.0).max(left + 20.0);
        let plot = Area { left, top: area.top, right, bottom: bottom.max(area.top + 20.0) };
        let first = Axis { scale: first.scale.between(plot.bottom, plot.top), ..first };
        let x = Axis { scale: x.scale.between(plot.left, plot.right), ..x };
        self.grid(plot, &first, None);
        for tick in x.scale.ticks() {
            let at = x.scale.at(tick);
            self.scene.line((at, plot.top), (at, plot.bottom), GRID, 1.0);
            let place = (at, plot.bottom + 4.0 + LABEL.line() / 2.0 + LABEL.drop());
            self.scene.text(place, &x.numbers.text(tick), LABEL, GREY, Anchor::Middle);
        }
        self.scene.line((plot.left, plot.bottom), (plot.right, plot.bottom), BASE, 1.2);
        self.points(&x.scale, &first.scale);
    }

    fn x_axis(&self, width: f64) -> Axis {
        let values = || self.chart.x.iter().flatten().map(|value| value.get());
        let (least, most) =
            (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        // As many ticks as there is space for their numbers.
        let mut count = 8;
        loop {
            let scale = Scale::nice(least, most, Zero::Free, count);
            let reach = scale.min.abs().max(scale.max.abs());
            let numbers =
                Numbers::of_ticks(&self.chart.x_format, scale.step, reach, self.is_chinese);
            let axis = Axis { scale, numbers };
            let ticks = axis.scale.ticks().len() as f64;
            if count <= 2 || (axis.width() + 16.0) * ticks <= width {
                return axis;
            }
            count -= 1;
        }
    }

    fn points(&mut self, x: &Scale, y: &Scale) {
        let chart = self.chart;
        let count: usize = chart.series.iter().map(|series| series.values.len()).sum();
        for index in 0..chart.series.len() {
            let places: Vec<(f64, f64)> = (0..chart.len())
                .filter_map(|at| {
                    let across = chart.x.get(at).copied().flatten()?;
                    Some((x.at(across.get()), y.at(self.value(index, at)?)))
                })
                .collect();
            let color = palette::color(index);
            if count <= MAX_RIMMED {
                let radius = if count <= 60 { 4.6 } else { 3.6 };
                for place in places {
                    self.scene.mark(place, radius, palette::mark(index), color);
                }
                continue;
            }
            // Thousands of points are one shape of squares, which have few corners.
            let (mark, radius) =
                if count <= 2_000 { (palette::mark(index), 2.2) } else { (Mark::Square, 1.3) };
            let mut segments = Vec::new();
            places.into_iter().for_each(|place| add_mark(&mut segments, place, radius, mark));
            self.scene.path(segments, Paint { fill_opacity: 0.75, ..Paint::fill(color) });
        }
    }
}
