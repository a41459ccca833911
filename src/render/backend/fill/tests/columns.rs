//! Columns that are repeated.

use super::*;

fn plan() -> Vec<u8> {
    let tail = "<mergeCells count=\"1\"><mergeCell ref=\"B1:C1\"/></mergeCells>";
    let template = book(
        &cells(&[
            &["Plan", "Title"],
            &["Item", "{{months.*.name}}", "Sum"],
            &["{{#items}}"],
            &["{{name}}", "{{items.amounts.*}}", "=SUM(B4:B4)", "=B4/$C4"],
            &["{{/items}}"],
            &["All", "=SUM(B4)", "=SUM(C4)", "=C$6"],
            &[],
            &["", "foot"],
        ]),
        tail,
    );
    let mut all: Vec<(String, String)> = parts(&template)
        .into_iter()
        .map(|(name, content)| (name, String::from_utf8(content).unwrap()))
        .collect();
    for (name, text) in &mut all {
        if name.ends_with("s.xml") && name.contains("worksheets/") {
            *text = text.replace("<sheetData>", "<cols><col min=\"1\" max=\"1\" width=\"5\"/><col min=\"2\" max=\"2\" width=\"20\"/><col min=\"3\" max=\"9\" width=\"7\"/></cols><sheetData>");
        }
    }
    pack(&all.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect::<Vec<_>>())
}

const MONTHS: &str = r#"{"months": [{"name": "Jan"}, {"name": "Feb"}, {"name": "Mar"}],
    "items": [{"name": "a", "amounts": [1, 2, 3]}, {"name": "b", "amounts": [4, 5]}]}"#;

#[test]
fn a_column_is_repeated_with_its_width_and_formulas() {
    let filled = fill(&plan(), &json(MONTHS)).unwrap();
    insta::assert_snapshot!(shown(&filled.bytes, "S"), @r"
    A1 Plan | B1 Title
    A2 Item | B2 Jan | C2 Feb | D2 Mar | E2 Sum
    A3 a | B3 1 | C3 2 | D3 3 | E3 =SUM(B3:D3) -> 6 | F3 =B3/$E3 -> 0.16666666666666666
    A4 b | B4 4 | C4 5 | E4 =SUM(B4:D4) -> 9 | F4 =B4/$E4 -> 0.4444444444444444
    A5 All | B5 =SUM(B3:B4) -> 5 | C5 =SUM(C3:C4) -> 7 | D5 =SUM(D3:D4) -> 3 | E5 =SUM(E3:E4) -> 15 | F5 =E$5 -> 15
    
    B7 foot
    ");
    let sheet = part(&filled.bytes, "xl/worksheets/s.xml");
    assert!(sheet.contains("<col min=\"1\" max=\"1\" width=\"5\"/><col min=\"2\" max=\"4\" width=\"20\"/><col min=\"5\" max=\"11\" width=\"7\"/>"), "{sheet}");
    assert!(sheet.contains("<mergeCell ref=\"B1:E1\"/>"), "{sheet}");
}

#[test]
fn an_empty_list_leaves_one_empty_column() {
    let filled = fill(&plan(), &json(r#"{"months": [], "items": []}"#)).unwrap();
    insta::assert_snapshot!(shown(&filled.bytes, "S"), @r"
    A1 Plan | B1 Title
    A2 Item | C2 Sum
    C3 =SUM(B3:B3) -> 0 | D3 =B3/$C3 -> 
    A4 All | B4 =SUM(B3) -> 0 | C4 =SUM(C3) -> 0 | D4 =C$4 -> 0
    
    B6 foot
    ");
}

#[test]
fn columns_that_do_not_fit_are_refused_by_place() {
    for (rows, message) in [
        (
            &[&["{{m.*}}", "{{n.*}}"][..], &["{{n.*}}"]][..],
            "S!A2: expected as many items in `n` as in `m`, 2, got 1",
        ),
        (&[&["{{x.*}}"]], "S!A1: expected a list for `x.*`, got a text"),
        (&[&["{{y.*}}"]], "`y` at S!A1: expected a value"),
    ] {
        let error = error(rows, r#"{"m": [1, 2], "n": [3], "x": "text"}"#);
        assert!(error.contains(message), "{error}");
    }
    let many = format!("{{\"m\": [{}]}}", vec!["1"; 16_385].join(","));
    let error = error(&[&["{{m.*}}"]], &many);
    assert!(error.contains("expected at most 16384 columns, got 16385"), "{error}");
}
