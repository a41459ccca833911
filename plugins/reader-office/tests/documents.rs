//! Tests Word documents with known content, made here part by part.

use mitt_reader_kit::{Cell, Content, Error};
use reader_office::read;
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;

const TYPES: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>
<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>
<Override PartName="/word/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/>
</Types>"#;

const RELATIONS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/>
<Relationship Id="r2" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/>
</Relationships>"#;

const DOCUMENT_RELATIONS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/>
</Relationships>"#;

const STYLES: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">
<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Cap"><w:name w:val="caption"/></w:style>
</w:styles>"#;

const CORE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"
 xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>年度报告</dc:title></cp:coreProperties>"#;

fn package(body: &str) -> Vec<u8> {
    let document = format!(
        r#"<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{body}</w:body></w:document>"#
    );
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in [
        ("[Content_Types].xml", TYPES),
        ("_rels/.rels", RELATIONS),
        ("word/_rels/document.xml.rels", DOCUMENT_RELATIONS),
        ("word/styles.xml", STYLES),
        ("docProps/core.xml", CORE),
        ("word/document.xml", &document),
    ] {
        archive.start_file(name, SimpleFileOptions::default()).unwrap();
        archive.write_all(content.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn document(body: &str) -> Content {
    read(&package(body), "docx").unwrap()
}

fn paragraph(style: &str, text: &str) -> String {
    format!(r#"<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"#)
}

/// Returns a table from lines of fields separated by commas. `text<2` spans two columns, `text^` begins a vertical
/// merge, `^` continues it.
fn table(lines: &[&str]) -> String {
    let cell = |field: &str| {
        let (field, merge) = match field.strip_suffix('^') {
            Some("") => ("", "<w:vMerge/>"),
            Some(text) => (text, r#"<w:vMerge w:val="restart"/>"#),
            None => (field, ""),
        };
        let (text, span) = field.split_once('<').unwrap_or((field, "1"));
        format!(
            r#"<w:tc><w:tcPr><w:gridSpan w:val="{span}"/>{merge}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>"#
        )
    };
    let row =
        |line: &&str| format!("<w:tr>{}</w:tr>", line.split(',').map(cell).collect::<String>());
    format!("<w:tbl>{}</w:tbl>", lines.iter().map(row).collect::<String>())
}

#[test]
fn text_and_tables_with_their_names() {
    let body = [
        paragraph("H1", "收入"),
        paragraph("", "正文 *with* stars"),
        table(&["项目,金额", "会员,1234.5", "广告,500万", "share,12.5%"]),
        paragraph("Cap", "Table 2: users"),
        table(&["a,b", "1,007"]),
    ]
    .concat();
    let content = document(&body);
    assert_eq!(content.title.as_deref(), Some("年度报告"));
    let names: Vec<_> = content.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["收入", "Table 2: users"]);
    let text = |value: &str| Cell::Text(value.to_owned());
    assert_eq!(
        content.tables[0].data.rows,
        [
            vec![text("会员"), Cell::Number("1234.5".into())],
            vec![text("广告"), text("500万")],
            vec![text("share"), text("12.5%")]
        ]
    );
    assert_eq!(content.tables[1].data.rows[0], [Cell::Number("1".into()), text("007")]);
    assert_eq!(
        content.markdown,
        "# 收入\n\n正文 \\*with\\* stars\n\n| 项目 | 金额 |\n| --- | --- |\n| 会员 | 1234.5 |\n| 广告 | 500万 |\n\
         | share | 12.5% |\n\nTable 2: users\n\n| a | b |\n| --- | --- |\n| 1 | 007 |\n"
    );
}

#[test]
fn merged_cells_leave_the_others_in_their_columns() {
    let content = document(&table(&["区域,Q1<2,合计", "东^,1,2,3", "^,4<2,5"]));
    let data = &content.tables[0].data;
    assert_eq!(data.columns, ["区域", "Q1", "Q1_2", "合计"]);
    let number = |value: &str| Cell::Number(value.to_owned());
    assert_eq!(data.rows[0], [Cell::Text("东".into()), number("1"), number("2"), number("3")]);
    assert_eq!(data.rows[1], [Cell::Text("东".into()), number("4"), Cell::Null, number("5")]);
}

#[test]
fn a_frame_around_text_is_no_table() {
    let content = document(&table(&["only text"]));
    assert!(content.tables.is_empty());
    assert_eq!(content.markdown, "only text\n");
}

#[test]
fn what_cannot_be_read_is_said() {
    let check = |bytes: &[u8], extension: &str| read(bytes, extension).unwrap_err();
    let whole = package("");
    assert!(matches!(check(&whole[..whole.len() / 2], "docx"), Error::Malformed(_)));
    assert!(matches!(check(b"", "doc"), Error::Malformed(_)));
    assert!(matches!(check(b"PK", "pptx"), Error::Malformed(_)));
    assert_eq!(
        check(b"", "xlsx"),
        Error::Unsupported("neither a text document nor slides: `xlsx`".into())
    );
}
