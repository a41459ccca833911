//! Limits the size of a document for typesetting. Layout takes about 0.1 ms and 10 kB for each element: without a limit, a
//! file of a few hundred kilobytes that consists of list items or cells could take minutes and gigabytes.

use crate::model::cjk::is_cjk;
use crate::model::doc::{Doc, Inline};
use crate::shared::size::{Size, Weights};
use mitt_base::{Error, ErrorKind, Result};

/// Elements for which a heading counts: it is laid out again for the contents, the bookmarks and the check that page numbers
/// are stable.
const HEADING_ELEMENTS: usize = 5;

/// Elements for which a line of the contents counts, with its dots and its number: 9 000 of them took 36 s and 900 MB.
const CONTENTS_ELEMENTS: usize = 20;

/// Elements for which a reference to a footnote counts: it is laid out with its page, and again for every other one on the
/// page. The text of the note is counted separately. A book of a thousand notes has ten thousand.
const FOOTNOTE_ELEMENTS: usize = 10;

/// Most places where Chinese and Latin meet. Each divides a line, and takes about 1 kB: a text of 2 MiB that changes after
/// every character would take a gigabyte. A report in both has one in ten characters.
const MAX_SCRIPT_CHANGES: usize = 300_000;

/// Most runs of emphasised Chinese in a paragraph that get their dots. Typst supports fewer than a thousand.
const MAX_DOTTED_RUNS: usize = 200;

/// A paragraph with more bytes of text or more pieces is broken line by line.
const LONG_BYTES: usize = 6_000;
const LONG_PIECES: usize = 150;

/// Refuses a document that is too large.
///
/// # Errors
///
/// [`ErrorKind::Arguments`] - it has too many elements, or changes between scripts too often.
pub(super) fn check(doc: &Doc, has_contents: bool) -> Result<()> {
    let heading = HEADING_ELEMENTS + if has_contents { CONTENTS_ELEMENTS } else { 0 };
    Weights { heading, footnote: FOOTNOTE_ELEMENTS }.check(doc)?;
    let mut changes = 0;
    doc.for_each_text(&mut |text| changes += script_changes(text));
    if changes > MAX_SCRIPT_CHANGES {
        let message = format!(
            "document: expected at most {MAX_SCRIPT_CHANGES} changes between Chinese and Latin text, got {changes}"
        );
        return Err(
            Error::new(ErrorKind::Arguments, message).hint("split the text into several documents")
        );
    }
    Ok(())
}

/// Returns `true` if a paragraph is too long for the best line breaks.
pub(super) fn is_long(content: &[Inline]) -> bool {
    let size = Size::of(content);
    size.bytes > LONG_BYTES || size.pieces > LONG_PIECES
}

/// Returns `true` if emphasised Chinese of a paragraph can have its dots.
pub(super) fn can_have_dots(content: &[Inline]) -> bool {
    Size::of(content).dotted_runs <= MAX_DOTTED_RUNS
}

fn script_changes(text: &str) -> usize {
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return 0 };
    let mut before = is_cjk(first);
    chars.filter(|c| std::mem::replace(&mut before, is_cjk(*c)) != is_cjk(*c)).count()
}
