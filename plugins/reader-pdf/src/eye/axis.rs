//! Finds numbers along the edge of a page that belong to a chart. The library would take them for page numbers and drop
//! them.

use super::judge::Why;
use super::watch::{Show, Watched};
use crate::matrix::{Point, Rect};

/// How near to the upper or lower edge a bare number stands that the library takes for a page number, as a share of the
/// height: `BAND` for every number, `EDGE` for the outermost one.
const BAND: f32 = 0.05;
const EDGE: f32 = 0.15;

/// Largest relative difference of the distances along an axis.
const UNEVEN: f32 = 0.15;

/// The fewest numbers in a row that are those of an axis.
const FEWEST: usize = 3;

/// The most letters of such a number, and the most such numbers on one page.
const LONGEST: usize = 9;
const MOST: usize = 2_000;

/// Growth of a page on each side, as a share of its size, so that no number is near an edge.
const GROWTH: f32 = 0.25;

/// Returns whether numbers stand in a row or in a column at the edge of a page.
pub(crate) fn is_on_page(
    watched: &Watched,
    fates: &[Option<Why>],
    page: Rect,
    text: impl Fn(&Show) -> String,
) -> bool {
    let seen = || watched.shows.iter().zip(fates).filter(|(_, fate)| fate.is_none());
    let place = |show: &Show| watched.glyphs.get(show.glyphs.start).map(|glyph| glyph.at);
    let heights = || seen().filter_map(|(show, _)| place(show)).map(|(_, y)| y);
    let (lowest, highest) =
        (heights().fold(f32::MAX, f32::min), heights().fold(f32::MIN, f32::max));
    let at = |part: f32| page.bottom + part * (page.top - page.bottom);
    // The library drops numbers in the outer band, and in the wider band if nothing else stands further out.
    let is_at_edge = |(_, y): Point| {
        y <= at(BAND)
            || y >= at(1.0 - BAND)
            || y <= lowest.min(at(EDGE))
            || y >= highest.max(at(1.0 - EDGE))
    };
    if !seen().filter_map(|(show, _)| place(show)).any(is_at_edge) {
        return false;
    }
    let numbers: Vec<(Point, Point)> = seen()
        .filter(|(show, _)| show.glyphs.len() <= LONGEST)
        .filter_map(|(show, _)| Some((show, place(show)?)))
        .filter(|(show, _)| is_number(&text(show)))
        .take(MOST)
        .map(|(show, at)| (at, show.end))
        .collect();
    let middle = |(at, end): &(Point, Point)| (at.0 + end.0) / 2.0;
    let near = |a: f32, b: f32| (a - b).abs() < 1.0;
    numbers.iter().filter(|(at, _)| is_at_edge(*at)).take(64).any(|number| {
        let (at, end) = number;
        let row = numbers.iter().filter(|(other, _)| near(other.1, at.1)).map(middle);
        let column = numbers.iter().filter(|other| {
            near(other.0.0, at.0) || near(other.1.0, end.0) || near(middle(other), middle(number))
        });
        is_even(row, middle(number)) || is_even(column.map(|(at, _)| at.1), at.1)
    })
}

/// Returns whether the neighbours of one of these places are equally far from each other.
fn is_even(places: impl Iterator<Item = f32>, from: f32) -> bool {
    let mut distances: Vec<f32> =
        places.map(|place| place - from).filter(|it| it.abs() > 1.0).collect();
    distances.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    distances.dedup_by(|a, b| (*a - *b).abs() < 1.0);
    let Some(first) = distances.first().copied() else { return false };
    // The other neighbour is the next one on the same side, or the first one on the other side.
    let is_as_far =
        |it: &f32| (it / first - 2.0).abs() < UNEVEN || (it / first + 1.0).abs() < UNEVEN;
    distances.len() + 1 >= FEWEST && distances.iter().skip(1).any(is_as_far)
}

fn is_number(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.chars().all(|letter| letter.is_ascii_digit())
}

/// Returns the page with room around it.
pub(crate) fn grown(page: Rect) -> Rect {
    let (x, y) = (GROWTH * (page.right - page.left), GROWTH * (page.top - page.bottom));
    Rect { left: page.left - x, bottom: page.bottom - y, right: page.right + x, top: page.top + y }
}
