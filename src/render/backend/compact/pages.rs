//! Distributes strips over pages: where each page ends, what is repeated on the next, which footnotes it has.
//!
//! Every step places something, or begins a page on which the next step places something, so that the end is always reached.

use std::collections::VecDeque;

use super::strip::{Draw, Row, Sheet, Strip};
use crate::Paper;

/// Space between the text and the line above the footnotes, from there to the first one, and between two.
pub(super) const NOTES_ABOVE: f32 = 9.0;
const NOTES_BELOW: f32 = 7.0;
const NOTES_BETWEEN: f32 = 5.5;

/// A head of a table is not repeated if it takes more than this share of a page.
const MOST_HEAD: f32 = 0.4;

/// A page.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) is_turned: bool,
    pub(super) items: Vec<Item>,
    /// Its footnotes, from its top margin.
    pub(super) notes: Vec<NoteItem>,
    /// Height of the footnotes, including the space and the line above them.
    notes_height: f32,
}

/// A strip on a page.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) strip: usize,
    /// Distance from the top margin to its upper end.
    pub(super) y: f32,
    /// Range of lines of a row that is divided between pages.
    pub(super) lines: Option<(usize, usize)>,
    /// `true` if it is the head of a table that began on an earlier page.
    pub(super) is_repeated: bool,
}

/// A strip of a footnote on a page.
#[derive(Clone, Debug)]
pub(super) struct NoteItem {
    /// Number of the footnote, from 1.
    pub(super) note: usize,
    pub(super) item: Item,
}

/// Distributes strips over pages; `notes` has the strips of each footnote, by its number less one.
pub(super) fn pages(strips: &[Strip], notes: &[Vec<Strip>], paper: Paper) -> Vec<Page> {
    let mut maker = Maker {
        strips,
        notes,
        paper,
        pages: Vec::new(),
        page: Page::new(false),
        y: 0.0,
        waiting: VecDeque::new(),
    };
    maker.run();
    maker.pages
}

impl Page {
    fn new(is_turned: bool) -> Page {
        Page { is_turned, items: Vec::new(), notes: Vec::new(), notes_height: 0.0 }
    }
}

struct Maker<'a> {
    strips: &'a [Strip],
    notes: &'a [Vec<Strip>],
    paper: Paper,
    pages: Vec<Page>,
    page: Page,
    /// Position of the next strip.
    y: f32,
    /// Strips of footnotes without a place so far: number and strip.
    waiting: VecDeque<(usize, usize)>,
}

impl Maker<'_> {
    fn run(&mut self) {
        let mut start = 0;
        while start < self.strips.len() {
            let end = self.group_end(start);
            self.group(start, end);
            start = end;
        }
        self.finish();
    }

    /// Returns the end of the strips that stay together.
    fn group_end(&self, start: usize) -> usize {
        let rest = self.strips.get(start..).unwrap_or_default();
        let keeping = rest.iter().take_while(|strip| strip.keeps_next).count();
        (start + keeping + 1).min(self.strips.len())
    }

    fn group(&mut self, start: usize, end: usize) {
        let Some(group) = self.strips.get(start..end) else { return };
        let Some(first) = group.first() else { return };
        if first.is_turned != self.page.is_turned || first.begins_page {
            self.turn(first.is_turned);
        }
        let inner: f32 = group.iter().skip(1).map(|strip| strip.gap).sum();
        let height: f32 = inner + group.iter().map(|strip| strip.height).sum::<f32>();
        let notes = self.notes_height(group.iter().flat_map(|strip| &strip.notes));
        // A strip that turns or begins a page in the middle divides the group.
        let is_one = group
            .iter()
            .skip(1)
            .all(|strip| !strip.begins_page && strip.is_turned == first.is_turned);
        if is_one && self.gap(first) + height + notes <= self.rest() {
            return (start..end).for_each(|index| self.place(index));
        }
        let head = self.head_height(start);
        if is_one
            && head + height + notes + self.own_notes_above() <= self.full_height()
            && !self.is_empty()
        {
            self.next_page(Some(start));
            if self.gap(first) + height + notes <= self.rest() {
                return (start..end).for_each(|index| self.place(index));
            }
        }
        (start..end).for_each(|index| self.single(index));
    }

    /// Places a single strip. A row that is too high for any page is divided.
    fn single(&mut self, index: usize) {
        let Some(strip) = self.strips.get(index) else { return };
        if strip.is_turned != self.page.is_turned || strip.begins_page {
            self.turn(strip.is_turned);
        }
        let cut = match &strip.draw {
            Draw::Row(row) => Some(row).filter(|row| {
                row.lines > 1 && self.head_height(index) + strip.height > self.full_height()
            }),
            _ => None,
        };
        loop {
            let notes = self.notes_height(strip.notes.iter());
            if self.gap(strip) + strip.height + notes <= self.rest() {
                return self.place(index);
            }
            if let Some(row) = cut {
                return self.cut(index, row);
            }
            // Alone on a page it is placed, however high it is.
            if self.has_only_head() {
                return self.place(index);
            }
            self.next_page(Some(index));
        }
    }

    /// Places a row in parts.
    fn cut(&mut self, index: usize, row: &Row) {
        let mut done = 0;
        while done < row.lines {
            let gap = self.strips.get(index).map_or(0.0, |strip| self.gap(strip));
            let mut count = row.fitting(self.rest() - gap).min(row.lines - done);
            if count == 0 {
                if !self.has_only_head() {
                    self.next_page(Some(index));
                    continue;
                }
                count = 1;
            }
            let y = self.y + gap;
            let item =
                Item { strip: index, y, lines: Some((done, done + count)), is_repeated: false };
            self.page.items.push(item);
            self.y = y + row.height(count);
            if done == 0 {
                self.add_notes(index);
            }
            done += count;
            if done < row.lines {
                self.next_page(Some(index));
            }
        }
    }

    fn place(&mut self, index: usize) {
        let Some(strip) = self.strips.get(index) else { return };
        let y = self.y + self.gap(strip);
        self.page.items.push(Item { strip: index, y, lines: None, is_repeated: false });
        self.y = y + strip.height;
        self.add_notes(index);
    }

    /// Places the footnotes of a strip, as far as they fit.
    fn add_notes(&mut self, index: usize) {
        let Some(strip) = self.strips.get(index) else { return };
        for number in &strip.notes {
            let count = number.checked_sub(1).and_then(|at| self.notes.get(at)).map_or(0, Vec::len);
            self.waiting.extend((0..count).map(|strip| (*number, strip)));
        }
        self.fill_notes(false);
    }

    /// Places strips of footnotes that wait. With `must`, one strip is placed even if it is too high.
    fn fill_notes(&mut self, mut must: bool) {
        while let Some((number, index)) = self.waiting.front().copied() {
            let Some(strip) = number.checked_sub(1).and_then(|at| self.notes.get(at)?.get(index))
            else {
                self.waiting.pop_front();
                continue;
            };
            let above = if self.page.notes.is_empty() {
                NOTES_ABOVE + NOTES_BELOW
            } else if index == 0 {
                NOTES_BETWEEN
            } else {
                strip.gap
            };
            if above + strip.height > self.rest() && !must {
                return;
            }
            must = false;
            self.waiting.pop_front();
            self.page.notes_height += above;
            let item =
                Item { strip: index, y: self.page.notes_height, lines: None, is_repeated: false };
            self.page.notes.push(NoteItem { note: number, item });
            self.page.notes_height += strip.height;
        }
    }

    /// Returns the height of footnotes if they are all placed on this page.
    fn notes_height<'n>(&self, numbers: impl Iterator<Item = &'n usize>) -> f32 {
        let mut height = 0.0;
        let mut is_first = self.page.notes.is_empty();
        for number in numbers {
            let Some(strips) = number.checked_sub(1).and_then(|at| self.notes.get(at)) else {
                continue;
            };
            height += if is_first { NOTES_ABOVE + NOTES_BELOW } else { NOTES_BETWEEN };
            is_first = false;
            height += strips.iter().map(|strip| strip.height).sum::<f32>();
            height += strips.iter().skip(1).map(|strip| strip.gap).sum::<f32>();
        }
        height
    }

    /// Returns the height of the line above footnotes that this page has and the next one would not share.
    fn own_notes_above(&self) -> f32 {
        if self.page.notes.is_empty() { 0.0 } else { NOTES_ABOVE + NOTES_BELOW }
    }

    fn full_height(&self) -> f32 {
        Sheet::of(self.paper, self.page.is_turned).text_height()
    }

    /// Returns the height that is left on the page.
    fn rest(&self) -> f32 {
        // A little more, for rounding errors.
        self.full_height() - self.y - self.page.notes_height + 0.01
    }

    fn is_empty(&self) -> bool {
        self.page.items.is_empty() && self.page.notes.is_empty()
    }

    /// Returns `true` if the page has nothing but a repeated head of a table.
    fn has_only_head(&self) -> bool {
        self.page.items.iter().all(|item| item.is_repeated) && self.page.notes.is_empty()
    }

    /// Returns the space above a strip, which is zero at the top of a page.
    fn gap(&self, strip: &Strip) -> f32 {
        match self.page.items.last() {
            None => 0.0,
            Some(last) if last.is_repeated => 0.0,
            Some(_) => strip.gap,
        }
    }

    /// Begins a page in this orientation, unless the current one is empty and suitable.
    fn turn(&mut self, is_turned: bool) {
        if !self.is_empty() || !self.waiting.is_empty() {
            self.next_page(None);
        }
        self.page.is_turned = is_turned;
    }

    /// Begins the page on which the strip `index` continues.
    fn next_page(&mut self, index: Option<usize>) {
        loop {
            let is_turned = self.page.is_turned;
            let full = std::mem::replace(&mut self.page, Page::new(is_turned));
            self.pages.push(full);
            self.y = 0.0;
            self.fill_notes(true);
            if self.waiting.is_empty() {
                break;
            }
        }
        let Some(index) = index else { return };
        let Some(head) = self.strips.get(index).and_then(|strip| strip.head) else { return };
        if head < index && self.head_height(index) > 0.0 {
            self.page.items.push(Item { strip: head, y: 0.0, lines: None, is_repeated: true });
            self.y = self.strips.get(head).map_or(0.0, |head| head.height);
        }
    }

    /// Returns the height of the head that is repeated above a row.
    fn head_height(&self, index: usize) -> f32 {
        let head = self.strips.get(index).and_then(|strip| strip.head).filter(|head| *head < index);
        let height = head.and_then(|head| self.strips.get(head)).map_or(0.0, |head| head.height);
        if height > self.full_height() * MOST_HEAD { 0.0 } else { height }
    }

    fn finish(&mut self) {
        while !self.waiting.is_empty() {
            self.next_page(None);
        }
        if !self.is_empty() || self.pages.is_empty() {
            let last = std::mem::replace(&mut self.page, Page::new(false));
            self.pages.push(last);
        }
    }
}

impl Page {
    /// Returns the height of the footnotes, from the upper end of the space above them.
    pub(super) fn notes_height(&self) -> f32 {
        self.notes_height
    }
}
