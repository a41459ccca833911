//! Documents as Markdown with anchors.

use super::*;
use docx_tool::{MarkdownOptions, MarkdownPage, read_markdown};

pub(crate) const NUMBERING: &str = "<w:abstractNum w:abstractNumId=\"0\"><w:lvl w:ilvl=\"0\"><w:start w:val=\"1\"/><w:numFmt w:val=\"decimal\"/><w:lvlText w:val=\"%1.\"/></w:lvl>\
    <w:lvl w:ilvl=\"1\"><w:start w:val=\"1\"/><w:numFmt w:val=\"decimal\"/><w:lvlText w:val=\"%1.%2\"/></w:lvl></w:abstractNum>\
    <w:abstractNum w:abstractNumId=\"1\"><w:lvl w:ilvl=\"0\"><w:numFmt w:val=\"bullet\"/><w:lvlText w:val=\"x\"/></w:lvl></w:abstractNum>\
    <w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num><w:num w:numId=\"2\"><w:abstractNumId w:val=\"1\"/></w:num>\
    <w:num w:numId=\"3\"><w:abstractNumId w:val=\"0\"/><w:lvlOverride w:ilvl=\"0\"><w:startOverride w:val=\"7\"/></w:lvlOverride></w:num>";

pub(crate) fn item(list: u32, level: u32, text: &str) -> String {
    format!(
        "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"{level}\"/><w:numId w:val=\"{list}\"/></w:numPr></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"
    )
}

pub(crate) fn with_lists(body: &str, parts: &[(&str, &str, &str)]) -> Vec<u8> {
    let numbering = format!("<w:numbering {W}>{NUMBERING}</w:numbering>");
    let mut all = vec![("numbering.xml", "numbering", numbering.as_str())];
    all.extend(parts);
    docx_with(body, &all)
}

fn page(bytes: &[u8], view: View, from: usize, limit: usize) -> MarkdownPage {
    let options = MarkdownOptions { view, from, limit };
    read_markdown(&mut Document::open(bytes.to_vec()).unwrap(), &options).unwrap()
}

#[test]
fn blocks_have_anchors_numbers_and_their_text_as_it_stands() {
    let body = format!(
        "<w:p><w:pPr><w:pStyle w:val=\"H1\"/></w:pPr><w:r><w:t>Head</w:t></w:r></w:p>{}{}{}{}\
         <w:p><w:r><w:rPr><w:b/></w:rPr><w:t>5 * [x] | y</w:t></w:r></w:p><w:p/>",
        item(1, 0, "first"),
        item(1, 1, "second"),
        item(2, 0, "bullet"),
        item(3, 0, "seven"),
    );
    let bytes = with_lists(&body, &[]);
    let at = |index: usize| anchor(&bytes, index);
    let found = page(&bytes, View::Accepted, 0, 100);
    assert_eq!(
        found.markdown,
        format!(
            "# [{}] Head\n\n1. [{}] first\n  1.1 [{}] second\n- [{}] bullet\n7. [{}] seven\n\n[{}] 5 * [x] | y",
            at(0),
            at(1),
            at(2),
            at(3),
            at(4),
            at(5)
        )
    );
    assert_eq!((found.total, found.next, found.losses.len()), (7, None, 0));
    let edited = plain(&bytes, &[replace(&at(5), "5 * [x]", "6")]).unwrap();
    assert_eq!(texts(&edited.bytes, View::Accepted)[5], "6 | y");
    // Numbers go on behind what is left out.
    let rest = page(&bytes, View::Accepted, 2, 2);
    assert!(rest.markdown.starts_with("  1.1 ["), "{}", rest.markdown);
    assert_eq!(rest.next, Some(4));
}

#[test]
fn each_view_has_its_texts() {
    let body = "<w:p><w:r><w:t>a</w:t></w:r><w:del w:id=\"1\" w:author=\"x\"><w:r><w:delText>b</w:delText></w:r></w:del><w:ins w:id=\"2\" w:author=\"x\"><w:r><w:t>c</w:t></w:r></w:ins></w:p>\
        <w:p><w:pPr><w:rPr><w:ins w:id=\"3\" w:author=\"x\"/></w:rPr></w:pPr><w:ins w:id=\"4\" w:author=\"x\"><w:r><w:t>new</w:t></w:r></w:ins></w:p><w:p><w:r><w:t>z</w:t></w:r></w:p>";
    let bytes = docx(body);
    let shown = |view| -> Vec<String> {
        let text = page(&bytes, view, 0, 100).markdown;
        text.split("\n\n").map(|it| it.split_once("] ").unwrap().1.to_owned()).collect()
    };
    assert_eq!(shown(View::Accepted), ["ac", "new", "z"]);
    assert_eq!(shown(View::Original), ["ab", "z"]);
    assert_eq!(shown(View::Marks), ["a[-b-][+c+]", "[+new+]", "z"]);
}

#[test]
fn tables_and_notes_are_those_of_markdown() {
    let cell = |text: &str| format!("<w:tc><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>");
    let body = format!(
        "<w:p><w:r><w:t>see</w:t><w:footnoteReference w:id=\"2\"/></w:r></w:p><w:tbl><w:tr>{}{}</w:tr><w:tr><w:tc><w:tcPr><w:gridSpan w:val=\"2\"/></w:tcPr><w:p><w:r><w:t>x</w:t></w:r></w:p><w:p><w:r><w:t>y</w:t></w:r></w:p></w:tc></w:tr></w:tbl>",
        cell("a|b"),
        cell("c")
    );
    let footnotes = format!(
        "<w:footnotes {W}><w:footnote w:id=\"2\"><w:p><w:r><w:t>source</w:t></w:r></w:p></w:footnote></w:footnotes>"
    );
    let footer = format!("<w:ftr {W}><w:p><w:r><w:t>page foot</w:t></w:r></w:p></w:ftr>");
    let bytes = docx_with(
        &body,
        &[("footnotes.xml", "footnotes", &footnotes), ("footer1.xml", "footer", &footer)],
    );
    let found = page(&bytes, View::Accepted, 0, 100);
    let t = table(&bytes);
    let all = structure(&bytes, View::Accepted);
    let of =
        |place: &str| all.paragraphs.iter().find(|it| it.place == place).unwrap().anchor.clone();
    assert_eq!(
        found.markdown,
        format!(
            "[{}] see [^2]\n\n[{t}]\n| a\\|b | c |\n|---|---|\n| x<br>y |  |\n\n[^2]: [{}] source",
            anchor(&bytes, 0),
            of("footnote 2")
        )
    );
    assert_eq!(
        found.losses,
        [
            format!(
                "{t}: merged cells are shown as cells of their own, counted as edits count them"
            ),
            format!("{}: the footer \"page foot\" is left out", of("footer")),
        ]
    );
}

#[test]
fn what_is_not_shown_is_listed_with_its_place() {
    let math = "http://schemas.openxmlformats.org/officeDocument/2006/math";
    let drawing = |inner: &str| {
        format!(
            "<w:r><w:drawing><wp:inline xmlns:wp=\"urn:wp\" xmlns:a=\"urn:a\" xmlns:c=\"urn:c\">{inner}</wp:inline></w:drawing></w:r>"
        )
    };
    let body = format!(
        "<w:p>{}{}</w:p><w:p><w:r><w:t>m</w:t></w:r><m:oMath xmlns:m=\"{math}\"><m:r><m:t>x=1</m:t></m:r></m:oMath></w:p><w:p>{}<w:r><w:pict><v:shape xmlns:v=\"urn:v\"><w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r></w:p></w:txbxContent></v:shape></w:pict></w:r><w:r><w:t>t</w:t></w:r></w:p>",
        drawing("<wp:docPr id=\"1\" name=\"p\" descr=\"a cat\"/><a:blip r:embed=\"rId5\"/>"),
        drawing("<wp:docPr id=\"2\" name=\"p\"/><a:blip r:embed=\"rId5\"/>"),
        drawing("<c:chart r:id=\"rId6\"/>"),
    );
    let bytes = docx(&body);
    let found = page(&bytes, View::Accepted, 0, 100);
    assert!(
        found.markdown.starts_with(&format!("[{}]  ![a cat]", anchor(&bytes, 0))),
        "{}",
        found.markdown
    );
    assert_eq!(
        found.losses,
        [
            format!("{}: a picture without a description is left out", anchor(&bytes, 0)),
            format!("{}: the equation \"x=1\" is left out", anchor(&bytes, 1)),
            format!("{}: a chart is left out", anchor(&bytes, 2)),
            format!("{}: a text box is left out", anchor(&bytes, 2)),
        ]
    );
}

#[test]
fn a_long_document_comes_in_parts() {
    let text = "word ".repeat(200);
    let body: String =
        (0..400).map(|_| format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>")).collect();
    let bytes = docx(&body);
    let mut from = 0;
    let mut seen = 0;
    loop {
        let found = page(&bytes, View::Accepted, from, 1_000);
        assert!(found.markdown.len() < 130_000 && found.total == 400);
        seen += found.markdown.matches("[p").count();
        match found.next {
            Some(next) => from = next,
            None => break,
        }
    }
    assert_eq!(seen, 400);
}
