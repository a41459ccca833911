//! The story that must always work: two reports in, an Excel file and a PDF out.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use calamine::{Data, Range, Reader as _};
use serde_json::Value;

use crate::support::{mitt, root, text};

const EXCEL: &str = "2024-2025年经营对比.xlsx";
const PDF: &str = "2024-2025年经营总结.pdf";

fn copy_example(to: &Path) {
    for entry in fs::read_dir(root().join("examples/yoy")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
        }
    }
}

fn sheet(folder: &Path, name: &str) -> Range<Data> {
    let mut book =
        calamine::Xlsx::new(Cursor::new(fs::read(folder.join("out").join(EXCEL)).unwrap()))
            .unwrap();
    book.worksheet_range(name).unwrap()
}

fn number(range: &Range<Data>, row: u32, column: u32) -> f64 {
    match range.get_value((row, column)) {
        Some(Data::Float(number)) => *number,
        Some(Data::Int(number)) => *number as f64,
        other => panic!("row {row}, column {column}: {other:?}"),
    }
}

fn pdf_text(folder: &Path) -> String {
    crate::render::pdf_text(&fs::read(folder.join("out").join(PDF)).unwrap())
}

#[test]
fn two_reports_in_a_checked_excel_and_a_pdf_out() {
    let folder = tempfile::tempdir().unwrap();
    copy_example(folder.path());
    let output = mitt(folder.path(), &["run", "."]);
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{stderr}");
    let paths: Vec<_> = stdout.lines().collect();
    assert_eq!(
        paths,
        [
            Path::new("out").join(EXCEL).to_str().unwrap(),
            Path::new("out").join(PDF).to_str().unwrap()
        ]
    );
    for step in [
        "ingest  2024年经营报告.xlsx",
        "ingest  2025年经营报告.docx",
        "turn 1",
        "call    python__run",
        "file    ",
    ] {
        assert!(stderr.contains(step), "{step} is missing:\n{stderr}");
    }
    assert!(
        stderr.contains("  table_tool__compare  (")
            && stderr.contains("fuel ")
            && stderr.contains("memory ")
    );

    // The exact numbers, computed separately in decimal arithmetic from the reports.
    let months = sheet(folder.path(), "按月对比");
    assert_eq!(months.get_size(), (13, 7));
    assert_eq!(months.get_value((1, 0)), Some(&Data::String("1月".into())));
    assert_eq!(number(&months, 1, 1), 1180.5);
    assert_eq!(number(&months, 1, 2), 1452.3);
    assert_eq!(number(&months, 1, 3), 0.230241);
    assert_eq!(number(&months, 12, 4), 12431.79);
    assert_eq!(number(&months, 12, 5), 17540.0);
    assert_eq!(number(&months, 12, 6), 0.410899);
    let year = sheet(folder.path(), "年度对比");
    assert_eq!(number(&year, 1, 1), 1297.6);
    assert_eq!(number(&year, 1, 2), 1590.2417);
    assert_eq!(number(&year, 2, 1), 125_235.5);
    assert_eq!(number(&year, 2, 2), 173_410.0);
    assert_eq!(number(&year, 2, 3), 48_174.5);
    assert_eq!(number(&year, 2, 4), 0.384671);

    let pdf = pdf_text(folder.path());
    for part in [
        "2024–2025年经营对比总结",
        "38.47%",
        "17.34亿元",
        "1,590.24",
        "数据来自《2024年经营报告》与《2025年经营报告》",
    ] {
        assert!(pdf.contains(part), "{part} is missing:\n{pdf}");
    }
}

/// A recording holds no numbers: another report gives other files.
#[test]
fn editing_a_number_changes_both_files() {
    let folder = tempfile::tempdir().unwrap();
    copy_example(folder.path());
    // The same report as text: another name for the same kind of table, read by another reader.
    let task = fs::read_to_string(folder.path().join("task.yaml")).unwrap();
    let model = fs::read_to_string(folder.path().join("model.jsonl")).unwrap();
    fs::write(folder.path().join("task.yaml"), task.replace("2024年经营报告.xlsx", "2024.csv"))
        .unwrap();
    fs::write(folder.path().join("model.jsonl"), model.replace("2024年经营报告.xlsx", "2024.csv"))
        .unwrap();
    let report = |january: &str| {
        let mut csv = "月份,日活跃用户（万人）,营业收入（万元）\n".to_owned();
        for month in 1..=12 {
            let revenue = if month == 1 { january } else { "10000" };
            csv.push_str(&format!("{month}月,1000,{revenue}\n"));
        }
        fs::write(folder.path().join("2024.csv"), csv).unwrap();
        let output = mitt(folder.path(), &["run", "."]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        (number(&sheet(folder.path(), "按月对比"), 1, 6), pdf_text(folder.path()))
    };
    let (growth, pdf) = report("10000");
    assert_eq!(growth, 0.26);
    let (edited, edited_pdf) = report("12500");
    assert_eq!(edited, 0.008);
    assert_ne!(pdf, edited_pdf);
    assert!(edited_pdf.contains("0.80%"), "{edited_pdf}");
}

#[test]
fn a_failed_run_says_why_and_keeps_what_was_made() {
    let folder = tempfile::tempdir().unwrap();
    copy_example(folder.path());
    let report = "月份,日活跃用户（万人）,营业收入（万元）\n1月,约一千,10000\n";
    fs::write(folder.path().join("2024.csv"), report).unwrap();
    for file in ["task.yaml", "model.jsonl"] {
        let content = fs::read_to_string(folder.path().join(file)).unwrap();
        fs::write(folder.path().join(file), content.replace("2024年经营报告.xlsx", "2024.csv"))
            .unwrap();
    }
    let output = mitt(folder.path(), &["run", ".", "--json"]);
    assert_eq!(output.status.code(), Some(9), "{}", text(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["error"]["kind"], "model");
    let message = json["error"]["message"].as_str().unwrap();
    assert!(message.contains("turn 2") && message.contains("python__run"), "{json}");
    assert!(json["error"]["details"][0].as_str().unwrap().contains("约一千"), "{json}");
    assert!(!folder.path().join("out").join(EXCEL).exists());
    let leftovers: Vec<_> =
        fs::read_dir(folder.path().join("out")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(leftovers, ["journal.jsonl"]);
}

#[test]
fn the_same_input_and_clock_make_the_same_bytes() {
    let files = || {
        let folder = tempfile::tempdir().unwrap();
        copy_example(folder.path());
        let output = mitt(folder.path(), &["run", ".", "--clock", "1764000000"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        [EXCEL, PDF].map(|name| fs::read(folder.path().join("out").join(name)).unwrap())
    };
    assert!(files() == files());
}
