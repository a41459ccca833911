//! The typesetters. Typesets a document with the one that its options name, and draws the preview.

use super::pdf_pages::first_page;
use crate::model::disabled::built;
use crate::model::typeset::check_preview;
use crate::{Doc, Pdf, PdfBackend, PdfOptions, TextPages, Typesetter};
use mitt_base::{ErrorKind, Result};

/// Typesets with Typst: line breaking by UAX #14 and Chinese conventions, tagged PDF 1.7, subset fonts.
#[derive(Clone, Copy, Debug, Default)]
pub struct TypstBackend;

impl PdfBackend for TypstBackend {
    fn render(&self, doc: &Doc, options: &PdfOptions) -> Result<Pdf> {
        built!(typst: crate::backend::pdf::render(doc, options))
    }
}

/// Typesets without Typst: line breaking by UAX #14 and Chinese conventions, tagged PDF 1.7, subset fonts.
///
/// For builds in which 36 MB matter. Its pages look much like those of [`TypstBackend`](crate::TypstBackend), but words of
/// Latin scripts are not hyphenated, and words of Thai and similar scripts break at the end of the line.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompactBackend;

impl PdfBackend for CompactBackend {
    fn render(&self, doc: &Doc, options: &PdfOptions) -> Result<Pdf> {
        built!(compact: crate::backend::compact::render(doc, options))
    }
}

/// Sets texts as a PDF with a page for each, as large as the text, with nothing but its letters on it. Fonts are embedded,
/// with the letters that are used. Blocks for milliseconds.
///
/// # Errors
///
/// [`ErrorKind::Arguments`](mitt_base::ErrorKind::Arguments) - a number is out of its range, there is too much text, or no
/// font has a character. [`ErrorKind::Disabled`](mitt_base::ErrorKind::Disabled) - this build has no typesetter (feature
/// `pdf`).
pub fn text_pages(pages: &TextPages) -> Result<Vec<u8>> {
    built!(texts: crate::backend::pdf::text_pages(pages))
}

/// Typesets a document with [`PdfOptions::typesetter`].
///
/// # Errors
///
/// Those of [`PdfBackend::render`]; [`ErrorKind::Arguments`] - the width of the preview is out of range;
/// [`ErrorKind::Disabled`] - this build draws no preview (feature `preview`).
pub fn pdf(doc: &Doc, options: &PdfOptions) -> Result<Pdf> {
    // Checked before anything takes long.
    check_preview(options.preview_px)?;
    let has_only_compact = cfg!(all(feature = "pdf-compact", not(feature = "pdf")));
    let mut made = match options.typesetter {
        Typesetter::Compact => CompactBackend.render(doc, options),
        Typesetter::Best if has_only_compact => CompactBackend.render(doc, options),
        Typesetter::Best | Typesetter::Typst => TypstBackend.render(doc, options),
    }?;
    if let Some(width_px) = options.preview_px {
        match first_page(&made.bytes, width_px) {
            Ok(picture) => made.preview = Some(picture),
            // The document is complete without it.
            Err(error) if *error.kind() == ErrorKind::Host => {
                made.warnings.push(format!("no preview was drawn: {error}"));
            }
            Err(error) => return Err(error),
        }
        options.common.cancel.check()?;
    }
    Ok(made)
}
