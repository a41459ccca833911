//! A document as a tree of blocks and inlines, independent of its source and of the output format.
//!
//! Plain data. Knows neither Markdown nor any output format.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::chart::{ChartDescription, ChartSeries};
use mitt_base::{Error, ErrorKind};

/// Most elements of a document: blocks, items, cells, lines of code and pieces of formatted text. A report of a hundred
/// pages has five thousand; a table of a thousand rows and twenty columns has forty thousand. Layout takes about 0.1 ms and
/// 10 kB for each.
pub(crate) const MAX_ELEMENTS: usize = 60_000;

/// Returns the error for a document that has more than [`MAX_ELEMENTS`].
#[cold]
pub(crate) fn too_many_elements(got: impl std::fmt::Display) -> Error {
    let message = format!(
        "document: expected at most {MAX_ELEMENTS} elements (paragraphs, items, cells, pieces of formatted text), got {got}"
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
    /// Front matter.
    pub meta: Meta,
    /// Losses of the source that the tree cannot represent, one sentence each. A renderer adds them to its own warnings.
    pub warnings: Vec<String>,
}

/// Properties of a document, from the front matter of its source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Meta {
    /// Its title.
    pub title: Option<String>,
    /// Authors.
    pub authors: Vec<String>,
    /// Date, as its author wrote it.
    pub date: Option<String>,
    /// Keywords.
    pub keywords: Vec<String>,
    /// Addressee, line by line.
    pub recipient: Vec<String>,
    /// Language, as a BCP 47 tag.
    pub language: Option<String>,
    /// Paper size.
    pub paper: Option<Paper>,
}

/// Paper size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Paper {
    /// 210 x 297 mm.
    #[default]
    A4,
    /// 8.5 x 11 in.
    Letter,
}

/// An element that begins on a new line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Block {
    /// A heading.
    Heading {
        /// 1, the highest, to 6.
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
        /// Language in the fence, such as `rust`.
        language: Option<String>,
        /// The text, without a final line end.
        text: String,
    },
    /// HTML in the source, which is shown and never interpreted.
    Html {
        /// The text, without a final line end.
        text: String,
    },
    /// A quotation, or an admonition.
    Quote {
        /// Kind of the admonition, if it is one.
        kind: Option<QuoteKind>,
        /// The quoted blocks.
        blocks: Vec<Block>,
    },
    /// A list.
    List(List),
    /// A table.
    Table(Table),
    /// A chart.
    Chart(Box<ChartDescription>),
    /// A horizontal rule.
    Rule,
    /// The next block begins on a new page. Only among the blocks of the document itself.
    PageBreak,
}

/// Kind of an admonition, `> [!NOTE]` in GitHub's Markdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuoteKind {
    /// Useful to know.
    Note,
    /// Advice.
    Tip,
    /// Necessary to know.
    Important,
    /// Needs attention at once.
    Warning,
    /// Risks of an action.
    Caution,
}

/// A list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct List {
    /// Number of the first item; `None` for bullets.
    pub start: Option<u64>,
    /// `true` if there is no space between the items.
    pub tight: bool,
    /// The items.
    pub items: Vec<ListItem>,
}

/// An item of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListItem {
    /// State of its task box; `None` without a box.
    pub checked: Option<bool>,
    /// Its content.
    pub blocks: Vec<Block>,
}

/// A table. Head and rows have one cell per column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Table {
    /// Alignment of each column.
    pub columns: Vec<Alignment>,
    /// Cells of the head.
    pub head: Vec<Vec<Inline>>,
    /// Rows of cells.
    pub rows: Vec<Vec<Vec<Inline>>>,
}

/// Alignment of the text of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Alignment {
    /// Unspecified: the renderer decides from the content.
    Auto,
    /// Left.
    Left,
    /// Centre.
    Center,
    /// Right.
    Right,
}

/// An element within a line.
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
    /// Text with a style that Markdown has no markup for.
    Styled {
        /// The style.
        style: TextStyle,
        /// The text.
        content: Vec<Inline>,
    },
    /// A link.
    Link {
        /// Address.
        url: String,
        /// The text.
        content: Vec<Inline>,
    },
    /// An image. The caller supplies it; nothing is fetched.
    Image {
        /// Address.
        url: String,
        /// Description.
        description: String,
        /// Title, which is the caption of an image that is alone in its paragraph.
        title: Option<String>,
    },
    /// Reference to a footnote.
    Footnote {
        /// Index into [`Doc::footnotes`].
        index: usize,
    },
    /// A formula.
    Math {
        /// Source, in the notation of LaTeX.
        text: String,
        /// `true` if it is on a line of its own.
        display: bool,
    },
    /// A line break.
    Break,
}

/// A style of text from HTML in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TextStyle {
    /// Smaller and lower: `<sub>`.
    Subscript,
    /// Smaller and higher: `<sup>`.
    Superscript,
    /// Underlined: `<u>` and `<ins>`.
    Underline,
    /// Highlighted: `<mark>`.
    Mark,
}

/// A picture that is alone in its paragraph.
pub(crate) struct Figure<'a> {
    /// Address.
    pub(crate) url: &'a str,
    /// Description.
    pub(crate) description: &'a str,
    /// Caption below it.
    pub(crate) caption: Option<&'a str>,
    /// Link target.
    pub(crate) link: Option<&'a str>,
}

/// Returns the picture of a paragraph with no other content.
pub(crate) fn figure(content: &[Inline]) -> Option<Figure<'_>> {
    match content {
        [Inline::Image { url, description, title }] => {
            let caption = title.as_deref().filter(|title| !title.trim().is_empty());
            Some(Figure { url, description, caption, link: None })
        }
        [Inline::Link { url, content }] => {
            let inner = figure(content).filter(|inner| inner.link.is_none())?;
            Some(Figure { link: Some(url), ..inner })
        }
        _ => None,
    }
}

impl ChartDescription {
    /// Returns its data as a table, for a writer that cannot draw it.
    pub(crate) fn to_table(&self) -> Table {
        let cell = |text: &str| vec![Inline::Text { text: text.to_owned() }];
        let head = std::iter::once(cell(self.category_title.as_deref().unwrap_or_default()));
        let head: Vec<_> =
            head.chain(self.series.iter().map(|series| cell(&series.name))).collect();
        let row = |(at, name): (usize, &String)| {
            let value = |series: &ChartSeries| match series.values.get(at).copied().flatten() {
                Some(value) => cell(&value.get().to_string()),
                None => Vec::new(),
            };
            std::iter::once(cell(name)).chain(self.series.iter().map(value)).collect()
        };
        let rows = self.categories.iter().enumerate().map(row).collect();
        Table { columns: vec![Alignment::Auto; head.len()], head, rows }
    }
}

impl Doc {
    /// Returns the plain text of the first heading.
    pub fn first_heading(&self) -> Option<String> {
        self.blocks.iter().find_map(|block| match block {
            Block::Heading { content, .. } => Some(plain_text(content)),
            _ => None,
        })
    }

    /// Calls `visit` with every piece of text that will be shown, in order.
    pub fn for_each_text<'a>(&'a self, visit: &mut dyn FnMut(&'a str)) {
        for blocks in std::iter::once(&self.blocks).chain(&self.footnotes) {
            for_each_text(blocks, visit);
        }
    }
}

/// Calls `visit` with every piece of text in `blocks` that will be shown, in order.
pub(crate) fn for_each_text<'a>(blocks: &'a [Block], visit: &mut dyn FnMut(&'a str)) {
    blocks.iter().for_each(|block| visit_block(block, visit));
}

/// Returns the text of `content` without its formatting.
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

/// Returns `true` if a paragraph belongs to the block below it: it ends in a colon, is entirely bold, or begins like a
/// caption.
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

/// Returns the indices of the notes to which some blocks refer, in the order of the text.
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
