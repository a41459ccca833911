//! Draws pages of PDF that have only pictures, as scanners make them. The pictures are made smaller while they are drawn.
//! The ordinary drawing needs several copies of all their pixels, which do not fit in memory at 600 dpi.

use hayro::hayro_interpret::hayro_syntax::object::Stream;
use hayro::hayro_interpret::hayro_syntax::page::Page;
use hayro::hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageData, ImageDrawProps,
    InterpreterCache, InterpreterSettings, LumaData, Paint, SoftMask, TransformExt as _,
    font::GlyphRun, interpret_page,
};
use hayro::kurbo::{Affine, BezPath, Rect, Shape as _};
use image::GrayImage;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use crate::{is_too_large, light, too_large};
use mitt_reader_kit::Error;

/// The weight of a whole pixel in one direction.
const WHOLE: u32 = 256;

/// The largest width of a picture's pixel, in pixels of the page. A picture with larger pixels is drawn in the ordinary way.
const LARGEST: f64 = 1.01;

/// Draws the page with `scale` pixels per point. Returns `None` unless the page has only pictures, which do not overlap and
/// have more pixels than the page.
///
/// # Errors
///
/// `quota` - a picture on the page has too many pixels.
pub(crate) fn draw(page: &Page<'_>, scale: f64) -> Result<Option<GrayImage>, Error> {
    let (width, height) = page.render_dimensions();
    let (width, height) = ((f64::from(width) * scale) as u32, (f64::from(height) * scale) as u32);
    // The first pass only counts, so that no picture is decoded for a page with other content.
    let mut looked = Scan::new(width, height, false);
    looked.interpret(page, scale);
    if let Some(size) = looked.too_large {
        return Err(too_large(size));
    }
    if looked.is_more || looked.pictures == 0 {
        return Ok(None);
    }
    let mut scan = Scan::new(width, height, true);
    scan.interpret(page, scale);
    Ok(scan.finish())
}

/// The picture of a page that is being drawn.
struct Scan {
    width: u32,
    height: u32,
    /// `true` to decode pictures, `false` to count them.
    draws: bool,
    pictures: usize,
    /// `true` if the page has content that is not drawn here.
    is_more: bool,
    /// The size of a picture with too many pixels.
    too_large: Option<(u32, u32)>,
    /// For each pixel of the page, the weighted sum of lightness, and the sum of the weights.
    lights: Vec<u32>,
    weights: Vec<u32>,
}

impl Scan {
    fn new(width: u32, height: u32, draws: bool) -> Scan {
        let count = if draws { width as usize * height as usize } else { 0 };
        Scan {
            width,
            height,
            draws,
            pictures: 0,
            is_more: false,
            too_large: None,
            lights: vec![0; count],
            weights: vec![0; count],
        }
    }

    fn interpret<'a>(&mut self, page: &Page<'a>, scale: f64) {
        let transform = Affine::scale(scale) * page.initial_transform(true).to_kurbo();
        let target = Rect::new(0.0, 0.0, f64::from(self.width), f64::from(self.height));
        let cache = InterpreterCache::new();
        let settings = InterpreterSettings::default();
        let mut context = Context::new(transform, target, &cache, page.xref(), settings);
        interpret_page(page, &mut context, self);
    }

    /// Returns the picture on white paper; `None` if pictures overlap.
    fn finish(self) -> Option<GrayImage> {
        let whole = WHOLE * WHOLE;
        if self.is_more || self.weights.iter().any(|weight| *weight > whole + whole / 8) {
            return None;
        }
        let on_paper = |(light, weight): (&u32, &u32)| {
            let paper = 255 * whole.saturating_sub(*weight);
            ((light + paper) / whole.max(*weight)).min(255) as u8
        };
        let pixels = self.lights.iter().zip(&self.weights).map(on_paper).collect();
        GrayImage::from_raw(self.width, self.height, pixels)
    }

    /// Draws a picture on the page. Decodes its pixels only if it can be drawn.
    fn picture(&mut self, transform: Affine, pixels: impl FnOnce() -> Option<Grey>) {
        let [a, b, c, d, _, _] = transform.as_coeffs();
        let is_straight =
            |this: f64, other: f64| this.abs() > 0.0 && other.abs() < this.abs() / 1e4;
        let lies_straight = is_straight(a, b) && is_straight(d, c);
        let lies_turned = is_straight(b, a) && is_straight(c, d);
        let is_large = f64::hypot(a, b) <= LARGEST && f64::hypot(c, d) <= LARGEST;
        self.pictures += 1;
        self.is_more |= !(lies_straight || lies_turned) || !is_large;
        if self.is_more || !self.draws {
            return;
        }
        match pixels() {
            Some(grey) => self.lay(&grey, transform, lies_turned),
            None => self.is_more = true,
        }
    }

    fn lay(&mut self, grey: &Grey, transform: Affine, is_turned: bool) {
        let [a, b, c, d, e, f] = transform.as_coeffs();
        let (x, y) = grey.factors;
        let (columns, rows) = if !is_turned {
            ((a * x, e, self.width), (d * y, f, self.height))
        } else {
            ((b * x, f, self.height), (c * y, e, self.width))
        };
        let columns = spans(grey.width, columns);
        let rows = spans(grey.height, rows);
        let step = self.width as usize;
        let (along, across) = if is_turned { (step, 1) } else { (1, step) };
        let lines = grey.pixels.chunks_exact(grey.width.max(1) as usize);
        for (line, row) in lines.zip(&rows) {
            for (at_row, by_row) in row.iter().filter(|(_, weight)| *weight > 0) {
                let start = *at_row as usize * across;
                for (light, column) in line.iter().zip(&columns) {
                    for (at, weight) in column {
                        let weight = weight * by_row;
                        let at = start + *at as usize * along;
                        if let (Some(sum), Some(sum_of_weights)) =
                            (self.lights.get_mut(at), self.weights.get_mut(at))
                        {
                            *sum = sum.saturating_add(u32::from(*light) * weight);
                            *sum_of_weights = sum_of_weights.saturating_add(weight);
                        }
                    }
                }
            }
        }
    }
}

/// Returns for each of `count` pixels the two pixels of the page that it covers, each with its weight. A pixel outside the
/// page has no weight.
fn spans(count: u32, (scale, shift, limit): (f64, f64, u32)) -> Vec<[(u32, u32); 2]> {
    let part = |first: f64, weight: f64| {
        if first >= 0.0 && first < f64::from(limit) {
            (first as u32, (weight.clamp(0.0, 1.0) * f64::from(WHOLE)).round() as u32)
        } else {
            (0, 0)
        }
    };
    let span = |index: u32| {
        let ends = [index, index + 1].map(|it| scale * f64::from(it) + shift);
        let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        let first = low.floor();
        let cut = (first + 1.0).min(high);
        [part(first, cut - low), part(first + 1.0, high - cut)]
    };
    (0..count).map(span).collect()
}

impl<'a> Device<'a> for Scan {
    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {
        self.is_more = true;
    }

    fn push_clip_path(&mut self, clip: &ClipPath) {
        self.push_clip_rect(&clip.path.bounding_box());
    }

    /// Accepts a clip only if it keeps the whole page.
    fn push_clip_rect(&mut self, rect: &Rect) {
        let page = Rect::new(0.0, 0.0, f64::from(self.width), f64::from(self.height));
        let is_all = rect.inflate(2.0, 2.0).intersect(page).area() >= page.area() * 0.999;
        self.is_more |= !is_all;
    }

    fn push_transparency_group(
        &mut self,
        opacity: f32,
        mask: Option<SoftMask<'a>>,
        blend: BlendMode,
    ) {
        self.is_more |= opacity < 1.0 || mask.is_some() || blend != BlendMode::Normal;
    }

    /// Accepts invisible text: scanners add the text that they recognised.
    fn draw_glyph_run(&mut self, _: &GlyphRun<'_, 'a>, _: DrawProps<'a>, mode: &DrawMode) {
        self.is_more |= !matches!(mode, DrawMode::Invisible);
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        let size = (image.width(), image.height());
        // The ordinary drawing would decode the whole picture, too.
        if is_too_large(size) {
            self.too_large = Some(size);
            self.is_more = true;
            return;
        }
        if props.soft_mask.is_some() || props.blend_mode != BlendMode::Normal {
            self.is_more = true;
            return;
        }
        match image {
            Image::Raster(raster) => self.picture(props.transform, || {
                if let Some(grey) = jpeg(raster.stream(), size) {
                    return Some(grey);
                }
                let mut found = None;
                let take = |data, alpha| found = Grey::of(data, alpha);
                raster.with_rgba(take, Some(size));
                found
            }),
            Image::Stencil(stencil) => self.picture(props.transform, || {
                let mut found = None;
                stencil
                    .with_stencil(|data, paint| found = Grey::of_stencil(data, paint), Some(size));
                found
            }),
        }
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}
}

/// The grey pixels of a picture.
struct Grey {
    pixels: Vec<u8>,
    width: u32,
    height: u32,
    /// The size of each of these pixels, in pixels of the picture in the document.
    factors: (f64, f64),
}

impl Grey {
    fn of(data: ImageData, alpha: Option<LumaData>) -> Option<Grey> {
        let (width, height, factors) = (data.width(), data.height(), data.scale_factors());
        let mut pixels = match data {
            ImageData::Luma(data) => data.data,
            ImageData::Rgb(data) => {
                let pixels = data.data.as_chunks::<3>().0.iter();
                pixels.map(|[red, green, blue]| light(*red, *green, *blue)).collect()
            }
        };
        if let Some(alpha) = alpha {
            // A mask of another size is not supported here.
            if (alpha.width, alpha.height) != (width, height) {
                return None;
            }
            for (pixel, alpha) in pixels.iter_mut().zip(&alpha.data) {
                *pixel = over(*pixel, *alpha, 255);
            }
        }
        let factors = (f64::from(factors.0), f64::from(factors.1));
        Some(Grey { pixels, width, height, factors })
    }

    /// Returns a mask that is painted in a colour on white paper.
    fn of_stencil(data: LumaData, paint: &Paint<'_>) -> Option<Grey> {
        let Paint::Color(color) = paint else { return None };
        let [red, green, blue, opacity] = color.to_rgba().to_rgba8();
        if opacity < 255 {
            return None;
        }
        let ink = light(red, green, blue);
        let LumaData { mut data, width, height, scale_factors, .. } = data;
        data.iter_mut().for_each(|alpha| *alpha = over(ink, *alpha, 255));
        let factors = (f64::from(scale_factors.0), f64::from(scale_factors.1));
        Some(Grey { pixels: data, width, height, factors })
    }
}

/// Returns the lightness of a pixel with this opacity over another one.
fn over(light: u8, alpha: u8, below: u8) -> u8 {
    let [light, alpha, below] = [light, alpha, below].map(u32::from);
    ((light * alpha + below * (255 - alpha) + 127) / 255) as u8
}

/// Decodes only the lightness of a JPEG. `None` if the picture has more parts, such as a mask.
fn jpeg(stream: &Stream<'_>, size: (u32, u32)) -> Option<Grey> {
    let dict = stream.dict();
    let is_plain = ["Decode", "D", "SMask", "Mask", "DecodeParms", "DP", "SMaskInData"]
        .iter()
        .all(|key| !dict.contains_key(key.as_bytes()));
    let data = stream.raw_data();
    if stream.filters().len() != 1 || !data.starts_with(&[0xff, 0xd8, 0xff]) || !is_plain {
        return None;
    }
    let options = DecoderOptions::default().jpeg_set_out_colorspace(ColorSpace::Luma);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(&*data), options);
    decoder.decode_headers().ok()?;
    if !matches!(decoder.input_colorspace()?, ColorSpace::YCbCr | ColorSpace::Luma) {
        return None;
    }
    let (width, height) = decoder.dimensions()?;
    if (width as u32, height as u32) != size {
        return None;
    }
    let pixels = decoder.decode().ok()?;
    (pixels.len() == width * height).then_some(Grey {
        pixels,
        width: size.0,
        height: size.1,
        factors: (1.0, 1.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_are_laid_by_the_part_that_they_cover() {
        // Two pixels cover one, from left to right and then from right to left.
        assert_eq!(
            spans(4, (0.5, 0.0, 2)),
            [[(0, 128), (1, 0)], [(0, 128), (1, 0)], [(1, 128), (0, 0)], [(1, 128), (0, 0)]]
        );
        let turned = spans(4, (-0.5, 2.0, 2));
        assert_eq!(turned.iter().map(|it| it[0].0).collect::<Vec<_>>(), [1, 1, 0, 0]);
        // Three pixels cover two: the middle one covers both.
        let three = spans(3, (2.0 / 3.0, 0.0, 2));
        assert_eq!(three[1], [(0, 85), (1, 85)]);
        // Pixels outside the page have no weight.
        assert!(spans(2, (1.0, 5.0, 2)).iter().all(|it| it.iter().all(|part| part.1 == 0)));
        assert!(spans(2, (1.0, f64::NAN, 2)).iter().all(|it| it.iter().all(|part| part.1 == 0)));
    }

    #[test]
    fn a_picture_is_as_light_as_its_parts() {
        for is_turned in [false, true] {
            let mut scan = Scan::new(2, 2, true);
            let pixels = vec![0, 0, 255, 255, 0, 0, 255, 255, 0, 100, 0, 0, 100, 0, 0, 0];
            let grey = Grey { pixels, width: 4, height: 4, factors: (1.0, 1.0) };
            let transform = if !is_turned {
                Affine::scale(0.5)
            } else {
                Affine::new([0.0, 0.5, 0.5, 0.0, 0.0, 0.0])
            };
            scan.lay(&grey, transform, is_turned);
            let lights = scan.finish().unwrap().into_raw();
            let expected = if is_turned { [0, 50, 255, 0] } else { [0, 255, 50, 0] };
            assert_eq!(lights, expected);
        }
        // Half of the page stays white.
        let mut scan = Scan::new(2, 1, true);
        let grey = Grey { pixels: vec![0; 4], width: 4, height: 1, factors: (1.0, 1.0) };
        scan.lay(&grey, Affine::scale_non_uniform(0.25, 1.0), false);
        assert_eq!(scan.finish().unwrap().into_raw(), [0, 255]);
        // Pictures that overlap are not mixed.
        let mut scan = Scan::new(1, 1, true);
        let grey = Grey { pixels: vec![0], width: 1, height: 1, factors: (1.0, 1.0) };
        scan.lay(&grey, Affine::IDENTITY, false);
        scan.lay(&grey, Affine::IDENTITY, false);
        assert!(scan.finish().is_none());
    }
}
