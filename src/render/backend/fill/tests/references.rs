//! References of repeated rows: relative, fixed and mixed ones, ranges, and references to other sheets.

use super::*;

/// Returns a workbook of two sheets, `S` and `T`.
fn two_sheets(s: &[&[&str]], t: &[&[&str]]) -> Vec<u8> {
    let rels = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let sheet = |rows| format!("<worksheet><sheetData>{}</sheetData></worksheet>", cells(rows));
    pack(&[
        ("[Content_Types].xml", "<Types/>"),
        (
            "_rels/.rels",
            &format!(
                "<Relationships><Relationship Id=\"r\" Type=\"{rels}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/workbook.xml",
            "<workbook><sheets><sheet name=\"S\" sheetId=\"1\" r:id=\"a\"/><sheet name=\"T\" sheetId=\"2\" r:id=\"b\"/></sheets></workbook>",
        ),
        (
            "xl/_rels/workbook.xml.rels",
            &format!(
                "<Relationships><Relationship Id=\"a\" Type=\"{rels}/worksheet\" Target=\"worksheets/s.xml\"/><Relationship Id=\"b\" Type=\"{rels}/worksheet\" Target=\"worksheets/t.xml\"/></Relationships>"
            ),
        ),
        ("xl/worksheets/s.xml", &sheet(s)),
        ("xl/worksheets/t.xml", &sheet(t)),
    ])
}

fn three_rows() -> FillValues {
    let rows = (1..=3).map(|n| record(&[("n", number(&n.to_string()))]));
    values(&[("l", FillValue::List(rows.collect()))])
}

/// Returns a formula in each copy of a row that is repeated three times. The row is the third; the first is above it, the
/// fifth below.
fn copies(formula: &str) -> Vec<String> {
    let template = two_sheets(
        &[&["head", "10"], &["{{#l}}"], &["{{n}}", "", formula], &["{{/l}}"], &["under"]],
        &[&["{{#l}}"], &["x", "", "", "{{n}}"], &["{{/l}}"], &["below"]],
    );
    let filled = fill(&template, &three_rows()).unwrap();
    let found = formulas(&filled.bytes, "S");
    ["C2", "C3", "C4"].iter().map(|at| found[*at].clone()).collect()
}

#[test]
fn a_fixed_row_stays_and_a_relative_one_goes_with_its_copy() {
    for (formula, expected) in [
        // The row itself.
        ("=A3", ["A2", "A3", "A4"]),
        ("=$A3", ["$A2", "$A3", "$A4"]),
        ("=A$3", ["A$2", "A$2", "A$2"]),
        ("=$A$3", ["$A$2", "$A$2", "$A$2"]),
        ("=S!A3", ["S!A2", "S!A3", "S!A4"]),
        ("=S!A$3", ["S!A$2", "S!A$2", "S!A$2"]),
        // The row right above.
        ("=B1", ["B1", "B2", "B3"]),
        ("=B$1", ["B$1", "B$1", "B$1"]),
        ("=$B$1", ["$B$1", "$B$1", "$B$1"]),
        // Both in one formula.
        ("=A3/A$3*B$1", ["A2/A$2*B$1", "A3/A$2*B$1", "A4/A$2*B$1"]),
        // A row below.
        ("=A5", ["A5", "A5", "A5"]),
        ("=A$5", ["A$5", "A$5", "A$5"]),
        // One fixed cell in a sum stands for all copies.
        ("=SUM(A$3)", ["SUM(A$2:A$4)", "SUM(A$2:A$4)", "SUM(A$2:A$4)"]),
        ("=SUM(A3)", ["SUM(A2)", "SUM(A3)", "SUM(A4)"]),
        // Ranges with one fixed end, or two.
        ("=SUM(A$3:A3)", ["SUM(A$2:A2)", "SUM(A$2:A3)", "SUM(A$2:A4)"]),
        ("=SUM(A3:A$3)", ["SUM(A2:A$4)", "SUM(A3:A$4)", "SUM(A4:A$4)"]),
        ("=SUM(A$3:B$3)", ["SUM(A$2:B$4)", "SUM(A$2:B$4)", "SUM(A$2:B$4)"]),
        ("=SUM(A3:B3)", ["SUM(A2:B2)", "SUM(A3:B3)", "SUM(A4:B4)"]),
        ("=SUM(B$1:B3)", ["SUM(B$1:B2)", "SUM(B$1:B3)", "SUM(B$1:B4)"]),
        // Another sheet that repeats the same list is followed; its other rows stay.
        ("=T!D2", ["T!D1", "T!D2", "T!D3"]),
        ("=T!D$2", ["T!D$1", "T!D$1", "T!D$1"]),
        ("=T!A4", ["T!A4", "T!A4", "T!A4"]),
        ("=T!$A$4", ["T!$A$4", "T!$A$4", "T!$A$4"]),
    ] {
        assert_eq!(copies(formula), expected, "{formula}");
    }
}

#[test]
fn references_from_outside_name_the_first_copy_or_all() {
    let template = two_sheets(
        &[
            &["head"],
            &["{{#l}}"],
            &["{{n}}"],
            &["{{/l}}"],
            &["=A3", "=A$3", "=SUM(A$3)", "=SUM(A3:A3)"],
        ],
        &[&["=S!A3", "=S!A$3", "=SUM(S!A$3)", "=SUM(S!A$1:A$3)", "=S!A5"]],
    );
    let filled = fill(&template, &three_rows()).unwrap();
    let found = formulas(&filled.bytes, "S");
    let at = |cell: &str| found[cell].as_str();
    assert_eq!(
        [at("A5"), at("B5"), at("C5"), at("D5")],
        ["A2", "A$2", "SUM(A$2:A$4)", "SUM(A2:A4)"]
    );
    let found = formulas(&filled.bytes, "T");
    let at = |cell: &str| found[cell].as_str();
    assert_eq!(
        [at("A1"), at("B1"), at("C1"), at("D1"), at("E1")],
        ["S!A2", "S!A$2", "SUM(S!A$2:A$4)", "SUM(S!A$1:A$4)", "S!A5"]
    );
    assert!(
        filled.warnings.iter().any(|it| it.starts_with("formulas name one cell of repeated rows")),
        "{:?}",
        filled.warnings
    );
}
