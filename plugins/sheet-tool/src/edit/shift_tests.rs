//! What inserted and deleted rows and columns do to arrays, rules, frozen panes and references to several sheets.

use super::{Edit, EditOptions, apply};
use crate::sample::{Sample, rows};

const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

fn insert(place: &str) -> Edit {
    Edit::Insert { place: place.into() }
}

fn delete(place: &str) -> Edit {
    Edit::Delete { place: place.into() }
}

fn edited(sample: &Sample, edits: &[Edit]) -> (String, Vec<String>) {
    let done = apply(sample.bytes(), &[], edits, &EditOptions::default()).unwrap();
    let package = crate::package::Package::open(done.bytes).unwrap();
    (package.text("xl/worksheets/sheet1.xml").unwrap().unwrap(), done.warnings)
}

fn around(head: &str, cells: &str, tail: &str) -> Sample {
    let sheet = format!(
        "<worksheet xmlns=\"{MAIN}\">{head}<sheetData>{cells}</sheetData>{tail}</worksheet>"
    );
    Sample::default().sheet("S", &sheet)
}

#[test]
fn array_formulas_are_shifted_once() {
    let cells = concat!(
        "<row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"B1\"><v>2</v></c><c r=\"C1\"><v>3</v></c>",
        "<c r=\"E1\"><f t=\"array\" ref=\"E1\">SUM(A1:C1*{1,2,3})</f><v>14</v></c></row>",
        "<row r=\"5\"><c r=\"E5\"><f t=\"array\" ref=\"E5:E6\">A1:A2*2</f><v>2</v></c></row><row r=\"6\"><c r=\"E6\"><v>0</v></c></row>",
    );
    let sample = around("", cells, "");
    let (sheet, _) = edited(&sample, &[insert("S!A:A")]);
    assert!(sheet.contains("ref=\"F1\">SUM(B1:D1*{1,2,3})</f><v>14</v>"), "{sheet}");
    assert!(sheet.contains("ref=\"F5:F6\">B1:B2*2</f>"), "{sheet}");
    let (sheet, _) = edited(&sample, &[insert("S!1:1"), insert("S!A:A")]);
    assert!(sheet.contains("ref=\"F2\">SUM(B2:D2*{1,2,3})</f><v>14</v>"), "{sheet}");
    // Two numbers against three: an error, as in Excel, and not the old value.
    let (sheet, _) = edited(&sample, &[delete("S!A:A")]);
    assert!(sheet.contains("ref=\"D1\">SUM(A1:B1*{1,2,3})</f><v>#N/A</v>"), "{sheet}");
}

#[test]
fn rules_survive_the_deletion_of_their_first_row() {
    let tail = concat!(
        "<conditionalFormatting sqref=\"B5:B9\"><cfRule type=\"expression\" priority=\"1\"><formula>B5&gt;$C5+$D$2</formula></cfRule></conditionalFormatting>",
        "<dataValidations count=\"1\"><dataValidation type=\"custom\" sqref=\"E5:E9\"><formula1>E5&gt;D4</formula1></dataValidation></dataValidations>",
        "<extLst><ext><x14:conditionalFormattings><x14:conditionalFormatting><x14:cfRule><xm:f>F5&gt;1</xm:f></x14:cfRule><xm:sqref>F5:F9</xm:sqref></x14:conditionalFormatting></x14:conditionalFormattings></ext></extLst>",
    );
    let sample = around("", &rows(&[&["1"]]), tail);
    let (sheet, warnings) = edited(&sample, &[delete("S!5:5")]);
    for part in [
        "sqref=\"B5:B8\"",
        "<formula>B5&gt;$C5+$D$2</formula>",
        "<formula1>E5&gt;D4</formula1>",
        "<xm:f>F5&gt;1</xm:f>",
        "<xm:sqref>F5:F8</xm:sqref>",
    ] {
        assert!(sheet.contains(part), "{part}: {sheet}");
    }
    assert!(warnings.is_empty(), "{warnings:?}");
    let (sheet, _) = edited(&sample, &[delete("S!5:7")]);
    assert!(sheet.contains("<formula>B5&gt;$C5+$D$2</formula>"), "{sheet}");
    let (sheet, _) = edited(&sample, &[delete("S!4:4")]);
    assert!(sheet.contains("<formula>B4&gt;$C4+$D$2</formula>"), "{sheet}");
    assert!(sheet.contains("<formula1>E4&gt;D3</formula1>"), "{sheet}");
    // A fixed cell that goes is lost, with a warning.
    let (sheet, warnings) = edited(&sample, &[delete("S!2:2")]);
    assert!(sheet.contains("#REF!") && !warnings.is_empty(), "{sheet} {warnings:?}");
}

#[test]
fn frozen_rows_grow_and_shrink() {
    let head = "<sheetViews><sheetView workbookViewId=\"0\"><pane xSplit=\"1\" ySplit=\"4\" topLeftCell=\"B5\" state=\"frozen\"/></sheetView></sheetViews>";
    let sample = around(head, &rows(&[&["1"]]), "");
    for (edit, split, top) in [
        (insert("S!2:3"), "ySplit=\"6\"", "B7"),
        (insert("S!9:9"), "ySplit=\"4\"", "B5"),
        (delete("S!2:3"), "ySplit=\"2\"", "B3"),
        (insert("S!A:A"), "xSplit=\"2\"", "C5"),
    ] {
        let (sheet, _) = edited(&sample, &[edit]);
        assert!(
            sheet.contains(split) && sheet.contains(&format!("topLeftCell=\"{top}\"")),
            "{sheet}"
        );
    }
}

#[test]
fn references_to_several_sheets_are_warned_of() {
    let sample = Sample::default()
        .sheet("A", &rows(&[&["1"], &["2"]]))
        .sheet("B", &rows(&[&["1"], &["2"]]))
        .sheet("Sum", &rows(&[&["=SUM(A:B!A2)"]]));
    let (_, warnings) = edited(&sample, &[insert("A!1:1")]);
    assert!(
        warnings.iter().any(|it| it.contains("Sum!A1") && it.contains("several sheets")),
        "{warnings:?}"
    );
    let (_, warnings) = edited(&sample, &[insert("A!9:9")]);
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn a_copied_sheet_has_no_links_to_parts_of_the_other() {
    let head = "<sheetViews><sheetView workbookViewId=\"0\"><pivotSelection r:id=\"rId5\"><pivotArea/></pivotSelection></sheetView></sheetViews>";
    let tail = "<customProperties><customPr name=\"x\" r:id=\"rId6\"/></customProperties>";
    let sample = around(head, &rows(&[&["1"]]), tail);
    let edit = Edit::CopySheet { sheet: "S".into(), name: "T".into() };
    let done = apply(sample.bytes(), &[], &[edit], &EditOptions::default()).unwrap();
    let package = crate::package::Package::open(done.bytes).unwrap();
    let sheet = package.text("xl/worksheets/sheet2.xml").unwrap().unwrap();
    assert!(!sheet.contains("r:id") && !sheet.contains("customPr"), "{sheet}");
}

#[test]
fn a_lost_range_of_a_conditional_sum_is_its_error() {
    let sample = Sample::default()
        .sheet("S", &rows(&[&["1", "=SUMIFS(#REF!,A1:A2,1)", "=SUMIFS(A1:A2,#REF!,1)"]]));
    let (sheet, _) = edited(&sample, &[insert("S!2:2")]);
    assert_eq!(sheet.matches("<v>#REF!</v>").count(), 2, "{sheet}");
}

/// An element that is removed may end where another one does, and the rows then had no end.
#[test]
fn a_damaged_sheet_keeps_its_rows() {
    let rule = "<dataValidation sqref=\"B1\"><formula1>0</formula1></dataValidation>";
    for (name, end) in [("ditaValidations", "dataValidations"), ("dataValidations", "rules")] {
        let tail = format!("<{name} count=\"1\">{rule}</{end}>");
        let sample = around("", "<row r=\"1\"><c r=\"B1\"><v>2</v></c></row>", &tail);
        let done = apply(sample.bytes(), &[], &[delete("S!B:C")], &EditOptions::default());
        if end == "rules" {
            drop(crate::overview(done.unwrap().bytes, None).unwrap());
        } else {
            assert!(done.unwrap_err().to_string().contains("without an end"));
        }
    }
}
