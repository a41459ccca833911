//! Pictures of independent producers, damaged ones, and those that are made to be too much.

use image::{GrayImage, ImageFormat};
use mitt_reader_kit::{Content, Error, File};

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn read(bytes: &[u8], extension: &str, name: &str) -> Result<Content, Error> {
    let file = File { name: name.into(), extension: extension.into(), password: None };
    reader_images::read(bytes, &file)
}

/// The pages of a file, drawn.
fn drawn(bytes: &[u8], pages: &str) -> Vec<(String, GrayImage)> {
    let content = read(bytes, "pages", pages).unwrap();
    assert!(content.warnings.is_empty(), "{:?}", content.warnings);
    let picture = |bytes: &[u8]| {
        let picture = image::load_from_memory_with_format(bytes, ImageFormat::Png).unwrap();
        assert_eq!(picture.color(), image::ColorType::L8);
        picture.into_luma8()
    };
    content.parts.iter().map(|part| (part.name.clone(), picture(&part.bytes))).collect()
}

/// Share of dark points in a quarter of a picture: left or right, upper or lower.
fn ink(picture: &GrayImage, right: bool, lower: bool) -> f64 {
    let (width, height) = (picture.width() / 2, picture.height() / 2);
    let points = (0..width).flat_map(|x| (0..height).map(move |y| (x, y)));
    let is_dark = |(x, y): &(u32, u32)| {
        let at = (x + if right { width } else { 0 }, y + if lower { height } else { 0 });
        picture.get_pixel(at.0, at.1).0[0] < 128
    };
    points.filter(is_dark).count() as f64 / f64::from(width * height)
}

#[test]
fn pictures_are_documents_of_pages_that_are_pictures() {
    for (name, extension, size, pages) in [
        ("page.png", "png", ["900", "300"], 1),
        ("page.webp", "webp", ["900", "300"], 1),
        ("page.gif", "gif", ["900", "300"], 1),
        ("page.bmp", "bmp", ["900", "300"], 1),
        ("turned.jpg", "jpg", ["300", "900"], 1),
        ("fax.tiff", "tiff", ["900", "300"], 2),
    ] {
        let content = read(&fixture(name), extension, name).unwrap();
        let values: Vec<_> = content.metadata.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, size, "{name}");
        assert_eq!(content.scanned, (1..=pages).collect::<Vec<u32>>(), "{name}");
        assert!(content.markdown.is_empty() && content.parts.is_empty(), "{name}");
        // As large as letters have to be, upright, dark on white.
        let pictures = drawn(&fixture(name), "1");
        assert_eq!(pictures[0].1.dimensions(), (1800, 600), "{name}");
        assert!(ink(&pictures[0].1, false, false) > 0.05, "{name}");
        assert!(ink(&pictures[0].1, true, true) < ink(&pictures[0].1, false, false), "{name}");
    }
}

#[test]
fn all_pages_of_a_fax_are_drawn() {
    let fax = fixture("fax.tiff");
    let pictures = drawn(&fax, "2,1");
    assert_eq!((pictures[0].0.as_str(), pictures[1].0.as_str()), ("2.png", "1.png"));
    assert_ne!(pictures[0].1, pictures[1].1);
    let missing = read(&fax, "pages", "3").unwrap();
    assert_eq!(missing.warnings, ["page 3: no page 3 in the picture"]);
    // A second page that says that the first one follows it.
    let mut circle = fax.clone();
    let first = u32::from_le_bytes(fax[4..8].try_into().unwrap()) as usize;
    let next = |at: usize| at + 2 + 12 * usize::from(u16::from_le_bytes([fax[at], fax[at + 1]]));
    let second = u32::from_le_bytes(fax[next(first)..][..4].try_into().unwrap()) as usize;
    circle[next(second)..][..4].copy_from_slice(&(first as u32).to_le_bytes());
    assert_eq!(read(&circle, "tiff", "a.tiff").unwrap().scanned, [1, 2]);
}

#[test]
fn nothing_is_white_paper() {
    let pictures = drawn(&fixture("screen.png"), "1");
    assert_eq!(pictures[0].1.dimensions(), (640, 180));
    assert!(pictures[0].1.get_pixel(639, 179).0[0] > 250);
    assert!(ink(&pictures[0].1, false, false) > 0.02);
}

#[test]
fn pages_of_a_pdf_are_drawn_at_300_dpi() {
    let pictures = drawn(&fixture("mixed.pdf"), "2,3");
    assert_eq!(pictures.len(), 2);
    for (name, picture) in &pictures {
        assert_eq!(picture.dimensions(), (2479, 3508), "{name}");
        assert!(ink(picture, false, false) > 0.002, "{name}");
        assert!(ink(picture, true, true) < 0.001, "{name}");
    }
    let content = read(&fixture("mixed.pdf"), "pages", "9").unwrap();
    assert_eq!(content.warnings, ["page 9: no page 9 in the document"]);
    for wrong in ["", "0", "1,,2", "x", "1;2"] {
        assert!(matches!(
            read(&fixture("mixed.pdf"), "pages", wrong),
            Err(Error::InvalidArgument(_))
        ));
    }
}

/// A PNG that says that it is this large.
fn bomb(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = fixture("page.png");
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&height.to_be_bytes());
    // Its checksum is that of the header.
    let mut sum = !0u32;
    for byte in &bytes[12..29] {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = (sum >> 1) ^ (0xEDB8_8320 & (0u32.wrapping_sub(sum & 1)));
        }
    }
    bytes[29..33].copy_from_slice(&(!sum).to_be_bytes());
    bytes
}

#[test]
fn what_is_too_large_is_refused_before_it_is_unpacked() {
    for (width, height) in [(60_000, 60_000), (10_000, 6_001), (1, 60_000_001)] {
        let error = read(&bomb(width, height), "png", "a.png").unwrap_err();
        assert!(matches!(error, Error::Quota(_)), "{width} × {height}: {error:?}");
        let content = read(&bomb(width, height), "pages", "1").unwrap();
        assert!(content.parts.is_empty() && content.warnings[0].contains("at most 60000000"));
    }
    assert!(read(&bomb(10_000, 6_000), "png", "a.png").is_ok());
}

#[test]
fn what_is_damaged_says_so() {
    for name in ["page.png", "page.webp", "page.gif", "turned.jpg", "fax.tiff", "mixed.pdf"] {
        let whole = fixture(name);
        for end in [0, 4, 16, 30, 100, whole.len() / 2, whole.len() - 3] {
            // It may still be told what it is, or parts of it be drawn; nothing crashes.
            let _ = read(&whole[..end], "png", name);
            let _ = read(&whole[..end], "pages", "1,2");
        }
    }
    assert!(matches!(read(b"text", "png", "a.png"), Err(Error::Unsupported(_))));
    assert!(matches!(read(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "png", "a"), Err(Error::Malformed(_))));
    assert!(matches!(read(b"%PDF-1.7", "pages", "1"), Err(Error::Malformed(_))));
}
