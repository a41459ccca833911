//! Documents to PPTX: slides of headings, text and tables that can be edited in PowerPoint, Keynote and LibreOffice.
//!
//! A document does not say where slides begin, so pandoc's rule decides: the highest headings directly followed by text
//! begin slides, higher headings get slides of their own, lower headings are part of their slide; a rule or page break
//! begins a slide as well. Text that does not fit continues on the next slide with the same title. Fonts are those of the
//! reader's machine, so heights are estimated; PowerPoint shrinks text that is slightly too high.

mod deck;
mod design;
mod lines;
mod measure;
mod package;
mod parts;
mod shapes;
mod split;
#[cfg(test)]
mod tests;
mod text;
mod texts;
mod writer;

use crate::model::doc::Doc;
use crate::model::language::Language;
use crate::shared::losses::LossKind;
use crate::shared::office_pictures::with_logo;
use crate::shared::ooxml::Properties;
use crate::shared::outline::{Anchors, Outline, title};
use crate::shared::picture::{Gallery, Picture, for_word};
use crate::shared::size::Weights;
use crate::{Pptx, PptxOptions};
use mitt_base::{Error, ErrorKind, Result};

pub(super) use self::texts::slide_texts;

use self::deck::{Builder, Slide};
use self::design::Design;
use self::writer::Writer;

/// A heading is written again in the contents and on slides that continue; everything else is written once.
const WEIGHTS: Weights = Weights { heading: 2, footnote: 2 };

/// Most slides of a file. No talk has more.
const MAX_SLIDES: usize = 2_000;

/// Writes a document as slides.
pub(super) fn pptx(doc: &Doc, options: &PptxOptions) -> Result<Pptx> {
    options.common.cancel.check()?;
    WEIGHTS.check(doc)?;
    let language = Language::of(doc, options.common.language.as_deref())?;
    let outline = Outline::of(doc);
    let anchors = Anchors::of(&outline);
    let (design, left_out) = Design::of(&options.common.theme, &language);
    let pictures = with_logo(&options.common.pictures, &options.common.theme);
    let gallery = Gallery::new(&pictures, &accept);
    let mut builder = Builder::new(&outline, &language, gallery);
    let logo = builder.text(options.common.contents, design.logo.as_ref());
    bounded(&builder.slides)?;
    let mut writer = Writer::new(doc, &anchors, &language, &design);
    writer.headings = std::mem::take(&mut builder.headings);
    writer.unseen = std::mem::take(&mut builder.unseen);
    for (block, why) in std::mem::take(&mut builder.tables) {
        writer.losses.enter_block(block);
        writer.losses.record(LossKind::Chart, &why);
    }
    writer.slides(&builder.slides, &options.common.cancel)?;
    let notes = writer.begin_notes();
    if !notes.is_empty() {
        let first = builder.slides.len();
        builder.notes(notes);
        bounded(&builder.slides)?;
        writer.slides(builder.slides.get(first..).unwrap_or_default(), &options.common.cancel)?;
    }
    let mut losses = writer.losses;
    let authors = options.common.authors_of(doc).join("; ");
    let properties = Properties {
        title: title(doc, options.common.title.as_deref()).as_deref(),
        author: Some(&authors),
        created: options.common.created,
    }
    .part(&language, &mut losses);
    let slides = writer.slides.len();
    let files = (&*writer.media, &*writer.charts);
    let bytes = package::pack(properties, writer.slides, files, &language, &design)?;
    let mut warnings = doc.warnings.clone();
    warnings.extend(left_out);
    warnings.extend(logo.err().map(|why| format!("theme: its logo is left out: {why}")));
    warnings.extend(losses.into_warnings());
    Ok(Pptx { bytes, slides, warnings })
}

/// Converts a picture to a format that PowerPoint shows, upright.
fn accept(picture: Picture) -> std::result::Result<Picture, String> {
    match for_word(picture.format, &picture.file, picture.orientation)? {
        None => Ok(picture),
        Some((format, file)) => {
            Ok(Picture { format, file: file.into(), orientation: 1, ..picture })
        }
    }
}

fn bounded(slides: &[Slide<'_>]) -> Result<()> {
    match slides.len() {
        count if count > MAX_SLIDES => {
            let message = format!("document: expected at most {MAX_SLIDES} slides, got {count}");
            Err(Error::new(ErrorKind::Arguments, message).hint(
                "deliver long texts as a document (`.docx`, `.pdf`) and large tables as a workbook",
            ))
        }
        _ => Ok(()),
    }
}
