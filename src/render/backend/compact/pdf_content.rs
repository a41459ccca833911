//! Everything that is written as a PDF.

use super::faces::Faces;
use super::lines::Line;
use super::pages::Page;
use super::paragraph::Target;
use super::strip::{Frame, Strip};
use crate::{Cancel, Paper};

/// Everything that is written.
pub(super) struct PdfContent<'a> {
    pub(super) pages: &'a [Page],
    pub(super) strips: &'a [Strip],
    pub(super) notes: &'a [Vec<Strip>],
    pub(super) frames: &'a [Frame],
    pub(super) links: &'a [Target],
    /// Text and level of each heading.
    pub(super) headings: &'a [(String, u8)],
    pub(super) faces: &'a Faces,
    pub(super) paper: Paper,
    pub(super) from_right: bool,
    /// Header of each page but the first.
    pub(super) header: Option<&'a Line>,
    /// Footers of all pages.
    pub(super) footers: &'a [Line],
    pub(super) title: Option<String>,
    pub(super) authors: &'a [String],
    pub(super) language: String,
    pub(super) created: std::time::Duration,
    pub(super) cancel: &'a Cancel,
}
