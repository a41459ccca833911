//! Documents to PDF without Typst, for builds that must be small: a layout of our own over krilla, which writes the file.
//!
//! Data flows in one direction: `paragraph` turns inlines into text, `shape` measures it, `lines` breaks it, `flow` (with
//! `table` and `contents`) stacks lines, `pages` divides them, `write` and `draw` make the file. Code outside this folder
//! knows only the name of the type.

mod contents;
mod draw;
mod faces;
mod flow;
mod lines;
mod pages;
mod paragraph;
mod pdf_content;
mod shape;
mod spacing;
mod strip;
mod style;
mod table;
mod tags;
#[cfg(test)]
mod tests;
mod write;

use self::faces::{Faces, Types};
use self::flow::Flow;
use self::lines::Line;
use self::pages::{Page, pages};
use self::paragraph::{Composer, Target};
use self::pdf_content::PdfContent;
use self::strip::{Frame, Strip};
use self::style::{FRAME_SIZE, GREY, Style, TEXT_SIZE};
use self::tags::{StructureRole, Tags};
use self::write::write;
use crate::model::doc::Doc;
use crate::model::language::Language;
use crate::shared::glyphs::{MAX_LISTED, listed, named};
use crate::shared::notes::Notes;
use crate::shared::object_streams::packed;
use crate::shared::outline::{Anchors, Outline, title};
use crate::shared::own_stack::on_own_stack;
use crate::shared::size::Weights;
use crate::{Pdf, PdfOptions, Theme};
use mitt_base::{Error, ErrorKind, Remedy, Result, text};

/// Stack for the layout, which recurses as deeply as the document nests.
const STACK_BYTES: usize = 16 * 1024 * 1024;

/// Elements for which a heading counts, because it is set again for the contents and the bookmarks.
const HEADING_ELEMENTS: usize = 2;
const CONTENTS_ELEMENTS: usize = 3;

/// Elements for which a reference to a footnote counts: it is a link, and its note is measured with the page.
const FOOTNOTE_ELEMENTS: usize = 3;

/// Most bytes of text in a document. A character takes about 100 bytes during layout.
const MAX_TEXT_BYTES: usize = 8 << 20;

/// Most characters of the title in the header of a page.
const MAX_HEADER_CHARACTERS: u64 = 200;

/// Typesets a document on a stack of its own.
pub(super) fn render(doc: &Doc, options: &PdfOptions) -> Result<Pdf> {
    on_own_stack(STACK_BYTES, options, || set(doc, options))
}

fn set(doc: &Doc, options: &PdfOptions) -> Result<Pdf> {
    if !options.standards.is_empty() || !options.attachments.is_empty() {
        let message = "standards and attached files: only Typst writes them, and this is the small typesetter";
        return Err(Error::new(ErrorKind::Arguments, message).remedy(Remedy::FullTypesetter));
    }
    let faces = options.fonts.compact_faces()?;
    let language = Language::of(doc, options.common.language.as_deref())?;
    let laid = lay_out(doc, options, &faces, &language)?;
    let content = PdfContent {
        pages: &laid.pages,
        strips: &laid.strips,
        notes: &laid.notes,
        frames: &laid.frames,
        links: &laid.links,
        headings: &laid.headings,
        faces: &faces,
        paper: options.common.paper_of(doc),
        from_right: language.is_from_right(),
        header: laid.header.as_ref(),
        footers: &laid.footers,
        title: laid.title,
        authors: &options.common.authors_of(doc),
        language: language.tag(),
        created: options.common.created.unwrap_or_default(),
        cancel: &options.common.cancel,
    };
    let bytes = packed(write(&content, laid.tags)?);
    options.common.cancel.check()?;
    let mut warnings = laid.warnings;
    if options.common.theme != Theme::default() {
        warnings.push("the theme is left out: the small typesetter has one look".into());
    }
    Ok(Pdf { bytes, pages: laid.pages.len(), warnings, preview: None })
}

/// A document that is laid out and not yet written.
struct Laid {
    pages: Vec<Page>,
    strips: Vec<Strip>,
    notes: Vec<Vec<Strip>>,
    frames: Vec<Frame>,
    links: Vec<Target>,
    headings: Vec<(String, u8)>,
    tags: Tags,
    title: Option<String>,
    header: Option<Line>,
    footers: Vec<Line>,
    warnings: Vec<String>,
}

fn lay_out(doc: &Doc, options: &PdfOptions, faces: &Faces, language: &Language) -> Result<Laid> {
    options.common.cancel.check()?;
    check_size(doc, options.common.contents)?;
    let is_cjk = matches!(language.code.as_str(), "zh" | "ja");
    let outline = Outline::of(doc);
    let composer = Composer::new(faces, language, Notes::of(doc), Anchors::of(&outline));
    let types = Types::new(faces, is_cjk);
    let mut flow =
        Flow::new(composer, types, language, options.common.paper_of(doc), &options.common.cancel);

    let title = title(doc, options.common.title.as_deref());
    let title = title.map(|title| flow.composer.plain(&title)).filter(|title| !title.is_empty());
    if let Some(content) = &outline.title {
        flow.title(content, outline.byline.as_deref());
    }
    let mut strips = if options.common.contents { flow.take() } else { Vec::new() };
    let contents = flow.tags.add(Tags::ROOT, StructureRole::Contents);
    flow.body(&outline);
    let body = flow.take();
    let notes = notes(&mut flow, options)?;
    if options.common.contents {
        strips.extend(flow.contents(contents));
    }
    add_body(&mut strips, body, options.common.contents);
    let pages = pages(&strips, &notes, options.common.paper_of(doc));
    options.common.cancel.check()?;
    if options.common.contents {
        flow.number_contents(&mut strips, &pages);
    }
    let (header, footers) = headers_and_footers(&mut flow, title.as_deref(), pages.len());
    check_holes(&flow.holes)?;
    let warnings = warnings(doc, &mut flow)?;
    let Flow { composer, frames, tags, headings, .. } = flow;
    let links = composer.links;
    Ok(Laid {
        pages,
        strips,
        notes,
        frames,
        links,
        headings,
        tags,
        title,
        header,
        footers,
        warnings,
    })
}

/// Returns the strips of the footnotes, by number.
fn notes(flow: &mut Flow<'_, '_>, options: &PdfOptions) -> Result<Vec<Vec<Strip>>> {
    flow.composer.losses.enter_notes();
    let mut all = Vec::new();
    for (index, blocks) in flow.composer.notes.begin().into_iter().enumerate() {
        options.common.cancel.check()?;
        flow.note(index + 1, blocks);
        all.push(flow.take());
    }
    flow.size = TEXT_SIZE;
    Ok(all)
}

/// Returns the header of each page but the first, and the footers of all pages.
fn headers_and_footers(
    flow: &mut Flow<'_, '_>,
    title: Option<&str>,
    all: usize,
) -> (Option<Line>, Vec<Line>) {
    let style = Style::new(FRAME_SIZE).colored(GREY);
    let header = title.map(|title| text::cut_chars(title, MAX_HEADER_CHARACTERS).0);
    let header = header.map(|title| flow.frame_line(title, style));
    let footers = (1..=all).map(|now| {
        let text = if flow.language.is_chinese() {
            format!("第 {now} 页 / 共 {all} 页")
        } else {
            format!("Page {now} of {all}")
        };
        flow.frame_line(&text, style)
    });
    (header, footers.collect())
}

/// Adds the body below the title, or on a new page behind the contents.
fn add_body(strips: &mut Vec<Strip>, body: Vec<Strip>, begins_page: bool) {
    let before = strips.len();
    strips.extend(body);
    let Some(body) = strips.get_mut(before..) else { return };
    for strip in body.iter_mut() {
        strip.head = strip.head.map(|head| head + before);
    }
    if let Some(first) = body.first_mut() {
        first.begins_page |= begins_page;
    }
}

/// Refuses a document that is too large.
fn check_size(doc: &Doc, has_contents: bool) -> Result<()> {
    let heading = HEADING_ELEMENTS + if has_contents { CONTENTS_ELEMENTS } else { 0 };
    Weights { heading, footnote: FOOTNOTE_ELEMENTS }.check(doc)?;
    let mut bytes = 0;
    doc.for_each_text(&mut |text| bytes += text.len());
    if bytes > MAX_TEXT_BYTES {
        let message =
            format!("document: expected at most {MAX_TEXT_BYTES} bytes of text, got {bytes}");
        return Err(
            Error::new(ErrorKind::Arguments, message).hint("split the text into several documents")
        );
    }
    Ok(())
}

/// Refuses pages with missing glyphs. This is a safeguard: characters without a glyph are refused earlier.
fn check_holes(holes: &[char]) -> Result<()> {
    if holes.is_empty() {
        return Ok(());
    }
    let holes: std::collections::BTreeSet<char> = holes.iter().copied().collect();
    let text = listed(holes.iter().map(|c| named(*c)), MAX_LISTED);
    Err(Error::new(ErrorKind::Arguments, format!("no font has these characters: {text}")))
}

/// Returns changes and losses.
fn warnings(doc: &Doc, flow: &mut Flow<'_, '_>) -> Result<Vec<String>> {
    let mut warnings = doc.warnings.clone();
    let composer = &mut flow.composer;
    warnings.extend(composer.missing.warning()?);
    if !composer.dropped.is_empty() {
        let text = listed(composer.dropped.iter().map(|c| named(*c)), MAX_LISTED);
        warnings.push(format!("left out, as no font has them: {text}"));
    }
    if flow.has_wide_table {
        warnings.push(
            "a table has more columns than fit on a page; a workbook would show it better".into(),
        );
    }
    warnings.extend(std::mem::take(&mut composer.losses).into_warnings());
    Ok(warnings)
}
