//! Text that people do not see: in mails, in pages that Word documents insert, in Office files, and as characters that show
//! nothing.

use std::fs;
use std::io::{Cursor, Write as _};

use zip::write::{SimpleFileOptions, ZipWriter};

use crate::support::{root, session};

const HIDDEN: &str = "text that the page hides from people was left out: 5 characters in 1 places";

fn mail(page: &str) -> Vec<u8> {
    format!(
        "From: a@b.c\r\nSubject: s\r\nMIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=B\r\n\r\n\
         --B\r\nContent-Type: text/plain\r\n\r\nPay 4,200 EUR.\r\n\
         --B\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{page}\r\n--B--\r\n"
    )
    .into_bytes()
}

/// A Word document whose text is a web page.
fn inserted(page: &str) -> Vec<u8> {
    const RELATIONS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let files = [
        (
            "[Content_Types].xml",
            r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="html" ContentType="text/html"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"#.to_owned(),
        ),
        (
            "_rels/.rels",
            format!(r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="{RELATIONS}/officeDocument" Target="word/document.xml"/></Relationships>"#),
        ),
        (
            "word/_rels/document.xml.rels",
            format!(r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="c1" Type="{RELATIONS}/aFChunk" Target="page.html"/></Relationships>"#),
        ),
        (
            "word/document.xml",
            format!(r#"<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="{RELATIONS}"><w:body><w:p><w:r><w:t>Before</w:t></w:r></w:p><w:altChunk r:id="c1"/></w:body></w:document>"#),
        ),
        ("word/page.html", format!("<html><body>{page}</body></html>")),
    ];
    package(&files)
}

fn package(files: &[(&str, String)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Returns a package of an Office file: its main part with the content type of it, and parts that it refers to.
fn office(main: &str, kind: &str, content: String, others: &[(&str, &str, String)]) -> Vec<u8> {
    const RELATIONS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let relation = |id: usize, kind: &str, target: &str| {
        format!(r#"<Relationship Id="r{id}" Type="{RELATIONS}/{kind}" Target="/{target}"/>"#)
    };
    let relations = |inner: String| {
        format!(
            r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{inner}</Relationships>"#
        )
    };
    let (folder, name) = main.split_once('/').unwrap();
    let links: String =
        others.iter().enumerate().map(|(id, (name, kind, _))| relation(id, kind, name)).collect();
    let types = format!(
        r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/{main}" ContentType="application/vnd.openxmlformats-officedocument.{kind}.main+xml"/></Types>"#
    );
    let links_name = format!("{folder}/_rels/{name}.rels");
    let mut files = vec![
        ("[Content_Types].xml", types),
        ("_rels/.rels", relations(relation(0, "officeDocument", main))),
        (links_name.as_str(), relations(links)),
        (main, content),
    ];
    files.extend(others.iter().map(|(name, _, content)| (*name, content.clone())));
    package(&files)
}

fn word(runs: &str) -> Vec<u8> {
    let body = format!(
        r#"<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>Pay 4,200 EUR.</w:t></w:r></w:p><w:p>{runs}</w:p></w:body></w:document>"#
    );
    office("word/document.xml", "wordprocessingml.document", body, &[])
}

fn slides(run: &str) -> Vec<u8> {
    const SPACES: &str = r#"xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships""#;
    let shape = |run: &str| {
        format!(
            r#"<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="9" y="9"/><a:ext cx="900000" cy="900000"/></a:xfrm></p:spPr><p:txBody><a:bodyPr/><a:p>{run}</a:p></p:txBody></p:sp>"#
        )
    };
    let slide = format!(
        "<p:sld {SPACES}><p:cSld><p:spTree>{}{}</p:spTree></p:cSld></p:sld>",
        shape("<a:r><a:t>Pay 4,200 EUR.</a:t></a:r>"),
        shape(run)
    );
    let deck = format!(
        r#"<p:presentation {SPACES}><p:sldIdLst><p:sldId id="256" r:id="r0"/></p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/></p:presentation>"#
    );
    office(
        "ppt/presentation.xml",
        "presentationml.presentation",
        deck,
        &[("ppt/slides/slide1.xml", "slide", slide)],
    )
}

fn workbook() -> Vec<u8> {
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let book = format!(
        r#"<workbook xmlns="{main}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="r0"/></sheets></workbook>"#
    );
    let sheet = format!(
        r#"<worksheet xmlns="{main}"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>item</t></is></c><c r="B1" t="inlineStr"><is><t>amount</t></is></c></row><row r="2"><c r="A2" t="inlineStr"><is><t>seen</t></is></c><c r="B2"><v>1</v></c></row><row r="3"><c r="A3" s="1" t="inlineStr"><is><t>PLANT</t></is></c><c r="B3" s="2"><v>2</v></c></row></sheetData></worksheet>"#
    );
    let styles = format!(
        r#"<styleSheet xmlns="{main}"><numFmts count="1"><numFmt numFmtId="164" formatCode=";;;"/></numFmts><fonts count="2"><font/><font><color rgb="FFFFFFFF"/></font></fonts><fills count="1"><fill><patternFill patternType="none"/></fill></fills><cellXfs count="3"><xf/><xf fontId="1"/><xf numFmtId="164"/></cellXfs></styleSheet>"#
    );
    office(
        "xl/workbook.xml",
        "spreadsheetml.sheet",
        book,
        &[("xl/worksheets/sheet1.xml", "worksheet", sheet), ("xl/styles.xml", "styles", styles)],
    )
}

#[tokio::test]
async fn mails_are_read_without_what_their_pages_hide() {
    let session = session();
    for hidden in [
        "<div style=\"display:none\">PLANT</div>",
        "<style>.x{display:none}</style><p class=x>PLANT</p>",
        "<p hidden>PLANT</p>",
        "<p style=\"color:#ffffff\">PLANT</p>",
        "<p style=\"clip-path:inset(100%)\">PLANT</p>",
    ] {
        let page = format!("<p>Pay 4,200 EUR.</p>{hidden}");
        let document = session.add_document_bytes("a.eml", mail(&page)).await.unwrap();
        assert_eq!(document.text.matches("4,200").count(), 1, "{hidden}: {}", document.text);
        assert!(!document.text.contains("PLANT"), "{hidden}: {}", document.text);
        assert_eq!(document.warnings, [HIDDEN], "{hidden}");
        let document = session.add_document_bytes("a.docx", inserted(&page)).await.unwrap();
        assert!(document.text.contains("4,200") && !document.text.contains("PLANT"), "{hidden}");
        assert!(document.warnings.iter().any(|it| it == HIDDEN), "{:?}", document.warnings);
    }
    // White on blue is seen.
    let page = "<p>Pay 4,200 EUR.</p><p style=\"background:navy;color:#fff\">Order 77</p>";
    let document = session.add_document_bytes("b.eml", mail(page)).await.unwrap();
    assert!(document.text.contains("Order 77"), "{}", document.text);
}

#[tokio::test]
async fn office_files_are_read_without_what_they_hide() {
    let session = session();
    let run = |properties: &str| format!("<w:r><w:rPr>{properties}</w:rPr><w:t>PLANT</w:t></w:r>");
    let white = "<a:solidFill><a:srgbClr val=\"FFFFFF\"/></a:solidFill>";
    let on_slide = |properties: &str| format!("<a:r>{properties}<a:t>PLANT</a:t></a:r>");
    for (name, content, place, reason) in [
        ("a.docx", word(&run("<w:vanish/>")), "paragraph 2", "marked as hidden"),
        (
            "b.docx",
            word(&run("<w:color w:val=\"FFFFFF\"/>")),
            "paragraph 2",
            "in the colour behind it",
        ),
        ("c.docx", word(&run("<w:sz w:val=\"2\"/>")), "paragraph 2", "not larger than 1 pt"),
        (
            "a.pptx",
            slides(&on_slide(&format!("<a:rPr>{white}</a:rPr>"))),
            "slide 1",
            "in the colour behind it",
        ),
        ("b.pptx", slides(&on_slide("<a:rPr sz=\"100\"/>")), "slide 1", "not larger than 1 pt"),
    ] {
        let document = session.add_document_bytes(name, content).await.unwrap();
        assert!(document.text.contains("4,200"), "{name}: {}", document.text);
        assert!(!document.text.contains("PLANT"), "{name}: {}", document.text);
        let told = format!(
            "text that nobody sees was left out in {place}: 5 characters in 1 place ({reason} 5)"
        );
        assert!(document.warnings.contains(&told), "{name}: {:?}", document.warnings);
    }
    // Files of Office 97 to 2003, from the tests of the reader.
    for (name, letters) in [("unseen.doc", 113), ("unseen.ppt", 84)] {
        let path = root().join("plugins/reader-office/tests/files").join(name);
        let document = session.add_document_bytes(name, fs::read(path).unwrap()).await.unwrap();
        assert!(document.text.contains("SHOWN") && !document.text.contains("PLANT"), "{name}");
        let told = format!(": {letters} characters in ");
        assert!(document.warnings[0].contains(&told), "{name}: {:?}", document.warnings);
    }
    // White on navy is seen.
    let seen = run("<w:color w:val=\"FFFFFF\"/><w:shd w:val=\"clear\" w:fill=\"000080\"/>");
    let document = session.add_document_bytes("d.docx", word(&seen)).await.unwrap();
    assert!(document.text.contains("PLANT") && document.warnings.is_empty(), "{}", document.text);
    // Cells are read, because sums need them.
    let document = session.add_document_bytes("a.xlsx", workbook()).await.unwrap();
    assert!(document.text.contains("PLANT"), "{}", document.text);
    let told = document.warnings.iter().any(|it| it.ends_with("are read like the others: A3, B3"));
    assert!(told, "{:?}", document.warnings);
}

#[tokio::test]
async fn tags_of_unicode_are_left_out_of_every_format() {
    let session = session();
    let tags: String =
        "PLANT".chars().filter_map(|it| char::from_u32(0xE0000 + u32::from(it))).collect();
    let flag = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}";
    for (name, content) in [
        ("a.txt", format!("年报{tags} {flag}\n")),
        ("a.md", format!("# 年报{tags}\n\n{flag}\n")),
        ("a.html", format!("<p>年报{tags} {flag}</p>")),
        ("a.csv", format!("年报{tags},b\n{flag}{tags},2\n")),
        ("a.json", format!("{{\"年报\": \"{flag}{tags}\"}}")),
    ] {
        let document = session.add_document_bytes(name, content.into_bytes()).await.unwrap();
        let read = format!("{}{:?}", document.text, document.title);
        assert!(read.contains("年报") && read.contains(flag), "{name}: {read}");
        assert!(!document.text.contains(&tags), "{name}");
        let warned = document.warnings.iter().any(|it| it.contains("(tags of Unicode)"));
        assert!(warned, "{name}: {:?}", document.warnings);
    }
}
