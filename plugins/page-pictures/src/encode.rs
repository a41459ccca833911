//! Pixels as PNG and JPEG.

use crate::error::{Error, Result};
use image::codecs::jpeg::JpegEncoder;

/// Quality of JPEG, from 1 to 100. At 85, letters have no visible shadows.
const QUALITY: u8 = 85;

/// The format of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Exact; small for text and drawings.
    #[default]
    Png,
    /// Smaller for photographs and scans.
    Jpeg,
}

impl Format {
    /// Returns the extension of file names, without a dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
        }
    }
}

/// Encodes pixels of three bytes: red, green, blue. Pixels that are all grey become a grey picture.
pub(crate) fn encode((width, height): (u16, u16), rgb: Vec<u8>, format: Format) -> Result<Vec<u8>> {
    let is_grey =
        rgb.as_chunks::<3>().0.iter().all(|[red, green, blue]| red == green && green == blue);
    let pixels = if is_grey { rgb.iter().copied().step_by(3).collect() } else { rgb };
    match format {
        Format::Png => png((width, height), &pixels, is_grey),
        Format::Jpeg => jpeg((width, height), &pixels, is_grey),
    }
}

fn png((width, height): (u16, u16), pixels: &[u8], is_grey: bool) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width.into(), height.into());
    encoder.set_color(if is_grey { png::ColorType::Grayscale } else { png::ColorType::Rgb });
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(pixels)?;
        writer.finish()
    });
    written.map_err(failed)?;
    Ok(bytes)
}

fn jpeg((width, height): (u16, u16), pixels: &[u8], is_grey: bool) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let color = if is_grey { image::ExtendedColorType::L8 } else { image::ExtendedColorType::Rgb8 };
    JpegEncoder::new_with_quality(&mut bytes, QUALITY)
        .encode(pixels, width.into(), height.into(), color)
        .map_err(failed)?;
    Ok(bytes)
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::Unsupported(format!("the picture cannot be written: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grey_pictures_have_one_byte_for_each_pixel() {
        let color_type = |rgb: &[u8]| {
            let bytes = encode((2, 1), rgb.to_vec(), Format::Png).unwrap();
            let reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
            reader.info().color_type
        };
        assert_eq!(color_type(&[7, 7, 7, 255, 255, 255]), png::ColorType::Grayscale);
        assert_eq!(color_type(&[7, 7, 7, 255, 255, 254]), png::ColorType::Rgb);
    }

    #[test]
    fn jpeg_is_written_in_grey_and_in_colour() {
        for (rgb, channels) in [([9_u8, 9, 9, 9, 9, 9], 1), ([200, 0, 0, 200, 0, 0], 3)] {
            let bytes = encode((2, 1), rgb.to_vec(), Format::Jpeg).unwrap();
            let picture = image::load_from_memory(&bytes).unwrap();
            assert_eq!((picture.width(), picture.height()), (2, 1));
            assert_eq!(picture.color().channel_count(), channels);
        }
    }
}
