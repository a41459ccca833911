//! A drawing: a few kinds of shapes, positioned in pixels from the left and from the top. Knows neither charts nor files.

use super::measure::Font;
use super::palette::Mark;

/// A drawing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Scene {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(super) shapes: Vec<Shape>,
    /// Name: the title of the chart, or its kind.
    pub(crate) name: String,
    /// Alternative text.
    pub(crate) alternative: String,
    /// Losses and changes, one sentence each.
    pub(crate) warnings: Vec<String>,
}

/// A shape.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    Rectangle { x: f64, y: f64, width: f64, height: f64, fill: &'static str },
    Path { segments: Vec<PathSegment>, paint: Paint },
    Text(Text),
}

/// Fill and line of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Paint {
    pub(super) fill: Option<&'static str>,
    /// Opacity from 0 to 1.
    pub(super) fill_opacity: f64,
    /// Colour and width of the line.
    pub(super) stroke: Option<(&'static str, f64)>,
    /// Dashes in multiples of the line's width.
    pub(super) dashes: &'static [f64],
}

impl Paint {
    pub(super) fn fill(color: &'static str) -> Paint {
        Paint { fill: Some(color), fill_opacity: 1.0, ..Paint::default() }
    }

    pub(super) fn stroke(color: &'static str, width: f64) -> Paint {
        Paint { stroke: Some((color, width)), ..Paint::default() }
    }
}

/// A segment of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PathSegment {
    Move(f64, f64),
    Line(f64, f64),
    Curve([f64; 6]),
    Close,
}

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Text {
    pub(super) x: f64,
    /// Position of the baseline.
    pub(super) y: f64,
    pub(super) text: String,
    pub(super) font: Font,
    pub(super) color: &'static str,
    pub(super) anchor: Anchor,
    /// Clockwise rotation around its position, in degrees.
    pub(super) turn: f64,
}

/// The part of a text that is at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Scene {
    pub(super) fn new(width: f64, height: f64) -> Scene {
        Scene { width, height, ..Scene::default() }
    }

    pub(super) fn rectangle(
        &mut self,
        x: f64,
        y: f64,
        width: f64,
        height: f64,
        fill: &'static str,
    ) {
        self.shapes.push(Shape::Rectangle { x, y, width, height, fill });
    }

    pub(super) fn path(&mut self, segments: Vec<PathSegment>, paint: Paint) {
        if segments.len() > 1 {
            self.shapes.push(Shape::Path { segments, paint });
        }
    }

    pub(super) fn line(
        &mut self,
        from: (f64, f64),
        to: (f64, f64),
        color: &'static str,
        width: f64,
    ) {
        let segments = vec![PathSegment::Move(from.0, from.1), PathSegment::Line(to.0, to.1)];
        self.path(segments, Paint::stroke(color, width));
    }

    pub(super) fn text(
        &mut self,
        at: (f64, f64),
        text: &str,
        font: Font,
        color: &'static str,
        anchor: Anchor,
    ) {
        if text.is_empty() {
            return;
        }
        let (x, y) = at;
        let text = text.to_owned();
        self.shapes.push(Shape::Text(Text { x, y, text, font, color, anchor, turn: 0.0 }));
    }

    /// Rotates the last text.
    pub(super) fn turn(&mut self, degrees: f64) {
        if let Some(Shape::Text(text)) = self.shapes.last_mut() {
            text.turn = degrees;
        }
    }

    pub(super) fn mark(
        &mut self,
        (x, y): (f64, f64),
        radius: f64,
        mark: Mark,
        color: &'static str,
    ) {
        let mut segments = Vec::new();
        add_mark(&mut segments, (x, y), radius, mark);
        let rim = Some((super::palette::WHITE, 1.0));
        self.path(segments, Paint { stroke: rim, ..Paint::fill(color) });
    }
}

/// Adds the outline of a mark to a path.
pub(super) fn add_mark(
    segments: &mut Vec<PathSegment>,
    (x, y): (f64, f64),
    radius: f64,
    mark: Mark,
) {
    use PathSegment::{Close, Curve, Line, Move};

    let r = radius;
    match mark {
        Mark::Disc => {
            // Four curves that differ from a circle by less than a thousandth.
            let k = r * 0.552_284_75;
            segments.push(Move(x + r, y));
            segments.push(Curve([x + r, y + k, x + k, y + r, x, y + r]));
            segments.push(Curve([x - k, y + r, x - r, y + k, x - r, y]));
            segments.push(Curve([x - r, y - k, x - k, y - r, x, y - r]));
            segments.push(Curve([x + k, y - r, x + r, y - k, x + r, y]));
        }
        Mark::Square => {
            let r = r * 0.92;
            segments.extend([
                Move(x - r, y - r),
                Line(x + r, y - r),
                Line(x + r, y + r),
                Line(x - r, y + r),
            ]);
        }
        Mark::Triangle => {
            let r = r * 1.25;
            segments.extend([Move(x, y - r), Line(x + r, y + r * 0.75), Line(x - r, y + r * 0.75)]);
        }
        Mark::Diamond => {
            let r = r * 1.3;
            segments.extend([Move(x, y - r), Line(x + r, y), Line(x, y + r), Line(x - r, y)]);
        }
    }
    segments.push(Close);
}

/// Adds curves along a circle around `center`, from one angle to another in radians, clockwise from the top.
pub(super) fn arc(
    segments: &mut Vec<PathSegment>,
    center: (f64, f64),
    radius: f64,
    from: f64,
    to: f64,
) {
    let pieces = (((to - from).abs() / std::f64::consts::FRAC_PI_4).ceil() as usize).clamp(1, 16);
    let turn = (to - from) / pieces as f64;
    let k = 4.0 / 3.0 * (turn / 4.0).tan() * radius;
    let at = |angle: f64| (center.0 + radius * angle.sin(), center.1 - radius * angle.cos());
    for piece in 0..pieces {
        let (a, b) = (from + turn * piece as f64, from + turn * (piece + 1) as f64);
        let ((ax, ay), (bx, by)) = (at(a), at(b));
        segments.push(PathSegment::Curve([
            ax + k * a.cos(),
            ay + k * a.sin(),
            bx - k * b.cos(),
            by - k * b.sin(),
            bx,
            by,
        ]));
    }
}
