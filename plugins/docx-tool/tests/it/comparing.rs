//! Redlines.

use super::*;
use docx_tool::{DifferenceKind, compare};

fn paragraphs(texts: &[&str]) -> String {
    texts.iter().map(|it| format!("<w:p><w:r><w:t>{it}</w:t></w:r></w:p>")).collect()
}

/// Compares two documents, checks both sides, and returns the kinds of differences.
fn check(old: &str, new: &str) -> Vec<DifferenceKind> {
    let (old, new) = (docx(old), docx(new));
    let found = compare(old.clone(), new.clone(), &options(true)).unwrap();
    assert_eq!(texts(&accepted(&found.redline), View::Accepted), texts(&new, View::Accepted));
    assert_eq!(
        texts(&rejected(&found.redline), View::Accepted),
        texts(&old, View::Accepted),
        "{}",
        body(&found.redline)
    );
    found.differences.into_iter().map(|it| it.kind).collect()
}

#[test]
fn paragraphs_are_aligned() {
    use DifferenceKind::*;
    let long = "This clause moves to another place in the contract.";
    assert_eq!(check(&paragraphs(&["a b", "c d"]), &paragraphs(&["a b", "c d"])), []);
    assert_eq!(
        check(&paragraphs(&["one two three four"]), &paragraphs(&["one two 3 four"])),
        [Changed]
    );
    assert_eq!(check(&paragraphs(&["a", "b"]), &paragraphs(&["a", "x", "b"])), [Inserted]);
    assert_eq!(check(&paragraphs(&["a", "b", "c"]), &paragraphs(&["a"])), [Deleted, Deleted]);
    assert_eq!(check(&paragraphs(&["a"]), &paragraphs(&["a", "b", "c"])), [Inserted, Inserted]);
    assert_eq!(check(&paragraphs(&["a", "x"]), &paragraphs(&["a", "y", "z"])).len(), 2);
    assert_eq!(
        check(&paragraphs(&[long, "a", "b", "c"]), &paragraphs(&["a", "b", long, "c"])),
        [Moved]
    );
    assert_eq!(
        check(&paragraphs(&["第一条 甲方支付"]), &paragraphs(&["第一条 乙方支付"])),
        [Changed]
    );
    check(&paragraphs(&["a"]), &paragraphs(&["completely other words"]));
    check("<w:p/>", &paragraphs(&["x"]));
    check(&paragraphs(&["x"]), "<w:p/>");
}

#[test]
fn tables_are_compared_by_rows_and_cells() {
    use DifferenceKind::*;
    let row = |texts: &[&str]| {
        let cells: String =
            texts.iter().map(|it| format!("<w:tc>{}</w:tc>", paragraphs(&[it]))).collect();
        format!("<w:tr>{cells}</w:tr>")
    };
    let table = |rows: &[String]| format!("<w:tbl>{}</w:tbl><w:p/>", rows.concat());
    let old = table(&[row(&["Name", "Price"]), row(&["Blue pen", "3.50"]), row(&["Cup", "9"])]);
    assert_eq!(
        check(
            &old,
            &table(&[row(&["Name", "Price"]), row(&["Blue pen", "4.00"]), row(&["Cup", "9"])])
        ),
        [Changed]
    );
    assert_eq!(check(&old, &table(&[row(&["Name", "Price"]), row(&["Cup", "9"])])), [Deleted]);
    assert_eq!(
        check(
            &old,
            &table(&[
                row(&["Name", "Price"]),
                row(&["Blue pen", "3.50"]),
                row(&["Bag", "1"]),
                row(&["Cup", "9"])
            ])
        ),
        [Inserted]
    );
    assert_eq!(check(&old, "<w:p/>"), [Deleted]);
    assert_eq!(check("<w:p/>", &old), [Inserted]);
    check(&old, &table(&[row(&["Name", "No", "Price"]), row(&["Blue pen", "1", "3.50"])]));
}

#[test]
fn styles_are_found_by_name() {
    let styled = |style: &str| {
        format!(
            "<w:p><w:pPr><w:pStyle w:val=\"{style}\"/></w:pPr><w:r><w:t>same text</w:t></w:r></w:p>"
        )
    };
    assert_eq!(check(&styled("H1"), &styled("Quote")), [DifferenceKind::Formatted]);
}

#[test]
fn changes_in_the_sources_are_accepted_first() {
    let old = docx(
        "<w:p><w:ins w:id=\"1\" w:author=\"x\"><w:r><w:t>new </w:t></w:r></w:ins><w:r><w:t>text</w:t></w:r></w:p>",
    );
    let new = docx(&paragraphs(&["new text"]));
    let found = compare(old, new, &options(true)).unwrap();
    assert!(found.warnings[0].contains("1 tracked change, which was"), "{:?}", found.warnings);
}
