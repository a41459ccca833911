//! Complete pictures for tests.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, RgbImage};

/// Returns a picture with four different quarters, which show its orientation.
fn quarters(width: u32, height: u32) -> DynamicImage {
    let colors = [[200, 40, 40], [40, 160, 60], [40, 80, 200], [230, 200, 60]];
    let color = |x: u32, y: u32| {
        let quarter = usize::from(2 * x >= width) + 2 * usize::from(2 * y >= height);
        image::Rgb(colors[quarter])
    };
    RgbImage::from_fn(width, height, color).into()
}

fn encoded(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    quarters(width, height).write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// Returns a PNG with this resolution.
pub(crate) fn png(width: u32, height: u32, dpi: Option<u32>) -> Vec<u8> {
    let mut bytes = encoded(width, height, ImageFormat::Png);
    if let Some(dpi) = dpi {
        let of_metre = (f64::from(dpi) / 0.0254).round() as u32;
        let mut data = b"pHYs".to_vec();
        data.extend([of_metre.to_be_bytes(), of_metre.to_be_bytes()].concat());
        data.push(1);
        let mut chunk = 9_u32.to_be_bytes().to_vec();
        chunk.extend(&data);
        chunk.extend(crc32(&data).to_be_bytes());
        // Behind the first chunk.
        bytes.splice(33..33, chunk);
    }
    bytes
}

/// Returns a JPEG of a camera in this orientation, with 300 pixels per inch.
pub(crate) fn jpeg(width: u32, height: u32, orientation: u16) -> Vec<u8> {
    let bytes = encoded(width, height, ImageFormat::Jpeg);
    let mut data = b"Exif\0\0".to_vec();
    data.extend(exif(orientation, true));
    let mut with = bytes[..2].to_vec();
    with.extend([0xFF, 0xE1]);
    with.extend(u16::try_from(data.len() + 2).unwrap().to_be_bytes());
    with.extend(data);
    // The encoder's own resolution would take precedence.
    let rest = if bytes[2..].starts_with(&[0xFF, 0xE0]) {
        4 + usize::from(u16::from_be_bytes([bytes[4], bytes[5]]))
    } else {
        2
    };
    with.extend(&bytes[rest..]);
    with
}

pub(crate) fn gif(width: u32, height: u32) -> Vec<u8> {
    encoded(width, height, ImageFormat::Gif)
}

pub(crate) fn webp(width: u32, height: u32) -> Vec<u8> {
    encoded(width, height, ImageFormat::WebP)
}

/// A drawing with text.
pub(crate) const SVG: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"120\" height=\"60\" viewBox=\"0 0 120 60\">\
    <rect width=\"120\" height=\"60\" fill=\"#1f4e79\"/><text x=\"10\" y=\"35\" fill=\"#fff\" font-size=\"16\">图 A</text></svg>";

/// Returns metadata of a camera: orientation and resolution.
pub(super) fn exif(orientation: u16, little: bool) -> Vec<u8> {
    let short = |it: u16| if little { it.to_le_bytes() } else { it.to_be_bytes() };
    let long = |it: u32| if little { it.to_le_bytes() } else { it.to_be_bytes() };
    let mut bytes = if little { b"II*\0".to_vec() } else { b"MM\0*".to_vec() };
    bytes.extend(long(8));
    bytes.extend(short(4));
    let mut entry = |tag: u16, kind: u16, value: [u8; 4]| {
        bytes.extend(short(tag));
        bytes.extend(short(kind));
        bytes.extend(long(1));
        bytes.extend(value);
    };
    let of_short = |it: u16| [short(it)[0], short(it)[1], 0, 0];
    entry(0x0112, 3, of_short(orientation));
    entry(0x011A, 5, long(62));
    entry(0x011B, 5, long(62));
    entry(0x0128, 3, of_short(2));
    bytes.extend(long(0));
    bytes.extend([long(300), long(1)].concat());
    bytes
}

/// Returns the checksum of PNG.
pub(crate) fn crc32(data: &[u8]) -> u32 {
    !data.iter().fold(!0_u32, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            if sum & 1 == 1 { sum >> 1 ^ 0xEDB8_8320 } else { sum >> 1 }
        })
    })
}
