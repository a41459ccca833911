//! One page as a picture.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hayro::hayro_interpret::{
    Context, InterpreterCache, InterpreterSettings, InterpreterWarning, TransformExt,
    interpret_page,
};
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::{Affine, Rect};
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::vello_cpu::{Pixmap, RasterizerSettings, RenderContext, Resources, TargetInit};
use hayro::{RenderCache, RenderSettings, render_into};

use crate::encode::{self, Format};
use crate::error::{Error, Result, invalid};
use crate::fonts::FontChoice;
use crate::page_size::{PageSize, size_of};
use crate::survey::{MAX_PICTURE_PIXELS, Survey};

/// Most pixels of a picture: a page of A4 has 8.7 million at 300 dpi.
pub const MAX_PIXELS: u64 = 16_000_000;

/// Longest side of a picture, in pixels. Browsers and models refuse longer ones.
const MAX_SIDE: f64 = 16_000.0;

/// Points of a PDF per inch.
const POINTS: f64 = 72.0;

/// Pixels per inch, from the least to the most.
const DPI: std::ops::RangeInclusive<u32> = 10..=600;

/// Pixels of a width, from the least to the most.
const WIDTHS: std::ops::RangeInclusive<u32> = 16..=8_000;

/// How large a page is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Pixels per inch, from 10 to 600.
    Dpi(u32),
    /// Pixels of the width, from 16 to 8 000.
    Width(u32),
}

/// How a page is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How large.
    pub size: Size,
    /// The format of the picture.
    pub format: Format,
}

impl Options {
    /// Checks the size.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] - it is out of range.
    pub fn check(&self) -> Result<()> {
        let (name, range, value) = match self.size {
            Size::Dpi(value) => ("dpi", DPI, value),
            Size::Width(value) => ("width", WIDTHS, value),
        };
        if range.contains(&value) {
            Ok(())
        } else {
            invalid(format!(
                "expected a `{name}` from {} to {}, got {value}",
                range.start(),
                range.end()
            ))
        }
    }
}

/// The picture of a page.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Its file.
    pub bytes: Vec<u8>,
    /// Its width in pixels.
    pub width: u16,
    /// Its height in pixels.
    pub height: u16,
    /// What differs from the page, one sentence each. They name the page.
    pub warnings: Vec<String>,
}

/// Draws a page with this number.
pub(crate) fn draw(
    (page, number): (&Page<'_>, usize),
    options: &Options,
    fonts: &Arc<FontChoice>,
) -> Result<Picture> {
    options.check()?;
    let size = size_of(page)
        .ok_or_else(|| Error::Malformed(format!("page {number} is damaged: it has no size")))?;
    let wanted = match options.size {
        Size::Dpi(dpi) => f64::from(dpi) / POINTS,
        Size::Width(width) => f64::from(width) / size.width,
    };
    let (scale, (width, height)) = bounded(size, wanted);
    let mut warnings = Vec::new();
    if scale < wanted {
        let dpi = (scale * POINTS).floor();
        warnings.push(format!(
            "Page {number} is drawn smaller, {width} x {height} pixels ({dpi} dpi): a picture has at most {MAX_PIXELS} pixels."
        ));
    }
    let transform =
        Affine::scale_non_uniform(f64::from(width) / size.width, f64::from(height) / size.height)
            * page.initial_transform(true).to_kurbo();
    // Each page has its own cache, because a cache for all pages of a long document would be large.
    let cache = RenderCache::new();
    let (settings, lost) = settings(fonts);
    let survey = survey(page, transform, (width, height), &settings);
    // The drawing finds the same fonts again.
    drop(fonts.take());
    fonts.note_fonts_of(page);
    if let Some((wide, high)) = survey.too_large {
        return Err(Error::Quota(format!(
            "page {number} has a picture of {wide} x {high} pixels, and at most {MAX_PICTURE_PIXELS} are drawn; leave the page out, or make the picture smaller with `pdf_tool__rewrite_pdf` (`compress-pictures`)"
        )));
    }
    let mut context = RenderContext::new(width, height);
    render_into(page, &cache, &settings, &RenderSettings::default(), &mut context, transform);
    context.flush();
    let mut pixmap = Pixmap::new(width, height);
    let target = RasterizerSettings {
        target_init: TargetInit::Clear(WHITE),
        ..RasterizerSettings::default()
    };
    context.render_with(&mut pixmap, &mut Resources::default(), target);
    drop((context, cache));
    // The page is opaque.
    let rgb = pixmap.data().iter().flat_map(|it| [it.r, it.g, it.b]).collect();
    drop(pixmap);
    let bytes = encode::encode((width, height), rgb, options.format)
        .map_err(|error| Error::Unsupported(format!("page {number}: {error}")))?;
    warnings.extend(losses(number, fonts, &survey, &lost));
    Ok(Picture { bytes, width, height, warnings })
}

/// Returns the scale within the limits, and width and height in pixels.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "both are from 1 to 16 000"
)]
fn bounded(size: PageSize, wanted: f64) -> (f64, (u16, u16)) {
    let by_area = (MAX_PIXELS as f64 / (size.width * size.height)).sqrt();
    let by_side = MAX_SIDE / size.width.max(size.height);
    let mut scale = wanted.min(by_area).min(by_side);
    let pixels = |side: f64, scale: f64| (side * scale).round().clamp(1.0, MAX_SIDE);
    // A side of less than a pixel becomes one, and both may be rounded up.
    while pixels(size.width, scale) * pixels(size.height, scale) > MAX_PIXELS as f64 {
        scale *= 0.999;
    }
    let (width, height) = (pixels(size.width, scale), pixels(size.height, scale));
    (scale, (width as u16, height as u16))
}

/// What was lost while a page was drawn.
#[derive(Default)]
struct Lost {
    font: AtomicBool,
    picture: AtomicBool,
    annotation: AtomicBool,
}

/// Returns the settings for a page, with what will be lost.
fn settings(fonts: &Arc<FontChoice>) -> (InterpreterSettings, Arc<Lost>) {
    let lost = Arc::new(Lost::default());
    let (choice, noted) = (fonts.clone(), lost.clone());
    let settings = InterpreterSettings {
        font_resolver: Arc::new(move |query| choice.font(query)),
        warning_sink: Arc::new(move |warning| {
            let flag = match warning {
                InterpreterWarning::UnsupportedFont => &noted.font,
                InterpreterWarning::ImageDecodeFailure => &noted.picture,
                InterpreterWarning::UnresolvedAnnotationAppearance => &noted.annotation,
                _ => return,
            };
            flag.store(true, Ordering::Relaxed);
        }),
        ..InterpreterSettings::default()
    };
    (settings, lost)
}

fn survey(
    page: &Page<'_>,
    transform: Affine,
    (width, height): (u16, u16),
    settings: &InterpreterSettings,
) -> Survey {
    let cache = InterpreterCache::new();
    let target = Rect::new(0.0, 0.0, width.into(), height.into());
    let mut context = Context::new(transform, target, &cache, page.xref(), settings.clone());
    let mut survey = Survey::default();
    interpret_page(page, &mut context, &mut survey);
    survey
}

/// Returns what differs from the page.
fn losses(number: usize, fonts: &FontChoice, survey: &Survey, lost: &Lost) -> Vec<String> {
    let mut warnings = Vec::new();
    let noted = fonts.take();
    if !noted.names.is_empty() {
        let names = Vec::from_iter(noted.names).join("`, `");
        warnings.push(format!(
            "Page {number}: these fonts are not in the file, and similar ones stand in: `{names}`."
        ));
    }
    if noted.lacks_chinese {
        warnings.push(format!(
            "Page {number}: the host has no font for Chinese, Japanese or Korean, so that text of such fonts is missing."
        ));
    } else if !survey.missing.is_empty() && noted.has_collection {
        let letters: String = survey.missing.iter().collect();
        warnings
            .push(format!("Page {number}: letters that no font here has are missing: {letters}"));
    }
    let flags = [
        (&lost.font, "a font cannot be read, and Helvetica stands in."),
        (&lost.picture, "a picture cannot be decoded, and is missing."),
        (&lost.annotation, "the appearance of a comment cannot be read, and is missing."),
    ];
    for (flag, sentence) in flags {
        if flag.load(Ordering::Relaxed) {
            warnings.push(format!("Page {number}: {sentence}"));
        }
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page_size::A4;

    #[test]
    fn sizes_are_bounded() {
        let a4 = bounded(A4, 150.0 / POINTS);
        assert_eq!(a4.1, (1240, 1754));
        for (width, height, wanted) in [
            (14_400.0, 14_400.0, 300.0 / POINTS),
            (1e9, 1e9, 1.0),
            (1e-3, 1e6, 10.0),
            (1e6, 1e-3, 10.0),
            (3.0, 1e38, 8_000.0 / 3.0),
            (f64::from(f32::MAX), 1.0, 1.0),
            (1e-30, 1e-30, 1.0),
        ] {
            let (scale, (wide, high)) = bounded(PageSize { width, height }, wanted);
            assert!(wide >= 1 && high >= 1 && scale <= wanted, "{width} {height}");
            assert!(u64::from(wide) * u64::from(high) <= MAX_PIXELS, "{wide} {high}");
        }
    }

    #[test]
    fn sizes_out_of_range_are_refused() {
        for (size, expected) in [
            (Size::Dpi(9), "expected a `dpi` from 10 to 600, got 9"),
            (Size::Dpi(601), "expected a `dpi` from 10 to 600, got 601"),
            (Size::Width(15), "expected a `width` from 16 to 8000, got 15"),
            (Size::Width(8_001), "expected a `width` from 16 to 8000, got 8001"),
        ] {
            let error = Options { size, format: Format::Png }.check().unwrap_err();
            assert_eq!(error, Error::Invalid(expected.to_owned()));
        }
    }
}
