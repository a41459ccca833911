//! Formulas without a value in the file, as other libraries than Excel write them.

use super::{Edit, EditOptions, Expected, Input, SetCell, apply, what_if};
use crate::read::{CellValue, Trace, read_cells, trace};
use crate::sample::workbook;
use crate::world::World;

/// Three products without a value, and their total.
const ROWS: &str = concat!(
    "<row r=\"1\"><c r=\"A1\"><v>2</v></c><c r=\"B1\"><f>A1*10</f><v></v></c></row>",
    "<row r=\"2\"><c r=\"A2\"><v>3</v></c><c r=\"B2\"><f>A2*10</f><v/></c></row>",
    "<row r=\"3\"><c r=\"A3\"><v>4</v></c><c r=\"B3\"><f>A3*10</f></c><c r=\"C3\" t=\"str\"><f>\"\"</f><v></v></c></row>",
    "<row r=\"5\"><c r=\"A5\"><v>1</v></c><c r=\"B5\"><f>SUM(B1:B3)</f><v></v></c><c r=\"C5\"><f>B5+1</f><v>7</v></c></row>",
);

fn number(bytes: &[u8], at: &str) -> CellValue {
    read_cells(bytes.to_vec(), at, 9, World::default()).unwrap().cells[0].value.clone()
}

fn set(at: &str, number: &str) -> Edit {
    Edit::SetCells(vec![SetCell { at: at.into(), value: Input::Number(number.into()) }])
}

#[test]
fn a_total_over_formulas_without_values_is_right() {
    let bytes = workbook(&[("S", ROWS)], "");
    // The edit reaches only one of the products.
    let expected = Expected { at: "S!B5".into(), value: Input::Number("90".into()) };
    let done = apply(bytes, &[expected], &[set("S!A3", "5")], &EditOptions::default()).unwrap();
    let sheet = crate::package::Package::open(done.bytes).unwrap();
    let sheet = sheet.text("xl/worksheets/sheet1.xml").unwrap().unwrap();
    for part in [
        "<f>A1*10</f><v>20</v>",
        "<f>A3*10</f><v>50</v>",
        "<f>SUM(B1:B3)</f><v>100</v>",
        "<f>B5+1</f><v>101</v>",
    ] {
        assert!(sheet.contains(part), "{part}: {sheet}");
    }
    assert!(
        done.changes.iter().any(|it| it.contains("4 formulas that had no value")),
        "{:?}",
        done.changes
    );
}

#[test]
fn readers_see_calculated_values() {
    let bytes = workbook(&[("S", ROWS)], "");
    assert_eq!(number(&bytes, "S!B5"), CellValue::Number(90.0));
    let (found, _) = what_if(
        bytes.clone(),
        &[Expected { at: "S!A1".into(), value: Input::Number("3".into()) }],
        &["S!B5".to_owned()],
        World::default(),
    )
    .unwrap();
    assert_eq!((found[0].before.as_str(), found[0].after.as_str()), ("90", "100"));
    let lines = trace(bytes.clone(), "S!B5", Trace::Inputs, World::default()).unwrap();
    assert!(
        lines[0].contains("= 90") && lines.iter().any(|it| it.contains("S!B1 = 20")),
        "{lines:?}"
    );
    let lines = trace(bytes, "S!A1", Trace::Dependents, World::default()).unwrap();
    assert!(lines[0].starts_with("3 formulas"), "{lines:?}");
}

#[test]
fn what_cannot_be_calculated_is_not_zero() {
    let rows = "<row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"B1\"><f>RTD(1)</f></c><c r=\"C1\"><f>SUM(A1:B1)</f></c></row>";
    let bytes = workbook(&[("S", rows)], "");
    let page = read_cells(bytes.clone(), "S!C1", 9, World::default()).unwrap();
    assert_eq!(page.cells[0].value, CellValue::Null);
    assert_eq!(page.cells[0].display.as_deref(), Some("not calculated"));
    let done = apply(bytes, &[], &[set("S!A1", "2")], &EditOptions::default()).unwrap();
    assert!(
        done.warnings.iter().any(|it| it.starts_with("S!C1 has no value") && it.contains("S!B1")),
        "{:?}",
        done.warnings
    );
    let sheet = crate::package::Package::open(done.bytes).unwrap();
    let sheet = sheet.text("xl/worksheets/sheet1.xml").unwrap().unwrap();
    assert!(sheet.contains("<f>SUM(A1:B1)</f></c>"), "{sheet}");
}

#[test]
fn numbers_that_a_cell_does_not_keep_are_text() {
    let bytes = workbook(&[("S", ROWS)], "");
    for (digits, is_text) in [
        ("110101199003074514", true),
        ("0.12345678901234567890", true),
        ("1234567890123456", true),
        ("123456789012345", false),
        ("0.1", false),
        ("0.30000000000000004", false),
        ("1e30", false),
        ("1230000000000000000", false),
        ("-5.5", false),
    ] {
        let done =
            apply(bytes.clone(), &[], &[set("S!A3", digits)], &EditOptions::default()).unwrap();
        let value = number(&done.bytes, "S!A3");
        assert_eq!(value == CellValue::Text(digits.into()), is_text, "{digits}: {value:?}");
        let warning =
            "1 number is text, as a cell does not keep all of their digits; the first is in `S!A3`";
        assert_eq!(done.warnings.iter().any(|it| it == warning), is_text, "{:?}", done.warnings);
    }
}
