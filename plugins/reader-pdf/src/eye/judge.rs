//! Decides which text of a page is hidden, and why.
//!
//! Text counts as visible if that cannot be decided: over pictures, patterns, and shapes other than rectangles.

use super::colour::{WHITE, is_same};
use super::watch::{Area, Show, Watched};
use crate::matrix::{Point, Rect};
use serde::{Deserialize, Serialize};

/// Smallest size of readable letters, in points.
const MIN_SIZE: f32 = 1.0;

/// The lowest opacity that can be seen.
const MIN_OPACITY: f32 = 0.02;

/// The share of a page that pictures cover if the page is a scan. The recognised text of a scan may be invisible.
const SCAN: f32 = 0.2;

/// The share of a page that one picture covers if the page is a scan with its text below the picture.
const WHOLE_SCAN: f32 = 0.5;

/// How many places of a string are compared.
const SAMPLES: usize = 7;

/// The most comparisons of strings with areas on one page.
const MAX_COMPARED: usize = 20_000_000;

/// Why text is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Why {
    Unpainted,
    Transparent,
    Tiny,
    Colour,
    Covered,
    Outside,
    Layer,
}

impl Why {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Why::Unpainted => "not painted",
            Why::Transparent => "transparent",
            Why::Tiny => "smaller than 1 pt",
            Why::Colour => "in the colour behind it",
            Why::Covered => "covered by what is painted later",
            Why::Outside => "outside of the page or cut off",
            Why::Layer => "on layers that are off",
        }
    }
}

/// Returns for each show of a page why it is hidden, or `None` if it is visible.
pub(crate) fn judge(watched: &Watched, page: Rect) -> Vec<Option<Why>> {
    let scan = Scan::of(watched, page);
    let largest = largest(watched);
    let mut fates: Vec<Option<Why>> =
        watched.shows.iter().map(|show| at_once(show, watched, &scan)).collect();
    for (show, fate) in watched.shows.iter().zip(&mut fates) {
        if fate.is_none() && show.is_placed && is_like_what_is_behind(show, watched, &largest) {
            *fate = Some(Why::Colour);
        }
    }
    // The text of a scan lies below its picture. Other text on such a page is hidden.
    let is_seen =
        |(show, fate): (&Show, &Option<Why>)| fate.is_none() && !scan.covers(show, watched);
    let has_others = watched.shows.iter().zip(&fates).any(is_seen);
    for (show, fate) in watched.shows.iter().zip(&mut fates) {
        if fate.is_none()
            && show.is_placed
            && is_covered(show, watched, &largest)
            && (has_others || !scan.covers(show, watched))
        {
            *fate = Some(Why::Covered);
        }
    }
    fates
}

/// The pictures of a page that may be a scan.
struct Scan {
    pictures: Vec<Rect>,
    /// Pictures that cover most of the page, each with the number of areas that were painted before it.
    whole: Vec<(usize, Rect)>,
}

impl Scan {
    fn of(watched: &Watched, page: Rect) -> Scan {
        let pictures = || watched.areas.iter().enumerate().filter(|(_, area)| area.is_picture);
        let share = |area: &Area| area.rect.area() / page.area().max(1.0);
        let covered: f32 = pictures().map(|(_, area)| share(area)).sum();
        let whole = pictures().filter(|(_, area)| share(area) >= WHOLE_SCAN);
        Scan {
            pictures: if covered >= SCAN {
                pictures().map(|(_, area)| area.rect).take(1_000).collect()
            } else {
                Vec::new()
            },
            whole: whole.map(|(at, area)| (at, area.rect)).take(16).collect(),
        }
    }

    fn is_on_picture(&self, show: &Show, watched: &Watched) -> bool {
        let samples = samples(show, watched);
        let is_on = |at: &&Point| self.pictures.iter().any(|rect| rect.holds(**at));
        samples.iter().filter(is_on).count() * 2 >= samples.len()
    }

    /// Returns whether a picture of the whole page is painted over a show.
    fn covers(&self, show: &Show, watched: &Watched) -> bool {
        let samples = samples(show, watched);
        self.whole
            .iter()
            .any(|(at, rect)| *at >= show.areas && samples.iter().all(|sample| rect.holds(*sample)))
    }
}

fn at_once(show: &Show, watched: &Watched, scan: &Scan) -> Option<Why> {
    if show.is_off {
        return Some(Why::Layer);
    }
    if show.mode == 3 {
        // A page with invisible letters only has no other text, if it draws anything.
        let has_seen = watched.shows.iter().any(|show| show.mode != 3 && !show.is_off);
        let is_of_scan = scan.is_on_picture(show, watched) || !has_seen && watched.has_drawings;
        return (!is_of_scan).then_some(Why::Unpainted);
    }
    if show.mode == 7 {
        // The letters are a clipping path. What is painted through them is seen.
        let later = watched.areas.get(show.areas..).unwrap_or_default().iter().take(10_000);
        let at = samples(show, watched);
        let is_filled = later.into_iter().any(|area| at.iter().any(|at| area.rect.holds(*at)));
        return (!is_filled).then_some(Why::Unpainted);
    }
    if show.opacity < MIN_OPACITY {
        return Some(Why::Transparent);
    }
    if show.smallest < MIN_SIZE {
        return Some(Why::Tiny);
    }
    let is_outside = show.is_placed && !show.is_vertical && {
        let (at, up) = (samples(show, watched), show.up);
        let corners = at.iter().flat_map(|at| {
            [*at, (at.0 + up.0, at.1 + up.1), (at.0 - up.0 * 0.5, at.1 - up.1 * 0.5)]
        });
        let place = Rect::around(&corners.collect::<Vec<_>>());
        let seen = place.overlap(show.clip);
        seen.left > seen.right || seen.bottom > seen.top
    };
    is_outside.then_some(Why::Outside)
}

/// Returns places in the middle of the letters, from the first letter to the last.
fn samples(show: &Show, watched: &Watched) -> Vec<Point> {
    const MIDDLE: f32 = 0.25;
    // The origin of a letter in a vertical line is above it.
    const MIDDLE_BELOW: f32 = -0.5;
    let glyphs = watched.glyphs.get(show.glyphs.clone()).unwrap_or_default();
    let Some(first) = glyphs.first() else { return Vec::new() };
    let middle = if show.is_vertical { MIDDLE_BELOW } else { MIDDLE };
    let (dx, dy) = (show.up.0 * middle, show.up.1 * middle);
    if !show.is_measured || show.is_vertical {
        return vec![(first.at.0 + dx, first.at.1 + dy)];
    }
    let count = glyphs.len().clamp(2, SAMPLES);
    let along = (show.end.0 - first.at.0, show.end.1 - first.at.1);
    let at = |part: f32| (first.at.0 + along.0 * part + dx, first.at.1 + along.1 * part + dy);
    (0..count).map(|index| at((index as f32 + 0.5) / count as f32)).collect()
}

/// Returns the numbers of the areas that are compared: all, or the largest ones if there are too many.
fn largest(watched: &Watched) -> Vec<usize> {
    let room = MAX_COMPARED / SAMPLES / watched.shows.len().max(1);
    let mut all: Vec<usize> = (0..watched.areas.len()).collect();
    if all.len() > room {
        let size = |at: &usize| watched.areas.get(*at).map_or(0.0, |area| area.rect.area());
        all.sort_by(|a, b| size(b).total_cmp(&size(a)));
        all.truncate(room);
        all.sort_unstable();
    }
    all
}

fn is_like_what_is_behind(show: &Show, watched: &Watched, largest: &[usize]) -> bool {
    let colours = match show.mode {
        0 | 4 => vec![show.fill],
        1 | 5 => vec![show.stroke],
        2 | 6 => vec![show.fill, show.stroke],
        _ => return false,
    };
    let is_one_of_them = |behind| colours.iter().all(|colour| is_same(*colour, behind));
    let before = largest.partition_point(|at| *at < show.areas);
    let painted = || {
        let before = largest.get(..before).unwrap_or_default();
        before.iter().rev().filter_map(|at| watched.areas.get(*at))
    };
    if !is_one_of_them(WHITE) && !painted().any(|area| is_one_of_them(area.colour)) {
        return false;
    }
    let behind = |at: &Point| {
        let nearest = painted().find(|area| area.rect.holds(*at));
        nearest.map_or(WHITE, |area| area.colour)
    };
    let samples = samples(show, watched);
    !samples.is_empty() && samples.iter().all(|at| is_one_of_them(behind(at)))
}

fn is_covered(show: &Show, watched: &Watched, largest: &[usize]) -> bool {
    let after = largest.partition_point(|at| *at < show.areas);
    let after = largest.get(after..).unwrap_or_default();
    let is_under = |at: &Point| {
        let mut later = after.iter().filter_map(|at| watched.areas.get(*at));
        later.any(|area| area.is_opaque && area.rect.holds(*at))
    };
    let samples = samples(show, watched);
    !samples.is_empty() && samples.iter().all(is_under)
}
