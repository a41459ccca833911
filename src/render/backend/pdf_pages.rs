//! The pages of a rendered PDF as pictures: the interface, in every build. `preview` draws them.

use std::fmt;
use std::sync::Arc;

use crate::model::disabled::built;
use crate::model::typeset::{PageSize, check_preview};
use mitt_base::{Error, ErrorKind, Result};

/// Returns the first page as a PNG picture `width_px` pixels wide. The width is halved until it has at most
/// [`MAX_PREVIEW_BYTES`](crate::MAX_PREVIEW_BYTES).
///
/// # Errors
///
/// Those of [`PdfPages::open`] and [`PdfPages::draw`].
pub(super) fn first_page(pdf: &[u8], width_px: u32) -> Result<Vec<u8>> {
    check_preview(Some(width_px))?;
    PdfPages::open(pdf.to_vec())?.draw(0, width_px)
}

/// A PDF that Mitt wrote, whose pages can be drawn. A cheap handle; it holds the file and the sizes of its pages.
///
/// Open no file from elsewhere: the library that draws is made for valid files, and nothing bounds what it does with a
/// hostile one.
#[derive(Clone)]
pub struct PdfPages {
    file: Arc<Vec<u8>>,
    sizes: Arc<[PageSize]>,
}

impl PdfPages {
    /// Reads the sizes of the pages. Blocks for milliseconds.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - the file cannot be read, or has no page. [`ErrorKind::Disabled`] - this build draws no pages
    /// (feature `preview`).
    pub fn open(file: impl Into<Arc<Vec<u8>>>) -> Result<PdfPages> {
        let file = file.into();
        let sizes: Arc<[PageSize]> = built!(preview: crate::backend::preview::sizes(&file))?;
        if sizes.is_empty() {
            return Err(Error::bug("a PDF without a page"));
        }
        Ok(PdfPages { file, sizes })
    }

    /// Returns the sizes of the pages, in order.
    pub fn sizes(&self) -> &[PageSize] {
        &self.sizes
    }

    /// Returns the page at `index` as a PNG picture `width_px` pixels wide, from 100 to 2 000. The width is halved until the
    /// picture has at most [`MAX_PREVIEW_BYTES`](crate::MAX_PREVIEW_BYTES). Blocks for some 100 ms.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`] - there is no such page, or the width is out of range. [`ErrorKind::Host`] - the page cannot be
    /// drawn.
    pub fn draw(&self, index: usize, width_px: u32) -> Result<Vec<u8>> {
        check_preview(Some(width_px))?;
        let Some(size) = self.sizes.get(index) else {
            let (most, got) = (self.sizes.len(), index.saturating_add(1));
            let message = format!("expected a page from 1 to {most}, got {got}");
            return Err(Error::new(ErrorKind::Arguments, message));
        };
        // The sides of all our paper sizes differ at most by a factor of two.
        if !(size.width >= 1.0 && size.height >= 1.0 && size.height <= 4.0 * size.width) {
            return Err(Error::bug("a page without a size"));
        }
        built!(preview: crate::backend::preview::page(&self.file, index, width_px))
    }
}

impl fmt::Debug for PdfPages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PdfPages").field("pages", &self.sizes.len()).finish_non_exhaustive()
    }
}

#[cfg(all(test, feature = "pdf", feature = "preview"))]
mod tests {
    use super::*;
    use crate::{CommonOptions, PdfOptions, Theme, markdown, pdf};

    /// Returns width and height of a PNG.
    fn size_of_picture(picture: &[u8]) -> (u32, u32) {
        let number = |at: usize| u32::from_be_bytes(picture[at..at + 4].try_into().unwrap());
        assert!(picture.starts_with(b"\x89PNG"));
        (number(16), number(20))
    }

    #[test]
    fn each_page_is_drawn_with_its_size() {
        let theme = Theme::named("slides").unwrap();
        let options = PdfOptions {
            common: CommonOptions { theme, ..CommonOptions::default() },
            ..PdfOptions::default()
        };
        let doc = markdown("# T\n\n## A\n\na\n\n## B\n\nb\n").unwrap();
        let made = pdf(&doc, &options).unwrap();
        let pages = PdfPages::open(made.bytes.clone()).unwrap();
        assert_eq!(pages.sizes().len(), made.pages);
        assert!(pages.sizes().len() > 1 && pages.sizes().iter().all(|it| it.width > it.height));
        let drawn: Vec<Vec<u8>> =
            (0..pages.sizes().len()).map(|page| pages.draw(page, 200).unwrap()).collect();
        for picture in &drawn {
            let (width, height) = size_of_picture(picture);
            assert!(width == 200 && height < 200, "{width} x {height}");
        }
        assert_ne!(drawn[0], drawn[1]);
        assert_eq!(drawn[0], first_page(&made.bytes, 200).unwrap());
        let error = pages.draw(drawn.len(), 200).unwrap_err();
        let expected =
            format!("expected a page from 1 to {0}, got {1}", made.pages, made.pages + 1);
        assert_eq!(error.to_string(), expected);
        assert_eq!(*pages.draw(0, 99).unwrap_err().kind(), ErrorKind::Arguments);
        assert_eq!(*PdfPages::open(b"%PDF-1.7".to_vec()).unwrap_err().kind(), ErrorKind::Host);
    }
}
