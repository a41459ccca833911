mod axes;
mod charts;
mod numbers;

use std::time::Duration;

use super::*;
use crate::Cancel;
use crate::model::workbook::{
    CellConversion, Chart, ChartKind, ColumnMapping, Data, Formula, Link, RowStyle, Sheet,
    SheetCell, SheetColumn, SheetRow, Stacking,
};
use mitt_base::Resource;
use mitt_base::memory::Account;
use mitt_base::rows::Rows;
use mitt_table::{Cell, Chunk, Table, TableBuilder, Texts, Validity, Values};

fn column(header: &str) -> SheetColumn {
    SheetColumn { header: header.into(), width: 10.0, ..SheetColumn::default() }
}

fn sheet(cells: Vec<SheetCell>) -> Sheet {
    let block = Block {
        columns: (0..cells.len()).map(|index| column(&format!("c{index}"))).collect(),
        rows: vec![SheetRow { cells, style: RowStyle::Normal }],
        ..Block::default()
    };
    of(vec![block])
}

fn of(blocks: Vec<Block>) -> Sheet {
    Sheet { name: "数据".into(), blocks, ..Sheet::default() }
}

fn book(sheets: Vec<Sheet>) -> Workbook {
    Workbook { sheets, ..Workbook::default() }
}

fn message(sheets: Vec<Sheet>) -> String {
    xlsx(&book(sheets), &XlsxOptions::default()).unwrap_err().to_string()
}

#[test]
fn every_broken_rule_is_named() {
    let mut wide = sheet(vec![SheetCell::Empty]);
    wide.blocks[0].rows[0].cells.push(SheetCell::Empty);
    let mut chart = sheet(vec![SheetCell::Number("1".into())]);
    chart.name = "图".into();
    chart.blocks[0].charts.push(Chart { value_columns: vec![7], row_count: 1, ..Chart::default() });
    let cells = sheet(vec![
        SheetCell::Number("x".into()),
        SheetCell::Text("年".repeat(32_768)),
        SheetCell::Date("31.12.2024".into()),
        SheetCell::Formula(Formula { expression: "=".into(), value: String::new() }),
        SheetCell::Link(Link { url: "javascript:alert(1)".into(), text: "x".into() }),
    ]);
    insta::assert_snapshot!(message(vec![wide, chart, cells]), @r"
    sheet `数据`, row 2: expected 1 cells, got 2
    sheet `图`, chart: expected a column index below 1, got 7
    sheet `数据`, row 2, column `c0`: expected a decimal number, got `x`
    sheet `数据`, row 2, column `c1`: expected text of at most 32767 characters, got 32768
    sheet `数据`, row 2, column `c2`: expected a date from 1900-01-01 to 9999-12-31 such as `2024-12-31` or `2024-12-31T08:30:00`, got `31.12.2024`
    sheet `数据`, row 2, column `c3`: expected a formula, got nothing
    sheet `数据`, row 2, column `c4`: expected a link that begins with `http://`, `https://` or `mailto:`, got `javascript:alert(1)`
    ");
    insta::assert_snapshot!(message(vec![]), @"workbook: expected 1 to 255 sheets, got 0");
}

#[test]
fn the_same_workbook_makes_the_same_bytes() {
    let book =
        book(vec![sheet(vec![SheetCell::Text("一".into()), SheetCell::Number("1.5".into())])]);
    let options =
        XlsxOptions { created: Duration::from_secs(1_700_000_000), ..XlsxOptions::default() };
    let bytes = || xlsx(&book, &options).unwrap().bytes;
    assert_eq!(bytes(), bytes());
}

#[test]
fn characters_that_xml_forbids_are_dropped() {
    let book = book(vec![sheet(vec![SheetCell::Text("a\u{0}\u{B}b\u{FFFE}".into())])]);
    let bytes = xlsx(&book, &XlsxOptions::default()).unwrap().bytes;
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

/// Returns the text of one part of the package.
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
        // The time zone has no effect, and is no reason to refuse the workbook.
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
            (Ok(file), Some(serial)) => {
                let range = read(file.bytes).worksheet_range("数据").unwrap();
                let Some(calamine::Data::DateTime(date)) = range.get_value((1, 0)) else {
                    panic!("{text}: {range:?}")
                };
                assert!((date.as_f64() - serial).abs() < 1e-9, "{text}");
            }
            (Err(error), None) => assert_eq!(*error.kind(), ErrorKind::Arguments, "{text}"),
            (result, _) => panic!("{text}: {:?}", result.map(|file| file.bytes.len())),
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
    let bytes = xlsx(&book(vec![sheet(cells)]), &XlsxOptions::default()).unwrap().bytes;
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
fn a_formula_that_is_not_calculated_has_no_value_and_a_warning() {
    use calamine::{Data, Reader as _};
    let formula = |expression: &str, value: &str| {
        SheetCell::Formula(Formula { expression: expression.into(), value: value.into() })
    };
    let cells = vec![formula("=SUM(1,2)", "3"), formula("=SUMIFS(A:A,B:B,1)", "")];
    let written = xlsx(&book(vec![sheet(cells)]), &XlsxOptions::default()).unwrap();
    let mut workbook = read(written.bytes);
    let range = workbook.worksheet_range("数据").unwrap();
    assert_eq!(range.get_value((1, 0)), Some(&Data::Float(3.0)));
    assert!(matches!(range.get_value((1, 1)), None | Some(Data::Empty)));
    let formulas = workbook.worksheet_formula("数据").unwrap();
    assert_eq!(formulas.used_cells().count(), 2);
    let [warning] = &*written.warnings else { panic!("{:?}", written.warnings) };
    assert!(warning.contains("1 formulas have no value yet, the first in row 2"), "{warning}");
}

#[test]
fn the_parts_say_what_was_asked_for() {
    let mut data = sheet(vec![SheetCell::Text("甲".into()), SheetCell::Number("0.125".into())]);
    data.blocks[0].columns[1].number_format = Some("0.0%".into());
    data.blocks[0].columns[1].width = 20.0;
    data.blocks[0].rows.push(SheetRow {
        cells: vec![SheetCell::Text("合计".into()), SheetCell::Empty],
        style: RowStyle::Total,
    });
    (data.freeze_header, data.auto_filter) = (true, true);
    data.blocks[0].charts.push(Chart {
        title: Some("占比".into()),
        value_columns: vec![1],
        row_count: 1,
        ..Chart::default()
    });
    let bytes = xlsx(&book(vec![data]), &XlsxOptions::default()).unwrap().bytes;
    let worksheet = part(&bytes, "xl/worksheets/sheet1.xml");
    for expected in [
        r#"<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>"#,
        // The row of totals is not filtered.
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

/// Returns a table of columns, each as one chunk with a name.
fn table(columns: Vec<(&str, Values, Validity)>) -> Table {
    let names = columns.iter().map(|(name, ..)| (*name).to_owned()).collect();
    let mut builder = TableBuilder::new(names, &Account::root(Resource::Documents, u64::MAX));
    let chunks = columns.into_iter().map(|(_, values, validity)| Chunk { values, validity });
    builder.append(chunks.collect()).unwrap();
    builder.finish().unwrap()
}

fn texts(texts: &[&str]) -> Texts {
    let mut out = Texts::default();
    assert!(texts.iter().all(|text| out.push(text)));
    out
}

/// Returns a block that shows all columns of a table.
fn shows(table: Table, how: &[CellConversion]) -> Block {
    Block {
        columns: table.names().map(column).collect(),
        data: Some(Data {
            columns: how
                .iter()
                .zip(0..)
                .map(|(how, column)| ColumnMapping { column, how: *how })
                .collect(),
            table,
        }),
        ..Block::default()
    }
}

fn written(sheet: Sheet) -> Vec<u8> {
    xlsx(&book(vec![sheet]), &XlsxOptions::default()).unwrap().bytes
}

fn cells(bytes: Vec<u8>) -> calamine::Range<calamine::Data> {
    use calamine::Reader as _;
    read(bytes).worksheet_range("数据").unwrap()
}

#[test]
fn columns_of_a_table_are_cells_of_their_type() {
    use calamine::Data::{self as D, Bool, Float, String as Text};
    let all = |length| Validity::all(true, length);
    let holes = Validity::from_bytes(vec![0b101], 3).unwrap();
    let wide = vec![12_345_678_901_234_567_890_123_i128, 5, -7];
    let mixed = vec![Cell::Number("1.5".into()), Cell::Text("=1".into()), Cell::Boolean(true)];
    let table = table(vec![
        ("integer", Values::Integers(vec![1, 2, -30]), holes),
        ("long", Values::Integers(vec![i64::MAX, 123_456_789_012_345, 0]), all(3)),
        ("decimal", Values::Decimals(2, vec![1250, -5, 0]), all(3)),
        ("wide", Values::WideDecimals(1, wide), all(3)),
        ("float", Values::Floats(vec![0.1 + 0.2, f64::NAN, 1e300]), all(3)),
        ("boolean", Values::Booleans(vec![0b110], 3), all(3)),
        ("text", Values::Texts(texts(&["=1+1", "_x0041_", " a\u{1}<&>\r"])), all(3)),
        ("word", Values::Dictionary(vec![1, 0, 1], texts(&["甲", "乙"]).into()), all(3)),
        ("date", Values::Dates(vec![0, -25_567, -25_568]), all(3)),
        ("time", Values::Times(vec![0, 43_200_000_000, 86_399_000_000]), all(3)),
        ("date-time", Values::DateTimes(vec![43_200_000_000, 0, -2_300_000_000_000_000]), all(3)),
        ("mixed", Values::Mixed(mixed), all(3)),
        ("empty", Values::Empty(3), all(3)),
    ]);
    let range = cells(written(of(vec![shows(table, &[CellConversion::AsIs; 13])])));
    let date = |cell: &D| match cell {
        D::DateTime(date) => date.as_f64(),
        cell => panic!("{cell:?}"),
    };
    let get = |row: u32, column: u32| range.get_value((row, column)).unwrap();
    let text = |text: &str| Text(text.into());
    let rows = [
        vec![
            Float(1.0),
            text("9223372036854775807"),
            Float(12.5),
            text("1234567890123456789012.3"),
        ],
        vec![D::Empty, Float(123_456_789_012_345.0), Float(-0.05), Float(0.5)],
        vec![Float(-30.0), Float(0.0), Float(0.0), Float(-0.7)],
    ];
    for (row, expected) in (1..).zip(&rows) {
        for (column, cell) in (0..).zip(expected) {
            assert_eq!(get(row, column), cell, "{row} {column}");
        }
    }
    assert_eq!([get(1, 4), get(2, 4), get(3, 4)], [&Float(0.1 + 0.2), &D::Empty, &Float(1e300)]);
    assert_eq!([get(1, 5), get(2, 5), get(3, 5)], [&Bool(false), &Bool(true), &Bool(true)]);
    let plain = ["=1+1", "_x0041_", " a<&>\r"].map(text);
    assert_eq!([get(1, 6), get(2, 6), get(3, 6)], [&plain[0], &plain[1], &plain[2]]);
    assert_eq!([get(1, 7), get(2, 7), get(3, 7)], [&text("乙"), &text("甲"), &text("乙")]);
    assert_eq!([date(get(1, 8)), date(get(2, 8))], [25_569.0, 1.0]);
    assert_eq!(get(3, 8), &text("1899-12-31"));
    assert_eq!(date(get(2, 9)), 0.5);
    assert_eq!([date(get(1, 10)), date(get(2, 10))], [25_569.5, 25_569.0]);
    assert_eq!(get(3, 10), &text("1897-02-11T15:06:40"));
    assert_eq!([get(1, 11), get(2, 11), get(3, 11)], [&Float(1.5), &text("=1"), &Bool(true)]);
    assert_eq!(range.get_size(), (4, 13));
}

#[test]
fn a_column_is_written_as_the_caller_says() {
    use calamine::{Data, Reader as _};
    let all = Validity::all(true, 2);
    let table = table(vec![
        ("number", Values::Integers(vec![7, 8]), all.clone()),
        ("boolean", Values::Booleans(vec![1], 2), all.clone()),
        ("date", Values::Texts(texts(&["2024-12-31", "2024-12-31T12:00"])), all.clone()),
        ("formula", Values::Texts(texts(&["=A{row}*2", "UNIQUE(A2:A{row})"])), all.clone()),
        ("value", Values::Integers(vec![14, 16]), all.clone()),
        ("link", Values::Texts(texts(&["[甲](https://a.b/)", "mailto:a@b.c"])), all),
    ]);
    let how = [
        CellConversion::Text,
        CellConversion::Text,
        CellConversion::Date,
        CellConversion::Formula(Some(4)),
        CellConversion::AsIs,
        CellConversion::Link,
    ];
    let bytes = written(of(vec![shows(table, &how)]));
    let sheet = part(&bytes, "xl/worksheets/sheet1.xml");
    assert!(sheet.contains("<f>A2*2</f><v>14</v>"), "{sheet}");
    assert!(
        sheet.contains(r#"cm="1"><f t="array" ref="D3">_xlfn.UNIQUE(A2:A3)</f><v>16</v>"#),
        "{sheet}"
    );
    part(&bytes, "xl/metadata.xml");
    let links = part(&bytes, "xl/worksheets/_rels/sheet1.xml.rels");
    assert!(links.contains("https://a.b/") && links.contains("mailto:a@b.c"), "{links}");
    let mut workbook = read(bytes);
    let range = workbook.worksheet_range("数据").unwrap();
    let row = |row: u32| -> Vec<Data> {
        (0..6).map(|at| range.get_value((row, at)).unwrap().clone()).collect()
    };
    let text = |text: &str| Data::String(text.into());
    assert_eq!([&row(1)[..2], &row(2)[..2]].concat(), ["7", "TRUE", "8", "FALSE"].map(text));
    assert!(
        matches!((&row(1)[2], &row(2)[2]), (Data::DateTime(a), Data::DateTime(b)) if a.as_f64() == 45_657.0 && b.as_f64() == 45_657.5)
    );
    assert_eq!(
        (&row(1)[3], &row(1)[5], &row(2)[5]),
        (&Data::Float(14.0), &text("甲"), &text("mailto:a@b.c"))
    );
}

#[test]
fn broken_cells_of_a_table_are_named() {
    let all = Validity::all(true, 2);
    let long = "年".repeat(32_768);
    let table = table(vec![
        ("date", Values::Texts(texts(&["2024-12-31", "31.12.2024"])), all.clone()),
        ("formula", Values::Texts(texts(&["=", "=WEBSERVICE(A{row})"])), all.clone()),
        ("link", Values::Texts(texts(&["javascript:1", "https://a.b"])), all.clone()),
        ("text", Values::Texts(texts(&[&long, ""])), all.clone()),
        ("word", Values::Dictionary(vec![0, 0], texts(&[&long]).into()), all),
    ]);
    let how = [
        CellConversion::Date,
        CellConversion::Formula(None),
        CellConversion::Link,
        CellConversion::AsIs,
        CellConversion::AsIs,
    ];
    let mut block = shows(table, &how);
    (block.row, block.title) = (2, Some("甲".into()));
    insta::assert_snapshot!(message(vec![of(vec![block])]), @r"
    sheet `数据`, row 5, column `formula`: expected a formula, got nothing
    sheet `数据`, row 5, column `link`: expected a link that begins with `http://`, `https://` or `mailto:`, got `javascript:1`
    sheet `数据`, row 5, column `text`: expected text of at most 32767 characters, got 32768
    sheet `数据`, row 5, column `word`: expected text of at most 32767 characters, got 32768
    sheet `数据`, row 6, column `date`: expected a date from 1900-01-01 to 9999-12-31 such as `2024-12-31` or `2024-12-31T08:30:00`, got `31.12.2024`
    sheet `数据`, row 6, column `formula`: expected functions that only calculate, got `WEBSERVICE`; write its value instead of a formula
    ");
}

fn numbers(count: i64) -> Table {
    let count = usize::try_from(count).unwrap();
    table(vec![("n", Values::Integers((0..count as i64).collect()), Validity::all(true, count))])
}

#[test]
fn several_tables_stand_where_they_were_put() {
    use calamine::Data::{Empty, Float, String as Text};
    let left = shows(numbers(2), &[CellConversion::AsIs]);
    let right = Block {
        row: 1,
        column: 2,
        title: Some("右".into()),
        ..shows(numbers(2), &[CellConversion::AsIs])
    };
    let below = Block { row: 6, ..shows(numbers(1), &[CellConversion::AsIs]) };
    let mut sheet = of(vec![left, right, below]);
    (sheet.freeze_header, sheet.auto_filter) = (true, true);
    sheet.blocks[1].charts.push(Chart { value_columns: vec![0], row_count: 2, ..Chart::default() });
    let bytes = written(sheet.clone());
    let xml = part(&bytes, "xl/worksheets/sheet1.xml");
    assert!(
        xml.contains(r#"<dimension ref="A1:C8"/>"#) && xml.contains(r#"<autoFilter ref="A1:A3"/>"#),
        "{xml}"
    );
    let chart = part(&bytes, "xl/charts/chart1.xml");
    assert!(
        chart.contains("<c:f>数据!$C$4:$C$5</c:f>") && chart.contains("<c:v>1</c:v>"),
        "{chart}"
    );
    let range = cells(bytes);
    let expected = [
        [Text("n".into()), Empty, Empty],
        [Float(0.0), Empty, Text("右".into())],
        [Float(1.0), Empty, Text("n".into())],
        [Empty, Empty, Float(0.0)],
        [Empty, Empty, Float(1.0)],
        [Empty, Empty, Empty],
        [Text("n".into()), Empty, Empty],
        [Float(0.0), Empty, Empty],
    ];
    let found: Vec<_> = range.rows().map(<[_]>::to_vec).collect();
    assert_eq!(found, expected.map(Vec::from));

    sheet.blocks[2].row = 2;
    assert_eq!(
        message(vec![sheet.clone()]),
        "sheet `数据`: expected tables beside or below each other, those at row 3, column 1 and row 1, column 1 overlap"
    );
    sheet.blocks[2].row = 1_048_575;
    assert_eq!(
        message(vec![sheet.clone()]),
        "sheet `数据`: expected at most 1048576 rows with the header, got 1048577"
    );
    (sheet.blocks[2].row, sheet.blocks[2].column) = (0, 16_384);
    assert_eq!(
        message(vec![sheet]),
        "sheet `数据`: expected 1 to 16384 columns, got 1 behind 16384 others"
    );
}

#[test]
fn what_a_table_does_not_have_is_refused() {
    let mut block = shows(numbers(1), &[CellConversion::Formula(Some(3))]);
    assert_eq!(
        message(vec![of(vec![block.clone()])]),
        "sheet `数据`: expected a column of the table below 1, got 3"
    );
    block.columns.push(column("m"));
    assert!(
        message(vec![of(vec![block])])
            .starts_with("sheet `数据`: expected 2 columns of the table, got 1")
    );
    assert_eq!(
        message(vec![of(Vec::new())]),
        "sheet `数据`: expected at least one table, got none"
    );
    let blocks =
        (0..1025).map(|row| Block { row: row * 3, ..shows(numbers(1), &[CellConversion::AsIs]) });
    assert_eq!(
        message(vec![of(blocks.collect())]),
        "workbook: expected at most 1024 tables, got 1025"
    );
}

/// A column of nulls takes no memory, however long it is.
#[test]
fn cells_and_rows_are_counted() {
    let nulls = |rows| table(vec![("n", Values::Empty(rows), Validity::all(true, rows))]);
    let columns = |rows, width: u32| {
        let mut block = shows(nulls(rows), &[CellConversion::AsIs]);
        block.columns = vec![column("n"); width as usize];
        if let Some(data) = &mut block.data {
            data.columns = vec![ColumnMapping::default(); width as usize];
        }
        block
    };
    assert_eq!(
        message(vec![of(vec![columns(1_000_001, 10)])]),
        "workbook: expected at most 10000000 cells, got 10000010"
    );
    assert_eq!(
        message(vec![of(vec![columns(1_048_576, 1)])]),
        "sheet `数据`: expected at most 1048576 rows with the header, got 1048577"
    );
    assert!(xlsx(&book(vec![of(vec![columns(1_000_000, 10)])]), &XlsxOptions::default()).is_ok());
}

#[test]
fn links_of_a_table_are_counted() {
    let count = 65_531;
    let keys = vec![0; count];
    let table = table(vec![(
        "l",
        Values::Dictionary(keys, texts(&["https://a.b"]).into()),
        Validity::all(true, count),
    )]);
    assert_eq!(
        message(vec![of(vec![shows(table, &[CellConversion::Link])])]),
        "sheet `数据`: expected at most 65530 links, got 65531"
    );
}

#[test]
fn texts_beyond_the_list_of_shared_ones_stand_in_their_cells() {
    let long: Vec<String> =
        (0..40).map(|number| format!("{number}{}", "x".repeat(30_000))).collect();
    let rows: Vec<&str> = (0..20).flat_map(|_| long.iter().map(String::as_str)).collect();
    let different: Vec<String> = (0..600).map(|number| format!("{number:0>32000}")).collect();
    let rows: Vec<&str> = rows.into_iter().chain(different.iter().map(String::as_str)).collect();
    let count = rows.len();
    let table = table(vec![("t", Values::Texts(texts(&rows)), Validity::all(true, count))]);
    let bytes = written(of(vec![shows(table, &[CellConversion::AsIs])]));
    let shared = part(&bytes, "xl/sharedStrings.xml");
    assert!(shared.len() < 17 << 20 && shared.matches("<si>").count() < 600, "{}", shared.len());
    let range = cells(bytes);
    for (row, text) in (1..).zip(rows) {
        let found = range.get_value((row, 0)).unwrap();
        assert!(found == &calamine::Data::String(text.into()), "{row}");
    }
}

#[test]
fn rows_that_are_written_are_told_of() {
    let reported = |sizes: &[usize]| {
        let reported = std::sync::Arc::<std::sync::Mutex<Vec<u64>>>::default();
        let heard = reported.clone();
        let rows = Rows::every(Duration::ZERO, move |rows| mitt_base::lock(&heard).push(rows));
        let sheet = |(at, rows): (usize, &usize)| {
            let numbers = Values::Integers(vec![1; *rows]);
            let block = shows(
                table(vec![("n", numbers, Validity::all(true, *rows))]),
                &[CellConversion::AsIs],
            );
            Sheet { name: format!("s{at}"), ..of(vec![block]) }
        };
        let book = book(sizes.iter().enumerate().map(sheet).collect());
        assert_eq!(book.row_count(), sizes.iter().map(|rows| *rows as u64 + 1).sum::<u64>());
        xlsx(&book, &XlsxOptions { rows, ..XlsxOptions::default() }).unwrap();
        std::mem::take(&mut *mitt_base::lock(&reported))
    };
    assert_eq!(reported(&[2_500, 1_500]), [1024, 2048, 2501, 3525, 4002]);
}

/// With four times as many rows, only the packed file grows.
#[test]
fn memory_does_not_grow_with_the_table() {
    let peak = |rows: usize| {
        let memory = Account::root(Resource::Memory, u64::MAX);
        let words = Values::Dictionary(
            (0..rows).map(|row| (row % 7) as u32).collect(),
            texts(&["a", "b", "c", "d", "e", "f", "g"]).into(),
        );
        let numbers = Values::Integers((0..rows).map(|row| (row % 1000) as i64).collect());
        let all = Validity::all(true, rows);
        let table = table(vec![("w", words, all.clone()), ("n", numbers, all)]);
        let options = XlsxOptions { memory: Some(memory.clone()), ..XlsxOptions::default() };
        let bytes = xlsx(
            &book(vec![of(vec![shows(table, &[CellConversion::AsIs, CellConversion::AsIs])])]),
            &options,
        )
        .unwrap();
        assert_eq!(memory.usage().used, 0);
        (memory.usage().peak, bytes.bytes.len() as u64)
    };
    let ((small, small_file), (large, large_file)) = (peak(25_000), peak(100_000));
    assert!(
        large - small < 4 * (large_file - small_file),
        "{small} {large} {small_file} {large_file}"
    );
}

#[test]
fn memory_that_is_not_there_ends_the_writing() {
    let memory = Account::root(Resource::Memory, 1 << 20);
    let options = XlsxOptions { memory: Some(memory.clone()), ..XlsxOptions::default() };
    let count = 100_000_u64;
    // Numbers that hardly compress.
    let values =
        (0..count).map(|row| (row.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 15) as i64).collect();
    let table =
        table(vec![("n", Values::Decimals(3, values), Validity::all(true, count as usize))]);
    let error =
        xlsx(&book(vec![of(vec![shows(table, &[CellConversion::AsIs])])]), &options).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Limit(_)), "{error}");
    assert_eq!(memory.usage().used, 0);
}

#[test]
fn a_cancelled_table_ends() {
    let cancel = Cancel::new();
    let options = XlsxOptions { cancel: cancel.clone(), ..XlsxOptions::default() };
    let rows = 1_000_000;
    let table = table(vec![("n", Values::Integers(vec![1; rows]), Validity::all(true, rows))]);
    let book = book(vec![of(vec![shows(table, &[CellConversion::AsIs])])]);
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| xlsx(&book, &options));
        std::thread::sleep(Duration::from_millis(30));
        cancel.cancel();
        assert!(writing.join().unwrap().is_err());
    });
}
