//! Takes text, parts of pictures and drawings out of one page.

use crate::content::Matrix;
use crate::error::Result;
use crate::file::Pdf;
use crate::object::{Dict, Object, Stream};
use crate::redact::find::Terms;
use crate::redact::glyph::Glyph;
use crate::redact::level::touches;
use crate::redact::names::{Marks, Names};
use crate::redact::walk::{Cut, Walk};
use crate::redact::{Fonts, Removed, rest};
use crate::write::real;
use std::collections::{BTreeMap, BTreeSet};

/// What stands on a page.
pub(crate) struct Seen {
    pub(crate) glyphs: Vec<Glyph>,
    /// Fonts with codes that nobody knows.
    pub(crate) unknown: BTreeSet<String>,
    /// Fonts whose glyphs show text or pictures, which are not followed.
    pub(crate) programs: BTreeSet<String>,
    /// Names and texts in the marks of its content.
    pub(crate) marks: Marks,
}

/// Walks through a page once, for its glyphs.
pub(crate) fn glyphs(pdf: &Pdf, fonts: &mut Fonts, page: u32) -> Result<Seen> {
    let content = pdf.content(page)?;
    seen(pdf, fonts, page, &content, &resources(pdf, page))
}

fn seen(pdf: &Pdf, fonts: &mut Fonts, page: u32, content: &[u8], resources: &Dict) -> Result<Seen> {
    let mut walk = Walk::new(pdf, fonts, page, None, 0);
    walk.run(content, resources, None, Matrix::IDENTITY)?;
    let mut marks = walk.marks;
    marks.add_percents(content);
    Ok(Seen { glyphs: walk.glyphs, unknown: walk.unknown, programs: walk.programs, marks })
}

fn resources(pdf: &Pdf, page: u32) -> Dict {
    pdf.object(page).and_then(|it| pdf.dict(it, "Resources")).cloned().unwrap_or_default()
}

/// A document whose pages are redacted one after the other.
pub(super) struct Redacting<'a, 'b> {
    pub(super) pdf: &'a mut Pdf,
    pub(super) fonts: &'a mut Fonts,
    pub(super) terms: &'b Terms,
    pub(super) names: &'a mut Names<'b>,
    pub(super) removed: &'a mut Removed,
    pub(super) annotated: rest::Annotated,
    /// Fonts that cannot be read, with their first page from 1.
    pub(super) unknown: BTreeMap<String, usize>,
}

impl Redacting<'_, '_> {
    /// Redacts a page: its content and its annotations. All of it goes if it `is_whole`.
    ///
    /// # Errors
    ///
    /// `malformed` - its content cannot be read.
    pub(super) fn page(&mut self, at: usize, areas: &[[f64; 4]], is_whole: bool) -> Result<()> {
        let page = self.pdf.pages[at];
        let is_changed = if is_whole {
            rest::empty_page(self.pdf, page);
            self.removed.whole_pages += 1;
            true
        } else {
            self.removed.areas += areas.len();
            self.content(page, at, areas)?
        };
        rest::annotations(self.pdf, self.fonts, page, areas, self.terms, &mut self.annotated)?;
        for font in std::mem::take(&mut self.fonts.unread) {
            self.unknown.entry(font).or_insert(at + 1);
        }
        if is_changed {
            self.removed.pages.push(at + 1);
        }
        Ok(())
    }

    /// Takes hits and areas out of the content of a page. Returns `true` if something was there.
    fn content(&mut self, page: u32, at: usize, areas: &[[f64; 4]]) -> Result<bool> {
        let content = self.pdf.content(page)?;
        let resources = resources(self.pdf, page);
        let seen = seen(self.pdf, self.fonts, page, &content, &resources)?;
        self.names.note(page, &seen.marks);
        let glyphs = seen.glyphs;
        // What is removed with its place need not be read.
        let is_left =
            |it: &Glyph| it.text.is_none() && !areas.iter().any(|area| touches(&it.rect, area));
        let unread = if glyphs.iter().any(is_left) { seen.unknown } else { BTreeSet::new() };
        for font in unread.into_iter().chain(seen.programs) {
            self.unknown.entry(font).or_insert(at + 1);
        }
        let mut hits = vec![false; glyphs.len()];
        for shown in self.terms.mark(&glyphs, &mut hits) {
            self.removed.over_blanks.push((at + 1, shown));
        }
        for (glyph, hit) in glyphs.iter().zip(&mut hits) {
            *hit |= areas.iter().any(|it| touches(&glyph.rect, it));
        }
        let boxes = boxes(&glyphs, &hits);
        self.removed.places += boxes.len();
        if boxes.is_empty() && areas.is_empty() {
            return Ok(false);
        }
        self.cut(page, &content, &resources, &hits, &boxes, areas)?;
        Ok(true)
    }

    /// Writes the content of a page without what is hit, and black boxes in its place.
    fn cut(
        &mut self,
        page: u32,
        content: &[u8],
        resources: &Dict,
        hits: &[bool],
        boxes: &[([f64; 4], bool)],
        areas: &[[f64; 4]],
    ) -> Result<()> {
        // Text that is not painted lies over a picture of it.
        let of_pictures: Vec<[f64; 4]> =
            boxes.iter().filter(|it| it.1).map(|it| it.0).chain(areas.iter().copied()).collect();
        let of_paths: Vec<[f64; 4]> =
            boxes.iter().map(|it| it.0).chain(areas.iter().copied()).collect();
        let first = self.pdf.next_number();
        let cut = Cut { glyphs: hits, areas: &of_pictures, path_areas: &of_paths };
        let mut walk = Walk::new(self.pdf, self.fonts, page, Some(cut), first);
        let changed = walk.run(content, resources, None, Matrix::IDENTITY)?;
        let (added, warnings, saves) = (walk.added, walk.warnings, walk.saves);
        for value in added {
            self.pdf.add(value);
        }
        for warning in warnings {
            if !self.removed.warnings.contains(&warning) {
                self.removed.warnings.push(warning);
            }
        }
        if let Some(dict) = self.pdf.object_mut(page) {
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
        let Some((new, resources)) = changed else {
            return self.pdf.draw_on(page, &cover, &Dict::new(), false);
        };
        let [before, after] = saves.around();
        let new = [before.as_bytes(), &new, after.as_bytes(), b"q\n", &cover, b"\nQ\n"].concat();
        let stream = self.pdf.add(Stream::deflated(Dict::new(), &new));
        if let Some(dict) = self.pdf.object_mut(page) {
            dict.set("Contents", Object::Ref(stream));
            dict.set("Resources", resources);
        }
        Ok(())
    }
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
