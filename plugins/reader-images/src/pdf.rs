//! Draws pages of PDF as a scanner would see them.

use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings, render};
use image::GrayImage;

use crate::{light, scan, shrinking};
use mitt_reader_kit::{ENCRYPTED, Error};

/// Points of a PDF per inch, and pixels of the result per inch.
const POINTS: f64 = 72.0;
const DPI: f64 = 300.0;

/// Draws pages in sequence.
pub(crate) fn draw(
    bytes: &[u8],
    password: Option<&str>,
    pages: &[u32],
    take: &mut dyn FnMut(u32, Result<GrayImage, Error>),
) -> Result<(), Error> {
    let pdf =
        Pdf::new_with_password(bytes.to_vec(), password.unwrap_or_default()).map_err(|error| {
            match error {
                LoadPdfError::Decryption(DecryptionError::PasswordProtected) => {
                    Error::Unsupported(ENCRYPTED.to_owned())
                }
                LoadPdfError::Decryption(_) => Error::Unsupported(
                    "the document is encrypted in a way that is not drawn".to_owned(),
                ),
                LoadPdfError::Invalid => {
                    Error::Malformed("the document is damaged: its pages are not found".to_owned())
                }
            }
        })?;
    for page in pages {
        let found = pdf.pages().get(*page as usize - 1);
        let drawn = found.ok_or_else(|| Error::NotFound(format!("no page {page} in the document")));
        take(*page, drawn.and_then(one));
    }
    Ok(())
}

fn one(page: &hayro::hayro_syntax::page::Page<'_>) -> Result<GrayImage, Error> {
    let (width, height) = page.render_dimensions();
    let scale = DPI / POINTS;
    let (width, height) = (f64::from(width) * scale, f64::from(height) * scale);
    if !(width >= 1.0 && height >= 1.0 && width.is_finite() && height.is_finite()) {
        return Err(Error::Malformed("the page has no size".to_owned()));
    }
    let scale = scale * shrinking(width, height);
    if let Some(picture) = scan::draw(page, scale)? {
        return Ok(picture);
    }
    let scale = scale as f32;
    let settings = PixmapSettings { x_scale: scale, y_scale: scale, bg_color: WHITE };
    // Each page has its own cache, because a cache for all pages of a long document would be large.
    let cache = RenderCache::new();
    let pixmap = render(
        page,
        &cache,
        &InterpreterSettings::default(),
        &RenderSettings::default(),
        &settings,
    );
    let (width, height) = (u32::from(pixmap.width()), u32::from(pixmap.height()));
    let pixels = pixmap.data().iter().map(|pixel| light(pixel.r, pixel.g, pixel.b)).collect();
    GrayImage::from_raw(width, height, pixels)
        .ok_or_else(|| Error::Malformed("the page has no size".to_owned()))
}
