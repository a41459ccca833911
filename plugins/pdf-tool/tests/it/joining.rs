use crate::{book, has, open, plain, words};
use pdf_tool::{Error, Pdf, SaveOptions, SplitBy, merge, split};

/// A document with a bookmark, a link by name, a field, a label and an attachment.
fn rich(text: &str) -> Vec<u8> {
    let more = vec![
        "<</Type /Outlines /First 9 0 R /Last 9 0 R /Count 1>>".to_owned(),
        format!("<</Title (Mark {text}) /Parent 8 0 R /Dest (there)>>"),
        "<</Type /Annot /Subtype /Link /Rect [0 0 9 9] /A <</S /GoTo /D (there)>>>>".to_owned(),
        format!("<</T (name) /FT /Tx /V ({text}) /Subtype /Widget /Rect [10 10 90 24]>>"),
        "<</Fields [11 0 R] /DA (/Helv 9 Tf)>>".to_owned(),
        "<</F (a.txt) /EF <</F 14 0 R>>>>".to_owned(),
        "<</Length 1>>\nstream\nx\nendstream".to_owned(),
    ];
    let catalog = format!(
        "/Outlines 8 0 R /AcroForm 12 0 R /PageLabels <</Nums [0 <</P ({text}-) /S /D>>]>> \
         /Names <</Dests <</Names [(there) [6 0 R /Fit]]>> /EmbeddedFiles <</Names [(a.txt) 13 0 R]>>>>"
    );
    book(&[&words(text), &words("second")], &catalog, "/Annots [10 0 R 11 0 R]", &more)
}

fn named(name: &str, bytes: &[u8]) -> (String, Pdf) {
    (name.to_owned(), open(bytes))
}

#[test]
fn bookmarks_links_fields_labels_and_attachments_survive() {
    let (mut pdf, warnings) =
        merge(vec![named("a.pdf", &rich("A")), named("b.pdf", &rich("B"))]).unwrap();
    let bytes = pdf.save(&SaveOptions { is_packed: true, protection: None }).unwrap();
    let pdf = open(&bytes);
    assert_eq!(pdf.page_count(), 4);
    let outline: Vec<_> = pdf.outline().into_iter().map(|it| (it.title, it.page)).collect();
    assert_eq!(outline, [("Mark A".to_owned(), Some(2)), ("Mark B".to_owned(), Some(4))]);
    let targets: Vec<_> = pdf.annotation_infos().into_iter().filter_map(|it| it.target).collect();
    assert_eq!(targets, ["page 2", "page 2", "page 4", "page 4"]);
    let fields: Vec<_> = pdf.fields().into_iter().map(|it| (it.name, it.value)).collect();
    assert_eq!(
        fields,
        [("name".to_owned(), "A".to_owned()), ("name-2".to_owned(), "B".to_owned())]
    );
    let labels: Vec<_> = pdf.page_infos().into_iter().filter_map(|it| it.label).collect();
    assert_eq!(labels, ["A-1", "A-2", "B-1", "B-2"]);
    assert_eq!(pdf.attachments().len(), 2);
    assert!(warnings.iter().any(|it| it.contains("`name` to `name-2`")), "{warnings:?}");
}

#[test]
fn one_document_is_not_joined() {
    assert!(matches!(merge(vec![named("a.pdf", &rich("A"))]), Err(Error::Invalid(_))));
}

#[test]
fn parts_have_only_what_is_theirs() {
    let parts = split(open(&rich("A")), &SplitBy::Every(1)).unwrap();
    assert_eq!(parts.len(), 2);
    assert!(!has(&plain(&parts[0].bytes), "(second)") && has(&plain(&parts[1].bytes), "(second)"));
    assert_eq!(open(&parts[1].bytes).outline().len(), 1);
    assert!(open(&parts[0].bytes).outline().is_empty());
}

#[test]
fn documents_are_split_by_lists_bookmarks_and_size() {
    let bytes = rich("A");
    let lists = SplitBy::Pages(vec!["2".to_owned(), "1-".to_owned()]);
    let sizes: Vec<_> =
        split(open(&bytes), &lists).unwrap().into_iter().map(|it| it.pages).collect();
    assert_eq!(sizes, [vec![2], vec![1, 2]]);
    let marks: Vec<_> = split(open(&bytes), &SplitBy::Bookmarks(1))
        .unwrap()
        .into_iter()
        .map(|it| it.title)
        .collect();
    assert_eq!(marks, ["beginning", "Mark A"]);
    assert_eq!(split(open(&bytes), &SplitBy::Size(100_000)).unwrap().len(), 1);
    assert!(split(open(&bytes), &SplitBy::Bookmarks(3)).is_err());
    assert!(split(open(&bytes), &SplitBy::Every(0)).is_err());
}
