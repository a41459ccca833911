//! References to several sheets at once, such as `SUM(Jan:Mar!B2)`.

use super::{Edit, EditOptions, Edited, Input, SetCell, apply};
use crate::sample::workbook;
use crate::world::World;

const MONTHS: [&str; 4] = ["Jan", "Feb", "Mar", "Apr"];

/// Four months with 1, 10, 100 and 1000, and a sheet with the formula and its value.
fn year(formula: &str) -> Vec<u8> {
    let rows: Vec<String> = (0..4)
        .map(|at| format!("<row r=\"2\"><c r=\"B2\"><v>{}</v></c></row>", 10_u32.pow(at)))
        .collect();
    let total = format!("<row r=\"1\"><c r=\"A1\"><f>{formula}</f><v>0</v></c></row>");
    let mut sheets: Vec<(&str, &str)> =
        MONTHS.into_iter().zip(rows.iter().map(|it| &**it)).collect();
    sheets.push(("Total", &total));
    let names =
        "<definedNames><definedName name=\"quarter\">Jan:Mar!$B$2</definedName></definedNames>";
    workbook(&sheets, names)
}

fn edited(bytes: &[u8], edits: &[Edit]) -> Edited {
    apply(bytes.to_vec(), &[], edits, &EditOptions::default()).unwrap()
}

fn total(bytes: &[u8]) -> String {
    let page = crate::read_cells(bytes.to_vec(), "Total!A1", 1, World::default()).unwrap();
    let cell = &page.cells[0];
    format!("{} {:?}", cell.formula.clone().unwrap_or_default(), cell.value)
}

fn set(at: &str, number: &str) -> Edit {
    Edit::SetCells(vec![SetCell { at: at.into(), value: Input::Number(number.into()) }])
}

#[test]
fn functions_take_the_cells_of_several_sheets() {
    for (formula, expected) in [
        ("SUM(Jan:Mar!B2)", "Number(115.0)"),
        ("SUM('Jan:Mar'!B2,1)", "Number(116.0)"),
        ("SUM(Mar:Jan!B2)", "Number(115.0)"),
        ("AVERAGE(Jan:Apr!$B$2)", "Number(278.75)"),
        ("COUNT(Jan:Apr!A1:C3)+COUNTA(Jan:Apr!B:B)", "Number(8.0)"),
        ("MAX(Jan:Apr!B2)-MIN(Jan:Apr!B2)", "Number(995.0)"),
        ("LARGE(Jan:Apr!B2,2)", "Number(100.0)"),
        ("PRODUCT(Jan:Feb!B2)", "Number(50.0)"),
        ("SUM(quarter)", "Number(115.0)"),
        ("SUM(VSTACK(Jan:Mar!B2:B3))", "Number(115.0)"),
        ("ROWS(VSTACK(Jan:Apr!A1:B2))", "Number(8.0)"),
        ("COLUMNS(HSTACK(Jan:Apr!A1:B2))", "Number(8.0)"),
        ("SUM(TOCOL(Jan:Apr!B1:B3,1))", "Number(1115.0)"),
        ("TEXTJOIN(\",\",TRUE,Jan:Mar!B2)", "Text(\"5,10,100\")"),
        ("Jan:Mar!B2", "Text(\"#VALUE!\")"),
        ("SUM(Jan:May!B2)", "Text(\"#REF!\")"),
    ] {
        let bytes = year(&formula.replace('"', "&quot;"));
        let done = edited(&bytes, &[set("Jan!B2", "5")]);
        let found = if formula.contains("May") {
            let edit = SetCell { at: "Total!A1".into(), value: Input::Text(format!("={formula}")) };
            total(&edited(&bytes, &[Edit::SetCells(vec![edit])]).bytes)
        } else {
            total(&done.bytes)
        };
        assert!(found.ends_with(expected), "{formula}: {found}");
        assert!(done.warnings.is_empty(), "{formula}: {:?}", done.warnings);
    }
}

#[test]
fn a_sheet_that_comes_goes_or_moves_counts_at_once() {
    let bytes = year("SUM(Jan:Mar!B2)");
    let delete = |sheet: &str| Edit::DeleteSheet { sheet: sheet.into() };
    let to = |sheet: &str, position| Edit::MoveSheet { sheet: sheet.into(), position };
    let add = Edit::AddSheet { name: "Leap".into(), before: Some("Mar".into()) };
    let copy = Edit::CopySheet { sheet: "Feb".into(), name: "Feb 2".into() };
    let rename =
        |from: &str, name: &str| Edit::RenameSheet { sheet: from.into(), name: name.into() };
    for (edits, expected) in [
        (vec![add, set("Leap!B2", "7")], "=SUM(Jan:Mar!B2) Number(118.0)"),
        (vec![copy], "=SUM(Jan:Mar!B2) Number(121.0)"),
        (vec![delete("Feb")], "=SUM(Jan:Mar!B2) Number(101.0)"),
        (vec![delete("Mar")], "=SUM(Jan:Feb!B2) Number(11.0)"),
        (vec![delete("Jan")], "=SUM(Feb:Mar!B2) Number(110.0)"),
        (vec![delete("Jan"), delete("Mar")], "=SUM(Feb!B2) Number(10.0)"),
        (vec![delete("Jan"), delete("Mar"), delete("Feb")], "=SUM(#REF!) Text(\"#REF!\")"),
        (vec![delete("Apr"), set("Jan!B2", "2")], "=SUM(Jan:Mar!B2) Number(112.0)"),
        // In and out of the middle, and an end that goes on.
        (vec![to("Apr", 2)], "=SUM(Jan:Mar!B2) Number(1111.0)"),
        (vec![to("Feb", 5)], "=SUM(Jan:Mar!B2) Number(101.0)"),
        (vec![to("Mar", 4)], "=SUM(Jan:Mar!B2) Number(1111.0)"),
        // An end that would pass the other one.
        (vec![to("Jan", 5)], "=SUM(Feb:Mar!B2) Number(110.0)"),
        (vec![to("Mar", 1)], "=SUM(Jan:Feb!B2) Number(11.0)"),
        (vec![rename("Jan", "January"), set("Feb!B2", "20")], "=SUM(January:Mar!B2) Number(121.0)"),
        (vec![rename("Mar", "Mär z"), set("Feb!B2", "20")], "=SUM('Jan:Mär z'!B2) Number(121.0)"),
        (vec![rename("Mar", "It's"), delete("Feb")], "=SUM('Jan:It''s'!B2) Number(101.0)"),
    ] {
        let found = total(&edited(&bytes, &edits).bytes);
        assert_eq!(found, expected, "{edits:?}");
    }
}

#[test]
fn names_and_quoted_references_follow_too() {
    let bytes = year("SUM(quarter)+SUM('Feb:Apr'!B2)");
    let delete = |sheet: &str| Edit::DeleteSheet { sheet: sheet.into() };
    let done = edited(&bytes, &[delete("Mar"), delete("Apr")]);
    assert_eq!(total(&done.bytes), "=SUM(quarter)+SUM(Feb!B2) Number(21.0)");
    let package = crate::package::Package::open(done.bytes).unwrap();
    let xml = package.text("xl/workbook.xml").unwrap().unwrap();
    assert!(xml.contains(">Jan:Feb!$B$2<"), "{xml}");
}

/// Excel does not move these, because only one of the sheets has changed.
#[test]
fn rows_of_one_sheet_are_warned_of() {
    let bytes = year("SUM(Jan:Mar!B2)");
    let done = edited(&bytes, &[Edit::Insert { place: "Feb!1:1".into() }]);
    assert_eq!(total(&done.bytes), "=SUM(Jan:Mar!B2) Number(101.0)");
    assert!(done.warnings.iter().any(|it| it.contains("several sheets at once")));
}

#[test]
fn a_copied_sheet_keeps_its_references_to_several_sheets() {
    let bytes = year("SUM(Jan:Total!B2)+Total!C1");
    let copy = Edit::CopySheet { sheet: "Total".into(), name: "Copy".into() };
    let done = edited(&bytes, &[copy]);
    let page = crate::read_cells(done.bytes, "Copy!A1", 1, World::default()).unwrap();
    assert_eq!(page.cells[0].formula.as_deref(), Some("=SUM(Jan:Total!B2)+Copy!C1"));
}
