//! Draws the first page of a rendered PDF as a picture, for a look at the result before it is opened.
//!
//! It draws only what our own typesetters wrote, never a foreign file. hayro reads the PDF in memory, and knows no files and
//! no network.

use std::panic::{AssertUnwindSafe, catch_unwind};

use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_syntax::Pdf;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{RenderCache, RenderSettings, render};

use crate::typeset::{MAX_PREVIEW_BYTES, check_preview};
use mitt_base::{Error, Result};

/// Most times that a picture that is too large is drawn again, at half the width.
const SMALLER: u32 = 3;

/// Returns the first page as a PNG picture `width_px` pixels wide. The width is halved until it has at most
/// [`MAX_PREVIEW_BYTES`].
///
/// # Errors
///
/// [`ErrorKind::Arguments`](mitt_base::ErrorKind::Arguments) - [`check_preview`] refuses the width.
/// [`ErrorKind::Bug`](mitt_base::ErrorKind::Bug) - the page cannot be drawn.
pub(super) fn first_page(pdf: &[u8], width_px: u32) -> Result<Vec<u8>> {
    check_preview(Some(width_px))?;
    let pdf = Pdf::new(pdf.to_vec()).map_err(|_| Error::bug("a PDF of ours cannot be read"))?;
    let mut last = 0;
    for halved in 0..=SMALLER {
        // A bug in the library must cost the picture, not the document with it.
        let drawn = catch_unwind(AssertUnwindSafe(|| draw(&pdf, width_px >> halved)));
        let picture = drawn.map_err(|_| Error::bug("drawing a page panicked"))??;
        if picture.len() <= MAX_PREVIEW_BYTES {
            return Ok(picture);
        }
        last = picture.len();
    }
    Err(Error::bug(format!("the picture of a page has {last} bytes")))
}

fn draw(pdf: &Pdf, width_px: u32) -> Result<Vec<u8>> {
    let page = pdf.pages().first().ok_or_else(|| Error::bug("a PDF without a page"))?;
    let (width, height) = page.render_dimensions();
    // The sides of all our paper sizes differ at most by a factor of two.
    if !(width >= 1.0 && height >= 1.0 && height <= 4.0 * width) {
        return Err(Error::bug("a page without a size"));
    }
    let scale = width_px as f32 / width;
    let settings = RenderSettings {
        x_scale: scale,
        y_scale: scale,
        width: u16::try_from(width_px).ok(),
        bg_color: WHITE,
        ..RenderSettings::default()
    };
    let pixmap = render(page, &RenderCache::new(), &InterpreterSettings::default(), &settings);
    let (width, height) = (pixmap.width(), pixmap.height());
    // The page is opaque.
    let pixels = pixmap.data().iter().flat_map(|pixel| [pixel.r, pixel.g, pixel.b]);
    encode((width.into(), height.into()), &pixels.collect::<Vec<u8>>())
}

fn encode((width, height): (u32, u32), pixels: &[u8]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(pixels)?;
        writer.finish()
    });
    written.map_err(|error| Error::bug(format!("a picture cannot be written: {error}")))?;
    Ok(bytes)
}
