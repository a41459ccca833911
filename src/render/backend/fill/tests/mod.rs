//! Templates made by openpyxl and XlsxWriter (`tests/it/fill/make.py`), filled, and read back by calamine.

mod columns;
mod conditions;
mod files;
mod formats;
mod groups;
mod pictures;
mod references;
mod sheets;

use std::collections::BTreeMap;
use std::io::{Cursor, Read as _, Write as _};

use calamine::{Data, Reader as _, Xlsx};
use zip::write::SimpleFileOptions;

use super::refs::At;
use super::*;
use crate::shared::xml_tokens::{XmlToken, xml_tokens};
use mitt_base::ErrorKind;

const INVOICE: &[u8] = include_bytes!("../../../../../tests/it/fill/invoice.xlsx");
const LIBREOFFICE: &[u8] = include_bytes!("../../../../../tests/it/fill/invoice-libreoffice.xlsx");
const REPORT: &[u8] = include_bytes!("../../../../../tests/it/fill/report.xlsx");
const ORDERS: &[u8] = include_bytes!("../../../../../tests/it/fill/orders.xlsx");

fn text(text: &str) -> FillValue {
    FillValue::Text(text.into())
}

fn number(text: &str) -> FillValue {
    FillValue::Number(text.into())
}

fn record(entries: &[(&str, FillValue)]) -> FillValue {
    FillValue::Record(
        entries.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
    )
}

fn values(entries: &[(&str, FillValue)]) -> FillValues {
    entries.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

fn invoice(items: usize) -> FillValues {
    let item = |n: usize| {
        let name = match n {
            1 => "=HYPERLINK(\"http://x\")".to_owned(),
            n => format!("商品 {n} <&> _x0041_"),
        };
        record(&[
            ("name", FillValue::Text(name)),
            ("quantity", number(&(n + 1).to_string())),
            ("price", number("10.5")),
            ("note", FillValue::Empty),
        ])
    };
    values(&[
        ("number", text("NO-1")),
        ("customer", record(&[("name", text("A & B 公司")), ("city", text("上海"))])),
        ("date", text("2026-11-24")),
        ("rate", text("13%")),
        ("signer", text("王")),
        ("items", FillValue::List((0..items).map(item).collect())),
    ])
}

/// Returns values as JSON has them.
fn json(text: &str) -> FillValues {
    fn of(value: serde_json::Value) -> FillValue {
        use serde_json::Value;
        match value {
            Value::Null => FillValue::Empty,
            Value::Bool(value) => FillValue::Bool(value),
            Value::Number(number) => FillValue::Number(number.to_string()),
            Value::String(text) => FillValue::Text(text),
            Value::Array(items) => FillValue::List(items.into_iter().map(of).collect()),
            Value::Object(entries) => FillValue::Record(
                entries.into_iter().map(|(name, value)| (name, of(value))).collect(),
            ),
        }
    }
    match of(serde_json::from_str(text).unwrap()) {
        FillValue::Record(entries) => entries.into_iter().collect(),
        other => panic!("{other:?}"),
    }
}

/// Returns the cells of a sheet, one row a line: values, and formulas with their results.
fn shown(bytes: &[u8], sheet: &str) -> String {
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(bytes.to_vec())).unwrap();
    let formulas = formulas(bytes, sheet);
    let range = book.worksheet_range(sheet).unwrap();
    let (top, left) = range.start().unwrap_or_default();
    let mut lines = Vec::new();
    for (row, cells) in range.rows().enumerate() {
        let mut line = Vec::new();
        for (column, value) in cells.iter().enumerate() {
            let at = At { row: row as u32 + top + 1, column: column as u32 + left + 1 }.to_string();
            match formulas.get(&at) {
                Some(formula) => line.push(format!("{at} ={formula} -> {value}")),
                None if *value == Data::Empty => {}
                None => line.push(format!("{at} {value}")),
            }
        }
        lines.push(line.join(" | "));
    }
    lines.join("\n")
}

/// Returns the error of a filling of these rows.
fn error(rows: &[&[&str]], values: &str) -> String {
    fill(&book(&cells(rows), ""), &json(values)).unwrap_err().render()
}

fn fill(template: &[u8], values: &FillValues) -> Result<Filled> {
    fill_xlsx(template, values, &FillOptions::default())
}

fn parts(bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    (0..zip.len())
        .map(|at| {
            let mut entry = zip.by_index(at).unwrap();
            let mut content = Vec::new();
            entry.read_to_end(&mut content).unwrap();
            (entry.name().unwrap().into_owned(), content)
        })
        .collect()
}

fn part(bytes: &[u8], name: &str) -> String {
    String::from_utf8(parts(bytes).remove(name).unwrap()).unwrap()
}

fn pack(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Returns a workbook of one sheet with these rows, and `tail` behind them.
fn book(rows: &str, tail: &str) -> Vec<u8> {
    let rels = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    pack(&[
        ("[Content_Types].xml", "<Types/>"),
        (
            "_rels/.rels",
            &format!(
                "<Relationships><Relationship Id=\"r\" Type=\"{rels}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/workbook.xml",
            "<workbook><sheets><sheet name=\"S\" sheetId=\"1\" r:id=\"a\"/></sheets><definedNames><definedName name=\"all\">S!$A$2:$B$2</definedName></definedNames></workbook>",
        ),
        (
            "xl/_rels/workbook.xml.rels",
            &format!(
                "<Relationships><Relationship Id=\"a\" Type=\"{rels}/worksheet\" Target=\"worksheets/s.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/worksheets/s.xml",
            &format!("<worksheet><sheetData>{rows}</sheetData>{tail}</worksheet>"),
        ),
    ])
}

fn cells(rows: &[&[&str]]) -> String {
    let mut out = String::new();
    for (row, cells) in rows.iter().enumerate() {
        out.push_str(&format!("<row r=\"{}\">", row + 1));
        for (column, content) in cells.iter().enumerate().filter(|it| !it.1.is_empty()) {
            let at = At { row: row as u32 + 1, column: column as u32 + 1 };
            match content.strip_prefix('=') {
                Some(formula) => out.push_str(&format!(
                    "<c r=\"{at}\"><f>{}</f><v>-1</v></c>",
                    crate::shared::xml_tokens::escape(formula)
                )),
                None => out.push_str(&format!(
                    "<c r=\"{at}\" t=\"inlineStr\"><is><t>{}</t></is></c>",
                    crate::shared::xml_tokens::escape(content)
                )),
            }
        }
        out.push_str("</row>");
    }
    out
}

fn formulas(bytes: &[u8], sheet: &str) -> BTreeMap<String, String> {
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(bytes.to_vec())).unwrap();
    let range = book.worksheet_formula(sheet).unwrap();
    let (top, left) = range.start().unwrap_or_default();
    let used = range.used_cells().filter(|it| !it.2.is_empty());
    used.map(|(row, column, formula)| {
        let at = At { row: row as u32 + top + 1, column: column as u32 + left + 1 };
        (at.to_string(), formula.clone())
    })
    .collect()
}

fn value(bytes: &[u8], sheet: &str, at: &str) -> Data {
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(bytes.to_vec())).unwrap();
    let range = book.worksheet_range(sheet).unwrap();
    let at = refs::cell(at).unwrap();
    range.get_value((at.row - 1, at.column - 1)).cloned().unwrap_or(Data::Empty)
}

fn float(bytes: &[u8], sheet: &str, at: &str) -> f64 {
    match value(bytes, sheet, at) {
        Data::Float(value) => value,
        Data::Int(value) => value as f64,
        other => panic!("{sheet}!{at}: {other:?}"),
    }
}

#[test]
fn an_invoice_has_its_rows_and_everything_follows() {
    let filled = fill(INVOICE, &invoice(4)).unwrap();
    let found = formulas(&filled.bytes, "发票");
    for (at, formula) in [
        ("E6", "C6*D6"),
        ("E9", "C9*D9"),
        ("E10", "SUM(E6:E9)"),
        ("E11", "ROUND(E10*tax,2)"),
        ("E12", "E10+E11"),
    ] {
        assert_eq!(found[at], formula, "{at}");
    }
    // 10.5 * (1 + 2 + 3 + 4) and 13 % of it, calculated here.
    assert_eq!(float(&filled.bytes, "发票", "E10"), 105.0);
    assert_eq!(float(&filled.bytes, "发票", "E12"), 118.65);
    assert_eq!(float(&filled.bytes, "参数", "B2"), 118.65);
    assert_eq!(float(&filled.bytes, "参数", "B3"), 118.65);
    assert_eq!(value(&filled.bytes, "发票", "B7"), Data::String("=HYPERLINK(\"http://x\")".into()));
    assert_eq!(value(&filled.bytes, "发票", "B8"), Data::String("商品 2 <&> _x0041_".into()));
    assert_eq!(value(&filled.bytes, "发票", "A1"), Data::String("销售发票 NO-1".into()));
    assert_eq!(float(&filled.bytes, "发票", "A9"), 4.0);
    let sheet = part(&filled.bytes, "xl/worksheets/sheet1.xml");
    assert!(!sheet.contains("<f>HYPERLINK"), "text is never a formula");
    for expected in [
        "sqref=\"E6:E9\"",
        "sqref=\"C6:C9\"",
        "<mergeCell ref=\"A3:D3\"",
        "ref=\"A15\"",
        "A &amp;&amp; B 公司 第 &amp;P 页",
    ] {
        assert!(sheet.contains(expected), "{expected}");
    }
    assert_eq!(sheet.matches("ht=\"22\"").count(), 4);
    let book = part(&filled.bytes, "xl/workbook.xml");
    for expected in ["发票!$E$12", "$A$1:$F$15", "$5:$5", "fullCalcOnLoad=\"1\""] {
        assert!(book.contains(expected), "{expected}");
    }
    assert!(part(&filled.bytes, "xl/comments/comment1.xml").contains("ref=\"A14\""));
    assert!(part(&filled.bytes, "xl/drawings/drawing1.xml").contains("row>13<"));
    assert!(part(&filled.bytes, "xl/drawings/commentsDrawing1.vml").contains("Row>13<"));
    assert_eq!(filled.warnings, Vec::<String>::new());
    assert_eq!(fill(INVOICE, &invoice(4)).unwrap(), filled, "the same bytes every time");
    let (before, after) = (parts(INVOICE), parts(&filled.bytes));
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    for same in ["xl/media/image1.png", "xl/theme/theme1.xml", "xl/styles.xml", "docProps/core.xml"]
    {
        assert_eq!(before[same], after[same], "{same}");
    }
}

#[test]
fn a_template_that_libreoffice_saved_is_filled_alike() {
    let filled = fill(LIBREOFFICE, &invoice(4)).unwrap();
    let found = formulas(&filled.bytes, "发票");
    assert_eq!((found["E9"].as_str(), found["E10"].as_str()), ("C9*D9", "SUM(E6:E9)"));
    assert_eq!(float(&filled.bytes, "发票", "E12"), 118.65);
    assert_eq!(value(&filled.bytes, "发票", "A1"), Data::String("销售发票 NO-1".into()));
    let (before, after) = (parts(LIBREOFFICE), parts(&filled.bytes));
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
}

#[test]
fn marks_repeat_rows_and_charts_grow_with_them() {
    let month = |name: &str, revenue: &str| {
        record(&[("month", text(name)), ("revenue", number(revenue)), ("cost", number("50"))])
    };
    let months =
        FillValue::List(vec![month("一月", "100"), month("二月", "200"), month("三月", "300")]);
    let filled = fill(REPORT, &values(&[("title", text("2026")), ("months", months)])).unwrap();
    let found = formulas(&filled.bytes, "Monthly");
    assert_eq!(
        (found["E6"].as_str(), found["B7"].as_str(), found["C7"].as_str()),
        ("SUM(B$4:B6)", "SUM(B4:B6)", "SUM(C4:C6)")
    );
    assert_eq!(
        (float(&filled.bytes, "Monthly", "B7"), float(&filled.bytes, "Monthly", "E5")),
        (600.0, 300.0)
    );
    assert_eq!(float(&filled.bytes, "Monthly", "D7"), 0.75);
    let chart = part(&filled.bytes, "xl/charts/chart1.xml");
    for expected in [
        "<f>'Monthly'!$A$4:$A$6</f>",
        "<f>'Monthly'!$B$4:$B$6</f>",
        "<f>'Monthly'!B3</f>",
        "Revenue 2026",
    ] {
        assert!(chart.contains(expected), "{expected}: {chart}");
    }
    assert!(part(&filled.bytes, "xl/drawings/drawing1.xml").contains("row>9<"));
}

#[test]
fn a_list_without_rows_leaves_one_that_is_empty() {
    let filled = fill(INVOICE, &invoice(0)).unwrap();
    assert_eq!(value(&filled.bytes, "发票", "B6"), Data::Empty);
    assert_eq!(
        (float(&filled.bytes, "发票", "E7"), float(&filled.bytes, "发票", "E9")),
        (0.0, 0.0)
    );
}

#[test]
fn rows_are_appended_to_tables_and_sheets_by_the_names_of_columns() {
    let row =
        |date: &str, amount: &str| record(&[("Amount", number(amount)), ("Date", text(date))]);
    let rows = FillValue::List(vec![row("2026-02-01", "99.5"), row("2026-02-02", "1")]);
    let options = FillOptions::default();
    let done = append_xlsx(ORDERS, None, &rows, &options).unwrap();
    assert!(part(&done.bytes, "xl/tables/table1.xml").contains("ref=\"A1:D7\""));
    assert_eq!(float(&done.bytes, "Orders", "C9"), 163.5);
    assert!(matches!(value(&done.bytes, "Orders", "A6"), Data::DateTime(_)));
    assert!(formulas(&done.bytes, "Orders")["D6"].contains("Amount"));
    let chart = part(&done.bytes, "xl/charts/chart1.xml");
    assert!(chart.contains("Orders!$C$2:$C$6") && !chart.contains("numCache>"), "{chart}");
    let sheet = part(&done.bytes, "xl/worksheets/sheet1.xml");
    for expected in ["<xm:f>Orders!C2:C6</xm:f>", "<xm:sqref>E9</xm:sqref>", "sqref=\"C2:C6\""] {
        assert!(sheet.contains(expected), "{expected}");
    }
    assert_eq!(
        parts(ORDERS)["xl/worksheets/sheet2.xml"],
        parts(&done.bytes)["xl/worksheets/sheet2.xml"]
    );

    let odd = record(&[("Amount", text("1,234.50")), ("Date", text("2026-13-01"))]);
    let done = append_xlsx(ORDERS, None, &FillValue::List(vec![odd]), &options).unwrap();
    assert!(
        done.warnings
            .contains(&"texts are below numbers or dates: `Orders!A5`, `Orders!C5`".into()),
        "{:?}",
        done.warnings
    );

    let rows = FillValue::List(vec![record(&[("Name", text("=1+1")), ("Value", number("60"))])]);
    let done = append_xlsx(ORDERS, Some("Plain"), &rows, &options).unwrap();
    let found = formulas(&done.bytes, "Plain");
    assert_eq!((found["D5"].as_str(), found["C6"].as_str()), ("C5/SUM(C$3:C$5)", "SUM(C3:C5)"));
    assert_eq!(
        (float(&done.bytes, "Plain", "D5"), float(&done.bytes, "Plain", "C6")),
        (0.6, 100.0)
    );
    assert_eq!(value(&done.bytes, "Plain", "B5"), Data::String("=1+1".into()));
    assert!(done.warnings[0].contains("Plain!5"), "{:?}", done.warnings);

    let wrong = FillValue::List(vec![record(&[("Amuont", number("1")), ("X", number("1"))])]);
    let error = append_xlsx(ORDERS, Some("orders"), &wrong, &options).unwrap_err();
    insta::assert_snapshot!(error.render(), @r#"
    there are no columns `Amuont`, `X` in row 1
    hint: did you mean `Amount` by `Amuont`?
    hint: the columns are `Date`, `Region`, `Amount`, `Double`
    
"#);
    let error = append_xlsx(ORDERS, Some("Ordres"), &wrong, &options).unwrap_err();
    assert!(error.render().contains("did you mean `Orders`?"), "{}", error.render());
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let given = values(&[
        ("custmer", record(&[("name", text("x"))])),
        ("date", text("x")),
        ("rate", record(&[])),
        (
            "items",
            FillValue::List(vec![record(&[
                ("name", text("a")),
                ("quantity", number("1")),
                ("note", FillValue::Empty),
            ])]),
        ),
        ("Blatt!A1", text("x")),
    ]);
    let error = fill(INVOICE, &given).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Arguments);
    insta::assert_snapshot!(error.render(), @r#"
    values for `customer.city`, `customer.name`, `items.price`, `number`, `signer` are missing
    `customer.city` at 发票!A3: expected a value
    `customer.name` at header or footer of `发票`, 发票!A3: expected a value, did you mean `custmer.name`?
    `items.price` at 发票!D6 (row 1 of the list): expected a value
    `number` at 发票!A1: expected a value
    `signer` at 发票!A11: expected a value
    `Blatt!A1`: there is no sheet `Blatt`
    发票!D8: expected one value for `rate`, got a record; name one of its fields, as in `{{name.field}}`
    hint: give every name of the template a value; `null` leaves its place empty
    
"#);
}

#[test]
fn cells_ranges_and_names_are_filled_by_their_addresses() {
    let template = book(&cells(&[&["k", "v"], &["", ""], &["=SUM(A2:A2)", "x"]]), "");
    let rows = FillValue::List(vec![
        record(&[("v", text("a")), ("k", number("1"))]),
        record(&[("v", text("b")), ("k", number("2"))]),
    ]);
    let filled =
        fill(&template, &values(&[("all", rows.clone()), ("S!D1", FillValue::Bool(true))]))
            .unwrap();
    assert_eq!((float(&filled.bytes, "S", "A3"), float(&filled.bytes, "S", "A4")), (2.0, 3.0));
    assert_eq!(value(&filled.bytes, "S", "B3"), Data::String("b".into()));
    assert_eq!(value(&filled.bytes, "S", "D1"), Data::Bool(true));
    let fixed =
        fill(&template, &values(&[("S!A6:B9", rows.clone()), ("'S'!B3", text("2"))])).unwrap();
    assert_eq!(
        value(&fixed.bytes, "S", "A7"),
        Data::String("b".into()),
        "from left to right without a head"
    );
    assert_eq!(value(&fixed.bytes, "S", "B3"), Data::String("2".into()));
    for (name, given) in [("S!A6:A7", rows), ("S!A6:B9", text("x")), ("S!A1", record(&[]))] {
        assert!(fill(&template, &values(&[(name, given)])).is_err(), "{name}");
    }
}

#[test]
fn values_keep_their_types_and_long_numbers_their_digits() {
    let template = book(
        &cells(&[&["{{a}}", "{{b}}", "{{c}}", "{{d}}", "x {{a}}, {{b}}", "=\"共 {{q}} 项\"&1"]]),
        "",
    );
    let given = values(&[
        ("a", number("1.50")),
        ("b", FillValue::Bool(false)),
        ("c", number("110101199003078888")),
        ("d", text("\u{1}a\r\nb")),
        ("q", text("\"&HYPERLINK(1)&\"")),
        ("left", text("over")),
    ]);
    let filled = fill(&template, &given).unwrap();
    assert_eq!(float(&filled.bytes, "S", "A1"), 1.5);
    assert_eq!(value(&filled.bytes, "S", "B1"), Data::Bool(false));
    assert_eq!(value(&filled.bytes, "S", "C1"), Data::String("110101199003078888".into()));
    assert_eq!(value(&filled.bytes, "S", "D1"), Data::String("a\nb".into()));
    assert_eq!(value(&filled.bytes, "S", "E1"), Data::String("x 1.50, false".into()));
    assert_eq!(formulas(&filled.bytes, "S")["F1"], "\"共 \"\"&HYPERLINK(1)&\"\" 项\"&1");
    insta::assert_snapshot!(filled.warnings.join("\n"), @r#"
    control characters are left out: `S!D1`
    numbers are text whose digits a cell of Excel does not hold: `S!C1`
    values that nothing in the template asks for were not used: `left`
    
"#);
    let long = values(&[
        ("a", text(&"x".repeat(40_000))),
        ("b", text("")),
        ("c", text("")),
        ("d", text("")),
        ("q", text("")),
    ]);
    assert!(fill(&template, &long).unwrap_err().render().contains("S!A1"));
}

#[test]
fn references_follow_by_the_rules_of_filling_down() {
    let template = book(
        &cells(&[
            &["start", "=1"],
            &["{{#l}}"],
            &["{{n}}", "=B1+A3", "=A3/SUM(A$3:A$3)", "=A$9"],
            &["x", "=A3*2"],
            &["{{/l}}"],
            &["=SUM(A3:A4)", "=A3", "=MAX(B4)", "=S!A8"],
            &[],
            &["under"],
        ]),
        "<mergeCells count=\"2\"><mergeCell ref=\"E3:E4\"/><mergeCell ref=\"A5:B5\"/></mergeCells><rowBreaks><brk id=\"8\" max=\"3\"/></rowBreaks>",
    );
    let rows = FillValue::List((1..=3).map(|n| record(&[("n", number(&n.to_string()))])).collect());
    let filled = fill(&template, &values(&[("l", rows)])).unwrap();
    let found = formulas(&filled.bytes, "S");
    let found: Vec<_> = found.iter().map(|(at, formula)| format!("{at} {formula}")).collect();
    insta::assert_snapshot!(found.join("\n"), @r"
    A8 SUM(A2:A7)
    B1 1
    B2 B1+A2
    B3 A2*2
    B4 B3+A4
    B5 A4*2
    B6 B5+A6
    B7 A6*2
    B8 A2
    C2 A2/SUM(A$2:A$6)
    C4 A4/SUM(A$2:A$6)
    C6 A6/SUM(A$2:A$6)
    C8 MAX(B3,B5,B7)
    D2 A$11
    D4 A$11
    D6 A$11
    D8 S!A10
    ");
    let sheet = part(&filled.bytes, "xl/worksheets/s.xml");
    assert!(sheet.contains("<mergeCells count=\"3\"><mergeCell ref=\"E2:E3\"/><mergeCell ref=\"E4:E5\"/><mergeCell ref=\"E6:E7\"/></mergeCells>"), "{sheet}");
    assert!(sheet.contains("<brk id=\"10\""), "{sheet}");
    assert_eq!(
        filled.warnings,
        ["formulas name one cell of repeated rows, which is now that of the first: `S!B8`"]
    );
}

#[test]
fn marks_that_do_not_match_are_refused_by_place() {
    for (rows, message) in [
        (&[&["{{#a}}"][..]][..], "S!A1: `{{#a}}` is not closed"),
        (&[&["{{/a}}"]], "closes what"),
        (
            &[&["{{#a}}"], &["{{#b}}"], &["{{/b}}"], &["{{/a}}"]],
            "S!A3: expected rows between `{{#b}}` and",
        ),
        (&[&["{{#a}}"], &["{{/a}}"]], "rows between"),
        (&[&["{{a.x}}", "{{b.x}}"]], "expected a row for one list"),
        (&[&["{{#c}}"], &["x"], &["{{/c}}"]], "expected a list for `c`"),
        (&[&["{{a}}"]], "expected one value for `a`, got a record"),
    ] {
        let rows: Vec<&[&str]> = rows.to_vec();
        let one = FillValue::List(vec![record(&[("x", number("1"))])]);
        let given = values(&[("a", one.clone()), ("b", one), ("c", number("1"))]);
        let error = fill(&book(&cells(&rows), ""), &given).unwrap_err().render();
        assert!(error.contains(message), "{error}");
    }
}
