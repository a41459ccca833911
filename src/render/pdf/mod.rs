//! Documents to PDF.
//!
//! [`PdfBackend`] is the seam: the tree goes in, pages come out. The one implementation typesets with Typst; nothing
//! outside this folder knows that.

mod data;
mod fonts;
mod signs;
mod size;
mod table;
#[cfg(test)]
mod tests;
mod typst;
mod world;

use std::time::Duration;

use super::{Cancel, Doc};
use mitt_base::Result;

pub use self::fonts::FontSet;
pub use self::typst::TypstBackend;

/// Paper of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paper {
    /// 210 x 297 mm.
    #[default]
    A4,
    /// 8.5 x 11 in.
    Letter,
}

/// How a document is typeset. Default: title and language found from the text, A4, no contents, the epoch, the bundled
/// fonts.
#[derive(Clone, Debug, Default)]
pub struct PdfOptions {
    /// Title in the file's properties and in the running header; none takes the first heading.
    pub title: Option<String>,
    /// Language as a BCP 47 tag; none is found from the text.
    pub language: Option<String>,
    /// Paper size.
    pub paper: Paper,
    /// Print a table of contents before the text.
    pub contents: bool,
    /// Creation time in the file's properties, since 1970-01-01 00:00 UTC. The same time gives the same bytes.
    pub created: Duration,
    /// Fonts besides the bundled ones.
    pub fonts: FontSet,
    /// Ends the rendering early.
    pub cancel: Cancel,
}

/// A rendered document.
#[derive(Clone, Debug)]
pub struct Pdf {
    /// The file.
    pub bytes: Vec<u8>,
    /// Number of pages.
    pub pages: usize,
    /// What was changed on the way, one sentence each.
    pub warnings: Vec<String>,
}

/// Something that typesets documents.
pub trait PdfBackend {
    /// Typeset a document. Pure computation of milliseconds to seconds; blocks.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`](mitt_base::ErrorKind::Arguments) - characters that no font has, each named; a language that is
    /// no tag; more than 60 000 paragraphs, items, cells and other elements.
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - a further font cannot be read.
    /// [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - it was cancelled.
    fn render(&self, doc: &Doc, options: &PdfOptions) -> Result<Pdf>;
}
