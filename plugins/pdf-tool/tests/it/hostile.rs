use crate::{book, file, open, stream, words};
use pdf_tool::{Error, Pdf, SaveOptions};

fn fails(bytes: Vec<u8>) -> String {
    match Pdf::open(bytes, None) {
        Err(Error::Malformed(text)) => text,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it opens"),
    }
}

#[test]
fn what_is_no_pdf_is_named() {
    assert!(fails(b"hello".to_vec()).contains("not a PDF"));
    assert!(fails(b"%PDF-1.4\n%%EOF".to_vec()).contains("no catalog"));
}

#[test]
fn lists_nested_without_end_are_refused() {
    let deep = format!(
        "<</Type /Catalog /Pages 2 0 R /X {}{}>>",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let pages = "<</Type /Pages /Kids [] /Count 0>>".to_owned();
    assert!(fails(file(&[deep, pages])).contains("nested deeper"));
}

#[test]
fn too_many_values_are_refused() {
    let many = format!("<</Type /Catalog /Pages 2 0 R /X [{}]>>", "1 ".repeat(4_100_000));
    let pages = "<</Type /Pages /Kids [] /Count 0>>".to_owned();
    assert!(fails(file(&[many, pages])).contains("too many values"));
}

#[test]
fn a_tree_of_pages_that_contains_itself_ends() {
    let objects = [
        "<</Type /Catalog /Pages 2 0 R>>".to_owned(),
        "<</Type /Pages /Kids [2 0 R 3 0 R] /Count 2>>".to_owned(),
        "<</Type /Pages /Kids [2 0 R 4 0 R] /Count 1 /Parent 2 0 R>>".to_owned(),
        "<</Type /Page /Parent 3 0 R>>".to_owned(),
    ];
    assert_eq!(open(&file(&objects)).page_count(), 1);
}

#[test]
fn a_tree_of_pages_deeper_than_64_levels_is_refused() {
    let mut objects = vec!["<</Type /Catalog /Pages 2 0 R>>".to_owned()];
    for at in 0..80 {
        objects.push(format!("<</Type /Pages /Kids [{} 0 R]>>", at + 3));
    }
    objects.push("<</Type /Page>>".to_owned());
    assert!(fails(file(&objects)).contains("deeper than 64"));
}

#[test]
fn fields_bookmarks_and_names_that_contain_themselves_end() {
    let more = vec![
        "<</Fields [7 0 R] >>".to_owned(),
        "<</T (a) /FT /Tx /Kids [7 0 R 8 0 R] /Parent 7 0 R>>".to_owned(),
        "<</T (b) /FT /Tx /Parent 7 0 R /Subtype /Widget /Rect [0 0 9 9]>>".to_owned(),
        "<</First 10 0 R>>".to_owned(),
        "<</Title (x) /Next 10 0 R /First 10 0 R>>".to_owned(),
        "<</Kids [11 0 R]>>".to_owned(),
    ];
    let catalog = "/AcroForm 6 0 R /Outlines 9 0 R /Names <</Dests 11 0 R /EmbeddedFiles 11 0 R>> /PageLabels 11 0 R";
    let mut pdf = open(&book(&[&words("x")], catalog, "", &more));
    assert_eq!(pdf.fields().len(), 1);
    assert_eq!(pdf.outline().len(), 1);
    assert!(pdf.attachments().is_empty());
    pdf.save(&SaveOptions::default()).unwrap();
}

#[test]
fn a_stream_that_grows_beyond_64_mib_is_refused() {
    let zeros = vec![b' '; 65 << 20];
    let packed = miniz_oxide::deflate::compress_to_vec_zlib(&zeros, 9);
    let hex: String = packed.iter().map(|it| format!("{it:02x}")).collect();
    let bomb = stream("/Filter [/ASCIIHexDecode /FlateDecode]", &hex);
    let bytes = book(&["x"], "", "/Contents 6 0 R", &[bomb]);
    // The last of two entries of the same name counts.
    let edits = [crate::text("1")];
    assert!(
        matches!(crate::edited(&bytes, &edits), Err(Error::Malformed(text)) if text.contains("too large"))
    );
}

#[test]
fn chains_of_references_and_tables_end() {
    let objects =
        ["<</Type /Catalog /Pages 3 0 R>>".to_owned(), "3 0 R".to_owned(), "2 0 R".to_owned()];
    assert!(Pdf::open(file(&objects), None).is_err());
    let mut bytes = book(&[&words("x")], "", "", &[]);
    let at = bytes.windows(9).position(|it| it == b"trailer\n<").unwrap();
    let start = bytes.windows(5).position(|it| it == b"xref\n").unwrap();
    bytes.splice(at + 10..at + 10, format!("/Prev {start} ").bytes());
    assert_eq!(open(&bytes).page_count(), 1);
}

#[test]
fn many_streams_without_an_end_are_read_in_linear_time() {
    let mut bytes = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Kids[3 0 R]>>endobj 3 0 obj<</Type/Page>>endobj\n".to_vec();
    for at in 4..30_000 {
        bytes.extend(format!("{at} 0 obj<<>>stream\n").bytes());
    }
    bytes.extend(b"endstream");
    let start = std::time::Instant::now();
    assert_eq!(open(&bytes).page_count(), 1);
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
