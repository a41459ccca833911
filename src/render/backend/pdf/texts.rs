//! Texts on transparent pages of their own, for use inside of another PDF.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use serde_json::json;
use typst::comemo;
use typst_layout::PagedDocument;

use super::holes::holes;
use super::typst::{REMEMBERED, STACK_BYTES, failed};
use super::world::DocWorld;
use crate::model::language::{Language, language_of};
use crate::shared::glyphs::{MAX_LISTED, listed, named};
use crate::shared::own_stack::on_own_stack;
use crate::{CommonOptions, MAX_TEXT_PAGES, Pdf, PdfOptions, TextAlign, TextPages};
use mitt_base::{Error, ErrorKind, Result};

/// Most characters of all texts of one request.
const MAX_CHARACTERS: usize = 200_000;

/// Sizes of text, and widths of lines, in points.
const SIZES: RangeInclusive<f64> = 1.0..=500.0;
const WIDTHS: RangeInclusive<f64> = 1.0..=14_400.0;

/// Sets texts as a PDF with a page for each.
pub(crate) fn text_pages(pages: &TextPages) -> Result<Vec<u8>> {
    check(pages)?;
    let options = PdfOptions {
        common: CommonOptions { cancel: pages.cancel.clone(), ..CommonOptions::default() },
        fonts: pages.fonts.clone(),
        ..PdfOptions::default()
    };
    Ok(on_own_stack(STACK_BYTES, &options, || set(pages, &options))?.bytes)
}

fn set(pages: &TextPages, options: &PdfOptions) -> Result<Pdf> {
    options.common.cancel.check()?;
    let faces = options.fonts.faces()?;
    let tag = language_of(pages.texts.iter().map(String::as_str));
    let language = Language::parse(tag)
        .ok_or_else(|| Error::bug(format!("`{tag}` is not the tag of a language")))?;
    let lines: Vec<Vec<&str>> = pages.texts.iter().map(|text| text.lines().collect()).collect();
    let [red, green, blue] = pages.color;
    let data = json!({
        "texts": lines,
        "size": pages.size,
        "color": format!("#{red:02x}{green:02x}{blue:02x}"),
        "bold": pages.bold,
        "width": pages.width,
        "align": match pages.align {
            TextAlign::Left => "left",
            TextAlign::Center => "center",
            TextAlign::Right => "right",
        },
        "language": language.code,
        "fonts": faces.given,
        "preferred": faces.preferred(&language),
    });
    let world = DocWorld::of_texts(data.to_string().into_bytes(), faces, options)?;
    let compiled = typst::compile::<PagedDocument>(&world);
    comemo::evict(REMEMBERED);
    options.common.cancel.check()?;
    let laid = compiled.output.map_err(|errors| failed("the texts cannot be typeset", &errors))?;
    let mut found = BTreeSet::new();
    laid.pages().iter().for_each(|page| holes(&page.frame, &mut found));
    if !found.is_empty() {
        let text = listed(found.iter().map(|c| named(*c)), MAX_LISTED);
        let message = format!("no font has these characters: {text}");
        return Err(Error::new(ErrorKind::Arguments, message));
    }
    let settings = typst_pdf::PdfOptions { tagged: false, ..typst_pdf::PdfOptions::default() };
    let bytes = typst_pdf::pdf(&laid, &settings)
        .map_err(|errors| failed("the texts cannot be written as PDF", &errors))?;
    options.common.cancel.check()?;
    Ok(Pdf { bytes, pages: laid.pages().len(), warnings: Vec::new(), preview: None })
}

/// Checks the bounds.
///
/// # Errors
///
/// [`ErrorKind::Arguments`] - a number is out of its range, or there is too much text.
fn check(pages: &TextPages) -> Result<()> {
    let refuse = |message: String| Err(Error::new(ErrorKind::Arguments, message));
    if pages.texts.is_empty() || pages.texts.len() > MAX_TEXT_PAGES {
        return refuse(format!("texts: expected 1 to {MAX_TEXT_PAGES}, got {}", pages.texts.len()));
    }
    let characters: usize = pages.texts.iter().map(|text| text.chars().count()).sum();
    if characters > MAX_CHARACTERS {
        return refuse(format!(
            "texts: expected at most {MAX_CHARACTERS} characters, got {characters}"
        ));
    }
    if !SIZES.contains(&pages.size) {
        return refuse(format!("size: expected 1 to 500 points, got {}", pages.size));
    }
    match pages.width {
        Some(width) if !WIDTHS.contains(&width) => {
            refuse(format!("width: expected 1 to 14400 points, got {width}"))
        }
        _ => Ok(()),
    }
}
