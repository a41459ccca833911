//! Turns the blocks of a text into the lines and tables of slides. Lists, quotations and code become properties of their
//! lines.

use std::borrow::Cow;

use crate::model::chart::ChartDescription;
use crate::model::doc::{Block, Figure, Inline, List, QuoteKind, Table, figure};
use crate::model::language::Language;

/// Deepest level of the format, from 0.
const MAX_DEPTH: usize = 8;

/// An item on a slide.
pub(super) enum Item<'a> {
    Line(Line<'a>),
    Table {
        table: Cow<'a, Table>,
        /// Number of its block of the text, from 1.
        block: usize,
    },
    Chart {
        chart: &'a ChartDescription,
        block: usize,
    },
    /// A figure, and the line that replaces it if it is not shown.
    Picture {
        figure: Figure<'a>,
        line: Line<'a>,
    },
}

/// A paragraph of a slide.
#[derive(Clone)]
pub(super) struct Line<'a> {
    pub(super) content: Cow<'a, [Inline]>,
    pub(super) kind: LineKind,
    /// Level of indentation.
    pub(super) depth: usize,
    pub(super) marker: Marker,
    /// Number of its block of the text, from 1.
    pub(super) block: usize,
    /// Index among all headings, if it is one.
    pub(super) heading: Option<usize>,
    /// Factor for its size.
    pub(super) scale: f64,
}

/// Kind of a paragraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineKind {
    Body,
    /// A heading below that of the slide.
    Heading,
    /// A line of code. Space follows the last one.
    Code {
        is_last: bool,
    },
    /// The caption of a picture.
    Caption,
    Quote,
    /// The name of an admonition.
    QuoteName(QuoteKind),
}

/// Marker before a paragraph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Marker {
    #[default]
    None,
    Bullet,
    /// Number of an item, with its list and the number of digits of the list's largest number.
    Number {
        list: usize,
        number: u64,
        digits: u32,
    },
    Task(bool),
}

/// Turns blocks into items.
pub(super) struct Flatten<'a> {
    pub(super) items: Vec<Item<'a>>,
    /// Number of headings so far.
    pub(super) headings: usize,
    lists: usize,
    block: usize,
    marker: Marker,
    /// Factor for the size of the text.
    pub(super) scale: f64,
    language: &'a Language,
}

impl<'a> Flatten<'a> {
    pub(super) fn new(language: &'a Language) -> Flatten<'a> {
        let (items, marker) = (Vec::new(), Marker::None);
        Flatten { items, headings: 0, lists: 0, block: 0, marker, scale: 1.0, language }
    }

    /// Adds a block of the text with its number.
    pub(super) fn top(&mut self, block: &'a Block, number: usize) {
        self.block = number;
        self.block(block, 0, LineKind::Body);
    }

    /// Adds a note with its number.
    pub(super) fn note(&mut self, blocks: &'a [Block], number: u64) {
        let digits = number.checked_ilog10().unwrap_or(0) + 1;
        self.marker = Marker::Number { list: usize::MAX, number, digits };
        self.blocks(blocks, 0, LineKind::Body);
        self.flush(0, LineKind::Body);
    }

    fn blocks(&mut self, blocks: &'a [Block], depth: usize, kind: LineKind) {
        blocks.iter().for_each(|block| self.block(block, depth, kind));
    }

    fn block(&mut self, block: &'a Block, depth: usize, kind: LineKind) {
        match block {
            Block::Heading { content, .. } => {
                self.line(Cow::Borrowed(content), depth, LineKind::Heading);
                if let Some(Item::Line(line)) = self.items.last_mut() {
                    line.heading = Some(self.headings);
                }
                self.headings += 1;
            }
            Block::Paragraph { content } => {
                let figure = figure(content);
                self.line(Cow::Borrowed(content), depth, kind);
                if let Some(figure) = figure
                    && let Some(Item::Line(line)) = self.items.pop()
                {
                    self.items.push(Item::Picture { figure, line });
                }
            }
            Block::Code { text, .. } | Block::Html { text } => {
                let mut lines = text.split('\n').peekable();
                while let Some(line) = lines.next() {
                    let content = vec![Inline::Text { text: line.to_owned() }];
                    let is_last = lines.peek().is_none();
                    self.line(Cow::Owned(content), depth, LineKind::Code { is_last });
                }
            }
            Block::Quote { kind: name, blocks } => {
                if let Some(name) = name {
                    let text = self.language.note(*name).to_owned();
                    let content = Cow::Owned(vec![Inline::Text { text }]);
                    self.line(content, depth + 1, LineKind::QuoteName(*name));
                }
                self.blocks(blocks, depth + 1, LineKind::Quote);
                self.flush(depth + 1, LineKind::Quote);
            }
            Block::List(list) => self.list(list, depth, kind),
            Block::Table(table) => {
                self.flush(depth, kind);
                self.items.push(Item::Table { table: Cow::Borrowed(table), block: self.block });
            }
            Block::Chart(chart) => {
                self.flush(depth, kind);
                self.items.push(Item::Chart { chart, block: self.block });
            }
            // Those of the text begin slides; within a list they have no effect.
            Block::Rule | Block::PageBreak => {}
        }
    }

    fn list(&mut self, list: &'a List, depth: usize, kind: LineKind) {
        // The marker of an item whose content begins with a list.
        self.flush(depth, kind);
        self.lists += 1;
        let id = self.lists;
        let last = list.start.map(|start| start.saturating_add(list.items.len() as u64));
        let digits = last.and_then(|last| last.saturating_sub(1).checked_ilog10()).unwrap_or(0) + 1;
        for (index, item) in list.items.iter().enumerate() {
            let number = list.start.map(|start| start.saturating_add(index as u64));
            self.marker = match (item.checked, number) {
                (Some(checked), _) => Marker::Task(checked),
                (None, Some(number)) => Marker::Number { list: id, number, digits },
                (None, None) => Marker::Bullet,
            };
            // The text of an item is one level deeper than what surrounds the list.
            self.blocks(&item.blocks, depth + 1, kind);
            self.flush(depth + 1, kind);
        }
    }

    /// Adds an empty line for a marker without text.
    fn flush(&mut self, depth: usize, kind: LineKind) {
        if self.marker != Marker::None {
            self.line(Cow::Borrowed(&[]), depth, kind);
        }
    }

    fn line(&mut self, content: Cow<'a, [Inline]>, depth: usize, kind: LineKind) {
        let marker = std::mem::take(&mut self.marker);
        let depth = depth.min(MAX_DEPTH);
        let (block, scale) = (self.block, self.scale);
        let line = Line { content, kind, depth, marker, block, heading: None, scale };
        self.items.push(Item::Line(line));
    }
}
