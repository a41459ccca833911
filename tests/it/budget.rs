//! The second example: a workbook and a contract that exist are changed, and nothing else in them is.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read as _};

use calamine::{Data, Reader as _};

use crate::support::{mitt, root, text};

/// Returns the parts of a package by name.
fn parts(bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut package = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut parts = BTreeMap::new();
    for index in 0..package.len() {
        let mut part = package.by_index(index).unwrap();
        let mut content = Vec::new();
        part.read_to_end(&mut content).unwrap();
        parts.insert(part.name().unwrap().into_owned(), content);
    }
    parts
}

/// Returns the names of the parts that differ.
fn changed(before: &BTreeMap<String, Vec<u8>>, after: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let names = before.keys().chain(after.keys().filter(|it| !before.contains_key(*it)));
    names.filter(|it| before.get(*it) != after.get(*it)).cloned().collect()
}

#[test]
fn a_budget_and_a_contract_are_changed_in_place() {
    let folder = tempfile::tempdir().unwrap();
    let example = root().join("examples/budget");
    let task = example.to_str().unwrap();
    let output = mitt(folder.path(), &["run", task, "-o", "out"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let read = |name: &str| fs::read(folder.path().join("out").join(name)).unwrap();
    let source = |name: &str| parts(&fs::read(example.join(name)).unwrap());

    // Sums of the numbers in the workbook, computed apart in decimal arithmetic.
    let workbook = read("budget.v2.xlsx");
    let mut book = calamine::Xlsx::new(Cursor::new(&workbook)).unwrap();
    let cells = book.worksheet_range("Budget").unwrap();
    let number = |row: u32, column: u32| match cells.get_value((row, column)) {
        Some(Data::Float(number)) => *number,
        Some(Data::Int(number)) => *number as f64,
        other => panic!("row {row}, column {column}: {other:?}"),
    };
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found}");
    near(number(11, 1), 50_320.4);
    near(number(12, 1), 505_353.4);
    near(number(12, 2), 347_693.9);
    near(number(12, 3), 157_659.5);
    near(number(7, 4), 47_425.5 / 46_890.0 - 1.0);
    near(number(11, 4), 50_320.4 / 49_115.25 - 1.0);
    let formulas = book.worksheet_formula("Budget").unwrap();
    for row in 8..=12 {
        let expected = format!("B{row}/B{}-1", row - 1);
        assert_eq!(formulas.get_value((row - 1, 4)), Some(&expected));
    }

    let (before, after) = (source("budget.xlsx"), parts(&workbook));
    let touched = ["xl/charts/chart1.xml", "xl/workbook.xml", "xl/worksheets/sheet1.xml"];
    assert_eq!(changed(&before, &after), touched);
    let chart = text(&after["xl/charts/chart1.xml"]);
    assert!(chart.contains("Budget!$B$2:$B$12"), "{chart}");
    // The name follows the total, which moved.
    assert!(text(&after["xl/workbook.xml"]).contains("Budget!$B$13"));

    let contract = read("contract.v2.docx");
    let (before, after) = (source("contract.docx"), parts(&contract));
    let touched = changed(&before, &after);
    assert!(touched.iter().all(|it| it == "word/document.xml"), "{touched:?}");
    let document = text(&after["word/document.xml"]);
    for expected in ["<w:ins ", "<w:del ", "505,353.40", "455,033.00", "50,320.40"] {
        assert!(document.contains(expected), "{expected}: {document}");
    }
}
