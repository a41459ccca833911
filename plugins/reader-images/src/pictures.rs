//! Decodes pictures to upright grey pages on white paper.

use std::io::Cursor;

use image::imageops::{self, FilterType};
use image::metadata::Orientation;
use image::{DynamicImage, GrayImage, ImageDecoder as _, ImageFormat, ImageReader, Limits};

use crate::{MAX_PAGES, check_size, damaged, error_text, shrinking};
use mitt_reader_kit::Error;

/// Most memory of a decoder, in bytes.
const MAX_DECODER: u64 = 320 << 20;

/// The supported formats.
const FORMATS: [ImageFormat; 6] = [
    ImageFormat::Bmp,
    ImageFormat::Gif,
    ImageFormat::Jpeg,
    ImageFormat::Png,
    ImageFormat::Tiff,
    ImageFormat::WebP,
];

/// Pixels below which a picture has small letters, as a screen does: 1 600 × 1 200.
const SMALL: u64 = 1_920_000;

/// The pages of a picture. TIFF, which scanners and fax machines write, may have several.
pub(crate) struct Pages<'b> {
    bytes: &'b [u8],
    format: ImageFormat,
    /// The offsets of the directories of a TIFF; empty for other formats.
    directories: Vec<u32>,
    has_more: bool,
}

impl<'b> Pages<'b> {
    pub(crate) fn of(bytes: &'b [u8]) -> Result<Pages<'b>, Error> {
        let format = image::guess_format(bytes).ok().filter(|it| FORMATS.contains(it));
        let format =
            format.ok_or_else(|| Error::Unsupported("no picture of a known kind".to_owned()))?;
        let (directories, has_more) = match format {
            ImageFormat::Tiff => directories(bytes),
            _ => (Vec::new(), false),
        };
        Ok(Pages { bytes, format, directories, has_more })
    }

    pub(crate) fn count(&self) -> u32 {
        self.directories.len().max(1) as u32
    }

    pub(crate) fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.has_more {
            warnings.push(format!("only the first {} pages of the picture are read", self.count()));
        }
        if self.format == ImageFormat::Gif && is_moving(self.bytes) {
            warnings.push("only the first picture of those that move is read".to_owned());
        }
        warnings
    }

    /// Returns width and height of a page as stored, before it is turned upright.
    pub(crate) fn size(&self, page: u32) -> Result<(u32, u32), Error> {
        let bytes = self.page(page)?;
        let reader = ImageReader::with_format(Cursor::new(&*bytes), self.format);
        let size = reader.into_dimensions().map_err(problem)?;
        check_size(size).map(|()| size)
    }

    /// Returns a page upright, grey and resized.
    pub(crate) fn draw(&self, page: u32) -> Result<GrayImage, Error> {
        self.size(page)?;
        let bytes = self.page(page)?;
        let mut reader = ImageReader::with_format(Cursor::new(&*bytes), self.format);
        let mut limits = Limits::default();
        limits.max_alloc = Some(MAX_DECODER);
        reader.limits(limits);
        let mut decoder = reader.into_decoder().map_err(problem)?;
        if decoder.total_bytes() > MAX_DECODER {
            return Err(Error::Quota(
                "the picture is too large with its colours: make it smaller".to_owned(),
            ));
        }
        let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
        let mut picture =
            DynamicImage::ImageLuma8(grey(DynamicImage::from_decoder(decoder).map_err(problem)?));
        picture.apply_orientation(orientation);
        Ok(sized(picture.into_luma8()))
    }

    /// Returns the file with this page as its first.
    fn page(&self, page: u32) -> Result<std::borrow::Cow<'b, [u8]>, Error> {
        let index = page as usize - 1;
        if index == 0 {
            return Ok(self.bytes.into());
        }
        let at = self.directories.get(index);
        let at = at.ok_or_else(|| Error::NotFound(format!("no page {page} in the picture")))?;
        let mut bytes = self.bytes.to_vec();
        let at = if bytes.starts_with(b"II") { at.to_le_bytes() } else { at.to_be_bytes() };
        if let Some(first) = bytes.get_mut(4..8) {
            first.copy_from_slice(&at);
        }
        Ok(bytes.into())
    }
}

/// Converts a picture to grey. Transparent pixels become white.
fn grey(picture: DynamicImage) -> GrayImage {
    if !picture.color().has_alpha() {
        return picture.into_luma8();
    }
    let with_alpha = picture.into_luma_alpha8();
    let (width, height) = with_alpha.dimensions();
    let over_white = |pixel: &[u8; 2]| {
        let [light, alpha] = pixel.map(u32::from);
        ((light * alpha + 255 * (255 - alpha) + 127) / 255) as u8
    };
    let pixels = with_alpha.as_raw().as_chunks::<2>().0.iter().map(over_white).collect();
    GrayImage::from_raw(width, height, pixels).unwrap_or_default()
}

/// Makes a large picture smaller, and one of the size of a screen larger: letters below 14 pixels are often not recognised.
fn sized(picture: GrayImage) -> GrayImage {
    let (width, height) = picture.dimensions();
    let shrink = shrinking(f64::from(width), f64::from(height));
    if shrink < 1.0 {
        let less = |side: u32| ((f64::from(side) * shrink) as u32).max(1);
        return imageops::resize(&picture, less(width), less(height), FilterType::Triangle);
    }
    if u64::from(width) * u64::from(height) <= SMALL && width.max(height) <= 4_000 {
        return imageops::resize(&picture, 2 * width, 2 * height, FilterType::CatmullRom);
    }
    picture
}

/// Returns the offsets of the directories of a TIFF, and `true` if there are more than the limit. A large TIFF gets only the
/// first.
fn directories(bytes: &[u8]) -> (Vec<u32>, bool) {
    let is_little = bytes.starts_with(b"II");
    let four = |at: usize| {
        let four = bytes.get(at..)?.first_chunk::<4>()?;
        Some(if is_little { u32::from_le_bytes(*four) } else { u32::from_be_bytes(*four) })
    };
    let two = |at: usize| {
        let two = bytes.get(at..)?.first_chunk::<2>()?;
        Some(if is_little { u16::from_le_bytes(*two) } else { u16::from_be_bytes(*two) })
    };
    if two(2) != Some(42) {
        return (Vec::new(), false);
    }
    let mut found = Vec::new();
    let mut next = four(4);
    while let Some(at) = next.filter(|at| *at != 0 && !found.contains(at)) {
        let Some(entries) = two(at as usize) else { break };
        if found.len() == MAX_PAGES {
            return (found, true);
        }
        found.push(at);
        next = four(at as usize + 2 + 12 * usize::from(entries));
    }
    (found, false)
}

/// Returns `true` if a GIF is an animation.
fn is_moving(bytes: &[u8]) -> bool {
    bytes.windows(11).any(|part| part == b"NETSCAPE2.0")
}

fn problem(error: image::ImageError) -> Error {
    match error {
        image::ImageError::Limits(_) => {
            Error::Quota("the picture is too large: make it smaller".to_owned())
        }
        // The decoder of BMP reports this only in its text.
        image::ImageError::Unsupported(error) if error.to_string().contains("too large") => {
            Error::Quota("the picture is too large: make it smaller".to_owned())
        }
        image::ImageError::Unsupported(error) => Error::Unsupported(format!(
            "the picture is of a kind that is not read: {}",
            error_text(&error.to_string())
        )),
        error => damaged(error),
    }
}
