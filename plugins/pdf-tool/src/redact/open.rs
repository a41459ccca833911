//! Opens a document with the fonts of its text.

use crate::error::{Result, malformed};
use crate::file::Pdf;
use crate::redact::Fonts;
use crate::text::line;
use crate::write::SaveOptions;
use std::collections::BTreeMap;

/// Writes a document anew, and opens it with its fonts: the reader of fonts needs the same numbers, and earlier revisions are gone.
///
/// # Errors
///
/// `malformed` - the document or its fonts cannot be read.
pub(crate) fn with_fonts(mut pdf: Pdf) -> Result<(Pdf, Fonts)> {
    let clean = pdf.save(&SaveOptions::default())?;
    drop(pdf);
    let Some(fonts) = Fonts::new(&clean) else {
        return malformed(
            "the fonts of the document cannot be read, so that its text cannot be searched",
        );
    };
    Ok((Pdf::open(clean, None)?, fonts))
}

/// Returns a warning for each font whose text cannot be read, with the page on which it was met first. `advice` ends the sentences.
pub(crate) fn unread(fonts: &BTreeMap<String, usize>, advice: &str) -> Vec<String> {
    let warning = |(font, page): (&String, &usize)| {
        format!(
            "Text in the font `{}` cannot be read (page {page} and perhaps others) and was not searched{advice}.",
            line(font, 80)
        )
    };
    fonts.iter().map(warning).collect()
}
