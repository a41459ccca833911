//! A PDF whose pages are drawn.

use std::sync::Arc;

use hayro::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};

use crate::draw::{self, Options, Picture};
use crate::error::{Error, Result, invalid};
use crate::fonts::{FontChoice, HostFonts};
use crate::page_size::{A4, PageSize, size_of};

/// A PDF file in memory.
pub struct PdfFile {
    pdf: Pdf,
    fonts: Arc<FontChoice>,
}

impl PdfFile {
    /// Reads a file. `fonts` are those of the host.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] - it is encrypted and the password is missing or wrong. [`Error::Malformed`] - no pages are found.
    pub fn open(
        bytes: Vec<u8>,
        password: Option<&str>,
        fonts: Arc<dyn HostFonts>,
    ) -> Result<PdfFile> {
        let opened = Pdf::new_with_password(bytes, password.unwrap_or_default());
        let pdf = opened.map_err(|error| match (error, password) {
            (LoadPdfError::Decryption(DecryptionError::PasswordProtected), None) => {
                Error::Unsupported(
                    "the document is encrypted: `password` is missing; ask the user for it".to_owned(),
                )
            }
            (LoadPdfError::Decryption(DecryptionError::PasswordProtected), Some(_)) => {
                Error::Unsupported(
                    "the document is encrypted, and `password` does not open it; ask the user for it"
                        .to_owned(),
                )
            }
            (LoadPdfError::Decryption(_), _) => Error::Unsupported(
                "the document is encrypted in a way that is not drawn".to_owned(),
            ),
            (LoadPdfError::Invalid, _) => {
                Error::Malformed("the document is damaged: its pages are not found".to_owned())
            }
        })?;
        if pdf.pages().is_empty() {
            return Err(Error::Malformed("the document is damaged: it has no pages".to_owned()));
        }
        Ok(PdfFile { pdf, fonts: Arc::new(FontChoice::new(fonts)) })
    }

    /// Returns the number of pages.
    pub fn page_count(&self) -> usize {
        self.pdf.pages().len()
    }

    /// Returns the sizes of the first `most` pages. A page that cannot be drawn has the size of A4.
    pub fn sizes(&self, most: usize) -> Vec<PageSize> {
        let pages = self.pdf.pages().iter().take(most);
        pages.map(|page| size_of(page).unwrap_or(A4)).collect()
    }

    /// Draws the page at `index`, from 0.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] - there is no such page, or a size is out of range. [`Error::Malformed`] - the page has no size.
    /// [`Error::Quota`] - a picture on it is too large. All name the page.
    pub fn draw(&self, index: usize, options: &Options) -> Result<Picture> {
        let number = index.saturating_add(1);
        let Some(page) = self.pdf.pages().get(index) else {
            let count = self.page_count();
            return invalid(format!("page {number} does not exist; there are {count}"));
        };
        draw::draw((page, number), options, &self.fonts)
    }
}
