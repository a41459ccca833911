//! Edits of small workbooks that are made here.

use super::{Edit, EditOptions, Expected, Input, SetCell, apply, what_if};
use crate::sample::workbook;
use crate::world::World;

const BUDGET: &str = concat!(
    "<row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"B1\"><f>A1*2</f><v>2</v></c></row>",
    "<row r=\"2\"><c r=\"A2\"><v>2</v></c><c r=\"B2\"><f t=\"shared\" si=\"0\" ref=\"B2:B3\">A2*2</f><v>4</v></c></row>",
    "<row r=\"3\"><c r=\"A3\"><v>3</v></c><c r=\"B3\"><f t=\"shared\" si=\"0\"/><v>6</v></c></row>",
    "<row r=\"5\"><c r=\"B5\"><f>SUM(B1:B3)</f><v>12</v></c></row>",
);

fn set(at: &str, value: Input) -> Edit {
    Edit::SetCells(vec![SetCell { at: at.into(), value }])
}

fn text(text: &str) -> Input {
    Input::Text(text.into())
}

fn formula(bytes: &[u8], at: &str) -> String {
    let page = crate::read_cells(bytes.to_vec(), at, 10, World::default()).unwrap();
    page.cells
        .first()
        .map(|it| format!("{} {:?}", it.formula.clone().unwrap_or_default(), it.value))
        .unwrap_or_default()
}

#[test]
fn nothing_changes_without_an_edit() {
    let bytes = workbook(&[("S", BUDGET)], "");
    assert_eq!(apply(bytes.clone(), &[], &[], &EditOptions::default()).unwrap().bytes, bytes);
}

#[test]
fn totals_follow_a_changed_input() {
    let bytes = workbook(
        &[("S", BUDGET), ("T", "<row r=\"1\"><c r=\"A1\"><f>S!B5+1</f><v>13</v></c></row>")],
        "",
    );
    let done =
        apply(bytes, &[], &[set("S!A3", Input::Number("10".into()))], &EditOptions::default())
            .unwrap();
    assert_eq!(done.recalculated, 3);
    assert_eq!(formula(&done.bytes, "S!B5"), "=SUM(B1:B3) Number(26.0)");
    assert_eq!(formula(&done.bytes, "T!A1"), "=S!B5+1 Number(27.0)");
    assert!(done.warnings.is_empty(), "{:?}", done.warnings);
}

#[test]
fn references_follow_inserted_and_deleted_rows() {
    let names = "<definedNames><definedName name=\"total\">S!$B$5</definedName></definedNames>";
    let bytes = workbook(
        &[("S", BUDGET), ("T", "<row r=\"1\"><c r=\"A1\"><f>S!B5+total</f><v>24</v></c></row>")],
        names,
    );
    let done =
        apply(bytes, &[], &[Edit::Insert { place: "S!2:3".into() }], &EditOptions::default())
            .unwrap();
    assert_eq!(formula(&done.bytes, "S!B7"), "=SUM(B1:B5) Number(12.0)");
    assert_eq!(formula(&done.bytes, "S!B5"), "=A5*2 Number(6.0)");
    assert_eq!(formula(&done.bytes, "T!A1"), "=S!B7+total Number(24.0)");
    let done =
        apply(done.bytes, &[], &[Edit::Delete { place: "S!5:5".into() }], &EditOptions::default())
            .unwrap();
    assert_eq!(formula(&done.bytes, "S!B6"), "=SUM(B1:B4) Number(6.0)");
    assert_eq!(formula(&done.bytes, "T!A1"), "=S!B6+total Number(12.0)");
    let gone =
        apply(done.bytes, &[], &[Edit::Delete { place: "S!A:A".into() }], &EditOptions::default())
            .unwrap();
    assert_eq!(formula(&gone.bytes, "S!A1"), "=#REF!*2 Text(\"#REF!\")");
    assert!(gone.warnings.iter().any(|it| it.contains("#REF!")), "{:?}", gone.warnings);
}

#[test]
fn a_batch_that_does_not_fit_is_refused_with_its_places() {
    let bytes = workbook(&[("S", BUDGET)], "");
    let expected = [Expected { at: "S!B5".into(), value: text("=SUM(B1:B4)") }];
    let edits = [
        set("S!A1", Input::Number("2".into())),
        set("X!A1", Input::Null),
        set("S!C1", text("=SUM(")),
    ];
    let problem = apply(bytes, &expected, &edits, &EditOptions::default()).unwrap_err().to_string();
    assert_eq!(problem.lines().count(), 3, "{problem}");
    assert!(
        problem.contains("S!B5: expected `=SUM(B1:B4)`, but there is =SUM(B1:B3) (12)"),
        "{problem}"
    );
}

#[test]
fn circles_and_unknown_functions_are_warned_of() {
    let bytes = workbook(&[("S", BUDGET)], "");
    let edits = [set("S!A1", text("=B5")), set("S!D1", text("=NOSUCH(1)"))];
    let done = apply(bytes, &[], &edits, &EditOptions::default()).unwrap();
    assert!(done.warnings.iter().any(|it| it.contains("circular")), "{:?}", done.warnings);
    assert!(done.warnings.iter().any(|it| it.contains("NOSUCH")), "{:?}", done.warnings);
}

#[test]
fn newer_functions_spill_and_get_their_prefix() {
    let bytes = workbook(&[("S", BUDGET)], "");
    let edits =
        [set("S!D1", text("=FILTER(A1:A3,A1:A3>1)")), set("S!E1", text("=LET(x,A1+1,x*x)"))];
    let done = apply(bytes, &[], &edits, &EditOptions::default()).unwrap();
    assert_eq!(formula(&done.bytes, "S!D1"), "=FILTER(A1:A3,A1:A3>1) Number(2.0)");
    assert_eq!(formula(&done.bytes, "S!D2"), " Number(3.0)");
    assert_eq!(formula(&done.bytes, "S!E1"), "=LET(x,A1+1,x*x) Number(4.0)");
}

#[test]
fn other_inputs_are_tried_without_a_change() {
    let bytes = workbook(&[("S", BUDGET)], "");
    let inputs = [Expected { at: "S!A1".into(), value: Input::Number("5".into()) }];
    let (found, warnings) = what_if(bytes, &inputs, &["S!B5".into()], World::default()).unwrap();
    assert_eq!(
        (found[0].before.as_str(), found[0].after.as_str(), warnings.len()),
        ("12", "20", 0)
    );
}

#[test]
fn sheets_are_renamed_copied_and_deleted() {
    let bytes = workbook(
        &[("S", BUDGET), ("T", "<row r=\"1\"><c r=\"A1\"><f>S!B5</f><v>12</v></c></row>")],
        "",
    );
    let edits = [
        Edit::RenameSheet { sheet: "S".into(), name: "My S".into() },
        Edit::CopySheet { sheet: "T".into(), name: "U".into() },
        Edit::MoveSheet { sheet: "U".into(), position: 1 },
    ];
    let done = apply(bytes, &[], &edits, &EditOptions::default()).unwrap();
    assert_eq!(formula(&done.bytes, "U!A1"), "='My S'!B5 Number(12.0)");
    let gone = apply(
        done.bytes,
        &[],
        &[Edit::DeleteSheet { sheet: "My S".into() }],
        &EditOptions::default(),
    )
    .unwrap();
    assert_eq!(formula(&gone.bytes, "T!A1"), "=#REF! Text(\"#REF!\")");
    assert!(!gone.warnings.is_empty());
}
