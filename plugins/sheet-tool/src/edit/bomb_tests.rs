//! Calculations that would not end: each stops at a limit, is warned of, and leaves the old values.
//!
//! Tests have smaller limits for formulas (30 000) and for cells that are read (3 000 000).

use super::{Edit, EditOptions, Edited, Input, SetCell, apply};
use crate::sample::{Sample, workbook};
use crate::zip::Zip;
use std::fmt::Write;

fn set(at: &str, value: Input) -> Edit {
    Edit::SetCells(vec![SetCell { at: at.into(), value }])
}

fn number(at: &str, value: u32) -> Edit {
    set(at, Input::Number(value.to_string()))
}

fn text(at: &str, text: &str) -> Edit {
    set(at, Input::Text(text.into()))
}

fn done(bytes: &[u8], edit: Edit) -> Edited {
    apply(bytes.to_vec(), &[], &[edit], &EditOptions::default()).unwrap()
}

/// Returns rows of one cell in column A and one with a formula in column B, whose stored value is 7.
fn column(count: u32, formula: impl Fn(u32) -> String) -> String {
    let mut out = String::new();
    for row in 1..=count {
        let formula = crate::xml::escape(&formula(row));
        let _ = write!(
            out,
            "<row r=\"{row}\"><c r=\"A{row}\"><v>{row}</v></c><c r=\"B{row}\"><f>{formula}</f><v>7</v></c></row>"
        );
    }
    out
}

fn part(bytes: &[u8], name: &str) -> String {
    let zip = Zip::open(bytes.to_vec()).unwrap();
    String::from_utf8(zip.read(name).unwrap().unwrap()).unwrap()
}

fn sheet(bytes: &[u8]) -> String {
    part(bytes, "xl/worksheets/sheet1.xml")
}

fn calculates_on_opening(bytes: &[u8]) -> bool {
    part(bytes, "xl/workbook.xml").contains("fullCalcOnLoad=\"1\"")
}

#[test]
fn too_many_formulas_keep_their_values() {
    let bytes = workbook(&[("S", &column(30_001, |_| "$A$1+1".into()))], "");
    let done = done(&bytes, number("S!A1", 5));
    assert_eq!(done.recalculated, 0);
    assert!(done.warnings[0].contains("more than 30000 formulas"), "{:?}", done.warnings);
    assert_eq!(sheet(&done.bytes).matches("</f><v>7</v>").count(), 30_001);
    assert!(calculates_on_opening(&done.bytes));
    let outputs = ["S!B1".to_owned()];
    let (_, warnings) =
        super::what_if(bytes.clone(), &[], &outputs, crate::World::default()).unwrap();
    assert!(warnings[0].contains("more than 30000 formulas"), "{warnings:?}");
    assert!(crate::trace(bytes, "S!B1", crate::Trace::Inputs, crate::World::default()).is_err());
}

#[test]
fn many_dependents_of_one_cell_are_calculated() {
    let bytes = workbook(&[("S", &column(20_000, |_| "$A$1+1".into()))], "");
    let done = done(&bytes, number("S!A1", 5));
    assert_eq!((done.recalculated, done.warnings.len()), (20_000, 0));
    assert_eq!(sheet(&done.bytes).matches("<v>6</v></c></row>").count(), 20_000);
}

#[test]
fn a_long_chain_is_calculated_without_recursion() {
    let chain = |row: u32| match row {
        25_000 => "A25000".to_owned(),
        row => format!("B{}+1", row + 1),
    };
    let bytes = workbook(&[("S", &column(25_000, chain))], "");
    let done = done(&bytes, number("S!A25000", 1));
    assert_eq!((done.recalculated, done.warnings.len()), (25_000, 0));
    assert!(sheet(&done.bytes).contains("<f>B2+1</f><v>25000</v>"));
}

#[test]
fn sums_of_a_whole_column_stop_at_the_limit() {
    let bytes = workbook(&[("S", &column(2_500, |_| "SUM(A:A)".into()))], "");
    let done = done(&bytes, number("S!A1", 5));
    assert!(done.recalculated < 2_000, "{}", done.recalculated);
    assert!(done.warnings[0].contains("the calculation is too long"), "{:?}", done.warnings);
    assert!(done.warnings.iter().any(|it| it.contains("further formulas keep")));
    let kept = sheet(&done.bytes).matches("</f><v>7</v>").count();
    assert_eq!(kept + done.recalculated as usize, 2_500);
    assert!(calculates_on_opening(&done.bytes));
}

#[test]
fn an_array_as_large_as_a_sheet_is_not_made() {
    let bytes = workbook(&[("S", &column(2, |_| "SUM(SEQUENCE(1048576,16384))*A1".into()))], "");
    let changed = done(&bytes, number("S!A1", 5));
    assert!(changed.warnings[0].contains("S!B1 keeps its old value"), "{:?}", changed.warnings);
    assert_eq!(sheet(&changed.bytes).matches("</f><v>7</v>").count(), 2);
    let typed = done(&bytes, text("S!D1", "=SEQUENCE(1048576,16384)"));
    assert!(
        typed.warnings.iter().any(|it| it.starts_with("S!D1") && it.contains("too long")),
        "{:?}",
        typed.warnings
    );
}

#[test]
fn arrays_of_one_formula_do_not_fill_the_memory() {
    // Each array has 400 000 cells; one formula may make a million here.
    let formula =
        "A1+SUM(LET(x_0,SEQUENCE(1000,400),x_1,x_0+1,x_2,x_1+1,x_3,x_2+1,x_3))".to_owned();
    let bytes = workbook(&[("S", &column(1, |_| formula.clone()))], "");
    let done = done(&bytes, number("S!A1", 5));
    assert!(done.warnings.iter().any(|it| it.starts_with("S!B1 keeps")), "{:?}", done.warnings);
}

#[test]
fn brackets_and_operators_are_not_nested_without_end() {
    let deep = [
        format!("{}A1{}", "(".repeat(10_000), ")".repeat(10_000)),
        format!("{}A1", "-".repeat(9_000)),
        format!("A1{}", ":A1".repeat(9_000)),
        format!("A1{}", "#".repeat(9_000)),
        format!("A1{}", " A1".repeat(9_000)),
        format!("A1{}", "%".repeat(9_000)),
        format!("LAMBDA(x,x){}", "(1)".repeat(6_000)),
        format!("A1{}", "+A1".repeat(9_000)),
        format!("{}A1{}", "SUM(".repeat(5_000), ")".repeat(5_000)),
    ];
    for formula in deep {
        let bytes = workbook(&[("S", &column(1, |_| formula.clone()))], "");
        let changed = done(&bytes, number("S!A1", 5));
        let short: String = formula.chars().take(20).collect();
        let kept = sheet(&changed.bytes).contains("</f><v>7</v>");
        assert!(kept, "{short}");
        let problem =
            apply(bytes, &[], &[text("S!D1", &format!("={formula}"))], &EditOptions::default());
        assert!(problem.unwrap_err().to_string().starts_with("edits[0]: S!D1: "), "{short}");
    }
}

#[test]
fn a_formula_that_cannot_be_read_is_warned_of() {
    let deep = format!("{}A1{}", "(".repeat(200), ")".repeat(200));
    let bytes = workbook(&[("S", &column(1, |_| deep.clone()))], "");
    let done = done(&bytes, number("S!A1", 5));
    assert!(
        done.warnings.iter().any(|it| it.contains("S!B1") && it.contains("cannot be read")),
        "{:?}",
        done.warnings
    );
    assert!(calculates_on_opening(&done.bytes));
}

#[test]
fn a_long_sum_is_calculated() {
    let sum = |row: u32| match row {
        1 => (1..=1_500).map(|it| format!("A{it}")).collect::<Vec<_>>().join("+"),
        _ => "1".to_owned(),
    };
    let bytes = workbook(&[("S", &column(1_500, sum))], "");
    let done = done(&bytes, number("S!A1", 2));
    assert!(sheet(&done.bytes).contains("</f><v>1125751</v>"), "{:?}", done.warnings);
}

#[test]
fn a_lambda_that_calls_itself_stops() {
    let names = "<definedNames><definedName name=\"again\">LAMBDA(x,again(x)+again(x+1))</definedName><definedName name=\"loop\">loop+1</definedName></definedNames>";
    let cells = "<row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"B1\"><f>again(A1)</f><v>7</v></c><c r=\"C1\"><f>IFERROR(loop+A1,0)</f><v>8</v></c></row>";
    let bytes = Sample::default().sheet("S", cells).names(names).bytes();
    let done = done(&bytes, number("S!A1", 5));
    for place in ["S!B1", "S!C1"] {
        assert!(done.warnings.iter().any(|it| it.starts_with(place)), "{:?}", done.warnings);
    }
    assert!(sheet(&done.bytes).contains("<v>7</v>") && sheet(&done.bytes).contains("<v>8</v>"));
}
