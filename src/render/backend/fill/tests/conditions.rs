//! Rows that depend on a condition, and what formulas make of rows that disappear.

use super::*;

fn bill() -> Vec<u8> {
    book(
        &cells(&[
            &["Sub", "{{total}}"],
            &["{{#if total > 1000}}"],
            &["Discount", "=-B1*0.1"],
            &["{{#else if total > 100}}"],
            &["Small", "=-B1*0.01"],
            &["{{#else}}"],
            &["None", "=0*B1"],
            &["{{/if}}"],
            &["{{#if note}}Note: {{note}}", "{{/if}}"],
            &["Total", "=SUM(B1:B8)", "=B1+B3"],
        ]),
        "<mergeCells count=\"1\"><mergeCell ref=\"A3:A3\"/></mergeCells><conditionalFormatting sqref=\"B3\"><cfRule/></conditionalFormatting><dataValidations count=\"2\"><dataValidation sqref=\"B5\"/><dataValidation sqref=\"B1\"/></dataValidations>",
    )
}

#[test]
fn one_case_stays() {
    let mut all = Vec::new();
    for given in [
        r#"{"total": 2000, "note": null}"#,
        r#"{"total": 200, "note": "hi"}"#,
        r#"{"total": 20, "note": ""}"#,
    ] {
        let filled = fill(&bill(), &json(given)).unwrap();
        all.push(shown(&filled.bytes, "S"));
        all.push(filled.warnings.join("\n"));
        let sheet = part(&filled.bytes, "xl/worksheets/s.xml");
        let large = given.contains("2000");
        assert_eq!(sheet.contains("<conditionalFormatting"), large, "{sheet}");
        let validation = sheet.contains(
            "<dataValidations count=\"1\"><dataValidation sqref=\"B1\"/></dataValidations>",
        );
        assert_eq!(validation, !given.contains("\"total\": 200,"), "{sheet}");
    }
    insta::assert_snapshot!(all.join("\n"), @r"
    A1 Sub | B1 2000
    A2 Discount | B2 =-B1*0.1 -> -200
    A3 Total | B3 =SUM(B1:B2) -> 1800 | C3 =B1+B2 -> 1800
    
    A1 Sub | B1 200
    A2 Small | B2 =-B1*0.01 -> -2
    A3 Note: hi
    A4 Total | B4 =SUM(B1:B2) -> 198 | C4 =B1+0 -> 200
    formulas name cells of rows that a condition removed, which count as 0: `S!C4`
    A1 Sub | B1 20
    A2 None | B2 =0*B1 -> 0
    A3 Total | B3 =SUM(B1:B2) -> 20 | C3 =B1+0 -> 20
    formulas name cells of rows that a condition removed, which count as 0: `S!C3`
    ");
}

#[test]
fn conditions_within_repeated_rows_are_of_each_item() {
    let template = book(
        &cells(&[
            &["{{#items}}"],
            &["{{#if price > 5}}"],
            &["{{name}}", "{{price}}"],
            &["{{/if}}"],
            &["{{#if not note}}-{{name}}", "{{/if}}"],
            &["{{/items}}"],
            &["{{^items}}"],
            &["nothing"],
            &["{{/items}}"],
            &["All", "=SUM(B1:B9)"],
        ]),
        "",
    );
    let given = json(
        r#"{"items": [{"name": "a", "price": 1, "note": ""}, {"name": "b", "price": 9, "note": "x"}, {"name": "c", "price": 8, "note": null}]}"#,
    );
    let filled = fill(&template, &given).unwrap();
    insta::assert_snapshot!(shown(&filled.bytes, "S"), @r"
    A1 -a
    A2 b | B2 9
    A3 c | B3 8
    A4 -c
    A5 All | B5 =SUM(B1:B4) -> 17
    ");
    let none = fill(&template, &json(r#"{"items": []}"#)).unwrap();
    assert!(shown(&none.bytes, "S").contains("nothing"), "{}", shown(&none.bytes, "S"));
}

#[test]
fn formulas_over_rows_that_disappear_are_zero_or_refused() {
    let row: &[&str] = &["{{#if a}}", "=1", "{{/if}}"];
    for (formula, expected) in [
        ("=B2", Ok("0")),
        ("=1+B2*2", Ok("1+0*2")),
        ("=SUM(B2:B2)", Ok("SUM(0)")),
        ("=SUM(B2,B3)", Ok("SUM(0,B2)")),
        ("=SUM(B2:B3)", Ok("SUM(B2:B2)")),
        ("=MIN(B2)", Err("S!A1: the formula names cells of rows that a condition removes")),
        ("=COUNT(B2:B2)", Err("S!A1: the formula names cells of rows that a condition removes")),
        (
            "=VLOOKUP(1,A2:B2,2)",
            Err("S!A1: the formula names cells of rows that a condition removes"),
        ),
    ] {
        let template = book(&cells(&[&[formula], row, &["", "=2"]]), "");
        let filled = fill(&template, &json(r#"{"a": false}"#));
        match expected {
            Ok(new) => assert_eq!(formulas(&filled.unwrap().bytes, "S")["A1"], new, "{formula}"),
            Err(message) => {
                let error = filled.unwrap_err().render();
                assert!(error.contains(message), "{formula}: {error}");
            }
        }
    }
}

#[test]
fn conditions_that_do_not_fit_are_refused_by_place() {
    for (rows, message) in [
        (&[&["{{#if a}}"][..], &["x"]][..], "S!A1: `{{#if a}}` is not closed by `{{/if}}`"),
        (&[&["{{#else}}"]], "S!A1: `{{#else}}` stands outside of rows"),
        (&[&["{{/if}}"]], "S!A1: `{{/if}}` closes what `{{#if …}}` did not open"),
        (&[&["{{#if a}}x", "{{#else}}y{{/if}}"]], "S!B1: `{{#else}}` needs a row of its own"),
        (
            &[&["{{#if a}}"], &["{{#else}}"], &["{{#else if a}}"], &["{{/if}}"]],
            "S!A3: `{{#else if a}}` follows `{{#else}}`",
        ),
        (&[&["{{#if a >}}x{{/if}}"]], "S!A1"),
        (&[&["{{#if b}}x{{/if}}"]], "`b` at S!A1"),
        (&[&["{{#a}}"], &["x"], &["{{/a}}"]], "`{{#if a}}` to `{{/if}}`"),
        (&[&["{{#if a}}"], &["{{/if}}"]], "expected rows between"),
    ] {
        let error = error(rows, r#"{"a": true}"#);
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn what_stands_in_rows_that_disappear_is_reported() {
    const RELS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let with = |kind: &str, part: &str, content: &str| {
        let template = book(&cells(&[&["{{#if a}}x{{/if}}"], &["y"]]), "");
        let mut all: Vec<(String, String)> = parts(&template)
            .into_iter()
            .map(|(name, content)| (name, String::from_utf8(content).unwrap()))
            .collect();
        let rels = format!(
            "<Relationships><Relationship Id=\"a\" Type=\"{RELS}/{kind}\" Target=\"/{part}\"/></Relationships>"
        );
        all.push(("xl/worksheets/_rels/s.xml.rels".into(), rels));
        all.push((part.into(), content.into()));
        let all: Vec<_> = all.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        fill(&pack(&all), &json(r#"{"a": false}"#))
    };
    let comments = "<comments><comment ref=\"A1\"/></comments>";
    let error = with("comments", "xl/comments1.xml", comments).unwrap_err().render();
    assert!(error.contains("S!A1: a condition removes this row, which has a comment"), "{error}");
    let table = "<table displayName=\"T\" ref=\"A1:A1\" headerRowCount=\"0\"/>";
    let error = with("table", "xl/tables/t.xml", table).unwrap_err().render();
    assert!(error.contains("a condition removes all rows of the table `T`"), "{error}");
    let drawing =
        "<xdr:wsDr><xdr:from><xdr:col>0</xdr:col><xdr:row>0</xdr:row></xdr:from></xdr:wsDr>";
    let filled = with("drawing", "xl/drawings/d.xml", drawing).unwrap();
    assert!(
        filled.warnings[0].contains("drawings in rows that a condition removed stay"),
        "{:?}",
        filled.warnings
    );
}

#[test]
fn columns_of_tables_are_not_repeated() {
    const RELS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let template = book(&cells(&[&["a", "b"], &["x", "{{m.*}}"]]), "");
    let mut all: Vec<(String, String)> = parts(&template)
        .into_iter()
        .map(|(name, content)| (name, String::from_utf8(content).unwrap()))
        .collect();
    let rels = format!(
        "<Relationships><Relationship Id=\"a\" Type=\"{RELS}/table\" Target=\"/xl/t.xml\"/></Relationships>"
    );
    all.push(("xl/worksheets/_rels/s.xml.rels".into(), rels));
    all.push(("xl/t.xml".into(), "<table displayName=\"T\" ref=\"A1:B2\"/>".into()));
    let all: Vec<_> = all.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let error = fill(&pack(&all), &json(r#"{"m": [1, 2]}"#)).unwrap_err().render();
    assert!(error.contains("S!B1: columns of the table `T` cannot be repeated"), "{error}");
}
