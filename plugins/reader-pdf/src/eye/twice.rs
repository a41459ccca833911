//! Text that is printed more than once at nearly the same place, for bold letters and for shadows.

use super::expand::Operator;
use super::judge::Why;
use super::watch::{Glyph, Show, Watched, strings};
use std::collections::HashMap;
use unpdf::parser::backend::PdfValue;

/// Farthest apart, of the size of the letters, that a string is from its copy.
const FAR: f32 = 0.3;

/// The same of a single letter, and of that letter's width: the two of `ll` stand farther apart.
const NEAR: f32 = 0.12;
const NEAR_OF_WIDTH: f32 = 0.4;

/// How far apart, of the size of the letters, the distances of all letters to their copies are.
const SLACK: f32 = 0.04;

/// Most copies of a first letter that are tried.
const MAX_TRIED: usize = 4;

/// Most glyphs that are kept of one place.
const MAX_HERE: usize = 16;

/// Font, letter, size, and the square of the page: each is as wide as strings may be apart.
type Key = (usize, u64, i32, i32, i32);

/// What was printed so far.
struct Printed<'a> {
    glyphs: &'a [Glyph],
    /// Places of glyphs in `glyphs`.
    here: HashMap<Key, Vec<usize>>,
}

/// The glyphs that stand where the same ones stand already, by their places.
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
    /// Whether the whole string is printed already, a little apart.
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

    /// Whether the letter is printed already, next to nothing apart.
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

    /// How far from a glyph the same ones in its neighbourhood stand.
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

/// A number for the bytes that show a glyph.
fn code(glyphs: &[Glyph], at: usize, items: &[PdfValue]) -> u64 {
    let bytes = glyphs.get(at).and_then(|glyph| {
        let Some(PdfValue::Str(bytes)) = items.get(glyph.item as usize) else { return None };
        bytes.get(glyph.bytes.0 as usize..glyph.bytes.1 as usize)
    });
    // FNV-1a: the same in every run.
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.unwrap_or_default().iter().fold(0xcbf2_9ce4_8422_2325, step)
}
