//! Workbooks that tools fill and continue to use: documents and files of a session, in the worker and without one; Word
//! files that `mitt fill` fills.

use std::fs;
use std::io::{Cursor, Read as _, Write as _};

use calamine::{Data, Reader as _, Xlsx};
use mitt::guard::RuleSet;
use mitt::render::{DocxOptions, docx, markdown};
use mitt::{CacheDir, ErrorKind, Host, Session, SessionOptions, WorkerOptions};
use serde_json::{Value, json};

use crate::support::{cache, host, mitt, root, text};

const FILL: &str = "excel_tool__fill_template";
const APPEND: &str = "excel_tool__append_to_workbook";

fn fixture(name: &str) -> Vec<u8> {
    fs::read(root().join("tests/it/fill").join(name)).unwrap()
}

async fn session_of(host: &Host, files: &[(&str, Vec<u8>)]) -> Session {
    let options = SessionOptions { keeps_sources: true, ..SessionOptions::default() };
    let session = host.session(options).unwrap();
    for (name, bytes) in files {
        session.add_document_bytes(name, bytes.clone()).await.unwrap();
    }
    session
}

async fn call(session: &Session, tool: &str, arguments: Value) -> Result<Vec<u8>, String> {
    let report = session.call(tool, &arguments.to_string()).await;
    match report.result {
        Ok(artifact) => {
            let artifact: Value = serde_json::from_str(&artifact.to_string()).unwrap();
            Ok(session.artifact_content(artifact["name"].as_str().unwrap()).unwrap())
        }
        Err(error) => Err(error.render()),
    }
}

fn cell(book: &[u8], sheet: &str, at: (u32, u32)) -> Data {
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(book.to_vec())).unwrap();
    book.worksheet_range(sheet).unwrap().get_value(at).cloned().unwrap_or_default()
}

fn said(text: &str) -> Data {
    Data::String(text.into())
}

fn invoice() -> Value {
    json!({
        "template": "发票.xlsx", "filename": "out.xlsx",
        "values": [
            { "name": "number", "value": "=1+1" }, { "name": "{{customer.name}}", "value": "星河" },
            { "name": "customer.city", "value": "上海" }, { "name": "date", "value": "2026-11-24" },
            { "name": "rate", "value": null }, { "name": "signer", "value": "王" },
            { "name": "参数!B1", "value": 0.06 },
        ],
        "rows": [{ "name": "items", "data": [
            { "name": "=HYPERLINK(\"http://x\")", "quantity": 3, "price": 1.50, "note": "" },
            { "name": "本", "quantity": 2, "price": 10, "note": "007" },
        ] }],
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_workbook_of_the_session_is_filled_in_a_worker_and_without_one() {
    let options = WorkerOptions {
        program: Some(env!("CARGO_BIN_EXE_mitt").into()),
        required: true,
        ..WorkerOptions::default()
    };
    let there = Host::builder().cache(CacheDir::new(cache())).worker(options).build();
    let there = session_of(&there.unwrap(), &[("发票.xlsx", fixture("invoice.xlsx"))]).await;
    let here = session_of(&host(), &[("发票.xlsx", fixture("invoice.xlsx"))]).await;
    let made = call(&there, FILL, invoice()).await.unwrap();
    assert_eq!(made, call(&here, FILL, invoice()).await.unwrap(), "the same bytes");
    // Text never becomes a formula, numbers keep their types, formulas are kept.
    assert_eq!(cell(&made, "发票", (0, 0)), said("销售发票 =1+1"));
    assert_eq!(cell(&made, "发票", (5, 1)), said("=HYPERLINK(\"http://x\")"));
    assert_eq!(cell(&made, "发票", (6, 5)), said("007"));
    assert_eq!(cell(&made, "发票", (7, 4)), Data::Float(24.5));
    assert_eq!(cell(&made, "发票", (8, 4)), Data::Float(1.47), "by the rate of its address");
    assert!(matches!(cell(&made, "发票", (2, 5)), Data::DateTime(_)));
    // The result is a template again, and gets rows.
    let again = json!({
        "template": "out.xlsx", "filename": "again", "values": [{ "name": "发票!A3", "value": "客户：无" }],
    });
    let refused = call(&here, FILL, again.clone()).await.unwrap_err();
    assert!(refused.contains("filename: expected a name that ends in `.xlsx`"), "{refused}");
    let mut again = again;
    again["filename"] = json!("again.xlsx");
    let made = call(&here, FILL, again).await.unwrap();
    assert_eq!(cell(&made, "发票", (2, 0)), said("客户：无"));
    assert_eq!(cell(&made, "发票", (5, 1)), said("=HYPERLINK(\"http://x\")"));
}

#[tokio::test]
async fn all_that_is_missing_or_wrong_is_one_error() {
    let session = session_of(&host(), &[("发票.xlsx", fixture("invoice.xlsx"))]).await;
    let mut arguments = invoice();
    arguments["values"] = json!([{ "name": "number", "value": 1 }]);
    arguments["rows"] = json!([{ "name": "items", "data": [{ "name": "笔", "quantity": 1 }] }]);
    let told = call(&session, FILL, arguments.clone()).await.unwrap_err();
    for name in ["`items.price`", "`items.note`", "`customer.name`", "`date`", "`rate`", "`signer`"]
    {
        assert!(told.contains(name), "{name}: {told}");
    }
    arguments["values"] = json!([{ "name": "a", "value": 1 }, { "name": " {{ a }} ", "value": 2 }, { "name": "", "value": 2 }]);
    arguments["filename"] = json!("a/b.xlsx");
    let told = call(&session, FILL, arguments).await.unwrap_err();
    for line in ["filename: ", "values[1].name: expected each name once", "values[2].name: "] {
        assert!(told.contains(line), "{line}: {told}");
    }
    assert!(session.artifacts().is_empty());
}

/// Returns a package with one part changed or added.
fn with_part(book: &[u8], name: &str, change: impl Fn(String) -> String) -> Vec<u8> {
    let mut zip = zip::ZipArchive::new(Cursor::new(book)).unwrap();
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    let mut is_there = false;
    for number in 0..zip.len() {
        let mut entry = zip.by_index(number).unwrap();
        if entry.name().unwrap() == name {
            let mut part = String::new();
            entry.read_to_string(&mut part).unwrap();
            out.start_file(name, options).unwrap();
            out.write_all(change(part).as_bytes()).unwrap();
            is_there = true;
        } else {
            out.raw_copy_file(entry).unwrap();
        }
    }
    if !is_there {
        out.start_file(name, options).unwrap();
        out.write_all(change(String::new()).as_bytes()).unwrap();
    }
    out.finish().unwrap().into_inner()
}

#[tokio::test]
async fn what_cannot_be_a_template_is_refused_by_name() {
    let invoice_file = fixture("invoice.xlsx");
    let macros = with_part(&invoice_file, "xl/vbaProject.bin", |_| "macros".into());
    let types = |text: String| {
        text.replace("spreadsheetml.sheet.main+xml", "spreadsheetml.template.main+xml")
    };
    let xltx = with_part(&invoice_file, "[Content_Types].xml", types);
    let letter = docx(&markdown("{{a}}").unwrap(), &DocxOptions::default()).unwrap().bytes;
    let files =
        [("m.xlsx", macros), ("t.xltx", xltx), ("l.docx", letter), ("c.csv", b"a,b\n1,2\n".into())];
    let session = session_of(&host(), &files).await;
    for (template, expected) in [
        ("m.xlsx", "the template has macros, which no `.xlsx` may have"),
        (
            "l.docx",
            "expected a workbook of Excel (`.xlsx`, `.xlsm`) as a template, got a Word document",
        ),
        ("c.csv", "the file of `c.csv` was not kept: "),
        ("c.csv", "the file must be a `.xlsx` or `.xltx` of at most 32 MiB"),
        (
            "n\n.xlsx",
            "no document or artifact `n\\n.xlsx`; of workbooks there are `m.xlsx`, `t.xltx`",
        ),
    ] {
        let mut arguments = invoice();
        arguments["template"] = json!(template);
        let told = call(&session, FILL, arguments).await.unwrap_err();
        assert!(told.contains(expected), "{template:?}: {told}");
    }
    // An Excel template becomes a workbook.
    let mut arguments = invoice();
    arguments["template"] = json!("t.xltx");
    let made = call(&session, FILL, arguments).await.unwrap();
    let mut zip = zip::ZipArchive::new(Cursor::new(&made)).unwrap();
    let mut kinds = String::new();
    zip.by_name("[Content_Types].xml").unwrap().read_to_string(&mut kinds).unwrap();
    assert!(kinds.contains("sheet.main+xml") && !kinds.contains("template.main"), "{kinds}");
    // Without kept files there is no template.
    let plain = host().session(SessionOptions::default()).unwrap();
    plain.add_document_bytes("发票.xlsx", invoice_file).await.unwrap();
    let told = call(&plain, FILL, invoice()).await.unwrap_err();
    assert!(told.contains("the file of `发票.xlsx` was not kept"), "{told}");
}

#[tokio::test]
async fn rows_go_below_those_of_a_workbook() {
    let session = session_of(&host(), &[("orders.xlsx", fixture("orders.xlsx"))]).await;
    let rows = json!([{ "Amount": 99.5, "Date": "2026-02-01", "Region": "=1+1" }, { "Date": "2026-02-02", "Amount": 0.5 }]);
    let arguments =
        json!({ "workbook": "orders.xlsx", "rows": rows, "sheet": "orders", "filename": "" });
    let longer = call(&session, APPEND, arguments).await.unwrap();
    assert_eq!(session.artifacts()[0].name, "orders.xlsx", "the name of the workbook");
    assert_eq!(cell(&longer, "Orders", (4, 1)), said("=1+1"));
    assert_eq!(cell(&longer, "Orders", (5, 2)), Data::Float(0.5));
    assert!(matches!(cell(&longer, "Orders", (4, 0)), Data::DateTime(_)));
    // The document, not the longer file, has the name: other rows are added below the same ones.
    let arguments =
        json!({ "workbook": "orders.xlsx", "rows": [{ "Amount": 7 }], "filename": "b.xlsx" });
    let other = call(&session, APPEND, arguments).await.unwrap();
    assert_eq!(cell(&other, "Orders", (4, 2)), Data::Float(7.0));
    for (arguments, expected) in [
        (json!({ "workbook": "orders.xlsx", "rows": [{ "Amont": 1 }] }), "Amont"),
        (json!({ "workbook": "orders.xlsx", "rows": [{ "Amount": 1 }], "sheet": "no" }), "`no`"),
        (json!({ "workbook": "none.xlsx", "rows": [{ "Amount": 1 }] }), "there are `orders.xlsx`"),
        (json!({ "workbook": " ", "rows": [{ "Amount": 1 }] }), "expected the name of a workbook"),
    ] {
        let told = call(&session, APPEND, arguments).await.unwrap_err();
        assert!(told.contains(expected), "{expected}: {told}");
    }
    let csv = format!("Amount\n{}", "1\n".repeat(200_001));
    session.add_document_bytes("many.csv", csv.into()).await.unwrap();
    let many = json!({ "workbook": "orders.xlsx", "rows": { "$ref": "many.csv" } });
    let told = call(&session, APPEND, many).await.unwrap_err();
    assert!(told.contains("rows: expected at most 200000 cells, got 200001"), "{told}");
}

#[tokio::test]
async fn words_are_looked_for_in_values_and_rows() {
    let rules = "rules:\n  - {word: 机密文件, id: b}\n  - {word: heron, action: redact, id: r}\n";
    let host = Host::builder().cache(CacheDir::new(cache()));
    let host = host.guard(RuleSet::yaml("t", rules).unwrap()).build().unwrap();
    let files = [("发票.xlsx", fixture("invoice.xlsx")), ("orders.xlsx", fixture("orders.xlsx"))];
    let session = session_of(&host, &files).await;
    let mut arguments = invoice();
    arguments["values"][0]["value"] = json!("a heron");
    let made = call(&session, FILL, arguments.clone()).await.unwrap();
    assert_eq!(cell(&made, "发票", (0, 0)), said("销售发票 a [███]"));
    arguments["rows"][0]["data"][0]["note"] = json!("机 密 文 件");
    for (tool, arguments) in [
        (FILL, arguments),
        (
            APPEND,
            json!({ "workbook": "orders.xlsx", "rows": [{ "Region": "机密文件" }], "filename": "p.xlsx" }),
        ),
    ] {
        let report = session.call(tool, &arguments.to_string()).await;
        let error = report.result.unwrap_err();
        assert!(*error.kind() == ErrorKind::Blocked, "{tool}: {error:?}");
    }
    assert_eq!(session.artifacts().len(), 1);
}

#[test]
fn the_program_fills_word_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let template = "# 合同 {{no}}\n\n| 名称 | 单价 |\n|---|---:|\n| {{items.name}} | {{items.price}} |\n\n{{content}}\n";
    let bytes = docx(&markdown(template).unwrap(), &DocxOptions::default()).unwrap().bytes;
    fs::write(at("t.docx"), bytes).unwrap();
    fs::write(at("v.json"), r#"{"no": "HT-1"}"#).unwrap();
    fs::write(at("items.csv"), "name,price\n笔,3.50\n纸,12.00\n").unwrap();
    fs::write(at("terms.md"), "## 条款\n\n正文。\n").unwrap();
    let all = [
        "--data",
        "v.json",
        "--csv",
        "items=items.csv",
        "--content",
        "terms.md",
        "--set",
        "spare=1",
    ];
    let run = |arguments: &[&str]| {
        let output = mitt(folder.path(), &[&["fill", "t.docx"], arguments].concat());
        (output.status.code(), text(&output.stderr))
    };
    let (code, told) = run(&[&all[..], &["-o", "o.docx"]].concat());
    assert!(code == Some(0) && told.contains("`spare`"), "{code:?} {told}");
    let mut zip = zip::ZipArchive::new(fs::File::open(at("o.docx")).unwrap()).unwrap();
    let mut xml = String::new();
    zip.by_name("word/document.xml").unwrap().read_to_string(&mut xml).unwrap();
    for text in ["HT-1", "笔", ">12<", "条款", "正文。"] {
        assert!(xml.contains(text), "{text}");
    }
    let (code, told) = run(&["--data", "v.json", "--content", "terms.md", "-o", "p.docx"]);
    assert!(code == Some(4) && told.contains("`items.price`") && !at("p.docx").exists(), "{told}");
    fs::write(at("words.yaml"), "rules:\n  - word: 正文\n").unwrap();
    let (code, _) = run(&[&all[..], &["-o", "p.docx", "--words", "words.yaml"]].concat());
    assert!(code == Some(12) && !at("p.docx").exists());
    for (arguments, expected) in [
        (&["-o", "x.xlsx"][..], "expected a name that ends in `.docx`"),
        (&["--append", "items.csv", "-o", "x.docx"], "--append: only workbooks get rows"),
        (&["--content", "none.md", "-o", "x.docx"], "none.md"),
    ] {
        let (code, told) = run(arguments);
        assert!(code == Some(3) && told.contains(expected), "{code:?} {told}");
    }
    let orders = root().join("tests/it/fill/orders.xlsx");
    let arguments = ["fill", orders.to_str().unwrap(), "--content", "terms.md", "-o", "x.xlsx"];
    let output = mitt(folder.path(), &arguments);
    assert!(text(&output.stderr).contains("--content: only Word files"));
}
