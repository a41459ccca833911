//! Finds what text of an old Word document may lie on: the page, drawings behind it, and the fills of text boxes.

use super::art::{self, OPTIONS, Properties, Scheme, Shape};
use super::bytes::{i32_at, index_at, u16_at, u32_at};
use super::records::Record;
use crate::unseen::Paint;
use crate::unseen::colour::WHITE;
use std::collections::HashMap;

/// A drawing of all shapes of a text, and the properties that all drawings share.
const DRAWING: u16 = 0xF002;
const SHARED: u16 = 0xF000;

/// Places of the lists of drawings and of text boxes in the head of a document, for its text and for page headers.
const ANCHORS: [usize; 2] = [0x01DA, 0x01E2];
const BOXES: [usize; 2] = [0x025A, 0x026A];
const DRAWINGS: usize = 0x022A;

/// Bytes of an entry in these lists.
const ANCHOR: usize = 26;
const BOX: usize = 22;

/// Area of Letter and A4 paper, whichever is larger, in square points.
const PAPER: f64 = 612.0 * 842.0;

/// Largest area of one drawing that counts, in square points.
const MAX_AREA: f64 = 4_000_000.0;

/// What text lies on.
pub(super) struct Pages {
    pub(super) paper: Paint,
    /// Room for letters on drawings behind the text and behind page headers, in square points.
    pub(super) room: [f64; 2],
    /// The text boxes of the text and of page headers: where each ends, and its fill.
    boxes: [Vec<(usize, Paint)>; 2],
    has_drawings: bool,
}

impl Pages {
    /// Reads the drawings of a document; `None` if there are too many.
    pub(super) fn read(document: &[u8], table: &[u8]) -> Option<Self> {
        let mut pages = Self {
            paper: WHITE,
            room: [0.0; 2],
            boxes: [Vec::new(), Vec::new()],
            has_drawings: false,
        };
        let drawings = part(document, table, DRAWINGS).unwrap_or_default();
        // The record of what all share is first. A number of one byte is before each drawing.
        let Some(shared) = Record::read(drawings, 0).filter(|record| record.kind == SHARED) else {
            return Some(pages);
        };
        let defaults = shared.child(OPTIONS).map(Properties::read).unwrap_or_default();
        let mut at = shared.at + shared.data.len();
        let mut fills: HashMap<u32, Vec<Paint>> = HashMap::new();
        while let Some(drawing) = Record::read(drawings, at + 1) {
            at = drawing.at + drawing.data.len();
            if drawing.kind == DRAWING {
                for shape in art::shapes(drawing)? {
                    pages.shape(&shape, &defaults, &mut fills);
                }
            }
        }
        for (list, is_margin) in ANCHORS.into_iter().zip([false, true]) {
            for (_, anchor) in entries(part(document, table, list).unwrap_or_default(), ANCHOR) {
                pages.anchor(anchor, is_margin, &fills);
            }
        }
        for (list, boxes) in BOXES.into_iter().zip(&mut pages.boxes) {
            let found = entries(part(document, table, list).unwrap_or_default(), BOX);
            boxes.extend(found.map(|(end, entry)| {
                let shape = u32_at(entry, 14).and_then(|id| fills.get(&id));
                (end, shape.and_then(|fills| fills.last()).copied().unwrap_or_default())
            }));
        }
        Some(pages)
    }

    fn shape(
        &mut self,
        shape: &Shape<'_>,
        shared: &Properties,
        fills: &mut HashMap<u32, Vec<Paint>>,
    ) {
        let fill = fill(shape, shared);
        if shape.is_background() {
            // Programs differ in whether they show it.
            if fill != Paint::Clear && !fill.is_like(WHITE) {
                self.paper = Paint::Unknown;
            }
            return;
        }
        if shape.is_group() || shape.is_deleted() {
            return;
        }
        self.has_drawings |= fill != Paint::Clear && !fill.is_like(WHITE);
        fills.entry(shape.outermost).or_default().push(fill);
        if shape.outermost != shape.id {
            fills.entry(shape.id).or_default().push(fill);
        }
    }

    /// Adds a drawing that is anchored in the text, or in a page header.
    fn anchor(&mut self, anchor: &[u8], is_margin: bool, fills: &HashMap<u32, Vec<Paint>>) {
        /// Flag of a drawing behind the text.
        const BEHIND: u16 = 1 << 14;
        let side = |low: usize, high: usize| {
            i32_at(anchor, high)
                .zip(i32_at(anchor, low))
                .map(|(high, low)| (f64::from(high) - f64::from(low)).abs() / 20.0)
        };
        let is_behind = u16_at(anchor, 20).is_some_and(|flags| flags & BEHIND != 0);
        let fills = u32_at(anchor, 0).and_then(|id| fills.get(&id));
        let is_painted = fills.is_none_or(|fills| {
            fills.iter().any(|fill| *fill != Paint::Clear && !fill.is_like(WHITE))
        });
        self.has_drawings |= is_painted;
        // Page headers are behind the text, with all that is in them.
        if !is_painted || !is_behind && !is_margin {
            return;
        }
        let area = side(4, 12).zip(side(8, 16)).map_or(MAX_AREA, |(width, height)| width * height);
        self.room[usize::from(is_margin)] += area.min(MAX_AREA);
        if is_margin && area >= PAPER / 8.0 {
            self.room[0] = f64::INFINITY;
        }
    }

    /// Returns what text lies on in a text box, from its place among the text boxes.
    pub(super) fn text_box(&self, place: usize, is_margin: bool) -> Paint {
        let boxes = &self.boxes[usize::from(is_margin)];
        let index = boxes.partition_point(|(end, _)| *end <= place);
        match boxes.get(index) {
            // It may lie on another drawing.
            Some((_, Paint::Clear)) if self.has_drawings => Paint::Unknown,
            Some((_, fill)) => fill.over(self.paper),
            None => Paint::Unknown,
        }
    }
}

fn fill(shape: &Shape<'_>, shared: &Properties) -> Paint {
    // Shapes of Word are filled with white, unless they or all of them say otherwise.
    const FILLED: u32 = 0x0010_0010;
    let standard = Properties::one(0x01BF, FILLED);
    shape.fill(&[shared, &standard], &Scheme::default())
}

/// Returns a part of the table stream. Its place and its length are at a place in the head of the document.
pub(super) fn part<'a>(document: &[u8], table: &'a [u8], at: usize) -> Option<&'a [u8]> {
    let (start, length) = (index_at(document, at)?, index_at(document, at + 4)?);
    table.get(start..start.checked_add(length)?)
}

/// Returns the entries of a list, each with the place at which it ends. `size` is that of an entry in bytes.
pub(super) fn entries(list: &[u8], size: usize) -> impl Iterator<Item = (usize, &[u8])> {
    let count = list.len().saturating_sub(4) / (4 + size);
    let (ends, data) = list.split_at_checked(4 * (count + 1)).unwrap_or_default();
    let ends = (1..=count).filter_map(|index| index_at(ends, 4 * index));
    ends.zip(data.chunks_exact(size))
}
