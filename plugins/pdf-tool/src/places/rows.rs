//! The text of a page as one row of characters, with the glyphs that they belong to.

use crate::redact::{Glyph, as_seen, fold, gap};
use std::ops::Range;

/// Stands between texts that do not belong together, such as columns. No text that is searched has it.
pub(super) const BREAK: char = '\u{1e}';
/// Most lines that are looked at to find the next one.
const MAX_LOOK: usize = 400;
/// Farthest next line, in sizes of the font.
const NEXT_LINE: f64 = 2.2;

/// A text with the glyphs of its characters.
pub(super) struct Row {
    pub(super) text: String,
    /// Where the text of each glyph begins.
    pub(super) owners: Vec<(usize, usize)>,
}

impl Row {
    fn push(&mut self, glyphs: &[Glyph], at: usize) {
        self.owners.push((self.text.len(), at));
        match glyphs[at].text.as_deref() {
            // A soft hyphen is kept: at the end of a line it joins a word.
            Some(text) => text.chars().for_each(|it| match it {
                '\u{ad}' => self.text.push(it),
                BREAK => {}
                it => fold(it, &mut self.text),
            }),
            None => self.text.push('\u{fffd}'),
        }
    }

    /// Returns the glyphs of a part of the text.
    pub(super) fn glyphs(&self, span: &Range<usize>) -> Vec<usize> {
        let first = self.owners.partition_point(|it| it.0 <= span.start).saturating_sub(1);
        let rest = self.owners[first..].iter();
        rest.take_while(|it| it.0 < span.end).map(|it| it.1).collect()
    }
}

/// Reads glyphs in the order of the content.
pub(super) fn by_content(glyphs: &[Glyph]) -> Row {
    let mut row = Row { text: String::new(), owners: Vec::new() };
    for at in 0..glyphs.len() {
        if let Some(before) = at.checked_sub(1).map(|it| &glyphs[it]) {
            match gap(before, &glyphs[at]) {
                // Far away on the same line, there is another cell or column.
                "\n" if is_same_line(before, &glyphs[at]) => row.text.push(BREAK),
                text => row.text.push_str(text),
            }
        }
        row.push(glyphs, at);
    }
    row
}

fn is_same_line(before: &Glyph, after: &Glyph) -> bool {
    let (cos, sin) = before.direction;
    let (dx, dy) = (after.origin.0 - before.end.0, after.origin.1 - before.end.1);
    (dy * cos - dx * sin).abs() <= 0.6 * before.size.max(1e-3)
}

/// A piece of a line without large gaps.
struct Line {
    glyphs: Vec<usize>,
    turn: f64,
    /// Place of its base line.
    across: f64,
    from: f64,
    to: f64,
    size: f64,
}

fn line(glyphs: &[Glyph], members: Vec<usize>) -> Line {
    let first = &glyphs[members[0]];
    let (cos, sin) = first.direction;
    let along = |(x, y): (f64, f64)| x * cos + y * sin;
    let (mut from, mut to) = (f64::MAX, f64::MIN);
    for it in &members {
        for place in [along(glyphs[*it].origin), along(glyphs[*it].end)] {
            from = from.min(place);
            to = to.max(place);
        }
    }
    Line {
        turn: sin.atan2(cos).to_degrees().round(),
        across: first.origin.1 * cos - first.origin.0 * sin,
        from,
        to,
        size: first.size.max(1e-3),
        glyphs: members,
    }
}

/// Reads glyphs by their places: lines that stand below each other are one text.
pub(super) fn by_geometry(glyphs: &[Glyph]) -> Row {
    let mut lines: Vec<Line> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for at in as_seen(glyphs) {
        if let Some(last) = open.last().map(|it| &glyphs[*it]) {
            let glyph = &glyphs[at];
            let (dx, dy) = (glyph.origin.0 - last.origin.0, glyph.origin.1 - last.origin.1);
            // Bold letters are sometimes painted twice.
            if glyph.text == last.text && dx.hypot(dy) < 0.12 * last.size {
                continue;
            }
            if gap(last, glyph) == "\n" {
                lines.push(line(glyphs, std::mem::take(&mut open)));
            }
        }
        open.push(at);
    }
    if !open.is_empty() {
        lines.push(line(glyphs, open));
    }
    // Lines are sorted by their direction, then from the top.
    let mut next: Vec<Option<usize>> = vec![None; lines.len()];
    let mut is_next = vec![false; lines.len()];
    for at in 0..lines.len() {
        let here = &lines[at];
        let mut best: Option<usize> = None;
        for (to, other) in lines.iter().enumerate().skip(at + 1).take(MAX_LOOK) {
            let down = here.across - other.across;
            if other.turn != here.turn || down > NEXT_LINE * here.size {
                break;
            }
            let is_below = down > 0.5 * here.size
                && here.from < other.to
                && other.from < here.to
                && (0.6..1.7).contains(&(other.size / here.size));
            if is_below && !is_next[to] {
                best = Some(to);
                break;
            }
        }
        if let Some(to) = best {
            next[at] = Some(to);
            is_next[to] = true;
        }
    }
    let mut row = Row { text: String::new(), owners: Vec::new() };
    for start in (0..lines.len()).filter(|it| !is_next[*it]) {
        if !row.text.is_empty() {
            row.text.push(BREAK);
        }
        let mut at = Some(start);
        while let Some(number) = at {
            let mut before: Option<usize> = None;
            for glyph in &lines[number].glyphs {
                if let Some(before) = before {
                    row.text.push_str(gap(&glyphs[before], &glyphs[*glyph]));
                }
                row.push(glyphs, *glyph);
                before = Some(*glyph);
            }
            at = next[number];
            if at.is_some() {
                row.text.push('\n');
            }
        }
    }
    row
}
