//! Rectangles on pages of PDF files: the one that a citation names, and those where its quotations and numbers stand.
//!
//! Knows no files: the session has the tool find the texts, and gives their places.

use std::collections::HashMap;
use std::fmt;

/// Most places of a text that are looked up on a page. If there are as many, others may be missing.
const MAX_PLACES: usize = 10;

/// Points by which a rectangle may miss a text: letters are drawn beyond their boxes, and people round.
const TOLERANCE: f64 = 3.0;

/// Most characters of a text that the tool looks for.
const MAX_CHARACTERS: usize = 300;

/// A place on a page as it is shown, in points from its upper left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageRect {
    /// Distance from the left edge.
    pub left: f64,
    /// Distance from the upper edge.
    pub top: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl PageRect {
    /// Returns `true` if two rectangles share a point, or nearly do.
    fn touches(&self, other: &PageRect) -> bool {
        let meet = |start: f64, length: f64, from: f64, extent: f64| {
            start <= from + extent + TOLERANCE && from <= start + length + TOLERANCE
        };
        meet(self.left, self.width, other.left, other.width)
            && meet(self.top, self.height, other.top, other.height)
    }
}

/// Methods of [`PageRect`] for Mitt's own crates.
pub trait PageRectInternal: Sized {
    /// Reads `rect=1,2,3,4` in what stands behind the `#` of a reference. `None` if it is not there or no rectangle.
    fn of_fragment(fragment: &str) -> Option<Self>;
}

impl PageRectInternal for PageRect {
    fn of_fragment(fragment: &str) -> Option<PageRect> {
        let mut pairs = fragment.split('&').filter_map(|pair| pair.split_once('='));
        let (_, value) = pairs.find(|(name, _)| name.eq_ignore_ascii_case("rect"))?;
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|it| it.is_finite());
        let numbers: Option<Vec<f64>> = value.split(',').map(number).collect();
        let &[left, top, width, height] = numbers?.as_slice() else { return None };
        (width >= 0.0 && height >= 0.0).then_some(PageRect { left, top, width, height })
    }
}

/// Writes `left,top,width,height`, as in a reference.
impl fmt::Display for PageRect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{},{}", self.left, self.top, self.width, self.height)
    }
}

/// Where texts stand on pages.
#[derive(Debug, Default)]
pub struct PagePlaces {
    /// The first places of each text on its page.
    places: HashMap<(u64, String), Vec<PageRect>>,
}

impl PagePlaces {
    /// Makes it of texts on pages, and of their places in the same order.
    pub fn new(texts: Vec<(u64, String)>, places: Vec<Vec<PageRect>>) -> PagePlaces {
        PagePlaces { places: texts.into_iter().zip(places).collect() }
    }

    fn of(&self, page: u64, text: &str) -> &[PageRect] {
        let places = searched(text).and_then(|text| self.places.get(&(page, text)));
        places.map_or(&[], Vec::as_slice)
    }

    /// Returns the first place of a text that a rectangle touches; of those on the whole page without one.
    pub(super) fn first(
        &self,
        page: u64,
        text: &str,
        within: Option<PageRect>,
    ) -> Option<PageRect> {
        let mut places = self.of(page, text).iter().copied();
        places.find(|place| within.is_none_or(|it| it.touches(place)))
    }

    /// Returns `true` if a text stands on a page, and nowhere near a rectangle.
    pub(super) fn is_outside(&self, page: u64, text: &str, rect: PageRect) -> bool {
        let places = self.of(page, text);
        let is_whole = (1..MAX_PLACES).contains(&places.len());
        is_whole && !places.iter().any(|place| rect.touches(place))
    }
}

/// Returns what is looked up on a page for a text of an answer: its longest part between dots that leave words out. `None` if it
/// has nothing to look up, or is too long.
pub(super) fn searched(text: &str) -> Option<String> {
    let parts = text.split('…').flat_map(|part| part.split("..."));
    let longest = parts.map(str::trim).max_by_key(|part| part.chars().count())?;
    let is_searchable =
        longest.chars().any(char::is_alphanumeric) && longest.chars().nth(MAX_CHARACTERS).is_none();
    is_searchable.then(|| longest.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rect(numbers: [f64; 4]) -> PageRect {
        let [left, top, width, height] = numbers;
        PageRect { left, top, width, height }
    }

    #[test]
    fn a_rectangle_is_read_from_a_reference() {
        let read = PageRect::of_fragment("page=3&rect=1.5, 2,30,4.25");
        assert_eq!(read, Some(rect([1.5, 2.0, 30.0, 4.25])));
        assert_eq!(read.unwrap().to_string(), "1.5,2,30,4.25");
        for wrong in [
            "page=3",
            "rect=1,2,3",
            "rect=1,2,3,x",
            "rect=1,2,-3,4",
            "rect=1,2,3,4,5",
            "rect=nan,1,1,1",
        ] {
            assert_eq!(PageRect::of_fragment(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_text_is_outside_only_if_all_its_places_are_known() {
        let near = rect([100.0, 100.0, 50.0, 10.0]);
        let far = rect([100.0, 400.0, 50.0, 10.0]);
        let texts = vec![(1, "sum".to_owned()), (1, "often".to_owned()), (1, "none".to_owned())];
        let places = PagePlaces::new(texts, vec![vec![far, near], vec![far; MAX_PLACES], vec![]]);
        let written = rect([90.0, 90.0, 9.0, 9.0]);
        assert!(!places.is_outside(1, "sum", written), "it nearly touches the second one");
        assert_eq!(places.first(1, "sum", Some(written)), Some(near));
        assert_eq!(places.first(1, "sum", None), Some(far));
        let other = rect([0.0, 0.0, 20.0, 20.0]);
        assert!(places.is_outside(1, "sum", other));
        assert!(!places.is_outside(2, "sum", other) && !places.is_outside(1, "none", other));
        assert!(!places.is_outside(1, "often", other), "there may be more places");
    }

    #[test]
    fn the_longest_part_of_a_quotation_is_looked_up() {
        assert_eq!(searched("The … within 45 days...").as_deref(), Some("within 45 days"));
        assert_eq!(searched("12.5%").as_deref(), Some("12.5%"));
        assert_eq!(searched(" … "), None);
        assert_eq!(searched(&"a".repeat(MAX_CHARACTERS + 1)), None);
    }
}
