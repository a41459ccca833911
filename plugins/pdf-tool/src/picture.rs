//! Pictures and pages of other documents that are put on pages.

use crate::action::Picture;
use crate::content::Matrix;
use crate::error::{Error, Result, invalid, unsupported};
use crate::file::Pdf;
use crate::object::{Data, Dict, Object, Stream};
use crate::page_form::Drawing;
use crate::text::line;
use crate::write::real;
use std::rc::Rc;

/// Most samples of a picture.
const MAX_SAMPLES: usize = 64 << 20;
/// Largest number of pixels of one side.
const MAX_SIDE: usize = 30_000;

/// Size and number of components of a JPEG.
struct Jpeg {
    width: usize,
    height: usize,
    components: usize,
    /// Adobe stores the colors of four components inverted.
    is_adobe: bool,
    /// How the picture is turned, as cameras note it.
    orientation: u16,
}

/// Reads the head of a JPEG. `None` if it is none.
fn jpeg(bytes: &[u8]) -> Option<Jpeg> {
    let mut at = 2;
    let mut is_adobe = false;
    let mut orientation = 1;
    bytes.starts_with(&[0xff, 0xd8]).then_some(())?;
    loop {
        let marker = *bytes.get(at + 1).filter(|_| bytes.get(at) == Some(&0xff))?;
        if marker == 0xff {
            at += 1;
            continue;
        }
        let length = usize::from(u16::from_be_bytes(bytes.get(at + 2..at + 4)?.try_into().ok()?));
        let body = bytes.get(at + 4..at + 2 + length)?;
        match marker {
            0xc0..=0xc3 => {
                let side = |at: usize| {
                    let side = u16::from_be_bytes(body.get(at..at + 2)?.try_into().ok()?);
                    Some(usize::from(side)).filter(|it| (1..=MAX_SIDE).contains(it))
                };
                let (bits, components) = (*body.first()?, usize::from(*body.get(5)?));
                let (height, width) = (side(1)?, side(3)?);
                let is_known = bits == 8 && matches!(components, 1 | 3 | 4);
                return is_known.then_some(Jpeg {
                    width,
                    height,
                    components,
                    is_adobe,
                    orientation,
                });
            }
            // The data begins.
            0xda => return None,
            0xee => is_adobe |= body.starts_with(b"Adobe"),
            0xe1 if body.starts_with(b"Exif\0\0") => {
                orientation = exif_orientation(&body[6..]).unwrap_or(1);
            }
            _ => {}
        }
        at += 2 + length;
    }
}

/// Returns the orientation that a camera noted.
fn exif_orientation(tiff: &[u8]) -> Option<u16> {
    let is_little = tiff.starts_with(b"II");
    let short = |at: usize| {
        let pair: [u8; 2] = tiff.get(at..at.checked_add(2)?)?.try_into().ok()?;
        Some(if is_little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) })
    };
    let long = |at: usize| {
        let quad: [u8; 4] = tiff.get(at..at.checked_add(4)?)?.try_into().ok()?;
        Some(if is_little { u32::from_le_bytes(quad) } else { u32::from_be_bytes(quad) } as usize)
    };
    let start = long(4)?;
    let count = usize::from(short(start)?).min(200);
    let entry = (0..count)
        .map(|it| start.saturating_add(2 + it * 12))
        .find(|it| short(*it) == Some(0x112))?;
    short(entry + 8)
}

fn space(components: usize) -> Object {
    Object::name(match components {
        1 => "DeviceGray",
        4 => "DeviceCMYK",
        _ => "DeviceRGB",
    })
}

fn image(width: usize, height: usize, components: usize) -> Dict {
    let side = |it: usize| i64::try_from(it).unwrap_or(0);
    Dict::new()
        .with("Type", Object::name("XObject"))
        .with("Subtype", Object::name("Image"))
        .with("Width", side(width))
        .with("Height", side(height))
        .with("BitsPerComponent", 8_i64)
        .with("ColorSpace", space(components))
}

/// A PNG, decoded.
struct Png {
    width: usize,
    height: usize,
    colors: usize,
    samples: Vec<u8>,
    /// Opacity, if it has transparent parts.
    alpha: Option<Vec<u8>>,
}

/// Decodes a PNG.
fn png(bytes: &[u8]) -> Result<Png, String> {
    let mut decoder = png::Decoder::new_with_limits(
        std::io::Cursor::new(bytes),
        png::Limits { bytes: MAX_SAMPLES },
    );
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|it| it.to_string())?;
    let size = reader.output_buffer_size().filter(|it| *it <= MAX_SAMPLES);
    let size = size.ok_or_else(|| "it has too many pixels".to_owned())?;
    let mut samples = vec![0; size];
    let info = reader.next_frame(&mut samples).map_err(|it| it.to_string())?;
    samples.truncate(info.buffer_size());
    let (width, height) = (info.width as usize, info.height as usize);
    let all = info.color_type.samples();
    let colors = if all >= 3 { 3 } else { 1 };
    if all == colors {
        return Ok(Png { width, height, colors, samples, alpha: None });
    }
    let mut alpha = Vec::with_capacity(width * height);
    let mut plain = Vec::with_capacity(width * height * colors);
    for pixel in samples.chunks_exact(all) {
        plain.extend_from_slice(&pixel[..colors]);
        alpha.push(pixel[colors]);
    }
    let is_opaque = alpha.iter().all(|it| *it == 255);
    Ok(Png { width, height, colors, samples: plain, alpha: (!is_opaque).then_some(alpha) })
}

impl Pdf {
    /// Adds a picture, or the first page of a document, as an object that pages can draw. Returns warnings.
    pub(crate) fn drawing(
        &mut self,
        name: &str,
        content: Vec<u8>,
    ) -> Result<(Drawing, Matrix, Vec<String>)> {
        let name = line(name, 100);
        let head = &content[..content.len().min(1024)];
        #[expect(clippy::cast_precision_loss, reason = "the sides are bounded")]
        let picture = |number, width: usize, height: usize| Drawing {
            number,
            width: width as f64,
            height: height as f64,
            is_form: false,
        };
        if head.starts_with(b"\x89PNG") {
            let Png { width, height, colors, samples, alpha } = png(&content).map_err(|why| {
                Error::Malformed(format!("`{name}` is not a PNG that can be read: {why}"))
            })?;
            let mut dict = image(width, height, colors);
            if let Some(alpha) = alpha {
                let mask = self.add(Stream::deflated(image(width, height, 1), &alpha));
                dict.set("SMask", Object::Ref(mask));
            }
            let number = self.add(Stream::deflated(dict, &samples));
            return Ok((picture(number, width, height), Matrix::IDENTITY, Vec::new()));
        }
        if head.starts_with(&[0xff, 0xd8]) {
            let Some(it) = jpeg(&content) else {
                return Err(Error::Malformed(format!(
                    "`{name}` is not a JPEG that PDF knows: 8 bits and 1, 3 or 4 colors"
                )));
            };
            let mut dict =
                image(it.width, it.height, it.components).with("Filter", Object::name("DCTDecode"));
            if it.components == 4 && it.is_adobe {
                dict.set("Decode", Object::numbers(&[1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0]));
            }
            let number = self.add(Stream { dict, data: Data::Owned(Rc::new(content)) });
            // Turns within the unit square, as a viewer of photos does.
            let turn = match it.orientation {
                2 => [-1.0, 0.0, 0.0, 1.0, 1.0, 0.0],
                3 => [-1.0, 0.0, 0.0, -1.0, 1.0, 1.0],
                4 => [1.0, 0.0, 0.0, -1.0, 0.0, 1.0],
                5 => [0.0, -1.0, -1.0, 0.0, 1.0, 1.0],
                6 => [0.0, -1.0, 1.0, 0.0, 0.0, 1.0],
                7 => [0.0, 1.0, 1.0, 0.0, 0.0, 0.0],
                8 => [0.0, 1.0, -1.0, 0.0, 1.0, 0.0],
                _ => Matrix::IDENTITY.0,
            };
            let (width, height) = if it.orientation >= 5 && it.orientation <= 8 {
                (it.height, it.width)
            } else {
                (it.width, it.height)
            };
            return Ok((picture(number, width, height), Matrix(turn), Vec::new()));
        }
        if head.windows(5).any(|it| it == b"%PDF-") {
            let mut other = Self::open(content, None)?;
            let page = other.pages[0];
            let mut warnings = Vec::new();
            if !other.annotations(page).is_empty() {
                warnings.push(format!(
                    "Links, comments and form fields of `{name}` are not on the pages: {}.",
                    other.annotations(page).len()
                ));
            }
            if other.pages.len() > 1 {
                warnings.push(format!(
                    "Only the first of {} pages of `{name}` is used.",
                    other.pages.len()
                ));
            }
            let mut form = other.page_form(page)?;
            form.number += self.absorb(other)?;
            return Ok((form, Matrix::IDENTITY, warnings));
        }
        unsupported(format!("`{name}` is neither PNG nor JPEG nor PDF"))
    }

    /// Puts a picture on pages. Returns warnings.
    ///
    /// # Errors
    ///
    /// `invalid-argument` - a value is out of range. `unsupported`, `malformed` - the picture is not known or damaged.
    pub(crate) fn add_picture(
        &mut self,
        it: &Picture,
        content: Vec<u8>,
        pages: &[usize],
    ) -> Result<Vec<String>> {
        if !(0.0..=1.0).contains(&it.opacity) || !(0.0..=10_000.0).contains(&it.margin) {
            return invalid("expected an `opacity` from 0 to 1 and a `margin` in points");
        }
        if let Some(width) = it.width.filter(|it| !(1.0..=14_400.0).contains(it)) {
            return invalid(format!(
                "expected a `size` from 1 to 14400 points, the width of the picture, got {width}"
            ));
        }
        let rect: Option<[f64; 4]> = match it.rect.as_deref() {
            None => None,
            Some(&[left, bottom, right, top])
                if [left, bottom, right, top].iter().all(|it| it.is_finite())
                    && right - left >= 1.0
                    && top - bottom >= 1.0 =>
            {
                Some([left, bottom, right, top])
            }
            _ => return invalid("expected a `rect` of left, bottom, right, top in points"),
        };
        let (drawing, turn, mut warnings) = self.drawing(&it.name, content)?;
        let state = (it.opacity < 1.0).then(|| {
            let dict = Dict::new().with("Type", Object::name("ExtGState"));
            self.add(dict.with("ca", it.opacity).with("CA", it.opacity))
        });
        for at in pages {
            let Some(&page) = self.pages.get(*at) else { continue };
            let (frame, page_width, page_height) = self.seen(page);
            let (x, y, width, height) = match rect {
                Some([left, bottom, right, top]) => {
                    let scale =
                        ((right - left) / drawing.width).min((top - bottom) / drawing.height);
                    let (width, height) = (drawing.width * scale, drawing.height * scale);
                    ((left + right) / 2.0, (bottom + top) / 2.0, width, height)
                }
                None => {
                    // Without a width, a picture has 96 pixels an inch, a page its own size; both fit on the page.
                    let natural =
                        if drawing.is_form { drawing.width } else { drawing.width * 0.75 };
                    let room = (page_width - 2.0 * it.margin).max(1.0);
                    let room = room.min(
                        (page_height - 2.0 * it.margin).max(1.0) * drawing.width / drawing.height,
                    );
                    let width = it.width.unwrap_or_else(|| natural.min(room));
                    let height = width * drawing.height / drawing.width;
                    let (x, y) =
                        it.position.middle((page_width, page_height), (width, height), it.margin);
                    (x, y, width, height)
                }
            };
            let (left, bottom) = (x - width / 2.0, y - height / 2.0);
            let is_out = left < -0.5
                || bottom < -0.5
                || left + width > page_width + 0.5
                || bottom + height > page_height + 0.5;
            if is_out && warnings.len() < 20 {
                warnings.push(format!(
                    "The picture is not wholly on page {}; a part of it is not seen.",
                    at + 1
                ));
            }
            let base = self.free_name(page);
            let mut resources =
                Dict::new().with("XObject", Dict::new().with(&base, Object::Ref(drawing.number)));
            let place = turn.then(drawing.place(left, bottom, width, height)).then(frame);
            let mut content = Vec::new();
            if let Some(state) = state {
                resources.set("ExtGState", Dict::new().with(&base, Object::Ref(state)));
                content.extend(format!("/{base} gs\n").bytes());
            }
            content.extend(format!("{} cm /{base} Do\n", place.0.map(real).join(" ")).bytes());
            self.draw_on(page, &content, &resources, it.is_behind)?;
        }
        Ok(warnings)
    }
}
