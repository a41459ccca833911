//! The state of writing slides, which the text and the shapes of each add to.

use std::collections::BTreeMap;

use super::deck::Media;
use super::design::Design;
use super::package::{SlidePart, Target};
use crate::model::doc::Doc;
use crate::model::language::Language;
use crate::shared::chart::ChartParts;
use crate::shared::losses::Losses;
use crate::shared::notes::Notes;
use crate::shared::outline::Anchors;

/// The state of writing slides.
pub(super) struct Writer<'a> {
    pub(super) xml: String,
    pub(super) slides: Vec<SlidePart>,
    /// Link targets of the current slide.
    pub(super) targets: Vec<Target>,
    pub(super) losses: Losses,
    pub(super) notes: Notes<'a>,
    pub(super) anchors: &'a Anchors,
    pub(super) language: &'a Language,
    pub(super) design: &'a Design,
    /// Index of the slide of each heading.
    pub(super) headings: Vec<usize>,
    /// Reasons why pictures are not shown, by their addresses.
    pub(super) unseen: BTreeMap<String, String>,
    /// Pictures so far, each once.
    pub(super) media: Vec<Media>,
    /// Charts so far.
    pub(super) charts: Vec<ChartParts>,
    /// Identifier of the next shape of the slide.
    pub(super) next: u32,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        doc: &'a Doc,
        anchors: &'a Anchors,
        language: &'a Language,
        design: &'a Design,
    ) -> Writer<'a> {
        Writer {
            xml: String::new(),
            slides: Vec::new(),
            targets: Vec::new(),
            losses: Losses::default(),
            notes: Notes::of(doc),
            anchors,
            language,
            design,
            headings: Vec::new(),
            unseen: BTreeMap::new(),
            media: Vec::new(),
            charts: Vec::new(),
            next: 2,
        }
    }
}
