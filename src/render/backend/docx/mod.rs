//! Writes documents as DOCX: headings, lists, notes, tables and links are native Word elements, so that its navigation,
//! contents and numbering work.
//!
//! This is our own writer, because no crate repeats the head of a table on each page, and none leaves out the characters for
//! which Word calls a file damaged. All text of a document passes through `xml`. Fonts are those of the reader's machine, so
//! the widths of letters are unknown here.

mod body;
mod charts;
mod contents;
mod design;
mod frame;
mod inline_picture;
mod namespaces;
mod numbering;
mod omml;
mod package;
mod paragraph;
mod pictures;
mod references;
mod runs;
mod styles;
mod table;
mod template;
#[cfg(test)]
mod tests;
mod writer;

use std::borrow::Cow;

use self::design::Design;
use self::frame::{Area, Frame};
use self::package::PackagePart;
pub(super) use self::template::{docx_files, fill_docx};
use self::writer::Writer;
use crate::model::doc::Doc;
use crate::model::language::Language;
use crate::shared::office_pictures::with_logo;
use crate::shared::outline::{Anchors, Outline, title};
use crate::shared::picture::Gallery;
use crate::shared::size::Weights;
use crate::{Docx, DocxOptions, Theme};
use mitt_base::Result;

/// A heading is written again in the contents, and a note with its references; everything else is written once.
const WEIGHTS: Weights = Weights { heading: 2, footnote: 2 };

/// Writes a document as a Word file.
pub(super) fn docx(doc: &Doc, options: &DocxOptions) -> Result<Docx> {
    match &options.template {
        Some(template) => template::with_template(doc, template, options),
        None => plain(doc, options, None),
    }
}

/// Returns a file without a template. `area` describes the place of its text in a template, if it is for one.
fn plain(doc: &Doc, options: &DocxOptions, area: Option<Area>) -> Result<Docx> {
    options.common.cancel.check()?;
    WEIGHTS.check(doc)?;
    let language = Language::of(doc, options.common.language.as_deref())?;
    let outline = Outline::of(doc);
    let anchors = Anchors::of(&outline);
    // A template keeps its own looks.
    let theme = if area.is_some() {
        Cow::Owned(Theme::default())
    } else {
        Cow::Borrowed(&options.common.theme)
    };
    let (design, mut warnings) = Design::of(&theme, &language);
    let has_contents = options.common.contents || design.has_cover;
    let frame = Frame {
        title: title(doc, options.common.title.as_deref()),
        author: Some(options.common.authors_of(doc).join("; ")).filter(|it| !it.is_empty()),
        paper: options.common.paper_of(doc),
        created: options.common.created,
        date: doc.meta.date.clone(),
        language: &language,
        design: &design,
        area,
    };
    if area.is_none() {
        frame.check_room(&theme)?;
    }
    let pictures = with_logo(&options.common.pictures, &theme);
    let gallery = Gallery::new(&pictures, &pictures::accept);
    let mut writer = Writer::new(doc, &outline, &anchors, &frame, gallery, &options.common.cancel);
    let body = writer.body(has_contents)?;
    let notes = writer.notes()?;
    let numbering = writer.lists.part();
    let gallery = writer.gallery;
    let charts = writer.charts;
    let mut losses = writer.losses;
    let parts = vec![
        PackagePart::new("docProps/core.xml", frame.properties(&mut losses)),
        PackagePart::new("word/styles.xml", styles::part(&language, &frame)),
        PackagePart::new("word/settings.xml", frame.settings()),
        PackagePart::new("word/fontTable.xml", styles::font_table(&language, &design)),
        PackagePart::new("word/numbering.xml", numbering),
        PackagePart::new("word/header1.xml", frame.header(false, &mut losses)),
        PackagePart::new("word/header2.xml", frame.header(true, &mut losses)),
        PackagePart::new("word/footer1.xml", frame.footer(false, &mut losses)),
        PackagePart::new("word/footer2.xml", frame.footer(true, &mut losses)),
        PackagePart::new("word/document.xml", body.xml),
        PackagePart::new(
            "word/_rels/document.xml.rels",
            package::relationships(&body.links, (gallery.all(), &charts), true),
        ),
        PackagePart::new("word/footnotes.xml", notes.xml),
        PackagePart::new(
            "word/_rels/footnotes.xml.rels",
            package::relationships(&notes.links, (gallery.all(), &charts), false),
        ),
    ];
    options.common.cancel.check()?;
    let bytes = package::pack(parts, (gallery.all(), &charts))?;
    warnings.splice(0..0, doc.warnings.iter().cloned());
    warnings.extend(losses.into_warnings());
    if has_contents {
        warnings.push(
            "the contents have no page numbers until their field is updated (in Word: click on them, then F9)".into(),
        );
    }
    Ok(Docx { bytes, warnings })
}
