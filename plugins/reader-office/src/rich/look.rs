//! Follows how text looks, as far as that hides it: colours, shadings, sizes, drawings outside of the page.

use crate::unseen::colour::WHITE;
use crate::unseen::{Paint, Why, judge};

/// Most colours of a file.
const MAX_COLOURS: usize = 10_000;

/// Largest width of letters, in percent, at which they are lines.
const NARROW: i32 = 5;

/// A shading.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Ground {
    /// Number of the colour, 0 for none.
    pub(crate) colour: i32,
    /// `true` if it is mixed of two colours.
    pub(crate) has_pattern: bool,
}

/// Look of the text of a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub(crate) hidden: bool,
    /// Number of the colour, 0 for an automatic one.
    colour: i32,
    /// In half points.
    size: i32,
    width: i32,
    highlight: i32,
    shade: Ground,
    has_effects: bool,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            hidden: false,
            colour: 0,
            size: 24,
            width: 100,
            highlight: 0,
            shade: Ground::default(),
            has_effects: false,
        }
    }
}

impl Look {
    /// Handles a word about the look of letters. Returns `false` for other words.
    pub(crate) fn word(&mut self, word: &str, number: Option<i32>) -> bool {
        let is_on = number != Some(0);
        match word {
            "v" => self.hidden = is_on,
            "cf" => self.colour = number.unwrap_or(0),
            "fs" => self.size = number.unwrap_or(24),
            "charscalex" => self.width = number.unwrap_or(100),
            "highlight" => self.highlight = number.unwrap_or(0),
            // Some programs show it and Word does not.
            "cb" => self.shade.has_pattern = number.unwrap_or(0) != 0,
            "chcbpat" => self.shade.colour = number.unwrap_or(0),
            "chshdng" => self.shade.has_pattern = number.unwrap_or(0) != 0,
            "outl" | "shad" | "embo" | "impr" => self.has_effects = is_on,
            _ => return false,
        }
        true
    }
}

/// A drawing that has begun.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drawing {
    fill: Option<i32>,
    has_other_fill: bool,
    is_empty: bool,
    is_hidden: bool,
    /// Left and right edge in twentieths of a point.
    edges: Option<(i32, i32)>,
}

impl Drawing {
    /// Returns a drawing of an old kind, whose fill is not followed.
    pub(crate) fn unknown() -> Self {
        Self { has_other_fill: true, ..Self::default() }
    }

    /// Handles a word about a drawing. Returns `false` for other words.
    pub(crate) fn word(&mut self, word: &str, number: Option<i32>) -> bool {
        let number = number.unwrap_or(0);
        let (left, right) = self.edges.unwrap_or((number, number));
        match word {
            "shpleft" => self.edges = Some((number, right)),
            "shpright" => self.edges = Some((left, number)),
            _ => return false,
        }
        true
    }

    pub(crate) fn property(&mut self, name: &str, value: &str) {
        let number = value.trim().parse::<i32>().ok();
        match name {
            "fillColor" => self.fill = number,
            "fillType" => self.has_other_fill = number != Some(0),
            "fillOpacity" => self.has_other_fill = true,
            "fFilled" => self.is_empty = number == Some(0),
            "fHidden" => self.is_hidden = number != Some(0),
            _ => {}
        }
    }

    /// Returns why the drawing is unseen on pages of this width.
    pub(crate) fn why(&self, width: i32) -> Option<Why> {
        let is_off = |(left, right): (i32, i32)| left >= width || right <= -width;
        if self.is_hidden {
            Some(Why::Hidden)
        } else {
            self.edges.is_some_and(is_off).then_some(Why::Outside)
        }
    }

    /// Returns what the text in it lies on. A drawing without a fill may lie on others.
    pub(crate) fn ground(&self) -> Paint {
        match self.fill {
            _ if self.is_empty || self.has_other_fill => Paint::Unknown,
            None => WHITE,
            Some(fill) => {
                let [r, g, b, _] = fill.to_le_bytes();
                Paint::Plain([r, g, b])
            }
        }
    }
}

/// The colours of a file, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Colours {
    known: Vec<Paint>,
    next: [u8; 3],
    is_given: bool,
}

impl Colours {
    /// Handles a word in the table of colours.
    pub(crate) fn word(&mut self, word: &str, number: Option<i32>) {
        let place = match word {
            "red" => 0,
            "green" => 1,
            "blue" => 2,
            _ => return,
        };
        self.is_given = true;
        if let Some(part) = self.next.get_mut(place) {
            *part = number.unwrap_or(0).clamp(0, 255) as u8;
        }
    }

    /// Handles text in the table of colours: each semicolon ends a colour.
    pub(crate) fn text(&mut self, text: &str) {
        for _ in text.matches(';') {
            let next = std::mem::take(&mut self.next);
            let is_given = std::mem::take(&mut self.is_given);
            if self.known.len() < MAX_COLOURS {
                self.known.push(if is_given { Paint::Plain(next) } else { Paint::Unknown });
            }
        }
    }

    /// Returns a colour of text. An automatic one differs from what is behind it.
    fn colour(&self, number: i32) -> Paint {
        usize::try_from(number).ok().and_then(|it| self.known.get(it)).copied().unwrap_or_default()
    }

    fn ground(&self, ground: Ground) -> Paint {
        match ground {
            Ground { has_pattern: true, .. } => Paint::Unknown,
            Ground { colour: 0, .. } => Paint::Clear,
            Ground { colour, .. } => self.colour(colour),
        }
    }

    /// Returns why text of this look is unseen on grounds, of which the last is the innermost.
    pub(crate) fn why(
        &self,
        look: &Look,
        page: Paint,
        grounds: [Option<Ground>; 2],
    ) -> Option<Why> {
        if look.hidden {
            return Some(Why::Hidden);
        }
        let highlight = Ground { colour: look.highlight, has_pattern: false };
        let grounds = grounds.into_iter().chain([Some(look.shade), Some(highlight)]);
        let behind = grounds.fold(page, |behind, ground| {
            ground.map_or(Paint::Unknown, |ground| self.ground(ground)).over(behind)
        });
        let colour = if look.has_effects { Paint::Unknown } else { self.colour(look.colour) };
        let size = if look.width <= NARROW { 0.0 } else { f64::from(look.size) / 2.0 };
        judge(colour, behind, Some(size))
    }
}
