//! Writes pages as the bytes of a PDF: text, backgrounds, links, bookmarks, properties.

use krilla::Document;
use krilla::action::{Action, LinkAction};
use krilla::annotation::{Annotation, LinkAnnotation, Target as Leads};
use krilla::destination::XyzDestination;
use krilla::geom::{Point, Rect};
use krilla::metadata::{DateTime, Metadata, TextDirection};
use krilla::outline::{Outline, OutlineNode};
use krilla::page::PageSettings;

use super::draw::{Brush, Linked};
use super::pages::{Item, NOTES_ABOVE, Page};
use super::paragraph::Target;
use super::pdf_content::PdfContent;
use super::strip::{Draw, LinkDestination, MARGIN_BOTTOM, MARGIN_TOP, MARGIN_X, Sheet, Strip};
use super::style::{GREY, LIGHT};
use super::tags::Tags;
use mitt_base::time::Moment;
use mitt_base::{Error, Result};

/// Length by which a frame extends beyond the text at a page break within it.
const BEYOND: f32 = 4.0;

/// A position: index of the page, and point on it.
type Spot = (usize, f32, f32);

/// Targets of internal links.
struct Spots {
    headings: Vec<Option<Spot>>,
    notes: Vec<Option<Spot>>,
}

/// Writes a document.
///
/// # Errors
///
/// [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - it was cancelled. All others are our own mistakes.
pub(super) fn write(content: &PdfContent<'_>, mut tags: Tags) -> Result<Vec<u8>> {
    let mut document = Document::new();
    document.set_metadata(metadata(content));
    let spots = spots(content);
    for (number, page) in content.pages.iter().enumerate() {
        content.cancel.check()?;
        let sheet = Sheet::of(content.paper, page.is_turned);
        let settings = PageSettings::from_wh(sheet.width, sheet.height)
            .ok_or_else(|| Error::bug("a page without a size"))?;
        let mut to = document.start_page_with(settings);
        let mut surface = to.surface();
        let mut brush = Brush::new(&mut surface, &mut tags, content, sheet);
        draw_page(&mut brush, content, page, number);
        let linked = brush.into_linked();
        surface.finish();
        for link in linked {
            let Some(annotation) = annotation(content, &spots, &link) else { continue };
            let identifier = to.add_tagged_annotation(annotation);
            tags.drawn(link.part, identifier);
        }
        to.finish();
    }
    document.set_outline(outline(content, &spots));
    document.set_tag_tree(tags.into_tree(content.language.clone()));
    content.cancel.check()?;
    document.finish().map_err(|error| Error::bug(format!("the pages cannot be written: {error:?}")))
}

fn draw_page(brush: &mut Brush<'_, '_>, content: &PdfContent<'_>, page: &Page, number: usize) {
    let sheet = Sheet::of(content.paper, page.is_turned);
    if let Some(header) = content.header.filter(|_| number > 0) {
        brush.frame_line(header, MARGIN_X, MARGIN_TOP - 27.0, true);
        brush.rule(MARGIN_X, MARGIN_TOP - 20.0, sheet.text_width(), 0.4, LIGHT);
    }
    if let Some(footer) = content.footers.get(number) {
        let x = (sheet.width - footer.width) / 2.0;
        brush.frame_line(footer, x, sheet.height - MARGIN_BOTTOM / 2.0, false);
    }
    frames(brush, content, &page.items, content.strips, MARGIN_TOP);
    for item in &page.items {
        if let Some(strip) = content.strips.get(item.strip) {
            brush.strip(strip, item, MARGIN_TOP + item.y);
        }
    }
    if page.notes.is_empty() {
        return;
    }
    let top = sheet.height - MARGIN_BOTTOM - page.notes_height();
    let width = sheet.text_width() * 0.25;
    brush.rule(brush.mirrored(MARGIN_X, width), top + NOTES_ABOVE, width, 0.4, GREY);
    for note in &page.notes {
        let strips = note.note.checked_sub(1).and_then(|index| content.notes.get(index));
        let Some(strip) = strips.and_then(|strips| strips.get(note.item.strip)) else { continue };
        let items = std::slice::from_ref(&note.item);
        frames(brush, content, items, strips.map_or(&[], Vec::as_slice), top);
        brush.strip(strip, &note.item, top + note.item.y);
    }
}

/// Draws the frames of a page, outer ones first.
fn frames(
    brush: &mut Brush<'_, '_>,
    content: &PdfContent<'_>,
    items: &[Item],
    strips: &[Strip],
    top: f32,
) {
    // Frames are numbered from the outside to the inside.
    let mut extents = std::collections::BTreeMap::<u32, (f32, f32)>::new();
    for item in items {
        let Some(strip) = strips.get(item.strip) else { continue };
        let height = Brush::height(strip, item);
        let mut frame = strip.frame;
        // The padding of a frame is a strip, which is missing at a page break within the frame.
        let is_end = matches!(strip.draw, Draw::Space);
        while let Some(index) = frame {
            let beyond = if is_end && strip.frame == Some(index) { 0.0 } else { BEYOND };
            let (top, bottom) = (item.y - beyond, item.y + height + beyond);
            let (upper, lower) = extents.entry(index).or_insert((top, bottom));
            *upper = upper.min(top);
            *lower = lower.max(bottom);
            frame = content.frames.get(index as usize).and_then(|frame| frame.outer);
        }
    }
    for (index, (upper, lower)) in extents {
        if let Some(frame) = content.frames.get(index as usize) {
            brush.frame(frame, top + upper, top + lower);
        }
    }
}

fn metadata(content: &PdfContent<'_>) -> Metadata {
    let at = Moment::after_epoch(content.created);
    let created = DateTime::new(u16::try_from(at.year).unwrap_or(9999))
        .month(at.month)
        .day(at.day)
        .hour(at.hour)
        .minute(at.minute)
        .second(at.second)
        .utc_offset_hour(0);
    let mut metadata = Metadata::new()
        .creator("mitt".into())
        .language(content.language.clone())
        .authors(content.authors.to_vec())
        .text_direction(if content.from_right {
            TextDirection::RightToLeft
        } else {
            TextDirection::LeftToRight
        })
        .creation_date(created);
    if let Some(title) = &content.title {
        metadata = metadata.title(title.clone());
    }
    metadata
}

/// Returns the positions of headings and footnotes.
fn spots(content: &PdfContent<'_>) -> Spots {
    let mut spots = Spots {
        headings: vec![None; content.headings.len()],
        notes: vec![None; content.notes.len()],
    };
    for (number, page) in content.pages.iter().enumerate() {
        for item in page.items.iter().filter(|item| !item.is_repeated) {
            let destination = content.strips.get(item.strip).and_then(|strip| strip.destination);
            if let Some(LinkDestination::Heading(index)) = destination
                && let Some(spot) = spots.headings.get_mut(index)
            {
                *spot = Some((number, MARGIN_X, MARGIN_TOP + item.y - 8.0));
            }
        }
        let sheet = Sheet::of(content.paper, page.is_turned);
        let top = sheet.height - MARGIN_BOTTOM - page.notes_height();
        for note in page.notes.iter().filter(|note| note.item.strip == 0) {
            let spot = note.note.checked_sub(1).and_then(|index| spots.notes.get_mut(index));
            if let Some(spot) = spot {
                *spot = Some((number, MARGIN_X, top + note.item.y - 4.0));
            }
        }
    }
    spots
}

fn destination(spot: Spot) -> XyzDestination {
    XyzDestination::new(spot.0, Point::from_xy(spot.1, spot.2))
}

fn annotation(content: &PdfContent<'_>, spots: &Spots, link: &Linked) -> Option<Annotation> {
    let rect = Rect::from_xywh(link.x, link.y, link.width.max(0.1), link.height.max(0.1))?;
    let (leads, alt) = match content.links.get(link.link as usize)? {
        Target::Url(url) => {
            (Leads::Action(Action::Link(LinkAction::new(url.clone()))), url.clone())
        }
        Target::Heading(index) => {
            let spot = (*spots.headings.get(*index)?)?;
            let name =
                content.headings.get(*index).map(|(text, _)| text.clone()).unwrap_or_default();
            (Leads::Destination(destination(spot).into()), name)
        }
        Target::Note(number) => {
            let spot = (*spots.notes.get(number.checked_sub(1)?)?)?;
            (Leads::Destination(destination(spot).into()), number.to_string())
        }
    };
    Some(Annotation::new_link(LinkAnnotation::new(rect, leads), Some(alt)))
}

/// Returns the bookmarks: the headings, each below the last one of a higher level.
fn outline(content: &PdfContent<'_>, spots: &Spots) -> Outline {
    let mut outline = Outline::new();
    // Entries that may still get children, with their levels.
    let mut open: Vec<(u8, OutlineNode)> = Vec::new();
    let close = |open: &mut Vec<(u8, OutlineNode)>, outline: &mut Outline, level: u8| {
        while let Some((_, node)) = open.pop_if(|(last, _)| *last >= level) {
            match open.last_mut() {
                Some((_, parent)) => parent.push_child(node),
                None => outline.push_child(node),
            }
        }
    };
    for ((text, level), spot) in content.headings.iter().zip(&spots.headings) {
        let Some(spot) = spot else { continue };
        close(&mut open, &mut outline, *level);
        open.push((*level, OutlineNode::new(text.clone(), destination(*spot))));
    }
    close(&mut open, &mut outline, 0);
    outline
}
