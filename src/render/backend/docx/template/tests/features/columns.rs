//! Columns for items, and groups of rows.

use super::{Template, body, fill, filled_text, p, refusal, row, table};
use crate::{DocxOptions, FillTable, FillValue, FillValues, fill_docx};
use serde_json::json;

fn cell(width: u32, text: &str) -> String {
    format!("<w:tc><w:tcPr><w:tcW w:w=\"{width}\" w:type=\"dxa\"/></w:tcPr>{}</w:tc>", p(text))
}

#[test]
fn columns_are_repeated_and_share_their_width() {
    let head = format!(
        "<w:tr><w:tc><w:tcPr><w:tcW w:w=\"5000\" w:type=\"dxa\"/><w:gridSpan w:val=\"3\"/></w:tcPr>{}</w:tc></w:tr>",
        p("Sales")
    );
    let rows = [
        head,
        format!(
            "<w:tr>{}{}{}</w:tr>",
            cell(2000, "Item"),
            cell(2000, "{{months.*.name}}"),
            cell(1000, "Sum")
        ),
        format!(
            "<w:tr>{}{}{}</w:tr>",
            cell(2000, "{{items.name}}"),
            cell(2000, "{{items.amounts.*|0.0}}"),
            cell(1000, "{{sum(items.amounts)}}")
        ),
        format!(
            "<w:tr>{}{}{}</w:tr>",
            cell(2000, "All"),
            cell(2000, "{{sum(items.amounts.*)}}"),
            cell(1000, "{{sum(items.amounts)}}")
        ),
    ]
    .concat();
    let grid = "<w:tblGrid><w:gridCol w:w=\"2000\"/><w:gridCol w:w=\"2000\"/><w:gridCol w:w=\"1000\"/></w:tblGrid>";
    let template = format!("<w:tbl><w:tblPr/>{grid}{rows}</w:tbl>{}", p("end"));
    let json = json!({
        "months": [{"name": "Jan"}, {"name": "Feb"}],
        "items": [{"name": "a", "amounts": [1, 2]}, {"name": "b", "amounts": [3, 4.5]}],
    });
    let text = filled_text(&template, json.clone()).replace('\n', " ");
    assert_eq!(text, "Sales Item Jan Feb Sum a 1.0 2.0 3 b 3.0 4.5 7.5 All 4 6.5 10.5 end");
    let xml = body(&fill(&Template::of(&template).bytes(), json).unwrap().bytes);
    assert!(xml.contains("<w:gridCol w:w=\"2000\"/><w:gridCol w:w=\"1000\"/><w:gridCol w:w=\"1000\"/><w:gridCol w:w=\"1000\"/>"), "{xml}");
    assert!(xml.contains("<w:gridSpan w:val=\"4\"/>"), "{xml}");
    // Without items the column is gone.
    let none = json!({"months": [], "items": [{"name": "a", "amounts": []}]});
    let text = filled_text(&template, none).replace('\n', " ");
    assert_eq!(text, "Sales Item Sum a 0 All 0 end");
}

#[test]
fn columns_come_from_tables_too() {
    let months = FillTable {
        columns: vec!["name".into()],
        rows: vec![vec![FillValue::Text("Jan".into())], vec![FillValue::Text("Feb".into())]],
    };
    let values: FillValues =
        [("months".to_owned(), FillValue::Table(months))].into_iter().collect();
    let template = table(&[row(&["{{months.*.name}}"]), row(&["{{months.2.name}}"])]);
    let made = fill_docx(&Template::of(&template).bytes(), &values, None, &DocxOptions::default());
    let xml = body(&made.unwrap().bytes);
    assert_eq!((xml.matches("Jan").count(), xml.matches("Feb").count()), (1, 3), "{xml}");
}

#[test]
fn columns_that_do_not_fit_are_refused() {
    let rows = table(&[row(&["{{months.*}}"]), row(&["{{items.v.*}}"])]);
    let error = refusal(&rows, json!({"months": ["a"], "items": [{"v": [1, 2]}]}));
    assert!(
        error.contains("`{{items.v.*}}` (text): expected as many items as `months` has, 1, got 2"),
        "{error}"
    );
    // A list that is too short has no value for a column.
    let error = refusal(&rows, json!({"months": ["a", "b"], "items": [{"v": [1]}]}));
    assert!(error.contains("no value for `items.v.2` (text"), "{error}");
    let months: Vec<_> = (0..64).collect();
    let error = refusal(&table(&[row(&["{{months.*}}"])]), json!({"months": months}));
    assert!(error.contains("a table of at most 63 columns"), "{error}");
    let error = refusal(&table(&[row(&["{{months.*}}"])]), json!({"months": "x"}));
    assert!(error.contains("expected a list, got a text"), "{error}");
    let error = refusal(&table(&[row(&["{{moths.*}}"])]), json!({"months": ["x"]}));
    assert!(error.contains("no value for `moths` (text; did you mean `months`?)"), "{error}");
    let wide = format!(
        "<w:tr><w:tc><w:tcPr><w:gridSpan w:val=\"2\"/></w:tcPr>{}</w:tc></w:tr>",
        p("{{months.*}}")
    );
    let error = refusal(&table(&[wide]), json!({"months": ["x"]}));
    assert!(error.contains("stands in a cell over several columns"), "{error}");
}

#[test]
fn groups_have_their_rows_and_a_sum() {
    let rows = [
        row(&["{{#groups}}"]),
        row(&["{{groups.name}}", ""]),
        row(&["{{rows.name}}", "{{rows.v|0.00}}"]),
        row(&["Sum {{name}}", "{{sum(rows.v)|0.00}}"]),
        row(&["{{/groups}}"]),
        row(&["Total", "{{sum(groups.rows.v)|0.00}}"]),
    ];
    let json = json!({"groups": [
        {"name": "A", "rows": [{"name": "a", "v": 0.1}, {"name": "b", "v": 0.2}]},
        {"name": "B", "rows": []},
    ]});
    insta::assert_snapshot!(filled_text(&table(&rows), json).replace('\n', " "), @"A  a 0.10 b 0.20 Sum A 0.30 B  Sum B 0.00 Total 0.30 end");
}

#[test]
fn an_item_has_a_number() {
    let json = json!({"items": [{"a": "x"}, {"a": "y"}]});
    assert_eq!(filled_text(&p("{{items.2.a}}{{items.1.a}}"), json.clone()), "yx");
    let error = refusal(&p("{{items.3.a}} {{items.0.a}}"), json);
    assert!(error.contains("no value for `items.0.a` (text), `items.3.a` (text)"), "{error}");
}
