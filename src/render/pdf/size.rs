//! How much a document may ask to be typeset. Layout takes about 0.1 ms and 10 kB for each element: without a bound, a file of
//! a few hundred kilobytes that consists of list items or cells could take minutes and gigabytes.

use crate::cjk::{is_cjk, is_han};
use crate::doc::{Block, Doc, Inline, MAX_ELEMENTS, too_many_elements};
use mitt_base::{Error, ErrorKind, Result};

/// A heading is laid out again for the contents, the bookmarks and the check that page numbers are stable.
const HEADING_ELEMENTS: usize = 5;

/// A line of the contents with its dots and its number: 9 000 of them took 36 s and 900 MB.
const CONTENTS_ELEMENTS: usize = 20;

/// A reference to a footnote is laid out with its page, and again for every other one on it; the text of the note is counted
/// besides. A book of a thousand notes has ten thousand.
const FOOTNOTE_ELEMENTS: usize = 10;

/// Places where Chinese and Latin meet. Each parts a line, and takes about 1 kB: a text of 2 MiB that changes after every
/// character would take a gigabyte. A report in both has one in ten characters.
const MAX_SCRIPT_CHANGES: usize = 300_000;

/// Runs of Chinese in emphasised text of one paragraph that get their dots; Typst takes fewer than a thousand.
const MAX_DOTTED_RUNS: usize = 200;

/// A paragraph longer than this, in bytes of text or pieces, is broken into lines one after the other.
const LONG_BYTES: usize = 6_000;
const LONG_PIECES: usize = 150;

/// Refuse a document that is too large.
///
/// # Errors
///
/// [`ErrorKind::Arguments`] - it has more than [`MAX_ELEMENTS`], or changes between scripts too often.
pub(super) fn check(doc: &Doc, has_contents: bool) -> Result<()> {
    let heading = HEADING_ELEMENTS + if has_contents { CONTENTS_ELEMENTS } else { 0 };
    let notes: usize = doc.footnotes.iter().map(|note| blocks(note, heading)).sum();
    let elements = blocks(&doc.blocks, heading) + notes;
    if elements > MAX_ELEMENTS {
        return Err(too_many_elements(elements));
    }
    let mut changes = 0;
    doc.for_each_text(&mut |text| changes += script_changes(text));
    if changes > MAX_SCRIPT_CHANGES {
        let message = format!(
            "document: at most {MAX_SCRIPT_CHANGES} changes between Chinese and Latin text expected, got {changes}"
        );
        return Err(
            Error::new(ErrorKind::Arguments, message).hint("split the text into several documents")
        );
    }
    Ok(())
}

/// Whether a paragraph is too long for the best line breaks.
pub(super) fn is_long(content: &[Inline]) -> bool {
    let size = Size::of(content);
    size.bytes > LONG_BYTES || size.pieces > LONG_PIECES
}

/// Whether the emphasised Chinese of a paragraph can have its dots.
pub(super) fn can_have_dots(content: &[Inline]) -> bool {
    Size::of(content).dotted_runs <= MAX_DOTTED_RUNS
}

/// Elements of blocks, where each heading counts as so many besides its text.
fn blocks(all: &[Block], heading: usize) -> usize {
    all.iter().map(|one| block(one, heading)).sum()
}

fn block(block: &Block, heading: usize) -> usize {
    match block {
        Block::Heading { content, .. } => heading + inlines(content),
        Block::Paragraph { content } => 1 + inlines(content),
        Block::Code { text, .. } | Block::Html { text } => 1 + text.lines().count(),
        Block::Quote { blocks: inner, .. } => 1 + blocks(inner, heading),
        Block::List(list) => list.items.iter().map(|item| 1 + blocks(&item.blocks, heading)).sum(),
        Block::Table(table) => {
            table.head.iter().chain(table.rows.iter().flatten()).map(|cell| 1 + inlines(cell)).sum()
        }
        Block::Rule => 1,
    }
}

fn inlines(content: &[Inline]) -> usize {
    let size = Size::of(content);
    size.pieces + size.dotted_runs + size.footnotes * (FOOTNOTE_ELEMENTS - 1)
}

/// Size of a paragraph.
#[derive(Default)]
struct Size {
    /// Of its text.
    bytes: usize,
    /// Of formatted text, and what else stands in a line.
    pieces: usize,
    /// Runs of Chinese within emphasis: each is drawn by itself.
    dotted_runs: usize,
    footnotes: usize,
}

impl Size {
    fn of(content: &[Inline]) -> Size {
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
                Inline::Emphasis { content } => self.add(content, true),
                Inline::Strong { content }
                | Inline::Strikethrough { content }
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

fn script_changes(text: &str) -> usize {
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return 0 };
    let mut before = is_cjk(first);
    chars.filter(|c| std::mem::replace(&mut before, is_cjk(*c)) != is_cjk(*c)).count()
}
