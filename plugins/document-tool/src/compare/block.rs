//! A block: the unit that is compared.

use std::ops::Range;

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Heading,
    Paragraph,
    Item,
    /// A line of code, or of a paragraph that is compared line by line.
    Line,
    Row,
}

/// A part of a text that is compared as a whole.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) kind: Kind,
    /// Bytes of the text, without marks of headings and lists.
    pub(crate) range: Range<u32>,
    /// Index of its first character in the document.
    pub(crate) at: u32,
    /// Hash of its normal text; for a row, of the cells that both tables have.
    pub(crate) hash: u64,
    /// Index of the table of a row. For a paragraph, where it goes on behind a page break: an index of `Parsed::tails`.
    pub(crate) link: Option<u32>,
    /// Number of a list item, or of a row in its table: 0 for the header.
    pub(crate) number: u32,
}
