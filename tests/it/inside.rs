//! Nested files, reasons why a file is not read, and search in long documents.

use std::fs;
use std::io::{Cursor, Write as _};

use serde_json::{Value, json};
use zip::write::{SimpleFileOptions, ZipWriter};

use crate::support::{command, root, session, text};

const FIXTURES: &str = "plugins/reader-archive/tests/fixtures";

fn packed(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[tokio::test]
async fn files_in_archives_are_documents_of_their_own() {
    let session = session();
    let archive = session.add_document(&root().join(FIXTURES).join("nested.zip")).await.unwrap();
    assert!(archive.text.contains("- report.md"), "{}", archive.text);
    let names: Vec<_> = session.documents().iter().map(|it| it.name.clone()).collect();
    assert_eq!(
        names,
        [
            "nested.zip",
            "nested.zip/report.md",
            "nested.zip/inner.zip",
            "nested.zip/inner.zip/deep/table.csv"
        ]
    );
    // Added a second time, all names are different.
    session.add_document(&root().join(FIXTURES).join("nested.zip")).await.unwrap();
    let last = session.documents().last().unwrap().name.clone();
    assert_eq!(last, "nested (2).zip/inner.zip/deep/table.csv");
    // Its table is named like any other.
    let call = json!({ "data": { "$ref": names[3] } }).to_string();
    let report = session.call("table_tool__describe", &call).await;
    assert!(report.result.is_ok(), "{report:?}");

    let tape = session.add_document(&root().join(FIXTURES).join("files.tgz")).await.unwrap();
    assert!(session.documents().iter().any(|it| it.name == "files.tgz/files.tar/table.csv"));
    assert!(tape.warnings.is_empty(), "{:?}", tape.warnings);
}

#[tokio::test]
async fn what_is_attached_to_mails_is_documents_of_its_own() {
    let session = session();
    let fixtures = root().join("plugins/reader-mail/tests/files");
    let mail = session.add_document(&fixtures.join("sales.eml")).await.unwrap();
    assert_eq!(mail.title.as_deref(), Some("二月销售数据"));
    let names: Vec<_> = session.documents().iter().map(|it| it.name.clone()).collect();
    assert_eq!(names[..2], ["sales.eml", "sales.eml/销售 二月.csv"]);
    assert!(names.contains(&"sales.eml/里面的邮件.eml".to_owned()), "{names:?}");
    assert!(!names.iter().any(|name| name.contains("..")), "{names:?}");
    let call = json!({ "data": { "$ref": names[1] } }).to_string();
    assert!(session.call("table_tool__describe", &call).await.result.is_ok());

    let boxed = session.add_document(&fixtures.join("box.mbox")).await.unwrap();
    assert_eq!(boxed.media_type, "application/mbox");
    assert_eq!(boxed.places.last().map(|place| place.label.as_str()), Some("mail 3"));
    assert!(session.documents().iter().any(|it| it.name == "box.mbox/2/附件.txt"));
    let refused = session.add_document(&fixtures.join("secret.eml")).await.unwrap_err();
    assert!(refused.to_string().contains("encrypted"), "{refused}");
}

#[tokio::test]
async fn open_documents_and_rich_text_are_read() {
    let session = session();
    let fixtures = root().join("plugins/reader-office/tests/files");
    for (name, kind, start) in [
        ("report.odt", "application/vnd.oasis.opendocument.text", "内部资料\n\n# 收入与成本"),
        ("report.rtf", "application/rtf", "内部资料\n\n# 收入与成本"),
        ("deck.odp", "application/vnd.oasis.opendocument.presentation", "## 概况"),
    ] {
        let document = session.add_document(&fixtures.join(name)).await.unwrap();
        assert_eq!(document.media_type, kind);
        assert!(document.text.starts_with(start), "{}", document.text);
    }
}

#[tokio::test]
async fn what_is_wrong_inside_costs_one_file() {
    let office = fs::read(root().join("examples/yoy/2025年经营报告.docx")).unwrap();
    let archive = packed(&[
        ("cut.docx", &office[..office.len() / 2]),
        ("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        ("../../etc/passwd\n.md", b"# Here\n"),
        ("2025.docx", &office),
    ]);
    let session = session();
    let document = session.add_document_bytes("a.zip", archive).await.unwrap();
    let names: Vec<_> = session.documents().iter().map(|it| it.name.clone()).collect();
    assert_eq!(names, ["a.zip", "a.zip/etc/passwd\\n.md", "a.zip/2025.docx"]);
    let told = document.warnings.join("\n");
    assert!(told.contains("a.zip/cut.docx was not read: the document is damaged"), "{told}");
    assert!(told.contains("a.zip/a.png was not read: the picture is damaged"), "{told}");

    // A file that is too large, and one for which no place is left.
    let limits = mitt::SessionLimits { document_bytes: 4_000, documents: 3, ..Default::default() };
    let host = mitt::Host::builder().no_cache().session_limits(limits).build().unwrap();
    let bounded = host.session(Default::default()).unwrap();
    let files =
        [("large.txt", &[b'x'; 5_000][..]), ("1.txt", b"1"), ("2.txt", b"2"), ("3.txt", b"3")];
    let document = bounded.add_document_bytes("b.zip", packed(&files)).await.unwrap();
    assert_eq!(bounded.documents().len(), 3);
    let told = document.warnings.join("\n");
    assert!(told.contains("b.zip/large.txt was not read: document limit of 4000 bytes"), "{told}");
    assert!(told.contains("b.zip/3.txt was not read: document-files limit of 3"), "{told}");

    // Five nested archives: the files of the innermost are not read, which is reported.
    let mut nested = packed(&[("a.txt", b"deep")]);
    for _ in 0..4 {
        nested = packed(&[("n.zip", &nested)]);
    }
    session.add_document_bytes("n.zip", nested).await.unwrap();
    let deep: Vec<_> = session.documents().into_iter().skip(3).collect();
    assert_eq!(deep.last().unwrap().name, "n.zip/n.zip/n.zip/n.zip");
    assert!(deep.last().unwrap().warnings[0].contains("3 levels deep"), "{:?}", deep.last());
}

/// Returns nested archives with `wide` files each.
fn tree(wide: usize, deep: usize) -> Vec<u8> {
    let (end, file) = match deep {
        0 => ("txt", b"a leaf".to_vec()),
        _ => ("zip", tree(wide, deep - 1)),
    };
    let names: Vec<String> = (1..=wide).map(|number| format!("{number}.{end}")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (&name[..], &file[..])).collect();
    packed(&files)
}

fn session_of(parts: mitt::PartsLimits) -> mitt::Session {
    let limits = mitt::SessionLimits { parts, ..Default::default() };
    let host = mitt::Host::builder().no_cache().session_limits(limits).build().unwrap();
    host.session(Default::default()).unwrap()
}

#[tokio::test]
async fn a_tree_of_archives_draws_from_one_purse() {
    // 258 small files in four levels.
    let archive = tree(6, 2);
    let session = session_of(mitt::PartsLimits { files: 20, ..Default::default() });
    let document = session.add_document_bytes("tree.zip", archive.clone()).await.unwrap();
    let names: Vec<_> = session.documents().iter().map(|it| it.name.clone()).collect();
    assert_eq!(names.len(), 21, "what was read before is kept: {names:?}");
    assert!(names.contains(&"tree.zip/1.zip/1.zip/6.txt".to_owned()), "{names:?}");
    let told = document.warnings.join("\n");
    assert!(told.contains("tree.zip/2.zip, tree.zip/3.zip"), "{told}");
    assert!(told.contains("parts-files limit of 20"), "{told}");
    assert!(told.contains("one by one"), "the way out: {told}");
    assert!(told.contains("files inside of files in it were not read either"), "{told}");
    let inner = session.documents().into_iter().find(|it| it.name == "tree.zip/1.zip").unwrap();
    let told = inner.warnings.join("\n");
    assert!(told.contains("tree.zip/1.zip/4.zip"), "each level names its own: {told}");

    // Each document that is added has its own budget.
    let session = session_of(mitt::PartsLimits { files: 7, ..Default::default() });
    for name in ["a.zip", "b.zip"] {
        let document = session.add_document_bytes(name, tree(7, 0)).await.unwrap();
        assert!(document.warnings.is_empty(), "{:?}", document.warnings);
    }

    // Bytes: the leaves are read as far as the budget goes.
    let bytes = mitt::PartsLimits { bytes: 20, ..Default::default() };
    let session = session_of(bytes);
    let document = session.add_document_bytes("a.zip", tree(5, 0)).await.unwrap();
    assert_eq!(session.documents().len(), 4);
    let told = document.warnings.join("\n");
    assert!(told.contains("a.zip/4.txt, a.zip/5.txt: parts-size limit of 20 bytes"), "{told}");
}

#[tokio::test]
async fn the_fuel_of_a_tree_is_shared_by_its_readers() {
    let archive = tree(6, 1);
    let mut seen = [false; 3];
    // With any budget, the tree is refused, or read in part or whole, and what is missing is reported.
    for fuel in (16..40).map(|bits| 1 << bits) {
        let session = session_of(mitt::PartsLimits { fuel, ..Default::default() });
        let result = session.add_document_bytes("tree.zip", archive.clone()).await;
        let count = session.documents().len();
        match result {
            Err(error) => {
                assert!(error.to_string().contains("parts-fuel limit"), "{error}");
                assert_eq!(count, 0);
                seen[0] = true;
            }
            Ok(document) if count < 43 => {
                let told = document.warnings.join("\n");
                assert!(told.contains("tree.zip/6.zip: parts-fuel limit of"), "{told}");
                seen[1] = true;
            }
            Ok(document) => {
                assert_eq!((count, document.warnings.len()), (43, 0), "{:?}", document.warnings);
                seen[2] = true;
                break;
            }
        }
    }
    assert_eq!(seen, [true; 3]);
}

#[tokio::test]
async fn a_mail_in_an_archive_draws_from_the_purse_of_the_archive() {
    let mut mail = "From: a@example.com\r\nSubject: files\r\nMIME-Version: 1.0\r\n\
        Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nHello\r\n"
        .to_owned();
    for number in 1..=4 {
        mail += &format!(
            "--b\r\nContent-Type: text/plain\r\n\
             Content-Disposition: attachment; filename={number}.txt\r\n\r\nfile {number}\r\n"
        );
    }
    mail += "--b--\r\n";
    let archive = packed(&[("m.eml", mail.as_bytes()), ("last.txt", b"last")]);
    let session = session_of(mitt::PartsLimits { files: 3, ..Default::default() });
    let document = session.add_document_bytes("a.zip", archive).await.unwrap();
    let names: Vec<_> = session.documents().iter().map(|it| it.name.clone()).collect();
    assert_eq!(names, ["a.zip", "a.zip/m.eml", "a.zip/m.eml/1.txt", "a.zip/m.eml/2.txt"]);
    let told = document.warnings.join("\n");
    assert!(told.contains("left out: a.zip/last.txt: parts-files limit of 3"), "{told}");
    assert!(told.contains("2 files inside of files in it"), "{told}");
    let told = session.documents()[1].warnings.join("\n");
    assert!(told.contains("left out: a.zip/m.eml/3.txt, a.zip/m.eml/4.txt"), "{told}");
}

#[test]
fn why_a_file_is_not_read_has_a_name() {
    let folder = tempfile::tempdir().unwrap();
    let office = fs::read(root().join("examples/yoy/2025年经营报告.docx")).unwrap();
    for (name, bytes) in [
        ("empty.txt", &b""[..]),
        ("cut.docx", &office[..office.len() / 2]),
        ("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        ("right.txt", b"secret\n"),
        ("wrong.txt", b"wrong\n"),
    ] {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    fs::copy(root().join(FIXTURES).join("aes.zip"), folder.path().join("aes.zip")).unwrap();
    let ingest = |args: &[&str]| {
        let output = command(folder.path(), &[&["ingest", "--json"], args].concat()).output();
        let output = output.unwrap();
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    };
    let (code, stdout, _) = ingest(&["empty.txt", "cut.docx", "a.png", "aes.zip", "right.txt"]);
    assert_eq!(code, 3);
    let files: Vec<Value> = serde_json::from_str(&stdout).unwrap();
    let named: Vec<_> = files.iter().filter_map(|file| file["error"]["outcome"].as_str()).collect();
    assert_eq!(named, ["empty", "corrupt", "corrupt", "encrypted"], "{stdout}");
    assert_eq!(files.len(), 5, "the others are read: {stdout}");

    let (code, stdout, stderr) = ingest(&["aes.zip", "--password-file", "right.txt"]);
    assert_eq!(code, 0, "{stderr}");
    let document: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(document["text"], "- report.md (30 bytes)\n");
    let part = &document["parts"][0];
    assert_eq!((&part["name"], &part["title"]), (&json!("aes.zip/report.md"), &json!("年报")));
    let plain = command(folder.path(), &["ingest", "aes.zip", "--password-file", "right.txt"]);
    let shown = text(&{ plain }.output().unwrap().stdout);
    assert!(shown.contains("==> aes.zip/report.md <==\n# 年报\n"), "{shown}");
    let (_, _, stderr) = ingest(&["aes.zip"]);
    assert!(stderr.contains("`--password-file FILE`"), "{stderr}");
    let (code, _, stderr) = ingest(&["aes.zip", "--password-file", "wrong.txt"]);
    assert_eq!((code, stderr.contains("the password does not open it")), (3, true), "{stderr}");
    let (code, _, stderr) = ingest(&["aes.zip", "--password-file", "empty.txt"]);
    assert_eq!((code, stderr.contains("in the first line, got none")), (3, true), "{stderr}");
}

#[tokio::test]
async fn a_model_finds_its_way_in_a_long_document() {
    let session = session();
    let chapter = |n: usize| format!("# 第 {n} 章\n\n{}\n\n## 小结 {n}\n\n", "正文。".repeat(300));
    let long: String = (1..=120).map(chapter).collect::<String>() + "净利润\n同比增长 40%。";
    session.add_document_bytes("long.md", long.clone().into()).await.unwrap();
    let mut small = String::from("# One\n\nNet profit grew.\n");
    small.push_str(&"x".repeat(100));
    session.add_document_bytes("small.md", small.into()).await.unwrap();
    let call = async |tool: &str, arguments: Value| -> Value {
        let report = session.call(&format!("document_tool__{tool}"), &arguments.to_string()).await;
        report.result.unwrap_or_else(|error| panic!("{}", error.render())).into()
    };
    let outline = call("outline", json!({ "name": "long.md" })).await;
    let entries = outline["entries"].as_array().unwrap();
    assert_eq!(
        (entries.len(), &outline["left_out"]),
        (120, &json!("headings of level 2 and below"))
    );
    let found = call("search", json!({ "text": "净利润 同比增长" })).await;
    assert_eq!(found["total"], 1, "{found}");
    let offset = found["found"][0]["offset"].as_u64().unwrap();
    assert_eq!(found["found"][0]["heading"], "小结 120");
    let read = json!({ "name": "long.md", "offset": offset, "length": 3 });
    assert_eq!(call("read_document", read).await["text"], "净利润");
    let everywhere = call("search", json!({ "text": "NET PROFIT" })).await;
    assert_eq!(everywhere["found"][0]["document"], "small.md");
    let nothing = call("search", json!({ "text": "NET PROFIT", "exact": true })).await;
    assert_eq!(nothing["total"], 0);
    let report = session.call("document_tool__outline", r#"{"name": "lang.md"}"#).await;
    assert!(report.result.unwrap_err().to_string().contains("did you mean `long.md`"));
}

#[tokio::test]
async fn a_long_document_is_read_in_parts_that_end_well() {
    let session = session();
    let rows: String = (0..5_000).map(|n| format!("| 城市{n} | {n}.50 |\n")).collect();
    let whole = format!("# 收入\n\n| 城市 | 收入 |\n| --- | ---: |\n{rows}\nThe end.\n");
    session.add_document_bytes("long.md", whole.clone().into()).await.unwrap();
    let (mut read, mut next, mut parts) = (String::new(), Some(0), 0);
    while let Some(offset) = next {
        let arguments = json!({ "name": "long.md", "offset": offset }).to_string();
        let report = session.call("document_tool__read_document", &arguments).await;
        let part: Value = report.result.unwrap().into();
        let text = part["text"].as_str().unwrap();
        assert!(text.ends_with('\n'), "a row is not cut");
        let header = part["table_header"].as_str();
        assert_eq!(header, (offset > 0).then_some("| 城市 | 收入 |\n| --- | ---: |\n"));
        read.push_str(text);
        next = part["next"].as_u64();
        parts += 1;
    }
    assert!(read == whole && parts > 3, "{parts}");
}

#[tokio::test]
async fn sheets_are_places() {
    let session = session();
    let path = root().join("examples/yoy/2024年经营报告.xlsx");
    let document = session.add_document(&path).await.unwrap();
    let labels: Vec<_> = document.places.iter().map(|place| place.label.as_str()).collect();
    assert_eq!(labels.len(), document.tables.len(), "{labels:?}");
    for place in &document.places {
        let at = document.text_range(place.offset, 3);
        assert_eq!(at, "## ", "{place:?}");
        assert!(place.label.starts_with("sheet "));
    }
}

/// Each file in its own session, hidden ones skipped with a note, tables under distinct names.
#[test]
fn folders_are_read_file_by_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for sub in ["in/a", "in/b", "in/.git", "empty"] {
        fs::create_dir_all(at(sub)).unwrap();
    }
    fs::write(at("in/a/sales.csv"), "month,dau\nJanuary,12\n").unwrap();
    fs::write(at("in/b/sales.csv"), "month,dau\nMay,34\n").unwrap();
    fs::write(at("in/b/broken.docx"), b"PK\x03\x04 no more").unwrap();
    fs::write(at("in/.git/config"), "secret").unwrap();
    let run = |args: &[&str]| {
        let output = command(folder.path(), args).output().unwrap();
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    };
    let (code, stdout, stderr) = run(&["ingest", "in", "--json"]);
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("in: 1 hidden file or link is left out"), "{stderr}");
    let read: Value = serde_json::from_str(&stdout).unwrap();
    let paths: Vec<_> =
        read.as_array().unwrap().iter().map(|it| it["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["in/a/sales.csv", "in/b/broken.docx", "in/b/sales.csv"]);
    assert_eq!(read[1]["error"]["outcome"], "corrupt", "{stdout}");
    assert_eq!(read[2]["tables"][0]["rows"], json!([["May", 34]]));
    // Two files with one name lose nothing.
    let (code, stdout, _) = run(&["ingest", "in", "-q", "--tables-csv", "tables"]);
    assert_eq!(
        (code, stdout.as_str()),
        (3, "tables/sales.csv.1.csv\ntables/sales.csv (2).1.csv\n")
    );
    assert_eq!(
        fs::read_to_string(at("tables/sales.csv.1.csv")).unwrap(),
        "month,dau\nJanuary,12\n"
    );
    assert_eq!(
        fs::read_to_string(at("tables/sales.csv (2).1.csv")).unwrap(),
        "month,dau\nMay,34\n"
    );
    // A file that the user has changed is the user's.
    fs::write(at("tables/sales.csv.1.csv"), "mine").unwrap();
    let (code, _, stderr) = run(&["ingest", "in", "-q", "--tables-csv", "tables"]);
    assert!(code != 0 && stderr.contains("--force"), "{stderr}");
    assert_eq!(fs::read_to_string(at("tables/sales.csv.1.csv")).unwrap(), "mine");
    let (code, _, stderr) = run(&["ingest", "empty"]);
    assert!(code == 3 && stderr.contains("there is no file in this folder"), "{stderr}");
    // Where commands take documents, too.
    let (code, stdout, stderr) = run(&["call", "document_tool__list_documents", "-d", "in/a"]);
    assert!(code == 0 && stdout.contains("sales.csv"), "{stderr}");
}
