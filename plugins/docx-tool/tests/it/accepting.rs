//! Accepting and rejecting changes of others.

use super::*;
use docx_tool::{ChangeFilter, ChangeKind};

const CHANGES: &str = "<w:p><w:ins w:id=\"1\" w:author=\"Ann\" w:date=\"2026-01-05T08:00:00Z\"><w:r><w:t>A</w:t></w:r></w:ins>\
    <w:del w:id=\"2\" w:author=\"Bob\" w:date=\"2026-02-05T08:00:00Z\"><w:r><w:delText>B</w:delText></w:r></w:del>\
    <w:r><w:rPr><w:b/><w:rPrChange w:id=\"3\" w:author=\"Ann\" w:date=\"2026-03-05T08:00:00Z\"><w:rPr><w:i/></w:rPr></w:rPrChange></w:rPr><w:t>C</w:t></w:r></w:p>\
    <w:p><w:pPr><w:rPr><w:del w:id=\"4\" w:author=\"Bob\" w:date=\"2026-02-06T08:00:00Z\"/></w:rPr></w:pPr><w:r><w:t>D</w:t></w:r></w:p><w:p><w:r><w:t>E</w:t></w:r></w:p>";

#[test]
fn changes_are_listed_with_author_and_date() {
    let found = Document::open(docx(CHANGES)).unwrap().changes();
    let kinds: Vec<_> =
        found.iter().map(|it| (it.kind, it.text.as_str(), it.author.as_str())).collect();
    assert_eq!(
        kinds,
        [
            (ChangeKind::Insertion, "A", "Ann"),
            (ChangeKind::Deletion, "B", "Bob"),
            (ChangeKind::Formatting, "C", "Ann"),
            (ChangeKind::ParagraphDeletion, "", "Bob"),
        ]
    );
    assert!(found[0].id.starts_with("r0-") && found[0].at.as_ref().unwrap().starts_with("p0-"));
}

#[test]
fn all_or_some_are_accepted() {
    let bytes = docx(CHANGES);
    assert_eq!(texts(&accepted(&bytes), View::Marks), ["AC", "DE"]);
    assert_eq!(texts(&rejected(&bytes), View::Marks), ["BC", "D", "E"]);
    assert!(body(&rejected(&bytes)).contains("<w:r><w:rPr><w:i/></w:rPr><w:t>C</w:t></w:r>"));
    let run = |filter: ChangeFilter| {
        texts(&plain(&bytes, &[Edit::AcceptChanges(filter)]).unwrap().bytes, View::Marks)
    };
    let author = ChangeFilter { author: Some("Bob".to_owned()), ..Default::default() };
    assert_eq!(run(author), ["[+A+]C", "DE"]);
    let dates = ChangeFilter {
        from: Some("2026-01".to_owned()),
        to: Some("2026-02-05".to_owned()),
        ..Default::default()
    };
    assert_eq!(run(dates), ["AC", "D", "E"]);
    let id = Document::open(bytes.clone()).unwrap().changes()[0].id.clone();
    assert_eq!(run(ChangeFilter { ids: vec![id], ..Default::default() }), ["A[-B-]C", "D", "E"]);
    let wrong = ChangeFilter { ids: vec!["r0-0000".to_owned()], ..Default::default() };
    assert!(plain(&bytes, &[Edit::AcceptChanges(wrong)]).is_err());
    assert!(Document::open(accepted(&bytes)).unwrap().changes().is_empty());
}

#[test]
fn nested_changes_and_rows() {
    let nested = docx(
        "<w:p><w:ins w:id=\"1\" w:author=\"Ann\"><w:r><w:t>a</w:t></w:r><w:del w:id=\"2\" w:author=\"Bob\"><w:r><w:delText>b</w:delText></w:r></w:del></w:ins></w:p>",
    );
    assert_eq!(texts(&accepted(&nested), View::Accepted), ["a"]);
    assert_eq!(texts(&rejected(&nested), View::Accepted), [""]);
    let bob = ChangeFilter { author: Some("Bob".to_owned()), ..Default::default() };
    let found = plain(&nested, &[Edit::RejectChanges(bob)]).unwrap();
    assert_eq!(texts(&found.bytes, View::Marks), ["[+ab+]"]);
    let row = |mark: &str, text: &str| {
        format!(
            "<w:tr><w:trPr>{mark}</w:trPr><w:tc><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc></w:tr>"
        )
    };
    let table = docx(&format!(
        "<w:tbl>{}{}{}</w:tbl><w:p/>",
        row("", "1"),
        row("<w:ins w:id=\"1\" w:author=\"x\"/>", "2"),
        row("<w:del w:id=\"2\" w:author=\"x\"/>", "3")
    ));
    assert_eq!(texts(&accepted(&table), View::Accepted), ["1", "2", ""]);
    assert_eq!(texts(&rejected(&table), View::Accepted), ["1", "3", ""]);
}
