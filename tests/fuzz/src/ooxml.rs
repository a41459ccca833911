//! Office packages out of bytes: parts that belong together, mostly, and then one of them that does not.

use std::io::{Cursor, Write as _};
use std::sync::LazyLock;

use mitt::{CacheDir, ErrorKind, Host, SessionOptions};
use zip::write::SimpleFileOptions;

use super::shape::Shape;
use super::{bounded, runtime};

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const WORD: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const RELATIONS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
const TYPES: &str = "http://schemas.openxmlformats.org/package/2006/content-types";

/// Definitions that a parser may follow: to files, to each other, to very much text.
const DOCTYPES: [&str; 4] = [
    "<!DOCTYPE x [<!ENTITY e SYSTEM \"file:///etc/passwd\">]>",
    "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\"><!ENTITY e \"&b;&b;&b;&b;&b;&b;\">]>",
    "<!DOCTYPE x [<!ENTITY % p \"<!ENTITY e '1'>\"> %p;]>",
    "<!DOCTYPE x SYSTEM \"http://127.0.0.1:9/x.dtd\">",
];

/// A package is read into a document or refused; the host lives, and what is kept of it is bounded.
pub fn ooxml(data: &[u8]) {
    let mut shape = Shape::new(data);
    let mut parts = match shape.below(3) {
        0 => document(&mut shape),
        _ => workbook(&mut shape),
    };
    for _ in 0..shape.below(3) {
        damage(&mut parts, &mut shape);
    }
    let is_word = parts.iter().any(|(name, _)| name.starts_with("word/"));
    read(if is_word { "a.docx" } else { "a.xlsx" }, package(&parts, &mut shape));
}

/// Read a file as a session does.
pub(super) fn read(name: &str, bytes: Vec<u8>) {
    static HOST: LazyLock<Host> =
        LazyLock::new(|| Host::builder().cache(CacheDir::of_user()).build().unwrap());
    let session = HOST.session(SessionOptions::default()).unwrap();
    match runtime().block_on(session.add_document_bytes(name, bytes)) {
        Ok(document) => assert_eq!(document.characters, document.text.chars().count() as u64),
        Err(error) => bounded(&error, &[ErrorKind::Input, ErrorKind::Trap]),
    }
}

type Part = (String, String);

fn part(name: &str, text: String) -> Part {
    (name.to_owned(), text)
}

fn relations(of: &[(&str, String)]) -> String {
    let items = of.iter().enumerate().map(|(at, (kind, target))| {
        format!(
            "<Relationship Id=\"rId{}\" Type=\"{RELATIONS}/{kind}\" Target=\"{target}\"/>",
            at + 1
        )
    });
    format!(
        "{HEAD}<Relationships xmlns=\"{PACKAGE}\">{}</Relationships>",
        items.collect::<String>()
    )
}

fn types(main: &str, kind: &str) -> String {
    format!(
        "{HEAD}<Types xmlns=\"{TYPES}\"><Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
         <Default Extension=\"xml\" ContentType=\"application/xml\"/><Override PartName=\"{main}\" ContentType=\"application/vnd.openxmlformats-officedocument.{kind}.main+xml\"/></Types>"
    )
}

fn text(shape: &mut Shape<'_>) -> String {
    const TEXTS: [&str; 12] = [
        "a",
        "数据",
        "1.5",
        "&amp;",
        "&e;",
        "&#x41;",
        "&#xFFFFFFFF;",
        "<b/>",
        "]]>",
        "1e999",
        "-0",
        "=1+1",
    ];
    let text = TEXTS[shape.below(TEXTS.len())];
    text.repeat(count(shape).min(200))
}

fn count(shape: &mut Shape<'_>) -> usize {
    if shape.below(16) == 15 { 1 << shape.below(12) } else { shape.below(5) }
}

/// A reference to a cell, near or at the ends of what there is.
fn cell(shape: &mut Shape<'_>) -> String {
    const COLUMNS: [&str; 8] = ["A", "B", "Z", "AA", "XFD", "XFE", "ZZZZZZZ", ""];
    const ROWS: [&str; 8] = ["1", "2", "3", "100", "1048576", "1048577", "0", "4294967296"];
    match shape.below(4) {
        0 => format!("{}{}", COLUMNS[shape.below(8)], ROWS[shape.below(8)]),
        _ => format!("{}{}", COLUMNS[shape.below(4)], shape.below(30) + 1),
    }
}

fn workbook(shape: &mut Shape<'_>) -> Vec<Part> {
    let sheets = 1 + shape.below(3);
    let mut related: Vec<(&str, String)> =
        (1..=sheets).map(|at| ("worksheet", format!("worksheets/sheet{at}.xml"))).collect();
    related.push(("sharedStrings", "sharedStrings.xml".into()));
    related.push(("styles", "styles.xml".into()));
    let list = (1..=sheets).map(|at| {
        let name = ["S", "S/1", "", "数据", "&e;"][shape.below(5)];
        format!(
            "<sheet name=\"{name}{at}\" sheetId=\"{at}\" r:id=\"rId{}\"/>",
            at + shape.below(16) / 15
        )
    });
    let list: String = list.collect();
    let strings: String =
        (0..count(shape)).map(|_| format!("<si><t>{}</t></si>", text(shape))).collect();
    let claimed = [0, 1, 100, u64::MAX][shape.below(4)];
    let formats: String = (0..count(shape))
        .map(|at| format!("<xf numFmtId=\"{}\"/>", [0, 14, 22, 164][at % 4]))
        .collect();
    let mut parts = vec![
        part("[Content_Types].xml", types("/xl/workbook.xml", "spreadsheetml.sheet")),
        part("_rels/.rels", relations(&[("officeDocument", "xl/workbook.xml".into())])),
        part(
            "xl/workbook.xml",
            format!(
                "{HEAD}<workbook xmlns=\"{MAIN}\" xmlns:r=\"{RELATIONS}\"><workbookPr date1904=\"{}\"/><sheets>{list}</sheets></workbook>",
                shape.below(3)
            ),
        ),
        part("xl/_rels/workbook.xml.rels", relations(&related)),
        part(
            "xl/sharedStrings.xml",
            format!(
                "{HEAD}<sst xmlns=\"{MAIN}\" count=\"{claimed}\" uniqueCount=\"{claimed}\">{strings}</sst>"
            ),
        ),
        part(
            "xl/styles.xml",
            format!(
                "{HEAD}<styleSheet xmlns=\"{MAIN}\"><numFmts><numFmt numFmtId=\"164\" formatCode=\"{}\"/></numFmts><cellXfs>{formats}</cellXfs></styleSheet>",
                ["0.0%", "yyyy", "[h]:mm", "\u{0}", "@"][shape.below(5)].replace('\u{0}', "&#0;")
            ),
        ),
    ];
    for at in 1..=sheets {
        parts.push((format!("xl/worksheets/sheet{at}.xml"), sheet(shape)));
    }
    parts
}

fn sheet(shape: &mut Shape<'_>) -> String {
    let mut rows = String::new();
    for row in 0..count(shape) {
        rows.push_str(&format!(
            "<row r=\"{}\">",
            if shape.below(8) == 7 { 1_048_576 } else { row + 1 }
        ));
        for _ in 0..count(shape).min(64) {
            let kind = ["n", "s", "str", "inlineStr", "b", "e", "d", "x"][shape.below(8)];
            let style = [0, 1, 99_999][shape.below(3)];
            let value = if shape.flip() { shape.below(256).to_string() } else { text(shape) };
            let (at, is_inline) = (cell(shape), kind == "inlineStr");
            let content = if is_inline {
                format!("<is><t>{value}</t></is>")
            } else {
                format!("<v>{value}</v>")
            };
            let formula =
                ["", "", "<f>1+1</f>", "<f t=\"shared\" ref=\"A1:XFD1048576\" si=\"0\">A1</f>"]
                    [shape.below(4)];
            rows.push_str(&format!(
                "<c r=\"{at}\" t=\"{kind}\" s=\"{style}\">{formula}{content}</c>"
            ));
        }
        rows.push_str("</row>");
    }
    let merged: String = (0..count(shape))
        .map(|_| format!("<mergeCell ref=\"{}:{}\"/>", cell(shape), cell(shape)))
        .collect();
    let dimension = if shape.flip() {
        "A1:XFD1048576".to_owned()
    } else {
        format!("{}:{}", cell(shape), cell(shape))
    };
    format!(
        "{HEAD}<worksheet xmlns=\"{MAIN}\"><dimension ref=\"{dimension}\"/><sheetData>{rows}</sheetData><mergeCells>{merged}</mergeCells></worksheet>"
    )
}

fn document(shape: &mut Shape<'_>) -> Vec<Part> {
    let mut body = String::new();
    for _ in 0..count(shape) {
        block(shape, 4, &mut body);
    }
    let notes: String = (0..count(shape))
        .map(|at| format!("<w:footnote w:id=\"{at}\"><w:p><w:r><w:footnoteReference w:id=\"{}\"/><w:t>{}</w:t></w:r></w:p></w:footnote>", shape.below(4), text(shape)))
        .collect();
    vec![
        part("[Content_Types].xml", types("/word/document.xml", "wordprocessingml.document")),
        part("_rels/.rels", relations(&[("officeDocument", "word/document.xml".into())])),
        part(
            "word/document.xml",
            format!(
                "{HEAD}<w:document xmlns:w=\"{WORD}\" xmlns:r=\"{RELATIONS}\"><w:body>{body}</w:body></w:document>"
            ),
        ),
        part(
            "word/_rels/document.xml.rels",
            relations(&[
                ("footnotes", "footnotes.xml".into()),
                ("hyperlink", "javascript:x".into()),
                ("styles", "../word/styles.xml".into()),
            ]),
        ),
        part(
            "word/footnotes.xml",
            format!("{HEAD}<w:footnotes xmlns:w=\"{WORD}\">{notes}</w:footnotes>"),
        ),
        part(
            "word/styles.xml",
            format!(
                "{HEAD}<w:styles xmlns:w=\"{WORD}\"><w:style w:styleId=\"a\"><w:basedOn w:val=\"a\"/></w:style></w:styles>"
            ),
        ),
    ]
}

fn block(shape: &mut Shape<'_>, depth: usize, body: &mut String) {
    if depth > 0 && shape.below(3) == 0 {
        let span = [1, 2, 64, 4_000_000_000_u64][shape.below(4)];
        body.push_str("<w:tbl>");
        for _ in 0..count(shape).min(64) {
            body.push_str("<w:tr>");
            for _ in 0..count(shape).min(64) {
                body.push_str(&format!(
                    "<w:tc><w:tcPr><w:gridSpan w:val=\"{span}\"/><w:vMerge/></w:tcPr>"
                ));
                block(shape, depth - 1, body);
                body.push_str("</w:tc>");
            }
            body.push_str("</w:tr>");
        }
        body.push_str("</w:tbl>");
        return;
    }
    let style = ["Heading1", "a", "ListParagraph"][shape.below(3)];
    let level = [0, 1, 8, 1_000_000][shape.below(4)];
    let nested = count(shape).min(512);
    body.push_str(&format!(
        "<w:p><w:pPr><w:pStyle w:val=\"{style}\"/><w:numPr><w:ilvl w:val=\"{level}\"/><w:numId w:val=\"1\"/></w:numPr></w:pPr>{}<w:r><w:t>{}</w:t><w:footnoteReference w:id=\"0\"/></w:r>{}</w:p>",
        "<w:ins>".repeat(nested), text(shape), "</w:ins>".repeat(nested)
    ));
}

/// One part is missing, there twice, somebody else's, deeply nested, cut off or full of entities.
fn damage(parts: &mut Vec<Part>, shape: &mut Shape<'_>) {
    let at = shape.below(parts.len());
    let (other, choice) = (parts[shape.below(parts.len())].1.clone(), shape.below(8));
    let half = parts[at].1.char_indices().nth(parts[at].1.chars().count() / 2).map_or(0, |it| it.0);
    let text = &mut parts[at].1;
    match choice {
        0 => drop(parts.remove(at)),
        1 => *text = other,
        2 => text.insert_str(half, &"<a>".repeat(1 << shape.below(15))),
        3 => text.truncate(half),
        4 => text.insert_str(HEAD.len().min(half), DOCTYPES[shape.below(4)]),
        5 => *text = text.replace("rId1", "rId2").replace(".xml\"", ".xml/../../../x\""),
        6 => text.insert_str(half, &format!("<!--{}-->", "-".repeat(1 << shape.below(12)))),
        _ => {
            parts[at].0 = ["../../x", "xl\\workbook.xml", "XL/WORKBOOK.XML", "/xl/workbook.xml"]
                [shape.below(4)]
            .into()
        }
    }
    if parts.is_empty() {
        parts.push(part("x", String::new()));
    }
}

fn package(parts: &[Part], shape: &mut Shape<'_>) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        let method = if shape.below(8) == 7 {
            zip::CompressionMethod::Stored
        } else {
            zip::CompressionMethod::Deflated
        };
        let options = SimpleFileOptions::default().compression_method(method);
        // A name that is there twice is refused by the writer.
        if zip.start_file(name.as_str(), options).is_ok() {
            zip.write_all(text.as_bytes()).unwrap();
            // Very much for very few bytes.
            if shape.below(32) == 31 {
                zip.write_all(&vec![b' '; 1 << (10 + shape.below(14))]).unwrap();
            }
        }
    }
    let mut bytes = zip.finish().unwrap().into_inner();
    for _ in 0..shape.below(8) / 6 {
        let place = (shape.below(256) << 8 | shape.below(256)) % bytes.len();
        bytes[place] = shape.below(256) as u8;
    }
    bytes
}
