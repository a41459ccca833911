//! Handles Chinese and Japanese text that runs from top to bottom, in columns from right to left. Such a page is
//! turned, so that its columns become lines, and its letters are written upright in them.

use super::judge::Why;
use super::watch::{Show, Watched};
use crate::matrix::{Matrix, Point, inverse, multiply};

/// The fewest letters of a page with vertical text.
const FEWEST: usize = 8;

/// The largest width of a piece that fills one place in a column, in sizes of its letters.
const WIDEST: f32 = 1.35;

/// How high the baseline lies above the lower edge of a square letter, as a share of the letter.
const BASE: f32 = 0.12;

/// Returns whether most of the visible text of a page runs from top to bottom. `is_wide` returns whether a show is in a
/// script that is written so.
pub(crate) fn is_page(
    watched: &Watched,
    fates: &[Option<Why>],
    is_wide: impl Fn(&Show) -> bool,
) -> bool {
    let seen = || watched.shows.iter().zip(fates).filter(|(_, fate)| fate.is_none());
    let (mut down, mut across) = (0, 0);
    let mut before: Option<&Show> = None;
    for (show, _) in seen() {
        if show.is_vertical {
            down += show.letters;
            before = None;
            continue;
        }
        if show.letters > 1 || show.quarter != Some(0) || !show.is_placed {
            across += show.letters;
            before = None;
            continue;
        }
        if let Some(before) = before {
            match step(watched, before, show) {
                Some(Step::Down) => down += 1,
                Some(Step::Across) => across += 1,
                None => {}
            }
        }
        before = Some(show);
    }
    if down < FEWEST || down <= across {
        return false;
    }
    // Numbers below each other are a column of a table.
    let (wide, all) = seen().fold((0, 0), |(wide, all), (show, _)| {
        (wide + if is_wide(show) { show.letters } else { 0 }, all + show.letters)
    });
    wide * 2 > all
}

enum Step {
    Down,
    Across,
}

fn at(watched: &Watched, show: &Show) -> Option<Point> {
    watched.glyphs.get(show.glyphs.start).map(|glyph| glyph.at)
}

/// Returns the step from one letter to the next, or `None` if the next one begins something new.
fn step(watched: &Watched, before: &Show, show: &Show) -> Option<Step> {
    let ((x, y), (left, top)) = (at(watched, show)?, at(watched, before)?);
    let (dx, dy) = ((x - left) / before.size, (top - y) / before.size);
    if dx.abs() < 0.4 && (0.7..2.5).contains(&dy) {
        return Some(Step::Down);
    }
    (dy.abs() < 0.4 && (0.2..2.5).contains(&dx)).then_some(Step::Across)
}

/// Returns whether a piece stands right below another one, so that both are one word of the line.
pub(crate) fn goes_on(watched: &Watched, before: &Show, show: &Show) -> bool {
    const MOST_ROOM: f32 = 1.8;
    let (Some((x, y)), Some((left, top))) = (at(watched, show), at(watched, before)) else {
        return false;
    };
    let size = before.size;
    let length = if before.is_vertical { (top - before.end.1).max(0.0) / size } else { 1.0 };
    let is_same = before.font == show.font
        && before.matrix == show.matrix
        && before.is_vertical == show.is_vertical
        && (before.size - show.size).abs() < 0.01 * size;
    let step = (top - y) / size - length + 1.0;
    is_same && (x - left).abs() < 0.4 * size && (0.7..MOST_ROOM).contains(&step)
}

/// Returns the matrix that writes a show upright on the turned page, or `None` if the show already runs along its line
/// or runs across it.
pub(crate) fn upright(watched: &Watched, show: &Show) -> Option<Matrix> {
    let (x, y) = at(watched, show)?;
    let size = show.size;
    let length = ((show.end.0 - x).hypot(show.end.1 - y)) / size;
    let origin = if show.is_vertical {
        // The origin of the letter is in the middle above it.
        (x - (0.5 - BASE) * size, y)
    } else if show.quarter == Some(0) && length <= WIDEST {
        // The letters of one column have one middle.
        let middle = x + length.min(1.0) * size / 2.0;
        (middle - (0.5 - BASE) * size, y + (1.0 - BASE) * size)
    } else {
        return None;
    };
    let unit = size / show.unit.abs().max(f32::MIN_POSITIVE);
    let down = [0.0, -unit, unit, 0.0, origin.0, origin.1];
    Some(multiply(down, inverse(show.matrix)?))
}
