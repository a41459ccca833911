//! What is on the pages is in the pictures.

use crate::support::{Pixels, draw, open, page, pdf, stream};
use page_pictures::{Error, Format, Options, PdfFile, Size};
use std::sync::Arc;

const RED: [u8; 3] = [255, 0, 0];
const WHITE: [u8; 3] = [255; 3];

/// A red square at the lower left of the page.
const SQUARE: &str = "1 0 0 rg 0 0 50 50 re f";

#[test]
fn a_page_has_the_size_that_is_wanted() {
    let bytes = page("/MediaBox [0 0 200 100]", "", SQUARE, &[]);
    for (size, width, height) in
        [(Size::Dpi(72), 200, 100), (Size::Dpi(144), 400, 200), (Size::Width(50), 50, 25)]
    {
        let pixels = Pixels::of(&draw(bytes.clone(), size).unwrap());
        assert_eq!((pixels.width, pixels.height), (width, height));
        assert_eq!(pixels.at(1, height - 2), RED);
        assert_eq!(pixels.at(width - 1, 0), WHITE);
    }
}

#[test]
fn pages_are_turned_and_cropped() {
    let turned = page("/MediaBox [0 0 200 100] /Rotate 90", "", SQUARE, &[]);
    let pixels = Pixels::of(&draw(turned.clone(), Size::Dpi(72)).unwrap());
    assert_eq!((pixels.width, pixels.height), (100, 200));
    assert_eq!((pixels.at(1, 1), pixels.at(98, 198)), (RED, WHITE));
    let size = open(turned).sizes(10)[0];
    assert_eq!((size.width, size.height), (100.0, 200.0));

    let cropped = page("/MediaBox [0 0 200 100] /CropBox [40 40 140 90]", "", SQUARE, &[]);
    let pixels = Pixels::of(&draw(cropped, Size::Dpi(72)).unwrap());
    assert_eq!((pixels.width, pixels.height), (100, 50));
    assert_eq!((pixels.at(2, 48), pixels.at(20, 48)), (RED, WHITE));
}

#[test]
fn text_in_standard_fonts_needs_no_warning() {
    let font = "<</Type /Font /Subtype /Type1 /BaseFont /Times-Roman>>".to_owned();
    let text = "BT /F1 40 Tf 10 30 Td (Hamburg) Tj ET";
    let bytes = page("/MediaBox [0 0 200 100]", "/Font <</F1 5 0 R>>", text, &[font]);
    let picture = draw(bytes, Size::Dpi(72)).unwrap();
    assert!(Pixels::of(&picture).dark() > 500);
    assert!(picture.warnings.is_empty(), "{:?}", picture.warnings);
}

#[test]
fn fonts_that_stand_in_are_named() {
    let font = "<</Type /Font /Subtype /TrueType /BaseFont /ABCDEF+Palatino-Bold /Encoding /WinAnsiEncoding>>";
    let text = "BT /F1 40 Tf 10 30 Td (Hamburg) Tj ET";
    let bytes = page("/MediaBox [0 0 200 100]", "/Font <</F1 5 0 R>>", text, &[font.to_owned()]);
    let picture = draw(bytes, Size::Dpi(72)).unwrap();
    assert!(Pixels::of(&picture).dark() > 500);
    assert_eq!(
        picture.warnings,
        ["Page 1: these fonts are not in the file, and similar ones stand in: `Palatino-Bold`."]
    );
}

/// Returns a page with Chinese text in a font that is not in the file.
fn chinese() -> Vec<u8> {
    let fonts = [
        "<</Type /Font /Subtype /Type0 /BaseFont /SimSun /Encoding /GBK-EUC-H /DescendantFonts [6 0 R]>>",
        "<</Type /Font /Subtype /CIDFontType2 /BaseFont /SimSun /CIDSystemInfo <</Registry (Adobe) /Ordering (GB1) /Supplement 2>> /DW 1000>>",
    ];
    // 中文 in GBK.
    let text = "BT /F1 40 Tf 10 30 Td <D6D0CEC4> Tj ET";
    page("/MediaBox [0 0 200 100]", "/Font <</F1 5 0 R>>", text, &fonts.map(str::to_owned))
}

#[test]
fn without_a_chinese_font_the_missing_text_is_reported() {
    let picture = draw(chinese(), Size::Dpi(72)).unwrap();
    let expected = "the host has no font for Chinese";
    assert!(picture.warnings.iter().any(|it| it.contains(expected)), "{:?}", picture.warnings);
}

/// The font of the repository.
struct Noto;

impl page_pictures::HostFonts for Noto {
    fn chinese(&self, bold: bool) -> Option<Vec<u8>> {
        let name = if bold { "NotoSansSC-Bold" } else { "NotoSansSC-Regular" };
        let path = format!("{}/../../src/render/fonts/{name}.ttf.zst", env!("CARGO_MANIFEST_DIR"));
        zstd::decode_all(std::fs::File::open(path).unwrap()).ok()
    }
}

#[test]
fn chinese_text_is_drawn_with_the_font_of_the_host() {
    let file = PdfFile::open(chinese(), None, Arc::new(Noto)).unwrap();
    let picture = file.draw(0, &Options { size: Size::Dpi(72), format: Format::Png }).unwrap();
    let pixels = Pixels::of(&picture);
    assert!(pixels.dark() > 300, "{}", pixels.dark());
    assert_eq!(
        picture.warnings,
        ["Page 1: these fonts are not in the file, and similar ones stand in: `SimSun`."]
    );
}

#[test]
fn errors_name_the_page() {
    let objects = [
        "<</Type /Catalog /Pages 2 0 R>>".to_owned(),
        "<</Type /Pages /Kids [3 0 R 4 0 R 5 0 R] /Count 3>>".to_owned(),
        "<</Type /Page /Parent 2 0 R /MediaBox [0 0 10 10]>>".to_owned(),
        "<</Type /Page /Parent 2 0 R /MediaBox [0 0 10 10] /Contents 6 0 R /Resources <</XObject <</P 7 0 R>>>>>>".to_owned(),
        "<</Type /Page /Parent 2 0 R /MediaBox [0 0 10 10] /CropBox [50 50 60 60]>>".to_owned(),
        stream("", "10 0 0 10 0 0 cm /P Do"),
        stream("/Type /XObject /Subtype /Image /Width 60001 /Height 1001 /BitsPerComponent 1 /ColorSpace /DeviceGray", ""),
    ];
    let file = open(pdf(&objects));
    let options = Options { size: Size::Dpi(72), format: Format::Png };
    assert_eq!(file.page_count(), 3);
    assert!(file.draw(0, &options).is_ok());
    let Err(Error::Quota(text)) = file.draw(1, &options) else { panic!("too large") };
    assert!(text.starts_with("page 2 has a picture of 60001 x 1001 pixels"), "{text}");
    let error = file.draw(3, &options).unwrap_err();
    assert_eq!(error, Error::Invalid("page 4 does not exist; there are 3".to_owned()));
}

#[test]
fn files_without_pages_are_refused() {
    let opened =
        |bytes: &[u8]| PdfFile::open(bytes.to_vec(), None, Arc::new(page_pictures::NoFonts));
    for bytes in [&b""[..], b"%PDF-1.7\n", b"text", b"\x89PNG\r\n\x1a\n"] {
        let Err(error) = opened(bytes) else { panic!("{bytes:?}") };
        assert!(matches!(error, Error::Malformed(_)), "{error}");
    }
}

#[test]
fn jpeg_is_smaller_where_there_are_many_shades() {
    let mut state = 1_u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        format!("{:02x}", state >> 24)
    };
    let pixels: String = (0..3 * 200 * 100).map(|_| noise()).collect();
    let picture = stream(
        "/Type /XObject /Subtype /Image /Width 200 /Height 100 /BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /ASCIIHexDecode",
        &pixels,
    );
    let content = "200 0 0 100 0 0 cm /P Do";
    let bytes = page("/MediaBox [0 0 200 100]", "/XObject <</P 5 0 R>>", content, &[picture]);
    let file = open(bytes);
    let draw = |format| file.draw(0, &Options { size: Size::Dpi(72), format }).unwrap().bytes;
    let (png, jpeg) = (draw(Format::Png), draw(Format::Jpeg));
    assert!(png.starts_with(b"\x89PNG") && jpeg.starts_with(&[0xff, 0xd8, 0xff]));
    assert!(jpeg.len() < png.len(), "{} {}", jpeg.len(), png.len());
}
