//! Edits of excerpts give the same as edits of whole workbooks.

use super::Excerpt;
use crate::edit::{Edit, EditOptions, Expected, Input, SetCell, apply, apply_to, open};
use crate::sample::Sample;
use crate::zip::Zip;
use std::fmt::Write as _;

const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

/// Returns rows whose numbers are far enough from a pattern that packed blocks refer to each other in all ways. Row 7 and each
/// hundredth row are not there.
fn rows(count: u32) -> String {
    let mut out = String::new();
    let mut state = 12_345_u32;
    for row in (1..=count).filter(|it| *it != 7 && it % 100 != 0) {
        let _ = write!(out, "<row r=\"{row}\" spans=\"1:6\">");
        for column in ["A", "B", "C", "D", "E", "F"] {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let _ = write!(out, "<c r=\"{column}{row}\"><v>{}</v></c>", (state >> 8) % 10_000);
        }
        out += "</row>";
    }
    out
}

fn sheet(head: &str, rows: &str, tail: &str) -> String {
    format!("<worksheet xmlns=\"{MAIN}\">{head}<sheetData>{rows}</sheetData>{tail}</worksheet>")
}

fn large() -> Sample {
    Sample::default().sheet("Data", &sheet("<dimension ref=\"A1:F3000\"/>", &rows(3_000), ""))
}

fn set(cells: &[(&str, &str)]) -> Vec<Edit> {
    let cell = |(at, value): &(&str, &str)| SetCell {
        at: (*at).to_owned(),
        value: match value.parse::<f64>() {
            Ok(_) => Input::Number((*value).to_owned()),
            Err(_) if value.is_empty() => Input::Null,
            Err(_) => Input::Text((*value).to_owned()),
        },
    };
    vec![Edit::SetCells(cells.iter().map(cell).collect())]
}

/// Returns names and contents of all parts.
fn parts(bytes: &[u8]) -> Vec<(String, String)> {
    let zip = Zip::open(bytes.to_vec()).unwrap();
    let part = |name: &str| {
        let content = zip.read(name).unwrap().unwrap();
        (name.to_owned(), String::from_utf8_lossy(&content).into_owned())
    };
    zip.names().map(part).collect()
}

/// Edits a workbook by an excerpt and as a whole, and compares everything. Returns the parts.
fn both(bytes: &[u8], edits: &[Edit]) -> Vec<(String, String)> {
    let options = EditOptions::default();
    let excerpt = Excerpt::of(bytes, edits, &[]).unwrap();
    assert!(excerpt.workbook().len() < bytes.len() / 2);
    let mut book = open(excerpt.workbook().to_vec()).unwrap();
    book.is_excerpt = true;
    let small = apply_to(book, &[], edits, &options).unwrap();
    let new = excerpt.put_back(&small.bytes).unwrap();
    let whole = apply_to(open(bytes.to_vec()).unwrap(), &[], edits, &options).unwrap();
    assert_eq!(parts(&new), parts(&whole.bytes));
    assert_eq!((&small.changes, &small.warnings), (&whole.changes, &whole.warnings));
    assert_eq!(apply(bytes.to_vec(), &[], edits, &options).unwrap().bytes, new);
    parts(&new)
}

/// Returns `true` if a batch is left to the whole workbook, and gives the same there.
fn needs_whole(bytes: &[u8], edits: &[Edit]) -> bool {
    let options = EditOptions::default();
    let done = Excerpt::of(bytes, edits, &[]).and_then(|excerpt| {
        let mut book = open(excerpt.workbook().to_vec()).ok()?;
        book.is_excerpt = true;
        let done = apply_to(book, &[], edits, &options).ok()?;
        excerpt.put_back(&done.bytes)
    });
    let whole = apply_to(open(bytes.to_vec()).unwrap(), &[], edits, &options);
    let whole = whole.map(|it| it.bytes).map_err(|it| it.to_string());
    let both = apply(bytes.to_vec(), &[], edits, &options).map(|it| it.bytes);
    assert_eq!(both.map_err(|it| it.to_string()), whole);
    done.is_none()
}

#[test]
fn cells_change_anywhere_in_a_large_sheet() {
    let bytes = large().bytes();
    let mut all = Vec::new();
    for row in (1..=3_010).step_by(43).chain([7, 100, 2_999, 3_000]) {
        both(&bytes, &set(&[(&format!("Data!C{row}"), "1234567.5")]));
        all.push(format!("C{row}"));
    }
    let cells: Vec<(&str, &str)> =
        all.iter().map(|it| (it.as_str(), "a longer text & more")).collect();
    both(&bytes, &set(&cells));
    both(&bytes, &set(&[("A1", ""), ("B1", "x"), ("A2", "0"), ("H7", "new"), ("A9", "中文")]));
    both(&bytes, &set(&[("A5000", "1"), ("A4000", "2"), ("Z4001", "3")]));
}

#[test]
fn ranges_and_expected_values_need_only_their_rows() {
    let bytes = large().bytes();
    let row = vec![Input::Number("5".into()), Input::Bool(true)];
    both(&bytes, &[Edit::SetRange { at: "Data!B95".into(), rows: vec![row; 12] }]);
    let expected =
        |value: &str| [Expected { at: "Data!A1500".into(), value: Input::Text(value.into()) }];
    let edits = set(&[("A1", "1")]);
    assert!(Excerpt::of(&bytes, &edits, &expected("x")).is_some());
    let error = apply(bytes, &expected("x"), &edits, &EditOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "Data!A1500: expected `x`, but there is nothing");
}

#[test]
fn most_of_the_packed_sheet_is_copied() {
    let bytes = Sample::default().sheet("Data", &sheet("", &rows(60_000), "")).bytes();
    let edits = set(&[("Data!B30001", "7")]);
    let new = apply(bytes.clone(), &[], &edits, &EditOptions::default()).unwrap().bytes;
    let data = |bytes: &[u8]| {
        let entry = super::entry::find(bytes, "xl/worksheets/sheet1.xml").unwrap();
        bytes[entry.data].to_vec()
    };
    let (old, new) = (data(&bytes), data(&new));
    let start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    assert!(start + end > old.len() * 3 / 4, "{start} + {end} of {}", old.len());
}

#[test]
fn nothing_changes_if_the_values_are_the_same() {
    let bytes = large().bytes();
    let old = crate::read_cells(bytes.clone(), "Data!D20", 1, crate::World::default()).unwrap();
    let crate::CellValue::Number(old) = old.cells[0].value else { panic!("expected a number") };
    let done =
        apply(bytes.clone(), &[], &set(&[("D20", &old.to_string())]), &EditOptions::default());
    assert_eq!(done.unwrap().bytes, bytes);
}

#[test]
fn formulas_that_depend_on_a_change_need_the_whole_sheet() {
    let tail = "<row r=\"3001\"><c r=\"A3001\"><f>SUM(A1:A3000)</f><v>1</v></c></row>";
    let own = sheet("", &(rows(3_000) + tail), "");
    let other = "<row r=\"1\"><c r=\"A1\"><f>Data!B5+1</f><v>1</v></c></row>";
    let bytes = Sample::default().sheet("Data", &own).sheet("Sum", other).bytes();
    assert!(needs_whole(&bytes, &set(&[("Data!A9", "1")])));
    assert!(needs_whole(&bytes, &set(&[("Data!B5", "1")])));
    both(&bytes, &set(&[("Data!B6", "1")]));
    // A formula that is replaced, and one whose value is not stored.
    both(&bytes, &set(&[("Data!A3001", "1")]));
    let new = sheet("", &(rows(3_000) + &tail.replace("<v>1</v>", "")), "");
    assert!(needs_whole(&Sample::default().sheet("Data", &new).bytes(), &set(&[("C9", "1")])));
    let volatile = tail.replace("SUM(A1:A3000)", "INDIRECT(\"C\"&amp;9)");
    let volatile = sheet("", &(rows(3_000) + &volatile), "");
    assert!(needs_whole(&Sample::default().sheet("Data", &volatile).bytes(), &set(&[("C9", "1")])));
}

#[test]
fn other_edits_and_formulas_need_the_whole_sheet() {
    let bytes = large().bytes();
    for edits in [
        set(&[("A1", "=B1")]),
        set(&[("Nowhere!A1", "1")]),
        set(&[("A1:B2", "1"), ("XFE1", "1")]),
        vec![Edit::Insert { place: "Data!5:6".into() }],
        vec![Edit::Clear { range: "Data!A1:A9".into() }],
    ] {
        assert!(needs_whole(&bytes, &edits), "{edits:?}");
    }
    let merged = "<mergeCells count=\"1\"><mergeCell ref=\"A20:B20\"/></mergeCells>";
    let bytes = Sample::default().sheet("Data", &sheet("", &rows(3_000), merged)).bytes();
    assert!(needs_whole(&bytes, &set(&[("B20", "1")])));
    both(&bytes, &set(&[("A20", "1")]));
}

#[test]
fn a_chart_of_changed_cells_needs_the_whole_sheet() {
    let chart = concat!(
        "<c:chartSpace xmlns:c=\"c\"><c:chart><c:numRef><c:f>Data!$A$1:$A$50</c:f>",
        "<c:numCache><c:ptCount val=\"0\"/></c:numCache></c:numRef></c:chart></c:chartSpace>",
    );
    let bytes = large()
        .part("xl/drawings/drawing1.xml", "<d/>")
        .part("xl/charts/chart1.xml", chart)
        .relation("xl/worksheets/sheet1.xml", "drawing", "xl/drawings/drawing1.xml")
        .relation("xl/drawings/drawing1.xml", "chart", "xl/charts/chart1.xml")
        .bytes();
    assert!(needs_whole(&bytes, &set(&[("A9", "1")])));
    both(&bytes, &set(&[("A51", "1")]));
}

#[test]
fn unusual_and_damaged_sheets_are_read_as_a_whole() {
    let many = rows(3_000);
    let edits = set(&[("C9", "1")]);
    for rows in [
        many.replace("<row r=\"12\"", "<row"),
        many.replace("<row r=\"12\"", "<!-- a comment --><row r=\"12\""),
        many.replace("<row r=\"12\"", "<row r=\"11\""),
        many.clone() + "</sheetData><sheetData>",
    ] {
        let bytes = Sample::default().sheet("Data", &sheet("", &rows, "")).bytes();
        assert!(Excerpt::of(&bytes, &edits, &[]).is_none());
    }
    // White space between rows is usual.
    let spaced = many.replace("<row ", "\n  <row ");
    both(&Sample::default().sheet("Data", &sheet("", &spaced, "\n")).bytes(), &edits);
    let bytes = large().bytes();
    let entry = super::entry::find(&bytes, "xl/worksheets/sheet1.xml").unwrap();
    for at in entry.data.clone().step_by(997) {
        let mut bytes = bytes.clone();
        bytes[at] ^= 0x10;
        if let Some(excerpt) = Excerpt::of(&bytes, &edits, &[]) {
            panic!("byte {at} is damaged, but there is {excerpt:?}");
        }
        assert!(apply(bytes, &[], &edits, &EditOptions::default()).is_err());
    }
}

#[test]
fn new_rows_go_where_the_whole_workbook_has_them() {
    let many = rows(3_000);
    let many = &many[many.find("<row r=\"5\"").unwrap()..];
    for space in ["", "\n  ", " <!-- a comment -->"] {
        let spaced = many.replace("<row ", &format!("{space}<row ")) + space;
        let bytes = Sample::default().sheet("Data", &sheet("", &spaced, "")).bytes();
        if space.contains('-') {
            assert!(needs_whole(&bytes, &set(&[("A2", "1")])));
            continue;
        }
        for cells in [
            &[("A2", "1")][..],
            &[("A1", "1"), ("B3", "2"), ("C5", "3")],
            &[("A4", "1"), ("A6", ""), ("A7", "2"), ("A200", "3")],
            &[("A2", "1"), ("A2", "")],
            &[("A3", "1"), ("A4000", "2"), ("A4001", "3")],
        ] {
            both(&bytes, &set(cells));
        }
    }
    // A sheet without rows, which is large by its notes.
    let notes = format!("<!-- {} -->", "a note ".repeat(3_000));
    for space in ["", "\n  "] {
        let bytes = Sample::default().sheet("Data", &sheet("", space, &notes)).bytes();
        let edits = set(&[("A2", "1"), ("A9", "2")]);
        let done = Excerpt::of(&bytes, &edits, &[]).and_then(|excerpt| {
            let mut book = open(excerpt.workbook().to_vec()).unwrap();
            book.is_excerpt = true;
            let done = apply_to(book, &[], &edits, &EditOptions::default()).unwrap();
            excerpt.put_back(&done.bytes)
        });
        let whole = apply_to(open(bytes).unwrap(), &[], &edits, &EditOptions::default()).unwrap();
        assert_eq!(parts(&done.unwrap()), parts(&whole.bytes));
    }
}

#[test]
fn names_may_have_prefixes() {
    let rows = rows(3_000).replace("</", "</x:").replace("<row", "<x:row");
    let rows = rows.replace("<c ", "<x:c ").replace("<v>", "<x:v>");
    let xml =
        format!("<x:worksheet xmlns:x=\"{MAIN}\"><x:sheetData>{rows}</x:sheetData></x:worksheet>");
    // The sample takes whole parts only without a prefix.
    let bytes = large().bytes();
    let zip = Zip::open(bytes).unwrap();
    let bytes = zip.rewrite(&[("xl/worksheets/sheet1.xml".into(), xml.into_bytes())], &[]).unwrap();
    both(&bytes, &set(&[("B44", "1"), ("C700", "2")]));
}

#[test]
fn edits_of_edits_still_fit() {
    let mut bytes = large().bytes();
    for row in [1_u32, 2_500, 40, 41, 2_999, 1_000, 3_500, 7] {
        let edits = set(&[(&format!("Data!E{row}"), "99.25"), ("Data!A1", &row.to_string())]);
        both(&bytes, &edits);
        bytes = apply(bytes, &[], &edits, &EditOptions::default()).unwrap().bytes;
    }
}
