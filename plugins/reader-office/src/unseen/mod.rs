//! Finds text that people do not see: it is marked as hidden, or has the colour behind it, or no size, or lies outside of
//! the page. Such text is left out and counted.
//!
//! If what lies behind a text is not known, such as a picture or the fill of a table style, the text counts as seen:
//! losing text is worse than keeping it.

pub(crate) mod colour;
pub(crate) mod deck;
pub(crate) mod floats;
pub(crate) mod model;
pub(crate) mod old;
pub(crate) mod scene;
pub(crate) mod slides;
pub(crate) mod word_styles;
pub(crate) mod words;

use std::collections::BTreeMap;

pub(crate) use colour::Paint;
pub(crate) use mitt_sight::is_seen;

/// Most places in a warning.
const MAX_PLACES: usize = 5;

/// Largest size that is too small to read, in points.
pub(crate) const TINY: f64 = 1.0;

/// Why text is unseen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Why {
    Hidden,
    Transparent,
    Tiny,
    Colour,
    Outside,
}

impl Why {
    fn as_str(self) -> &'static str {
        match self {
            Why::Hidden => "marked as hidden",
            Why::Transparent => "transparent",
            Why::Tiny => "not larger than 1 pt",
            Why::Colour => "in the colour behind it",
            Why::Outside => "outside of the page",
        }
    }
}

/// Returns why text of this look is unseen on what lies behind it.
pub(crate) fn judge(text: Paint, behind: Paint, size: Option<f64>) -> Option<Why> {
    match text {
        _ if size.is_some_and(|size| size <= TINY) => Some(Why::Tiny),
        Paint::Clear => Some(Why::Transparent),
        text if text.is_like(behind) => Some(Why::Colour),
        _ => None,
    }
}

/// Counts the unseen text of a document.
#[derive(Debug, Default)]
pub(crate) struct Unseen {
    /// Characters without spaces, for each reason.
    found: BTreeMap<Why, usize>,
    pieces: usize,
    /// Names of the places, such as `slide 2`.
    places: Vec<String>,
    is_listed_in_part: bool,
    /// Place of the piece that the next unseen text continues.
    open: Option<String>,
}

impl Unseen {
    /// Counts a text that is left out, unless it is white space only.
    pub(crate) fn add(&mut self, why: Why, text: &str, place: &str) {
        let letters = text.chars().filter(|it| is_seen(*it)).count();
        if letters == 0 {
            return;
        }
        *self.found.entry(why).or_default() += letters;
        let is_known = self.places.iter().any(|known| known == place);
        if self.open.as_deref() != Some(place) {
            self.pieces += 1;
            self.open = Some(place.to_owned());
        }
        if is_known {
            return;
        }
        if self.places.len() < MAX_PLACES {
            self.places.push(place.to_owned());
        } else {
            self.is_listed_in_part = true;
        }
    }

    /// Ends a piece, because text follows that is seen.
    pub(crate) fn seen(&mut self) {
        self.open = None;
    }

    pub(crate) fn warning(&self) -> Option<String> {
        let letters: usize = self.found.values().sum();
        let reasons: Vec<String> =
            self.found.iter().map(|(why, letters)| format!("{} {letters}", why.as_str())).collect();
        let more = if self.is_listed_in_part { " and more" } else { "" };
        let pieces = if self.pieces == 1 { "place" } else { "places" };
        (letters > 0).then(|| {
            format!(
                "text that nobody sees was left out in {}{more}: {letters} characters in {} {pieces} ({})",
                self.places.join(", "),
                self.pieces,
                reasons.join(", ")
            )
        })
    }
}
