//! Breaks units into lines: where lines end, how they fill the width, where glyphs are drawn.
//!
//! Justified text is broken so that the whole paragraph looks even, all other text line by line. Both take time in
//! proportion to the length.

use super::paragraph::Paragraph;
use super::shape::{Class, Ends, Glyph, Shaped, Unit};
use super::spacing::Spacing;
use super::style::{LOWERED_BY, RAISED_BY, RAISED_SIZE, Style};
use crate::shared::glyphs::scripts::may_part;

/// A line is left as it is if it would have to stretch by more than this multiple of its stretch.
const MOST_STRETCH: f64 = 9.0;

/// Cost of a line that ends within a word, and within a word at a place where addresses and names may break.
const PART_COST: f64 = 4.0e7;
const NICE_PART_COST: f64 = 2.5e5;

/// Most characters of a word that stays whole if it fits on a line of its own.
const MAX_WORD: usize = 40;

/// Most places in one line: units without width would never fill it.
const MAX_PLACES: usize = 1_000;

/// A paragraph with more places than this, about three pages of Chinese, is broken line by line.
const LONG_PLACES: usize = 5_000;

/// How lines fill the width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    /// Both edges are straight.
    Justified,
    /// The far edge is uneven.
    Ragged,
    /// Like `Ragged`, and spaces at the start of a line count.
    Code,
}

/// A line with positioned glyphs. Lengths are in points, from its left end.
#[derive(Debug, Default)]
pub(super) struct Line {
    pub(super) runs: Vec<Run>,
    pub(super) width: f32,
    /// Numbers of the footnotes whose first reference is in it.
    pub(super) notes: Vec<usize>,
}

/// Text of one style and one face.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) x: f32,
    pub(super) width: f32,
    /// Height above the baseline.
    pub(super) above: f32,
    pub(super) face: u8,
    pub(super) style: Style,
    pub(super) text: String,
    pub(super) glyphs: Vec<Placed>,
    /// Start, end and number of the dots below Chinese text.
    pub(super) dots: Vec<(f32, f32, u32)>,
}

/// A glyph with its part of the run's text. Lengths are in ems.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub(super) glyph: Glyph,
    pub(super) text: (u32, u32),
}

/// Breaks a paragraph into lines of this width.
pub(super) fn lines(paragraph: &Paragraph, shaped: &Shaped, width: f32, edge: Edge) -> Vec<Line> {
    let breaker = Breaker {
        paragraph,
        shaped,
        spacing: Spacing::new(paragraph, shaped),
        width: f64::from(width.max(1.0)),
        edge,
    };
    let mut lines = Vec::new();
    let mut start = 0;
    for part in shaped.units.split_inclusive(|unit| unit.ends == Ends::Must) {
        breaker.part(start, start + part.len(), &mut lines);
        start += part.len();
    }
    if lines.is_empty() {
        lines.push(Line::default());
    }
    lines
}

/// A place where a line may end.
#[derive(Clone, Copy)]
struct Breakpoint {
    /// The unit after it.
    unit: usize,
    cost: f64,
}

struct Breaker<'a> {
    paragraph: &'a Paragraph,
    shaped: &'a Shaped,
    spacing: Spacing,
    width: f64,
    edge: Edge,
}

impl Breaker<'_> {
    /// Adds the lines of units without a forced line break.
    fn part(&self, start: usize, end: usize, lines: &mut Vec<Line>) {
        let breakpoints = self.breakpoints(start, end);
        let ends = match self.edge {
            Edge::Justified if breakpoints.len() <= LONG_PLACES => self.even(start, &breakpoints),
            _ => self.greedy(start, &breakpoints),
        };
        let mut first = start;
        for last in ends {
            lines.push(self.line(first, last, last == end));
            first = last;
        }
    }

    /// Returns the breakpoints of lines. Words that are wider than a line, and very long ones, have breakpoints within them.
    fn breakpoints(&self, start: usize, end: usize) -> Vec<Breakpoint> {
        let mut breakpoints = Vec::new();
        let mut word = start;
        let mut has_begun = false;
        for index in start..end {
            let Some(unit) = self.shaped.units.get(index) else { break };
            has_begun |= unit.class != Class::Space;
            let is_end = index + 1 == end;
            // Indentation of code may not be broken off.
            let may = unit.ends == Ends::May && (has_begun || self.edge != Edge::Code);
            if !may && !is_end {
                continue;
            }
            let is_wide = self.spacing.natural(word, index + 1) > self.width;
            if is_wide || (index - word >= MAX_WORD && self.edge != Edge::Code) {
                self.inside(word, index + 1, is_wide, &mut breakpoints);
            }
            breakpoints.push(Breakpoint { unit: index + 1, cost: 0.0 });
            word = index + 1;
        }
        breakpoints
    }

    /// Adds breakpoints within a word.
    fn inside(&self, start: usize, end: usize, is_wide: bool, breakpoints: &mut Vec<Breakpoint>) {
        let text = &self.paragraph.text;
        let mut since = 0;
        for index in start..end.saturating_sub(1) {
            let (Some(unit), Some(next)) =
                (self.shaped.units.get(index), self.shaped.units.get(index + 1))
            else {
                return;
            };
            since += 1;
            let before = text.get(..unit.text.1 as usize).and_then(|text| text.chars().next_back());
            let after = text.get(next.text.0 as usize..).and_then(|text| text.chars().next());
            let (Some(before), Some(after)) = (before, after) else { continue };
            if !may_part(before, after) || next.class == Class::Space {
                continue;
            }
            let is_nice = since >= 4
                && matches!(
                    before,
                    '/' | '_' | '-' | '.' | '&' | '?' | '=' | ':' | ',' | '\\' | ' '
                );
            // Marks that must not begin or end a line are separated from their neighbour only if nothing else fits.
            let is_bound = matches!(next.class, Class::Close) || matches!(unit.class, Class::Open);
            if is_nice {
                breakpoints.push(Breakpoint { unit: index + 1, cost: NICE_PART_COST });
                since = 0;
            } else if is_wide {
                let cost = if is_bound { PART_COST * 1e3 } else { PART_COST };
                breakpoints.push(Breakpoint { unit: index + 1, cost });
            }
        }
    }

    /// Returns the ends of lines, each as far as it fits.
    fn greedy(&self, start: usize, breakpoints: &[Breakpoint]) -> Vec<usize> {
        let mut ends = Vec::new();
        let mut first = start;
        let mut index = 0;
        while index < breakpoints.len() {
            let mut best: Option<usize> = None;
            let mut at = index;
            while let Some(breakpoint) = breakpoints.get(at) {
                // Half a point for rounding errors.
                if self.spacing.natural(first, breakpoint.unit) > self.width + 0.5 {
                    break;
                }
                let is_better = best.is_none_or(|best| {
                    let before = breakpoints.get(best).map_or(0.0, |breakpoint| breakpoint.cost);
                    breakpoint.cost <= before || {
                        // Breaking a word is better than a line that is half empty.
                        let filled = breakpoints
                            .get(best)
                            .map_or(0.0, |breakpoint| self.spacing.natural(first, breakpoint.unit));
                        filled < self.width * 0.5 && breakpoint.cost < PART_COST * 10.0
                    }
                });
                if is_better {
                    best = Some(at);
                }
                at += 1;
            }
            let taken = best.unwrap_or(index);
            let Some(breakpoint) = breakpoints.get(taken) else { break };
            ends.push(breakpoint.unit);
            first = breakpoint.unit;
            index = taken + 1;
        }
        ends
    }

    /// Returns the most even line ends: for each breakpoint the cheapest way to it.
    fn even(&self, start: usize, breakpoints: &[Breakpoint]) -> Vec<usize> {
        let mut costs: Vec<f64> = Vec::with_capacity(breakpoints.len());
        let mut ways: Vec<usize> = Vec::with_capacity(breakpoints.len());
        for (index, breakpoint) in breakpoints.iter().enumerate() {
            let is_last = index + 1 == breakpoints.len();
            let mut best = (f64::INFINITY, index);
            // From the shortest line to the longest.
            for from in (0..=index).rev().take(MAX_PLACES) {
                let (first, before) = match from.checked_sub(1) {
                    None => (start, 0.0),
                    Some(before) => (
                        breakpoints.get(before).map_or(start, |breakpoint| breakpoint.unit),
                        costs.get(before).copied().unwrap_or_default(),
                    ),
                };
                let Some(cost) = self.cost(first, breakpoint.unit, is_last) else {
                    // Even the shortest line is too long, so there is no other way.
                    if from == index {
                        best = (before + 1e15, from);
                    }
                    if self.is_hopeless(first, breakpoint.unit) {
                        break;
                    }
                    continue;
                };
                let total = before + cost + breakpoint.cost;
                if total < best.0 {
                    best = (total, from);
                }
            }
            costs.push(best.0);
            ways.push(best.1);
        }
        let mut ends = Vec::new();
        let mut index = breakpoints.len();
        while let Some((breakpoint, way)) =
            index.checked_sub(1).and_then(|last| Some((breakpoints.get(last)?, ways.get(last)?)))
        {
            ends.push(breakpoint.unit);
            index = *way;
        }
        ends.reverse();
        ends
    }

    /// Returns `true` if a line is so long that no longer one can fit.
    fn is_hopeless(&self, first: usize, last: usize) -> bool {
        let natural = self.spacing.natural(first, last);
        natural - self.spacing.shrink(first, last) > self.width * 1.1 + 30.0
    }

    /// Returns the cost of a line; `None` if it does not fit.
    fn cost(&self, first: usize, last: usize, is_last: bool) -> Option<f64> {
        let natural = self.spacing.natural(first, last);
        let slack = self.width - natural;
        let ratio = if slack < 0.0 {
            let shrink = self.spacing.shrink(first, last);
            if -slack > shrink + 0.01 {
                return None;
            }
            -slack / shrink.max(0.01)
        } else if is_last {
            // A single character makes a bad last line.
            if natural < self.width * 0.06 { 1.2 } else { 0.0 }
        } else {
            slack / self.spacing.stretch(first, last).max(0.01)
        };
        Some((1.0 + 100.0 * ratio.min(30.0).powi(3)).powi(2))
    }

    /// Returns the units from `first` to `last` as a line.
    fn line(&self, first: usize, last: usize, is_last: bool) -> Line {
        let all = &self.shaped.units;
        let visible = self.spacing.visible_end(first, last);
        let natural = self.spacing.natural(first, last);
        let slack = self.width - natural;
        let stretch = self.spacing.stretch(first, last);
        let shrink = self.spacing.shrink(first, last);
        let ratio = match self.edge {
            Edge::Justified if slack < 0.0 && shrink > 0.0 => (slack / shrink).max(-1.0),
            Edge::Justified if !is_last && slack > 0.0 && stretch > 0.0 => {
                Some(slack / stretch).filter(|ratio| *ratio < MOST_STRETCH).unwrap_or(0.0)
            }
            _ => 0.0,
        };
        let order = order(all.get(first..visible).unwrap_or_default(), self.shaped.is_mixed);
        let mut line = Line::default();
        let mut x = 0.0_f64;
        for (place, offset) in order.iter().enumerate() {
            let index = first + offset;
            let Some(unit) = all.get(index) else { continue };
            let is_end = place + 1 == order.len();
            let shift = self.spacing.trim_before(index, index == first);
            let advance = self.spacing.advance(index, index == first, is_end, ratio, unit);
            self.add(&mut line, unit, x as f32, advance as f32, shift as f32);
            x += advance;
        }
        line.width = x as f32;
        // The space at the end is invisible; it separates words when text is extracted.
        if let Some(space) = all
            .get(visible..last)
            .and_then(|rest| rest.iter().find(|unit| unit.class == Class::Space))
            && !self.shaped.is_mixed
            && visible > first
        {
            self.add(&mut line, space, x as f32, 0.0, 0.0);
        }
        let range = all.get(first).map_or(0, |unit| unit.text.0)
            ..all.get(last.saturating_sub(1)).map_or(0, |unit| unit.text.1);
        let notes = self.paragraph.notes.iter().filter(|(at, _)| range.contains(&(*at as u32)));
        line.notes = notes.map(|(_, number)| *number).collect();
        line
    }

    /// Adds a unit to a line.
    fn add(&self, line: &mut Line, unit: &Unit, x: f32, advance: f32, shift: f32) {
        let Some((_, style)) = self.paragraph.spans.get(unit.span as usize) else { return };
        let part = self.paragraph.text.get(unit.text.0 as usize..unit.text.1 as usize);
        let part = part.unwrap_or_default();
        let glyphs = self.shaped.glyphs.get(unit.glyphs.0 as usize..unit.glyphs.1 as usize);
        let glyphs = glyphs.unwrap_or_default();
        if glyphs.is_empty() {
            return;
        }
        let from_right = unit.level % 2 == 1;
        let open = line.runs.last().filter(|run| {
            run.face == unit.face
                && run.style == *style
                && !from_right
                && run.style.link == style.link
        });
        if open.is_none() {
            line.runs.push(Run {
                x,
                width: 0.0,
                above: match (style.is_raised, style.is_lowered) {
                    (true, true) => -style.size / RAISED_SIZE * LOWERED_BY,
                    (true, false) => style.size / RAISED_SIZE * RAISED_BY,
                    (false, _) => 0.0,
                },
                face: unit.face,
                style: *style,
                text: String::new(),
                glyphs: Vec::new(),
                dots: Vec::new(),
            });
        }
        let Some(run) = line.runs.last_mut() else { return };
        let start = run.text.len() as u32;
        run.text.push_str(part);
        let text = (start, run.text.len() as u32);
        // Any difference between the width of the unit and of its glyphs goes behind the last one.
        let own: f32 = glyphs.iter().map(|glyph| glyph.advance).sum();
        let last = glyphs.len() - 1;
        for (index, glyph) in glyphs.iter().enumerate() {
            let more = if index == last { advance - own } else { 0.0 };
            // Converted to ems, because the writer needs several sizes.
            let ems = |points: f32| points / style.size.max(0.01);
            let glyph = Glyph {
                id: glyph.id,
                advance: ems(glyph.advance + more),
                x: ems(glyph.x - shift),
                y: ems(glyph.y),
            };
            run.glyphs.push(Placed { glyph, text });
        }
        if style.has_dots && unit.class == Class::Han {
            match run.dots.last_mut() {
                Some((_, end, count)) if (*end - x).abs() < 0.01 => {
                    *end = x + advance;
                    *count += 1;
                }
                _ => run.dots.push((x, x + advance, 1)),
            }
        }
        run.width = x + advance - run.x;
    }
}

/// Returns the units of a line from left to right: right-to-left runs are reversed, the innermost first.
fn order(units: &[Unit], is_mixed: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..units.len()).collect();
    if !is_mixed {
        return order;
    }
    let levels: Vec<u8> = units.iter().map(|unit| unit.level).collect();
    let highest = levels.iter().copied().max().unwrap_or(0);
    for level in (1..=highest).rev() {
        let mut start = 0;
        while start < order.len() {
            let is_in = |place: usize| {
                order.get(place).and_then(|index| levels.get(*index)).is_some_and(|at| *at >= level)
            };
            if !is_in(start) {
                start += 1;
                continue;
            }
            let mut end = start;
            while end < order.len() && is_in(end) {
                end += 1;
            }
            if let Some(part) = order.get_mut(start..end) {
                part.reverse();
            }
            start = end;
        }
    }
    order
}
