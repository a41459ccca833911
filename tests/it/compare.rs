//! `mitt compare`: Word files, workbooks, and texts of any two types, through the plugins and the program.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use mitt::render::{DocxOptions, docx, markdown};
use serde_json::{Value, json};

use crate::support::{mitt, session, text};

fn word(text: &str) -> Vec<u8> {
    docx(&markdown(text).unwrap(), &DocxOptions::default()).unwrap().bytes
}

fn workbook(price: f64) -> Vec<u8> {
    let mut workbook = rust_xlsxwriter::Workbook::new();
    let sheet = workbook.add_worksheet();
    for (row, (item, price)) in (0..).zip([("Apple", 1.0), ("Pear", price), ("Plum", 3.0)]) {
        sheet.write(row + 1, 0, item).unwrap();
        sheet.write(row + 1, 1, price).unwrap();
    }
    sheet.write(0, 0, "Item").unwrap();
    sheet.write(0, 1, "Price").unwrap();
    workbook.save_to_buffer().unwrap()
}

fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = mitt(folder, &[&["compare"], arguments].concat());
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

const BEFORE: &str = "# Contract\n\nThe term of this contract is 30 days after the invoice.\n\nThe supplier delivers all goods within two weeks.\n\n| Item | Price |\n|---|---|\n| Apple | 1.50 |\n| Pear | 2.00 |\n";
const AFTER: &str = "# Contract\n\nThe term of this contract is 45 days after the invoice.\n\nThe supplier delivers all goods within two weeks.\n\n| Item | Price |\n|---|---|\n| Apple | 1.5 |\n| Pear | 2.00 |\n";

#[test]
fn word_files_are_compared_as_a_list_and_as_tracked_changes() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    // The same name in two folders.
    for (name, content) in [("old", BEFORE), ("new", AFTER)] {
        fs::create_dir(at(name)).unwrap();
        fs::write(at(name).join("report.docx"), word(content)).unwrap();
    }
    let files = ["old/report.docx", "new/report.docx"];
    let (code, stdout, stderr) = run(folder.path(), &files);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("30") && stdout.contains("45") && stdout.contains(" → "), "{stdout}");
    assert!(stdout.lines().last().unwrap().contains("differences: "), "{stdout}");
    assert!(!stderr.contains("comparison.docx"), "no file was asked for: {stderr}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().filter(is_document).count(), 0);

    let (code, _, stderr) =
        run(folder.path(), &[&files[..], &["-o", "redline.docx", "--author", "Ana"]].concat());
    assert_eq!(code, 0, "{stderr}");
    let mut zip = zip::ZipArchive::new(fs::File::open(at("redline.docx")).unwrap()).unwrap();
    let mut xml = String::new();
    zip.by_name("word/document.xml").unwrap().read_to_string(&mut xml).unwrap();
    assert!(
        xml.contains("<w:ins ") && xml.contains("<w:del ") && xml.contains(r#"w:author="Ana""#)
    );

    let (_, stdout, _) = run(folder.path(), &[files[0], files[0], "--json"]);
    let printed: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&printed["total"], &printed["differences"]), (&json!(0), &json!([])));
    assert_eq!(printed["summary"], "The documents are equal.");
}

fn is_document(entry: &std::io::Result<fs::DirEntry>) -> bool {
    entry.as_ref().is_ok_and(|it| it.path().extension().is_some_and(|it| it == "docx"))
}

#[test]
fn workbooks_are_compared_by_cells() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.xlsx"), workbook(2.0)).unwrap();
    fs::write(folder.path().join("b.xlsx"), workbook(2.5)).unwrap();
    let (code, stdout, stderr) =
        run(folder.path(), &["a.xlsx", "b.xlsx", "--key", "Item", "--json"]);
    assert_eq!(code, 0, "{stderr}");
    let printed: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(printed["total"], 1, "{printed}");
    let difference = &printed["differences"][0];
    let shows = |name: &str, value: &str| difference[name].as_str().unwrap().contains(value);
    assert!(shows("before", "2") && shows("after", "2.5") && shows("place", "B3"), "{difference}");
    let (_, stdout, _) = run(folder.path(), &["a.xlsx", "a.xlsx"]);
    assert_eq!(stdout, "The documents are equal.\n");
}

#[test]
fn files_of_two_types_are_compared_by_their_text() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.md"), BEFORE).unwrap();
    fs::write(folder.path().join("b.md"), AFTER).unwrap();
    fs::write(folder.path().join("a.txt"), "one\ntwo\n\n净利润 10\n").unwrap();
    fs::write(folder.path().join("b.txt"), "one two\n\n净利润 12\n").unwrap();
    let (code, stdout, stderr) = run(folder.path(), &["a.md", "b.md"]);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(
        stdout,
        "Contract: changed: The term of this contract is 30 days after the invoice. → The term of this contract is 45 days after the invoice.\n\
         Contract, table 1, row 1 (Apple): row changed: Price: 1.50 → Price: 1.5\n\
         2 differences: 1 changed, 1 row changed.\n"
    );
    let (_, stdout, _) = run(folder.path(), &["a.txt", "b.txt"]);
    assert_eq!(stdout, "line 3: changed: 净利润 10 → 净利润 12\n1 difference: 1 changed.\n");
    let (_, stdout, stderr) = run(folder.path(), &["a.md", "b.md", "--limit", "1"]);
    assert!(stdout.ends_with("The first 1 are listed, 1 are not.\n"), "{stdout} {stderr}");
    // A PDF of the same text, typeset by the program.
    let rendered = mitt(folder.path(), &["render", "b.md", "-o", "b.pdf"]);
    assert!(rendered.status.success(), "{}", text(&rendered.stderr));
    let (_, stdout, stderr) = run(folder.path(), &["b.md", "b.pdf"]);
    assert_eq!(stdout, "No differences in what was compared; see the warnings.\n", "{stderr}");
    assert!(stderr.contains("`b.pdf`: 1 page numbers and repeated lines"), "{stderr}");
    let (_, stdout, _) = run(folder.path(), &["a.md", "b.pdf", "--json"]);
    let printed: Value = serde_json::from_str(&stdout).unwrap();
    // The pages do not show where a paragraph ends, so that the second one is in the first.
    assert_eq!(printed["total"], 3, "{printed}");
    assert!(printed["differences"][0]["place"].as_str().unwrap().starts_with("page 1"));
}

#[test]
fn options_that_would_be_ignored_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in [
        ("a.docx", word(BEFORE)),
        ("b.docx", word(AFTER)),
        ("mine.docx", word("mine")),
        ("a.xlsx", workbook(1.0)),
        ("a.md", BEFORE.into()),
    ] {
        fs::write(folder.path().join(name), content).unwrap();
    }
    for (arguments, code, expected) in [
        (&["a.xlsx", "a.xlsx", "-o", "c.docx"][..], 3, "only two Word files give a file"),
        (&["a.docx", "a.md", "-o", "c.docx"], 3, "expected two Word files"),
        (&["a.docx", "b.docx", "-o", "c.csv"], 3, "expected a name that ends in `.docx`"),
        (&["a.docx", "b.docx", "-o", "./b.docx", "--force"], 3, "is one of the files"),
        (&["a.docx", "b.docx", "-o", "mine.docx"], 3, "is there already"),
        (&["a.docx", "b.docx", "--key", "Item"], 3, "expected two workbooks"),
        (&["a.md", "none.md"], 3, "none.md"),
        (&["a.md", "a.md", "--limit", "0"], 2, "--limit"),
        (&["a.md", "a.md", "--author", "Ana"], 2, "--output"),
    ] {
        let (found, _, stderr) = run(folder.path(), arguments);
        assert!(found == code && stderr.contains(expected), "{arguments:?}: {found} {stderr}");
    }
    assert_eq!(fs::read(folder.path().join("b.docx")).unwrap(), word(AFTER));
    assert!(!folder.path().join("c.docx").exists());
}

#[tokio::test]
async fn a_model_can_open_the_places_of_differences() {
    let session = session();
    for (name, content) in [("a.md", BEFORE), ("b.md", AFTER)] {
        session.add_document_bytes(name, content.into()).await.unwrap();
    }
    let call = async |tool: &str, arguments: Value| -> Value {
        session.call(tool, &arguments.to_string()).await.result.unwrap().into()
    };
    let tool = "document_tool__compare_documents";
    let found = call(tool, json!({ "before": "a.md", "after": "b.md" })).await;
    let offset = &found["differences"][0]["after_offset"];
    let part = call(
        "document_tool__read_document",
        json!({ "name": "b.md", "offset": offset, "length": 8 }),
    )
    .await;
    assert_eq!(part["text"], "The term");
    for (arguments, expected) in [
        (json!({ "before": "a.md", "after": "c.md" }), "there are: `a.md`, `b.md`"),
        (
            json!({ "before": "a.md", "after": "b.md", "limit": 1_001 }),
            "expected 1 to 1000, got 1001",
        ),
    ] {
        let error = session.call(tool, &arguments.to_string()).await.result.unwrap_err().render();
        assert!(error.contains(expected), "{error}");
    }
}

/// A log of 100 000 lines ends within the limits of a call.
#[tokio::test]
async fn long_texts_are_compared_within_the_limits_of_a_call() {
    let session = session();
    let log = |word: &str| -> String {
        let line = |it: u32| match it % 1_000 {
            7 => format!("12:00:00.{it:06} request {it} took 12 ms and {word} with status 200\n"),
            _ => format!("12:00:00.{it:06} request {it} took 12 ms and ended with status 200\n"),
        };
        (0..100_000).map(line).collect()
    };
    session.add_document_bytes("a.log", log("failed").into_bytes()).await.unwrap();
    session.add_document_bytes("b.log", log("stopped").into_bytes()).await.unwrap();
    let arguments = json!({ "before": "a.log", "after": "b.log" }).to_string();
    let result = session.call("document_tool__compare_documents", &arguments).await.result.unwrap();
    let result = Value::from(result);
    assert_eq!((&result["total"], &result["warnings"]), (&json!(100), &json!([])), "{result}");
}
