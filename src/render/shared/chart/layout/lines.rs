//! Lines and areas. Details finer than a pixel are drawn as their extent.

use super::super::palette::{self, WHITE};
use super::super::scene::{Paint, PathSegment};
use super::columns::Places;
use super::{Area, Drawing};
use crate::model::chart::description::{ChartRole, ChartShape};
use crate::model::chart::scale::Scale;

/// Width of a line.
const LINE: f64 = 2.2;

/// Points of a line without a gap.
type Run = Vec<(f64, f64)>;

impl Drawing<'_> {
    /// Draws all series that are lines. Returns where each series ends.
    pub(super) fn all_lines(
        &mut self,
        plot: Area,
        places: &Places,
        first: &Scale,
        second: Option<&Scale>,
    ) -> Vec<(f64, f64)> {
        let mut ends = vec![(plot.right, plot.bottom); self.chart.series.len()];
        if self.chart.kind == ChartShape::Area && self.is_stacked() {
            self.ends_of_stack(places, first, &mut ends);
        }
        for (index, end_of) in ends.iter_mut().enumerate() {
            let role = self.chart.series[index].role;
            let is_area = self.chart.kind == ChartShape::Area && role == ChartRole::Main;
            if !self.is_line(index) && (!is_area || self.is_stacked()) {
                continue;
            }
            let scale = match (role, second) {
                (ChartRole::Second, Some(second)) => second,
                _ => first,
            };
            let runs = self.runs(index, places, scale);
            if let Some(end) = runs.last().and_then(|run| run.last()) {
                *end_of = *end;
            }
            if self.has_columns() {
                // A white rim, because it crosses columns.
                for run in &runs {
                    self.scene.path(segments(&drawn(run)), Paint::stroke(WHITE, LINE + 2.4));
                }
            }
            self.draw_line(index, &runs, !is_area);
        }
        ends
    }

    /// Returns the points of a series, divided at its gaps.
    fn runs(&self, index: usize, places: &Places, scale: &Scale) -> Vec<Run> {
        let mut runs = vec![Run::new()];
        for at in 0..self.chart.len() {
            match (self.value(index, at), runs.last_mut()) {
                (Some(value), Some(run)) => run.push((places.at(at), scale.at(value))),
                (None, Some(run)) if !run.is_empty() => runs.push(Run::new()),
                _ => {}
            }
        }
        runs.retain(|run| !run.is_empty());
        runs
    }

    fn draw_line(&mut self, index: usize, runs: &[Run], may_have_marks: bool) {
        let color = palette::color(index);
        let has_marks = may_have_marks && self.has_marks();
        for run in runs {
            let points = drawn(run);
            // A point between two gaps would be invisible without a mark.
            if has_marks || run.len() == 1 {
                let line = segments(&points);
                self.scene
                    .path(line, Paint { dashes: self.dashes(index), ..Paint::stroke(color, LINE) });
                for point in run {
                    self.scene.mark(*point, 3.6, self.mark_of(index), color);
                }
                continue;
            }
            let width = if run.len() > 400 { 1.4 } else { LINE };
            let paint = Paint { dashes: self.dashes(index), ..Paint::stroke(color, width) };
            self.scene.path(segments(&points), paint);
        }
    }

    /// Returns the dashes of a line. Over columns, lines are counted separately.
    pub(super) fn dashes(&self, index: usize) -> &'static [f64] {
        if self.has_columns() {
            palette::dashes((0..index).filter(|before| self.is_line(*before)).count())
        } else {
            palette::dashes(index)
        }
    }

    pub(super) fn draw_areas(&mut self, plot: Area, places: &Places, scale: &Scale) {
        let main = self.main_series();
        if self.is_stacked() {
            self.stacked_areas(&main, places, scale);
            return;
        }
        let zero = scale.at(0.0).clamp(plot.top, plot.bottom);
        for index in main.iter().copied() {
            for run in self.runs(index, places, scale) {
                let points = drawn(&run);
                let (Some(first), Some(last)) = (points.first(), points.last()) else { continue };
                let mut outline = segments(&points);
                outline.push(PathSegment::Line(last.0, zero));
                outline.push(PathSegment::Line(first.0, zero));
                outline.push(PathSegment::Close);
                let opacity = if main.len() > 1 { 0.22 } else { 0.3 };
                let paint = Paint { fill_opacity: opacity, ..Paint::fill(palette::color(index)) };
                self.scene.path(outline, paint);
            }
        }
    }

    fn stacked_areas(&mut self, main: &[usize], places: &Places, scale: &Scale) {
        let edges = self.edges(main);
        for (number, index) in main.iter().enumerate() {
            let place = |(at, value): (usize, &f64)| (places.at(at), scale.at(*value));
            let upper: Run = edges[number + 1].iter().enumerate().map(place).collect();
            let lower: Run = edges[number].iter().enumerate().map(place).collect();
            let mut outline = segments(&drawn(&upper));
            let mut back = drawn(&lower);
            back.reverse();
            outline.extend(back.iter().map(|(x, y)| PathSegment::Line(*x, *y)));
            outline.push(PathSegment::Close);
            let rim = Some((WHITE, 0.8)).filter(|_| self.chart.len() <= 400);
            self.scene.path(outline, Paint { stroke: rim, ..Paint::fill(palette::color(*index)) });
        }
    }

    /// Returns the edges between the layers of stacked areas, upwards from zero. Negative values go downwards.
    fn edges(&self, main: &[usize]) -> Vec<Vec<f64>> {
        let count = self.chart.len();
        let whole = |at: usize| -> f64 {
            main.iter().filter_map(|index| self.value(*index, at)).map(f64::abs).sum()
        };
        let mut edges = vec![vec![0.0; count]];
        for index in main {
            let below = edges.last().cloned().unwrap_or_default();
            let edge = below.iter().enumerate().map(|(at, below)| {
                let value = self.value(*index, at).unwrap_or(0.0);
                match self.chart.stack {
                    crate::model::chart::description::ChartStack::Full => match whole(at) {
                        0.0 => *below,
                        whole => below + value / whole,
                    },
                    _ => below + value,
                }
            });
            edges.push(edge.collect());
        }
        edges
    }

    /// Sets the middle of the right end of each layer.
    fn ends_of_stack(&self, places: &Places, scale: &Scale, ends: &mut [(f64, f64)]) {
        let main = self.main_series();
        let edges = self.edges(&main);
        let Some(last) = self.chart.len().checked_sub(1) else { return };
        for (number, index) in main.iter().enumerate() {
            let (lower, upper) = (scale.at(edges[number][last]), scale.at(edges[number + 1][last]));
            ends[*index] = (places.at(last), (lower + upper) / 2.0);
        }
    }
}

fn segments(points: &[(f64, f64)]) -> Vec<PathSegment> {
    let mut segments: Vec<PathSegment> =
        points.iter().map(|(x, y)| PathSegment::Line(*x, *y)).collect();
    if let Some((x, y)) = points.first() {
        segments[0] = PathSegment::Move(*x, *y);
    }
    segments
}

/// Returns the points of a run that are drawn: of each half pixel the first, the lowest, the highest and the last one. The
/// line looks the same, however many points it has.
fn drawn(run: &[(f64, f64)]) -> Run {
    let column = |x: f64| (x * 2.0).floor();
    let mut out = Run::new();
    for group in run.chunk_by(|a, b| column(a.0) == column(b.0)) {
        if group.len() <= 4 {
            out.extend_from_slice(group);
            continue;
        }
        let by_height = |a: &usize, b: &usize| group[*a].1.total_cmp(&group[*b].1);
        let lowest = (0..group.len()).min_by(by_height).unwrap_or(0);
        let highest = (0..group.len()).max_by(by_height).unwrap_or(0);
        let mut kept = [0, lowest, highest, group.len() - 1];
        kept.sort_unstable();
        let mut before = usize::MAX;
        for index in kept {
            if index != before {
                out.push(group[index]);
            }
            before = index;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_finer_than_a_pixel_keeps_its_extent() {
        let run: Run = (0..10_000)
            .map(|at| (at as f64 / 100.0, if at == 5_555 { 900.0 } else { (at % 7) as f64 }))
            .collect();
        let drawn = drawn(&run);
        assert!(drawn.len() <= 4 * 200 + 4, "{}", drawn.len());
        assert!(drawn.contains(&run[5_555]) && drawn[0] == run[0] && drawn.last() == run.last());
        assert_eq!(drawn.len(), drawn.iter().filter(|point| run.contains(point)).count());
    }
}
