//! Draws a scene as a PNG picture. Text uses the bundled fonts, so that the picture is the same everywhere.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::sync::OnceLock;

use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint as Ink, PathBuilder, Pixmap, PremultipliedColorU8,
    Rect, Stroke, StrokeDash, Transform,
};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

use super::layout::layout;
use super::measure::Font;
use super::scene::{Anchor, Paint, PathSegment, Scene, Shape, Text};
use crate::model::chart::description::{ChartDescription, ChartPng};
use mitt_base::{Error, ErrorKind, Result};

/// Most pixels of a picture: four bytes each while it is drawn.
const MAX_PIXELS: u64 = 16_000_000;

/// Allowed scales of a picture.
const SCALES: std::ops::RangeInclusive<f64> = 0.25..=8.0;

/// Most characters without a glyph in a warning.
const MAX_LISTED: usize = 10;

/// Draws a chart as a PNG picture.
pub(super) fn chart_png(chart: &ChartDescription, scale: f64) -> Result<ChartPng> {
    let scene = layout(chart)?;
    if !SCALES.contains(&scale) {
        return Err(Error::new(
            ErrorKind::Arguments,
            format!("scale: expected {} to {}, got {scale}", SCALES.start(), SCALES.end()),
        ));
    }
    let (width, height) = ((scene.width * scale).round(), (scene.height * scale).round());
    let (width, height) = (width.max(1.0) as u32, height.max(1.0) as u32);
    let pixels = u64::from(width) * u64::from(height);
    if pixels > MAX_PIXELS {
        let message =
            format!("picture: expected at most {MAX_PIXELS} pixels, got {width} x {height}");
        return Err(Error::new(ErrorKind::Arguments, message).hint("give a smaller scale or size"));
    }
    let faces = Faces::get()?;
    let mut pixmap =
        Pixmap::new(width, height).ok_or_else(|| Error::bug("a picture without pixels"))?;
    pixmap.fill(Color::WHITE);
    let mut missing = BTreeSet::new();
    let mut canvas =
        Canvas { pixmap: &mut pixmap, scale: scale as f32, faces, missing: &mut missing };
    scene.shapes.iter().for_each(|shape| canvas.shape(shape));
    let bytes = encode(&pixmap)?;
    let Scene { alternative, mut warnings, .. } = scene;
    if !missing.is_empty() {
        let listed: Vec<String> = missing
            .iter()
            .take(MAX_LISTED)
            .map(|c| format!("{c} (U+{:04X})", u32::from(*c)))
            .collect();
        let more = missing.len().saturating_sub(MAX_LISTED);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        warnings.push(format!("boxes for what no font has: {}{more}", listed.join(", ")));
    }
    Ok(ChartPng { bytes, width, height, alternative, warnings })
}

/// Encodes three bytes for each pixel, without transparency.
fn encode(pixmap: &Pixmap) -> Result<Vec<u8>> {
    let pixels = pixmap
        .pixels()
        .iter()
        .map(|pixel: &PremultipliedColorU8| [pixel.red(), pixel.green(), pixel.blue()]);
    let data: Vec<u8> = pixels.flatten().collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixmap.width(), pixmap.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(&data)?;
        writer.finish()
    });
    written.map_err(|error| Error::bug(format!("a picture cannot be written: {error}")))?;
    Ok(bytes)
}

/// Noto Sans and Noto Sans SC, regular and bold.
struct Faces {
    /// Pairs of a Latin and a Chinese face: regular, bold.
    pairs: [[Face<'static>; 2]; 2],
}

impl Faces {
    /// Returns the faces, unpacked once per process on first use: 8 MB become 16 MB.
    fn get() -> Result<&'static Faces> {
        static DATA: OnceLock<Option<[Vec<u8>; 4]>> = OnceLock::new();
        static FACES: OnceLock<Option<Faces>> = OnceLock::new();
        let data = DATA.get_or_init(unpack).as_ref();
        let faces = FACES.get_or_init(|| {
            let face = |index: usize| Face::parse(data?.get(index)?, 0).ok();
            Some(Faces { pairs: [[face(0)?, face(2)?], [face(1)?, face(3)?]] })
        });
        faces.as_ref().ok_or_else(|| Error::bug("the bundled fonts are damaged"))
    }

    /// Returns the face that has a character, and its glyph there.
    fn glyph(&self, c: char, is_bold: bool) -> Option<(&Face<'static>, GlyphId)> {
        let pair = &self.pairs[usize::from(is_bold)];
        pair.iter().find_map(|face| Some((face, face.glyph_index(c)?)))
    }
}

fn unpack() -> Option<[Vec<u8>; 4]> {
    let unpack_one = |index: usize| {
        let mut data = Vec::new();
        let packed = mitt_fonts::NOTO.get(index)?;
        ruzstd::decoding::StreamingDecoder::new(*packed).ok()?.read_to_end(&mut data).ok()?;
        Some(data)
    };
    // The two Chinese ones take nearly all of the time.
    std::thread::scope(|scope| {
        let other = scope.spawn(|| unpack_one(5));
        let (a, b, c) = (unpack_one(0)?, unpack_one(1)?, unpack_one(4)?);
        Some([a, b, c, other.join().ok()??])
    })
}

/// Returns the width of a character in thousandths of an em.
#[cfg(test)]
pub(super) fn advance(c: char, is_bold: bool) -> Option<u16> {
    let (face, glyph) = Faces::get().ok()?.glyph(c, is_bold)?;
    face.glyph_hor_advance(glyph)
}

struct Canvas<'a> {
    pixmap: &'a mut Pixmap,
    scale: f32,
    faces: &'static Faces,
    missing: &'a mut BTreeSet<char>,
}

impl Canvas<'_> {
    fn shape(&mut self, shape: &Shape) {
        let whole = Transform::from_scale(self.scale, self.scale);
        match shape {
            Shape::Rectangle { x, y, width, height, fill } => {
                let rectangle =
                    Rect::from_xywh(*x as f32, *y as f32, *width as f32, *height as f32);
                if let Some(rectangle) = rectangle {
                    self.pixmap.fill_rect(rectangle, &ink(fill, 1.0), whole, None);
                }
            }
            Shape::Path { segments, paint } => self.path(segments, paint, whole),
            Shape::Text(text) => self.text(text, whole),
        }
    }

    fn path(&mut self, segments: &[PathSegment], paint: &Paint, whole: Transform) {
        let mut path = PathBuilder::new();
        for segment in segments {
            match *segment {
                PathSegment::Move(x, y) => path.move_to(x as f32, y as f32),
                PathSegment::Line(x, y) => path.line_to(x as f32, y as f32),
                PathSegment::Curve(at) => {
                    let [a, b, c, d, x, y] = at.map(|at| at as f32);
                    path.cubic_to(a, b, c, d, x, y);
                }
                PathSegment::Close => path.close(),
            }
        }
        let Some(path) = path.finish() else { return };
        if let Some(color) = paint.fill {
            let ink = ink(color, paint.fill_opacity as f32);
            self.pixmap.fill_path(&path, &ink, FillRule::Winding, whole, None);
        }
        if let Some((color, width)) = paint.stroke {
            let dashes = paint.dashes.iter().map(|dash| (dash * width) as f32).collect();
            let stroke = Stroke {
                width: width as f32,
                line_cap: LineCap::Butt,
                line_join: LineJoin::Round,
                dash: StrokeDash::new(dashes, 0.0),
                ..Stroke::default()
            };
            self.pixmap.stroke_path(&path, &ink(color, 1.0), &stroke, whole, None);
        }
    }

    fn text(&mut self, text: &Text, whole: Transform) {
        let width = self.width(&text.text, text.font);
        let start = match text.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -width / 2.0,
            Anchor::End => -width,
        };
        let mut outline = Outline { path: PathBuilder::new(), x: start, size: 1.0 };
        for c in text.text.chars() {
            match self.faces.glyph(c, text.font.is_bold) {
                Some((face, glyph)) => {
                    outline.size = text.font.size as f32 / f32::from(face.units_per_em());
                    face.outline_glyph(glyph, &mut outline);
                    outline.x +=
                        f32::from(face.glyph_hor_advance(glyph).unwrap_or(0)) * outline.size;
                }
                None if is_invisible(c) => {}
                None => {
                    self.missing.insert(c);
                    outline.boxed(text.font.size as f32);
                }
            }
        }
        let Some(path) = outline.path.finish() else { return };
        let place = whole
            .pre_translate(text.x as f32, text.y as f32)
            .pre_concat(Transform::from_rotate(text.turn as f32));
        self.pixmap.fill_path(&path, &ink(text.color, 1.0), FillRule::Winding, place, None);
    }

    fn width(&self, text: &str, font: Font) -> f32 {
        let width = |c: char| match self.faces.glyph(c, font.is_bold) {
            Some((face, glyph)) => {
                f32::from(face.glyph_hor_advance(glyph).unwrap_or(0))
                    / f32::from(face.units_per_em())
            }
            None if is_invisible(c) => 0.0,
            None => 1.0,
        };
        text.chars().map(width).sum::<f32>() * font.size as f32
    }
}

/// Returns `true` for characters that need no glyph.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}')
}

fn ink(color: &str, opacity: f32) -> Ink<'static> {
    let part = |at: usize| {
        color.get(at..at + 2).and_then(|hex| u8::from_str_radix(hex, 16).ok()).unwrap_or(0)
    };
    let mut ink = Ink::default();
    let alpha = (opacity.clamp(0.0, 1.0) * 255.0).round() as u8;
    ink.set_color_rgba8(part(1), part(3), part(5), alpha);
    ink.anti_alias = true;
    ink
}

/// Glyphs of a line of text, with the baseline at zero.
struct Outline {
    path: PathBuilder,
    x: f32,
    size: f32,
}

impl Outline {
    /// Adds a box in place of a character that no font has.
    fn boxed(&mut self, size: f32) {
        let (left, right, top) = (self.x + size * 0.12, self.x + size * 0.88, -size * 0.72);
        let thick = size * 0.07;
        for (inset, is_outer) in [(0.0, true), (thick, false)] {
            let (l, r, t, b) = (left + inset, right - inset, top + inset, -inset);
            self.path.move_to(l, b);
            // The inner edge runs in the opposite direction, so that it is a hole.
            let corners =
                if is_outer { [(r, b), (r, t), (l, t)] } else { [(l, t), (r, t), (r, b)] };
            corners.into_iter().for_each(|(x, y)| self.path.line_to(x, y));
            self.path.close();
        }
        self.x += size;
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.path.move_to(self.x + x * self.size, -y * self.size);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.path.line_to(self.x + x * self.size, -y * self.size);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let (at, size) = (self.x, self.size);
        self.path.quad_to(at + x1 * size, -y1 * size, at + x * size, -y * size);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let (at, size) = (self.x, self.size);
        self.path.cubic_to(
            at + x1 * size,
            -y1 * size,
            at + x2 * size,
            -y2 * size,
            at + x * size,
            -y * size,
        );
    }

    fn close(&mut self) {
        self.path.close();
    }
}
