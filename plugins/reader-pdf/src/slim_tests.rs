use super::*;

/// Returns a document of objects with their numbers. The first is the catalog. `more` is put into the trailer.
fn document(objects: &[(u32, &str)], more: &str) -> Vec<u8> {
    let mut out = String::from("%PDF-1.4\n");
    let mut table = String::from("xref\n");
    for (number, object) in objects {
        table.push_str(&format!("{number} 1\n{:010} 00000 n \n", out.len()));
        out.push_str(&format!("{number} 0 obj\n{object}\nendobj\n"));
    }
    let start = out.len();
    out.push_str(&format!(
        "{table}trailer\n<</Size 99/Root 1 0 R{more}>>\nstartxref\n{start}\n%%EOF\n"
    ));
    out.into_bytes()
}

const CATALOG: (u32, &str) = (1, "<</Type/Catalog/Pages 2 0 R>>");
const PAGES: (u32, &str) = (
    2,
    "<</Type/Pages/Count 1/Kids[3 0 R]/MediaBox[0 0 300 400]/Rotate 90/Resources<</Font<</F 5 0 R>>>>>>",
);
const PAGE: (u32, &str) = (3, "<</Type/Page/Parent 2 0 R/Contents 4 0 R>>");
const CONTENT: (u32, &str) =
    (4, "<</Length 37>>stream\nBT /F 12 Tf 30 300 Td (Hello) Tj ET Q\nendstream");
const FONT: (u32, &str) = (5, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>");

/// Returns the document with a painting of its first page.
fn painted(bytes: &[u8], painting: Painting) -> Option<Vec<u8>> {
    let document = RawDocument::load(bytes).unwrap();
    let pages = document.pages();
    slim(&document, (&pages, &pages), (&BTreeMap::from([(1, painting)]), &BTreeMap::new()), true)
}

fn slimmed(bytes: &[u8]) -> Option<Vec<u8>> {
    painted(bytes, Painting::default())
}

fn text(bytes: &[u8]) -> String {
    unpdf::parse_bytes(bytes).unwrap().plain_text().trim().to_owned()
}

#[test]
fn only_what_the_library_reads_is_written() {
    let bytes = document(
        &[
            (
                1,
                "<</Type/Catalog/Pages 2 0 R/StructTreeRoot 6 0 R/Names 7 0 R/Metadata 8 0 R/Outlines 9 0 R>>",
            ),
            PAGES,
            (
                3,
                "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Thumb 8 0 R/StructParents 0/Annots[12 0 R]/Resources<</XObject<</P 11 0 R>>>>>>",
            ),
            (4, "<</Length 43>>stream\nBT /F 12 Tf 30 300 Td (Hello) Tj ET /P Do Q\nendstream"),
            FONT,
            (6, "<</Type/StructTreeRoot/K<</S/P/ActualText(gone)>>>>"),
            (7, "<</EmbeddedFiles<</Names[(gone)8 0 R]>>>>"),
            (8, "<</Length 4>>stream\ngone\nendstream"),
            (9, "<</First 10 0 R/Count 1>>"),
            (10, "<</Title(Part)/Parent 9 0 R/Dest[3 0 R/Fit]>>"),
            (
                11,
                "<</Type/XObject/Subtype/Image/Width 7/Height 8/SMask 8 0 R/Length 4>>stream\ngone\nendstream",
            ),
            (
                12,
                "<</Subtype/Link/Rect[0 0 300 400]/A<</S/URI/URI(https://example.org/)>>/AP<</N 8 0 R>>>>",
            ),
            (13, "<</Title(About)>>"),
        ],
        "/Info 13 0 R",
    );
    let anew = slimmed(&bytes).unwrap();
    let shown = String::from_utf8_lossy(&anew);
    let gone = ["gone", "676f6e65", "StructTree", "Names", "Thumb", "SMask", "/AP"];
    assert_eq!(gone.map(|word| shown.contains(word)), [false; 7], "{shown}");
    for bytes in [&bytes, &anew] {
        let read = unpdf::parse_bytes(bytes).unwrap();
        let page = &read.pages[0];
        assert_eq!((page.width, page.height, page.rotation), (300.0, 400.0, 90));
        assert_eq!(read.plain_text().trim(), "Hello");
        assert!(format!("{:?}", page.elements).contains("https://example.org/"));
        assert_eq!(page.image_op_count, 1);
        assert_eq!(read.metadata.title.as_deref(), Some("About"));
        let part = &read.outline.as_ref().unwrap().items[0];
        assert_eq!((part.title.as_str(), part.page), ("Part", Some(1)));
    }
}

#[test]
fn documents_of_ten_pages_are_written_anew() {
    let changed = |count: usize| {
        let numbers = 10..10 + u32::try_from(count).unwrap();
        let kids: String = numbers.clone().map(|number| format!("{number} 0 R ")).collect();
        let pages = format!("<</Type/Pages/Kids[{kids}]/Resources<</Font<</F 5 0 R>>>>>>");
        let mut objects = vec![CATALOG, (2, pages.as_str()), CONTENT, FONT];
        objects.extend(numbers.map(|number| (number, PAGE.1)));
        crate::look::look(&document(&objects, ""), None, crate::Share::WHOLE).unwrap().changed
    };
    assert_eq!(changed(9), None);
    assert_eq!(text(&changed(10).unwrap()).matches("Hello").count(), 10);
}

#[test]
fn values_stay_what_they_are() {
    let values = "[null true -7 9223372036854775807 -0.5 3. .25 100000000000000000000.5 /A#20b#23/#2f() /\u{7f}#00 \
                  (a\\)\\n\\377) <00ff> [[]] <</K<</K/V>>>> 3 0 R 77 0 R 5 0 /R]";
    let bytes = document(&[CATALOG, PAGES, PAGE, CONTENT, FONT, (6, values)], "/Info 6 0 R");
    let (before, after) =
        (RawDocument::load(&bytes).unwrap(), RawDocument::load(&slimmed(&bytes).unwrap()).unwrap());
    for number in 4..=6 {
        let object = before.get_object((number, 0));
        assert!(object.is_some());
        match (object, after.get_object((number, 0))) {
            // The length is written out.
            (Some(PdfObject::Stream(before)), Some(PdfObject::Stream(after))) => {
                assert_eq!(before.raw_data, after.raw_data);
            }
            (before, after) => assert_eq!(before, after),
        }
    }
    assert!(!after.xref_reconstructed());
    assert_eq!(after.skipped_object_count(), 0);
}

#[test]
fn whatever_is_wrong_with_a_document_is_no_trouble() {
    let deep = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    let huge = format!("[{}.0]", "9".repeat(400));
    let (deepest, too_deep) = (deep(MAX_DEPTH), deep(MAX_DEPTH + 1));
    let cyclic = "<</A 6 0 R/B[6 0 R 7 0 R]>>";
    let of_itself = (
        2,
        "<</Type/Pages/Parent 2 0 R/Kids[3 0 R 2 0 R 3 0 R 66 0 R]/MediaBox[0 0 300 400]/Resources<</Font<</F 5 0 R>>>>>>",
    );
    for (pages, info, is_written) in [
        (PAGES, cyclic, true),
        (of_itself, cyclic, true),
        (PAGES, "[99 0 R 8000000 0 R 5 65535 R]", true),
        (PAGES, &deepest, true),
        (PAGES, &too_deep, false),
        (PAGES, &huge, false),
    ] {
        let bytes = document(
            &[CATALOG, pages, PAGE, CONTENT, FONT, (6, info), (7, "6 0 R")],
            "/Info 6 0 R",
        );
        let anew = slimmed(&bytes);
        assert_eq!(anew.is_some(), is_written, "{info}");
        assert_eq!(text(&anew.unwrap_or(bytes)), "Hello", "{info}");
    }
    for objects in [
        // A catalog that is a page, and a missing one.
        [(1, "<</Type/Page/Pages 1 0 R>>"), PAGES, PAGE, CONTENT],
        [(6, "<<>>"), PAGES, PAGE, CONTENT],
    ] {
        assert_eq!(slimmed(&document(&objects, "")), None);
    }
}

#[test]
fn paintings_stand_before_what_is_left_of_a_page() {
    let bytes = document(&[CATALOG, PAGES, PAGE, CONTENT, FONT], "");
    let instead = |text: &str| Painting {
        instead: Some(format!("BT /F 12 Tf 30 300 Td ({text}) Tj ET").into_bytes()),
        ..Painting::default()
    };
    assert_eq!(text(&painted(&bytes, instead("Instead")).unwrap()), "Instead");
    let grid = Grid { rows: vec![320.0, 290.0], columns: vec![20.0, 200.0] };
    let drawn = painted(&bytes, Painting { grids: vec![grid], ..Painting::default() }).unwrap();
    assert_eq!(text(&drawn), "Hello");
    let at = |word: &str| String::from_utf8_lossy(&drawn).find(word);
    assert!(at("20.00 320.00 m").is_some() && at("(Hello)").is_some());
    let document = RawDocument::load(&drawn).unwrap();
    let page = document.get_dict((3, 0)).unwrap();
    let parts = [PdfObject::Reference(6, 0), PdfObject::Reference(4, 0)];
    assert_eq!(dict_get(page, b"Contents"), Some(&PdfObject::Array(parts.to_vec())));
}

#[test]
fn fonts_are_named_in_the_page_as_long_as_there_is_room() {
    let page = (3, "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources 6 0 R>>");
    let many =
        |count: usize| -> String { (0..count).map(|name| format!("/F{name} 5 0 R")).collect() };
    for (fonts, is_in_page) in [
        ("7 0 R".to_owned(), true),
        (format!("<<{}/F 5 0 R>>", many(MAX_NAMES - 1)), true),
        (format!("<<{}/F 5 0 R>>", many(MAX_NAMES)), false),
        // A font without an object number; no fonts.
        ("<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>".to_owned(), false),
        ("5".to_owned(), false),
    ] {
        let resources = format!("<</Font {fonts}/ExtGState 8 0 R>>");
        let bytes = document(
            &[
                CATALOG,
                PAGES,
                page,
                CONTENT,
                FONT,
                (6, &resources),
                (7, "<</F 5 0 R>>"),
                (8, "<<>>"),
            ],
            "",
        );
        let anew = slimmed(&bytes).unwrap();
        // The library looks up each of them.
        assert!(resources.len() > 1_000 || text(&anew) == "Hello");
        let anew = RawDocument::load(&anew).unwrap();
        let found = dict_get(anew.get_dict((3, 0)).unwrap(), b"Resources").unwrap();
        assert_eq!(found.as_dict().is_some(), is_in_page);
        assert_eq!(anew.get_object((6, 0)).is_none(), is_in_page);
    }
}

#[test]
fn numbers_and_bytes_are_bounded() {
    let with = |number: u32, length: usize| {
        let kids = format!("[{number} 0 R]");
        let bytes = document(&[CATALOG, PAGES, PAGE, CONTENT, FONT, (6, &kids)], "/Info 6 0 R");
        painted(&bytes, Painting { instead: Some(vec![b' '; length]), ..Painting::default() })
    };
    assert!(with(MAX_NUMBER - 1, 1).is_some());
    assert!(with(MAX_NUMBER, 1).is_none());
    assert!(with(u32::MAX, 1).is_none());
    assert!(with(9, MAX_BYTES - 5_000).is_some());
    assert!(with(9, MAX_BYTES).is_none());
}
