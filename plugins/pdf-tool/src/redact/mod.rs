//! Removes text, parts of pictures, drawings and what is behind them for good, and proves it.
//!
//! The document is written anew first, so that there are no earlier revisions, and so that the fonts of the library `unpdf`
//! have the same numbers. The result is read again; if anything is left, nothing is delivered.

mod find;
mod fonts;
mod glyph;
mod images;
mod level;
mod marked;
mod names;
mod open;
mod page;
mod rest;
mod texts;
mod walk;

use crate::error::{Error, Result, invalid, malformed};
use crate::file::Pdf;
use crate::text::{counted, no_page};
use crate::write::SaveOptions;
use find::Terms;
use level::touches;
use names::Names;
use page::{Redacting, Seen};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) use find::{as_seen, fold, folded, gap};
pub(crate) use fonts::Fonts;
pub(crate) use glyph::Glyph;
pub(crate) use images::pixels;
pub(crate) use open::{unread as unread_fonts, with_fonts};
pub(crate) use page::glyphs;
pub use texts::{SearchedTexts, searched_texts};

/// Most areas of a call.
const MAX_AREAS: usize = 5_000;
/// Most hits over blanks that are named.
const MAX_SHOWN: usize = 20;

/// What is removed.
#[derive(Clone, Debug, Default)]
pub struct Redaction {
    /// Words and phrases, also as parts of words.
    pub words: Vec<String>,
    /// Regular expressions.
    pub patterns: Vec<String>,
    /// Pages from 1 with rectangles: left, bottom, right, top in points of the page.
    pub areas: Vec<(usize, [f64; 4])>,
    /// Pages whose whole content is removed, such as `2-3`.
    pub pages: Option<String>,
    /// Capital and small letters differ.
    pub is_exact_case: bool,
    /// Text in fonts that cannot be read may stay, although words and patterns are not searched in it.
    pub accepts_unread: bool,
    /// A signed document may lose its signatures.
    pub breaks_signatures: bool,
    /// What every redaction removes, such as attachments, is enough: a rule may have found something there and nowhere else.
    pub without_hits: bool,
}

/// What was removed.
#[derive(Clone, Debug, Default)]
pub struct Removed {
    /// Places in the text of pages.
    pub places: usize,
    /// Pages whose whole content was removed.
    pub whole_pages: usize,
    /// Areas that were emptied on other pages.
    pub areas: usize,
    /// Pages that were changed, from 1.
    pub pages: Vec<usize>,
    /// Pages and texts of hits that go over blanks which the word does not have. Some may be two words that were not meant.
    pub over_blanks: Vec<(usize, String)>,
    /// Hits in fields, annotations and other places that are no text of pages.
    pub elsewhere: usize,
    /// What else was removed, one sentence each.
    pub other: Vec<String>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

impl Removed {
    /// Returns the number of hits.
    pub fn hits(&self) -> usize {
        self.places + self.elsewhere
    }

    /// Returns what was removed, one sentence each.
    pub fn done(&self) -> Vec<String> {
        let first = format!("{} The result was read again, and nothing is left.", self.summary());
        let other = self.other.iter().map(|it| format!("Removed: {it}"));
        std::iter::once(first).chain(other).collect()
    }

    /// Notes hits that are no text of pages.
    fn note_hits(&mut self, place: &str, count: usize) {
        if count > 0 {
            self.elsewhere += count;
            self.other.push(format!("Hits in {place}: {count}."));
        }
    }

    /// Returns a sentence of what was removed from pages.
    pub fn summary(&self) -> String {
        if self.pages.is_empty() {
            return "No place on a page was changed.".to_owned();
        }
        let list: Vec<String> = self.pages.iter().take(100).map(ToString::to_string).collect();
        let more = if self.pages.len() > list.len() { ", …" } else { "" };
        let noun = if self.pages.len() == 1 { "page" } else { "pages" };
        let pages = format!("{noun} {}{more}", list.join(", "));
        let mut parts = Vec::new();
        if self.places > 0 {
            parts.push(format!("{} in text", counted(self.places, "place")));
        }
        if self.whole_pages > 0 {
            parts.push(counted(self.whole_pages, "whole page"));
        }
        if self.areas > 0 {
            parts.push(counted(self.areas, "area"));
        }
        format!("Removed {} on {pages}.", parts.join(", "))
    }
}

/// Redacts a document. Returns the new file.
///
/// # Errors
///
/// `invalid-argument` - nothing is to be removed, or an argument is wrong. `not-found` - nothing is found. `unsupported` -
/// the document is signed or protected. `malformed` - something would be left.
pub fn redact(mut pdf: Pdf, redaction: &Redaction) -> Result<(Vec<u8>, Removed)> {
    let terms = Terms::new(&redaction.words, &redaction.patterns, !redaction.is_exact_case)?;
    if terms.is_empty() && redaction.areas.is_empty() && redaction.pages.is_none() {
        return invalid("expected `words`, `patterns`, `areas` or `pages`");
    }
    if redaction.areas.len() > MAX_AREAS {
        return invalid(format!(
            "expected at most {MAX_AREAS} areas, got {}",
            redaction.areas.len()
        ));
    }
    let count = pdf.pages.len();
    let mut areas: BTreeMap<usize, Vec<[f64; 4]>> = BTreeMap::new();
    for (page, rect) in &redaction.areas {
        if *page == 0 || *page > count {
            return invalid(no_page(page, count));
        }
        let is_rect =
            rect.iter().all(|it| it.is_finite()) && rect[2] > rect[0] && rect[3] > rect[1];
        if !is_rect {
            return invalid(format!(
                "expected an area of left, bottom, right, top on page {page}, got {rect:?}"
            ));
        }
        areas.entry(page - 1).or_default().push(*rect);
    }
    let whole: BTreeSet<usize> = match &redaction.pages {
        Some(list) => crate::ranges::pages(list, count)?.into_iter().collect(),
        None => BTreeSet::new(),
    };
    let denied = pdf.denied();
    if denied.contains(&"modify") {
        return crate::edit::forbidden(&denied);
    }
    let mut removed = Removed { warnings: pdf.repairs.clone(), ..Removed::default() };
    removed.warnings.extend(pdf.open_signatures(redaction.breaks_signatures)?);
    let was_encrypted = pdf.security.is_some();
    rest::remove_hidden(&mut pdf, &mut removed);
    let (mut pdf, mut fonts) = with_fonts(pdf)?;
    if pdf.pages.len() != count {
        return malformed("the document is damaged: its pages changed when it was written anew");
    }
    // Newer forms are not known to the reader of fonts.
    let known = pdf.next_number();
    let mut names = Names::new(&terms);
    let mut redacting = Redacting {
        pdf: &mut pdf,
        fonts: &mut fonts,
        terms: &terms,
        names: &mut names,
        removed: &mut removed,
        annotated: rest::Annotated::default(),
        unknown: BTreeMap::new(),
    };
    for at in 0..count {
        let here = areas.get(&at).map(Vec::as_slice).unwrap_or_default();
        redacting.page(at, here, whole.contains(&at))?;
    }
    let Redacting { unknown, annotated, .. } = redacting;
    rest::fields(&mut pdf, &annotated, &terms, &mut removed)?;
    // A warning is no proof.
    if !unknown.is_empty() && !terms.is_empty() && !redaction.accepts_unread {
        let fonts: Vec<String> = unknown
            .iter()
            .take(10)
            .map(|(font, page)| format!("`{}` (page {page})", crate::text::line(font, 80)))
            .collect();
        return crate::error::unsupported(format!(
            "text in {} {} cannot be read, so that words cannot be found in it: {}. Redact its `areas` or `pages`, or ask the \
                user, then set `accept_unread`",
            unknown.len(),
            if unknown.len() == 1 { "font" } else { "fonts" },
            fonts.join(", ")
        ));
    }
    removed.warnings.extend(unread_fonts(&unknown, "; redact areas there"));
    let by_area = !areas.is_empty() || !whole.is_empty();
    rest::loose(&mut pdf, &mut fonts, known, &terms, &mut removed)?;
    rest::sweep(&mut pdf, &terms, by_area, &mut removed);
    let rewritten = removed.pages.iter().map(|it| pdf.pages[it - 1]).collect();
    names.clean(&mut pdf, &rewritten, known)?;
    removed.note_hits(
        "names of colours, marks and tags, and in comments of content",
        names.places.len(),
    );
    let done = removed.hits() > 0
        || !removed.pages.is_empty()
        || (redaction.without_hits && !removed.other.is_empty());
    if !done {
        let hint = if unknown.is_empty() {
            "read the document and use its words"
        } else {
            "some fonts cannot be read; redact areas"
        };
        return Err(Error::NotFound(format!("nothing to remove was found; {hint}")));
    }
    if was_encrypted {
        removed.warnings.push(
            "The new file is not encrypted; encrypt it again with `encrypt` of `rewrite_pdf`."
                .to_owned(),
        );
    }
    for (page, shown) in removed.over_blanks.iter().take(MAX_SHOWN) {
        removed.warnings.push(format!(
            "`{shown}` on page {page} was removed, too: without its blanks it has a word. Check that it was meant."
        ));
    }
    if removed.over_blanks.len() > MAX_SHOWN {
        removed.warnings.push(format!(
            "Other texts were removed, too, because they have a word without their blanks: {}.",
            removed.over_blanks.len() - MAX_SHOWN
        ));
    }
    drop(fonts);
    drop(names);
    let bytes = pdf.save(&SaveOptions { is_packed: true, protection: None })?;
    drop(pdf);
    verify(&bytes, &terms, &areas, &whole)?;
    Ok((bytes, removed))
}

/// Reads the result. Nothing may be left.
fn verify(
    bytes: &[u8],
    terms: &Terms,
    areas: &BTreeMap<usize, Vec<[f64; 4]>>,
    whole: &BTreeSet<usize>,
) -> Result<()> {
    let left = |what: String| {
        malformed::<()>(format!(
            "the redaction is not delivered, because something would be left: {what}"
        ))
    };
    let Some(mut fonts) = Fonts::new(bytes) else {
        return left("the result cannot be read".to_owned());
    };
    let mut pdf = Pdf::open(bytes.to_vec(), None)?;
    let mut names = Names::new(terms);
    for (at, page) in pdf.pages.iter().enumerate() {
        let Seen { glyphs, marks, .. } = glyphs(&pdf, &mut fonts, *page)?;
        names.note(*page, &marks);
        let mut hits = vec![false; glyphs.len()];
        terms.mark(&glyphs, &mut hits);
        let here = areas.get(&at).map(Vec::as_slice).unwrap_or_default();
        let in_area = glyphs.iter().any(|glyph| here.iter().any(|it| touches(&glyph.rect, it)));
        // The places of glyphs may be wrong, so their letters are searched without them, too.
        let letters: String = glyphs.iter().filter_map(|it| it.text.as_deref()).collect();
        if hits.contains(&true)
            || terms.hit_in_letters(&letters)
            || in_area
            || (whole.contains(&at) && !glyphs.is_empty())
        {
            return left(format!("text on page {}", at + 1));
        }
    }
    if let Some(what) = rest::leftover(&pdf, terms) {
        return left(what);
    }
    names.clean(&mut pdf, &BTreeSet::new(), u32::MAX)?;
    match names.places.first() {
        Some(what) => left(what.clone()),
        None => Ok(()),
    }
}
