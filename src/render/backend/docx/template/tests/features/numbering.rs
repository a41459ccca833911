//! Numbered lists in repeated parts.

use super::{Template, body, fill, p, part};
use crate::backend::docx::template::tests::{OFFICE, SPACES, WORD};
use serde_json::json;

fn item(text: &str, list: u32) -> String {
    p(text).replacen(
        "<w:p>",
        &format!("<w:p><w:pPr><w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"{list}\"/></w:numPr></w:pPr>"),
        1,
    )
}

/// A template with two lists, the second of which begins with 3, and a style with the first.
fn template(body: &str) -> Vec<u8> {
    let level = |start: u32| {
        format!(
            "<w:lvl w:ilvl=\"0\"><w:start w:val=\"{start}\"/><w:numFmt w:val=\"decimal\"/><w:lvlText w:val=\"%1.\"/></w:lvl>"
        )
    };
    let numbering = format!(
        "<w:numbering {SPACES}><w:abstractNum w:abstractNumId=\"0\">{}</w:abstractNum><w:abstractNum w:abstractNumId=\"1\">{}</w:abstractNum><w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num><w:num w:numId=\"2\"><w:abstractNumId w:val=\"1\"/></w:num><w:numIdMacAtCleanup w:val=\"2\"/></w:numbering>",
        level(1),
        level(3)
    );
    let mut template = Template::of(body).with("word/numbering.xml", &numbering);
    template.relationships =
        format!("<Relationship Id=\"rId9\" Type=\"{OFFICE}/numbering\" Target=\"numbering.xml\"/>");
    template.styles += "<w:style w:type=\"paragraph\" w:styleId=\"Step\"><w:name w:val=\"Step\"/><w:pPr><w:numPr><w:numId w:val=\"2\"/></w:numPr></w:pPr></w:style><w:style w:type=\"paragraph\" w:styleId=\"Inner\"><w:name w:val=\"Inner\"/><w:basedOn w:val=\"Step\"/></w:style>";
    let _ = WORD;
    template.bytes()
}

/// Returns the list of each paragraph.
fn lists(xml: &str) -> Vec<String> {
    let ids = xml.split("<w:numId w:val=\"").skip(1);
    ids.map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
}

fn value() -> serde_json::Value {
    json!({"chapters": [{"t": "A", "steps": ["a", "b"]}, {"t": "B", "steps": ["c"]}, {"t": "C", "steps": ["d"]}]})
}

#[test]
fn a_repeated_item_continues_and_a_nested_list_begins_again() {
    let parts = [
        p("{{#chapters}}"),
        item("{{t}}", 1),
        p("{{#steps}}"),
        item("{{.}}", 2),
        p("{{/steps}}"),
        p("{{/chapters}}"),
    ]
    .concat();
    let made = fill(&template(&parts), value()).unwrap();
    assert_eq!(lists(&body(&made.bytes)), ["1", "2", "2", "1", "3", "1", "4"]);
    let numbering = part(&made.bytes, "word/numbering.xml");
    assert!(numbering.contains("<w:num w:numId=\"3\"><w:abstractNumId w:val=\"1\"/><w:lvlOverride w:ilvl=\"0\"><w:startOverride w:val=\"3\"/></w:lvlOverride>"), "{numbering}");
    assert!(numbering.ends_with("<w:numIdMacAtCleanup w:val=\"2\"/></w:numbering>"), "{numbering}");
    // A list that the outer part has too continues.
    let same = parts.replace("<w:numId w:val=\"2\"/>", "<w:numId w:val=\"1\"/>");
    let made = fill(&template(&same), value()).unwrap();
    assert_eq!(lists(&body(&made.bytes)), ["1"; 7]);
}

#[test]
fn lists_of_styles_begin_again_too() {
    let step = p("{{.}}").replacen(
        "<w:p>",
        "<w:p><w:pPr><w:pStyle w:val=\"Inner\"/><w:jc w:val=\"left\"/></w:pPr>",
        1,
    );
    let parts = [
        p("{{#chapters}}"),
        p("{{t}}"),
        p("{{#steps}}"),
        step,
        p("{{/steps}}"),
        p("{{/chapters}}"),
    ];
    let made = fill(&template(&parts.concat()), value()).unwrap();
    let xml = body(&made.bytes);
    assert_eq!(lists(&xml), ["3", "4"]);
    assert!(xml.contains("<w:pStyle w:val=\"Inner\"/><w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"3\"/></w:numPr><w:jc"), "{xml}");
}

#[test]
fn lists_in_tables_of_a_repeated_part_begin_again() {
    let table = format!(
        "<w:tbl><w:tblPr/><w:tblGrid/><w:tr><w:tc>{}</w:tc></w:tr></w:tbl>",
        item("{{chapters.steps}}", 2)
    );
    let parts = [p("{{#chapters}}"), p("{{t}}"), table, p("{{/chapters}}")].concat();
    let made = fill(&template(&parts), value()).unwrap();
    assert_eq!(lists(&body(&made.bytes)), ["2", "2", "3", "4"]);
}

#[test]
fn lists_that_begin_again_are_bounded() {
    let parts = [p("{{#a}}"), p("{{#b}}"), item("{{.}}", 2), p("{{/b}}"), p("{{/a}}")];
    let items: Vec<_> = (0..10_002).map(|_| json!({"b": [1]})).collect();
    let error = fill(&template(&parts.concat()), json!({"a": items})).unwrap_err().render();
    assert!(error.contains("at most 10000 numbered lists that begin again"), "{error}");
}
