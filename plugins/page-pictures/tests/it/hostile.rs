//! Files that want too much. Those that only a limit of the sandbox ends are in the integration tests of the host.

use std::sync::Arc;

use crate::support::{Pixels, draw, page, stream};
use page_pictures::{Format, MAX_PIXELS, NoFonts, Options, PdfFile, Size};

#[test]
fn pages_without_end_are_drawn_smaller() {
    for (media_box, size) in [
        ("0 0 14400 14400", Size::Dpi(600)),
        ("0 0 1000000000 1000000000", Size::Dpi(72)),
        ("0 0 1000000 0.01", Size::Width(8_000)),
        ("0 0 0.01 1000000", Size::Width(8_000)),
        ("-1e30 -1e30 1e30 1e30", Size::Dpi(10)),
        ("0 0 99999999999999999999999999999999999999999999999 1", Size::Dpi(10)),
    ] {
        let bytes = page(&format!("/MediaBox [{media_box}]"), "", "0 0 9 9 re f", &[]);
        let options = Options { size, format: Format::Png };
        let opened = PdfFile::open(bytes, None, Arc::new(NoFonts));
        let drawn = opened.and_then(|file| {
            assert_eq!(file.sizes(1).len(), 1);
            file.draw(0, &options)
        });
        match drawn {
            Ok(picture) => {
                let pixels = u64::from(picture.width) * u64::from(picture.height);
                assert!(pixels <= MAX_PIXELS, "{media_box}: {pixels}");
            }
            Err(error) => {
                let error = error.to_string();
                let is_named = ["page 1", "it has no pages"].iter().any(|it| error.contains(it));
                assert!(is_named, "{media_box}: {error}");
            }
        }
    }
}

#[test]
fn boxes_without_a_size_are_errors_or_a_page() {
    for media_box in ["0 0 0 0", "5 5 5 5", "(a)", "1 2", "0 0 -10 -10"] {
        let bytes = page(&format!("/MediaBox [{media_box}]"), "", "0 0 9 9 re f", &[]);
        if let Err(error) = draw(bytes, Size::Width(100)) {
            assert!(error.to_string().contains("page 1"), "{media_box}: {error}");
        }
    }
}

#[test]
fn forms_that_draw_themselves_end() {
    let form = stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 100 100] /Resources <</XObject <</F 5 0 R>>>>",
        "0 0 10 10 re f /F Do",
    );
    let bytes = page("/MediaBox [0 0 100 100]", "/XObject <</F 5 0 R>>", "/F Do", &[form]);
    let pixels = Pixels::of(&draw(bytes, Size::Width(100)).unwrap());
    assert_eq!(pixels.at(1, 98), [0, 0, 0]);
}

#[test]
fn patterns_of_tiny_and_of_huge_cells_end() {
    for (step, cell) in
        [("1e-9", "1e-9"), ("0", "10"), ("0.001", "1000"), ("1e9", "1e9"), ("-1", "1")]
    {
        let pattern = stream(
            &format!(
                "/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 {cell} {cell}] /XStep {step} /YStep {step} /Resources <<>>"
            ),
            "1 0 0 rg 0 0 1 1 re f",
        );
        let content = "/Pattern cs /P scn 0 0 100 100 re f";
        let bytes = page("/MediaBox [0 0 100 100]", "/Pattern <</P 5 0 R>>", content, &[pattern]);
        draw(bytes, Size::Width(100)).unwrap();
    }
}

#[test]
fn a_pattern_of_itself_ends() {
    let pattern = stream(
        "/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 50 50] /XStep 50 /YStep 50 /Resources <</Pattern <</P 5 0 R>>>>",
        "/Pattern cs /P scn 0 0 50 50 re f",
    );
    let content = "/Pattern cs /P scn 0 0 100 100 re f";
    let bytes = page("/MediaBox [0 0 100 100]", "/Pattern <</P 5 0 R>>", content, &[pattern]);
    draw(bytes, Size::Width(50)).unwrap();
}
