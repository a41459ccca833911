//! One Chinese report from every independent producer, in every format and encoding: each statement appears once, exact in
//! every letter and cell. `chinese/make.py` makes the files.

use std::path::{Path, PathBuf};

use mitt::{Cell, Document};
use serde::Deserialize;

use crate::support::{root, session};

#[derive(Deserialize)]
struct Report {
    title: String,
    headings: Vec<String>,
    paragraphs: Vec<String>,
    columns: Vec<String>,
    rows: Vec<(String, f64, f64, String)>,
    note: String,
}

fn folder() -> PathBuf {
    root().join("tests/it/chinese")
}

fn report() -> Report {
    serde_json::from_slice(&std::fs::read(folder().join("report.json")).unwrap()).unwrap()
}

/// Returns the text without its presentation: emphasis, and the gaps that a typesetter puts between scripts.
fn plain(text: &str) -> String {
    text.chars().filter(|character| !"* ".contains(*character)).collect()
}

fn check_once(file: &str, text: &str, expected: &str) {
    let found = plain(text).matches(&plain(expected)).count();
    assert_eq!(found, 1, "{file}: `{expected}` stands {found} times in\n{text}");
}

fn check_table(file: &str, document: &Document, report: &Report) {
    let names = |table: &mitt::NamedTable| table.data.names().map(plain).collect::<Vec<_>>();
    let table = document.tables.iter().find(|table| names(table) == report.columns);
    let table = table.unwrap_or_else(|| {
        panic!("{file}: {:?}", document.tables.iter().map(names).collect::<Vec<_>>())
    });
    let rows: Vec<Vec<Cell>> = table.data.cells(0, usize::MAX).collect();
    assert_eq!(rows.len(), report.rows.len(), "{file}: {rows:?}");
    for (row, (month, users, revenue, remark)) in rows.iter().zip(&report.rows) {
        let [Cell::Text(first), Cell::Number(second), Cell::Number(third), Cell::Text(last)] =
            &row[..]
        else {
            panic!("{file}: {row:?}")
        };
        assert_eq!((plain(first), plain(last)), (month.clone(), remark.clone()), "{file}");
        assert_eq!((second.parse(), third.parse()), (Ok(*users), Ok(*revenue)), "{file}");
    }
}

async fn read(path: &Path) -> std::sync::Arc<Document> {
    session().add_document(path).await.unwrap()
}

#[tokio::test]
async fn documents_and_slides_say_what_was_written() {
    let report = report();
    for file in [
        "python-docx.docx",
        "python-pptx.pptx",
        "libreoffice.docx",
        "libreoffice.doc",
        "libreoffice.odt",
        "libreoffice.rtf",
        "libreoffice.pptx",
        "libreoffice.odp",
        "libreoffice.pdf",
        "weasyprint.pdf",
        "gb2312.html",
    ] {
        let document = read(&folder().join(file)).await;
        for text in report.headings.iter().chain(&report.paragraphs).chain([&report.note]) {
            check_once(file, &document.text, text);
        }
        let n_headings = document.text.lines().filter(|line| line.starts_with('#')).count();
        assert_eq!(n_headings, report.headings.len(), "{file}:\n{}", document.text);
        check_table(file, &document, &report);
    }
}

/// Slides of the old format have no real tables; their cells are texts.
#[tokio::test]
async fn old_slides_say_what_was_written() {
    let report = report();
    let document = read(&folder().join("libreoffice.ppt")).await;
    let cells = report.rows.iter().flat_map(|(month, _, _, remark)| [month, remark]);
    for text in report.headings.iter().chain(&report.paragraphs).chain(&report.columns).chain(cells)
    {
        let text = plain(text);
        assert!(plain(&document.text).contains(&text), "{text}:\n{}", document.text);
    }
}

#[tokio::test]
async fn workbooks_have_the_cells_that_were_written() {
    let report = report();
    for file in ["openpyxl.xlsx", "libreoffice.xlsx", "libreoffice.xls", "libreoffice.ods"] {
        let document = read(&folder().join(file)).await;
        check_table(file, &document, &report);
        assert_eq!(document.tables[0].name, "分月数据", "{file}");
        assert_eq!(document.tables[1].name, "说明（一）", "{file}");
        let texts: Vec<Vec<Cell>> = document.tables[1].data.cells(0, usize::MAX).collect();
        for (row, paragraph) in texts.iter().zip(&report.paragraphs) {
            assert_eq!(row[0], Cell::Text(paragraph.as_str().into()), "{file}");
            assert_eq!(row[1], Cell::Text("2025-12-31".into()), "{file}");
        }
        // The comment of a cell.
        check_once(file, &document.text, &report.note);
    }
}

#[tokio::test]
async fn texts_of_every_encoding_are_the_same_letters() {
    let report = report();
    let lines = [&report.title].into_iter().chain(&report.paragraphs).chain([&report.note]);
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    for file in ["gbk.txt", "utf-16le.txt", "utf-16le-no-bom.txt"] {
        assert_eq!(read(&folder().join(file)).await.text.trim_end(), text.trim_end(), "{file}");
    }
    let rare = format!("{text}𠮷野家的㐂事：䶮先生喝了鿏茶。");
    assert_eq!(read(&folder().join("gb18030.txt")).await.text.trim_end(), rare);
    let traditional = "二零二五年度營運報告：營業收入達到一億七千五百四十萬元，較去年成長百分之十二，員工「團隊合作」，續創佳績。";
    assert_eq!(read(&folder().join("big5.txt")).await.text.trim_end(), traditional);
    for file in ["gbk.csv", "utf-16be.csv", "utf-8-bom.csv"] {
        check_table(file, &*read(&folder().join(file)).await, &report);
    }
}
