//! A first pass over a page that draws nothing: it finds pictures that are too large, and letters that no font has.

use std::collections::BTreeSet;

use hayro::hayro_interpret::font::{Glyph, GlyphId, GlyphRun};
use hayro::hayro_interpret::hayro_cmap::BfString;
use hayro::hayro_interpret::{
    BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, SoftMask,
};
use hayro::kurbo::BezPath;

/// Most pixels of a picture on a page that is decoded: a page of A4 at 600 dpi has 35 million.
pub(crate) const MAX_PICTURE_PIXELS: u64 = 60_000_000;

/// Most letters that are noted.
const MAX_LETTERS: usize = 20;

/// What the page has that cannot be drawn.
#[derive(Default)]
pub(crate) struct Survey {
    /// Width and height of a picture that is too large.
    pub(crate) too_large: Option<(u32, u32)>,
    /// Letters without a glyph in their font, at most [`MAX_LETTERS`].
    pub(crate) missing: BTreeSet<char>,
}

impl<'a> Device<'a> for Survey {
    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {}

    fn push_clip_path(&mut self, _: &ClipPath) {}

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, _: DrawProps<'a>, mode: &DrawMode) {
        if matches!(mode, DrawMode::Invisible) {
            return;
        }
        for glyph in run.glyphs() {
            let Glyph::Outline(outline) = &**glyph else { continue };
            if outline.glyph_id() != GlyphId::NOTDEF || self.missing.len() >= MAX_LETTERS {
                continue;
            }
            let letter = match outline.as_unicode() {
                Some(BfString::Char(letter)) => Some(letter),
                Some(BfString::String(text)) => text.chars().next(),
                None => None,
            };
            self.missing.extend(letter.filter(|it| !it.is_whitespace() && !it.is_control()));
        }
    }

    fn draw_image(&mut self, image: Image<'a, '_>, _: ImageDrawProps<'a>) {
        let (width, height) = (image.width(), image.height());
        if u64::from(width) * u64::from(height) > MAX_PICTURE_PIXELS {
            self.too_large.get_or_insert((width, height));
        }
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}
}
