//! Makes pictures smaller that have more pixels than are seen.

use crate::content::{Matrix, Operations};
use crate::error::{Result, invalid};
use crate::file::Pdf;
use crate::object::{Data, Dict, Object, Stream};
use crate::redact::pixels;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Most operators that are read to find pictures.
const MAX_OPERATIONS: usize = 20_000_000;
/// Deepest nesting of forms.
const MAX_FORMS: usize = 12;
/// A picture that has less than this more than is wanted stays.
const SLACK: f64 = 1.25;
/// Quality of JPEG, 1 to 100.
const QUALITY: u8 = 82;

/// What was done.
#[derive(Default)]
pub(crate) struct Shrunk {
    pub(crate) count: usize,
    /// Pictures with too many pixels that stay, because of their kind.
    pub(crate) kept: usize,
}

/// Finds how large pictures are seen, in points.
struct Sizes<'a> {
    pdf: &'a Pdf,
    sizes: BTreeMap<u32, (f64, f64)>,
    operations: usize,
}

impl Sizes<'_> {
    fn walk(&mut self, content: &[u8], resources: &Dict, start: Matrix, depth: usize) {
        let mut ctm = start;
        let mut saved = Vec::new();
        for operation in Operations::new(content) {
            self.operations += 1;
            if self.operations > MAX_OPERATIONS {
                return;
            }
            match operation.operator {
                b"q" if saved.len() < 10_000 => saved.push(ctm),
                b"Q" => ctm = saved.pop().unwrap_or(ctm),
                b"cm" => {
                    if let Some(matrix) = operation.numbers() {
                        ctm = Matrix(matrix).then(ctm);
                    }
                }
                b"Do" => {
                    let value = operation
                        .name()
                        .and_then(|name| self.pdf.dict(resources, "XObject")?.find(name));
                    let Some(value) = value else { continue };
                    let Some(stream) = self.pdf.resolve(value).as_stream() else { continue };
                    if !self.pdf.value(&stream.dict, "Subtype").is_name("Image") {
                        self.form(stream, resources, ctm, depth);
                        continue;
                    }
                    let Some(number) = value.as_ref() else { continue };
                    let [a, b, c, d, ..] = ctm.0;
                    let size = self.sizes.entry(number).or_default();
                    *size = (size.0.max(a.hypot(b)), size.1.max(c.hypot(d)));
                }
                _ => {}
            }
        }
    }

    fn form(&mut self, stream: &Stream, resources: &Dict, ctm: Matrix, depth: usize) {
        if depth >= MAX_FORMS {
            return;
        }
        let Ok(content) = self.pdf.decode(stream) else { return };
        let matrix = self.pdf.numbers(stream.dict.get("Matrix"));
        let matrix = matrix.try_into().map_or(Matrix::IDENTITY, Matrix);
        let inner = self.pdf.dict(&stream.dict, "Resources").unwrap_or(resources).clone();
        self.walk(&content.bytes, &inner, matrix.then(ctm), depth + 1);
    }
}

/// Makes pictures smaller that have more than so many pixels an inch where they are largest.
///
/// # Errors
///
/// `invalid-argument` - the number is out of range.
pub(crate) fn shrink(pdf: &mut Pdf, per_inch: u32) -> Result<Shrunk> {
    if !(36..=1_200).contains(&per_inch) {
        return invalid(format!("expected 36 to 1200 pixels an inch, got {per_inch}"));
    }
    let mut found = Sizes { pdf, sizes: BTreeMap::new(), operations: 0 };
    for page in &pdf.pages {
        let Some(dict) = pdf.object(*page) else { continue };
        let Ok(content) = pdf.content(*page) else { continue };
        let resources = pdf.dict(dict, "Resources").cloned().unwrap_or_default();
        found.walk(&content, &resources, Matrix::IDENTITY, 0);
        // What annotations show is as large as their rectangle at most.
        for annotation in pdf.annotations(*page) {
            let Some(dict) = pdf.object(annotation) else { continue };
            let Some(look) = pdf.dict(dict, "AP").and_then(|it| pdf.value(it, "N").as_stream())
            else {
                continue;
            };
            let [left, bottom, right, top] = pdf.rect(dict.get("Rect")).unwrap_or_default();
            let inner = pdf.rect(look.dict.get("BBox")).unwrap_or([0.0, 0.0, 1.0, 1.0]);
            let scale =
                |outer: f64, inner: f64| if inner > 0.0 { (outer / inner).max(1.0) } else { 1.0 };
            let scale = scale(right - left, inner[2] - inner[0])
                .max(scale(top - bottom, inner[3] - inner[1]));
            found.form(look, &Dict::new(), Matrix([scale, 0.0, 0.0, scale, 0.0, 0.0]), 0);
        }
    }
    let is_whole = found.operations <= MAX_OPERATIONS;
    let sizes = found.sizes;
    let mut done = Shrunk::default();
    if !is_whole {
        // A place that was not seen may show a picture larger.
        done.kept = sizes.len();
        return Ok(done);
    }
    for (number, (wide, high)) in sizes {
        let Some(Object::Stream(stream)) = pdf.objects.get(&number) else { continue };
        let side =
            |key: &str| pdf.value(&stream.dict, key).as_int().and_then(|it| u32::try_from(it).ok());
        let (Some(width), Some(height)) = (side("Width"), side("Height")) else { continue };
        let wanted = |pixels: u32, points: f64| {
            let most = (points / 72.0 * f64::from(per_inch)).ceil().max(1.0);
            // The range is that of the pixels.
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
            (f64::from(pixels) > most * SLACK).then_some(most as u32)
        };
        let (new_width, new_height) = (wanted(width, wide), wanted(height, high));
        if (new_width.is_none() && new_height.is_none()) || width < 16 || height < 16 {
            continue;
        }
        let new = (new_width.unwrap_or(width), new_height.unwrap_or(height));
        match smaller(pdf, stream, (width, height), new) {
            Some(stream) => {
                pdf.objects.insert(number, stream.into());
                done.count += 1;
            }
            None => done.kept += 1,
        }
    }
    Ok(done)
}

/// Returns a picture with fewer pixels; `None` if its kind is not known, or if it would not get smaller.
fn smaller(pdf: &Pdf, stream: &Stream, old: (u32, u32), new: (u32, u32)) -> Option<Stream> {
    let is_jpeg = pdf
        .filters(&stream.dict)
        .last()
        .is_some_and(|it| matches!(it.0.as_slice(), b"DCTDecode" | b"DCT"));
    let (samples, colors) = pixels(pdf, stream)?;
    let (width, height) = (old.0 as usize, old.1 as usize);
    let samples = average(&samples, colors, (width, height), (new.0 as usize, new.1 as usize));
    let mut dict = stream.dict.clone();
    dict.set("Width", i64::from(new.0));
    dict.set("Height", i64::from(new.1));
    dict.remove("Metadata");
    let made = if is_jpeg {
        let mut data = Vec::new();
        let kind =
            if colors == 1 { image::ExtendedColorType::L8 } else { image::ExtendedColorType::Rgb8 };
        image::codecs::jpeg::JpegEncoder::new_with_quality(&mut data, QUALITY)
            .encode(&samples, new.0, new.1, kind)
            .ok()?;
        dict.remove("DecodeParms");
        dict.set("Filter", Object::name("DCTDecode"));
        Stream { dict, data: Data::Owned(Rc::new(data)) }
    } else {
        Stream::deflated(dict, &samples)
    };
    (crate::load::raw(&made).len() < crate::load::raw(stream).len()).then_some(made)
}

/// Averages the pixels under each new one.
fn average(samples: &[u8], colors: usize, old: (usize, usize), new: (usize, usize)) -> Vec<u8> {
    let mut out = Vec::with_capacity(new.0 * new.1 * colors);
    let span = |at: usize, new: usize, old: usize| {
        let from = at * old / new;
        (from, ((at + 1) * old / new).max(from + 1))
    };
    for y in 0..new.1 {
        let (top, bottom) = span(y, new.1, old.1);
        for x in 0..new.0 {
            let (left, right) = span(x, new.0, old.0);
            let count = (bottom - top) * (right - left);
            for color in 0..colors {
                let sum: usize = (top..bottom)
                    .flat_map(|row| {
                        (left..right).map(move |column| (row * old.0 + column) * colors + color)
                    })
                    .map(|it| usize::from(samples[it]))
                    .sum();
                out.push(u8::try_from((sum + count / 2) / count).unwrap_or(255));
            }
        }
    }
    out
}
