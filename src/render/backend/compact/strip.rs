//! Strips, with which pages are filled from top to bottom: lines, rows of tables, rules.

use super::lines::Line;
use super::style::Rgb;
use super::tags::StructureId;
use crate::Paper;
use crate::shared::table::Side;

/// Size of a page, in points.
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
        if is_turned { Sheet { width: height, height: width } } else { Sheet { width, height } }
    }

    /// Returns the width of the text.
    pub(super) fn text_width(self) -> f32 {
        self.width - 2.0 * MARGIN_X
    }

    /// Returns the height of the text.
    pub(super) fn text_height(self) -> f32 {
        self.height - MARGIN_TOP - MARGIN_BOTTOM
    }
}

/// An indivisible strip between the margins.
#[derive(Debug)]
pub(super) struct Strip {
    /// Space above, unless it is the first on its page.
    pub(super) gap: f32,
    pub(super) height: f32,
    /// `true` if it stays on one page with the next strip.
    pub(super) keeps_next: bool,
    /// `true` if it begins a page.
    pub(super) begins_page: bool,
    /// `true` if its page is turned.
    pub(super) is_turned: bool,
    /// Distance from the left margin, and width.
    pub(super) x: f32,
    pub(super) width: f32,
    pub(super) draw: Draw,
    pub(super) markers: Vec<Marker>,
    /// Numbers of the footnotes that belong on its page.
    pub(super) notes: Vec<usize>,
    /// The innermost frame around it.
    pub(super) frame: Option<u32>,
    /// The strip that is the head of its table, if it is a row.
    pub(super) head: Option<usize>,
    /// Target that it is for links.
    pub(super) destination: Option<LinkDestination>,
    /// Part of the structure.
    pub(super) part: StructureId,
}

/// Content of a strip.
#[derive(Debug)]
pub(super) enum Draw {
    Space,
    /// A line. Its baseline is the lower end of the strip.
    Line(Line, Side),
    Row(Row),
    Rule {
        thickness: f32,
        color: Rgb,
    },
}

/// A marker left of a strip.
#[derive(Debug)]
pub(super) struct Marker {
    /// Distance from the left margin to its left end.
    pub(super) x: f32,
    pub(super) width: f32,
    pub(super) draw: Mark,
    pub(super) part: StructureId,
}

#[derive(Debug)]
pub(super) enum Mark {
    Line(Line),
    /// The box of a task.
    Task {
        is_checked: bool,
        size: f32,
    },
    /// An entry of the contents: dots from here to the end of the line, and a page number at the right.
    Leader {
        from: f32,
        number: Line,
        /// Index of the heading.
        index: usize,
    },
}

/// A target of links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkDestination {
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
    /// Distance between lines of a cell, and height of a line.
    pub(super) pitch: f32,
    pub(super) cap: f32,
    /// Space above and below the lines.
    pub(super) padding: f32,
    /// Lines of the longest cell.
    pub(super) lines: usize,
    /// `true` if a rule below it ends the table.
    pub(super) is_last: bool,
}

impl Row {
    /// Returns its height with this many lines.
    pub(super) fn height(&self, lines: usize) -> f32 {
        2.0 * self.padding + self.cap + self.pitch * lines.saturating_sub(1) as f32
    }

    /// Returns the number of its lines that fit into a height.
    pub(super) fn fitting(&self, height: f32) -> usize {
        let rest = height - 2.0 * self.padding - self.cap;
        if rest < 0.0 { 0 } else { 1 + (rest / self.pitch.max(0.1)) as usize }
    }
}

/// A cell of a table.
#[derive(Debug)]
pub(super) struct Cell {
    /// Distance from the left end of the table to its text.
    pub(super) x: f32,
    pub(super) width: f32,
    pub(super) side: Side,
    pub(super) lines: Vec<Line>,
    pub(super) part: StructureId,
}

/// A frame around strips: a background, a stripe at the side.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// The frame around it.
    pub(super) outer: Option<u32>,
    pub(super) x: f32,
    pub(super) width: f32,
    pub(super) fill: Option<Rgb>,
    /// Colour of the stripe at the side where lines begin.
    pub(super) stripe: Option<Rgb>,
    pub(super) border: Option<Rgb>,
}
