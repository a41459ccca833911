//! Limits the size of a document. The cost of an element depends on the format, so each format has its own weights; the
//! limit is the same.

use crate::model::cjk::is_han;
use crate::model::doc::{Block, Doc, Inline, MAX_ELEMENTS, too_many_elements};
use mitt_base::Result;

/// Bytes of a formula that take as long to lay out as an element.
pub(crate) const FORMULA_BYTES: usize = 16;

/// Number of elements for which something counts in a format.
pub(crate) struct Weights {
    /// A heading, besides its text.
    pub(crate) heading: usize,
    /// A reference to a footnote, in elements.
    pub(crate) footnote: usize,
}

impl Weights {
    /// Refuses a document that is too large.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`](mitt_base::ErrorKind::Arguments) - it has more than [`MAX_ELEMENTS`].
    pub(crate) fn check(&self, doc: &Doc) -> Result<()> {
        let notes: usize = doc.footnotes.iter().map(|note| self.blocks(note)).sum();
        match self.blocks(&doc.blocks) + notes {
            elements if elements > MAX_ELEMENTS => Err(too_many_elements(elements)),
            _ => Ok(()),
        }
    }

    fn blocks(&self, all: &[Block]) -> usize {
        all.iter().map(|one| self.block(one)).sum()
    }

    fn block(&self, block: &Block) -> usize {
        match block {
            Block::Heading { content, .. } => self.heading + self.inlines(content),
            Block::Paragraph { content } => 1 + self.inlines(content),
            Block::Code { text, .. } | Block::Html { text } => 1 + text.lines().count(),
            Block::Quote { blocks, .. } => 1 + self.blocks(blocks),
            Block::List(list) => list.items.iter().map(|item| 1 + self.blocks(&item.blocks)).sum(),
            Block::Table(table) => {
                let cells = table.head.iter().chain(table.rows.iter().flatten());
                cells.map(|cell| 1 + self.inlines(cell)).sum()
            }
            Block::Chart(chart) => chart.weight(),
            Block::Rule | Block::PageBreak => 1,
        }
    }

    fn inlines(&self, content: &[Inline]) -> usize {
        let size = Size::of(content);
        size.pieces + size.dotted_runs + size.footnotes * self.footnote.saturating_sub(1)
    }
}

/// Size of a paragraph.
#[derive(Default)]
pub(crate) struct Size {
    /// Bytes of its text.
    pub(crate) bytes: usize,
    /// Pieces of formatted text and other inlines.
    pub(crate) pieces: usize,
    /// Runs of Chinese within emphasis, each of which is drawn separately.
    pub(crate) dotted_runs: usize,
    footnotes: usize,
}

impl Size {
    pub(crate) fn of(content: &[Inline]) -> Size {
        let mut size = Size::default();
        size.add(content, false);
        size
    }

    fn add(&mut self, content: &[Inline], is_emphasis: bool) {
        for inline in content {
            self.pieces += 1;
            match inline {
                Inline::Text { text } => {
                    self.bytes += text.len();
                    if is_emphasis {
                        self.dotted_runs += runs_of_han(text);
                    }
                }
                Inline::Code { text } => self.bytes += text.len(),
                Inline::Math { text, .. } => {
                    self.bytes += text.len();
                    self.pieces += text.len() / FORMULA_BYTES;
                }
                Inline::Emphasis { content } => self.add(content, true),
                Inline::Strong { content }
                | Inline::Strikethrough { content }
                | Inline::Styled { content, .. }
                | Inline::Link { content, .. } => self.add(content, is_emphasis),
                Inline::Image { description, .. } => self.bytes += description.len(),
                Inline::Footnote { .. } => self.footnotes += 1,
                Inline::Break => {}
            }
        }
    }
}

fn runs_of_han(text: &str) -> usize {
    let mut is_han_before = false;
    let is_start = |c: char| !std::mem::replace(&mut is_han_before, is_han(c)) && is_han(c);
    text.chars().map(is_start).filter(|is_start| *is_start).count()
}
