//! What is read.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::figures::Text;
use super::root;

/// What lies beside files to tell what is in them.
const REFERENCES: [&str; 2] = ["native", "py"];

/// All files of the corpora, in order.
pub(crate) fn corpora() -> Option<Vec<PathBuf>> {
    let folder = std::env::var_os("MITT_CORPORA").map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| root().join("../shared/corpora"));
    let mut paths = Vec::new();
    collect(&folder.canonicalize().ok()?, &mut paths);
    paths.retain(|path| !REFERENCES.contains(&format_of(path).as_str()));
    paths.sort();
    (!paths.is_empty()).then_some(paths)
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, paths);
        } else {
            paths.push(path);
        }
    }
}

/// The extension in lower case.
pub(crate) fn format_of(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// Makes long files, and returns each with its description.
pub(crate) fn long(folder: &Path) -> [(Text, PathBuf); 2] {
    let (pdf, csv) = (long_pdf(folder), long_csv(folder));
    let size = |path: &Path| fs::metadata(path).unwrap().len() as f64 / 1e6;
    let (pdf_size, csv_size) = (size(&pdf), size(&csv));
    let pdf_name = (
        &*format!("PDF of about 300 pages with 450 tables, in both languages ({pdf_size:.1} MB)"),
        &*format!("约 300 页、450 个表格的中英文 PDF（{pdf_size:.1} MB）"),
    );
    let csv_name = (
        &*format!("CSV of 1 000 000 rows and 10 columns ({csv_size:.0} MB)"),
        &*format!("1 000 000 行、10 列的 CSV（{csv_size:.0} MB）"),
    );
    [(pdf_name.into(), pdf), (csv_name.into(), csv)]
}

/// Makes a table of numbers, dates and words of both languages.
fn long_csv(folder: &Path) -> PathBuf {
    let path = folder.join("long.csv");
    let mut text =
        String::from("number,date,region,product,channel,units,price,revenue,share,note\n");
    for row in 0..1_000_000_u64 {
        let (month, day) = (row % 12 + 1, row % 28 + 1);
        let (units, price) = (row * 7 % 500, row * 13 % 9_000);
        let revenue = units * price;
        let region = ["华东", "华南", "North", "South"][(row % 4) as usize];
        let _ = writeln!(
            text,
            "{row},2025-{month:02}-{day:02},{region},P{:03},online,{units},{}.{:02},{}.{:02},0.{:03},",
            row % 211,
            price / 100,
            price % 100,
            revenue / 100,
            revenue % 100,
            row % 997
        );
    }
    fs::write(&path, text).unwrap();
    path
}

/// Makes a report in both languages with tables, of 300 pages.
fn long_pdf(folder: &Path) -> PathBuf {
    let mut text = String::new();
    // Two pages for three of them.
    for chapter in 1..=450 {
        let _ = writeln!(text, "# Chapter {chapter}: 第 {chapter} 章\n");
        for line in 0..4 {
            let _ = writeln!(
                text,
                "In month {line} of chapter {chapter} the number of daily active users grew by {}.{} percent over the year before, \
                 while revenue stayed within the range that the plan had named for it. 本月日活跃用户同比增长，营业收入保持在计划范围之内，各项费用没有超出预算，\
                 详见下表。\n",
                chapter % 17,
                line
            );
        }
        text.push_str("| month 月份 | DAU | revenue 营业收入 | margin |\n|---|---|---|---|\n");
        for month in 1..=12 {
            let (dau, revenue) = (chapter * 1_000 + month, chapter * 137 + month * 11);
            let _ = writeln!(text, "| {month} | {dau} | {revenue}.50 | {}% |", month + 10);
        }
        text.push('\n');
    }
    let (source, pdf) = (folder.join("long.md"), folder.join("long.pdf"));
    if fs::read_to_string(&source).is_ok_and(|made| made == text) && pdf.exists() {
        return pdf;
    }
    fs::write(&source, text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_mitt"));
    let status = command.arg("render").arg(&source).arg("-o").arg(&pdf).arg("--force").status();
    assert!(status.unwrap().success());
    pdf
}
