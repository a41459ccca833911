//! Typesets a document with the typesetter that its options name, and draws the preview.

use super::preview::first_page;
use super::typeset::check_preview;
use super::{CompactBackend, Doc, Pdf, PdfBackend, PdfOptions, Typesetter, TypstBackend};
use mitt_base::{ErrorKind, Result};

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
        options.cancel.check()?;
    }
    Ok(made)
}
