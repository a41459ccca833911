//! The state of writing parts with text, which each kind of content adds to.

use super::frame::Frame;
use super::numbering::Lists;
use super::paragraph::Marker;
use super::references::{Charts, Links};
use crate::Cancel;
use crate::model::doc::Doc;
use crate::shared::highlight::Highlighter;
use crate::shared::losses::Losses;
use crate::shared::notes::Notes;
use crate::shared::outline::{Anchors, Outline};
use crate::shared::picture::Gallery;

/// The state of writing the parts that contain text.
pub(super) struct Writer<'a> {
    pub(super) xml: String,
    pub(super) links: Links,
    pub(super) lists: Lists,
    pub(super) charts: Charts,
    pub(super) losses: Losses,
    pub(super) notes: Notes<'a>,
    pub(super) frame: &'a Frame<'a>,
    pub(super) outline: &'a Outline<'a>,
    pub(super) anchors: &'a Anchors,
    pub(super) gallery: Gallery<'a>,
    /// Number of pictures and charts so far.
    pub(super) drawings: usize,
    /// `true` while the paragraph is a figure.
    pub(super) in_figure: bool,
    /// Width available in the paragraph, in twentieths of a point.
    pub(super) room: u32,
    /// Marker before the first line of the next paragraph.
    pub(super) marker: Marker,
    /// `true` if the next paragraph begins a page.
    pub(super) breaks_page: bool,
    /// `true` if the next paragraph keeps its distance from a list above it.
    pub(super) is_apart: bool,
    /// `true` while the page is turned.
    pub(super) is_turned: bool,
    /// Start of the section in `xml`.
    pub(super) section_start: usize,
    pub(super) is_first_section: bool,
    /// End of the properties of the last paragraph.
    pub(super) properties_end: Option<usize>,
    pub(super) highlighter: Highlighter,
    pub(super) headings: usize,
    pub(super) bookmarks: usize,
    pub(super) cancel: &'a Cancel,
}

/// A part with text.
pub(super) struct TextPart {
    pub(super) xml: String,
    pub(super) links: Links,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        doc: &'a Doc,
        outline: &'a Outline<'a>,
        anchors: &'a Anchors,
        frame: &'a Frame<'a>,
        gallery: Gallery<'a>,
        cancel: &'a Cancel,
    ) -> Writer<'a> {
        Writer {
            xml: String::new(),
            links: Links::default(),
            lists: Lists::default(),
            charts: Charts::default(),
            losses: Losses::default(),
            notes: Notes::of(doc),
            frame,
            outline,
            anchors,
            gallery,
            drawings: 0,
            in_figure: false,
            room: 0,
            marker: Marker::default(),
            breaks_page: false,
            is_apart: false,
            is_turned: false,
            section_start: 0,
            is_first_section: true,
            properties_end: None,
            highlighter: Highlighter::default(),
            headings: 0,
            bookmarks: 0,
            cancel,
        }
    }
}
