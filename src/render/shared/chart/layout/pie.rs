//! Pies and doughnuts, with names beside their slices.

use std::f64::consts::TAU;

use super::super::palette::{self, GREY, INK, WHITE};
use super::super::scene::{Anchor, Paint, PathSegment, arc};
use super::{Area, Drawing, LABEL, STRONG, spread};
use crate::model::chart::description::{ChartLabels, ChartShape};

/// Space between the disc and its names.
const GAP: f64 = 16.0;
/// Most lines of a name.
const MAX_LINES: usize = 3;

/// A slice.
struct Slice {
    /// Index of its category.
    at: usize,
    share: f64,
    value: f64,
    /// Angle of its middle, clockwise from the top.
    middle: f64,
}

impl Drawing<'_> {
    pub(super) fn pie(&mut self, area: Area) {
        let slices = self.slices();
        let (center_x, center_y) = ((area.left + area.right) / 2.0, (area.top + area.bottom) / 2.0);
        let radius = ((area.height() - 16.0) / 2.0).min(area.width() * 0.27).max(20.0);
        let center = (center_x, center_y);
        let hole = if self.chart.kind == ChartShape::Doughnut { radius * 0.58 } else { 0.0 };
        let is_one = slices.iter().filter(|slice| slice.share > 0.0).count() == 1;
        let mut from = 0.0;
        for slice in slices.iter().filter(|slice| slice.share > 0.0) {
            let to = from + slice.share * TAU;
            let rim = Some((WHITE, 1.6)).filter(|_| !is_one);
            let paint = Paint { stroke: rim, ..Paint::fill(palette::color(slice.at)) };
            self.scene.path(wedge(center, radius, hole, (from, to), is_one), paint);
            from = to;
        }
        if hole > 0.0 {
            self.whole(center, hole, &slices);
        }
        self.name_slices(area, center, radius, &slices);
    }

    fn slices(&self) -> Vec<Slice> {
        let values: Vec<(usize, f64)> =
            (0..self.chart.len()).filter_map(|at| Some((at, self.value(0, at)?))).collect();
        let whole: f64 = values.iter().map(|(_, value)| value).sum();
        let mut from = 0.0;
        let slice = |(at, value): (usize, f64)| {
            let share = value / whole;
            let middle = (from + share / 2.0) * TAU;
            from += share;
            Slice { at, share, value, middle }
        };
        values.into_iter().map(slice).collect()
    }

    /// Draws the sum in the middle of a ring.
    fn whole(&mut self, center: (f64, f64), hole: f64, slices: &[Slice]) {
        let whole: f64 = slices.iter().map(|slice| slice.value).sum();
        let format = &self.chart.format;
        if matches!(format.style, crate::model::chart::format::NumberStyle::Percent) {
            return;
        }
        let numbers = crate::model::chart::format::Numbers::of_values(
            format,
            &mut std::iter::once(whole),
            self.is_chinese,
        );
        let font = super::super::measure::Font::bold(18.0);
        let text = numbers.text(whole);
        if font.width(&text) > hole * 1.8 {
            return;
        }
        let word = self.say("合计", "Total");
        self.scene.text((center.0, center.1 - 8.0), word, LABEL, GREY, Anchor::Middle);
        self.scene.text((center.0, center.1 + 14.0), &text, font, INK, Anchor::Middle);
    }

    /// Draws names beside the slices, each on the side of its slice.
    fn name_slices(&mut self, area: Area, center: (f64, f64), radius: f64, slices: &[Slice]) {
        let shares = self.share_numbers(&mut slices.iter().map(|slice| slice.share));
        let values = self.value_numbers(false);
        let room = (area.width() / 2.0 - radius - GAP - 8.0).max(30.0);
        for is_right in [true, false] {
            let side: Vec<&Slice> =
                slices.iter().filter(|slice| (slice.middle.sin() >= 0.0) == is_right).collect();
            let many = side.len() as f64 * 2.0 * LABEL.line() > area.height();
            let mut blocks = Vec::new();
            for slice in &side {
                let mut share = shares.text(slice.share);
                if self.chart.labels == ChartLabels::All {
                    share = format!("{share}（{}）", values.text(slice.value));
                    if !self.is_chinese {
                        share = share.replace('（', " (").replace('）', ")");
                    }
                }
                let chart = self.chart;
                let name = chart.categories.get(slice.at).map_or("", |name| name.trim());
                // One line if there are many slices, otherwise the share below the name.
                blocks.push(if many {
                    let name = self.fit(name, LABEL, (room - STRONG.width(&share) - 6.0).max(20.0));
                    (vec![name], share, true)
                } else {
                    (self.wrap(name, LABEL, room, MAX_LINES), share, false)
                });
            }
            let heights: Vec<f64> = blocks
                .iter()
                .map(|(lines, _, is_one)| {
                    LABEL.line() * (lines.len() + usize::from(!is_one)) as f64 + 2.0
                })
                .collect();
            let wanted: Vec<f64> =
                side.iter().map(|slice| center.1 - (radius + GAP) * slice.middle.cos()).collect();
            let total: f64 = heights.iter().sum();
            // Names may be too close, which is better than none.
            let squeeze = (area.height() / total).min(1.0);
            let heights: Vec<f64> = heights.iter().map(|height| height * squeeze * 0.999).collect();
            let Some(places) = spread(&wanted, &heights, area.top, area.bottom) else { continue };
            // If names had to move far, they form a column, so that no leader crosses another name.
            let has_column = places
                .iter()
                .zip(&wanted)
                .any(|(place, wanted)| (place - wanted).abs() > LABEL.size);
            for ((slice, block), place) in side.iter().zip(&blocks).zip(places) {
                self.name_slice(center, radius, slice, block, (place, is_right, has_column));
            }
        }
    }

    fn name_slice(
        &mut self,
        center: (f64, f64),
        radius: f64,
        slice: &Slice,
        (lines, share, is_one): &(Vec<String>, String, bool),
        (place, is_right, has_column): (f64, bool, bool),
    ) {
        let side = if is_right { 1.0 } else { -1.0 };
        let (sin, cos) = (slice.middle.sin(), slice.middle.cos());
        let edge = (center.0 + radius * sin, center.1 - radius * cos);
        let knee = (center.0 + (radius + 7.0) * sin, center.1 - (radius + 7.0) * cos);
        // Names stand around the disc, not in a column far from it.
        let height = ((place - center.1) / (radius + GAP)).clamp(-1.0, 1.0);
        let reach = (1.0 - height * height).sqrt() * (radius + GAP);
        let reach = if has_column { radius + GAP } else { reach.max(sin.abs() * (radius + 7.0)) };
        let x = center.0 + side * (reach + 6.0);
        let segments = vec![
            PathSegment::Move(edge.0, edge.1),
            PathSegment::Line(knee.0, knee.1),
            PathSegment::Line(x - side * 2.0, place),
        ];
        self.scene.path(segments, Paint::stroke("#9aa3ad", 1.0));
        let anchor = if is_right { Anchor::Start } else { Anchor::End };
        let x = x + side * 2.0;
        let color = palette::text_color(slice.at);
        if *is_one {
            let y = place + LABEL.drop();
            let name = lines.first().map_or("", String::as_str);
            let (first, second) =
                if is_right { (name, share.as_str()) } else { (share.as_str(), name) };
            let (name_x, share_x) = if is_right {
                (x, x + LABEL.width(first) + 6.0)
            } else {
                (x, x - LABEL.width(second) - 6.0)
            };
            self.scene.text((name_x, y), name, LABEL, INK, anchor);
            self.scene.text((share_x, y), share, STRONG, color, anchor);
            return;
        }
        let top = place - LABEL.line() * (lines.len() + 1) as f64 / 2.0;
        for (number, line) in lines.iter().enumerate() {
            let y = top + LABEL.line() * (number as f64 + 0.5) + LABEL.drop();
            self.scene.text((x, y), line, LABEL, INK, anchor);
        }
        let y = top + LABEL.line() * (lines.len() as f64 + 0.5) + LABEL.drop();
        self.scene.text((x, y), share, STRONG, color, anchor);
    }
}

/// Draws a slice of a disc or of a ring.
fn wedge(
    center: (f64, f64),
    radius: f64,
    hole: f64,
    (from, to): (f64, f64),
    is_whole: bool,
) -> Vec<PathSegment> {
    let at = |radius: f64, angle: f64| {
        (center.0 + radius * angle.sin(), center.1 - radius * angle.cos())
    };
    let (start_x, start_y) = at(radius, from);
    let mut segments = vec![PathSegment::Move(start_x, start_y)];
    arc(&mut segments, center, radius, from, to);
    if hole > 0.0 {
        let (x, y) = at(hole, to);
        // A whole ring is two circles; a line between them would be visible.
        segments.push(if is_whole { PathSegment::Move(x, y) } else { PathSegment::Line(x, y) });
        arc(&mut segments, center, hole, to, from);
    } else if !is_whole {
        segments.push(PathSegment::Line(center.0, center.1));
    }
    segments.push(PathSegment::Close);
    segments
}
