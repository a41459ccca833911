//! Other Word files in a template.

use super::{Template, body, p, part, values};
use crate::backend::docx::template::tests::{OFFICE, SPACES};
use crate::{Docx, DocxOptions, docx, docx_files, fill_docx, markdown};
use mitt_base::Result;
use serde_json::json;

fn filled(template: &str, json: serde_json::Value, document: &[u8]) -> Result<Docx> {
    let documents = vec![("annex.docx".to_owned(), document.into())];
    let options = DocxOptions { documents, ..DocxOptions::default() };
    fill_docx(&Template::of(template).bytes(), &values(json), None, &options)
}

#[test]
fn a_document_is_inserted_with_its_styles_lists_notes_and_links() {
    let text = "# Annex\n\nText[^1] [link](https://a.test/y)\n\n1. one\n2. two\n\n[^1]: A note.";
    let annex = docx(&markdown(text).unwrap(), &DocxOptions::default()).unwrap().bytes;
    let template = [p("before"), p("{{a|document}}"), p("{{a|document}}"), p("after")].concat();
    let made = filled(&template, json!({"a": "annex.docx"}), &annex).unwrap();
    let xml = body(&made.bytes);
    assert_eq!(xml.matches(">Annex<").count(), 2, "{xml}");
    assert!(xml.find("before") < xml.find("Annex") && xml.find("two") < xml.find("after"), "{xml}");
    assert!(part(&made.bytes, "word/_rels/document.xml.rels").contains("https://a.test/y"));
    assert_eq!(part(&made.bytes, "word/footnotes.xml").matches("A note").count(), 2);
    // Each copy has lists and bookmarks of its own.
    let values_of = |before: &str| {
        let mut found: Vec<&str> =
            xml.split(before).skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        found.dedup();
        found
    };
    assert_eq!(values_of("<w:numId w:val=\"").len(), 2, "{xml}");
    let names = values_of("w:name=\"");
    assert!(names.iter().all(|it| it.starts_with("D1_") || it.starts_with("D2_")), "{names:?}");
    assert!(
        made.warnings.iter().any(|it| it.contains("headers and footers are left out")),
        "{:?}",
        made.warnings
    );
    let files = docx_files(
        &Template::of(&template).bytes(),
        &values(json!({"a": "annex.docx"})),
        &DocxOptions::default(),
    );
    assert_eq!(files.unwrap(), ["annex.docx"]);
}

#[test]
fn pictures_of_a_document_come_with_it_and_comments_do_not() {
    let drawing = "<w:p><w:commentRangeStart w:id=\"0\"/><w:r><w:drawing><wp:docPr id=\"1\" name=\"x\"/><a:blip r:embed=\"rId7\"/></w:drawing></w:r><w:r><w:commentReference w:id=\"0\"/></w:r></w:p>";
    let mut annex =
        Template::of(drawing).with("word/media/a.png", "PNG").with("word/unused.xml", "<x/>");
    annex.relationships = format!(
        "<Relationship Id=\"rId7\" Type=\"{OFFICE}/image\" Target=\"media/a.png\"/><Relationship Id=\"rId8\" Type=\"{OFFICE}/customXml\" Target=\"unused.xml\"/>"
    );
    let made = filled(&p("{{a|document}}"), json!({"a": "annex.docx"}), &annex.bytes()).unwrap();
    assert!(!body(&made.bytes).contains("comment"), "{}", body(&made.bytes));
    assert!(
        made.warnings.contains(&"document `annex.docx`: comments are left out: 1".to_owned()),
        "{:?}",
        made.warnings
    );
    assert_eq!(part(&made.bytes, "word/mitt/a-1.png"), "PNG");
    let relationships = part(&made.bytes, "word/_rels/document.xml.rels");
    assert!(
        relationships.contains("mitt/a-1.png") && !relationships.contains("unused"),
        "{relationships}"
    );
}

#[test]
fn lists_of_styles_do_not_continue_those_of_the_template() {
    let numbering = |start: u32| {
        format!(
            "<w:numbering {SPACES}><w:abstractNum w:abstractNumId=\"0\"><w:nsid w:val=\"1\"/><w:lvl w:ilvl=\"0\"><w:start w:val=\"{start}\"/></w:lvl></w:abstractNum><w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num></w:numbering>"
        )
    };
    let with_list = |body: &str, start: u32| {
        let mut made = Template::of(body).with("word/numbering.xml", &numbering(start));
        made.relationships = format!(
            "<Relationship Id=\"rId9\" Type=\"{OFFICE}/numbering\" Target=\"numbering.xml\"/>"
        );
        made.styles += "<w:style w:type=\"paragraph\" w:styleId=\"Step\"><w:name w:val=\"Step\"/><w:pPr><w:numPr><w:numId w:val=\"1\"/></w:numPr></w:pPr></w:style>";
        made.bytes()
    };
    let step = p("x").replacen("<w:p>", "<w:p><w:pPr><w:pStyle w:val=\"Step\"/></w:pPr>", 1);
    let documents = vec![("annex.docx".to_owned(), with_list(&step, 5).into())];
    let options = DocxOptions { documents, ..DocxOptions::default() };
    let template = with_list(&(step.clone() + &p("{{a|document}}")), 1);
    let made = fill_docx(&template, &values(json!({"a": "annex.docx"})), None, &options).unwrap();
    let xml = body(&made.bytes);
    assert_eq!(xml.matches("<w:pStyle w:val=\"Step\"/>").count(), 2, "{xml}");
    assert_eq!(xml.matches("<w:numId w:val=\"3\"/>").count(), 1, "{xml}");
    let numbering = part(&made.bytes, "word/numbering.xml");
    assert!(
        numbering.contains("<w:num w:numId=\"3\"><w:abstractNumId w:val=\"1\"/>"),
        "{numbering}"
    );
    assert_eq!(numbering.matches("w:nsid").count(), 1, "{numbering}");
}

#[test]
fn documents_that_cannot_be_inserted_are_refused_by_name() {
    let notes = "<w:p><w:r><w:endnoteReference w:id=\"2\"/></w:r></w:p>";
    let field = "<w:p><w:r><w:instrText>DDEAUTO c:\\\\x</w:instrText></w:r></w:p>";
    for (document, name, expected) in [
        (Template::of(notes).bytes(), "annex.docx", "endnotes, which are not carried over: 1"),
        (Template::of(field).bytes(), "annex.docx", "a field that may fetch or start something"),
        (b"no".to_vec(), "annex.docx", "annex.docx"),
        (Vec::new(), "other.docx", "the document `other.docx` was not given"),
    ] {
        let error =
            filled(&p("{{a|document}}"), json!({"a": name}), &document).unwrap_err().render();
        assert!(error.contains(expected), "{name}: {error}");
    }
    let items: Vec<_> = (0..51).map(|_| "annex.docx").collect();
    let template = [p("{{#a}}"), p("{{.|document}}"), p("{{/a}}")].concat();
    let document = Template::of(&p("x")).bytes();
    let error = filled(&template, json!({"a": items}), &document).unwrap_err().render();
    assert!(error.contains("at most 50 inserted documents"), "{error}");
}
