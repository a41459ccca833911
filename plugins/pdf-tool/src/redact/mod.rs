//! Removes text, parts of pictures, drawings and what is behind them for good, and proves it.
//!
//! The document is written anew first, so that there are no earlier revisions, and so that the fonts of the library `unpdf`
//! have the same numbers. The result is read again; if anything is left, nothing is delivered.

mod find;
mod fonts;
mod images;
mod level;
mod listing;
mod marked;
mod names;
mod rest;
mod texts;
mod walk;

use crate::content::Matrix;
use crate::error::{Error, Result, invalid, malformed};
use crate::file::Pdf;
use crate::object::{Dict, Object, Stream};
use crate::write::{SaveOptions, real};
use find::Terms;
use level::touches;
use names::Names;
use std::collections::{BTreeMap, BTreeSet};
use walk::{Cut, Walk};

pub(crate) use find::{as_seen, fold, folded, gap};
pub(crate) use fonts::Fonts;
pub(crate) use images::pixels;
pub use texts::{SearchedTexts, searched_texts};
pub(crate) use walk::Glyph;

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
    /// What else was removed, one sentence each.
    pub other: Vec<String>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

impl Removed {
    /// Returns a sentence of what was removed from pages.
    pub fn summary(&self) -> String {
        let noun = |count: usize, one: &'static str, more: &'static str| {
            if count == 1 { one } else { more }
        };
        if self.pages.is_empty() {
            return "No place on a page was changed.".to_owned();
        }
        let list: Vec<String> = self.pages.iter().take(100).map(ToString::to_string).collect();
        let more = if self.pages.len() > list.len() { ", …" } else { "" };
        let pages =
            format!("{} {}{more}", noun(self.pages.len(), "page", "pages"), list.join(", "));
        let mut parts = Vec::new();
        if self.places > 0 {
            parts.push(format!("{} {} in text", self.places, noun(self.places, "place", "places")));
        }
        if self.whole_pages > 0 {
            let whole = noun(self.whole_pages, "whole page", "whole pages");
            parts.push(format!("{} {whole}", self.whole_pages));
        }
        if self.areas > 0 {
            parts.push(format!("{} {}", self.areas, noun(self.areas, "area", "areas")));
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
            return invalid(format!("page {page} does not exist; there are {count}"));
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
    let clean = pdf.save(&SaveOptions::default())?;
    drop(pdf);
    let Some(mut fonts) = Fonts::new(&clean) else {
        return malformed(
            "the fonts of the document cannot be read, so that its text cannot be searched",
        );
    };
    let mut pdf = Pdf::open(clean, None)?;
    if pdf.pages.len() != count {
        return malformed("the document is damaged: its pages changed when it was written anew");
    }
    // Newer forms are not known to the reader of fonts.
    let known = pdf.next_number();
    let mut unknown: BTreeMap<String, usize> = BTreeMap::new();
    for at in 0..count {
        let page = pdf.pages[at];
        let changed = if whole.contains(&at) {
            rest::empty_page(&mut pdf, page);
            removed.whole_pages += 1;
            true
        } else {
            let here = areas.get(&at).map(Vec::as_slice).unwrap_or_default();
            removed.areas += here.len();
            page_content(&mut pdf, &mut fonts, page, at, here, &terms, &mut removed, &mut unknown)?
        };
        rest::annotations(
            &mut pdf,
            &mut fonts,
            page,
            areas.get(&at).map(Vec::as_slice).unwrap_or_default(),
            &terms,
            &mut removed,
        )?;
        for font in std::mem::take(&mut fonts.unread) {
            unknown.entry(font).or_insert(at + 1);
        }
        if changed {
            removed.pages.push(at + 1);
        }
    }
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
    for (font, page) in &unknown {
        removed.warnings.push(format!(
            "Text in the font `{}` cannot be read (page {page} and perhaps others) \
                and was not searched; redact areas there.",
            crate::text::line(font, 80)
        ));
    }
    let by_area = !areas.is_empty() || !whole.is_empty();
    rest::loose(&mut pdf, &mut fonts, known, &terms, &mut removed)?;
    rest::sweep(&mut pdf, &terms, by_area, &mut removed);
    let rewritten = removed.pages.iter().map(|it| pdf.pages[it - 1]).collect();
    let mut names = Names::new(&terms);
    names.clean(&mut pdf, &rewritten, known)?;
    if !names.places.is_empty() {
        removed.other.push(format!(
            "Hits in names of colours, marks and tags, and in comments of content: {}.",
            names.places.len()
        ));
    }
    let done = removed.places > 0
        || !removed.pages.is_empty()
        || removed.other.iter().any(|it| redaction.without_hits || it.starts_with("Hits"));
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
            "{} other texts were removed, too, because they have a word without their blanks.",
            removed.over_blanks.len() - MAX_SHOWN
        ));
    }
    let bytes = pdf.save(&SaveOptions { is_packed: true, protection: None })?;
    drop(pdf);
    verify(&bytes, &terms, &areas, &whole)?;
    Ok((bytes, removed))
}

/// What stands on a page.
pub(crate) struct Seen {
    pub(crate) glyphs: Vec<Glyph>,
    /// Fonts with codes that nobody knows.
    pub(crate) unknown: BTreeSet<String>,
    /// Fonts whose glyphs show text or pictures, which are not followed.
    pub(crate) programs: BTreeSet<String>,
}

/// Walks through a page once, for its glyphs.
pub(crate) fn glyphs(pdf: &Pdf, fonts: &mut Fonts, page: u32) -> Result<Seen> {
    let content = pdf.content(page)?;
    let resources =
        pdf.object(page).and_then(|it| pdf.dict(it, "Resources")).cloned().unwrap_or_default();
    let mut walk = Walk::new(pdf, fonts, page, None, 0);
    walk.run(&content, &resources, None, Matrix::IDENTITY)?;
    Ok(Seen { glyphs: walk.glyphs, unknown: walk.unknown, programs: walk.programs })
}

#[expect(clippy::too_many_arguments, reason = "what one page needs of the whole")]
fn page_content(
    pdf: &mut Pdf,
    fonts: &mut Fonts,
    page: u32,
    at: usize,
    areas: &[[f64; 4]],
    terms: &Terms,
    removed: &mut Removed,
    unknown: &mut BTreeMap<String, usize>,
) -> Result<bool> {
    let seen = glyphs(pdf, fonts, page)?;
    let glyphs = seen.glyphs;
    // What is removed with its place need not be read.
    let is_left =
        |it: &Glyph| it.text.is_none() && !areas.iter().any(|area| touches(&it.rect, area));
    let unread = if glyphs.iter().any(is_left) { seen.unknown } else { BTreeSet::new() };
    for font in unread.into_iter().chain(seen.programs) {
        unknown.entry(font).or_insert(at + 1);
    }
    let mut hits = vec![false; glyphs.len()];
    for shown in terms.mark(&glyphs, &mut hits) {
        removed.over_blanks.push((at + 1, shown));
    }
    for (glyph, hit) in glyphs.iter().zip(&mut hits) {
        *hit |= areas.iter().any(|it| touches(&glyph.rect, it));
    }
    let boxes = boxes(&glyphs, &hits);
    removed.places += boxes.len();
    if boxes.is_empty() && areas.is_empty() {
        return Ok(false);
    }
    // Text that is not painted lies over a picture of it.
    let of_pictures: Vec<[f64; 4]> =
        boxes.iter().filter(|it| it.1).map(|it| it.0).chain(areas.iter().copied()).collect();
    let of_paths: Vec<[f64; 4]> =
        boxes.iter().map(|it| it.0).chain(areas.iter().copied()).collect();
    let content = pdf.content(page)?;
    let resources =
        pdf.object(page).and_then(|it| pdf.dict(it, "Resources")).cloned().unwrap_or_default();
    let first = pdf.next_number();
    let cut = Cut { glyphs: &hits, areas: &of_pictures, path_areas: &of_paths };
    let mut walk = Walk::new(pdf, fonts, page, Some(cut), first);
    let changed = walk.run(&content, &resources, None, Matrix::IDENTITY)?;
    let (added, warnings) = (walk.added, walk.warnings);
    for value in added {
        pdf.add(value);
    }
    for warning in warnings {
        if !removed.warnings.contains(&warning) {
            removed.warnings.push(warning);
        }
    }
    if let Some((content, resources)) = changed {
        let stream = pdf.add(Stream::deflated(Dict::new(), &content));
        if let Some(dict) = pdf.object_mut(page) {
            dict.set("Contents", Object::Ref(stream));
            dict.set("Resources", resources);
        }
    }
    if let Some(dict) = pdf.object_mut(page) {
        dict.remove("Thumb");
    }
    let mut cover = b"0 g\n".to_vec();
    for rect in &of_paths {
        let [x, y, right, top] = rect;
        cover.extend(
            format!("{} {} {} {} re f\n", real(*x), real(*y), real(right - x), real(top - y))
                .bytes(),
        );
    }
    pdf.draw_on(page, &cover, &Dict::new(), false)?;
    Ok(true)
}

/// Joins the boxes of glyphs that follow each other; `true` if they are not painted.
fn boxes(glyphs: &[Glyph], hits: &[bool]) -> Vec<([f64; 4], bool)> {
    let mut out: Vec<([f64; 4], bool)> = Vec::new();
    let mut last = None;
    for (at, glyph) in glyphs.iter().enumerate().filter(|it| hits[it.0]) {
        let rect = glyph.rect;
        let goes_on = last == Some(at.wrapping_sub(1)) && {
            let before = &glyphs[at - 1];
            let (dx, dy) = (glyph.origin.0 - before.end.0, glyph.origin.1 - before.end.1);
            dx.hypot(dy) < before.size && glyph.is_invisible == before.is_invisible
        };
        match out.last_mut().filter(|_| goes_on) {
            Some((all, _)) => {
                *all = [
                    all[0].min(rect[0]),
                    all[1].min(rect[1]),
                    all[2].max(rect[2]),
                    all[3].max(rect[3]),
                ];
            }
            None => out.push((rect, glyph.is_invisible)),
        }
        last = Some(at);
    }
    out
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
    for (at, page) in pdf.pages.iter().enumerate() {
        let glyphs = glyphs(&pdf, &mut fonts, *page)?.glyphs;
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
    let mut names = Names::new(terms);
    names.clean(&mut pdf, &BTreeSet::new(), u32::MAX)?;
    match names.places.first() {
        Some(what) => left(what.clone()),
        None => Ok(()),
    }
}
