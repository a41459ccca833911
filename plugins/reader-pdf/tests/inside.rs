//! Tests what a document holds beside its pages: filled forms and files. Also tests documents that are wrapped or
//! malformed.

mod support;

use mitt_reader_kit::{Content, Error, cell_as_str};
use support::{One, line, pdf, stream};

/// Returns a form with these objects, from number 6. `fields` are those of the form.
fn form(fields: &str, page: &str, more: &[String]) -> Vec<(String, String)> {
    let catalog = format!("/AcroForm<</Fields[{fields}]>>");
    let text = line(72, 700, "A form");
    let content = One { content: &text, catalog: &catalog, page, more, ..One::default() }.read();
    let Some(table) = content.tables.first() else { return Vec::new() };
    let pair = |row: &Vec<_>| match row.as_slice() {
        [name, value] => (cell_as_str(name).to_owned(), cell_as_str(value).to_owned()),
        _ => panic!("{row:?}"),
    };
    table.data.rows.iter().map(pair).collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn values_of_fields_with_widgets_below_them_are_read() {
    let widget = |more: &str| format!("<</Type/Annot/Subtype/Widget/Rect[0 0 9 9]{more}>>");
    let state =
        |on: &str, now: &str| widget(&format!("/AP<</N<</{on} 20 0 R/Off 20 0 R>>>>/AS/{now}"));
    let more = [
        "<</FT/Tx/T(surname)/V(M\\374ller)/Kids[7 0 R]>>".to_owned(),
        widget("/Parent 6 0 R"),
        "<</FT/Btn/Ff 49152/T(delivery)/V/express/Kids[9 0 R 10 0 R]>>".to_owned(),
        state("standard", "Off"),
        state("express", "express"),
        "<</FT/Ch/Ff 2097152/T(langs)/V[(it)(fr)]/Opt[(de)(fr)(it)]/Kids[7 0 R]>>".to_owned(),
        // The kind, the flags and the value are inherited.
        "<</T(person)/FT/Tx/V(same for all)/Kids[13 0 R 14 0 R]>>".to_owned(),
        "<</T(first)/V(Mia)/Parent 12 0 R>>".to_owned(),
        "<</T(second)/Parent 12 0 R/Kids[7 0 R]>>".to_owned(),
        "<</FT/Btn/T(news)/V/Yes/Kids[16 0 R]>>".to_owned(),
        state("Yes", "Yes"),
        "<</FT/Ch/Ff 131072/T(size)/V(l)/Opt[[(s)(small)][(l)(large)]]/Kids[7 0 R]>>".to_owned(),
        // The boxes are numbered, with their labels beside them.
        "<</FT/Btn/Ff 49152/T(colour)/V/1/Opt[(red)(green)]/Kids[19 0 R]>>".to_owned(),
        state("1", "1"),
        stream("/Type/XObject/Subtype/Form/BBox[0 0 9 9]", ""),
    ];
    let fields = "6 0 R 8 0 R 11 0 R 12 0 R 15 0 R 17 0 R 18 0 R";
    let expected = pairs(&[
        ("surname", "Müller"),
        ("delivery", "express"),
        ("langs", "it, fr"),
        ("person.first", "Mia"),
        ("person.second", "same for all"),
        ("news", "[x]"),
        ("size", "l (large)"),
        ("colour", "green"),
    ]);
    assert_eq!(form(fields, "", &more), expected);
}

#[test]
fn fields_that_only_the_page_names_are_read_and_rings_end() {
    let more = [
        "<</FT/Tx/T(lost)/V(found)/Kids[7 0 R]>>".to_owned(),
        "<</Type/Annot/Subtype/Widget/Rect[0 0 9 9]/Parent 6 0 R>>".to_owned(),
        "<</T(ring)/FT/Tx/V(round)/Kids[9 0 R]>>".to_owned(),
        "<</T(inner)/Parent 8 0 R/Kids[8 0 R 9 0 R]>>".to_owned(),
    ];
    assert_eq!(form("", "/Annots[7 0 R]", &more), pairs(&[("lost", "found")]));
    assert_eq!(form("8 0 R", "", &more), Vec::new());
    assert_eq!(form("6 0 R 6 0 R 7 0 R", "/Annots[7 0 R]", &more), pairs(&[("lost", "found")]));
}

#[test]
fn files_inside_are_parts_and_listed() {
    let file = |name: &str, at: u32| {
        format!("<</Type/Filespec/F(x)/UF({name})/EF<</F {at} 0 R/UF {at} 0 R>>>>")
    };
    let more = [
        stream("/Type/EmbeddedFile", "a,b\n1,2\n"),
        stream("/Type/EmbeddedFile", "<Invoice/>"),
        stream("/Type/EmbeddedFile", "note"),
        file("data.csv", 6),
        file("factur-x.xml", 7),
        file("note.txt", 8),
        "<</Names[(data.csv) 9 0 R]/Kids[13 0 R]>>".to_owned(),
        // The nodes are a ring, and one file has two names.
        "<</Names[(a) 9 0 R (b) 10 0 R]/Kids[12 0 R 13 0 R]>>".to_owned(),
    ];
    let text = line(72, 700, "An invoice.");
    let content = One {
        content: &text,
        catalog: "/Names<</EmbeddedFiles 12 0 R>>/AF[10 0 R]",
        page: "/Annots[<</Subtype/FileAttachment/Rect[0 0 9 9]/FS 11 0 R>>]",
        more: &more,
        ..One::default()
    };
    let bytes = content.write();
    let content = content.read();
    let parts: Vec<(&str, &[u8])> =
        content.parts.iter().map(|part| (part.name.as_str(), part.bytes.as_slice())).collect();
    let expected: [(&str, &[u8]); 3] =
        [("data.csv", b"a,b\n1,2\n"), ("factur-x.xml", b"<Invoice/>"), ("note.txt", b"note")];
    assert_eq!(parts, expected);
    assert_eq!(
        content.markdown,
        "An invoice.\n\nAttached:\n\n- data.csv (8 bytes)\n- factur-x.xml (10 bytes)\n- note.txt (4 bytes)\n"
    );
    assert_eq!(content.places.last().unwrap().label, "attached files");
    let share = reader_pdf::Share::new(0, 2).unwrap();
    let share = reader_pdf::share(&bytes, "pdf", None, share).unwrap();
    assert_eq!(reader_pdf::join(&[share]).unwrap(), content);
}

#[test]
fn what_stands_before_a_document_is_passed_over() {
    let document = One { content: &line(72, 700, "The text."), ..One::default() }.write();
    let mut apple = vec![0, 5, 22, 0, 0, 2, 0, 0];
    apple.resize(6_000, 0);
    let mut mac = vec![0, 8];
    mac.extend(b"text.pdf");
    mac.resize(128, 0);
    for before in [
        &b""[..],
        b"\xef\xbb\xbf",
        b"\n\n",
        b"Content-Type: application/pdf\r\n\r\n",
        &[b'x'; 1_000],
        &mac,
        &apple,
    ] {
        let bytes = [before, &document].concat();
        assert_eq!(reader_pdf::read(&bytes, "pdf", None).unwrap().markdown, "The text.\n");
    }
}

fn refused(bytes: &[u8]) -> String {
    match reader_pdf::read(bytes, "pdf", None) {
        Err(Error::Malformed(text)) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_nested_too_deeply_is_refused_by_name() {
    let told =
        "the document is damaged: its arrays and dictionaries are nested more than 256 levels deep";
    for (open, close) in [("[", "]"), ("<</A ", ">>"), ("[<</A[", "]>>]")] {
        for levels in [300, 50_000] {
            let deep = format!("<</A {}1{}>>", open.repeat(levels), close.repeat(levels));
            let bytes = One { content: "", more: &[deep], ..One::default() }.write();
            assert_eq!(refused(&bytes), told);
        }
    }
    assert_eq!(refused(format!("%PDF-1.4\ntrailer\n{}", "[".repeat(90_000)).as_bytes()), told);
}

#[test]
fn rings_and_lies_end() {
    let text = line(72, 700, "The text.");
    let read = |content: One<'_>| -> Content { content.read() };
    // Some forms paint themselves and each other. Others paint the next one many times.
    let form = |at: u32| {
        let resources = format!(
            "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</A {} 0 R/B 6 0 R>>>>",
            at + 1
        );
        stream(&resources, &"/A Do ".repeat(40))
    };
    let more: Vec<String> = (6..20).map(form).chain([stream("/Subtype/Form", "/A Do")]).collect();
    let content = format!("{text} /B Do /A Do");
    let content = read(One {
        content: &content,
        resources: "/XObject<</A 6 0 R/B 6 0 R>>",
        more: &more,
        ..One::default()
    });
    assert_eq!(content.markdown, "The text.\n");
    assert!(
        content
            .warnings
            .iter()
            .any(|it| it.contains("only a part of what is drawn on page 1 was looked at")),
        "{:?}",
        content.warnings
    );
    // There are more bookmarks in a row than can be followed, or they are a ring.
    let mark = |at: usize| {
        format!("<</Title(mark {at})/Next {} 0 R/First 6 0 R/Dest[3 0 R/Fit]>>", at + 1)
    };
    let more: Vec<String> = (6..4_000).map(mark).collect();
    let content = read(One {
        content: &text,
        catalog: "/Outlines<</First 6 0 R>>",
        more: &more,
        ..One::default()
    });
    assert_eq!(content.markdown, "The text.\n");
    assert!(content.warnings.iter().any(|it| it.contains("bookmarks")), "{:?}", content.warnings);
    // The tree of pages is a ring, and its count is wrong.
    let tree = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[2 0 R 3 0 R 3 0 R]/Count 2000000000/Parent 2 0 R>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 4 0 R>>>>/Contents 5 0 R>>".to_owned(),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_owned(),
        format!("<</Length 999999999>>stream\n{text}\nendstream"),
    ];
    assert!(reader_pdf::read(&pdf(&tree), "pdf", None).unwrap().markdown.contains("The text."));
}
