//! Text that people do not see: in mails, in pages that Word documents insert, and as characters that show nothing.

use std::io::{Cursor, Write as _};

use zip::write::{SimpleFileOptions, ZipWriter};

use crate::support::session;

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
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        writer.start_file(name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
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
