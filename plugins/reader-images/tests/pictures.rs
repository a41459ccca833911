//! Pictures of other programs, damaged pictures, and pictures above the limits.

use image::{GrayImage, ImageFormat};
use mitt_reader_kit::{Content, Error, File};

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn read(bytes: &[u8], extension: &str, name: &str) -> Result<Content, Error> {
    let file = File { name: name.into(), extension: extension.into(), password: None };
    reader_images::read(bytes, &file)
}

/// Returns drawn pages of a file.
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

/// Returns the share of dark pixels in a quarter of a picture: left or right, upper or lower.
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
        // The letters are large enough, upright, and dark on white.
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
    // The directory of the second page names the first one as its successor.
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

/// Returns a PNG with this size in its header.
fn bomb(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = fixture("page.png");
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&height.to_be_bytes());
    // The checksum is that of the header.
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
            // The result does not matter, but nothing may crash.
            let _ = read(&whole[..end], "png", name);
            let _ = read(&whole[..end], "pages", "1,2");
        }
    }
    assert!(matches!(read(b"text", "png", "a.png"), Err(Error::Unsupported(_))));
    assert!(matches!(read(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "png", "a"), Err(Error::Malformed(_))));
    assert!(matches!(read(b"%PDF-1.7", "pages", "1"), Err(Error::Malformed(_))));
}

/// Returns a PDF of one page of 2 by 3 inches with a picture of 1,200 by 1,800 pixels: 600 dpi.
fn scan(picture: &[u8], how: &str, page: &str, marks: &str) -> Vec<u8> {
    page_of(picture, (1200, 1800), how, page, marks)
}

/// Returns a PDF of one page of 2 by 3 inches with a picture on it.
fn page_of(
    picture: &[u8],
    (width, height): (u32, u32),
    how: &str,
    page: &str,
    marks: &str,
) -> Vec<u8> {
    let marks = format!("q 144 0 0 216 0 0 cm /I Do Q {marks}");
    let head =
        format!("<< /Type /XObject /Subtype /Image /Width {width} /Height {height} {how} /Length");
    let objects: [Vec<u8>; 5] = [
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 144 216] {page} /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>").into_bytes(),
        format!("<< /Length {} >> stream\n{marks}\nendstream", marks.len()).into_bytes(),
        [format!("{head} {} >> stream\n", picture.len()).as_bytes(), picture, b"\nendstream"].concat(),
    ];
    let (mut pdf, mut places) = (b"%PDF-1.7\n".to_vec(), Vec::new());
    for (number, object) in (1..).zip(&objects) {
        places.push(pdf.len());
        pdf.extend(format!("{number} 0 obj\n").as_bytes());
        pdf.extend(object);
        pdf.extend(b"\nendobj\n");
    }
    let start = pdf.len();
    pdf.extend(b"xref\n0 6\n0000000000 65535 f \n");
    places.iter().for_each(|at| pdf.extend(format!("{at:010} 00000 n \n").as_bytes()));
    pdf.extend(
        format!("trailer << /Size 6 /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n").as_bytes(),
    );
    pdf
}

/// Drawing scans needs little memory. The result is the same as that of the ordinary drawing.
#[test]
fn scans_of_600_dpi_are_drawn_as_any_other_page() {
    // The upper left quarter has a pattern instead of letters.
    let is_dark = |x: u32, y: u32| x < 600 && y < 900 && !(x / 7 + y / 11).is_multiple_of(3);
    let light = |x: u32, y: u32| if is_dark(x, y) { 20 } else { 250 };
    let grey = GrayImage::from_fn(1200, 1800, |x, y| image::Luma([light(x, y)]));
    let jpeg = |picture: image::DynamicImage| {
        let mut bytes = std::io::Cursor::new(Vec::new());
        picture.write_to(&mut bytes, ImageFormat::Jpeg).unwrap();
        bytes.into_inner()
    };
    let bits = (0..1800u32)
        .flat_map(|y| (0..150u32).map(move |x| (x, y)))
        .map(|(x, y)| (0..8).fold(0u8, |byte, bit| byte << 1 | u8::from(!is_dark(x * 8 + bit, y))));
    let color = image::DynamicImage::ImageLuma8(grey.clone()).into_rgb8();
    for (kind, picture, how) in [
        ("grey", grey.as_raw().clone(), "/ColorSpace /DeviceGray /BitsPerComponent 8"),
        ("color", color.as_raw().clone(), "/ColorSpace /DeviceRGB /BitsPerComponent 8"),
        ("bits", bits.collect(), "/ColorSpace /DeviceGray /BitsPerComponent 1"),
        (
            "grey jpeg",
            jpeg(grey.clone().into()),
            "/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /DCTDecode",
        ),
        (
            "color jpeg",
            jpeg(color.into()),
            "/ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode",
        ),
    ] {
        for (page, size, corner) in [
            ("", (600, 900), (false, false)),
            ("/Rotate 90", (900, 600), (true, false)),
            ("/Rotate 180", (600, 900), (true, true)),
            ("/Rotate 270", (900, 600), (false, true)),
        ] {
            let small = &drawn(&scan(&picture, how, page, ""), "1")[0].1;
            assert_eq!(small.dimensions(), size, "{kind} {page}");
            for (right, lower) in [(false, false), (true, false), (false, true), (true, true)] {
                let ink = ink(small, right, lower);
                if (right, lower) == corner {
                    assert!((0.5..0.8).contains(&ink), "{kind} {page}: {ink}")
                } else {
                    assert!(ink < 0.001, "{kind} {page}: {ink}")
                }
            }
            // A line without width requires the ordinary drawing.
            let other = &drawn(&scan(&picture, how, page, "0 0 m 0 0.01 l S"), "1")[0].1;
            // Rounding may remove a row or a column.
            let (width, height) = other.dimensions();
            assert!(
                width + 1 >= size.0 && height + 1 >= size.1,
                "{kind} {page}: {width} × {height}"
            );
            let points =
                (0..width.min(size.0)).flat_map(|x| (0..height.min(size.1)).map(move |y| (x, y)));
            let difference =
                |(x, y)| small.get_pixel(x, y).0[0].abs_diff(other.get_pixel(x, y).0[0]);
            let off = points.map(|point| u64::from(difference(point))).sum::<u64>();
            let off = off as f64 / f64::from(width * height);
            assert!(off < 6.0, "{kind} {page}: {off} off on average");
        }
    }
}

/// The picture is refused on any page and at any place.
#[test]
fn a_page_with_too_many_pixels_says_so() {
    let how = "/ColorSpace /DeviceGray /BitsPerComponent 1";
    for (size, marks) in [
        ((10_000, 6_001), ""),
        ((60_000, 60_000), "0 0 m 144 216 l S"),
        ((1, 60_000_001), "q 9 9 -9 9 50 50 cm /I Do Q"),
    ] {
        for how in [how, "/ImageMask true /BitsPerComponent 1"] {
            let content = read(&page_of(b"xxx", size, how, "", marks), "pages", "1").unwrap();
            assert!(content.parts.is_empty());
            let (width, height) = size;
            assert_eq!(
                content.warnings,
                [format!(
                    "page 1: the picture has {width} × {height} pixels, and at most 60000000 are read: make it smaller"
                )]
            );
        }
    }
}

#[test]
fn a_page_is_turned_as_it_is_asked_for() {
    let upright = &drawn(&fixture("page.png"), "1")[0].1;
    for (turn, expected) in [
        ("90", image::imageops::rotate90(upright)),
        ("180", image::imageops::rotate180(upright)),
        ("270", image::imageops::rotate270(upright)),
        ("0", upright.clone()),
    ] {
        let pages = drawn(&fixture("page.png"), &format!("1@{turn}"));
        assert_eq!(pages[0].0, "1.png");
        assert!(pages[0].1 == expected, "{turn}");
    }
    for wrong in ["1@45", "1@", "@90", "0@90", "1@-90", "1@90@90"] {
        assert!(read(&fixture("page.png"), "pages", wrong).is_err(), "{wrong}");
    }
}
