//! The Typst backend: one fixed template, the document as data.
//!
//! No text of a document is ever Typst markup, where `#` is code.

use std::collections::BTreeSet;

use typst::comemo;
use typst::diag::SourceDiagnostic;
use typst::foundations::{Datetime, Smart};
use typst_layout::PagedDocument;
use typst_pdf::{PdfStandards, Timestamp};

use super::data::{MAX_LISTED, data, listed, named};
use super::signs;
use super::world::DocWorld;
use crate::doc::Doc;
use crate::{Pdf, PdfBackend, PdfOptions};
use mitt_base::time::Moment;
use mitt_base::{Error, ErrorKind, Result};

/// Layout recurses; this is Typst's own choice for its program's threads, and more than any document here needs.
const STACK_BYTES: usize = 16 * 1024 * 1024;

/// Documents for which Typst remembers intermediate results that were not needed again.
const REMEMBERED: usize = 2;

/// Typesets with Typst: line breaking after UAX #14 and Chinese conventions, tagged PDF 1.7, subset fonts.
#[derive(Clone, Copy, Debug, Default)]
pub struct TypstBackend;

impl PdfBackend for TypstBackend {
    fn render(&self, doc: &Doc, options: &PdfOptions) -> Result<Pdf> {
        // A thread of its own has the stack that layout needs, and turns a panic of Typst's into an error of ours.
        std::thread::scope(|scope| {
            std::thread::Builder::new()
                .name("mitt-pdf".into())
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, || render(doc, options))
                .map_err(|error| {
                    Error::new(ErrorKind::Host, "cannot start a thread").caused_by(error)
                })?
                .join()
                .unwrap_or_else(|_| {
                    options.cancel.check().and(Err(Error::bug("typesetting panicked")))
                })
        })
    }
}

fn render(doc: &Doc, options: &PdfOptions) -> Result<Pdf> {
    options.cancel.check()?;
    let faces = options.fonts.faces()?;
    let data = data(doc, options, &faces)?;
    let world = DocWorld::new(data.json, data.drawings, faces, options.cancel.clone())?;
    let compiled = typst::compile::<PagedDocument>(&world);
    // The cache is global, and would otherwise keep every document of the process.
    comemo::evict(REMEMBERED);
    options.cancel.check()?;
    let pages =
        compiled.output.map_err(|errors| failed("the document cannot be typeset", &errors))?;
    let mut holes = BTreeSet::new();
    pages.pages().iter().for_each(|page| signs::holes(&page.frame, &mut holes));
    if !holes.is_empty() {
        let text = listed(holes.iter().map(|c| named(*c)), MAX_LISTED);
        return Err(Error::new(
            ErrorKind::Arguments,
            format!("no font has these characters: {text}"),
        ));
    }
    let bytes = typst_pdf::pdf(&pages, &pdf_options(options))
        .map_err(|errors| failed("the pages cannot be written as PDF", &errors))?;
    options.cancel.check()?;
    Ok(Pdf { bytes, pages: pages.pages().len(), warnings: data.warnings })
}

/// The template takes every document, so an error of Typst's is our mistake.
#[cold]
fn failed(what: &str, errors: &[SourceDiagnostic]) -> Error {
    let messages: Vec<_> = errors.iter().map(|error| error.message.as_str()).collect();
    Error::bug(format!("{what}: {}", messages.join("; ")))
}

fn pdf_options(options: &PdfOptions) -> typst_pdf::PdfOptions {
    let at = Moment::after_epoch(options.created);
    let datetime = i32::try_from(at.year).ok().and_then(|year| {
        Datetime::from_ymd_hms(year, at.month, at.day, at.hour, at.minute, at.second)
    });
    typst_pdf::PdfOptions {
        ident: Smart::Auto,
        creator: Smart::Custom(Some("mitt".into())),
        timestamp: datetime.map(Timestamp::new_utc),
        page_ranges: None,
        standards: PdfStandards::default(),
        tagged: true,
        pretty: false,
    }
}
