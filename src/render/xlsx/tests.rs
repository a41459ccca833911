use super::*;
use crate::render::workbook::{Formula, Link};

fn column(header: &str) -> SheetColumn {
    SheetColumn { header: header.into(), width: 10.0, ..SheetColumn::default() }
}

fn sheet(cells: Vec<SheetCell>) -> Sheet {
    Sheet {
        name: "数据".into(),
        columns: (0..cells.len()).map(|index| column(&format!("c{index}"))).collect(),
        rows: vec![SheetRow { cells, style: RowStyle::Normal }],
        ..Sheet::default()
    }
}

fn book(sheets: Vec<Sheet>) -> Workbook {
    Workbook { title: None, sheets }
}

fn message(sheets: Vec<Sheet>) -> String {
    xlsx(&book(sheets), &XlsxOptions::default()).unwrap_err().to_string()
}

#[test]
fn numbers_that_excel_would_round_stay_text() {
    for (lexeme, number) in [
        ("0", Some(0.0)),
        ("-0.05", Some(-0.05)),
        ("123456789012345", Some(123_456_789_012_345.0)),
        ("1234567890123456", None),
        ("1200000000000000000", Some(1.2e18)),
        ("0.00000000000000012", Some(1.2e-16)),
        ("1.2e3", Some(1200.0)),
        ("1e999", None),
    ] {
        assert_eq!(excel_number(lexeme), number, "{lexeme}");
    }
}

#[test]
fn every_broken_rule_is_named() {
    let mut wide = sheet(vec![SheetCell::Empty]);
    wide.rows[0].cells.push(SheetCell::Empty);
    let mut chart = sheet(vec![SheetCell::Number("1".into())]);
    chart.name = "图".into();
    chart.charts.push(Chart { value_columns: vec![7], row_count: 1, ..Chart::default() });
    let cells = sheet(vec![
        SheetCell::Number("x".into()),
        SheetCell::Text("年".repeat(32_768)),
        SheetCell::Date("31.12.2024".into()),
        SheetCell::Formula(Formula { expression: "=".into(), value: String::new() }),
        SheetCell::Link(Link { url: "javascript:alert(1)".into(), text: "x".into() }),
    ]);
    insta::assert_snapshot!(message(vec![wide, chart, cells]), @r"
    sheet `数据`, row 2: 1 cells expected, got 2
    sheet `图`, chart: a column index below 1 expected, got 7
    sheet `数据`: a name that no other sheet has expected (upper and lower case are the same)
    sheet `数据`, row 2, column `c0`: a decimal number expected, got `x`
    sheet `数据`, row 2, column `c1`: text of at most 32767 characters expected, got 32768
    sheet `数据`, row 2, column `c2`: a date from 1900-01-01 to 9999-12-31 such as `2024-12-31` or `2024-12-31T08:30:00` expected, got `31.12.2024`
    sheet `数据`, row 2, column `c3`: a formula expected, got nothing
    sheet `数据`, row 2, column `c4`: a link that begins with `http://`, `https://` or `mailto:` expected, got `javascript:alert(1)`
    ");
    insta::assert_snapshot!(message(vec![]), @"workbook: 1 to 255 sheets expected, got 0");
    for name in ["", "a/b", "a:b", "'a", &"x".repeat(32), "History", "a\u{1}"] {
        let mut wrong = sheet(vec![SheetCell::Empty]);
        wrong.name = name.into();
        assert!(message(vec![wrong]).starts_with(&format!("sheet `{name}`")), "{name:?}");
    }
}

#[test]
fn the_same_workbook_makes_the_same_bytes() {
    let book = book(vec![sheet(vec![SheetCell::Text("一".into()), SheetCell::Number("1.5".into())])]);
    let options = XlsxOptions { created: Duration::from_secs(1_700_000_000), ..XlsxOptions::default() };
    assert_eq!(xlsx(&book, &options).unwrap(), xlsx(&book, &options).unwrap());
}

#[test]
fn characters_that_xml_forbids_are_dropped() {
    let book = book(vec![sheet(vec![SheetCell::Text("a\u{0}\u{B}b\u{FFFE}".into())])]);
    let bytes = xlsx(&book, &XlsxOptions::default()).unwrap();
    use calamine::{Data, Reader as _};
    let mut read = calamine::Xlsx::new(std::io::Cursor::new(bytes)).unwrap();
    assert_eq!(read.worksheet_range("数据").unwrap().get_value((1, 0)), Some(&Data::String("ab".into())));
}

#[test]
fn a_cancelled_rendering_ends() {
    let options = XlsxOptions::default();
    options.cancel.cancel();
    assert!(xlsx(&book(vec![sheet(vec![SheetCell::Empty])]), &options).is_err());
}
