use super::text_pages;
use crate::{Cancel, FontSet, PdfPages, TextAlign, TextPages};
use mitt_base::ErrorKind;

fn pages(texts: &[&str]) -> TextPages {
    TextPages {
        texts: texts.iter().map(|it| (*it).to_owned()).collect(),
        size: 12.0,
        color: [0x12, 0x34, 0x56],
        bold: false,
        width: None,
        align: TextAlign::Left,
        fonts: FontSet::default(),
        cancel: Cancel::default(),
    }
}

#[test]
fn each_text_has_a_page_of_its_size() {
    let file = text_pages(&pages(&["Total 1,250.00", "合同编号：2026-014", "", "a\nb"])).unwrap();
    let sizes = PdfPages::open(file.clone()).unwrap().sizes().to_vec();
    assert_eq!(sizes.len(), 4);
    assert!(sizes[0].width > 60.0 && sizes[0].width < 110.0, "{:?}", sizes[0]);
    assert!(sizes[0].height > 12.0 && sizes[0].height < 20.0, "{:?}", sizes[0]);
    assert!(sizes[1].width > 90.0 && sizes[1].width < 150.0, "{:?}", sizes[1]);
    assert!(sizes[3].height > 1.8 * sizes[0].height, "{:?}", sizes[3]);
    // The same texts give the same bytes, and larger letters a larger page.
    assert!(
        file == text_pages(&pages(&["Total 1,250.00", "合同编号：2026-014", "", "a\nb"])).unwrap()
    );
    let large = text_pages(&TextPages { size: 24.0, ..pages(&["Total 1,250.00"]) }).unwrap();
    let width = PdfPages::open(large).unwrap().sizes()[0].width;
    assert!((width / sizes[0].width - 2.0).abs() < 0.01, "{width}");
}

#[test]
fn long_lines_wrap_within_the_width() {
    let text = "one two three four five six seven eight nine ten ".repeat(10);
    let request = TextPages { width: Some(100.0), align: TextAlign::Right, ..pages(&[&text]) };
    let size = PdfPages::open(text_pages(&request).unwrap()).unwrap().sizes()[0];
    assert!((size.width - 100.0).abs() < 0.5 && size.height > 200.0, "{size:?}");
}

#[test]
fn what_is_out_of_its_range_is_refused() {
    for (request, expected) in [
        (pages(&[]), "texts: expected 1 to 5000, got 0"),
        (TextPages { size: 0.5, ..pages(&["a"]) }, "size: expected 1 to 500 points"),
        (TextPages { size: f64::NAN, ..pages(&["a"]) }, "size: expected 1 to 500 points"),
        (TextPages { width: Some(0.0), ..pages(&["a"]) }, "width: expected 1 to 14400 points"),
        (pages(&[&"a".repeat(200_001)]), "texts: expected at most 200000 characters"),
        (pages(&["\u{10FFFD}"]), "no font has these characters"),
    ] {
        let error = text_pages(&request).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Arguments, "{error}");
        assert!(error.to_string().contains(expected), "{error}");
    }
    // A text is never code.
    assert!(text_pages(&pages(&["#set page(width: 1pt) *a* $x$ @b <c>"])).is_ok());
}
