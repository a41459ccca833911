//! Markdown, tables and charts from values.

use super::{Template, body, fill, p, part, refusal};
use crate::{DocxOptions, FillTable, FillValue, FillValues, fill_docx, markdown};
use serde_json::json;

fn styled(text: &str, properties: &str) -> String {
    p(text).replacen("<w:p>", &format!("<w:p><w:pPr>{properties}</w:pPr>"), 1)
}

#[test]
fn markdown_becomes_content_in_the_styles_of_the_template() {
    let template = [
        styled("{{body|markdown}}", "<w:pStyle w:val=\"Quote\"/><w:jc w:val=\"both\"/>")
            .replace("<w:r>", "<w:r><w:rPr><w:color w:val=\"FF0000\"/></w:rPr>"),
        p("{{#clauses}}"),
        p("{{.|markdown}}"),
        p("{{/clauses}}"),
        p("end"),
    ]
    .concat();
    let json = json!({
        "body": "# One\n\nPlain **bold** [link](https://a.test/x).[^1]\n\n1. a\n2. b\n\n[^1]: Note one.",
        "clauses": ["## Two\n\n- x[^n]\n\n[^n]: Note two.", "| h |\n|---|\n| 1 |", "", null],
    });
    let made = fill(&Template::of(&template).bytes(), json).unwrap();
    let xml = body(&made.bytes);
    // Headings keep their levels, and have the template's styles.
    assert!(xml.contains("<w:pStyle w:val=\"1\"/>"), "{xml}");
    assert!(xml.contains("<w:pStyle w:val=\"b2\"/>"), "{xml}");
    // A plain paragraph has the looks of the mark.
    assert!(xml.contains("<w:pStyle w:val=\"Quote\"/><w:jc w:val=\"both\"/></w:pPr><w:r><w:rPr><w:color w:val=\"FF0000\"/></w:rPr><w:t xml:space=\"preserve\">Plain </w:t>"), "{xml}");
    assert!(xml.contains("<w:b/><w:bCs/><w:color w:val=\"FF0000\"/>"), "{xml}");
    assert_eq!(xml.matches("<w:footnoteReference ").count(), 2, "{xml}");
    let notes = part(&made.bytes, "word/footnotes.xml");
    assert!(notes.contains("Note one") && notes.contains("Note two"), "{notes}");
    assert!(part(&made.bytes, "word/_rels/document.xml.rels").contains("https://a.test/x"));
    assert!(part(&made.bytes, "word/numbering.xml").contains("<w:startOverride w:val=\"1\"/>"));
    assert_eq!(xml.matches("<w:tbl>").count(), 1);
    assert!(xml.find("One") < xml.find("Two") && xml.find("Two") < xml.find("<w:tbl>"));
    assert!(!xml.contains("mitt:inserted") && !xml.contains('\u{F8FF}'), "{xml}");
    assert!(!xml.contains("{{"), "{xml}");
}

#[test]
fn content_and_values_in_markdown_go_to_one_file() {
    let template = Template::of(&[p("{{content}}"), p("{{a|markdown}}")].concat()).bytes();
    let doc = markdown("# Title\n\n[to](#title)\n\n## Sub").unwrap();
    let values: FillValues =
        [("a".to_owned(), FillValue::Text("# A\n\n## B\n\n[b](#b)".into()))].into_iter().collect();
    let made = fill_docx(&template, &values, Some(&doc), &DocxOptions::default()).unwrap();
    let xml = body(&made.bytes);
    let mut names: Vec<&str> =
        xml.split("w:name=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert!(count >= 3 && names.len() == count, "{names:?}");
}

#[test]
fn text_that_looks_like_the_place_of_another_stays_text() {
    let template = Template::of(&[p("{{a|markdown}}"), p("{{b|markdown}}")].concat()).bytes();
    let json = json!({"a": "x\n\n\u{F8FF}0\u{F8FF}\n\n\u{F8FF}2\u{F8FF}\n\ny", "b": "z"});
    let made = fill(&template, json).unwrap();
    let xml = body(&made.bytes);
    assert!(xml.contains("\u{F8FF}0\u{F8FF}") && xml.find(">y<") < xml.find(">z<"), "{xml}");
}

#[test]
fn tables_look_like_those_of_the_template() {
    let cell = |fill: &str, text: &str| {
        format!(
            "<w:tc><w:tcPr><w:shd w:val=\"clear\" w:fill=\"{fill}\"/></w:tcPr><w:p><w:pPr><w:spacing w:after=\"0\"/></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>{text}</w:t></w:r></w:p></w:tc>"
        )
    };
    let model = format!(
        "<w:tbl><w:tblPr><w:tblStyle w:val=\"Grid\"/><w:tblW w:w=\"5000\" w:type=\"pct\"/><w:tblBorders><w:top w:val=\"single\"/></w:tblBorders></w:tblPr><w:tblGrid/><w:tr>{}</w:tr><w:tr>{}</w:tr></w:tbl>",
        cell("112233", "h"),
        cell("445566", "r")
    );
    let letterhead = "<w:tbl><w:tblPr><w:tblStyle w:val=\"No\"/></w:tblPr><w:tblGrid/><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>";
    let places = [p("{{sales|table}}"), p("{{sales|table:price, name}}"), p("end")].concat();
    let template = format!("{letterhead}{model}{places}");
    let json = json!({"sales": [{"name": "笔", "price": 1.50}, {"name": "本", "more": "x"}]});
    let made = fill(&Template::of(&template).bytes(), json).unwrap();
    let xml = body(&made.bytes);
    let tables: Vec<&str> = xml.split("<w:tbl>").skip(3).collect();
    assert_eq!(tables.len(), 2);
    assert!(tables[0].starts_with("<w:tblPr><w:tblStyle w:val=\"Grid\"/><w:tblW "), "{xml}");
    assert!(
        tables[0].contains("<w:tblBorders><w:top w:val=\"single\"/></w:tblBorders><w:tblLayout"),
        "{xml}"
    );
    assert_eq!(tables[0].matches("112233").count(), 3, "{xml}");
    assert_eq!(tables[0].matches("445566").count(), 6, "{xml}");
    assert!(tables[0].contains("<w:spacing w:after=\"0\"/><w:jc w:val=\"right\"/>"), "{xml}");
    assert!(tables[1].find("price") < tables[1].find("name"), "{xml}");
    for (mark, value, expected) in [
        ("sales|table", json!("x"), "expected a list of records or a table, got a text"),
        ("sales|table", json!([1]), "expected a list of records, got a number in it"),
        ("sales|table:nam", json!([{"name": 1}]), "there is no column `nam`; did you mean `name`?"),
        ("sale|table", json!([{"name": 1}]), "no value for `sale` (text; did you mean `sales`?)"),
    ] {
        let error = refusal(&p(&format!("{{{{{mark}}}}}")), json!({"sales": value}));
        assert!(error.contains(expected), "{mark}: {error}");
    }
    let columns = (0..64).map(|n| format!("c{n}")).collect();
    let rows = FillValue::Table(FillTable { columns, rows: Vec::new() });
    let values: FillValues = [("t".to_owned(), rows)].into_iter().collect();
    let template = Template::of(&p("{{t|table}}")).bytes();
    let error = fill_docx(&template, &values, None, &DocxOptions::default()).unwrap_err();
    assert!(error.render().contains("at most 63 columns, got 64"), "{}", error.render());
}

#[test]
fn tables_and_charts_fit_into_cells() {
    let template = format!(
        "<w:tbl><w:tblPr/><w:tblGrid/><w:tr><w:tc><w:tcPr><w:tcW w:w=\"3216\" w:type=\"dxa\"/></w:tcPr>{}</w:tc></w:tr></w:tbl>",
        p("{{s|table}}") + &p("{{s|chart:line}}")
    );
    let json = json!({"s": [{"a": "x", "b": 1}, {"a": "y", "b": 2}]});
    let made = fill(&Template::of(&template).bytes(), json).unwrap();
    let xml = body(&made.bytes);
    let width = |from: &str| -> u64 {
        let rest = xml.split(from).nth(1).unwrap();
        rest.split('"').next().unwrap().parse().unwrap()
    };
    assert!(width("<w:tblW w:w=\"") <= 3_002, "{xml}");
    assert!(width("<wp:extent cx=\"") <= 3_001 * 635, "{xml}");
}

#[test]
fn charts_are_native_and_made_of_the_numbers_of_a_table() {
    let template = Template::of(&p("{{sales|chart:bar stacked}}")).bytes();
    let json = json!({"sales": [
        {"month": "Jan", "a": 1, "note": "x", "b": 2.5},
        {"month": "Feb", "a": null, "note": "y", "b": 3},
    ]});
    let made = fill(&template, json).unwrap();
    assert!(body(&made.bytes).contains("<c:chart "), "{}", body(&made.bytes));
    assert_eq!(
        made.warnings,
        [
            "`{{sales|chart:bar stacked}}`: columns that are no numbers are left out of the chart: `note`"
        ]
    );
    let relationships = part(&made.bytes, "word/_rels/document.xml.rels");
    assert!(relationships.contains("/chart\""), "{relationships}");
    for (mark, value, expected) in [
        ("s|chart:donut", json!([]), "expected `chart:column`"),
        ("s|chart", json!([{"a": "x"}]), "expected a column of numbers"),
        ("s|chart:pie", json!([{"a": "x", "b": 1, "c": 2}]), "pie"),
    ] {
        let error = refusal(&p(&format!("{{{{{mark}}}}}")), json!({"s": value}));
        assert!(error.contains(expected), "{mark}: {error}");
    }
}

#[test]
fn what_inserts_blocks_needs_a_paragraph_of_the_text() {
    let header = format!(
        "<w:hdr {}>{}</w:hdr>",
        crate::backend::docx::template::tests::SPACES,
        p("{{a|markdown}}")
    );
    let template = Template::of(&p("b {{a|markdown}}")).with("word/header1.xml", &header).bytes();
    let error = fill(&template, json!({"a": "x"})).unwrap_err().render();
    assert!(error.contains("`{{a|markdown}}` (text): stands beside other text"), "{error}");
    assert!(
        error.contains("`{{a|markdown}}` (header): stands in a header, a footer or a note"),
        "{error}"
    );
    let error = refusal(&p("{{a|markdown}}"), json!({"a": [1]}));
    assert!(error.contains("expected a text in Markdown, got a list"), "{error}");
    let items: Vec<_> = (0..2_001).map(|_| "x").collect();
    let error = refusal(&(p("{{#a}}") + &p("{{.|markdown}}") + &p("{{/a}}")), json!({"a": items}));
    assert!(error.contains("at most 2000 inserted texts"), "{error}");
}

#[test]
fn marks_of_other_programs_get_the_form_of_this_one() {
    let template = [
        p("{#items}{name}{/items}"),
        p("{%logo} {{@logo}} {{+annex}} {{?items}}"),
        p("{% for x in items %}{{ x }}{% endfor %}"),
        p("{other} and {#other}"),
    ]
    .concat();
    let json = json!({"items": [{"name": "a"}], "name": "b", "logo": "x.png"});
    insta::assert_snapshot!(refusal(&template, json), @r"
    template: no value for `+annex` (text; another document is `{{annex|document}}` here), `?items` (text; a part is `{{#items}}` to `{{/items}}` here), `@logo` (text; a picture is `{{logo|picture}}` here), `x` (text)
    `{#items}` (text) is a mark of another program: write `{{#items}}` here
    `{/items}` (text) is a mark of another program: write `{{/items}}` here
    `{%logo}` (text) is a mark of another program: write `{{logo|picture}}` here
    `{% for x in items %}` (text) is a mark of another program: write `{{#items}}` to `{{/items}}` here
    `{% endfor %}` (text) is a mark of another program: write `{{/name}}` with the name of the list here
    hint: give every name of the template a value; an empty text leaves its place empty
    ");
    let made =
        fill(&Template::of(&p("{other} and {#other} {{a}} {a}")).bytes(), json!({"a": 1})).unwrap();
    assert_eq!(
        made.warnings,
        [
            "looks like a mark of another program, and is left as it stands: `{#other}` (text; here `{{#other}}`), `{a}` (text; here `{{a}}`)"
        ]
    );
    // A template of another program, unchanged.
    let error = refusal(&p("{#loop} and {/loop}"), json!({"other": 1}));
    assert!(
        error.contains(
            "it has no mark of Mitt, and what looks like marks of another program: `{#loop}`"
        ),
        "{error}"
    );
    assert!(fill(&Template::of(&p("only text {here}")).bytes(), json!({"a": 1})).is_ok());
    let error = refusal(&p("{{#items}}"), json!({"items": [{"a": 1}]}));
    assert!(error.contains("a table from a value is `{{items|table}}`"), "{error}");
}
