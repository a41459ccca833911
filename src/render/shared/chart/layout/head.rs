//! Everything above and below the plot: titles, the legend, the source.

use super::super::palette::{self, GREY, INK, Mark};
use super::super::scene::{Anchor, Paint, PathSegment};
use super::super::words;
use super::{Drawing, EDGE, LABEL, SMALL, SUBTITLE, TITLE};
use crate::model::chart::description::ChartRole;
use crate::model::chart::description::ChartShape;

/// Space between two entries of the legend, and between symbol and text.
const ENTRY_GAP: f64 = 18.0;
const SIGN_GAP: f64 = 6.0;
/// Width of the symbol of a line, and of an area.
const LINE_SIGN: f64 = 22.0;
const AREA_SIGN: f64 = 11.0;

impl Drawing<'_> {
    /// Draws title and subtitle. Returns where they end.
    pub(super) fn head(&mut self) -> f64 {
        let width = self.scene.width - 2.0 * EDGE;
        let mut top = EDGE;
        let chart = self.chart;
        let texts = [(&chart.title, TITLE, INK, 3), (&chart.subtitle, SUBTITLE, GREY, 3)];
        for (text, font, color, most) in texts {
            let Some(text) = text else { continue };
            for line in self.wrap(text, font, width, most) {
                let y = top + font.line() / 2.0 + font.drop();
                self.scene.text((EDGE, y), &line, font, color, Anchor::Start);
                top += font.line();
            }
            top += 2.0;
        }
        if top > EDGE { top + 6.0 } else { top }
    }

    /// Draws the source. Returns where the plot ends.
    pub(super) fn foot(&mut self) -> f64 {
        let width = self.scene.width - 2.0 * EDGE;
        let mut bottom = self.scene.height - EDGE;
        let Some(source) = &self.chart.source else { return bottom };
        let text = words::source(source, self.is_chinese);
        let lines = self.wrap(&text, SMALL, width, 3);
        bottom -= SMALL.line() * lines.len() as f64;
        for (index, line) in lines.iter().enumerate() {
            let y = bottom + SMALL.line() * (index as f64 + 0.5) + SMALL.drop();
            self.scene.text((EDGE, y), line, SMALL, GREY, Anchor::Start);
        }
        bottom - 8.0
    }

    /// Draws a legend from `top`. Returns where it ends.
    pub(super) fn legend(&mut self, top: f64) -> f64 {
        let room = self.scene.width - 2.0 * EDGE;
        let (mut x, mut y) = (EDGE, top);
        let chart = self.chart;
        for (index, series) in chart.series.iter().enumerate() {
            let is_line = self.is_line(index);
            let sign = if is_line { LINE_SIGN } else { AREA_SIGN };
            let name = match series.role {
                ChartRole::Second if !series.name.trim().is_empty() => {
                    format!("{}{}", series.name.trim(), self.say("（右轴）", " (right axis)"))
                }
                _ => series.name.trim().to_owned(),
            };
            let name = self.fit(&name, LABEL, room - sign - SIGN_GAP);
            let width = sign + SIGN_GAP + LABEL.width(&name);
            if x > EDGE && x + width > EDGE + room {
                (x, y) = (EDGE, y + LABEL.line() + 2.0);
            }
            let middle = y + LABEL.line() / 2.0;
            self.sign(index, (x, middle));
            let at = (x + sign + SIGN_GAP, middle + LABEL.drop());
            self.scene.text(at, &name, LABEL, INK, Anchor::Start);
            x += width + ENTRY_GAP;
        }
        y + LABEL.line() + 8.0
    }

    /// Returns `true` if a series is drawn as a line.
    pub(super) fn is_line(&self, index: usize) -> bool {
        self.chart.kind == ChartShape::Line
            || self.chart.series.get(index).is_some_and(|series| series.role != ChartRole::Main)
    }

    /// Draws the symbol of a series, left of its name.
    fn sign(&mut self, index: usize, (x, y): (f64, f64)) {
        let color = palette::color(index);
        if self.is_line(index) {
            let segments = vec![PathSegment::Move(x, y), PathSegment::Line(x + LINE_SIGN, y)];
            let paint = Paint { dashes: self.dashes(index), ..Paint::stroke(color, 2.2) };
            self.scene.path(segments, paint);
            if self.has_marks() {
                self.scene.mark((x + LINE_SIGN / 2.0, y), 3.6, palette::mark(index), color);
            }
        } else if self.chart.kind == ChartShape::Scatter {
            self.scene.mark((x + AREA_SIGN / 2.0, y), 4.2, palette::mark(index), color);
        } else {
            self.scene.rectangle(x, y - AREA_SIGN / 2.0, AREA_SIGN, AREA_SIGN, color);
        }
    }

    /// Returns `true` if the points of lines have marks.
    pub(super) fn has_marks(&self) -> bool {
        self.chart.len() <= 24
    }

    /// Returns the mark of a series.
    pub(super) fn mark_of(&self, index: usize) -> Mark {
        palette::mark(index)
    }
}
