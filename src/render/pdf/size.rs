//! How much there is to typeset. Layout takes about 0.1 ms and 10 kB for each element, so a file of a few hundred
//! kilobytes that is nothing but list items or cells could otherwise take minutes and gigabytes of the host.

use crate::Result;
use crate::render::cjk::is_han;
use crate::render::doc::{Block, Doc, Inline, MAX_ELEMENTS, too_many_elements};

/// A heading is laid out again for the contents, the bookmarks and the check that page numbers are stable.
const HEADING_ELEMENTS: usize = 5;

/// A paragraph longer than this, in bytes of text or pieces, is broken into lines one after the other.
const LONG_BYTES: usize = 6_000;
const LONG_PIECES: usize = 150;

/// Refuse a document that is too large.
///
/// # Errors
///
/// [`ErrorKind::Arguments`] - it has more than [`MAX_ELEMENTS`].
pub(super) fn check(doc: &Doc) -> Result<()> {
    let elements =
        blocks(&doc.blocks) + doc.footnotes.iter().map(|note| blocks(note)).sum::<usize>();
    if elements <= MAX_ELEMENTS { Ok(()) } else { Err(too_many_elements(elements)) }
}

/// Whether a paragraph is too long for the best line breaks.
pub(super) fn is_long(content: &[Inline]) -> bool {
    let (mut bytes, mut pieces) = (0, 0);
    measure(content, &mut bytes, &mut pieces);
    bytes > LONG_BYTES || pieces > LONG_PIECES
}

fn blocks(all: &[Block]) -> usize {
    all.iter().map(block).sum()
}

fn block(block: &Block) -> usize {
    match block {
        Block::Heading { content, .. } => HEADING_ELEMENTS + inlines(content),
        Block::Paragraph { content } => 1 + inlines(content),
        Block::Code { text, .. } | Block::Html { text } => 1 + text.lines().count(),
        Block::Quote { blocks: inner, .. } => 1 + blocks(inner),
        Block::List(list) => list.items.iter().map(|item| 1 + blocks(&item.blocks)).sum(),
        Block::Table(table) => {
            table.head.iter().chain(table.rows.iter().flatten()).map(|cell| 1 + inlines(cell)).sum()
        }
        Block::Rule => 1,
    }
}

fn inlines(content: &[Inline]) -> usize {
    let (mut bytes, mut pieces) = (0, 0);
    measure(content, &mut bytes, &mut pieces);
    pieces
}

fn measure(content: &[Inline], bytes: &mut usize, pieces: &mut usize) {
    measure_in(content, bytes, pieces, false);
}

fn measure_in(content: &[Inline], bytes: &mut usize, pieces: &mut usize, is_emphasis: bool) {
    for inline in content {
        *pieces += 1;
        match inline {
            Inline::Text { text } => {
                *bytes += text.len();
                // Each run of Chinese is drawn by itself, with its dots.
                if is_emphasis {
                    *pieces += runs_of_han(text);
                }
            }
            Inline::Code { text } => *bytes += text.len(),
            Inline::Emphasis { content } => measure_in(content, bytes, pieces, true),
            Inline::Strong { content }
            | Inline::Strikethrough { content }
            | Inline::Link { content, .. } => measure_in(content, bytes, pieces, is_emphasis),
            Inline::Image { description, .. } => *bytes += description.len(),
            Inline::Footnote { .. } | Inline::Break => {}
        }
    }
}

fn runs_of_han(text: &str) -> usize {
    let mut is_han_before = false;
    let is_start = |c: char| !std::mem::replace(&mut is_han_before, is_han(c)) && is_han(c);
    text.chars().map(is_start).filter(|is_start| *is_start).count()
}
