//! Foreign files become documents; a hostile file fails alone.

use mitt::{Cell, ErrorKind};

use crate::support::{corpora, root, session};

fn cells(table: &mitt::Table) -> Vec<Vec<Cell>> {
    table.cells(0, usize::MAX).collect()
}

#[tokio::test]
async fn the_example_reports_are_read() {
    let session = session();
    let old = session.add_document(&root().join("examples/yoy/2024年经营报告.xlsx")).await.unwrap();
    assert_eq!(old.tables.len(), 2);
    let table = &old.tables[0];
    assert_eq!(
        table.data.names().collect::<Vec<_>>(),
        ["月份", "日活跃用户（万人）", "营业收入（万元）"]
    );
    assert_eq!(table.data.rows(), 12);
    assert_eq!(
        cells(&table.data)[0],
        [Cell::Text("1月".into()), Cell::Number("1180.5".into()), Cell::Number("9120.35".into())]
    );
    assert!(old.text.contains("星河科技 2024 年度经营数据"), "{}", old.text);
    let new = session.add_document(&root().join("examples/yoy/2025年经营报告.docx")).await.unwrap();
    assert_eq!(cells(&new.tables[0].data)[11][2], Cell::Text("1.754亿".into()));
    assert!(new.text.contains("“稳增长、提质量”"), "{}", new.text);
}

#[tokio::test]
async fn text_formats_need_no_plugin() {
    let session = mitt::Host::builder()
        .no_cache()
        .bundled_skills(false)
        .build()
        .unwrap()
        .session(Default::default())
        .unwrap();
    let csv = session.add_document_bytes("a.csv", "a;b\n1;年\n".into()).await.unwrap();
    assert_eq!(csv.tables[0].data.names().collect::<Vec<_>>(), ["a", "b"]);
    let md =
        session.add_document_bytes("a.md", "# t\n\n| a |\n|---|\n| 1 |\n".into()).await.unwrap();
    assert_eq!((md.title.as_deref(), md.tables.len()), (Some("t"), 1));
    let gbk = encoding_rs::GBK.encode("年度经营报告，营业收入增长").0.into_owned();
    let txt = session.add_document_bytes("a.txt", gbk).await.unwrap();
    assert_eq!(txt.text, "年度经营报告，营业收入增长");
    let again = session.add_document_bytes("a.txt", b"x".to_vec()).await.unwrap();
    assert_eq!(again.name, "a (2).txt");
}

/// Blanks around a text are not data in any format; blanks inside of it are.
#[tokio::test]
async fn a_table_is_the_same_from_csv_markdown_and_a_workbook() {
    let header = [" region", "two  words ", "amount"];
    let rows = [["East ", "  a  b ", "12"], ["\u{3000}西部\t", "   ", "-0.5"]];
    let lines = |separator: &str| {
        let line = |row: &[&str; 3]| row.join(separator);
        std::iter::once(line(&header)).chain(rows.iter().map(line)).collect::<Vec<_>>()
    };
    let csv = lines(",").join("\n");
    let piped = lines("|");
    let markdown = format!("{}\n---|---|---\n{}\n", piped[0], piped[1..].join("\n"));
    let mut workbook = rust_xlsxwriter::Workbook::new();
    let sheet = workbook.add_worksheet();
    for (column, name) in (0..).zip(header) {
        sheet.write(0, column, name).unwrap();
    }
    for (row, cells) in (1..).zip(rows) {
        sheet.write(row, 0, cells[0]).unwrap();
        sheet.write(row, 1, cells[1]).unwrap();
        sheet.write(row, 2, cells[2].parse::<f64>().unwrap()).unwrap();
    }
    let session = session();
    for (name, bytes) in [
        ("a.csv", csv.into_bytes()),
        ("a.md", markdown.into_bytes()),
        ("a.xlsx", workbook.save_to_buffer().unwrap()),
    ] {
        let document = session.add_document_bytes(name, bytes).await.unwrap();
        let table = &document.tables[0].data;
        assert_eq!(table.names().collect::<Vec<_>>(), ["region", "two words", "amount"], "{name}");
        let text = |text: &str| Cell::Text(text.into());
        let number = |text: &str| Cell::Number(text.into());
        assert_eq!(cells(table)[0], [text("East"), text("a  b"), number("12")], "{name}");
        assert_eq!(cells(table)[1], [text("西部"), Cell::Null, number("-0.5")], "{name}");
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_an_error_with_a_way_out() {
    let session = session();
    for (name, bytes, problem) in [
        ("a.xlsx", &b""[..], "the file is empty"),
        ("a.pdf", b"%PDF-1.7", "the document is damaged"),
        ("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "the picture is damaged"),
        ("a.xlsx", b"PK\x03\x04xl/workbook.xml damaged", ""),
        ("../a.txt", b"x", "is a path"),
    ] {
        let error = session.add_document_bytes(name, bytes.to_vec()).await.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Input, "{name}: {error:?}");
        assert!(error.to_string().contains(problem), "{error}");
    }
    assert!(session.documents().is_empty());
}

#[tokio::test]
async fn sizes_are_bounded() {
    let limits = mitt::SessionLimits {
        document_bytes: 10,
        // The memory of a document, counted as it is kept.
        documents_bytes: 500,
        document_characters: 4,
        ..mitt::SessionLimits::default()
    };
    let host = mitt::Host::builder()
        .no_cache()
        .bundled_skills(false)
        .session_limits(limits)
        .build()
        .unwrap();
    let session = host.session(Default::default()).unwrap();
    let error = session.add_document_bytes("a.txt", vec![b'x'; 11]).await.unwrap_err();
    assert_eq!(error.limit_reached().unwrap().limit, 10);
    let document = session.add_document_bytes("a.txt", vec![b'x'; 10]).await.unwrap();
    assert_eq!(document.text, "xxxx\n[SYSTEM: TRUNCATED]");
    let error = session.add_document_bytes("b.txt", vec![b'x'; 10]).await.unwrap_err();
    assert!(error.limit_reached().unwrap().used > 500);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), [b'x'; 11]).unwrap();
    assert!(session.add_document(file.path()).await.unwrap_err().limit_reached().is_some());
    assert_eq!(
        *session.add_document(&std::env::temp_dir()).await.unwrap_err().kind(),
        ErrorKind::Input
    );
}

/// Bombs and broken files of the corpora: each ends as an error or a document, and the next one is read.
#[tokio::test]
async fn hostile_files_cost_one_file() {
    let Some(corpora) = corpora() else { return };
    for (file, must_fail) in [
        ("calamine/OOM_alloc2.xls", false),
        ("calamine/issue_666_panic.xlsb", false),
        ("calamine/pass_protected.xlsb", true),
        ("calamine/pass_protected.xlsx", true),
        ("calamine/too_small.xls", false),
        ("poi/poc-shared-strings.xlsx", false),
    ] {
        let mut path = corpora.join(file);
        if !path.exists() {
            path = corpora.join("poi/spreadsheet").join(path.file_name().unwrap());
        }
        if !path.exists() {
            continue;
        }
        let session = session();
        let read = session.add_document(&path).await;
        assert!(!must_fail || read.is_err(), "{file} was read");
        let next = session.add_document(&corpora.join("calamine/date.xlsx")).await.unwrap();
        assert!(!next.tables.is_empty());
    }
}

/// Encodings that a file declares in an old form, or not at all.
#[tokio::test]
async fn texts_of_old_encodings_are_read_and_named() {
    let session = session();
    let ebcdic: Vec<u8> =
        b"\xC8\x85\x93\x93\x96\x40\xE6\x96\x99\x93\x84\x40\xF1\xF2\xF3\x15".repeat(3);
    let dos = b"Gr\x94\xE1e der Fl\x84che: 3 m\xFD, K\x81hlung".to_vec();
    let polish = b"Za\xBE\xA2\x88\x86 g\xA9\x98l\xA5 ja\xAB\xE4".to_vec();
    for (name, bytes, text, warning) in [
        ("a.txt", ebcdic, "Hello World 123\n", "EBCDIC"),
        ("b.txt", dos, "Größe der Fläche: 3 m², Kühlung", "DOS code page 850"),
        ("c.txt", polish, "Zażółć gęślą jaźń", "DOS code page 852"),
        ("d.txt", b"\x1b$)C\x0e0!\x0f a\n".to_vec(), "가 a\n", "ISO-2022-KR"),
        (
            "e.txt",
            "一般需要".encode_utf16().flat_map(u16::to_be_bytes).collect(),
            "一般需要",
            "UTF-16BE",
        ),
    ] {
        let document = session.add_document_bytes(name, bytes).await.unwrap();
        assert!(document.text.starts_with(text), "{name}: {:?}", document.text);
        assert!(
            document.warnings.iter().any(|told| told.contains(warning)),
            "{:?}",
            document.warnings
        );
    }
}

/// The test files of an encoding detector: encodings that browsers do not know are recognised, and no other file is taken
/// for one of them.
#[tokio::test]
async fn old_encodings_are_not_taken_for_each_other() {
    let Some(corpora) = corpora() else { return };
    let folder = corpora.join("encodings");
    let Ok(encodings) = std::fs::read_dir(&folder) else { return };
    let session = session();
    let old = ["Johab", "ISO-2022-KR", "ISO-2022-CN", "EBCDIC", "DOS code page", "EUC-TW"];
    for encoding in encodings.map(Result::unwrap).filter(|entry| entry.path().is_dir()) {
        let encoding = encoding.file_name().into_string().unwrap();
        for file in std::fs::read_dir(folder.join(&encoding)).unwrap().map(Result::unwrap) {
            let bytes = std::fs::read(file.path()).unwrap();
            let Ok(document) = session.add_document_bytes("a.txt", bytes).await else { continue };
            // Another encoding may follow, nearly as likely.
            let is_read_as = |name: &&&str| {
                let start = format!("the text was read as {name}");
                document.warnings.iter().any(|told| told.starts_with(&start))
            };
            let found = old.iter().find(is_read_as);
            let expected = match encoding.as_str() {
                "Johab" => Some("Johab"),
                "iso-2022-kr" => Some("ISO-2022-KR"),
                "EUC-TW" => Some("EUC-TW"),
                "IBM855" => Some("DOS code page"),
                _ => None,
            };
            assert_eq!(found.copied(), expected, "{}", file.path().display());
        }
    }
}

#[tokio::test]
async fn web_pages_data_books_and_mails_are_read() {
    let session = session();
    let page = "<!DOCTYPE html><html><body><p>a &lt; b</p><p hidden>c</p></body></html>";
    let document = session.add_document_bytes("a.html", page.into()).await.unwrap();
    assert_eq!((document.text.as_str(), document.media_type.as_str()), ("a < b\n", "text/html"));
    assert_eq!(
        document.warnings,
        ["text that the page hides from people was left out: 1 characters in 1 places"]
    );
    let xml = "<?xml version=\"1.0\"?><a>\u{5e74}</a>";
    let wide: Vec<u8> =
        [0xFEFF].into_iter().chain(xml.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    for bytes in [xml.as_bytes().to_vec(), wide] {
        assert_eq!(session.add_document_bytes("a.xml", bytes).await.unwrap().text, xml);
    }
    let files = root().join("plugins/reader-web/tests/files");
    for (name, media_type, place, tables) in [
        ("epub3.epub", "application/epub+zip", "chapter 2: 第一回", 1),
        ("four.ipynb", "application/x-ipynb+json", "cell 2", 1),
        ("records.json", "application/json", "", 1),
        ("records.jsonl", "application/jsonl", "", 1),
        ("feed.rss.xml", "application/xml", "", 1),
        ("pandas.html", "text/html", "", 1),
    ] {
        let document = session.add_document(&files.join(name)).await.unwrap();
        assert_eq!(
            (document.media_type.as_str(), document.tables.len()),
            (media_type, tables),
            "{name}"
        );
        let labels: Vec<&str> = document.places.iter().map(|it| it.label.as_str()).collect();
        assert!(place.is_empty() || labels.contains(&place), "{name}: {labels:?}");
        assert!(!document.text.is_empty(), "{name}");
    }
    let error = session.add_document(&files.join("drm.epub")).await.unwrap_err();
    assert!(error.to_string().contains("the file is encrypted"), "{error}");

    // Without the skill they are read as plain text.
    let bare = mitt::Host::builder().no_cache().bundled_skills(false).build().unwrap();
    let bare = bare.session(Default::default()).unwrap();
    let document = bare.add_document_bytes("a.html", page.into()).await.unwrap();
    assert_eq!(document.text, page);
    assert_eq!(document.warnings, ["the text is the source of the web page, tags included"]);
    let document = bare.add_document_bytes("a.json", "{\"a\": 1}".into()).await.unwrap();
    assert_eq!((document.text.as_str(), document.warnings.len()), ("{\"a\": 1}", 0));
    let mail = b"Received: by x\r\nMIME-Version: 1.0\r\nSubject: y\r\nContent-Transfer-Encoding: base64\r\n\r\nSGVsbG8=";
    for name in ["a.eml", "a.txt", "a"] {
        let document = session.add_document_bytes(name, mail.to_vec()).await.unwrap();
        assert_eq!(
            (document.text.as_str(), document.media_type.as_str()),
            ("# y\n\nHello\n", "message/rfc822")
        );
    }
}

#[tokio::test]
async fn a_document_that_lost_its_end_is_called_damaged() {
    let session = session();
    let whole = std::fs::read(root().join("examples/yoy/2025年经营报告.docx")).unwrap();
    for end in [10, 100, 1000, whole.len() / 2, whole.len() - 20] {
        let error = session.add_document_bytes("a.docx", whole[..end].to_vec()).await.unwrap_err();
        assert!(error.to_string().contains("damaged"), "{end}: {error}");
        assert!(!error.render().contains("save it as"), "{}", error.render());
    }
}

/// The reader as compiled in: equations and automatic numbers of a document with both.
#[tokio::test]
async fn equations_and_numbers_of_a_document_are_read() {
    let document = r#"<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><w:body><w:p><w:r><w:t xml:space="preserve">Area </w:t></w:r><m:oMath><m:sSup><m:e><m:r><m:t>a</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></w:p></w:body></w:document>"#;
    let types = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/main/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"#;
    let relations = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="main/document.xml"/></Relationships>"#;
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in [
        ("[Content_Types].xml", types),
        ("_rels/.rels", relations),
        ("main/document.xml", document),
    ] {
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        std::io::Write::write_all(&mut archive, content.as_bytes()).unwrap();
    }
    let bytes = archive.finish().unwrap().into_inner();
    // Its parts are in a folder with another name than Word's.
    let read = session().add_document_bytes("a.docx", bytes).await.unwrap();
    assert_eq!(read.text, "Area $a^2$\n");
}
