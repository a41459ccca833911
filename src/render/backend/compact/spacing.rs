//! Space between the units of a line: between Chinese and Latin and at full-width marks, and how much of it may grow or
//! shrink.
//!
//! Keeps sums from the beginning of the paragraph, so that the width of any line is a difference of two.

use super::paragraph::Paragraph;
use super::shape::{Class, Shaped, Unit};

/// Space between Chinese and Latin, in ems.
const BETWEEN_SCRIPTS: f64 = 0.25;

/// Share by which space may shrink: of a space, between scripts, of the empty half of a mark.
const SHRINK_SPACE: f64 = 0.3;
const SHRINK_BETWEEN: f64 = 0.5;
const SHRINK_MARK: f64 = 0.2;

/// Ems by which space may grow without being noticed: a space, between scripts, between characters.
const STRETCH_SPACE: f64 = 0.13;
const STRETCH_BETWEEN: f64 = 0.12;
const STRETCH_HAN: f64 = 0.045;

/// Width of the empty half of a full-width mark, in ems.
const HALF: f64 = 0.5;

/// The spaces of a paragraph.
pub(super) struct Spacing {
    around: Vec<Around>,
    /// For each unit, the end of the visible units before it.
    seen: Vec<usize>,
    /// Sums of the units before each unit.
    natural: Vec<f64>,
    stretch: Vec<f64>,
    shrink: Vec<f64>,
}

/// Space around one unit.
#[derive(Clone, Copy, Default)]
struct Around {
    /// Width that its left half loses to the mark before it.
    trim_before: f64,
    /// Width that its right half loses to the mark behind it.
    trim_after: f64,
    /// Space between it and the next unit, unless the line ends there.
    gap: f64,
    /// Width that it loses at the start and at the end of a line.
    at_start: f64,
    at_end: f64,
    stretch: f64,
    shrink: f64,
}

impl Spacing {
    pub(super) fn new(paragraph: &Paragraph, shaped: &Shaped) -> Spacing {
        let units = &shaped.units;
        let size = |unit: &Unit| {
            paragraph.spans.get(unit.span as usize).map_or(0.0, |(_, style)| f64::from(style.size))
        };
        // The number of a footnote is close to its word.
        let is_raised = |unit: &Unit| {
            paragraph.spans.get(unit.span as usize).is_some_and(|(_, style)| style.is_raised)
        };
        let mut around = vec![Around::default(); units.len()];
        for (index, unit) in units.iter().enumerate() {
            let em = size(unit);
            let next = units.get(index + 1);
            let Some(own) = around.get_mut(index) else { continue };
            match unit.class {
                Class::Close => own.at_end = em * HALF,
                Class::Open => own.at_start = em * HALF,
                _ => {}
            }
            if unit.class == Class::Space {
                own.stretch = em * STRETCH_SPACE;
                own.shrink = f64::from(unit.width) * SHRINK_SPACE;
                continue;
            }
            let Some(next) = next else { continue };
            match (unit.class, next.class) {
                // Two adjacent empty halves become one.
                (Class::Close, Class::Close | Class::Open) => own.trim_after = em * HALF,
                (Class::Open, Class::Open) => {
                    if let Some(after) = around.get_mut(index + 1) {
                        after.trim_before = em * HALF;
                    }
                    continue;
                }
                (Class::Close, _) => own.shrink = em * SHRINK_MARK,
                (Class::Han, Class::Letter) | (Class::Letter, Class::Han)
                    if !is_raised(unit) && !is_raised(next) =>
                {
                    own.gap = em.max(size(next)) * BETWEEN_SCRIPTS;
                    own.stretch = em * STRETCH_BETWEEN;
                    own.shrink = own.gap * SHRINK_BETWEEN;
                }
                _ => {}
            }
            let is_full = |class: Class| {
                matches!(class, Class::Han | Class::Close | Class::Open | Class::Middle)
            };
            // Two dashes, and the dots of an ellipsis, are one stroke.
            let is_stroke = unit.class == Class::Middle && next.class == Class::Middle;
            if is_full(unit.class) && is_full(next.class) && !is_stroke {
                own.stretch = em * STRETCH_HAN;
            }
        }
        let mut spacing = Spacing {
            around,
            seen: Vec::with_capacity(units.len() + 1),
            natural: Vec::with_capacity(units.len() + 1),
            stretch: Vec::with_capacity(units.len() + 1),
            shrink: Vec::with_capacity(units.len() + 1),
        };
        let (mut natural, mut stretch, mut shrink) = (0.0, 0.0, 0.0);
        let mut seen = 0;
        for (index, (unit, own)) in units.iter().zip(&spacing.around).enumerate() {
            spacing.seen.push(seen);
            if unit.class != Class::Space && unit.glyphs.0 != unit.glyphs.1 {
                seen = index + 1;
            }
            spacing.natural.push(natural);
            spacing.stretch.push(stretch);
            spacing.shrink.push(shrink);
            natural += f64::from(unit.width) - own.trim_before - own.trim_after + own.gap;
            stretch += own.stretch;
            shrink += own.shrink;
        }
        spacing.seen.push(seen);
        spacing.natural.push(natural);
        spacing.stretch.push(stretch);
        spacing.shrink.push(shrink);
        spacing
    }

    /// Returns the end of the visible part of a line: without the spaces and the line break behind it. A line of nothing but
    /// spaces keeps them.
    pub(super) fn visible_end(&self, first: usize, last: usize) -> usize {
        let end = self.seen.get(last).copied().unwrap_or(last);
        if end > first { end } else { last }
    }

    /// Returns the width of a line that is neither stretched nor shrunk.
    pub(super) fn natural(&self, first: usize, last: usize) -> f64 {
        let end = self.visible_end(first, last);
        let own = |index: usize| self.around.get(index).copied().unwrap_or_default();
        let behind = end.checked_sub(1).map(own).unwrap_or_default();
        let front = own(first);
        let width = difference(&self.natural, first, end);
        // At the ends of a line the empty halves disappear, and no gap follows.
        width
            - behind.gap
            - (behind.at_end - behind.trim_after).max(0.0)
            - (front.at_start - front.trim_before).max(0.0)
    }

    pub(super) fn stretch(&self, first: usize, last: usize) -> f64 {
        self.elastic(&self.stretch, first, last, |own| own.stretch)
    }

    pub(super) fn shrink(&self, first: usize, last: usize) -> f64 {
        self.elastic(&self.shrink, first, last, |own| own.shrink)
    }

    /// Returns the sum over a line of what may change, without the space behind its last unit.
    fn elastic(&self, sums: &[f64], first: usize, last: usize, of: impl Fn(&Around) -> f64) -> f64 {
        let end = self.visible_end(first, last);
        let behind = end.checked_sub(1).and_then(|index| self.around.get(index)).map_or(0.0, of);
        (difference(sums, first, end) - behind).max(0.0)
    }

    /// Returns the distance by which the first glyph of a unit moves to the left.
    pub(super) fn trim_before(&self, index: usize, is_first: bool) -> f64 {
        let own = self.around.get(index).copied().unwrap_or_default();
        if is_first { own.at_start.max(own.trim_before) } else { own.trim_before }
    }

    /// Returns the width of a unit in a line; `ratio` is the share of its stretch (or, below zero, of its shrink) that is
    /// used.
    pub(super) fn advance(
        &self,
        index: usize,
        is_first: bool,
        is_last: bool,
        ratio: f64,
        unit: &Unit,
    ) -> f64 {
        let own = self.around.get(index).copied().unwrap_or_default();
        let width = f64::from(unit.width) - self.trim_before(index, is_first);
        if is_last {
            return width - own.at_end.max(own.trim_after);
        }
        let change = if ratio < 0.0 { own.shrink * ratio } else { own.stretch * ratio };
        width - own.trim_after + own.gap + change
    }
}

fn difference(sums: &[f64], first: usize, last: usize) -> f64 {
    let at = |index: usize| sums.get(index).copied().unwrap_or_default();
    at(last) - at(first)
}
