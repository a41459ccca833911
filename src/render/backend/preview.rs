//! Draws pages of a rendered PDF as pictures: the first one for a look at the result before it is opened, and each of them
//! for people who read it in a browser.
//!
//! It draws only what our own typesetters wrote, never a foreign file. hayro reads the PDF in memory, and knows no files and
//! no network.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_syntax::Pdf;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{RenderCache, RenderSettings, render};

use crate::model::typeset::{MAX_PREVIEW_BYTES, PageSize};
use mitt_base::{Error, Result};

/// Most times that a picture that is too large is drawn again, at half the width.
const SMALLER: u32 = 3;

/// Reads the sizes of the pages.
pub(super) fn sizes(file: &Arc<Vec<u8>>) -> Result<Arc<[PageSize]>> {
    guarded(|| {
        let size = |(width, height): (f32, f32)| PageSize { width, height };
        let sizes = |pdf: Pdf| -> Arc<[PageSize]> {
            pdf.pages().iter().map(|page| size(page.render_dimensions())).collect()
        };
        read(file).map(sizes)
    })
}

/// Draws the page at `index` at most `width_px` pixels wide, as a picture of at most [`MAX_PREVIEW_BYTES`].
pub(super) fn page(file: &Arc<Vec<u8>>, index: usize, width_px: u32) -> Result<Vec<u8>> {
    // Read again for each page, so that nothing but the file stays in memory.
    let pdf = guarded(|| read(file))?;
    let mut last = 0;
    for halved in 0..=SMALLER {
        let picture = guarded(|| draw(&pdf, index, width_px >> halved))?;
        if picture.len() <= MAX_PREVIEW_BYTES {
            return Ok(picture);
        }
        last = picture.len();
    }
    Err(Error::bug(format!("the picture of a page has {last} bytes")))
}

/// Runs `work`. A bug in the library must cost the picture, not the document with it.
fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| Error::bug("drawing a page panicked"))?
}

fn read(file: &Arc<Vec<u8>>) -> Result<Pdf> {
    Pdf::new(file.clone()).map_err(|_| Error::bug("a PDF of ours cannot be read"))
}

fn draw(pdf: &Pdf, index: usize, width_px: u32) -> Result<Vec<u8>> {
    let page = pdf.pages().get(index).ok_or_else(|| Error::bug("a PDF lost a page"))?;
    let (width, _) = page.render_dimensions();
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
