//! Text that is printed more than once at nearly the same place, for bold letters and for shadows.

use super::expand::Operator;
use super::judge::Why;
use super::watch::{Glyph, Show, Watched, strings};
use std::collections::HashMap;
use unpdf::parser::backend::PdfValue;

/// How far a string may be from its copy, in sizes of its letters.
const FAR: f32 = 0.3;

/// How far a single letter may be from its copy, in sizes of the letter and in widths of the letter. The two letters of
/// `ll` are farther apart.
const NEAR: f32 = 0.12;
const NEAR_OF_WIDTH: f32 = 0.4;

/// How much the distances of the letters to their copies may differ, in sizes of the letters.
const SLACK: f32 = 0.04;

/// How many copies of a first letter are tried.
const MAX_TRIED: usize = 4;

/// How many glyphs are kept for one place.
const MAX_HERE: usize = 16;

/// A font, a letter, a size, and a square of the page. The square is as wide as copies may be apart.
type Key = (usize, u64, i32, i32, i32);

/// The glyphs that were printed so far.
struct Printed<'a> {
    glyphs: &'a [Glyph],
    /// Positions in `glyphs`, by place.
    here: HashMap<Key, Vec<usize>>,
}

/// Returns the positions of glyphs that repeat an earlier glyph at the same place.
pub(crate) fn copies(
    watched: &Watched,
    fates: &[Option<Why>],
    operators: &[Operator],
) -> Vec<usize> {
    let mut copies = Vec::new();
    let mut printed = Printed { glyphs: &watched.glyphs, here: HashMap::new() };
    for (show, fate) in watched.shows.iter().zip(fates) {
        if fate.is_some() || !show.is_placed || !(show.size > 0.0 && show.size.is_finite()) {
            continue;
        }
        let Some(operator) = operators.get(show.operator) else { continue };
        let items = strings(&operator.op);
        let codes: Vec<u64> =
            show.glyphs.clone().map(|at| code(&watched.glyphs, at, items)).collect();
        if printed.has_string(show, &codes) {
            copies.extend(show.glyphs.clone());
            continue;
        }
        for (at, code) in show.glyphs.clone().zip(&codes) {
            if show.is_measured && printed.has_letter(show, at, *code) {
                copies.push(at);
            } else {
                printed.keep(show, at, *code);
            }
        }
    }
    copies
}

impl Printed<'_> {
    /// Returns whether the whole string was printed before, a short distance away.
    fn has_string(&self, show: &Show, codes: &[u64]) -> bool {
        let Some((at, code)) = show.glyphs.clone().zip(codes).next() else { return false };
        if codes.len() < 2 || !show.is_measured {
            return false;
        }
        let Some(first) = self.glyphs.get(at) else { return false };
        let mut candidates = self.around(show, first, *code);
        candidates.retain(|(dx, dy)| dx.hypot(*dy) <= FAR * show.size);
        candidates.truncate(MAX_TRIED);
        let slack = SLACK * show.size;
        candidates.into_iter().any(|(dx, dy)| {
            show.glyphs.clone().zip(codes).skip(1).all(|(at, code)| {
                let Some(glyph) = self.glyphs.get(at) else { return false };
                let found = self.around(show, glyph, *code);
                found.iter().any(|(x, y)| (x - dx).abs() <= slack && (y - dy).abs() <= slack)
            })
        })
    }

    /// Returns whether the letter was printed before, at nearly the same place.
    fn has_letter(&self, show: &Show, at: usize, code: u64) -> bool {
        let Some(glyph) = self.glyphs.get(at) else { return false };
        let near = (NEAR * show.size).min(NEAR_OF_WIDTH * glyph.length);
        self.around(show, glyph, code).iter().any(|(x, y)| x.abs() <= near && y.abs() <= near)
    }

    fn keep(&mut self, show: &Show, at: usize, code: u64) {
        let Some(glyph) = self.glyphs.get(at) else { return };
        let here = self.here.entry(key(show, glyph, code, (0, 0))).or_default();
        if here.len() < MAX_HERE {
            here.push(at);
        }
    }

    /// Returns the distances from a glyph to the same glyphs around it.
    fn around(&self, show: &Show, glyph: &Glyph, code: u64) -> Vec<(f32, f32)> {
        let mut found = Vec::new();
        for x in -1..=1 {
            for y in -1..=1 {
                let here = self.here.get(&key(show, glyph, code, (x, y)));
                let others = here.into_iter().flatten().filter_map(|at| self.glyphs.get(*at));
                found.extend(others.map(|it| (it.at.0 - glyph.at.0, it.at.1 - glyph.at.1)));
            }
        }
        found
    }
}

fn key(show: &Show, glyph: &Glyph, code: u64, (x, y): (i32, i32)) -> Key {
    let square = |at: f32| (at / (FAR * show.size)).floor() as i32;
    let size = (show.size * 10.0).round() as i32;
    (
        show.font,
        code,
        size,
        square(glyph.at.0).saturating_add(x),
        square(glyph.at.1).saturating_add(y),
    )
}

/// Returns a number for the bytes that show a glyph.
fn code(glyphs: &[Glyph], at: usize, items: &[PdfValue]) -> u64 {
    let bytes = glyphs.get(at).and_then(|glyph| {
        let Some(PdfValue::Str(bytes)) = items.get(glyph.item as usize) else { return None };
        bytes.get(glyph.bytes.0 as usize..glyph.bytes.1 as usize)
    });
    // This hash (FNV-1a) is the same in every run.
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.unwrap_or_default().iter().fold(0xcbf2_9ce4_8422_2325, step)
}
