use std::time::Duration;

use super::*;
use crate::workbook::{Formula, Link};

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
    let book =
        book(vec![sheet(vec![SheetCell::Text("一".into()), SheetCell::Number("1.5".into())])]);
    let options =
        XlsxOptions { created: Duration::from_secs(1_700_000_000), ..XlsxOptions::default() };
    assert_eq!(xlsx(&book, &options).unwrap(), xlsx(&book, &options).unwrap());
}

#[test]
fn characters_that_xml_forbids_are_dropped() {
    let book = book(vec![sheet(vec![SheetCell::Text("a\u{0}\u{B}b\u{FFFE}".into())])]);
    let bytes = xlsx(&book, &XlsxOptions::default()).unwrap();
    use calamine::{Data, Reader as _};
    let mut read = calamine::Xlsx::new(std::io::Cursor::new(bytes)).unwrap();
    assert_eq!(
        read.worksheet_range("数据").unwrap().get_value((1, 0)),
        Some(&Data::String("ab".into()))
    );
}

#[test]
fn a_cancelled_rendering_ends() {
    let options = XlsxOptions::default();
    options.cancel.cancel();
    assert!(xlsx(&book(vec![sheet(vec![SheetCell::Empty])]), &options).is_err());
}

fn read(bytes: Vec<u8>) -> calamine::Xlsx<std::io::Cursor<Vec<u8>>> {
    use calamine::Reader as _;
    calamine::Xlsx::new(std::io::Cursor::new(bytes)).unwrap()
}

/// The text of one part of the package.
fn part(bytes: &[u8], name: &str) -> String {
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let mut text = String::new();
    std::io::Read::read_to_string(&mut zip.by_name(name).unwrap(), &mut text).unwrap();
    text
}

#[test]
fn dates() {
    for (text, serial) in [
        ("2024-12-31", Some(45_657.0)),
        ("2024-12-31T12:00:00", Some(45_657.5)),
        ("2024-12-31 12:00", Some(45_657.5)),
        ("2024-12-31T12:00:00.000Z", Some(45_657.5)),
        // The zone has no effect, and is no reason to lose the workbook.
        ("2024-12-31T12:00:00+08:00", Some(45_657.5)),
        ("1900-01-01", Some(1.0)),
        ("2024-02-30", None),
        ("1899-12-31", None),
        ("2024-12-31T25:00", None),
        ("2024-12-31T12:60", None),
        ("2024-12-31x", None),
        ("2024-12-31T", None),
        ("2024-12-31T12:00+8", None),
        ("2024-1-1", None),
        ("12:30", None),
        ("二〇二四年", None),
    ] {
        use calamine::Reader as _;
        match (
            xlsx(&book(vec![sheet(vec![SheetCell::Date(text.into())])]), &XlsxOptions::default()),
            serial,
        ) {
            (Ok(bytes), Some(serial)) => {
                let range = read(bytes).worksheet_range("数据").unwrap();
                let Some(calamine::Data::DateTime(date)) = range.get_value((1, 0)) else {
                    panic!("{text}: {range:?}")
                };
                assert!((date.as_f64() - serial).abs() < 1e-9, "{text}");
            }
            (Err(error), None) => assert_eq!(*error.kind(), ErrorKind::Arguments, "{text}"),
            (result, _) => panic!("{text}: {:?}", result.map(|bytes| bytes.len())),
        }
    }
}

#[test]
fn text_is_never_a_formula_and_a_formula_has_its_value() {
    use calamine::{Data, Reader as _};
    let texts = [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "=HYPERLINK(\"http://x\")",
        "{=1}",
        "_x0041_",
        "TRUE",
        "2024-01-01",
    ];
    let mut cells: Vec<_> = texts.iter().map(|text| SheetCell::Text((*text).into())).collect();
    cells.push(SheetCell::Formula(Formula { expression: "=SUM(1,2)".into(), value: "3".into() }));
    cells
        .push(SheetCell::Link(Link { url: "https://x.y/?a=1&b=2".into(), text: "=链接".into() }));
    let bytes = xlsx(&book(vec![sheet(cells)]), &XlsxOptions::default()).unwrap();
    let mut workbook = read(bytes);
    let range = workbook.worksheet_range("数据").unwrap();
    for (index, text) in texts.iter().enumerate() {
        assert_eq!(range.get_value((1, index as u32)), Some(&Data::String((*text).into())));
    }
    assert_eq!(range.get_value((1, texts.len() as u32)), Some(&Data::Float(3.0)));
    assert_eq!(range.get_value((1, texts.len() as u32 + 1)), Some(&Data::String("=链接".into())));
    let formulas: Vec<_> = workbook
        .worksheet_formula("数据")
        .unwrap()
        .used_cells()
        .map(|cell| cell.2.clone())
        .collect();
    assert_eq!(formulas, ["SUM(1,2)"]);
}

#[test]
fn the_parts_say_what_was_asked_for() {
    let mut data = sheet(vec![SheetCell::Text("甲".into()), SheetCell::Number("0.125".into())]);
    data.columns[1].number_format = Some("0.0%".into());
    data.columns[1].width = 20.0;
    data.rows.push(SheetRow {
        cells: vec![SheetCell::Text("合计".into()), SheetCell::Empty],
        style: RowStyle::Total,
    });
    (data.freeze_header, data.auto_filter) = (true, true);
    data.charts.push(Chart {
        title: Some("占比".into()),
        value_columns: vec![1],
        row_count: 1,
        ..Chart::default()
    });
    let bytes = xlsx(&book(vec![data]), &XlsxOptions::default()).unwrap();
    let worksheet = part(&bytes, "xl/worksheets/sheet1.xml");
    for expected in [
        r#"<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>"#,
        // The row of totals is not part of what is filtered.
        r#"<autoFilter ref="A1:B2"/>"#,
        r#"<col min="2" max="2" width="20.7109375""#,
    ] {
        assert!(worksheet.contains(expected), "{expected} is missing: {worksheet}");
    }
    let styles = part(&bytes, "xl/styles.xml");
    assert!(
        styles.contains(r#"formatCode="0.0%""#)
            && styles.contains(r#"<name val="Microsoft YaHei"/>"#),
        "{styles}"
    );
    let chart = part(&bytes, "xl/charts/chart1.xml");
    assert!(chart.contains("占比") && chart.contains("<c:f>数据!$B$2</c:f>"), "{chart}");
}
