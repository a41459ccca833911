//! Errors that a batch introduces: each is named with its place.

use super::{Edit, EditOptions, Expected, Input, SetCell, apply};
use crate::sample::{Sample, rows};

fn book() -> Sample {
    let names = "<definedNames><definedName name=\"rate\">Data!$B$1</definedName><definedName name=\"twice\">rate*2</definedName></definedNames>";
    Sample::default()
        .sheet(
            "Data",
            &rows(&[&["1", "2", "3"], &["4", "5", "6"], &["=A1", "=IFERROR(A2,0)", "#"]]),
        )
        .sheet("Sum", &rows(&[&["=Data!A1", "=rate*2", "=SUM(Data!A2:C2)", "=IFERROR(Data!C1,0)"]]))
        .names(names)
}

fn warnings(edits: &[Edit]) -> Vec<String> {
    apply(book().bytes(), &[], edits, &EditOptions::default()).unwrap().warnings
}

fn has(all: &[String], parts: [&str; 2]) -> bool {
    all.iter().any(|it| parts.iter().all(|part| it.contains(part)))
}

fn typed(at: &str, formula: &str) -> Edit {
    Edit::SetCells(vec![SetCell { at: at.into(), value: Input::Text(formula.into()) }])
}

#[test]
fn deleted_rows_and_columns() {
    let all = warnings(&[Edit::Delete { place: "Data!1:1".into() }]);
    for place in ["Sum!A1", "Sum!B1", "Sum!D1", "Data!A2", "the name `rate`"] {
        assert!(has(&all, [place, "#REF!"]), "{place}: {all:?}");
    }
    let all = warnings(&[Edit::Delete { place: "Data!A:C".into() }]);
    assert!(has(&all, ["Sum!C1", "#REF!"]), "{all:?}");
}

#[test]
fn a_deleted_sheet() {
    let all = warnings(&[Edit::DeleteSheet { sheet: "Data".into() }]);
    for place in ["Sum!A1", "Sum!B1", "Sum!C1", "Sum!D1", "the name `rate`"] {
        assert!(has(&all, [place, "#REF!"]), "{place}: {all:?}");
    }
}

#[test]
fn a_deleted_sheet_with_errors_of_its_own_hides_none() {
    let book = Sample::default()
        .sheet("Old", &rows(&[&["=#REF!", "=#REF!+1", "=#REF!+2"]]))
        .sheet("Sum", &rows(&[&["=IFERROR(Old!A1,0)"]]))
        .bytes();
    let edit = Edit::DeleteSheet { sheet: "Old".into() };
    let all = apply(book, &[], &[edit], &EditOptions::default()).unwrap().warnings;
    assert!(has(&all, ["1 formula lost its references", "Sum!A1"]), "{all:?}");
}

#[test]
fn errors_that_were_there_are_not_warned_of() {
    let book =
        Sample::default().sheet("S", &rows(&[&["=#REF!", "1"], &["2", "3"], &["4", "5"]])).bytes();
    let edit = Edit::Delete { place: "S!3:3".into() };
    let all = apply(book, &[], &[edit], &EditOptions::default()).unwrap().warnings;
    assert!(!all.iter().any(|it| it.contains("lost")), "{all:?}");
}

#[test]
fn a_removed_or_renamed_name() {
    let remove = Edit::SetName { name: "rate".into(), refers_to: None };
    let other = Edit::SetName { name: "tax".into(), refers_to: Some("=Data!$B$1".into()) };
    for edits in [vec![remove.clone()], vec![remove, other]] {
        let all = warnings(&edits);
        assert!(has(&all, ["Sum!B1", "#NAME?"]), "{all:?}");
        assert!(has(&all, ["the name `twice` uses the name `rate`", "#NAME?"]), "{all:?}");
    }
}

#[test]
fn typed_formulas() {
    for (formula, error) in [
        ("=Missing!A1", "#REF!"),
        ("=nothing+1", "#NAME?"),
        ("=NOSUCH(1)", "#NAME?"),
        ("=Table9[Sum]", "does not exist"),
        ("=Sum!E1+1", "circular"),
    ] {
        let all = warnings(&[typed("Sum!E1", formula)]);
        assert!(has(&all, ["Sum!E1", error]), "{formula}: {all:?}");
    }
}

#[test]
fn a_circle_over_two_sheets() {
    let all = warnings(&[typed("Data!A1", "=Sum!A1+1")]);
    assert!(has(&all, ["circular", "!A1"]), "{all:?}");
}

#[test]
fn a_copy_that_leaves_the_sheet() {
    let copy = Edit::CopyRange { from: "Data!A3".into(), to: "Sum!A2".into() };
    let all = warnings(&[copy]);
    assert!(has(&all, ["Sum!A2", "#REF!"]), "{all:?}");
}

#[test]
fn rules_lose_references_too() {
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let sheet = format!(
        "<worksheet xmlns=\"{main}\"><sheetData>{}</sheetData><conditionalFormatting sqref=\"A1:A2\"><cfRule type=\"expression\"><formula>$C$1&gt;1</formula></cfRule></conditionalFormatting></worksheet>",
        rows(&[&["1", "2", "3"], &["4", "5", "6"]])
    );
    let book = Sample::default().sheet("S", &sheet).bytes();
    let edit = Edit::Delete { place: "S!C:C".into() };
    let all = apply(book, &[], &[edit], &EditOptions::default()).unwrap().warnings;
    assert!(has(&all, ["rules of the sheet `S`", "#REF!"]), "{all:?}");
}

#[test]
fn cells_that_do_not_match_are_named_even_without_edits() {
    let expected = [Expected { at: "Data!A1".into(), value: Input::Number("2".into()) }];
    let error = apply(book().bytes(), &expected, &[], &EditOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "Data!A1: expected 2, but there is 1");
    let edits = [typed("Data!B2", "=A1")];
    let error = apply(book().bytes(), &expected, &edits, &EditOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "Data!A1: expected 2, but there is 1");
}
