//! Sizes on a slide in points, and estimated heights of text. Letters are measured roughly, because their font is not
//! available.

use super::lines::{Line, LineKind, Marker};
use crate::model::doc::{Inline, Table, plain_text};
use crate::shared::table;

/// A slide of 16:9 as in PowerPoint: 13.333 x 7.5 inches.
pub(super) const WIDTH: f64 = 960.0;
pub(super) const HEIGHT: f64 = 540.0;

/// Space beside the text.
pub(super) const SIDE: f64 = 48.0;

/// Top of the text of a slide, below its title, and its bottom.
pub(super) const TOP: f64 = 112.0;
pub(super) const BOTTOM: f64 = 496.0;

/// Width of the text.
pub(super) const ROOM: f64 = WIDTH - 2.0 * SIDE;

/// Indent of one level.
pub(super) const STEP: f64 = 22.0;

/// Space between two paragraphs.
pub(super) const SPACE: f64 = 6.0;

/// Height of a line, relative to the size of its text.
const LEADING: f64 = 1.3;

/// Width of a column of code, relative to the size of its text.
const COLUMN: f64 = 0.602;

/// Smallest size of running text.
const LEAST: f64 = 13.0;

/// Padding of a cell: top and bottom together, and on each side.
pub(super) const CELL_PADDING: f64 = 7.2;

/// Returns the size of the text of a paragraph.
pub(super) fn size(line: &Line<'_>) -> f64 {
    let size = match (line.kind, line.depth) {
        (LineKind::Code { .. }, _) => 13.0,
        (LineKind::Caption, _) => 14.0,
        (LineKind::Heading, _) => 22.0,
        (_, 0) => 20.0,
        (_, 1) => 19.0,
        (_, 2) => 17.0,
        _ => 15.0,
    };
    match line.kind {
        LineKind::Code { .. } | LineKind::Caption => size,
        _ => (size * line.scale).max(LEAST).round(),
    }
}

/// Returns the space left of the text of a paragraph.
pub(super) fn left(line: &Line<'_>) -> f64 {
    STEP * line.depth as f64
}

/// Returns the hanging indent of a paragraph: the width of its marker. Continuations of a long line of code are indented by
/// two columns, so that they do not look like new lines.
pub(super) fn hang(line: &Line<'_>) -> f64 {
    match (line.marker, line.kind) {
        // The digits, a point and a space.
        (Marker::Number { digits, .. }, _) => {
            STEP.max(((f64::from(digits) * 0.6 + 0.6) * size(line)).round())
        }
        (Marker::None, LineKind::Code { .. }) => (2.0 * COLUMN * size(line)).round(),
        (Marker::None, _) => 0.0,
        _ => STEP,
    }
}

/// Returns the space below a paragraph.
pub(super) fn space(line: &Line<'_>) -> f64 {
    match line.kind {
        LineKind::Code { is_last: false } => 0.0,
        _ => SPACE,
    }
}

/// Returns the number of Chinese characters in a line of a paragraph.
fn per_line(line: &Line<'_>) -> f64 {
    // Letters count as half of a Chinese character, and a column of code is wider.
    let widened = match line.kind {
        LineKind::Code { .. } => 2.0 * COLUMN,
        _ => 1.0,
    };
    let indent = match line.marker {
        Marker::None => left(line) + hang(line),
        _ => left(line).max(hang(line)),
    };
    ((ROOM - indent) / size(line) / widened).max(4.0)
}

/// Returns the height of a paragraph with the space below it.
pub(super) fn height(line: &Line<'_>) -> f64 {
    let lines: f64 = plain_lines(&line.content)
        .iter()
        .map(|text| (table::width(text) / 2.0 / per_line(line)).ceil().max(1.0))
        .sum();
    lines * size(line) * LEADING + space(line)
}

/// Returns the height of this many lines of a paragraph.
pub(super) fn lines(line: &Line<'_>, count: usize) -> f64 {
    count as f64 * size(line) * LEADING
}

/// Returns the number of half ems that fit into a paragraph of this height.
pub(super) fn capacity(line: &Line<'_>, height: f64) -> f64 {
    let lines = (height / (size(line) * LEADING)).floor().max(1.0);
    (lines * per_line(line) - per_line(line) / 4.0).max(1.0) * 2.0
}

/// Returns the text, split at line breaks.
fn plain_lines(content: &[Inline]) -> Vec<String> {
    let mut lines = vec![String::new()];
    for inline in content {
        match inline {
            Inline::Break => lines.push(String::new()),
            _ => {
                let text = plain_text(std::slice::from_ref(inline));
                if let Some(last) = lines.last_mut() {
                    last.push_str(&text);
                }
            }
        }
    }
    lines
}

/// Layout of a table on slides.
pub(super) struct TableLook {
    /// Size of its text.
    pub(super) size: f64,
    pub(super) widths: Vec<f64>,
    pub(super) sides: Vec<table::Side>,
    /// `true` if the columns are too narrow to read.
    pub(super) is_too_wide: bool,
}

impl TableLook {
    pub(super) fn of(table: &Table) -> TableLook {
        let layout = table::layout(table, true);
        // A slide is read from further away than a page, and is wider.
        let size = (layout.size * 1.5).clamp(8.0, 14.0).round();
        let all: f64 = layout.columns.iter().map(|column| column.width).sum();
        let widths = layout.columns.iter().map(|column| column.width / all * ROOM).collect();
        let sides = layout.columns.iter().map(|column| column.side).collect();
        TableLook { size, widths, sides, is_too_wide: layout.is_too_wide }
    }

    /// Returns the height of a row.
    pub(super) fn row(&self, cells: &[Vec<Inline>]) -> f64 {
        let lines = cells.iter().zip(&self.widths).map(|(cell, width)| {
            let room = (width - 2.0 * CELL_PADDING).max(self.size) / self.size * 2.0;
            let lines = plain_lines(cell);
            lines.iter().map(|text| (table::width(text) / room).ceil().max(1.0)).sum::<f64>()
        });
        lines.fold(1.0, f64::max) * self.size * LEADING + 1.4 * CELL_PADDING
    }
}
