//! `PHONETIC`, `INFO`, `CELL` and forecasts in workbooks: what of the file they read, and what the user reads of them.

use super::{Edit, EditOptions, Expected, Input, SetCell, apply, what_if};
use crate::package::Package;
use crate::read::{CellValue, read_cells};
use crate::sample::{Sample, rows};
use crate::world::World;

fn set(at: &str, value: &str) -> Edit {
    let value = match value.parse::<f64>() {
        Ok(_) => Input::Number(value.into()),
        Err(_) => Input::Text(value.into()),
    };
    Edit::SetCells(vec![SetCell { at: at.into(), value }])
}

fn value(bytes: &[u8], at: &str) -> CellValue {
    read_cells(bytes.to_vec(), at, 9, World::default()).unwrap().cells[0].value.clone()
}

fn text(text: &str) -> CellValue {
    CellValue::Text(text.into())
}

#[test]
fn phonetic_reads_shared_and_inline_texts() {
    let strings = "<sst xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><si><t>東京</t><rPh sb=\"0\" eb=\"2\"><t>トウキョウ</t></rPh></si></sst>";
    let cells = "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\" t=\"inlineStr\"><is><t>駅前</t><rPh sb=\"0\" eb=\"1\"><t>エキ</t></rPh></is></c><c r=\"C1\"><v>5</v></c><c r=\"D1\" t=\"str\"><f>A1&amp;\"\"</f><v>東京</v></c></row>";
    let book = Sample::default()
        .sheet("S", cells)
        .part("xl/sharedStrings.xml", strings)
        .relation("xl/workbook.xml", "sharedStrings", "xl/sharedStrings.xml")
        .bytes();
    let edits = [
        set("S!F1", "=PHONETIC(A1:B1)"),
        set("S!F2", "=PHONETIC(B1)"),
        set("S!F3", "=PHONETIC(E9)"),
        set("S!F4", "=PHONETIC((A1,B1))"),
        set("S!F5", "=PHONETIC(C1)"),
        set("S!F6", "=PHONETIC(D1)"),
    ];
    let done = apply(book, &[], &edits, &EditOptions::default()).unwrap();
    for (at, expected) in [("S!F1", "トウキョウ"), ("S!F2", "エキ前"), ("S!F3", "")] {
        assert_eq!(value(&done.bytes, at), text(expected), "{at}");
    }
    assert_eq!(value(&done.bytes, "S!F4"), text("#N/A"));
    for (at, why) in
        [("S!F5", "PHONETIC of a cell without text"), ("S!F6", "PHONETIC of a formula")]
    {
        let line = format!("{at} has no value until Excel opens the file: it uses {why}");
        assert!(done.warnings.contains(&line), "{:?}", done.warnings);
    }
    // A new text has no reading.
    let done = apply(done.bytes, &[], &[set("S!B1", "駅")], &EditOptions::default()).unwrap();
    assert_eq!(value(&done.bytes, "S!F2"), text("駅"));
}

#[test]
fn info_says_what_the_workbook_says() {
    for (properties, expected) in [
        ("", "Automatic"),
        ("<calcPr calcMode=\"auto\"/>", "Automatic"),
        ("<calcPr calcMode=\"manual\"/>", "Manual"),
    ] {
        let book = Sample::default().sheet("S", &rows(&[&["1"]])).names(properties).bytes();
        let edits = [set("S!B1", "=INFO(\"recalc\")"), set("S!B2", "=INFO(\"memused\")")];
        let done = apply(book, &[], &edits, &EditOptions::default()).unwrap();
        assert_eq!(value(&done.bytes, "S!B1"), text(expected));
        assert_eq!(value(&done.bytes, "S!B2"), text("#N/A"));
    }
    for kind in ["directory", "numfile", "origin", "osversion", "release", "system"] {
        let cell = format!(
            "<row r=\"1\"><c r=\"A1\" t=\"str\"><f>INFO(\"{kind}\")</f><v>old</v></c></row>"
        );
        let book = Sample::default().sheet("S", &cell).bytes();
        let done = apply(book, &[], &[set("S!B1", "2")], &EditOptions::default()).unwrap();
        assert_eq!(value(&done.bytes, "S!A1"), text("old"));
        let why = format!("INFO with \"{kind}\", which is about the computer");
        assert!(done.warnings.iter().any(|it| it.contains(&why)), "{:?}", done.warnings);
    }
}

#[test]
fn cell_says_how_a_cell_looks() {
    let styles = concat!(
        "<numFmts count=\"2\"><numFmt numFmtId=\"164\" formatCode=\"&quot;$&quot;#,##0_);[Red]\\(&quot;$&quot;#,##0\\)\"/>",
        "<numFmt numFmtId=\"165\" formatCode=\"(0)\"/></numFmts><cellXfs count=\"4\"><xf numFmtId=\"0\"/><xf numFmtId=\"164\"/>",
        "<xf numFmtId=\"165\"><protection locked=\"0\"/></xf><xf numFmtId=\"15\"><alignment horizontal=\"center\"/></xf></cellXfs>",
    );
    let cells: [&[&str]; 1] = [&["1", "2@1", "3@2", "x@3", "y"]];
    let book = Sample::default().sheet("S", &rows(&cells)).styles(styles).bytes();
    for (formula, expected) in [
        ("=CELL(\"format\",A1)", "G"),
        ("=CELL(\"format\",B1)", "C0-"),
        ("=CELL(\"format\",D1)", "D1"),
        ("=CELL(\"color\",A1)&CELL(\"color\",B1)", "01"),
        ("=CELL(\"parentheses\",B1)&CELL(\"parentheses\",C1)", "01"),
        ("=CELL(\"protect\",B1)&CELL(\"protect\",C1)", "10"),
        ("=CELL(\"prefix\",A1)&CELL(\"prefix\",D1)", "^"),
    ] {
        let done = apply(book.clone(), &[], &[set("S!H1", formula)], &EditOptions::default());
        let done = done.unwrap();
        assert_eq!(value(&done.bytes, "S!H1"), text(expected), "{formula}: {:?}", done.warnings);
    }
    for (formula, expected) in [
        ("=CELL(\"format\",C1)", "CELL with \"format\" of the number format `(0)`"),
        ("=CELL(\"prefix\",E1)", "CELL with \"prefix\" of a text without alignment"),
        ("=CELL(\"protect\",F9)", "CELL with \"protect\" of a cell that is not stored"),
    ] {
        let done = apply(book.clone(), &[], &[set("S!H1", formula)], &EditOptions::default());
        let warnings = done.unwrap().warnings;
        assert!(warnings.iter().any(|it| it.ends_with(expected)), "{formula}: {warnings:?}");
    }
}

/// The width is that of Excel's dialogue, not the stored one.
#[test]
fn cell_says_how_wide_a_column_is() {
    let sheet = |head: &str| {
        format!(
            "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">{head}<sheetData><row r=\"1\"><c r=\"A1\"><v>1</v></c></row></sheetData></worksheet>"
        )
    };
    let columns = "<sheetFormatPr defaultRowHeight=\"15\"/><cols><col min=\"2\" max=\"3\" width=\"20.7109375\" customWidth=\"1\"/><col min=\"4\" max=\"4\" width=\"9.140625\" hidden=\"1\"/><col min=\"5\" max=\"5\" width=\"1.7109375\" customWidth=\"true\"/><col min=\"6\" max=\"6\" width=\"19.29\"/></cols>";
    let wide = "<sheetFormatPr defaultColWidth=\"12.7109375\"/>";
    let base = "<sheetFormatPr baseColWidth=\"10\"/>";
    for (head, formula, expected) in [
        (columns, "=CELL(\"width\",A1)", "8"),
        (columns, "=CELL(\"Width\",C9)", "20"),
        (columns, "=CELL(\"width\",D1)", "0"),
        (columns, "=CELL(\"width\",E1)", "1"),
        (columns, "=CELL(\"width\",F1)", "19"),
        (columns, "=IF(INDEX(CELL(\"width\",A1),2),1,0)", "1"),
        (columns, "=IF(INDEX(CELL(\"width\",B1),2),1,0)", "0"),
        (wide, "=CELL(\"width\",A1)", "12"),
        (base, "=CELL(\"width\",A1)", "10"),
        ("", "=CELL(\"width\",A1)", "8"),
    ] {
        let book = Sample::default().sheet("S", &sheet(head)).bytes();
        let done = apply(book, &[], &[set("S!H1", formula)], &EditOptions::default()).unwrap();
        let expected = CellValue::Number(expected.parse().unwrap());
        assert_eq!(value(&done.bytes, "S!H1"), expected, "{formula}: {:?}", done.warnings);
    }
}

#[test]
fn forecasts_are_warned_of_and_calculated_by_excel_again() {
    let cells = [["1", "3"], ["2", "5"], ["3", "7"], ["4", "9"]];
    let cells: Vec<&[&str]> = cells.iter().map(|it| &it[..]).collect();
    let book = Sample::default().sheet("S", &rows(&cells)).bytes();
    let edit = set("S!C1", "=FORECAST.ETS(5,B1:B4,A1:A4)");
    let done = apply(book, &[], &[edit], &EditOptions::default()).unwrap();
    assert_eq!(value(&done.bytes, "S!C1"), CellValue::Number(11.0));
    let warns = |all: &[String]| all.iter().any(|it| it.contains("how Excel finds its own"));
    assert!(warns(&done.warnings), "{:?}", done.warnings);
    let package = Package::open(done.bytes.clone()).unwrap();
    let part = |name: &str| package.text(name).unwrap().unwrap();
    assert!(part("xl/workbook.xml").contains("fullCalcOnLoad=\"1\""));
    assert!(part("xl/worksheets/sheet1.xml").contains("<f>_xlfn.FORECAST.ETS(5,B1:B4,A1:A4)</f>"));
    let trial = [Expected { at: "S!B4".into(), value: Input::Number("8".into()) }];
    let (_, warnings) =
        what_if(done.bytes, &trial, &["S!C1".to_owned()], World::default()).unwrap();
    assert!(warns(&warnings), "{warnings:?}");
}

#[test]
fn functions_as_arguments_are_stored_as_excel_reads_them_and_results_spill() {
    let cells: [&[&str]; 3] = [&["a", "1"], &["b", "2"], &["a", "4"]];
    let names = "<definedNames><definedName name=\"Max\">S!$B$1</definedName></definedNames>";
    let book = Sample::default().sheet("S", &rows(&cells)).names(names).bytes();
    let edits = [
        set("S!D1", "=GROUPBY(A1:A3,B1:B3,SUM)"),
        set("S!H1", "=MAP(B1:B2,LAMBDA(sum,sum+Max))"),
        set("S!J1", "=IF(SUM(B1:B3)>1,Max)"),
    ];
    let done = apply(book, &[], &edits, &EditOptions::default()).unwrap();
    let package = Package::open(done.bytes.clone()).unwrap();
    let sheet = package.text("xl/worksheets/sheet1.xml").unwrap().unwrap();
    for formula in [
        "ref=\"D1:E3\">_xlfn.GROUPBY(A1:A3,B1:B3,_xleta.SUM)</f>",
        "_xlfn.MAP(B1:B2,_xlfn.LAMBDA(_xlpm.sum,_xlpm.sum+Max))</f>",
        "<f>IF(SUM(B1:B3)&gt;1,Max)</f>",
    ] {
        assert!(sheet.contains(formula), "{formula}: {sheet}");
    }
    assert_eq!(value(&done.bytes, "S!D3"), text("Total"));
    assert_eq!(value(&done.bytes, "S!E1"), CellValue::Number(5.0));
    let shown = read_cells(done.bytes, "S!D1", 9, World::default()).unwrap();
    assert_eq!(shown.cells[0].formula.as_deref(), Some("=GROUPBY(A1:A3,B1:B3,SUM)"));
}

#[test]
fn what_formulas_ask_of_cells_is_bounded() {
    for formula in ["PHONETIC(A{})", "CELL(\"protect\",A{})"] {
        let rows: String = (1..=1_100)
            .map(|row| {
                let formula = formula.replace("{}", &row.to_string());
                format!("<row r=\"{row}\"><c r=\"A{row}\" t=\"inlineStr\"><is><t>x</t></is></c><c r=\"B{row}\"><f>{formula}</f></c></row>")
            })
            .collect();
        let book = Sample::default().sheet("S", &rows).bytes();
        let done = apply(book, &[], &[set("S!D1", "1")], &EditOptions::default()).unwrap();
        let is_limit = |it: &String| it.contains("the calculation is too long");
        assert!(done.warnings.iter().any(is_limit), "{formula}: {:?}", done.warnings);
        assert_ne!(value(&done.bytes, "S!B1"), CellValue::Null);
    }
}
