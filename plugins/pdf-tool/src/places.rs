//! Finds text and the places where it stands.
//!
//! A page is read twice: by its geometry, where lines that stand below each other are one text, and in the order of its
//! content, where a text may go on in the next column.

mod needle;
mod rows;

use crate::content::Matrix;
use crate::error::{Error, Result, invalid};
use crate::file::Pdf;
use crate::form::Field;
use crate::redact::{Glyph, glyphs, unread_fonts, with_fonts};
use crate::text::line;
use needle::Needle;
use rows::{BREAK, Row, by_content, by_geometry};
use std::collections::{BTreeMap, BTreeSet};

/// Most places that are counted.
const MAX_PLACES: usize = 10_000;
/// Most texts of one call that looks for several.
const MAX_TEXTS: usize = 200;
/// Most places of each of them.
const MAX_OF_TEXT: usize = 10;
/// Characters of the text before and behind a place.
const AROUND: usize = 60;

/// A place in a document.
#[derive(Clone, Debug)]
pub struct Place {
    /// Page from 1.
    pub page: usize,
    /// A rectangle for each line: left, bottom, right, top in points of the page, before it is turned.
    pub rects: Vec<[f64; 4]>,
    /// The text with what stands around it.
    pub text: String,
    /// `name.pdf#page=3&rect=left,top,width,height`, from the upper left corner of the page as it is seen.
    pub reference: String,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The first places, in the order of pages.
    pub places: Vec<Place>,
    /// How many there are.
    pub total: usize,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// A hit: its glyphs and its text.
struct Hit {
    order: usize,
    rects: Vec<[f64; 4]>,
    text: String,
}

/// Finds a text on pages. `document` is the name that references get.
///
/// # Errors
///
/// `invalid-argument` - the text or the pages are wrong. `malformed` - the document cannot be read.
pub fn find_text(
    pdf: Pdf,
    document: &str,
    text: &str,
    pages: Option<&str>,
    limit: usize,
) -> Result<Places> {
    let needle = Needle::new(text)?;
    let chosen: BTreeSet<usize> =
        crate::ranges::pages(pages.unwrap_or("all"), pdf.pages.len())?.into_iter().collect();
    if pdf.denied().contains(&"copy") {
        return crate::edit::forbidden(&["copy"]);
    }
    let mut found = Places { warnings: pdf.repairs.clone(), ..Places::default() };
    let (pdf, mut fonts) = with_fonts(pdf)?;
    let fields = pdf.fields();
    let mut unknown: BTreeMap<String, usize> = BTreeMap::new();
    let (mut outside, mut unread) = (0, Vec::new());
    for at in chosen {
        let Some(&page) = pdf.pages.get(at) else { continue };
        let mut hits = match glyphs(&pdf, &mut fonts, page) {
            Ok(seen) => {
                for font in seen.unknown.into_iter().chain(seen.programs) {
                    unknown.entry(font).or_insert(at + 1);
                }
                hits_of(&needle, &seen.glyphs)
            }
            Err(Error::Malformed(_)) => {
                unread.push(at + 1);
                Vec::new()
            }
            Err(error) => return Err(error),
        };
        hits.sort_by_key(|it| it.order);
        hits.extend(hits_beside_content(&pdf, (at, page), &fields, &needle));
        let Some(frame) = Frame::of(&pdf, page) else { continue };
        for hit in hits {
            if !frame.shows(&hit) {
                outside += 1;
                continue;
            }
            found.total += 1;
            if found.places.len() < limit {
                found.places.push(frame.place(document, at, hit));
            }
        }
        if found.total >= MAX_PLACES {
            found.warnings.push(format!(
                "There are {MAX_PLACES} places or more; the pages behind page {} are not searched.",
                at + 1
            ));
            break;
        }
    }
    if outside > 0 {
        found.warnings.push(format!(
            "Places outside of the visible part of pages: {outside}; they are left out."
        ));
    }
    found.warnings.extend(unread_fonts(&unknown, ""));
    if !unread.is_empty() {
        let pages: Vec<String> = unread.iter().take(50).map(ToString::to_string).collect();
        found.warnings.push(format!("Pages whose content cannot be read: {}.", pages.join(", ")));
    }
    Ok(found)
}

/// Finds the first ten places of each of several texts on its page, from 1, in one pass. A text that does not stand there or cannot be
/// searched has none.
///
/// # Errors
///
/// `invalid-argument` - there are too many texts. `malformed` - the document cannot be read.
pub fn find_texts(pdf: Pdf, document: &str, texts: &[(usize, String)]) -> Result<Vec<Vec<Place>>> {
    if texts.len() > MAX_TEXTS {
        return invalid(format!("expected at most {MAX_TEXTS} texts, got {}", texts.len()));
    }
    if pdf.denied().contains(&"copy") {
        return crate::edit::forbidden(&["copy"]);
    }
    let (pdf, mut fonts) = with_fonts(pdf)?;
    let fields = pdf.fields();
    let mut places = vec![Vec::new(); texts.len()];
    let numbers: BTreeSet<usize> = texts.iter().map(|(number, _)| *number).collect();
    for number in numbers {
        let Some(at) = number.checked_sub(1) else { continue };
        let Some(&page) = pdf.pages.get(at) else { continue };
        let Some(frame) = Frame::of(&pdf, page) else { continue };
        let glyphs = match glyphs(&pdf, &mut fonts, page) {
            Ok(seen) => seen.glyphs,
            Err(Error::Malformed(_)) => Vec::new(),
            Err(error) => return Err(error),
        };
        for (found, (_, text)) in places.iter_mut().zip(texts).filter(|it| it.1.0 == number) {
            let Ok(needle) = Needle::new(text) else { continue };
            let mut hits = hits_of(&needle, &glyphs);
            hits.sort_by_key(|it| it.order);
            hits.extend(hits_beside_content(&pdf, (at, page), &fields, &needle));
            let shown = hits.into_iter().filter(|it| frame.shows(it)).take(MAX_OF_TEXT);
            found.extend(shown.map(|it| frame.place(document, at, it)));
        }
    }
    Ok(places)
}

/// What is visible of a page, and how it is seen.
struct Frame {
    visible: [f64; 4],
    to_seen: Matrix,
    height: f64,
}

impl Frame {
    fn of(pdf: &Pdf, page: u32) -> Option<Self> {
        let (frame, _, height) = pdf.seen(page);
        Some(Self { visible: pdf.page_box(page), to_seen: frame.inverse()?, height })
    }

    /// Returns `true` if a part of the hit is on the visible part of the page.
    fn shows(&self, hit: &Hit) -> bool {
        let [left, bottom, right, top] = self.visible;
        hit.rects.iter().any(|it| it[0] < right && it[2] > left && it[1] < top && it[3] > bottom)
    }

    fn place(&self, document: &str, at: usize, hit: Hit) -> Place {
        let all = hit.rects.iter().copied().reduce(union).unwrap_or_default();
        let seen = self.to_seen.bounds(all);
        let numbers = [seen[0], self.height - seen[3], seen[2] - seen[0], seen[3] - seen[1]]
            .map(|it| crate::write::real((it * 10.0).round() / 10.0));
        Place {
            page: at + 1,
            rects: hit.rects,
            text: line(&hit.text, 2 * AROUND + 300),
            reference: format!("{document}#page={}&rect={}", at + 1, numbers.join(",")),
        }
    }
}

/// Returns hits in values of fields and in texts that lie on a page.
fn hits_beside_content(
    pdf: &Pdf,
    (at, page): (usize, u32),
    fields: &[Field],
    needle: &Needle,
) -> Vec<Hit> {
    let mut hits = Vec::new();
    for field in fields.iter().filter(|it| it.page == Some(at + 1)) {
        if let Some(rect) = field.rect.filter(|_| needle.is_in(&field.value)) {
            let text = format!("{}: {}", field.name, field.value);
            hits.push(Hit { order: 0, rects: vec![rect], text });
        }
    }
    for annotation in pdf.annotations(page) {
        let Some(dict) = pdf.object(annotation) else { continue };
        let text = pdf.text(dict, "Contents").unwrap_or_default();
        let is_shown = pdf.value(dict, "Subtype").is_name("FreeText");
        if let Some(rect) = pdf.rect(dict.get("Rect")).filter(|_| is_shown && needle.is_in(&text)) {
            hits.push(Hit { order: 0, rects: vec![rect], text });
        }
    }
    hits
}

fn union(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]
}

fn hits_of(needle: &Needle, glyphs: &[Glyph]) -> Vec<Hit> {
    let geometry = by_geometry(glyphs);
    let mut order = vec![usize::MAX; glyphs.len()];
    for (at, (_, glyph)) in geometry.owners.iter().enumerate() {
        order[*glyph] = at;
    }
    let mut taken = vec![false; glyphs.len()];
    let mut hits = Vec::new();
    for row in [geometry, by_content(glyphs)] {
        for span in needle.spans(&row.text) {
            let here = row.glyphs(&span);
            // The second layer of letters that are painted twice has no order.
            if here.is_empty() || here.iter().any(|it| taken[*it] || order[*it] == usize::MAX) {
                continue;
            }
            here.iter().for_each(|it| taken[*it] = true);
            hits.push(Hit {
                order: here.iter().map(|it| order[*it]).min().unwrap_or(0),
                rects: rects(glyphs, &here),
                text: around(&row, &span),
            });
            if hits.len() >= MAX_PLACES {
                return hits;
            }
        }
    }
    hits
}

/// Joins the boxes of glyphs, one for each line.
fn rects(glyphs: &[Glyph], here: &[usize]) -> Vec<[f64; 4]> {
    let mut out: Vec<[f64; 4]> = Vec::new();
    let mut last: Option<usize> = None;
    for at in here {
        let goes_on = last.is_some_and(|it| crate::redact::gap(&glyphs[it], &glyphs[*at]) != "\n");
        match out.last_mut().filter(|_| goes_on) {
            Some(rect) => *rect = union(*rect, glyphs[*at].rect),
            None => out.push(glyphs[*at].rect),
        }
        last = Some(*at);
    }
    out
}

/// Returns a hit with the text before and behind it.
fn around(row: &Row, span: &std::ops::Range<usize>) -> String {
    let before = row.text[..span.start].rsplit(BREAK).next().unwrap_or_default();
    let behind = row.text[span.end..].split(BREAK).next().unwrap_or_default();
    let skipped = before.chars().count().saturating_sub(AROUND);
    let mut text: String = before.chars().skip(skipped).collect();
    if skipped > 0 {
        text.insert(0, '…');
    }
    text.push_str(&row.text[span.clone()]);
    text.extend(behind.chars().take(AROUND));
    if behind.chars().nth(AROUND).is_some() {
        text.push('…');
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}
