//! Decodes and re-encodes pictures for formats that do not support all of them.

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder as _, ImageFormat, ImageReader, Limits};

use super::Format;
use mitt_base::panics;

/// Most memory of a decoder, in bytes: 512 MiB, which the largest picture needs at eight bytes per pixel.
const MAX_BYTES: u64 = 512 * 1024 * 1024;

/// Quality of re-encoded pictures, out of 100.
const QUALITY: u8 = 92;

/// Converts a picture for Word, which shows PNG, JPEG and GIF, as they are stored. Returns `None` if no conversion is
/// needed. The header of the picture was checked before.
///
/// # Errors
///
/// It cannot be decoded, or is a drawing.
pub(crate) fn for_word(
    format: Format,
    file: &[u8],
    orientation: u8,
) -> Result<Option<(Format, Vec<u8>)>, String> {
    let from = match format {
        Format::Png => ImageFormat::Png,
        Format::Jpeg => ImageFormat::Jpeg,
        Format::Gif => ImageFormat::Gif,
        Format::Webp => ImageFormat::WebP,
        Format::Svg => {
            return Err("Word shows no drawing without pixels; give it as a PNG".to_owned());
        }
    };
    let broken = || "it cannot be decoded".to_owned();
    let made = panics::caught_now("decoding a picture", || {
        let mut picture = decoded(from, file)?;
        if orientation == 1 && format != Format::Webp {
            return Some(None);
        }
        picture.apply_orientation(Orientation::from_exif(orientation)?);
        encoded(&picture, format, file).map(Some)
    });
    made.ok().flatten().ok_or_else(broken)
}

fn decoded(format: ImageFormat, file: &[u8]) -> Option<DynamicImage> {
    let mut reader = ImageReader::with_format(Cursor::new(file), format);
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_BYTES);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().ok()?;
    decoder.set_limits(Limits::default()).ok()?;
    DynamicImage::from_decoder(decoder).ok()
}

/// Encodes a photo as JPEG, and a picture with sharp edges or transparency as PNG, which is lossless.
fn encoded(picture: &DynamicImage, format: Format, file: &[u8]) -> Option<(Format, Vec<u8>)> {
    let is_photo = match format {
        Format::Jpeg => true,
        Format::Webp => !picture.color().has_alpha() && file.get(12..16) == Some(b"VP8 "),
        _ => false,
    };
    let mut bytes = Cursor::new(Vec::new());
    if is_photo {
        let rgb = DynamicImage::ImageRgb8(picture.to_rgb8());
        rgb.write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, QUALITY)).ok()?;
        return Some((Format::Jpeg, bytes.into_inner()));
    }
    picture.write_to(&mut bytes, ImageFormat::Png).ok()?;
    Some((Format::Png, bytes.into_inner()))
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn word_gets_what_it_shows_the_right_side_up() {
        for (format, file) in [
            (Format::Png, samples::png(40, 20, None)),
            (Format::Jpeg, samples::jpeg(40, 20, 1)),
            (Format::Gif, samples::gif(40, 20)),
        ] {
            assert_eq!(for_word(format, &file, 1), Ok(None), "{format:?}");
        }
        let (format, file) = for_word(Format::Webp, &samples::webp(40, 20), 1).unwrap().unwrap();
        assert_eq!((format, &file[..4]), (Format::Png, &b"\x89PNG"[..]));
        // The red quarter of a picture that was taken sideways is at the top right, not at the top left.
        let (format, file) = for_word(Format::Jpeg, &samples::jpeg(40, 20, 6), 6).unwrap().unwrap();
        assert_eq!(format, Format::Jpeg);
        let upright = image::load_from_memory(&file).unwrap().to_rgb8();
        assert_eq!(upright.dimensions(), (20, 40));
        let [red, green, blue] = upright.get_pixel(17, 3).0;
        assert!(red > 150 && green < 100 && blue < 100, "{red} {green} {blue}");
    }

    #[test]
    fn what_cannot_be_decoded_is_no_picture() {
        let mut file = samples::png(40, 20, None);
        let length = file.len();
        file[length / 2..length - 20].fill(0);
        assert_eq!(for_word(Format::Png, &file, 1), Err("it cannot be decoded".to_owned()));
        assert!(for_word(Format::Svg, b"<svg/>", 1).unwrap_err().contains("PNG"));
    }
}
