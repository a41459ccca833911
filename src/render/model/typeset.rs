//! Options and results of typesetting.
//!
//! [`PdfBackend`] is the interface: it takes the tree and returns pages. The typesetters are among the backends.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, LazyLock, OnceLock};

use serde::{Deserialize, Serialize};

use crate::{Attachment, CommonOptions, Doc, PdfStandard};
use mitt_base::{Error, ErrorKind, Result};

/// Options for typesetting a document. Default: those of [`CommonOptions`], the bundled fonts, PDF 1.7 with tags and no further
/// standard, no attachments.
#[derive(Clone, Debug, Default)]
pub struct PdfOptions {
    /// What all formats have in common.
    pub common: CommonOptions,
    /// Standards that the file must keep, or rendering fails.
    pub standards: Vec<PdfStandard>,
    /// Attached files.
    pub attachments: Vec<Attachment>,
    /// Fonts besides the bundled ones.
    pub fonts: FontSet,
    /// The typesetter that [`pdf`](fn@crate::pdf) uses. A backend that is called directly ignores it.
    pub typesetter: Typesetter,
    /// Width in pixels, from 100 to 2 000, of a picture of the first page that [`pdf`](fn@crate::pdf) draws as well; `None` for no picture.
    pub preview_px: Option<u32>,
}

/// A typesetter. Default: the best one in this build.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Typesetter {
    /// Typst if this build has it, otherwise the small one.
    #[default]
    Best,
    /// [`TypstBackend`](crate::TypstBackend).
    Typst,
    /// [`CompactBackend`](crate::CompactBackend).
    Compact,
}

/// Most bytes of a picture of a page. A larger one, such as of a page with a photograph, is drawn with fewer pixels.
pub const MAX_PREVIEW_BYTES: usize = 1024 * 1024;

/// Size of a page in points, as it is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageSize {
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
}

/// Allowed widths of a picture of a page, in pixels.
const PREVIEW_PX: std::ops::RangeInclusive<u32> = 100..=2_000;

/// Checks the width of a picture of a page.
///
/// # Errors
///
/// [`ErrorKind::Arguments`] - the width is out of range.
pub(crate) fn check_preview(width_px: Option<u32>) -> Result<()> {
    match width_px {
        Some(width) if !PREVIEW_PX.contains(&width) => {
            let (least, most) = (PREVIEW_PX.start(), PREVIEW_PX.end());
            let message =
                format!("preview: expected a width of {least} to {most} pixels, got {width}");
            Err(Error::new(ErrorKind::Arguments, message))
        }
        _ => Ok(()),
    }
}

/// A rendered document.
#[derive(Clone, Debug)]
pub struct Pdf {
    /// The file.
    pub bytes: Vec<u8>,
    /// Number of pages.
    pub pages: usize,
    /// Changes and losses, one sentence each.
    pub warnings: Vec<String>,
    /// The first page as a PNG picture of at most [`MAX_PREVIEW_BYTES`], if it was requested. A backend called directly
    /// draws none.
    pub preview: Option<Vec<u8>>,
}

/// A typesetter.
pub trait PdfBackend {
    /// Typesets a document. Blocks for milliseconds to seconds.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`](mitt_base::ErrorKind::Arguments) - characters that no font has, each named; an invalid
    /// language tag; more than 60 000 paragraphs, items, cells and other elements; a missing font of the theme; a standard
    /// that the document cannot keep, with the reasons. [`ErrorKind::Disabled`](mitt_base::ErrorKind::Disabled) - this build
    /// has no typesetter (features `pdf` and `pdf-compact`), or not the requested one.
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - a further font cannot be read.
    /// [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - it was cancelled.
    fn render(&self, doc: &Doc, options: &PdfOptions) -> Result<Pdf>;
}

/// Content of font files, read on first use.
type Files = LazyLock<Vec<Arc<[u8]>>, Box<dyn FnOnce() -> Vec<Arc<[u8]>> + Send>>;

/// Fonts besides the bundled ones. Default: none. Clones share what was read from them.
#[derive(Clone)]
pub struct FontSet {
    files: Arc<Files>,
    /// What a backend made of the files on first use.
    read: Arc<OnceLock<Arc<dyn Any + Send + Sync>>>,
}

impl FontSet {
    /// Adds the content of font files: TTF, OTF, or collections of them. They serve the characters that the bundled fonts
    /// lack. An invalid file is an error of the first rendering.
    pub fn with_extra(files: &[Arc<[u8]>]) -> FontSet {
        let files = files.to_vec();
        FontSet::read_later(move || files)
    }

    /// Uses the fonts that `read` returns. It is called once, when the first document needs them.
    pub fn read_later(read: impl FnOnce() -> Vec<Arc<[u8]>> + Send + 'static) -> FontSet {
        FontSet { files: Arc::new(LazyLock::new(Box::new(read))), read: Arc::default() }
    }

    /// Returns a set of `files` and then these fonts, which are still read when they are needed.
    pub fn after(self, mut files: Vec<Arc<[u8]>>) -> FontSet {
        FontSet::read_later(move || {
            files.extend_from_slice(self.files());
            files
        })
    }

    /// Returns the files, and reads them first if nothing has needed them yet.
    pub fn files(&self) -> &[Arc<[u8]>] {
        &self.files
    }

    /// Returns what `read` makes of the files. The result of the first backend is kept for all its documents.
    pub fn read_with<T: Send + Sync + 'static>(&self, read: impl Fn(&[Arc<[u8]>]) -> T) -> Arc<T> {
        let kept = self.read.get_or_init(|| Arc::new(read(&self.files)));
        // A second backend finds the first one's result, and reads the files itself.
        kept.clone().downcast().unwrap_or_else(|_| Arc::new(read(&self.files)))
    }
}

impl Default for FontSet {
    fn default() -> FontSet {
        FontSet::with_extra(&[])
    }
}

impl fmt::Debug for FontSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FontSet").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn fonts_are_read_once_and_not_before_they_are_needed() {
        let reads = Arc::new(AtomicUsize::new(0));
        let counted = reads.clone();
        let fonts = FontSet::read_later(move || {
            counted.fetch_add(1, Ordering::Relaxed);
            vec![b"font".as_slice().into()]
        });
        let clone = fonts.clone();
        drop(format!("{clone:?}"));
        assert_eq!(reads.load(Ordering::Relaxed), 0);
        assert_eq!((fonts.files().len(), clone.files().len()), (1, 1));
        assert_eq!(reads.load(Ordering::Relaxed), 1);
    }
}
