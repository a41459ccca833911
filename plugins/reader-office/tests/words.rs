//! Tests what Word shows but does not store as text: equations, automatic numbers, ruby text, inserted documents.

mod common;

use common::{W, archive, relations, types, word};
use mitt_reader_kit::{Cell, Content, Error};
use reader_office::read;

fn document(body: &str, others: &[(&str, &str, &[u8])]) -> Content {
    read(&word(body, others), "docx").unwrap()
}

fn check(body: &str, expected: &str) {
    let content = document(body, &[]);
    assert_eq!((content.markdown.trim_end(), &content.warnings[..]), (expected, &[][..]), "{body}");
}

fn p(inner: &str) -> String {
    format!("<w:p>{inner}</w:p>")
}

fn t(text: &str) -> String {
    format!(r#"<w:r><w:t xml:space="preserve">{text}</w:t></w:r>"#)
}

const SQUARE: &str = "<m:oMath><m:sSup><m:e><m:r><m:t>a</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>";
const QUARTERS: &str = "<m:oMath><m:f><m:num><m:r><m:t>3</m:t></m:r></m:num><m:den><m:r><m:t>4</m:t></m:r></m:den></m:f></m:oMath>";

#[test]
fn equations_keep_exponents_and_fractions() {
    check(&p(&(t("Take ") + SQUARE + &t(" of *x*."))), "Take $a^2$ of \\*x\\*.");
    check(
        &p(&format!("<m:oMathPara>{QUARTERS}{SQUARE}</m:oMathPara>")),
        "$$\\frac{3}{4}$$\\\n$$a^2$$",
    );
    check(&p("<m:oMath><m:r><m:t>12</m:t></m:r></m:oMath>"), "12");
    let cell = |inner: &str| format!("<w:tc>{}</w:tc>", p(inner));
    let row = |a: &str, b: &str| format!("<w:tr>{}{}</w:tr>", cell(a), cell(b));
    let content = document(
        &format!(
            "<w:tbl>{}{}</w:tbl>",
            row(&t("a"), &t("b")),
            row(QUARTERS, "<m:oMath><m:r><m:t>7</m:t></m:r></m:oMath>")
        ),
        &[],
    );
    assert_eq!(
        content.tables[0].data.rows[0],
        [Cell::Text("$\\frac{3}{4}$".into()), Cell::Number("7".into())]
    );
}

#[test]
fn an_unknown_part_of_an_equation_is_told() {
    let content = document(&p("<m:oMath><m:odd><m:r><m:t>x</m:t></m:r></m:odd></m:oMath>"), &[]);
    assert_eq!(content.markdown, "$x$\n");
    assert_eq!(content.warnings, ["equations have parts of which only the text was read: `odd`"]);
}

#[test]
fn equations_stand_in_notes_and_headers_too() {
    let note = format!(
        r#"<w:footnotes xmlns:w="{W}" xmlns:m="m"><w:footnote w:id="2">{}</w:footnote></w:footnotes>"#,
        p(SQUARE)
    );
    let body = p(&(t("x")
        + r#"<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:id="2"/></w:r>"#));
    let content = document(&body, &[("footnotes.xml", "footnotes", note.as_bytes())]);
    // A note reference is not a power.
    assert_eq!(content.markdown, "x[^2]\n\n[^2]: $a^2$\n");
}

#[test]
fn raised_and_lowered_runs_are_other_numbers() {
    let script = |text: &str, align: &str| {
        format!(r#"<w:r><w:rPr><w:vertAlign w:val="{align}"/></w:rPr><w:t>{text}</w:t></w:r>"#)
    };
    let body = t("10")
        + &script("6", "superscript")
        + &t(" H")
        + &script("2", "subscript")
        + &t("O 1")
        + &script("st", "superscript");
    check(&p(&body), "10⁶ H₂O 1st");
}

#[test]
fn old_equations_are_counted_and_shown() {
    let object = r#"<w:r><w:object><o:OLEObject Type="Embed" ProgID="Equation.3" r:id="none"/></w:object></w:r>"#;
    let content = document(&p(&(t("x ") + object)), &[]);
    assert_eq!(content.markdown, "x [equation that was not read]\n".replace("[e", "\\[e"));
    assert_eq!(content.warnings, ["equations of an old equation editor that were not read: 1"]);
}

#[test]
fn readings_stand_behind_their_characters() {
    let ruby = |base: &str, reading: &str| {
        format!(
            "<w:ruby><w:rubyPr/><w:rt>{}</w:rt><w:rubyBase>{}</w:rubyBase></w:ruby>",
            t(reading),
            t(base)
        )
    };
    check(
        &p(&format!("<w:r>{}</w:r>{}", ruby("東京", "とうきょう"), t("へ"))),
        "東京(とうきょう)へ",
    );
    check(&p(&(ruby("京", "きょう") + &t("都"))), "京(きょう)都");
}

#[test]
fn formula_fields_are_written_out() {
    let field = |instruction: &str| {
        format!(
            r#"<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve">{instruction}</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>"#
        )
    };
    check(&p(&(t("x ") + &field(r"EQ \f(3,4)") + &t(" y"))), "x $\\frac{3}{4}$ y");
    check(&p(&field(r"EQ \* jc2 \o\ad(\s\up 9(かん),漢)")), "漢(かん)");
    let content = document(&p(&field(r"EQ \zz(1)")), &[]);
    assert_eq!(content.warnings, ["formula fields given as they stand: 1"]);
    assert!(content.markdown.contains("EQ"), "{}", content.markdown);
    check(&p(&(field("PAGE") + &t("x"))), "x");
}

const NUMBERING: &str = r#"<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">
<w:abstractNum w:abstractNumId="0">
 <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:pStyle w:val="H1"/><w:lvlText w:val="%1"/></w:lvl>
 <w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:pStyle w:val="H2"/><w:lvlText w:val="%1.%2"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="chineseCountingThousand"/><w:lvlText w:val="第%1条"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="3"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="o"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="2"/></w:num><w:num w:numId="4"><w:abstractNumId w:val="3"/></w:num>
</w:numbering>"#;

const STYLES: &str = r#"<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">
<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/></w:style>
</w:styles>"#;

fn numbered(body: &str) -> Content {
    document(
        body,
        &[
            ("numbering.xml", "numbering", NUMBERING.as_bytes()),
            ("styles.xml", "styles", STYLES.as_bytes()),
        ],
    )
}

fn styled(style: &str, text: &str) -> String {
    p(&(format!(r#"<w:pPr><w:pStyle w:val="{style}"/></w:pPr>"#) + &t(text)))
}

fn listed(list: u8, text: &str) -> String {
    let run = if text.is_empty() { String::new() } else { t(text) };
    p(&(format!(
        r#"<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="{list}"/></w:numPr></w:pPr>"#
    ) + &run))
}

#[test]
fn headings_and_articles_have_their_numbers() {
    let body = [
        styled("T", "报告"),
        styled("H1", "One"),
        styled("H2", "Sub"),
        styled("H1", "Two"),
        listed(2, "甲方"),
        t(""),
        listed(2, "*乙方*"),
    ]
    .concat();
    let content = numbered(&body);
    assert_eq!(
        content.markdown,
        "# 报告\n\n# 1 One\n\n## 1.1 Sub\n\n# 2 Two\n\n- 第一条 甲方\n- 第二条 \\*乙方\\*\n"
    );
    assert_eq!(content.title.as_deref(), Some("报告"));
    assert!(content.warnings.is_empty(), "{:?}", content.warnings);
}

#[test]
fn lists_in_cells_keep_their_marks_and_rows_their_numbers() {
    let cell = |inner: &str| format!("<w:tc>{inner}</w:tc>");
    let row = |a: &str, b: &str| format!("<w:tr>{}{}</w:tr>", cell(a), cell(b));
    let points = listed(4, "x") + &listed(4, "y");
    let content = numbered(&format!(
        "<w:tbl>{}{}{}</w:tbl>",
        row(&p(&t("no")), &p(&t("points"))),
        row(&listed(3, ""), &points),
        row(&listed(3, ""), &listed(2, "z")),
    ));
    let text = |value: &str| Cell::Text(value.to_owned());
    assert_eq!(
        content.tables[0].data.rows,
        [
            [Cell::Number("1".into()), text("- x\n- y")],
            [Cell::Number("2".into()), text("第一条 z")]
        ]
    );
}

#[test]
fn inserted_documents_stand_where_they_are_inserted() {
    let inner = word(
        &(p(&(t("inner ") + SQUARE))
            + "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr><w:tr><w:tc><w:p><w:r><w:t>1</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>2</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"),
        &[],
    );
    let rich = b"{\\rtf1 rich\\par\\trowd\\cellx9\\cellx18\\intbl c\\cell d\\cell\\row\\trowd\\cellx9\\cellx18\\intbl 3\\cell 4\\cell\\row\\pard{\\object{\\*\\objdata 00}}}";
    let html = b"<html><body><p>web</p><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table></body></html>";
    let body = p(&t("before"))
        + r#"<w:altChunk r:id="x0"/>"#
        + &p(&t("between"))
        + r#"<w:altChunk r:id="x1"><w:altChunkPr/></w:altChunk><w:altChunk r:id="x2"/><w:altChunk r:id="none"/>"#;
    let content = document(
        &body,
        &[("a.docx", "aFChunk", &inner), ("b.html", "aFChunk", html), ("c.rtf", "aFChunk", rich)],
    );
    assert_eq!(
        content.markdown,
        "before\n\ninner $a^2$\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nbetween\n\nweb\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nrich\n\n| c | d |\n| --- | --- |\n| 3 | 4 |\n"
    );
    assert_eq!(content.tables.len(), 3);
    assert_eq!(content.warnings, ["objects of other programs that were not read: 1"]);
}

#[test]
fn tracked_deletions_are_as_if_they_were_accepted() {
    let mark =
        r#"<w:pPr><w:pStyle w:val="x"/><w:rPr><w:del w:id="8" w:author="R"/></w:rPr></w:pPr>"#;
    let cell = |text: &str| format!("<w:tc>{}</w:tc>", p(&t(text)));
    let row = |change: &str, one: &str, two: &str| {
        format!("<w:tr><w:trPr>{change}</w:trPr>{}{}</w:tr>", cell(one), cell(two))
    };
    let body = p(&(mark.to_owned() + &t("Joined para")))
        + &p(&t("graph text."))
        + &p(&(mark.to_owned()
            + r#"<w:del w:id="1"><w:r><w:delText>gone</w:delText></w:r></w:del>"#))
        + &p(&t("Stays."))
        + "<w:tbl>"
        + &row("", "Item", "Cost")
        + &row(r#"<w:del w:id="9"/>"#, "Old row", "111")
        + &row(r#"<w:ins w:id="10"/>"#, "New row", "222")
        + "</w:tbl>"
        + &p(&t("end"));
    check(
        &body,
        "Joined paragraph text.\n\nStays.\n\n| Item | Cost |\n| --- | --- |\n| New row | 222 |\n\nend",
    );
}

#[test]
fn parts_are_found_by_their_relationships() {
    let strict = "http://purl.oclc.org/ooxml/officeDocument/relationships";
    let document = format!(
        r#"<w:document xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main" xmlns:m="http://purl.oclc.org/ooxml/officeDocument/math"><w:body>{}</w:body></w:document>"#,
        p(&(r#"<w:pPr><w:pStyle w:val="H1"/></w:pPr>"#.to_owned() + &t("Head ") + SQUARE))
    );
    let rename = |text: String| {
        text.replace("http://schemas.openxmlformats.org/officeDocument/2006/relationships", strict)
    };
    let bytes = archive(&[
        (
            "[Content_Types].xml",
            types(&[
                "main/text7.xml wordprocessingml.document.main",
                "s.xml wordprocessingml.styles",
            ])
            .as_bytes(),
        ),
        ("_rels/.rels", rename(relations(&["r1 officeDocument main/text7.xml"])).as_bytes()),
        (
            "main/_rels/text7.xml.rels",
            rename(relations(&["r1 styles /s.xml", "r2 numbering ../n.xml"])).as_bytes(),
        ),
        ("main/text7.xml", document.as_bytes()),
        ("s.xml", STYLES.as_bytes()),
        ("n.xml", NUMBERING.as_bytes()),
    ]);
    assert_eq!(read(&bytes, "docx").unwrap().markdown, "# 1 Head $a^2$\n");
}

#[test]
fn equations_on_slides() {
    let slide = format!(
        r#"<p:sld xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:m="m" xmlns:a14="a14" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><p:cSld><p:spTree>
        <mc:AlternateContent><mc:Choice Requires="a14"><p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>Take </a:t></a:r><a14:m>{SQUARE}</a14:m></a:p><a:p><a14:m><m:oMathPara>{QUARTERS}</m:oMathPara></a14:m></a:p><a:p><a:r><a:t>10</a:t></a:r><a:r><a:rPr baseline="30000"/><a:t>6</a:t></a:r></a:p></p:txBody></p:sp></mc:Choice><mc:Fallback><p:sp><p:txBody><a:bodyPr/><a:p><a:r><a:t> </a:t></a:r></a:p></p:txBody></p:sp></mc:Fallback></mc:AlternateContent>
        </p:spTree></p:cSld></p:sld>"#
    );
    let presentation = r#"<p:presentation xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst></p:presentation>"#;
    let bytes = archive(&[
        (
            "[Content_Types].xml",
            types(&[
                "deck/show.xml presentationml.presentation.main",
                "deck/one.xml presentationml.slide",
            ])
            .as_bytes(),
        ),
        ("_rels/.rels", relations(&["r1 officeDocument deck/show.xml"]).as_bytes()),
        ("deck/_rels/show.xml.rels", relations(&["r1 slide one.xml"]).as_bytes()),
        ("deck/show.xml", presentation.as_bytes()),
        ("deck/one.xml", slide.as_bytes()),
    ]);
    let content = read(&bytes, "pptx").unwrap();
    for part in ["Take $a^2$", "$$\\frac{3}{4}$$", "10⁶"] {
        assert!(content.markdown.contains(part), "{part}: {}", content.markdown);
    }
}

#[test]
fn marks_of_a_document_are_not_taken_for_ours() {
    check(&p(&t("a \u{fdd0}*b*\u{fdd1} &#xFDD2;9&#xFDD3;")), "a \\*b\\* 9");
    assert!(matches!(read(b"PK\x03\x04", "docx"), Err(Error::Malformed(_))));
}
