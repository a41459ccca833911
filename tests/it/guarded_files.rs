//! Words and numbers in files, checked as they are drawn and read: split by markup, or joined by a template or a formula.

use std::fs;
use std::path::Path;

use mitt::guard::{Guard, RuleSet};
use mitt::internal::Check;
use mitt::render::{
    Formula, Sheet, SheetBlock, SheetCell, SheetColumn, SheetRow, Workbook, XlsxOptions,
};
use mitt::{ErrorKind, Host, SessionOptions};
use serde_json::json;

use crate::support::{kind, mitt, text};

const BLOCK: &str =
    "rules: [{words: [secretword, 机密文件], id: b}]\npersonal-data: {phone: block}\n";
const REDACT: &str = "action: redact\nrules: [{words: [secretword, 机密文件], id: r}]\npersonal-data: {phone: redact}\n";

/// Ways to split a word by markup.
const DIVIDED: [&str; 11] = [
    // Only in the parsed tree is this one in one piece.
    "[secret]word\n\n[secret]: http://a.b",
    "[secret](http://a.b)word",
    "机[](x)密文件",
    "sec**ret**word",
    "sec`ret`word",
    "机<!-- x -->密文件",
    "&#x673a;密文件",
    "138**0013**8000",
    "sec[^1]retword\n\n[^1]: a note",
    "sec$\\text{ret}$word",
    "[x ███](http://a.b/?q=secretword)",
];

const CHART: &str = "```chart\ntype: column\ntitle: \"\\u673a\\u5bc6文件\"\n\n| a | b |\n|---|---|\n| x | 1 |\n| y | 2 |\n```\n";

fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let output = mitt(folder, args);
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

fn shows(text: &str) -> bool {
    let plain = text.replace(['*', '`', '\\'], "");
    ["secretword", "机密文件", "13800138000"].iter().any(|word| plain.contains(word))
}

#[test]
fn words_that_markup_divides_are_found_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("block.yaml"), BLOCK).unwrap();
    fs::write(at("redact.yaml"), REDACT).unwrap();
    for (number, divided) in DIVIDED.iter().enumerate() {
        // In a heading, in a paragraph, in a cell.
        let (line, notes) = divided.split_once("\n\n").unwrap_or((divided, ""));
        let source = format!(
            "# Heading {line}\n\nText {line}.\n\n| a | b |\n|---|---|\n| {line} | x |\n\n{notes}\n"
        );
        fs::write(at("a.md"), &source).unwrap();
        for format in ["html", "docx", "pptx", "xlsx", "pdf"] {
            // The same pass checks all; the first two go through every writer.
            if number > 1 && format != "html" {
                continue;
            }
            let output = format!("a.{format}");
            let args = ["render", "a.md", "-o", &output, "--words", "block.yaml"];
            let (code, _, stderr) = run(folder.path(), &args);
            assert!(code == 12 && !at(&output).exists(), "{format} {divided}: {code} {stderr}");
            let args = ["render", "a.md", "-o", &output, "--words", "redact.yaml", "--force"];
            let (code, _, stderr) = run(folder.path(), &args);
            assert_eq!(code, 0, "{format} {divided}: {stderr}");
            assert!(
                stderr.contains("rules about content left out "),
                "{format} {divided}: {stderr}"
            );
            assert!(!shows(&stderr), "{stderr}");
            let (code, stdout, stderr) = run(folder.path(), &["ingest", &output]);
            assert!(
                code == 0 && !shows(&stdout) && stdout.contains("███"),
                "{format} {divided}: {stdout} {stderr}"
            );
            fs::remove_file(at(&output)).unwrap();
        }
    }
    fs::write(at("c.md"), CHART).unwrap();
    let args = ["render", "c.md", "-o", "c.html", "--words", "block.yaml"];
    let (code, _, stderr) = run(folder.path(), &args);
    assert!(code == 12 && !at("c.html").exists(), "{code} {stderr}");
    // Two cells or two paragraphs do not form a word.
    fs::write(at("d.md"), "secret\n\nword\n\n| 机密 | 文件 |\n|---|---|\n| 138 | 0013 8000 |\n")
        .unwrap();
    let args = ["render", "d.md", "-o", "d.html", "--words", "block.yaml"];
    let (code, _, stderr) = run(folder.path(), &args);
    assert_eq!((code, stderr.contains("rules about")), (0, false), "{stderr}");
}

/// A worker that reads the same text removes the same from it.
#[test]
fn what_is_left_out_of_a_tree_is_left_out_of_the_same_tree_elsewhere() {
    let guard = Guard::new([RuleSet::yaml("t", REDACT).unwrap()]).unwrap();
    let source = format!(
        "---\ntitle: sec&#114;etword\nauthor: secretword\n---\n# [sec](a)retword\n\n- sec*ret*word ![机密文件](a.png \"机密文件\")\n\n> 机$x$密文件 sec$\\text{{ret}}$word\n\n\
         ```secretword\nsecretword\n```\n\na[^1]\n\n[^1]: sec**ret**word\n\n{CHART}\n\n| sec**ret**word | b |\n|---|---|\n| x<br>y | 138**0013**8000 |\n"
    );
    let mut check = Check::new(&guard).unwrap();
    let mut here = mitt::render::markdown(&source).unwrap();
    let left_out = check.tree(&mut here).unwrap();
    let warning = check.warning().unwrap();
    let mut there = mitt::render::markdown(&source).unwrap();
    assert_ne!(there, here);
    there.leave_out(&serde_json::from_str(&serde_json::to_string(&left_out).unwrap()).unwrap());
    assert_eq!(there, here);
    let tree = format!("{here:?}");
    assert!(!shows(&tree) && tree.matches("[███]").count() >= 10, "{warning} {tree}");
    assert!(Check::new(&guard).unwrap().tree(&mut here).unwrap().is_empty(), "{here:?}");
}

#[test]
fn a_template_puts_no_word_together() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("block.yaml"), BLOCK).unwrap();
    fs::write(at("redact.yaml"), REDACT).unwrap();
    fs::write(
        at("t.md"),
        "# Report\n\n**{{a}}**{{b}}\n\n| x | tel |\n|---|---|\n| {{a}}{{b}} | {{tel}} |\n",
    )
    .unwrap();
    for format in ["docx", "xlsx"] {
        let template = format!("t.{format}");
        let (code, _, stderr) = run(folder.path(), &["render", "t.md", "-o", &template]);
        assert_eq!(code, 0, "{stderr}");
        let output = format!("o.{format}");
        let fill = |words: &str, values: [&str; 3]| {
            let [a, b, tel] = values;
            let args = [
                "fill", &template, "--set", a, "--set", b, "--set", tel, "-o", &output, "--words",
                words,
            ];
            run(folder.path(), &args)
        };
        let (code, _, stderr) = fill("block.yaml", ["a=secret", "b=word", "tel=5"]);
        assert!(code == 12 && !at(&output).exists(), "{format}: {code} {stderr}");
        // A number is a value too.
        let (code, _, stderr) = fill("block.yaml", ["a=x", "b=y", "tel=13800138000"]);
        assert!(code == 12 && !at(&output).exists(), "{format}: {code} {stderr}");
        let (code, _, stderr) = fill("redact.yaml", ["a=secret", "b=word", "tel=13800138000"]);
        assert_eq!(code, 0, "{format}: {stderr}");
        assert!(
            stderr.contains("rules about content left out ") && stderr.contains("phone"),
            "{stderr}"
        );
        let (code, stdout, stderr) = run(folder.path(), &["ingest", &output]);
        assert!(
            code == 0 && !shows(&stdout) && stdout.contains("███"),
            "{format}: {stdout} {stderr}"
        );
        fs::remove_file(at(&output)).unwrap();
        let (code, _, stderr) = fill("block.yaml", ["a=secret", "b=x", "tel=5"]);
        assert_eq!((code, stderr.contains("rules about")), (0, false), "{format}: {stderr}");
    }
    // Rows of files, and of JSON.
    fs::write(at("rows.csv"), "x,tel\ny,13800138000\n").unwrap();
    fs::write(at("rows.json"), "[{\"x\": \"y\", \"tel\": 13800138000}]").unwrap();
    fs::write(at("data.json"), "{\"a\": 1, \"b\": 2, \"tel\": 13800138000}").unwrap();
    for args in [["--append", "rows.csv"], ["--append", "rows.json"], ["--data", "data.json"]] {
        let [option, file] = args;
        let args = ["fill", "t.xlsx", option, file, "-o", "p.xlsx", "--words", "block.yaml"];
        let (code, _, stderr) = run(folder.path(), &args);
        assert!(code == 12 && !at("p.xlsx").exists(), "{option} {file}: {code} {stderr}");
    }
}

/// Returns a workbook with one cell.
fn book(cell: SheetCell) -> Vec<u8> {
    let column = SheetColumn { header: "a".into(), width: 10.0, ..SheetColumn::default() };
    let row = SheetRow { cells: vec![cell], ..SheetRow::default() };
    let block = SheetBlock { columns: vec![column], rows: vec![row], ..SheetBlock::default() };
    let sheet = Sheet { name: "A".into(), blocks: vec![block], ..Sheet::default() };
    let book = Workbook { sheets: vec![sheet], ..Workbook::default() };
    mitt::render::xlsx(&book, &XlsxOptions::default()).unwrap().bytes
}

#[test]
fn formulas_and_numbers_of_a_workbook_are_looked_at_as_it_was_written() {
    use calamine::{Data, Reader as _};
    let formula = |expression: &str, value: &str| {
        SheetCell::Formula(Formula { expression: expression.into(), value: value.into() })
    };
    for (cell, left) in [
        (SheetCell::Text("a secretword b".into()), Data::String("a [███] b".into())),
        (SheetCell::Number("13800138000".into()), Data::String("[███]".into())),
        (formula("\"secret\"&\"word\"", "x"), Data::String("[███]".into())),
        (formula("CONCATENATE(\"secret\",\"word\")", "x"), Data::String("[███]".into())),
        (SheetCell::Number("5".into()), Data::Float(5.0)),
    ] {
        let bytes = book(cell.clone());
        let check = |rules: &str| {
            let guard = Guard::new([RuleSet::yaml("t", rules).unwrap()]).unwrap();
            let mut check = Check::new(&guard).unwrap();
            let made = check.office(&bytes, None)?;
            Ok::<_, mitt::Error>((made, check.warning()))
        };
        let (made, warning) = check(REDACT).unwrap();
        assert_eq!(made.is_some(), left != Data::Float(5.0), "{cell:?}");
        assert_eq!(made.is_some(), warning.is_some(), "{cell:?}");
        let mut book =
            calamine::Xlsx::new(std::io::Cursor::new(made.unwrap_or_else(|| bytes.clone())))
                .unwrap();
        let range = book.worksheet_range("A").unwrap();
        let found = range.get_value((1, 0)).cloned().unwrap_or_default();
        match (&left, &found) {
            (Data::String(_), Data::String(_)) if matches!(cell, SheetCell::Formula(_)) => {
                assert!(!shows(&found.to_string()));
                let formulas = book.worksheet_formula("A").unwrap();
                assert!(formulas.get_value((1, 0)).is_none_or(String::is_empty), "{cell:?}");
            }
            _ => assert_eq!(found, left, "{cell:?}"),
        }
        let blocked = check(BLOCK).map(|(made, _)| made);
        assert_eq!(
            blocked.is_err_and(|error| *error.kind() == ErrorKind::Blocked),
            left != Data::Float(5.0),
            "{cell:?}"
        );
    }
}

#[tokio::test]
async fn what_a_session_reads_and_delivers_is_looked_at_as_it_is_read() {
    let host =
        Host::builder().no_cache().guard(RuleSet::yaml("t", BLOCK).unwrap()).build().unwrap();
    let session = host.session(SessionOptions::default()).unwrap();
    for (name, content) in [
        ("a.html", "<p>a <a href='http://a.b'>secret</a>word and more text of the page</p>"),
        ("b.html", "<p>机<b>密</b>文件 and more text of the page, which is long enough</p>"),
        ("c.md", "a [secret](http://a.b)word"),
        ("d.txt", "{\"a\": \"\\u673a\\u5bc6文件\"}"),
    ] {
        let error = session.add_document_bytes(name, content.into()).await.expect_err(name);
        assert_eq!(error.kind(), &ErrorKind::Blocked, "{name}");
    }
    for (markdown, filename) in [
        ("a [secret](http://a.b)word", "a.pdf"),
        ("a [secret](http://a.b)word", "a.docx"),
        ("a [secret](http://a.b)word", "a.md"),
        ("{\"a\": \"\\u673a\\u5bc6文件\"}", "a.md"),
        ("tel 138**0013**8000", "b.pdf"),
    ] {
        let arguments = json!({ "markdown": markdown, "filename": filename }).to_string();
        let report = session.call("report__deliver", &arguments).await;
        assert_eq!(kind(&report), ErrorKind::Blocked, "{filename}: {:?}", report.result);
    }
    assert!(session.documents().is_empty() && session.artifacts().is_empty());
}
