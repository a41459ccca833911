//! The capability `files` and `mitt edit`: files are read and delivered byte for byte, by what they are, and within the rules.

use std::fs;
use std::io::{Cursor, Write as _};
use std::path::Path;
use std::sync::OnceLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mitt::guard::RuleSet;
use mitt::render::{DocxOptions, PptxOptions, docx, markdown, pptx};
use mitt::skill::ToolFilter;
use mitt::{CacheDir, ErrorKind, Host, HostBuilder, Session, SessionLimits, SessionOptions};
use serde_json::{Value, json};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

use crate::support::{TestSkill, cache, mitt, root, text};

/// The beginning of a PNG.
const PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n";

/// A plugin that changes nothing: it hands over what it gets.
const WIT: &str = r#"
package test:editor;

interface api {
    use mitt:host/types@0.1.0.{artifact, error};
    /// Return the content of a file.
    read: func(name: string) -> result<list<u8>, error>;
    /// Deliver a content.
    deliver: func(content: list<u8>, filename: string, warnings: list<string>) -> result<artifact, error>;
    /// Deliver a file under another name.
    copy: func(name: string, filename: string) -> result<artifact, error>;
    /// Who makes the changes, and when.
    record options {
        /// Name.
        author: option<string>,
        /// Time.
        date: option<string>,
    }
    /// Deliver a document under another name, as the bundled tool would.
    edit-document: func(document: string, edits: list<string>, filename: string, options: option<options>) -> result<artifact, error>;
}

world editor {
    import mitt:host/files@0.1.0;
    export api;
}
"#;

const MODULE: &str = r#"(module
    (import "mitt:host/files@0.1.0" "read" (func $read (param i32 i32 i32)))
    (import "mitt:host/files@0.1.0" "deliver" (func $deliver (param i32 i32 i32 i32 i32 i32 i32)))
    (memory (export "memory") 64)
    (global $heap (mut i32) (i32.const 4096))
    (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
        (global.set $heap (i32.and (i32.add (global.get $heap) (i32.const 15)) (i32.const -16)))
        (global.get $heap)
        (global.set $heap (i32.add (global.get $heap) (local.get 3))))
    (func $copy (param $name i32) (param $name_len i32) (param $file i32) (param $file_len i32) (result i32)
        (call $read (local.get $name) (local.get $name_len) (i32.const 64))
        ;; An error is at 68 there, and at 136 in the result.
        (if (i32.load8_u (i32.const 64))
            (then
                (i32.store8 (i32.const 128) (i32.const 1))
                (i32.store8 (i32.const 136) (i32.load8_u (i32.const 68)))
                (i32.store (i32.const 140) (i32.load (i32.const 72)))
                (i32.store (i32.const 144) (i32.load (i32.const 76))))
            (else
                (call $deliver
                    (i32.load (i32.const 68)) (i32.load (i32.const 72))
                    (local.get $file) (local.get $file_len)
                    (i32.const 0) (i32.const 0) (i32.const 128))))
        (i32.const 128))
    (func (export "test:editor/api#read") (param i32 i32) (result i32)
        (call $read (local.get 0) (local.get 1) (i32.const 128))
        (i32.const 128))
    (func (export "test:editor/api#deliver") (param i32 i32 i32 i32 i32 i32) (result i32)
        (call $deliver
            (local.get 0) (local.get 1) (local.get 2) (local.get 3) (local.get 4) (local.get 5)
            (i32.const 128))
        (i32.const 128))
    (func (export "test:editor/api#copy") (param i32 i32 i32 i32) (result i32)
        (call $copy (local.get 0) (local.get 1) (local.get 2) (local.get 3)))
    (func (export "test:editor/api#edit-document")
        (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)
        (call $copy (local.get 0) (local.get 1) (local.get 4) (local.get 5))))"#;

fn component() -> Vec<u8> {
    static COMPONENT: OnceLock<Vec<u8>> = OnceLock::new();
    let make = || {
        let mut resolve = Resolve::default();
        resolve.push_dir(root().join("wit")).unwrap();
        let package = resolve.push_str("editor.wit", WIT).unwrap();
        let world = resolve.select_world(&[package], Some("editor")).unwrap();
        let mut module = wat::parse_str(MODULE).unwrap();
        embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
        ComponentEncoder::default().validate(true).module(&module).unwrap().encode().unwrap()
    };
    COMPONENT.get_or_init(make).clone()
}

const MANIFEST: &str = "grants: [files]\ntools: [{name: read, readOnly: true}]";

fn skill() -> TestSkill {
    TestSkill::from_bytes("editor", &component(), MANIFEST)
}

fn builder(skill: &TestSkill) -> HostBuilder {
    Host::builder().cache(CacheDir::new(cache())).skills(skill.path())
}

fn open(host: &Host) -> Session {
    host.session(SessionOptions { keeps_sources: true, ..SessionOptions::default() }).unwrap()
}

fn word(text: &str) -> Vec<u8> {
    docx(&markdown(text).unwrap(), &DocxOptions::default()).unwrap().bytes
}

fn slides(text: &str) -> Vec<u8> {
    pptx(&markdown(text).unwrap(), &PptxOptions::default()).unwrap().bytes
}

fn workbook() -> Vec<u8> {
    fs::read(root().join("tests/it/fill/orders.xlsx")).unwrap()
}

/// Returns a package with one more part.
fn with_part(package: &[u8], name: &str) -> Vec<u8> {
    let mut zip = zip::ZipArchive::new(Cursor::new(package)).unwrap();
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for number in 0..zip.len() {
        out.raw_copy_file(zip.by_index(number).unwrap()).unwrap();
    }
    out.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
    out.write_all(b"x").unwrap();
    out.finish().unwrap().into_inner()
}

async fn call(
    session: &Session,
    tool: &str,
    arguments: Value,
) -> Result<Value, (ErrorKind, String)> {
    let report = session.call(&format!("editor__{tool}"), &arguments.to_string()).await;
    match report.result {
        Ok(result) => Ok(result.into()),
        Err(error) => Err((error.kind().clone(), error.render())),
    }
}

async fn deliver(
    session: &Session,
    content: &[u8],
    filename: &str,
) -> Result<Value, (ErrorKind, String)> {
    let arguments =
        json!({ "content": STANDARD.encode(content), "filename": filename, "warnings": [] });
    call(session, "deliver", arguments).await
}

#[tokio::test]
async fn files_are_read_and_delivered_byte_for_byte() {
    let skill = skill();
    let session = open(&builder(&skill).build().unwrap());
    for (name, bytes, kind) in [
        ("a.docx", word("# 合同\n\n正文。\n"), "wordprocessingml.document"),
        ("b.xlsx", workbook(), "spreadsheetml.sheet"),
        ("c.pptx", slides("# 一\n\n- 二\n"), "presentationml.presentation"),
    ] {
        session.add_document_bytes(name, bytes.clone()).await.unwrap();
        let (stem, extension) = name.split_once('.').unwrap();
        let version = |number: u32| format!("{stem}.v{number}.{extension}");
        let copy = json!({ "name": name, "filename": format!("{stem}.v2") });
        let artifact = call(&session, "copy", copy).await.unwrap();
        assert_eq!(artifact["name"], version(2));
        assert!(artifact["media_type"].as_str().unwrap().ends_with(kind), "{artifact}");
        assert_eq!(session.artifact_content(&version(2)).unwrap(), bytes);
        // The copy can be edited again.
        let copy = json!({ "name": version(2), "filename": version(3) });
        assert_eq!(call(&session, "copy", copy).await.unwrap()["sha256"], artifact["sha256"]);
        let read = call(&session, "read", json!({ "name": name })).await.unwrap();
        assert_eq!(read, json!(STANDARD.encode(&bytes)));
    }
    // A PDF, and a picture as it was given.
    let pdf = fs::read(root().join("examples/research/warranty-terms.pdf")).unwrap();
    session.add_document_bytes("d.pdf", pdf.clone()).await.unwrap();
    session.add_picture("e.png", PIXEL).unwrap();
    for (name, bytes) in [("d.pdf", pdf), ("e.png", PIXEL.to_vec())] {
        let read = call(&session, "read", json!({ "name": name })).await.unwrap();
        assert_eq!(read, json!(STANDARD.encode(&bytes)), "{name}");
    }
    // Texts are what their names say.
    let gb = encoding_rs::GB18030.encode("姓名,备注\r\n张伟,本年度会员体系升级\r\n").0.into_owned();
    for (name, bytes, kind) in [
        ("t.txt", b"\xef\xbb\xbfone\r\ntwo".to_vec(), "text/plain"),
        ("m.md", b"# a\n".to_vec(), "text/markdown"),
        ("g.csv", gb, "text/csv"),
        ("v.tsv", b"a\tb\n1\t2\n".to_vec(), "text/csv"),
    ] {
        session.add_document_bytes(name, bytes.clone()).await.unwrap();
        let copy = json!({ "name": name, "filename": format!("new-{name}") });
        let artifact = call(&session, "copy", copy).await.unwrap();
        assert_eq!(artifact["media_type"], kind, "{artifact}");
        assert_eq!(session.artifact_content(&format!("new-{name}")).unwrap(), bytes);
    }
    assert_eq!(session.documents().len(), 8);
    let journal = session.journal();
    let delivered = journal.iter().filter(|entry| entry["kind"] == "artifact").count();
    assert_eq!(delivered, 10);
    assert!(session.memory().used < 2_000_000, "{:?}", session.memory());
}

#[tokio::test]
async fn what_is_not_kept_or_not_there_is_told() {
    let skill = skill();
    let host = builder(&skill).build().unwrap();
    let session = open(&host);
    session.add_document_bytes("a.docx", word("a")).await.unwrap();
    session.add_document_bytes("a.json", b"{}".to_vec()).await.unwrap();
    let plain = host.session(SessionOptions::default()).unwrap();
    plain.add_document_bytes("a.docx", word("a")).await.unwrap();
    for (session, name, expected) in [
        (&session, "b\n.docx", "no document or artifact `b\\n.docx`; of files there are `a.docx`"),
        (&session, "a.json", "the file of `a.json` was not kept"),
        (&plain, "a.docx", "the file of `a.docx` was not kept"),
        (&plain, "b.docx", "of files there are none"),
    ] {
        let copy = json!({ "name": name, "filename": "x.docx" });
        for (tool, arguments) in [("copy", copy), ("read", json!({ "name": name }))] {
            let (kind, told) = call(session, tool, arguments).await.unwrap_err();
            assert!(kind == ErrorKind::Plugin && told.contains(expected), "{name}: {told}");
        }
    }
    assert!(session.artifacts().is_empty());
}

#[tokio::test]
async fn only_what_the_content_is_can_be_delivered() {
    let skill = skill();
    let session = open(&builder(&skill).build().unwrap());
    let letter = word("a");
    let (macros, signed) = (
        with_part(&workbook(), "xl/vbaProject.bin"),
        with_part(&letter, "_xmlsignatures/sig1.xml"),
    );
    for (content, filename, expected) in [
        (&b"%PDF-1.7\n"[..], "a.docx", "file name `a.docx`: expected the extension"),
        (b"text", "a.docx", "content: expected a Word file"),
        (&letter[..letter.len() - 40], "a.docx", "content: the file is damaged"),
        (&letter, "a.xlsx", "file name `a.xlsx`: expected the extension"),
        (&letter, "a.docm", "got `.docm`"),
        (&letter, "../a.docx", "is a path"),
        (&macros, "a.xlsx", "the file has macros"),
        (&signed, "a.docx", "the file is signed"),
    ] {
        let (kind, told) = deliver(&session, content, filename).await.unwrap_err();
        assert!(kind == ErrorKind::Plugin && told.contains(expected), "{filename}: {told}");
    }
    assert!(session.artifacts().is_empty());
    // Previews draw only a PDF whose pages the host counted, because it made them.
    deliver(&session, b"%PDF-1.7\n", "a.pdf").await.unwrap();
    assert_eq!(session.artifacts()[0].contents.pages, None);
    // An existing file of the user is not replaced.
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine.docx"), "precious").unwrap();
    let options =
        SessionOptions { folder: Some(folder.path().into()), ..SessionOptions::default() };
    let session = session.host().session(options).unwrap();
    let (_, told) = deliver(&session, &letter, "mine.docx").await.unwrap_err();
    assert!(told.contains("not made by mitt"), "{told}");
    deliver(&session, &letter, "own.docx").await.unwrap();
    deliver(&session, &word("b"), "own.docx").await.unwrap();
    assert_eq!(fs::read(folder.path().join("own.docx")).unwrap(), word("b"));
    assert_eq!(fs::read(folder.path().join("mine.docx")).unwrap(), b"precious");
}

#[tokio::test]
async fn warnings_go_with_the_file_and_size_is_bounded() {
    let skill = skill();
    let session = open(&builder(&skill).build().unwrap());
    let warnings: Vec<String> = (0..200).map(|number| format!("part {number}\u{1b}[2J")).collect();
    let arguments = json!({ "content": STANDARD.encode(word("a")), "filename": "a.docx", "warnings": warnings });
    call(&session, "deliver", arguments).await.unwrap();
    let contents = session.artifacts()[0].contents.clone();
    assert_eq!((contents.warnings.len(), contents.more_warnings), (6, 95));
    assert!(contents.warnings[0].starts_with("part 0\\u{1b}"), "{}", contents.warnings[0]);
    let limits = SessionLimits { artifact_bytes: 100, ..SessionLimits::default() };
    let bounded = open(&builder(&skill).session_limits(limits).build().unwrap());
    let (kind, told) = deliver(&bounded, &word("a"), "a.docx").await.unwrap_err();
    assert!(kind == ErrorKind::Plugin && told.contains("limit of 100 bytes"), "{told}");
}

#[tokio::test]
async fn rules_see_what_a_reader_sees() {
    let rules = "rules:\n  - {word: 机密文件, id: b}\n  - {word: heron, action: redact, id: r}\n  - {word: egret, action: flag, id: f}\n";
    let skill = skill();
    let host = builder(&skill).guard(RuleSet::yaml("t", rules).unwrap()).build().unwrap();
    let session = open(&host);
    for (content, name, kind, expected) in [
        (word("# a\n\n机密**文件**\n"), "a.docx", ErrorKind::Blocked, "file `a.docx`: line "),
        (word("# a\n\nA her**on**.\n"), "a.docx", ErrorKind::Plugin, "the rule `r` would redact"),
        (slides("# 机密文件\n\n- x\n"), "a.pptx", ErrorKind::Blocked, "file `a.pptx`: "),
        ("a\n机密文件\n".into(), "a.txt", ErrorKind::Blocked, "file `a.txt`: "),
        ("# a\n\nA heron.\n".into(), "a.md", ErrorKind::Plugin, "the rule `r` would redact"),
        ("a,b\n1,heron\n".into(), "a.csv", ErrorKind::Plugin, "the rule `r` would redact"),
        ("a\tb\n1\t机密文件\n".into(), "a.tsv", ErrorKind::Blocked, "file `a.tsv`: "),
    ] {
        let (found, told) = deliver(&session, &content, name).await.unwrap_err();
        assert!(found == kind && told.contains(expected), "{name}: {found:?} {told}");
        assert!(!told.contains("heron") && !told.contains("机密"), "{told}");
    }
    assert!(session.artifacts().is_empty());
    deliver(&session, &word("# a\n\nAn egret.\n"), "a.docx").await.unwrap();
    let journal = session.journal();
    assert!(journal.iter().any(|entry| entry["kind"] == "guard"), "{journal:?}");
    // The name is a text as well, and what nobody can read is not delivered.
    let (kind, _) = deliver(&session, &word("a"), "机密文件.docx").await.unwrap_err();
    assert_eq!(kind, ErrorKind::Blocked);
    let damaged = with_part(&[&b"PK\x05\x06"[..], &[0; 18]].concat(), "word/document.xml");
    let damaged = with_part(&damaged, "[Content_Types].xml");
    let (kind, _) = deliver(&session, &damaged, "b.docx").await.unwrap_err();
    assert_eq!(kind, ErrorKind::Plugin);
    assert_eq!(session.artifacts().len(), 1);

    // Without a reader, no rule can check the file. Without rules, none is needed.
    let alone = || Host::builder().no_cache().bundled_skills(false).skills(skill.path());
    let ruled = alone().guard(RuleSet::yaml("t", rules).unwrap()).build().unwrap();
    let (_, told) = deliver(&open(&ruled), &word("a"), "a.docx").await.unwrap_err();
    assert!(told.contains("no skill reads `.docx` files"), "{told}");
    deliver(&open(&alone().build().unwrap()), &word("机密文件"), "a.docx").await.unwrap();
}

/// Returns a mail with a text, and a file if there is one.
fn mail(text: &str, attachment: Option<(&str, &[u8])>) -> Vec<u8> {
    let mut mail = format!(
        "From: a@example.com\r\nTo: b@example.com\r\nSubject: S\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/mixed; boundary=\"x\"\r\n\r\n\
         --x\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{text}\r\n"
    );
    if let Some((name, content)) = attachment {
        let content = STANDARD.encode(content);
        mail.push_str(&format!(
            "--x\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n\
             Content-Disposition: attachment; filename=\"{name}\"\r\n\r\n{content}\r\n"
        ));
    }
    mail.push_str("--x--\r\n");
    mail.into_bytes()
}

#[tokio::test]
async fn a_mail_has_only_files_that_the_rules_have_seen() {
    let rules = "rules:\n  - {word: egret, id: b}\n";
    let skill = skill();
    let host = builder(&skill).guard(RuleSet::yaml("t", rules).unwrap()).build().unwrap();
    let session = open(&host);
    let (letter, other) = (word("# a letter\n"), word("# another\n"));
    session.add_document_bytes("a.docx", letter.clone()).await.unwrap();
    deliver(&session, &other, "b.docx").await.unwrap();
    deliver(&session, &mail("Hello", None), "plain.eml").await.unwrap();
    deliver(&session, &mail("Hello", Some(("a.docx", &letter))), "m.eml").await.unwrap();
    deliver(&session, &mail("Hello", Some(("b.docx", &other))), "n.eml").await.unwrap();
    let foreign = mail("Hello", Some(("c.docx", &word("# not seen\n"))));
    let (_, told) = deliver(&session, &foreign, "c.eml").await.unwrap_err();
    assert!(told.contains("which no rule checks"), "{told}");
    let (kind, _) = deliver(&session, &mail("An egret", None), "d.eml").await.unwrap_err();
    assert_eq!(kind, ErrorKind::Blocked);
    assert_eq!(session.artifacts().len(), 4);
}

#[tokio::test]
async fn an_agent_that_only_reads_delivers_nothing() {
    let skill = skill();
    let session = open(&builder(&skill).build().unwrap());
    session.add_document_bytes("a.docx", word("a")).await.unwrap();
    let reader = session.for_agent(ToolFilter::new().read_only());
    assert!(call(&reader, "read", json!({ "name": "a.docx" })).await.is_ok());
    let copy = json!({ "name": "a.docx", "filename": "b.docx" });
    let (kind, _) = call(&reader, "copy", copy.clone()).await.unwrap_err();
    assert_eq!(kind, ErrorKind::UnknownTool);
    // A tool that says falsely that it only reads is refused by the host.
    let manifest = "grants: [files]\ntools: [{name: copy, readOnly: true}]";
    let lying = TestSkill::from_bytes("editor", &component(), manifest);
    let session = open(&builder(&lying).build().unwrap());
    session.add_document_bytes("a.docx", word("a")).await.unwrap();
    let reader = session.for_agent(ToolFilter::new().read_only());
    let (kind, told) = call(&reader, "copy", copy).await.unwrap_err();
    assert!(kind == ErrorKind::Plugin && told.contains("this agent only reads"), "{told}");
    assert!(session.artifacts().is_empty());
}

#[test]
fn the_program_edits_a_file_and_leaves_its_source() {
    let skill = TestSkill::from_bytes("docx-tool", &component(), "grants: [files]");
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (letter, skills) = (word("# 合同\n"), skill.path().to_str().unwrap());
    fs::write(at("a.docx"), &letter).unwrap();
    fs::write(at("e.json"), r#"["an edit"]"#).unwrap();
    fs::write(at("o.json"), r#"{"edits": []}"#).unwrap();
    fs::write(at("wrong.json"), r#"{"edit": 1}"#).unwrap();
    let edit = |folder: &Path, arguments: &[&str]| {
        let own = ["--skills", skills, "--trust-skills", "--replace-skill", "docx-tool"];
        let output = mitt(folder, &[&["edit"], arguments, &own].concat());
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    };
    let run = |arguments: &[&str]| edit(folder.path(), arguments);
    let (code, stdout, stderr) = run(&["a.docx", "--edits", "e.json"]);
    assert_eq!((code, stdout.as_str()), (0, "a.v2.docx\n"), "{stderr}");
    assert_eq!(fs::read(at("a.v2.docx")).unwrap(), letter);
    // Again: the file is Mitt's own.
    let (code, _, stderr) = run(&["a.docx", "--edits", "o.json", "--author", "Ana"]);
    assert_eq!(code, 0, "{stderr}");
    let (code, stdout, _) = run(&["a.v2.docx", "--edits", "e.json", "--json"]);
    let json: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &json["path"]), (0, &json!("a.v3.docx")));
    assert_eq!(json["result"]["name"], "a.v3.docx");
    fs::write(at("a.v2.docx"), "mine").unwrap();
    for (arguments, code, expected) in [
        (&["a.docx", "--edits", "e.json"][..], 3, "is there already"),
        (&["a.docx", "--edits", "e.json", "-o", "a.docx", "--force"], 3, "is the source itself"),
        (&["a.docx", "--edits", "e.json", "-o", "./a.docx", "--force"], 3, "is the source itself"),
        (
            &["a.docx", "--edits", "e.json", "-o", "a.pdf"],
            3,
            "expected a name that ends in `.docx`",
        ),
        (&["a.txt", "--edits", "e.json"], 3, "expected a `.docx`, `.xlsx`, `.pptx` or `.pdf`"),
        (&["none.docx", "--edits", "e.json"], 3, "none.docx"),
        (&["a.docx", "--edits", "none.json", "-o", "b.docx"], 3, "none.json"),
        (&["a.docx", "--edits", "wrong.json", "-o", "b.docx"], 4, "expected an array of edits"),
        (&["a.docx", "--edits", "a.docx", "-o", "b.docx"], 3, "cannot read a.docx"),
    ] {
        let (found, _, stderr) = run(arguments);
        assert!(found == code && stderr.contains(expected), "{arguments:?}: {found} {stderr}");
    }
    assert_eq!(fs::read(at("a.docx")).unwrap(), letter);
    assert_eq!(fs::read(at("a.v2.docx")).unwrap(), b"mine");
    assert!(!at("b.docx").exists());
    // The rules of the user hold for what is written.
    fs::write(at("words.txt"), "合同\n").unwrap();
    let arguments = ["a.docx", "--edits", "e.json", "-o", "c.docx", "--words", "words.txt"];
    let (code, _, _) = run(&arguments);
    assert!(code == 12 && !at("c.docx").exists());
}
