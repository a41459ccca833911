//! Rows within rows that are repeated: groups between marks and without, sums of each and of all.

use super::*;

const ORDERS_JSON: &str = r#"{"orders": [
    {"number": "A", "rate": 0.5, "lines": [{"item": "pen", "price": 2}, {"item": "ink", "price": 3}]},
    {"number": "B", "rate": 1, "lines": []},
    {"number": "C", "rate": 2, "lines": [{"item": "cup", "price": 4}]}
]}"#;

#[test]
fn lines_of_orders_are_repeated_with_their_sums() {
    let template = book(
        &cells(&[
            &["{{#orders}}"],
            &["Order {{number}}", "{{orders.rate}}"],
            &["{{orders.lines.item}}", "{{lines.price}}", "=B3*B$2", "{{@number}}"],
            &["Sum", "=SUM(B3:B3)", "=SUM(C3)", "{{sum(lines.price)}}"],
            &["{{/orders}}"],
            &["All", "=SUM(B4:B4)", "=SUM(B3)", "{{sum(orders.lines.price)}}", "=MAX(C4)"],
        ]),
        "<mergeCells count=\"1\"><mergeCell ref=\"E2:F2\"/></mergeCells><conditionalFormatting sqref=\"B3\"><cfRule/></conditionalFormatting>",
    );
    let filled = fill(&template, &json(ORDERS_JSON)).unwrap();
    insta::assert_snapshot!(shown(&filled.bytes, "S"), @r"
    A1 Order A | B1 0.5
    A2 pen | B2 2 | C2 =B2*B$1 -> 1 | D2 1
    A3 ink | B3 3 | C3 =B3*B$1 -> 1.5 | D3 2
    A4 Sum | B4 =SUM(B2:B3) -> 5 | C4 =SUM(C2:C3) -> 2.5 | D4 5
    A5 Order B | B5 1
    C6 =B6*B$5 -> 0
    A7 Sum | B7 =SUM(B6:B6) -> 0 | C7 =SUM(C6) -> 0 | D7 0
    A8 Order C | B8 2
    A9 cup | B9 4 | C9 =B9*B$8 -> 8 | D9 1
    A10 Sum | B10 =SUM(B9:B9) -> 4 | C10 =SUM(C9) -> 8 | D10 4
    A11 All | B11 =SUM(B4:B4,B7:B7,B10:B10) -> 9 | C11 =SUM(B2:B3,B6,B9) -> 9 | D11 9 | E11 =MAX(C4,C7,C10) -> 8
    ");
    let sheet = part(&filled.bytes, "xl/worksheets/s.xml");
    assert!(sheet.contains("sqref=\"B2:B3 B6 B9\""), "{sheet}");
    assert!(
        sheet.contains(
            "<mergeCell ref=\"E1:F1\"/><mergeCell ref=\"E5:F5\"/><mergeCell ref=\"E8:F8\"/>"
        ),
        "{sheet}"
    );
    assert!(filled.warnings.is_empty(), "{:?}", filled.warnings);
}

#[test]
fn rows_without_marks_are_a_group_if_one_names_a_list_within() {
    let template = book(
        &cells(&[
            &["{{orders.number}}"],
            &["{{orders.lines.item}}", "{{orders.number}}", "{{orders.lines.price}}"],
            &["Sum of {{orders.number}}", "", "=SUM(C2)"],
            &["All", "", "=SUM(C3)"],
        ]),
        "",
    );
    let filled = fill(&template, &json(ORDERS_JSON)).unwrap();
    insta::assert_snapshot!(shown(&filled.bytes, "S"), @r"
    A1 A
    A2 pen | B2 A | C2 2
    A3 ink | B3 A | C3 3
    A4 Sum of A | C4 =SUM(C2:C3) -> 5
    A5 B
    B6 B
    A7 Sum of B | C7 =SUM(C6) -> 0
    A8 C
    A9 cup | B9 C | C9 4
    A10 Sum of C | C10 =SUM(C9) -> 4
    A11 All | C11 =SUM(C4,C7,C10) -> 9
    ");
}

#[test]
fn three_lists_stand_in_each_other() {
    let template = book(
        &cells(&[
            &["{{#a}}"],
            &["{{#b}}", "{{#c}}"],
            &["{{x * 2}}", "{{a.n}}"],
            &["{{/c}}"],
            &["c", "", "=SUM(A3)"],
            &["{{/b}}", "{{/a}}"],
            &["all", "", "=SUM(C5)", "{{sum(a.b.c.x)}}"],
        ]),
        "",
    );
    let given = json(
        r#"{"a": [{"n": "p", "b": [{"c": [{"x": 1}, {"x": 2}]}, {"c": [{"x": 3}]}]}, {"n": "q", "b": [{"c": []}]}]}"#,
    );
    let filled = fill(&template, &given).unwrap();
    insta::assert_snapshot!(shown(&filled.bytes, "S"), @r"
    A1 2 | B1 p
    A2 4 | B2 p
    A3 c | C3 =SUM(A1:A2) -> 6
    A4 6 | B4 p
    A5 c | C5 =SUM(A4) -> 6
    B6 q
    A7 c | C7 =SUM(A6) -> 0
    A8 all | C8 =SUM(C3,C5,C7) -> 12 | D8 6
    ");
}

#[test]
fn an_empty_list_leaves_one_empty_group() {
    let template = book(
        &cells(&[
            &["{{#orders}}"],
            &["Order {{number}}"],
            &["{{orders.lines.item}}", "{{orders.lines.price * 2}}"],
            &["Sum", "=SUM(B3)"],
            &["{{/orders}}"],
            &["All", "=SUM(B4)"],
        ]),
        "",
    );
    let filled = fill(&template, &json(r#"{"orders": []}"#)).unwrap();
    insta::assert_snapshot!(shown(&filled.bytes, "S"), @r"
    A1 Order 
    
    A3 Sum | B3 =SUM(B2) -> 0
    A4 All | B4 =SUM(B3) -> 0
    ");
}

#[test]
fn sums_over_too_many_groups_are_refused_with_a_way_out() {
    let template = book(
        &cells(&[
            &["{{#o}}"],
            &["{{n}}"],
            &["{{o.l.n}}"],
            &["s", "=SUM(A3)"],
            &["{{/o}}"],
            &["all", "=SUM(B4)"],
        ]),
        "",
    );
    let one = r#"{"n": 1, "l": [{"n": 1}]}"#;
    let orders = |count: usize| json(&format!("{{\"o\": [{}]}}", vec![one; count].join(",")));
    let error = fill(&template, &orders(251)).unwrap_err().render();
    assert!(error.contains("S!B6: the formula would name one row of more groups"), "{error}");
    assert!(error.contains("SUBTOTAL(9"), "{error}");
    let filled = fill(&template, &orders(250)).unwrap();
    assert_eq!(float(&filled.bytes, "S", "B751"), 250.0);
}

#[test]
fn mistakes_name_the_row_of_the_template() {
    let rows: &[&[&str]] = &[
        &["{{#orders}}"],
        &["x"],
        &["{{orders.lines.colour}}", "{{orders.lines.price * nothing}}"],
        &["{{/orders}}"],
    ];
    let error = error(rows, ORDERS_JSON);
    assert!(error.contains("`orders.lines.colour` at S!A3 (row 1 of the list)"), "{error}");
    assert!(error.contains("`nothing` at S!B3"), "{error}");
}

#[test]
fn marks_have_an_end_and_a_depth() {
    let names: Vec<String> = (0..11).map(|n| format!("a{n}")).collect();
    let open: Vec<String> = names.iter().map(|name| format!("{{{{#{name}}}}}")).collect();
    let close: Vec<String> = names.iter().rev().map(|name| format!("{{{{/{name}}}}}")).collect();
    let all: Vec<[&str; 1]> = open
        .iter()
        .map(|it| [it.as_str()])
        .chain([["x"]])
        .chain(close.iter().map(|it| [it.as_str()]))
        .collect();
    let rows: Vec<&[&str]> = all.iter().map(|row| &row[..]).collect();
    let error = error(&rows, "{}");
    assert!(error.contains("expected at most 10 parts in each other"), "{error}");
}

#[test]
fn charts_and_names_follow_the_lines_of_all_groups() {
    let template = book(
        &cells(&[
            &["{{#orders}}"],
            &["{{number}}"],
            &["{{orders.lines.item}}", "{{orders.lines.price}}"],
            &["{{/orders}}"],
        ]),
        "",
    );
    let mut all: Vec<(String, String)> = parts(&template)
        .into_iter()
        .map(|(name, content)| (name, String::from_utf8(content).unwrap()))
        .collect();
    all.push(("xl/charts/chart1.xml".into(), "<c:chart><c:ser><c:val><c:numRef><c:f>S!$B$3</c:f><c:numCache><c:v>9</c:v></c:numCache></c:numRef></c:val></c:ser></c:chart>".into()));
    let packed =
        pack(&all.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect::<Vec<_>>());
    let filled = fill(&packed, &json(ORDERS_JSON)).unwrap();
    let chart = part(&filled.bytes, "xl/charts/chart1.xml");
    assert!(chart.contains("<c:f>(S!$B$2:$B$3,S!$B$5,S!$B$7)</c:f></c:numRef>"), "{chart}");
    // The name `all` covers the heads of the orders.
    let book = part(&filled.bytes, "xl/workbook.xml");
    assert!(book.contains(">S!$A$1:$B$1,S!$A$4:$B$4,S!$A$6:$B$6<"), "{book}");
}

#[test]
fn rules_for_parts_of_many_groups_cover_all_rows_with_a_warning() {
    let template = book(
        &cells(&[&["{{#o}}"], &["{{n}}"], &["{{o.l.n}}"], &["{{/o}}"]]),
        "<conditionalFormatting sqref=\"A3\"><cfRule/></conditionalFormatting>",
    );
    let orders = |count: usize| {
        json(&format!("{{\"o\": [{}]}}", vec![r#"{"n": 1, "l": [{"n": 1}]}"#; count].join(",")))
    };
    let few = fill(&template, &orders(250)).unwrap();
    assert!(few.warnings.is_empty(), "{:?}", few.warnings);
    let many = fill(&template, &orders(1_001)).unwrap();
    assert!(part(&many.bytes, "xl/worksheets/s.xml").contains("sqref=\"A2:A2002\""));
    assert!(many.warnings[0].contains("cover all of them now"), "{:?}", many.warnings);
}

/// Each part of a row searches all of its cells, so a row with thousands of them took minutes.
#[test]
fn a_row_has_few_parts() {
    let part = "{{#o}}{{n}}{{o.l.n}}{{/o}}";
    let template = |parts: usize| book(&cells(&[&vec![part; parts]]), "");
    let orders = json(&format!("{{\"o\": [{}]}}", vec![r#"{"n": 1, "l": []}"#; 20].join(",")));
    let error = fill(&template(1_000), &orders).unwrap_err().render();
    assert!(error.contains("S!AY1: expected at most 100 marks around rows in one row"), "{error}");
    fill(&template(50), &orders).unwrap();
}

/// Two lists that repeated one row pushed the rows below down by the copies of both.
#[test]
fn a_row_is_repeated_for_one_list() {
    for rows in [
        &[&["{{#a}}{{n}}{{/a}}", "{{#b}}x{{/b}}"][..], &["end"]][..],
        &[&["{{#a}}1"], &["2{{/a}}{{#b}}3"], &["4{{/b}}"], &["end"]],
    ] {
        let error = error(rows, r#"{"a": [{"n": 1}, {"n": 2}], "b": [{}, {}, {}]}"#);
        assert!(error.contains("expected a row for one list, got `a` and `b`"), "{error}");
    }
    // Marks of the same list in several cells are one.
    let template = book(&cells(&[&["{{#a}}{{n}}{{/a}}", "{{#a}}x{{/a}}"], &["end"]]), "");
    let filled = fill(&template, &json(r#"{"a": [{"n": 1}, {"n": 2}]}"#)).unwrap();
    assert_eq!(shown(&filled.bytes, "S"), "A1 1 | B1 x\nA2 2 | B2 x\nA3 end");
}
