//! Word files, web pages and tables that tools deliver, and templates that they fill: through the plugins and the program.

use std::fs;
use std::io::Read as _;
use std::time::Duration;

use mitt::render::{DocxOptions, docx, markdown};
use mitt::{CacheDir, Environment, ErrorKind, Event, Host, Session, SessionOptions};
use serde_json::{Value, json};

use crate::support::{cache, command, host, root};

/// Returns our own Word template: a letter with a table.
fn template(text: &str) -> Vec<u8> {
    docx(&markdown(text).unwrap(), &DocxOptions::default()).unwrap().bytes
}

const CONTRACT: &str = "# 合同 {{no}}\n\n甲方：{{甲方.名称}}\n\n| 名称 | 单价 |\n|---|---:|\n| {{items.name}} | {{items.price}} |\n| 合计 | {{total}} |\n\n{{content}}\n";

fn part(bytes: &[u8], name: &str) -> String {
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let mut xml = String::new();
    zip.by_name(name).unwrap().read_to_string(&mut xml).unwrap();
    xml
}

/// Returns the text of a Word file without white space.
fn said(bytes: &[u8]) -> String {
    let xml = part(bytes, "word/document.xml");
    let texts = xml.split("<w:t").skip(1).filter_map(|rest| rest.split_once('>'));
    texts.filter_map(|(_, rest)| rest.split_once("</w:t>")).map(|(text, _)| text).collect()
}

fn keeping() -> Session {
    let options = SessionOptions { keeps_sources: true, ..SessionOptions::default() };
    host().session(options).unwrap()
}

async fn call(
    session: &Session,
    tool: &str,
    arguments: Value,
) -> Result<Vec<u8>, (ErrorKind, String)> {
    let name = arguments["filename"].as_str().unwrap().to_owned();
    let report = session.call(tool, &arguments.to_string()).await;
    match report.result {
        Ok(_) => Ok(session.artifact_content(&name).unwrap()),
        Err(error) => Err((error.kind().clone(), error.render())),
    }
}

#[tokio::test]
async fn one_text_is_delivered_in_every_format() {
    let told = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let hears = told.clone();
    let options = SessionOptions {
        events: Some(std::sync::Arc::new(move |event: &Event| {
            if let Event::Delivered { artifact, warnings, .. } = event {
                let line = format!("{} {} {warnings:?}", artifact.name, artifact.media_type);
                hears.lock().unwrap().push(line);
            }
        })),
        ..SessionOptions::default()
    };
    let session = host().session(options).unwrap();
    let text =
        "# 报告\n\n收入 *增长* $x$。\n\n## 明细\n\n| 月 | 金额 |\n|---|---:|\n| 1月 | 1,234.50 |\n";
    let of = async |name: &str| {
        let arguments = json!({ "markdown": text, "filename": name, "contents": true });
        call(&session, "report__deliver", arguments).await.unwrap()
    };
    let word = of("a.docx").await;
    assert!(said(&word).contains("1,234.50") && part(&word, "docProps/core.xml").contains("报告"));
    assert!(part(&word, "word/document.xml").contains("TOC \\o"));
    assert_eq!(of("a.docx").await, word, "the same bytes");
    let page = String::from_utf8(of("a.html").await).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<nav"), "{page}");
    let book = of("a.xlsx").await;
    assert!(part(&book, "xl/workbook.xml").contains("明细"));
    assert!(part(&book, "xl/worksheets/sheet1.xml").contains("<v>1234.5</v>"));
    let told = told.lock().unwrap().join("\n");
    for line in [
        "a.docx application/vnd.openxmlformats-officedocument.wordprocessingml.document [",
        "a.html text/html [",
        "what is no table is left out: paragraph (block 2)",
        "contents are left out: a workbook has none",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
}

#[tokio::test]
async fn what_a_format_has_not_is_refused_with_the_way_out() {
    let session = keeping();
    for (more, name, expected) in [
        (json!({ "template": "l.docx" }), "a.pdf", "only a name that ends in `.docx` takes one"),
        (json!({ "theme": "no\nsuch" }), "a.docx", "theme: "),
        (
            json!({ "template": "l.docx" }),
            "a.docx",
            "no document or artifact `l.docx`; of Word files there are none",
        ),
        (json!({}), "a.xlsx", "expected a table for a workbook, got none"),
        (json!({}), "a.doc", "`.docx`"),
    ] {
        let mut arguments = json!({ "markdown": "text", "filename": name });
        for (key, value) in more.as_object().unwrap() {
            arguments[key] = value.clone();
        }
        let (kind, text) = call(&session, "report__deliver", arguments).await.unwrap_err();
        assert!(kind == ErrorKind::Plugin && text.contains(expected), "{name}: {text}");
    }
}

#[tokio::test]
async fn a_template_of_the_session_is_filled() {
    let session = keeping();
    session.add_document_bytes("合同.docx", template(CONTRACT)).await.unwrap();
    session
        .add_document_bytes("items.csv", "name,price\n笔,3.50\n纸,12.00\n".into())
        .await
        .unwrap();
    let mut arguments = json!({
        "template": "合同.docx", "filename": "out.docx",
        "values": [
            { "name": "no", "value": "HT-1" }, { "name": "{{甲方.名称}}", "value": "某某公司" },
            { "name": "total", "value": "15.50" }, { "name": "spare", "value": null },
        ],
        "rows": [{ "name": "items", "data": [{ "name": "笔", "price": "3.50" }, { "name": "纸", "price": 12.00 }] }],
        "content": "## 条款\n\n1. 甲\n2. 乙\n",
    });
    let filled = call(&session, "word_tool__fill_template", arguments.clone()).await.unwrap();
    let text = said(&filled);
    assert_eq!(
        text,
        "合同HT-1甲方：某某公司名称单价笔3.50纸12合计15.50条款甲乙".replace("合同HT", "合同 HT")
    );
    let journal = session.journal();
    let entry = journal.iter().rfind(|it| it["kind"] == "artifact").unwrap();
    // A value without a place in the template.
    assert_eq!(entry["warnings"], 1, "{entry}");
    // Everything that is missing is named at once.
    arguments["values"] = json!([{ "name": "no", "value": "" }]);
    arguments["rows"] = Value::Null;
    let (_, text) =
        call(&session, "word_tool__fill_template", arguments.clone()).await.unwrap_err();
    for name in ["`items.name`", "`items.price`", "`total`", "`甲方.名称`"] {
        assert!(text.contains(name), "{name}: {text}");
    }
    // As a letterhead, too.
    session
        .add_document_bytes("letter.docx", template("致：{{title}}\n\n{{content}}\n"))
        .await
        .unwrap();
    let arguments = json!({ "markdown": "# 通知\n\n正文。\n", "filename": "n.docx", "template": "letter.docx" });
    let letter = call(&session, "report__deliver", arguments).await.unwrap();
    assert_eq!(said(&letter), "致：通知正文。");
}

#[tokio::test]
async fn files_are_kept_only_where_that_is_wanted_and_for_what_can_be_filled() {
    let arguments = json!({ "template": "a.docx", "values": [], "filename": "b.docx" });
    let plain = host().session(SessionOptions::default()).unwrap();
    plain.add_document_bytes("a.docx", template("x")).await.unwrap();
    let (_, text) = call(&plain, "word_tool__fill_template", arguments.clone()).await.unwrap_err();
    assert!(text.contains("the file of `a.docx` was not kept"), "{text}");
    let session = keeping();
    session.add_document_bytes("a.docx", b"# just text".to_vec()).await.unwrap();
    let (_, text) =
        call(&session, "word_tool__fill_template", arguments.clone()).await.unwrap_err();
    assert!(text.contains("was not kept"), "{text}");
    // A workbook is not a Word template.
    let book = fs::read(root().join("examples/yoy/2024年经营报告.xlsx"));
    if let Ok(book) = book {
        session.add_document_bytes("b.xlsx", book).await.unwrap();
        let mut arguments = arguments;
        arguments["template"] = json!("b.xlsx");
        let (_, text) = call(&session, "word_tool__fill_template", arguments).await.unwrap_err();
        assert!(text.contains("it is no Word file"), "{text}");
    }
}

#[test]
fn the_program_takes_templates_and_writes_tables() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write("letter.docx", &template("致：{{title}}\n\n{{content}}\n"));
    write("places.docx", &template("{{a}} {{b}}\n"));
    write("none.txt", b"no template");
    write("r.md", "# 标题\n\n正文\n\n## 表\n\n| a | b |\n|---|---|\n| 007 | 5% |\n".as_bytes());
    let run = |arguments: &[&str]| {
        let output =
            command(folder.path(), &[&["render", "r.md"], arguments].concat()).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), told)
    };
    let (code, told) = run(&["-o", "r.docx", "--template", "letter.docx"]);
    assert_eq!(code, Some(0), "{told}");
    let made = fs::read(folder.path().join("r.docx")).unwrap();
    assert!(said(&made).starts_with("致：标题正文"), "{}", said(&made));
    let (code, told) = run(&["-o", "r.xlsx"]);
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("what is no table is left out: paragraph (block 2)"), "{told}");
    let book = fs::read(folder.path().join("r.xlsx")).unwrap();
    assert!(part(&book, "xl/worksheets/sheet1.xml").contains("<v>0.05</v>"));
    for (arguments, expected) in [
        (
            ["-o", "p.pdf", "--template", "letter.docx"],
            "--template: expected a Word file (`.docx`) or slides (`.pptx`), got p.pdf",
        ),
        (["-o", "a.docx", "--template", "absent.docx"], "--template: cannot read absent.docx"),
        (["-o", "b.docx", "--template", "none.txt"], "template: it is no Word file"),
    ] {
        let (code, told) = run(&arguments);
        assert!(code == Some(3) && told.contains(expected), "{code:?}: {told}");
    }
    assert!(!folder.path().join("b.docx").exists());
}

#[tokio::test]
async fn themes_reach_pdf_and_pages_and_are_refused_elsewhere() {
    // Files that were made in different seconds would differ.
    let environment = Environment { clock: Some(Duration::ZERO), seed: None };
    let host = Host::builder().cache(CacheDir::new(cache()));
    let host = host.environment(environment).build().unwrap();
    let session = host.session(SessionOptions::default()).unwrap();
    let of = async |name: &str, theme: &str| {
        let text = "# 报告\n\n正文。\n\n## 节\n\nMore.\n";
        let arguments = json!({ "markdown": text, "filename": name, "theme": theme });
        call(&session, "report__deliver", arguments).await
    };
    for name in ["a.pdf", "a.html"] {
        let plain = of(name, "plain").await.unwrap();
        assert_eq!(plain, of(name, " ").await.unwrap(), "{name}: the default");
        for theme in ["report", "letter", "slides"] {
            let made = of(name, theme).await.unwrap();
            // A web page has colours and fonts, which only a custom theme changes.
            assert_eq!(made == plain, name == "a.html", "{name} {theme}");
        }
    }
    for (name, theme, expected) in [
        ("a.pdf", "repot", "did you mean `report`?"),
        ("a.html", "no\nsuch", "theme: there is no theme `no\\nsuch`"),
        ("a.docx", "report", "theme: only a name that ends in `.pdf` or `.html` takes one"),
        ("a.md", "report", "theme: only a name that ends in `.pdf` or `.html` takes one"),
    ] {
        let (kind, told) = of(name, theme).await.unwrap_err();
        assert!(kind == ErrorKind::Plugin && told.contains(expected), "{name}: {told}");
    }
    assert!(of("b.docx", "plain").await.is_ok());
}

/// The host reports facts and changes of a file to the model, whatever tool made it.
#[tokio::test]
async fn a_model_is_told_what_the_files_hold() {
    let session = host().session(SessionOptions::default()).unwrap();
    let table = "# 报告\n\n## 明细\n\n| 月 | 金额 |\n|---|---:|\n| 1月 | 1 |\n| 2月 | 2 |\n";
    let missing = "# 报告\n\n![图](absent.png)\n";
    let rows = json!([{ "a": 1 }, { "a": 2 }, { "a": 3 }]);
    let long = "a name that is longer than any sheet may have";
    let book = json!({ "sheets": [{ "name": long, "data": rows }], "filename": "w.xlsx" });
    for (tool, arguments, expected) in [
        ("report__deliver", json!({ "markdown": table, "filename": "a.pdf" }), "\na.pdf: 1 page"),
        (
            "report__deliver",
            json!({ "markdown": missing, "filename": "b.pdf" }),
            "\nb.pdf: 1 page; warning: images are not shown, their descriptions are: `图`",
        ),
        (
            "report__deliver",
            json!({ "markdown": missing, "filename": "b.docx" }),
            "\nb.docx: warning: images are not shown, their descriptions are: `图`",
        ),
        (
            "report__deliver",
            json!({ "markdown": table, "filename": "c.xlsx" }),
            "\nc.xlsx: sheets: 明细 (2 rows)",
        ),
        (
            "excel_tool__create_workbook",
            book,
            "\nw.xlsx: sheets: a name that is longer than any  (3 rows); warning: sheet 1 is named",
        ),
    ] {
        let report = session.call(tool, &arguments.to_string()).await;
        let told = report.for_model(10_000).to_string();
        assert!(told.contains(expected), "{expected}: {told}");
    }
    // Nothing is reported if there is nothing to report.
    let arguments = json!({ "markdown": table, "filename": "a.docx" });
    let report = session.call("report__deliver", &arguments.to_string()).await;
    assert_eq!(report.for_model(10_000).to_string().lines().count(), 1);
}

#[tokio::test]
async fn the_first_page_is_delivered_beside_a_pdf_on_request() {
    let session = host().session(SessionOptions::default()).unwrap();
    let arguments = json!({ "markdown": "# 报告\n\n正文", "filename": "a.b.pdf", "preview": true });
    let report = session.call("report__deliver", &arguments.to_string()).await;
    report.result.unwrap();
    let names: Vec<_> = report.artifacts.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["a.b.pdf", "a.b-page-1.png"]);
    let picture = session.artifact_content("a.b-page-1.png").unwrap();
    assert_eq!(image::load_from_memory(&picture).unwrap().width(), 800);
    for name in ["a.docx", "a.html", "a.xlsx", "a.md"] {
        let arguments =
            json!({ "markdown": "| a |\n|---|\n| b |", "filename": name, "preview": true });
        let (kind, text) = call(&session, "report__deliver", arguments).await.unwrap_err();
        assert!(kind == ErrorKind::Plugin && text.contains("preview: only"), "{text}");
    }
}
