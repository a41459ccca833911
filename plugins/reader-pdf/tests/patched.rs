//! Tests what `unpdf.patch` changes in the library: fonts that are looked up once per page, objects that are moved out
//! of their streams, and the words of a page.

mod support;

use std::ops::ControlFlow;
use support::{pdf, stream};
use unpdf::parser::LayoutAnalyzer;
use unpdf::parser::backend::{ContentOp, Operator, PdfBackend, RawBackend};
use unpdf::parser::raw::RawDocument;
use unpdf::parser::raw::content::parse_content_stream;
use unpdf::{PageStreamOptions, ParseEvent, PdfParser};

/// Returns a font whose letter `A` is another letter.
fn font(letter: char) -> String {
    format!("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences[65/{letter}]>>>>")
}

fn show(y: u32) -> String {
    format!("BT /F 12 Tf 72 {y} Td (A A A) Tj ET")
}

#[test]
fn one_name_is_another_font_on_another_page_and_in_a_form() {
    let page = |resources: &str, content: u32| {
        format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<<{resources}>>/Contents {content} 0 R>>"
        )
    };
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R 4 0 R 5 0 R]/Count 3>>".to_owned(),
        page("/Font<</F 9 0 R>>/XObject<</X 8 0 R>>", 6),
        page("/Font<</F 10 0 R>>", 7),
        // A font without an object number.
        page(&format!("/Font<</F {}>>", font('W')), 7),
        stream("", &format!("{} /X Do {}", show(700), show(600))),
        stream("", &show(700)),
        stream(
            "/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Font<</F 11 0 R>>>>",
            &show(650),
        ),
        font('X'),
        font('Y'),
        font('Z'),
    ];
    let content = reader_pdf::read(&pdf(&objects), "pdf", None).unwrap();
    let letters: String = content.markdown.chars().filter(char::is_ascii_uppercase).collect();
    assert_eq!(letters, "XXXZZZXXXYYYWWW", "{}", content.markdown);
}

/// Returns the capital letters of a page, whose font `F` makes `X` of `A`. Its form `P` has a font `F` for `Y`, its form `Q` has no
/// resources, and its form `R` has a font `F` whose map to Unicode has `Z`.
fn letters(page: &str, [p, q, r]: [&str; 3]) -> String {
    let form = |resources: &str, content: &str| {
        stream(&format!("/Type/XObject/Subtype/Form/BBox[0 0 595 842]{resources}"), content)
    };
    let map =
        "1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <41> <005A> endbfchar";
    let mapped = font('X').replacen("<<", "<</ToUnicode 11 0 R", 1);
    let resources = "/Font<</F 8 0 R>>/XObject<</P 5 0 R/Q 6 0 R/R 7 0 R>>";
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<<{resources}>>>>"
        ),
        stream("", page),
        form("/Resources<</Font<</F 9 0 R>>>>", p),
        form("", q),
        form("/Resources<</Font<</F 10 0 R>>>>", r),
        font('X'),
        font('Y'),
        mapped,
        stream("", map),
    ];
    let content = reader_pdf::read(&pdf(&objects), "pdf", None).unwrap();
    content.markdown.chars().filter(char::is_ascii_uppercase).collect()
}

#[test]
fn a_form_inherits_the_font_and_not_its_name() {
    let bare = |y: u32| format!("BT 72 {y} Td (A A A) Tj ET");
    let page = |forms: &str| format!("{} {forms} {}", show(700), bare(500));
    let (bare, own) = (bare(600), show(600));
    for (forms, p, q, r, expected) in [
        // The font is that of the page until the form sets its own, and again after the form.
        ("/P Do", &bare, &bare, &bare, "XXX XXX XXX"),
        ("/P Do", &own, &bare, &bare, "XXX YYY XXX"),
        ("/Q Do", &bare, &bare, &bare, "XXX XXX XXX"),
        ("/Q Do", &bare, &own, &bare, "XXX XXX XXX"),
        ("/R Do", &bare, &bare, &bare, "XXX XXX XXX"),
        ("/R Do", &bare, &bare, &own, "XXX ZZZ XXX"),
        // A form in a form inherits the font of the outer one, whatever its own resources are.
        ("/R Do", &bare, &bare, &"/F 12 Tf /Q Do".to_owned(), "XXX ZZZ XXX"),
        ("/R Do", &bare, &bare, &"/F 12 Tf /P Do".to_owned(), "XXX ZZZ XXX"),
        ("/R Do", &own, &bare, &"/F 12 Tf /P Do".to_owned(), "XXX YYY XXX"),
        // What a form sets ends with it, and a form before it sets nothing for the next one.
        ("/R Do /P Do", &bare, &bare, &"/F 12 Tf".to_owned(), "XXX XXX XXX"),
    ] {
        let found = letters(&page(forms), [p, q, r]);
        assert_eq!(found, expected.replace(' ', ""), "{forms} {p} {q} {r}");
    }
}

/// Returns a document whose fonts are in an object stream, with a cross-reference stream. Two numbers refer to the
/// first of its objects, and the last refers to none. The stream ends with `blanks` spaces.
fn packed(blanks: usize) -> Vec<u8> {
    let (first, second) = (font('X'), font('Y'));
    let bad = first.len() + second.len() + 2;
    let index = format!("8 0 9 {} 12 {bad} ", first.len() + 1);
    let objects = format!("{index}{first} {second} )");
    // Run-length encoding: up to 128 literal bytes, then 128 blanks in two bytes.
    let mut runs = Vec::new();
    for run in objects.as_bytes().chunks(128) {
        runs.push(run.len() as u8 - 1);
        runs.extend(run);
    }
    runs.extend([129, b' '].repeat(blanks / 128));
    runs.push(128);
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned().into_bytes(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned().into_bytes(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 8 0 R/G 9 0 R/H 10 0 R>>>>/Contents 4 0 R>>"
            .to_owned()
            .into_bytes(),
        stream(
            "",
            "BT /F 12 Tf 72 700 Td (A) Tj ET BT /G 12 Tf 72 600 Td (A) Tj ET BT /H 12 Tf 72 500 Td (A) Tj ET",
        )
        .into_bytes(),
        [
            format!(
                "<</Type/ObjStm/N 3/First {}/Filter/RunLengthDecode/Length {}>>stream\n",
                index.len(),
                runs.len()
            )
            .into_bytes(),
            runs,
            b"\nendstream".to_vec(),
        ]
        .concat(),
    ];
    let mut out = b"%PDF-1.7\n".to_vec();
    let mut places = vec![(0, 0, 0)];
    for (index, object) in objects.iter().enumerate() {
        places.push((1, out.len(), 0));
        out.extend(format!("{} 0 obj\n", index + 1).bytes());
        out.extend(object);
        out.extend(b"\nendobj\n");
    }
    let start = out.len();
    // No objects 6 and 7, then those in the stream, the table, and an invalid entry.
    places.extend([
        (0, 0, 0),
        (0, 0, 0),
        (2, 5, 0),
        (2, 5, 1),
        (2, 5, 0),
        (1, start, 0),
        (2, 5, 2),
    ]);
    let table: Vec<String> = places
        .iter()
        .map(|(kind, place, index)| format!("{kind:02x}{place:08x}{index:02x}"))
        .collect();
    let table = format!("{}>", table.concat());
    let dict = "/Type/XRef/Size 13/W[1 4 1]/Root 1 0 R/Filter/ASCIIHexDecode";
    out.extend(format!("11 0 obj\n{}\nendobj\n", stream(dict, &table)).bytes());
    out.extend(format!("startxref\n{start}\n%%EOF\n").bytes());
    out
}

#[test]
fn an_object_in_a_stream_may_have_two_numbers() {
    let content = reader_pdf::read(&packed(0), "pdf", None).unwrap();
    let letters: String = content.markdown.chars().filter(char::is_ascii_uppercase).collect();
    assert_eq!(letters, "XYX", "{}", content.markdown);
}

#[test]
fn objects_in_streams_are_parsed_when_they_are_needed_up_to_64_mib() {
    for (blanks, bad) in [(0, 0), (1 << 20, 0), (64 << 20, 1)] {
        let document = RawDocument::load(&packed(blanks)).unwrap();
        // An invalid entry is detected at once only if all objects are parsed.
        assert_eq!(document.skipped_object_count(), bad, "{blanks}");
        assert!(document.get_object((12, 0)).is_none());
        let fonts = [8, 9, 10].map(|number| document.get_dict((number, 0)).unwrap());
        assert!(fonts[0] == fonts[2] && fonts[0] != fonts[1]);
    }
}

#[test]
fn pages_bring_the_words_that_the_library_finds_on_them() {
    for name in ["lab-tables", "lab-columns", "mitt", "weasy-styles", "weasy-tables"] {
        let file = format!("{}/tests/files/{name}.pdf", env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(file).unwrap();
        let library = RawBackend::load_bytes(&bytes).unwrap();
        let options = PageStreamOptions { parallel: false, ..PageStreamOptions::default() };
        let mut pages = Vec::new();
        let take = |event| {
            if let ParseEvent::PageParsed(page) = event {
                pages.push(page);
            }
            ControlFlow::Continue(())
        };
        PdfParser::from_bytes(&bytes).unwrap().for_each_page(options, take).unwrap();
        assert!(!pages.is_empty() && pages.len() == library.pages().len());
        for page in pages {
            let words = LayoutAnalyzer::new(&library).extract_page_spans(page.number).unwrap();
            assert!(!words.is_empty());
            assert_eq!(
                format!("{:?}", page.spans),
                format!("{words:?}"),
                "{name}, {}",
                page.number
            );
        }
    }
}

#[test]
fn operators_have_the_names_that_they_are_written_with() {
    let names = "q cm T* b* ' \" BDC SCN W* d0 foo x9 f* Tj Q";
    let read = parse_content_stream(names.as_bytes()).unwrap();
    let read: Vec<&str> = read.iter().map(|read| read.operator.as_str()).collect();
    assert_eq!(read.join(" "), names);
    assert_eq!(ContentOp::new("Tj", Vec::new()).operator, Operator::named("Tj"));
    assert_ne!(Operator::named("foo"), Operator::named("Foo"));
    // Brackets and escapes among the letters of a string.
    let text = parse_content_stream(b"(a(b)c\\)d\\101e\\\nf) Tj").unwrap();
    let text = format!("{:?}", text.first().unwrap().operands);
    assert_eq!(text, format!("[Str({:?})]", b"a(b)c)dAef"));
}
