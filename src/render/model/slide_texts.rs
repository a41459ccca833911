//! A document as slides that have texts, tables, charts and pictures, but no places and no looks: for an editor that puts
//! them on the layouts of another presentation. Plain data.

use std::sync::Arc;

use super::chart::ChartDescription;

/// A document, divided into slides.
#[derive(Clone, Debug, Default)]
pub struct SlideTexts {
    /// The slides, in their order.
    pub slides: Vec<SlideText>,
    /// The pictures that the slides show.
    pub pictures: Vec<SlidePicture>,
    /// Title for the properties of a file.
    pub title: Option<String>,
    /// Authors for the properties of a file; empty if there are none.
    pub author: String,
    /// `true` if words that the host inserts are Chinese.
    pub is_chinese: bool,
    /// Losses of the document, one sentence each, with places.
    pub warnings: Vec<String>,
}

/// A slide, which may have more than there is room for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlideText {
    /// Its kind.
    pub kind: SlideKind,
    /// Its title; empty if it has none.
    pub title: String,
    /// Authors and date, on the first one.
    pub subtitle: Option<String>,
    /// `true` if the previous one has the same title.
    pub is_continued: bool,
    /// What it has below its title.
    pub parts: Vec<SlidePart>,
}

/// The kind of a slide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlideKind {
    /// The first one.
    Title,
    /// The title of a section.
    Section,
    /// Any other one.
    Content,
}

/// A part of a slide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SlidePart {
    /// Paragraphs and items.
    Text(Vec<SlideLine>),
    /// Rows of cells; the first is the header.
    Table(Vec<Vec<String>>),
    /// A chart.
    Chart {
        /// Its data.
        chart: Box<ChartDescription>,
        /// The source of its figures, as a line below it.
        below: Option<String>,
    },
    /// A picture.
    Picture {
        /// Its index in [`SlideTexts::pictures`].
        index: usize,
        /// Its caption, as a line below it.
        below: Option<String>,
    },
}

/// A paragraph or an item. A break within it is U+000B, as presentations have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlideLine {
    /// Its level, from 0.
    pub level: usize,
    /// Its text, with the number of an item.
    pub text: String,
}

/// A picture that office programs show: a PNG, JPEG or GIF, upright.
#[derive(Clone, Debug, PartialEq)]
pub struct SlidePicture {
    /// Its description; may be empty.
    pub description: String,
    /// Its file.
    pub file: Arc<[u8]>,
    /// Width and height on a slide in points, if there is enough room.
    pub size: (f64, f64),
}
