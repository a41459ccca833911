//! The Typst backend: one fixed template, with the document as data.
//!
//! No text of a document is ever Typst markup, in which `#` begins code.

use std::collections::BTreeSet;
use std::sync::Arc;

use typst::comemo;
use typst::diag::SourceDiagnostic;
use typst::foundations::{Datetime, Smart};
use typst_layout::PagedDocument;
use typst_pdf::Timestamp;

use super::data::{Data, data};
use super::fonts::Faces;
use super::holes::holes;
use super::pictures;
use super::standards;
use super::world::DocWorld;
use crate::model::doc::Doc;
use crate::shared::glyphs::{MAX_LISTED, listed, named};
use crate::shared::object_streams::packed;
use crate::shared::own_stack::on_own_stack;
use crate::shared::picture::Picture;
use crate::{Pdf, PdfOptions};
use mitt_base::time::Moment;
use mitt_base::{Error, ErrorKind, Result};

/// Stack for the layout, which recurses: the size that Typst's own program uses, and more than any document here needs.
pub(super) const STACK_BYTES: usize = 16 * 1024 * 1024;

/// Number of documents after which Typst drops intermediate results that were not used again.
pub(super) const REMEMBERED: usize = 2;

/// Typesets a document on a stack of its own.
pub(crate) fn render(doc: &Doc, options: &PdfOptions) -> Result<Pdf> {
    on_own_stack(STACK_BYTES, options, || set(doc, options))
}

fn set(doc: &Doc, options: &PdfOptions) -> Result<Pdf> {
    options.common.cancel.check()?;
    crate::model::standard::check(&options.standards, &options.attachments)?;
    let faces = options.fonts.faces()?;
    let mut attempt = attempt(doc, options, &faces, pictures::check)?;
    // Even a picture that was decoded may fail on the page, and Typst does not say which. So pictures that are embedded as
    // they are get left out first, then all of them.
    for accept in [pictures::check_pixels, pictures::refuse] {
        if attempt.has_pictures && attempt.made.is_err() {
            attempt = self::attempt(doc, options, &faces, accept)?;
        }
    }
    if attempt.has_pictures {
        // Intermediate results of text are small; decoded pictures are not.
        comemo::evict(0);
    }
    attempt.made
}

/// Pages or the errors of Typst.
struct Attempt {
    made: Result<Pdf>,
    has_pictures: bool,
}

/// Accepts or refuses a picture.
type Accept = fn(Picture) -> std::result::Result<Picture, String>;

/// Writes a document with the pictures that `accept` accepts.
fn attempt(doc: &Doc, options: &PdfOptions, faces: &Arc<Faces>, accept: Accept) -> Result<Attempt> {
    let (laid, has_pictures) = lay_out(doc, options, faces, accept)?;
    let made = match laid {
        Err(error) => Err(error),
        Ok((pages, warnings)) => match typst_pdf::pdf(&pages, &pdf_options(options)?) {
            Ok(bytes) => Ok(Pdf {
                bytes: packed(bytes),
                pages: pages.pages().len(),
                warnings,
                preview: None,
            }),
            Err(errors) => match standards::refusal(&options.standards, &errors) {
                Some(refusal) => return Err(refusal),
                None => Err(failed("the pages cannot be written as PDF", &errors)),
            },
        },
    };
    options.common.cancel.check()?;
    Ok(Attempt { made, has_pictures })
}

/// Pages, and warnings.
type Laid = (PagedDocument, Vec<String>);

/// Returns the pages or the errors of Typst, and `true` if there are pictures on them.
fn lay_out(
    doc: &Doc,
    options: &PdfOptions,
    faces: &Arc<Faces>,
    accept: Accept,
) -> Result<(Result<Laid>, bool)> {
    let Data { json, pictures, drawings, warnings } = data(doc, options, faces, accept)?;
    let has_pictures = !pictures.is_empty();
    let world = DocWorld::new(json, (&pictures, drawings), faces.clone(), options)?;
    let compiled = typst::compile::<PagedDocument>(&world);
    // The cache is global, and would otherwise keep every document of the process.
    comemo::evict(REMEMBERED);
    options.common.cancel.check()?;
    let pages = match compiled.output {
        Ok(pages) => pages,
        Err(errors) => match broken_logo(options, &errors) {
            Some(broken) => return Err(broken),
            None => {
                return Ok((Err(failed("the document cannot be typeset", &errors)), has_pictures));
            }
        },
    };
    let mut found = BTreeSet::new();
    pages.pages().iter().for_each(|page| holes(&page.frame, &mut found));
    if !found.is_empty() {
        let text = listed(found.iter().map(|c| named(*c)), MAX_LISTED);
        return Err(Error::new(
            ErrorKind::Arguments,
            format!("no font has these characters: {text}"),
        ));
    }
    Ok((Ok((pages, warnings)), has_pictures))
}

/// Returns the laid out pages.
#[cfg(test)]
pub(super) fn typeset(doc: &Doc, options: &PdfOptions) -> Result<Laid> {
    lay_out(doc, options, &options.fonts.faces()?, pictures::check)?.0
}

/// The template accepts every document, so an error of Typst is our mistake.
#[cold]
pub(super) fn failed(what: &str, errors: &[SourceDiagnostic]) -> Error {
    let messages: Vec<_> = errors.iter().map(|error| error.message.as_str()).collect();
    Error::bug(format!("{what}: {}", messages.join("; ")))
}

/// Returns the error for a logo, which is the only undecoded picture and may be broken behind its header.
fn broken_logo(options: &PdfOptions, errors: &[SourceDiagnostic]) -> Option<Error> {
    let is_picture = |error: &SourceDiagnostic| error.message.contains("failed to decode image");
    (options.common.theme.logo.is_some() && errors.iter().any(is_picture)).then(|| {
        let message = "theme: logo: expected a PNG or JPEG picture, got one that is broken";
        Error::new(ErrorKind::Arguments, message)
    })
}

fn pdf_options(options: &PdfOptions) -> Result<typst_pdf::PdfOptions> {
    let at = Moment::after_epoch(options.common.created.unwrap_or_default());
    let datetime = i32::try_from(at.year).ok().and_then(|year| {
        Datetime::from_ymd_hms(year, at.month, at.day, at.hour, at.minute, at.second)
    });
    Ok(typst_pdf::PdfOptions {
        ident: Smart::Auto,
        creator: Smart::Custom(Some("mitt".into())),
        timestamp: datetime.map(Timestamp::new_utc),
        page_ranges: None,
        standards: standards::of(&options.standards)?,
        tagged: true,
        pretty: false,
    })
}
