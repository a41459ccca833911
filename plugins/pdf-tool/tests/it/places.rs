use crate::{book, open, words};
use pdf_tool::{Place, Places, find_text, find_texts};

fn find(bytes: &[u8], text: &str) -> Places {
    find_text(open(bytes), "a.pdf", text, None, 20).unwrap()
}

fn one(content: &str, text: &str) -> Vec<Place> {
    find(&book(&[content], "", "", &[]), text).places
}

#[test]
fn a_place_has_its_page_its_rectangle_and_a_reference() {
    let bytes = book(&[&words("nothing"), &words("Call Ada now")], "", "", &[]);
    let found = find(&bytes, "ADA");
    assert_eq!((found.total, found.places[0].page), (1, 2));
    let [left, bottom, right, top] = found.places[0].rects[0];
    // `Call ` is 24 points wide in Helvetica of 12 points, and `Ada` 21.35.
    assert!((left - 34.0).abs() < 0.1 && (right - left - 21.35).abs() < 0.1, "{left} {right}");
    assert!(bottom < 50.0 && top > 58.0, "{bottom} {top}");
    assert_eq!(found.places[0].text, "Call Ada now");
    // From the upper left corner: the page is 100 points high.
    assert_eq!(found.places[0].reference, "a.pdf#page=2&rect=34,39.2,21.3,13.8");
    assert!(find(&bytes, "missing").places.is_empty());
}

#[test]
fn pages_and_their_number_are_limited() {
    let bytes = book(&[&words("x"), &words("x"), &words("x")], "", "", &[]);
    let found = find_text(open(&bytes), "a.pdf", "x", Some("2-"), 1).unwrap();
    assert_eq!((found.total, found.places.len(), found.places[0].page), (2, 1, 2));
    assert!(find_text(open(&bytes), "a.pdf", "x", Some("9"), 1).is_err());
    assert!(find_text(open(&bytes), "a.pdf", " ", None, 1).is_err());
}

#[test]
fn a_text_over_two_lines_has_two_rectangles() {
    let lines = "BT /F1 12 Tf 14 TL 10 60 Td (the con-) Tj (tract ends) ' ET";
    let found = one(lines, "contract ends");
    assert_eq!((found.len(), found[0].rects.len()), (1, 2));
    assert!(found[0].rects[0][1] > found[0].rects[1][1]);
    assert_eq!(one(lines, "contract").len(), 1);
}

#[test]
fn columns_are_not_mixed() {
    // Drawn line by line, across both columns.
    let rows = "BT /F1 8 Tf 10 80 Td (red) Tj 100 0 Td (dry) Tj -100 -10 Td (wine) Tj 100 0 Td (ice) Tj ET";
    assert_eq!(one(rows, "red wine").len(), 1);
    assert_eq!(one(rows, "dry ice").len(), 1);
    assert!(one(rows, "red dry").is_empty() && one(rows, "wine ice").is_empty());
    // Drawn column by column; the text goes on at the top of the next one.
    let columns = "BT /F1 8 Tf 10 80 Td (one) Tj 0 -10 Td (two) Tj 100 10 Td (three) Tj ET";
    let found = one(columns, "two three");
    assert_eq!((found.len(), found[0].rects.len()), (1, 2));
}

#[test]
fn a_turned_page_keeps_its_own_space_and_the_reference_is_as_seen() {
    let bytes = book(&[&words("Ada")], "", "/Rotate 90", &[]);
    let found = find(&bytes, "ada").places;
    let [left, bottom, right, top] = found[0].rects[0];
    assert!((left - 10.0).abs() < 0.1 && (bottom - 47.0).abs() < 0.1, "{left} {bottom}");
    // As seen, x is y of the page, and the upper edge is its left one.
    let wanted = [bottom, left, top - bottom, right - left].map(|it| (it * 10.0).round() / 10.0);
    assert_eq!(
        found[0].reference,
        format!("a.pdf#page=1&rect={}", wanted.map(|it| it.to_string()).join(","))
    );
    // Text that is itself turned.
    let turned = one("BT /F1 12 Tf 0 1 -1 0 50 10 Tm (red wine) Tj ET", "red wine");
    assert!(turned[0].rects[0][3] - turned[0].rects[0][1] > 30.0);
}

#[test]
fn numbers_and_text_painted_twice_are_found_once() {
    assert_eq!(one(&words("Total: 1,250.00 CHF"), "1250").len(), 1);
    assert!(one(&words("Total: 12,500.00 CHF"), "1250").is_empty());
    let twice = "BT /F1 12 Tf 10 50 Td (Bold) Tj ET BT /F1 12 Tf 10.2 50 Td (Bold) Tj ET";
    assert_eq!(one(twice, "bold").len(), 1);
}

#[test]
fn a_number_with_its_unit_stands_only_where_it_is_whole() {
    let found = one(&words("up 12.3%, then 2.3%"), "2.3%");
    assert_eq!(found.len(), 1);
    // `up 12.3%, then ` comes before it.
    assert!(found[0].rects[0][0] > 80.0, "{:?}", found[0].rects);
    assert_eq!(one(&words("15 kg and 5 kg"), "5 kg").len(), 1);
}

#[test]
fn fields_and_free_text_are_found_and_what_is_cut_off_is_counted() {
    let more = [
        "<</T (f) /FT /Tx /V (Secret word) /Subtype /Widget /Rect [10 10 90 24]>>".to_owned(),
        "<</Fields [6 0 R]>>".to_owned(),
        "<</Type /Annot /Subtype /FreeText /Rect [0 0 9 9] /Contents (a secret)>>".to_owned(),
    ];
    let bytes = book(&[""], "/AcroForm 7 0 R", "/Annots [6 0 R 8 0 R]", &more);
    let found = find(&bytes, "secret");
    assert_eq!(found.total, 2);
    assert_eq!(found.places[0].rects[0], [10.0, 10.0, 90.0, 24.0]);
    let cropped = book(&[&words("Ada")], "", "/CropBox [100 0 200 100]", &[]);
    let found = find(&cropped, "ada");
    assert!(found.total == 0 && found.warnings[0].contains("left out"), "{:?}", found.warnings);
}

#[test]
fn fonts_that_cannot_be_read_are_said() {
    let more = ["<</Font <</F1 7 0 R>>>>".to_owned(),
        "<</Type /Font /Subtype /Type0 /BaseFont /Odd /Encoding /Identity-H /DescendantFonts [8 0 R]>>".to_owned(),
        "<</Type /Font /Subtype /CIDFontType2 /BaseFont /Odd /CIDSystemInfo <</Registry (Adobe) /Ordering (Identity) /Supplement 0>>>>".to_owned()];
    let bytes = book(&["BT /F1 12 Tf 10 50 Td <00410042> Tj ET"], "", "/Resources 6 0 R", &more);
    let found = find(&bytes, "a");
    assert!(found.warnings.iter().any(|it| it.contains("`Odd`")), "{:?}", found.warnings);
}

/// Returns a page with text in a font of this encoding, whose glyphs are as wide as high.
fn east_asian(encoding: &str, ordering: &str, bytes: &[u8], table: &str) -> Vec<u8> {
    let digits: String = bytes.iter().map(|it| format!("{it:02x}")).collect();
    let more = [
        "<</Font <</F1 7 0 R>>>>".to_owned(),
        format!(
            "<</Type /Font /Subtype /Type0 /BaseFont /Song /Encoding /{encoding} /DescendantFonts [8 0 R] {table}>>"
        ),
        format!(
            "<</Type /Font /Subtype /CIDFontType2 /BaseFont /Song /DW 1000 /CIDSystemInfo <</Registry (Adobe) /Ordering ({ordering}) /Supplement 2>>>>"
        ),
        crate::stream(
            "",
            "1 begincodespacerange <0000> <ffff> endcodespacerange\n2 beginbfchar <0001> <2F42> <0002> <4EF6> endbfchar",
        ),
    ];
    book(&[&format!("BT /F1 10 Tf 10 90 Td <{digits}> Tj ET")], "", "/Resources 6 0 R", &more)
}

#[test]
fn radicals_are_found_as_the_characters_that_look_the_same() {
    let bytes = east_asian("Identity-H", "Identity", &[0, 1, 0, 2], "/ToUnicode 9 0 R");
    // The page has U+2F42, which a fitting search may have too.
    for text in ["文件", "\u{2f42}件"] {
        assert_eq!(find(&bytes, text).total, 1, "{text}");
    }
}

#[test]
fn text_in_old_encodings_is_found_where_it_stands() {
    // 中文報告 in GBK, with a code of four bytes between them in GB 18030.
    let text = b"\xd6\xd0\xce\xc4\x88\xf3\xb8\xe6";
    let rare = b"\xd6\xd0\xce\xc4\x81\x39\xee\x39\x88\xf3\xb8\xe6";
    for (encoding, ordering, bytes, left) in [
        ("GBKp-EUC-H", "GB1", &text[..], 30.0),
        ("GBK2K-H", "GB1", &rare[..], 40.0),
        ("B5pc-H", "CNS1", b"\xa4\xa4\xa4\xe5\xb3\xf8\xa7\x69", 30.0),
        ("UniGB-UTF8-H", "GB1", "中文報告".as_bytes(), 30.0),
        ("UniGB-UTF32-H", "GB1", b"\0\0\x4e\x2d\0\0\x65\x87\0\0\x58\x31\0\0\x54\x4a", 30.0),
        ("UniGB-UTF16-H", "GB1", b"\x4e\x2d\xd8\x40\xdc\x00\x58\x31\x54\x4a", 30.0),
    ] {
        let found = find(&east_asian(encoding, ordering, bytes, ""), "報告");
        let [place] = found.places.as_slice() else { panic!("{encoding}: {:?}", found.warnings) };
        let rect = place.rects[0];
        assert!(
            (rect[0] - left).abs() < 0.1 && (rect[2] - left - 20.0).abs() < 0.1,
            "{encoding}: {rect:?}"
        );
    }
    // From top to bottom: the text stands in the middle under its origin.
    let found = find(&east_asian("GBK2K-V", "GB1", text, ""), "報告").places;
    let [left, bottom, right, top] = found[0].rects[0];
    assert!((left - 5.0).abs() < 0.1 && (right - 15.0).abs() < 0.1, "{left} {right}");
    assert!((top - 70.0).abs() < 0.1 && (bottom - 50.0).abs() < 0.1, "{bottom} {top}");
}

#[test]
fn several_texts_are_found_on_their_pages_in_one_pass() {
    let bytes = book(&[&words("Ada and Ada"), &words("sum 1,250.00")], "", "", &[]);
    let texts: Vec<(usize, String)> =
        [(2, "1250"), (1, "Ada"), (1, "sum"), (9, "Ada"), (0, "Ada"), (1, " ")]
            .iter()
            .map(|(page, text)| (*page, (*text).to_owned()))
            .collect();
    let places = find_texts(open(&bytes), "a.pdf", &texts).unwrap();
    let found: Vec<Option<&str>> =
        places.iter().map(|it| it.first().map(|it| it.reference.as_str())).collect();
    let one = |text: &str| find(&bytes, text).places[0].reference.clone();
    assert_eq!(found[..2], [Some(one("1250").as_str()), Some(one("Ada").as_str())]);
    assert_eq!(found[2..], [None; 4], "on another page, on no page, and nothing to search");
    assert_eq!((places[0].len(), places[1].len()), (1, 2));
    let often = book(&[&words(&"x ".repeat(12))], "", "", &[]);
    let places = find_texts(open(&often), "a.pdf", &[(1, "x".to_owned())]).unwrap();
    assert_eq!(places[0].len(), 10);
    let many = vec![(1, "Ada".to_owned()); 201];
    assert!(find_texts(open(&bytes), "a.pdf", &many).is_err());
}
