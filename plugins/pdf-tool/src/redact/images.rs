//! Blanks parts of pictures.

use crate::content::Operation;
use crate::file::Pdf;
use crate::object::{Data, Dict, Object, Stream};
use std::rc::Rc;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Most samples of a picture that is decoded.
const MAX_SAMPLES: usize = 64 << 20;

/// Blanks areas of a picture. Areas are in its unit square, its origin at the lower left. Returns the new picture; `None`
/// if it cannot be decoded here.
pub(crate) fn blank(pdf: &Pdf, stream: &Stream, areas: &[[f64; 4]]) -> Option<Stream> {
    let int = |dict: &Dict, long: &str, short: &str| {
        let value = if dict.has(long) { pdf.value(dict, long) } else { pdf.value(dict, short) };
        value
            .as_int()
            .and_then(|it| usize::try_from(it).ok())
            .filter(|it| (1..=1 << 20).contains(it))
    };
    let dict = &stream.dict;
    let (width, height) = (int(dict, "Width", "W")?, int(dict, "Height", "H")?);
    let decoded = pdf.decode(stream).ok()?;
    let mut new = dict.clone();
    let (mut samples, bits) = match decoded.picture.as_deref() {
        None => {
            let is_mask = pdf.value(dict, "ImageMask") == &Object::Bool(true)
                || pdf.value(dict, "IM") == &Object::Bool(true);
            let depth = if is_mask { 1 } else { int(dict, "BitsPerComponent", "BPC")? };
            let colors = if is_mask { 1 } else { components(pdf, dict)? };
            (decoded.bytes, depth.checked_mul(colors)?)
        }
        Some(b"DCTDecode" | b"DCT") => {
            let (samples, colors) = jpeg(&decoded.bytes, width, height)?;
            if components(pdf, dict) != Some(colors) {
                new.set(
                    "ColorSpace",
                    Object::name(if colors == 1 { "DeviceGray" } else { "DeviceRGB" }),
                );
            }
            new.set("BitsPerComponent", 8_i64);
            (samples, 8 * colors)
        }
        Some(_) => return None,
    };
    let row = width.checked_mul(bits)?.div_ceil(8);
    if row.checked_mul(height)? > MAX_SAMPLES {
        return None;
    }
    samples.resize(row * height, 0);
    for area in areas {
        let [left, bottom, right, top] = area.map(|it| it.clamp(0.0, 1.0));
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "in range"
        )]
        let span = |from: f64, to: f64, count: usize| {
            (
                (from * count as f64).floor() as usize,
                ((to * count as f64).ceil() as usize).min(count),
            )
        };
        let (x0, x1) = span(left, right, width);
        let (y0, y1) = span(1.0 - top, 1.0 - bottom, height);
        for y in y0..y1 {
            let line = &mut samples[y * row..(y + 1) * row];
            if bits % 8 == 0 {
                line[x0 * bits / 8..x1 * bits / 8].fill(0);
                continue;
            }
            for bit in x0 * bits..x1 * bits {
                line[bit / 8] &= !(0x80 >> (bit % 8));
            }
        }
    }
    // A mask of the picture may show its outlines; its area is blanked too, or it is removed.
    for key in ["SMask", "Mask"] {
        let Some(mask) = pdf.value(dict, key).as_stream() else { continue };
        match blank(pdf, mask, areas) {
            // It is an object of its own where it is put into the document.
            Some(mask) => new.set(key, Object::from(mask)),
            None => {
                new.remove(key);
            }
        }
    }
    new.remove("Metadata");
    new.remove("Alternates");
    for key in ["F", "DP", "L"] {
        new.remove(key);
    }
    Some(Stream::deflated(new, &samples))
}

/// Returns the samples of a picture of 8 bits with one or three components, and their number; `None` if it is of another kind.
pub(crate) fn pixels(pdf: &Pdf, stream: &Stream) -> Option<(Vec<u8>, usize)> {
    let dict = &stream.dict;
    let side = |key: &str| {
        let side = pdf.value(dict, key).as_int().and_then(|it| usize::try_from(it).ok());
        side.filter(|it| (1..=1 << 15).contains(it))
    };
    let (width, height) = (side("Width")?, side("Height")?);
    let is_plain = pdf.value(dict, "BitsPerComponent").as_int() == Some(8)
        && pdf.value(dict, "ImageMask") != &Object::Bool(true)
        && pdf.value(dict, "Mask").as_array().is_none_or(<[Object]>::is_empty);
    // Numbers of an own table of colors cannot be averaged.
    let is_table = pdf
        .value(dict, "ColorSpace")
        .as_array()
        .and_then(|it| it.first())
        .is_some_and(|it| pdf.resolve(it).is_name("Indexed"));
    let colors = components(pdf, dict).filter(|it| matches!(it, 1 | 3))?;
    if !is_plain || is_table || (width * height).checked_mul(colors)? > MAX_SAMPLES {
        return None;
    }
    let decoded = pdf.decode(stream).ok()?;
    match decoded.picture.as_deref() {
        None => (!decoded.is_damaged && decoded.bytes.len() >= width * height * colors)
            .then_some((decoded.bytes, colors)),
        Some(b"DCTDecode" | b"DCT") => {
            jpeg(&decoded.bytes, width, height).filter(|it| it.1 == colors)
        }
        Some(_) => None,
    }
}

/// Returns the number of components of a picture's color space.
fn components(pdf: &Pdf, dict: &Dict) -> Option<usize> {
    let space =
        if dict.has("ColorSpace") { pdf.value(dict, "ColorSpace") } else { pdf.value(dict, "CS") };
    match space {
        Object::Name(name) => named(name),
        Object::Array(parts) => match pdf.resolve(parts.first()?).as_name()? {
            b"ICCBased" => {
                let profile = pdf.resolve(parts.get(1)?).as_dict()?;
                usize::try_from(pdf.value(profile, "N").as_int()?)
                    .ok()
                    .filter(|it| (1..=4).contains(it))
            }
            b"CalRGB" | b"Lab" => Some(3),
            b"CalGray" | b"Indexed" | b"I" | b"Separation" => Some(1),
            b"DeviceN" => Some(pdf.resolve(parts.get(1)?).as_array()?.len())
                .filter(|it| (1..=32).contains(it)),
            name => named(name),
        },
        _ => None,
    }
}

fn named(name: &[u8]) -> Option<usize> {
    match name {
        b"DeviceGray" | b"G" | b"CalGray" => Some(1),
        b"DeviceRGB" | b"RGB" | b"CalRGB" => Some(3),
        b"DeviceCMYK" | b"CMYK" => Some(4),
        _ => None,
    }
}

/// Decodes a JPEG of one or three components. Those of four are stored in several ways, so they are not decoded.
fn jpeg(data: &[u8], width: usize, height: usize) -> Option<(Vec<u8>, usize)> {
    let most = 1 << 15;
    let options = DecoderOptions::new_safe().set_max_width(most).set_max_height(most);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(data), options);
    decoder.decode_headers().ok()?;
    let info = decoder.info()?;
    if usize::from(info.width) != width
        || usize::from(info.height) != height
        || width * height * 3 > MAX_SAMPLES
    {
        return None;
    }
    let (space, colors) = match info.components {
        1 => (ColorSpace::Luma, 1),
        3 => (ColorSpace::RGB, 3),
        _ => return None,
    };
    decoder.set_options(options.jpeg_set_out_colorspace(space));
    let samples = decoder.decode().ok()?;
    (samples.len() == width * height * colors).then_some((samples, colors))
}

/// Returns a picture that stands in content, with the names that other pictures have.
pub(super) fn inline(
    pdf: &Pdf,
    resources: &Dict,
    content: &[u8],
    operation: &Operation<'_>,
) -> Stream {
    const NAMES: [(&str, &str); 10] = [
        ("W", "Width"),
        ("H", "Height"),
        ("BPC", "BitsPerComponent"),
        ("CS", "ColorSpace"),
        ("F", "Filter"),
        ("DP", "DecodeParms"),
        ("IM", "ImageMask"),
        ("D", "Decode"),
        ("I", "Interpolate"),
        ("L", "Length"),
    ];
    let mut dict = Dict::new();
    for (key, value) in
        operation.operands.first().and_then(Object::as_dict).into_iter().flat_map(Dict::iter)
    {
        let key = String::from_utf8_lossy(key).into_owned();
        let key = NAMES.iter().find(|it| it.0 == key).map_or(key.as_str(), |it| it.1).to_owned();
        dict.set(&key, value.clone());
    }
    let space = match dict.get("ColorSpace").as_name() {
        Some(b"G") => Some(Object::name("DeviceGray")),
        Some(b"RGB") => Some(Object::name("DeviceRGB")),
        Some(b"CMYK") => Some(Object::name("DeviceCMYK")),
        Some(name) => pdf.dict(resources, "ColorSpace").and_then(|it| it.find(name)).cloned(),
        None => None,
    };
    if let Some(space) = space {
        dict.set("ColorSpace", space);
    }
    dict.set("Type", Object::name("XObject"));
    dict.set("Subtype", Object::name("Image"));
    let data = content.get(operation.data.clone()).unwrap_or_default().to_vec();
    Stream { dict, data: Data::Owned(Rc::new(data)) }
}
