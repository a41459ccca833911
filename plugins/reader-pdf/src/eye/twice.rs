//! Finds text that is printed more than once at nearly the same place, for bold letters and for shadows.

use super::expand::Operator;
use super::judge::Why;
use super::watch::{Glyph, Show, Watched, strings};
use std::collections::{BTreeMap, HashMap};
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

/// A square of the page, which is as wide as copies may be apart, and the number of a glyph in it.
type Square = (i32, i32, usize);

/// The glyphs of one font, letter and size that were printed so far: positions among all glyphs.
type Group = BTreeMap<Square, usize>;

/// The glyphs that were printed so far.
struct Printed<'a> {
    glyphs: &'a [Glyph],
    /// By font, letter and size.
    known: HashMap<(usize, u64, i32), usize>,
    groups: Vec<Group>,
}

/// Returns the positions of glyphs that repeat an earlier glyph at the same place.
pub(crate) fn copies(
    watched: &Watched,
    fates: &[Option<Why>],
    operators: &[Operator],
) -> Vec<usize> {
    let mut copies = Vec::new();
    let mut printed =
        Printed { glyphs: &watched.glyphs, known: HashMap::new(), groups: Vec::new() };
    for (show, fate) in watched.shows.iter().zip(fates) {
        if fate.is_some() || !show.is_placed || !(show.size > 0.0 && show.size.is_finite()) {
            continue;
        }
        let Some(operator) = operators.get(show.operator) else { continue };
        let items = strings(&operator.op);
        let groups: Vec<usize> = show
            .glyphs
            .clone()
            .map(|at| printed.group(show, code(&watched.glyphs, at, items)))
            .collect();
        if printed.has_string(show, &groups) {
            copies.extend(show.glyphs.clone());
            continue;
        }
        for (at, group) in show.glyphs.clone().zip(&groups) {
            if show.is_measured && printed.has_letter(show, at, *group) {
                copies.push(at);
            } else {
                printed.keep(show, at, *group);
            }
        }
    }
    copies
}

impl Printed<'_> {
    /// Returns the group that a glyph of a show belongs to.
    fn group(&mut self, show: &Show, code: u64) -> usize {
        let size = (show.size * 10.0).round() as i32;
        let next = self.groups.len();
        let group = *self.known.entry((show.font, code, size)).or_insert(next);
        if group == next {
            self.groups.push(Group::new());
        }
        group
    }

    /// Returns whether the whole string was printed before, a short distance away.
    fn has_string(&self, show: &Show, groups: &[usize]) -> bool {
        let Some((at, group)) = show.glyphs.clone().zip(groups).next() else { return false };
        if groups.len() < 2 || !show.is_measured {
            return false;
        }
        let Some(first) = self.glyphs.get(at) else { return false };
        let mut candidates: Vec<(f32, f32)> = self.around(show, first, *group).collect();
        candidates.retain(|(dx, dy)| dx.hypot(*dy) <= FAR * show.size);
        candidates.truncate(MAX_TRIED);
        let slack = SLACK * show.size;
        candidates.into_iter().any(|(dx, dy)| {
            show.glyphs.clone().zip(groups).skip(1).all(|(at, group)| {
                let Some(glyph) = self.glyphs.get(at) else { return false };
                let mut found = self.around(show, glyph, *group);
                found.any(|(x, y)| (x - dx).abs() <= slack && (y - dy).abs() <= slack)
            })
        })
    }

    /// Returns whether the letter was printed before, at nearly the same place.
    fn has_letter(&self, show: &Show, at: usize, group: usize) -> bool {
        let Some(glyph) = self.glyphs.get(at) else { return false };
        let near = (NEAR * show.size).min(NEAR_OF_WIDTH * glyph.length);
        self.around(show, glyph, group).any(|(x, y)| x.abs() <= near && y.abs() <= near)
    }

    fn keep(&mut self, show: &Show, at: usize, group: usize) {
        let Some(glyph) = self.glyphs.get(at) else { return };
        let Some(group) = self.groups.get_mut(group) else { return };
        let (x, y) = square(show, glyph);
        let last = group.range((x, y, 0)..=(x, y, MAX_HERE)).next_back();
        let count = last.map_or(0, |((_, _, number), _)| number + 1);
        if count < MAX_HERE {
            group.insert((x, y, count), at);
        }
    }

    /// Returns the distances from a glyph to the same glyphs around it.
    fn around<'a>(
        &'a self,
        show: &Show,
        glyph: &'a Glyph,
        group: usize,
    ) -> impl Iterator<Item = (f32, f32)> + 'a {
        let (x, y) = square(show, glyph);
        let (below, above) = (y.saturating_sub(1), y.saturating_add(1));
        let group = self.groups.get(group).filter(|group| !group.is_empty());
        let columns = [x.saturating_sub(1), x, x.saturating_add(1)];
        let here = columns.into_iter().flat_map(move |x| {
            group.into_iter().flat_map(move |it| it.range((x, below, 0)..=(x, above, MAX_HERE)))
        });
        let others = here.filter_map(|(_, at)| self.glyphs.get(*at));
        others.map(|it| (it.at.0 - glyph.at.0, it.at.1 - glyph.at.1))
    }
}

fn square(show: &Show, glyph: &Glyph) -> (i32, i32) {
    let square = |at: f32| (at / (FAR * show.size)).floor() as i32;
    (square(glyph.at.0), square(glyph.at.1))
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
