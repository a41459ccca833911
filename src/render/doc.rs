//! A document as a tree of blocks and inlines, whatever it was written in and whatever it will be drawn as.
//!
//! Plain data. Knows neither Markdown nor any output format.

use std::collections::VecDeque;

use serde::Serialize;

use super::chart::ChartDescription;
use super::picture::figure;
use mitt_base::{Error, ErrorKind};

/// Most elements of a document that is drawn: blocks, items, cells, lines of code and pieces of formatted text. A report of a
/// hundred pages has five thousand; a table of a thousand rows and twenty columns has forty thousand. Layout takes about
/// 0.1 ms and 10 kB for each.
pub(crate) const MAX_ELEMENTS: usize = 60_000;

/// The error of a document that has more than [`MAX_ELEMENTS`].
#[cold]
pub(crate) fn too_many_elements(got: impl std::fmt::Display) -> Error {
    let message = format!(
        "document: at most {MAX_ELEMENTS} elements (paragraphs, items, cells, pieces of formatted text) expected, got {got}"
    );
    Error::new(ErrorKind::Arguments, message)
        .hint("deliver large tables as a workbook, or split the text into several documents")
}

/// A document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Doc {
    /// Its blocks, from top to bottom.
    pub blocks: Vec<Block>,
    /// Texts of the footnotes, in the order of their first reference. [`Inline::Footnote`] is an index into it.
    pub footnotes: Vec<Vec<Block>>,
    /// What it says of itself.
    pub meta: Meta,
    /// What of its source has no place in the tree, one sentence each. Whoever draws it passes them on.
    pub warnings: Vec<String>,
}

/// What a document says of itself: the front matter of its source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Meta {
    /// Its title.
    pub title: Option<String>,
    /// Who wrote it.
    pub authors: Vec<String>,
    /// Its date, as its author wrote it.
    pub date: Option<String>,
    /// Words by which it is found.
    pub keywords: Vec<String>,
    /// Whom it is sent to, line by line.
    pub recipient: Vec<String>,
    /// Its language, a BCP 47 tag.
    pub language: Option<String>,
    /// The paper that it is made for.
    pub paper: Option<Paper>,
}

/// Paper of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Paper {
    /// 210 x 297 mm.
    #[default]
    A4,
    /// 8.5 x 11 in.
    Letter,
}

/// Something that begins on a new line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Block {
    /// A heading.
    Heading {
        /// From 1, the highest, to 6.
        level: u8,
        /// Its text.
        content: Vec<Inline>,
    },
    /// A paragraph.
    Paragraph {
        /// Its text.
        content: Vec<Inline>,
    },
    /// Preformatted text.
    Code {
        /// What the fence says it is, such as `rust`.
        language: Option<String>,
        /// The text, without a final line end.
        text: String,
    },
    /// HTML in the source, which is shown and never interpreted.
    Html {
        /// The text, without a final line end.
        text: String,
    },
    /// A quotation, or a note set apart.
    Quote {
        /// What kind of note, if it is one.
        kind: Option<QuoteKind>,
        /// What is quoted.
        blocks: Vec<Block>,
    },
    /// A list.
    List(List),
    /// A table.
    Table(Table),
    /// A chart.
    Chart(Box<ChartDescription>),
    /// A line across the page.
    Rule,
    /// What follows begins on a new page. Only among the blocks of the document itself.
    PageBreak,
}

/// Kind of a note that is set apart, `> [!NOTE]` in GitHub's Markdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuoteKind {
    /// Worth knowing.
    Note,
    /// A piece of advice.
    Tip,
    /// Must be known.
    Important,
    /// Asks for attention at once.
    Warning,
    /// Risks of an action.
    Caution,
}

/// A list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct List {
    /// Number of the first item; none for bullets.
    pub start: Option<u64>,
    /// Whether the items follow each other without space between paragraphs.
    pub tight: bool,
    /// The items.
    pub items: Vec<ListItem>,
}

/// An item of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListItem {
    /// State of its task box; none when it has no box.
    pub checked: Option<bool>,
    /// Its content.
    pub blocks: Vec<Block>,
}

/// A table. Head and rows have one cell per column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Table {
    /// Position of the text of each column.
    pub columns: Vec<Alignment>,
    /// Cells of the head.
    pub head: Vec<Vec<Inline>>,
    /// Rows of cells.
    pub rows: Vec<Vec<Vec<Inline>>>,
}

/// Position of the text of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Alignment {
    /// Not said; the renderer decides from the content.
    Auto,
    /// Left.
    Left,
    /// Centre.
    Center,
    /// Right.
    Right,
}

/// Something within a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Inline {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// Code.
    Code {
        /// The text.
        text: String,
    },
    /// Emphasised text.
    Emphasis {
        /// The text.
        content: Vec<Inline>,
    },
    /// Strong text.
    Strong {
        /// The text.
        content: Vec<Inline>,
    },
    /// Text that is struck out.
    Strikethrough {
        /// The text.
        content: Vec<Inline>,
    },
    /// Text with a look that Markdown has no sign for.
    Styled {
        /// The look.
        style: TextStyle,
        /// The text.
        content: Vec<Inline>,
    },
    /// A link.
    Link {
        /// Where it leads.
        url: String,
        /// The text.
        content: Vec<Inline>,
    },
    /// An image, which is given by the caller and not fetched.
    Image {
        /// Where it is.
        url: String,
        /// What it shows.
        description: String,
        /// Its title: the caption where it is alone in its paragraph.
        title: Option<String>,
    },
    /// Reference to a footnote.
    Footnote {
        /// Index into [`Doc::footnotes`].
        index: usize,
    },
    /// A formula.
    Math {
        /// Its source, in the notation of LaTeX.
        text: String,
        /// Whether it stands on a line of its own.
        display: bool,
    },
    /// The next text begins on a new line.
    Break,
}

/// A look of text that comes from HTML in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TextStyle {
    /// Smaller, below the line: `<sub>`.
    Subscript,
    /// Smaller, above the line: `<sup>`.
    Superscript,
    /// With a line below: `<u>` and `<ins>`.
    Underline,
    /// With the background of a text marker: `<mark>`.
    Mark,
}

impl Doc {
    /// The plain text of the first heading.
    pub fn first_heading(&self) -> Option<String> {
        self.blocks.iter().find_map(|block| match block {
            Block::Heading { content, .. } => Some(plain_text(content)),
            _ => None,
        })
    }

    /// Call `visit` with every piece of text that will be shown, in order.
    pub fn for_each_text<'a>(&'a self, visit: &mut dyn FnMut(&'a str)) {
        for blocks in std::iter::once(&self.blocks).chain(&self.footnotes) {
            for_each_text(blocks, visit);
        }
    }
}

/// Call `visit` with every piece of text that is shown of `blocks`, in order.
pub(crate) fn for_each_text<'a>(blocks: &'a [Block], visit: &mut dyn FnMut(&'a str)) {
    blocks.iter().for_each(|block| visit_block(block, visit));
}

/// The text of `content` without its formatting.
pub fn plain_text(content: &[Inline]) -> String {
    let mut text = String::new();
    for inline in content {
        match inline {
            Inline::Break => text.push(' '),
            _ => visit_inline(inline, &mut |part| text.push_str(part)),
        }
    }
    text
}

/// Whether a paragraph belongs to what stands below it: it ends in a colon, is bold as a whole, or begins as captions do.
#[cfg(any(feature = "pdf", feature = "pptx"))]
pub(crate) fn leads_in(content: &[Inline]) -> bool {
    const MAX_CHARACTERS: usize = 80;
    const BEGINNINGS: [&str; 8] = ["表", "图", "Table", "Figure", "Fig.", "Tab.", "Chart", "附表"];

    let text = plain_text(content);
    let text = text.trim();
    if text.is_empty() || text.chars().count() > MAX_CHARACTERS {
        return false;
    }
    let is_caption = BEGINNINGS.iter().any(|beginning| {
        let rest = text.strip_prefix(beginning).map(str::trim_start);
        rest.is_some_and(|rest| {
            rest.starts_with(|c: char| c.is_ascii_digit() || "一二三四五六七八九十".contains(c))
        })
    });
    is_caption || text.ends_with([':', '：']) || matches!(content, [Inline::Strong { .. }])
}

/// Indices of the notes that some blocks refer to, in the order of their text.
pub(crate) fn references(blocks: &[Block]) -> VecDeque<usize> {
    fn of_inlines(content: &[Inline], found: &mut VecDeque<usize>) {
        for inline in content {
            match inline {
                Inline::Footnote { index } => found.push_back(*index),
                Inline::Emphasis { content }
                | Inline::Strong { content }
                | Inline::Strikethrough { content }
                | Inline::Styled { content, .. }
                | Inline::Link { content, .. } => of_inlines(content, found),
                _ => {}
            }
        }
    }
    fn of_blocks(blocks: &[Block], found: &mut VecDeque<usize>) {
        for block in blocks {
            match block {
                Block::Heading { content, .. } | Block::Paragraph { content } => {
                    of_inlines(content, found)
                }
                Block::Quote { blocks, .. } => of_blocks(blocks, found),
                Block::List(list) => {
                    list.items.iter().for_each(|item| of_blocks(&item.blocks, found))
                }
                Block::Table(table) => {
                    let cells = table.head.iter().chain(table.rows.iter().flatten());
                    cells.for_each(|cell| of_inlines(cell, found));
                }
                _ => {}
            }
        }
    }
    let mut found = VecDeque::new();
    of_blocks(blocks, &mut found);
    found
}

fn visit_block<'a>(block: &'a Block, visit: &mut dyn FnMut(&'a str)) {
    match block {
        Block::Heading { content, .. } => visit_inlines(content, visit),
        Block::Paragraph { content } => {
            visit_inlines(content, visit);
            if let Some(caption) = figure(content).and_then(|figure| figure.caption) {
                visit(caption);
            }
        }
        Block::Code { text, .. } | Block::Html { text } => visit(text),
        Block::Quote { blocks, .. } => blocks.iter().for_each(|block| visit_block(block, visit)),
        Block::List(list) => {
            list.items
                .iter()
                .flat_map(|item| &item.blocks)
                .for_each(|block| visit_block(block, visit));
        }
        Block::Table(table) => {
            table
                .head
                .iter()
                .chain(table.rows.iter().flatten())
                .for_each(|cell| visit_inlines(cell, visit));
        }
        Block::Chart(chart) => chart.for_each_text(visit),
        Block::Rule | Block::PageBreak => {}
    }
}

fn visit_inlines<'a>(content: &'a [Inline], visit: &mut dyn FnMut(&'a str)) {
    content.iter().for_each(|inline| visit_inline(inline, visit));
}

pub(crate) fn visit_inline<'a>(inline: &'a Inline, visit: &mut dyn FnMut(&'a str)) {
    match inline {
        Inline::Text { text } | Inline::Code { text } | Inline::Math { text, .. } => visit(text),
        Inline::Emphasis { content }
        | Inline::Strong { content }
        | Inline::Strikethrough { content }
        | Inline::Styled { content, .. }
        | Inline::Link { content, .. } => visit_inlines(content, visit),
        Inline::Image { description, .. } => visit(description),
        Inline::Footnote { .. } | Inline::Break => {}
    }
}
