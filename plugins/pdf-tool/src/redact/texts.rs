//! Every text in which a redaction searches, for rules that the host applies: it finds words with them, and has these redacted.
//!
//! One piece of code searches and lists, so the list has every text that is searched.

use super::find::Terms;
use super::names::Names;
use super::{Removed, glyphs, rest, unread_fonts, with_fonts};
use crate::error::{Result, unsupported};
use crate::file::Pdf;
use mitt_listing::MAX_BYTES;
use std::collections::{BTreeMap, BTreeSet};

/// The texts of a document.
#[derive(Clone, Debug, Default)]
pub struct SearchedTexts {
    /// Lines of pages, then values of fields, comments, bookmarks, metadata, names.
    pub texts: Vec<String>,
    /// What cannot be searched.
    pub warnings: Vec<String>,
}

impl SearchedTexts {
    /// Returns the texts from `start` on that one result takes, at least one, and where the next window begins.
    pub fn window(&self, start: usize) -> (&[String], Option<usize>) {
        mitt_listing::window(&self.texts, start)
    }
}

/// Returns every text in which [`super::redact`] searches, also text that nobody sees.
///
/// # Errors
///
/// `malformed` - the document cannot be read. `unsupported` - it forbids copying, or has more text than can be listed.
pub fn searched_texts(mut pdf: Pdf) -> Result<SearchedTexts> {
    if pdf.denied().contains(&"copy") {
        return crate::edit::forbidden(&["copy"]);
    }
    let mut out = SearchedTexts { warnings: pdf.repairs.clone(), ..SearchedTexts::default() };
    // Every redaction removes these, so nothing of them has to be found.
    let mut removed = Removed::default();
    rest::remove_hidden(&mut pdf, &mut removed);
    let (mut pdf, mut fonts) = with_fonts(pdf)?;
    let terms = Terms::listing();
    let mut annotated = rest::Annotated::default();
    let mut unknown: BTreeMap<String, usize> = BTreeMap::new();
    for at in 0..pdf.pages.len() {
        let page = pdf.pages[at];
        let seen = glyphs(&pdf, &mut fonts, page)?;
        terms.mark(&seen.glyphs, &mut vec![false; seen.glyphs.len()]);
        rest::annotations(&mut pdf, &mut fonts, page, &[], &terms, &mut annotated)?;
        let unread = std::mem::take(&mut fonts.unread);
        let of_page = if seen.glyphs.iter().any(|it| it.text.is_none()) {
            seen.unknown
        } else {
            BTreeSet::new()
        };
        for font in of_page.into_iter().chain(seen.programs).chain(unread) {
            unknown.entry(font).or_insert(at + 1);
        }
    }
    rest::fields(&mut pdf, &annotated, &terms, &mut removed)?;
    rest::loose(&mut pdf, &mut fonts, u32::MAX, &terms, &mut removed)?;
    // Nothing is found, so all is searched.
    let _: Option<String> = rest::leftover(&pdf, &terms);
    Names::new(&terms).clean(&mut pdf, &BTreeSet::new(), u32::MAX)?;
    out.warnings.extend(unread_fonts(&unknown, ""));
    let listing = terms.into_listing();
    if listing.is_full() {
        return unsupported(format!(
            "the document has more than {} MiB of text; split it before",
            MAX_BYTES >> 20
        ));
    }
    out.texts = listing.into_texts();
    Ok(out)
}
