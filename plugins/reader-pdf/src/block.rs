//! Parts of a page, with their final text.

use crate::comments::Comment;
use crate::tables::Placed;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Running text, as Markdown and as plain text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) markdown: String,
    pub(crate) plain: String,
}

/// Writes the text once if both forms are equal, which is the usual case.
impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let plain = (self.plain != self.markdown).then_some(&self.plain);
        (&self.markdown, plain).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Text, D::Error> {
        let (markdown, plain) = <(String, Option<String>)>::deserialize(from)?;
        Ok(Text { plain: plain.unwrap_or_else(|| markdown.clone()), markdown })
    }
}

/// A part of a page.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Block {
    Heading(u8, Text),
    Paragraph(Text),
    /// A list item with its mark: `-` or `3.`.
    Item(String, Text),
    /// A footnote with its number as printed.
    Note(String, Text),
    /// Lines of a program.
    Code(String),
    Table(Placed),
}

impl Block {
    /// Returns the running text; `None` for a table or a program.
    pub(crate) fn text(&self) -> Option<&Text> {
        match self {
            Block::Heading(_, text)
            | Block::Paragraph(text)
            | Block::Item(_, text)
            | Block::Note(_, text) => Some(text),
            Block::Code(_) | Block::Table(_) => None,
        }
    }

    /// Returns the approximate number of bytes of text.
    pub(crate) fn size(&self) -> usize {
        match self {
            Block::Code(code) => code.len(),
            Block::Table(placed) => placed.size,
            _ => self.text().map_or(0, |text| text.markdown.len()),
        }
    }
}

/// A page.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Page {
    /// Its number, from 1.
    pub(crate) number: u32,
    pub(crate) blocks: Vec<Block>,
    /// Comments on the page.
    pub(crate) comments: Vec<Comment>,
}
