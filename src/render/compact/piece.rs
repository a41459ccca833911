//! Pieces: what pages are filled with, from top to bottom. A line is one, a row of a table, a rule.

use super::lines::Line;
use super::style::Rgb;
use super::tags::Part;
use crate::Paper;
use crate::table::Side;

/// Sizes of a page, in points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sheet {
    pub(super) width: f32,
    pub(super) height: f32,
}

/// Margins, in points.
pub(super) const MARGIN_X: f32 = 65.2;
pub(super) const MARGIN_TOP: f32 = 70.87;
pub(super) const MARGIN_BOTTOM: f32 = 65.2;

impl Sheet {
    pub(super) fn of(paper: Paper, is_turned: bool) -> Sheet {
        let (width, height) = match paper {
            Paper::A4 => (595.28, 841.89),
            Paper::Letter => (612.0, 792.0),
        };
        match is_turned {
            false => Sheet { width, height },
            true => Sheet { width: height, height: width },
        }
    }

    /// Width of the text.
    pub(super) fn text_width(self) -> f32 {
        self.width - 2.0 * MARGIN_X
    }

    /// Height of the text.
    pub(super) fn text_height(self) -> f32 {
        self.height - MARGIN_TOP - MARGIN_BOTTOM
    }
}

/// What stands between the margins, all of one piece.
#[derive(Debug)]
pub(super) struct Piece {
    /// Space above, unless it is the first on its page.
    pub(super) gap: f32,
    pub(super) height: f32,
    /// Whether it stays on the page of what follows.
    pub(super) keeps_next: bool,
    /// Whether it begins a page.
    pub(super) begins_page: bool,
    /// Whether its page is turned.
    pub(super) is_turned: bool,
    /// Distance from the left margin, and the width that it has.
    pub(super) x: f32,
    pub(super) width: f32,
    pub(super) draw: Draw,
    pub(super) markers: Vec<Marker>,
    /// Numbers of the footnotes that stand at the foot of its page.
    pub(super) notes: Vec<usize>,
    /// The innermost frame around it.
    pub(super) frame: Option<u32>,
    /// The table of which it is a row, and the piece that is its head.
    pub(super) head: Option<usize>,
    /// What links lead to it.
    pub(super) place: Option<Place>,
    /// What it is.
    pub(super) part: Part,
}

/// What a piece shows.
#[derive(Debug)]
pub(super) enum Draw {
    Space,
    /// A line: its letters stand on the lower end of the piece.
    Line(Line, Side),
    Row(Row),
    Rule {
        thickness: f32,
        color: Rgb,
    },
}

/// What stands left of a piece.
#[derive(Debug)]
pub(super) struct Marker {
    /// Distance of its left end from the left margin.
    pub(super) x: f32,
    pub(super) width: f32,
    pub(super) draw: Mark,
    pub(super) part: Part,
}

#[derive(Debug)]
pub(super) enum Mark {
    Line(Line),
    /// The box of a task.
    Task {
        is_checked: bool,
        size: f32,
    },
    /// Dots from here to the end of a line, and a number at the right: an entry of the contents.
    Leader {
        from: f32,
        number: Line,
        /// Index of the heading.
        index: usize,
    },
}

/// Somewhere that links lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The heading with this index.
    Heading(usize),
    /// The footnote with this number.
    Note(usize),
}

/// A row of a table.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) cells: Vec<Cell>,
    pub(super) fill: Option<Rgb>,
    /// From one line of a cell to the next, and height of one.
    pub(super) pitch: f32,
    pub(super) cap: f32,
    /// Space above and below the lines.
    pub(super) padding: f32,
    /// Lines of the longest cell.
    pub(super) lines: usize,
    /// Whether a rule closes the table below it.
    pub(super) is_last: bool,
}

impl Row {
    /// Its height with so many lines.
    pub(super) fn height(&self, lines: usize) -> f32 {
        2.0 * self.padding + self.cap + self.pitch * lines.saturating_sub(1) as f32
    }

    /// How many lines of it fit in a height.
    pub(super) fn fitting(&self, height: f32) -> usize {
        let rest = height - 2.0 * self.padding - self.cap;
        if rest < 0.0 { 0 } else { 1 + (rest / self.pitch.max(0.1)) as usize }
    }
}

/// A cell of a table.
#[derive(Debug)]
pub(super) struct Cell {
    /// From the left end of the table to that of its text.
    pub(super) x: f32,
    pub(super) width: f32,
    pub(super) side: Side,
    pub(super) lines: Vec<Line>,
    pub(super) part: Part,
}

/// Something around pieces: a background, a stripe at the side.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// The one around it.
    pub(super) outer: Option<u32>,
    pub(super) x: f32,
    pub(super) width: f32,
    pub(super) fill: Option<Rgb>,
    /// At the side where lines begin.
    pub(super) stripe: Option<Rgb>,
    pub(super) border: Option<Rgb>,
}
