//! Columns of tables: inserted, deleted, and what becomes of merged cells.

use crate::common::{deck, edit_parts, info, no_files, part, problem, run};
use deck_tool::{Edit, edit};

const SLIDE: &str = "ppt/slides/slide1.xml";

fn insert(after: u32, columns: &[&[&str]]) -> Edit {
    let column = |it: &&[&str]| it.iter().map(|it| (*it).to_owned()).collect();
    Edit::InsertColumns {
        shape: "s256/4".to_owned(),
        after,
        columns: columns.iter().map(column).collect(),
    }
}

fn delete(column: u32, count: u32) -> Edit {
    Edit::DeleteColumns { shape: "s256/4".to_owned(), column, count }
}

fn rows(bytes: &[u8]) -> Vec<Vec<String>> {
    info(bytes).slides[0].shapes[2].rows.clone()
}

#[test]
fn new_columns_look_like_their_neighbours_and_the_table_keeps_its_width() {
    let done = run(&[insert(2, &[&["Costs", "7"], &["Profit", "", "<9>"]])]);
    assert_eq!(
        rows(&done.bytes),
        [["Region", "Sales", "Costs", "Profit"], ["East", "1", "7", ""], ["", "2", "", "<9>"]]
    );
    let slide = part(&done.bytes, SLIDE);
    assert_eq!(slide.matches("<a:gridCol w=\"1000000\"/>").count(), 4, "{slide}");
    assert!(slide.contains("<a:ext cx=\"4000000\" cy=\"1112520\"/>"));
    // The format of the neighbour, and its merge downwards stays alone.
    assert!(slide.contains(
        "<a:tc><a:txBody><a:bodyPr/><a:lstStyle/><a:p><a:r><a:rPr b=\"1\"/><a:t>Costs</a:t>"
    ));
    assert_eq!((slide.matches("rowSpan").count(), slide.matches("vMerge").count()), (1, 1));
    let first = run(&[insert(0, &[&["No", "1", "2"]])]);
    assert_eq!(rows(&first.bytes), [["No", "Region", "Sales"], ["1", "East", "1"], ["2", "", "2"]]);
    assert_eq!(part(&first.bytes, SLIDE).matches("rowSpan").count(), 1);
    assert_eq!(done.changes, ["2 new columns came behind column 2 of s256/4."]);
}

#[test]
fn a_deleted_column_makes_the_table_narrower() {
    let done = run(&[delete(1, 1)]);
    assert_eq!(rows(&done.bytes), [["Sales"], ["1"], ["2"]]);
    let slide = part(&done.bytes, SLIDE);
    assert!(slide.contains("<a:ext cx=\"2000000\" cy=\"1112520\"/>"), "{slide}");
    assert_eq!(slide.matches("<a:gridCol").count(), 1);
    let both = run(&[insert(1, &[&["a"], &["b"]]), delete(2, 2)]);
    assert_eq!(rows(&both.bytes), rows(&deck()));
    assert!(both.changes[1].starts_with("Columns 2 to 3 of"), "{:?}", both.changes);
}

/// The deck with its table's head in one cell over both columns, and with ids of its columns.
fn merged() -> Vec<u8> {
    let id = |number: u32| {
        format!(
            "<a:gridCol w=\"2000000\"><a:extLst><a:ext uri=\"u\"><x:colId xmlns:x=\"urn:x\" val=\"{number}\"/></a:ext></a:extLst></a:gridCol>"
        )
    };
    let columns = format!("{}{}</a:tblGrid>", id(20), id(30));
    edit_parts(
        &deck(),
        &[
            (SLIDE, "<a:gridCol w=\"2000000\"/><a:gridCol w=\"2000000\"/></a:tblGrid>", &columns),
            (SLIDE, "<a:tr h=\"370840\"><a:tc>", "<a:tr h=\"370840\"><a:tc gridSpan=\"2\">"),
            (
                SLIDE,
                "</a:tc><a:tc><a:txBody><a:bodyPr/><a:lstStyle/><a:p><a:r><a:rPr b=\"1\"/><a:t>Sales",
                "</a:tc><a:tc hMerge=\"1\"><a:txBody><a:bodyPr/><a:lstStyle/><a:p><a:r><a:rPr b=\"1\"/><a:t>",
            ),
        ],
    )
}

#[test]
fn merged_cells_grow_and_shrink() {
    let run = |edits: &[Edit]| edit(merged(), edits, &no_files).unwrap();
    let done = run(&[insert(1, &[&["", "5", "6"]])]);
    let slide = part(&done.bytes, SLIDE);
    assert!(slide.contains("gridSpan=\"3\""), "{slide}");
    assert_eq!(slide.matches("hMerge=\"1\"").count(), 2);
    assert_eq!(rows(&done.bytes)[1], ["East", "5", "1"]);
    // Ids stay apart.
    for id in ["val=\"20\"", "val=\"30\"", "val=\"31\""] {
        assert_eq!(slide.matches(id).count(), 1, "{id}: {slide}");
    }
    // Behind the merged cell, nothing grows.
    let behind = part(&run(&[insert(2, &[&["x"]])]).bytes, SLIDE);
    assert!(behind.contains("gridSpan=\"2\"") && behind.matches("hMerge").count() == 1);
    let slide = part(&run(&[delete(2, 1)]).bytes, SLIDE);
    assert!(!slide.contains("gridSpan") && !slide.contains("hMerge"), "{slide}");
    let message = edit(merged(), &[delete(1, 1)], &no_files).unwrap_err().to_string();
    assert!(message.contains("row 1, column 1 is merged with the one to the right"), "{message}");
}

#[test]
fn what_does_not_fit_is_named() {
    let many: Vec<&[&str]> = vec![&["x"]; 74];
    for (edit, expected) in [
        (insert(3, &[&["x"]]), "expected `after` from 0 to 2, got 3"),
        (insert(1, &[&["1", "2", "3", "4"]]), "expected at most 3 cells in a column, got 4"),
        (insert(1, &many), "expected at most 75 columns, got 76"),
        (delete(3, 1), "expected a column from 1 to 2, got 3"),
        (delete(0, 1), "expected a column from 1 to 2, got 0"),
        (delete(1, 2), "expected a column to stay"),
        (
            Edit::DeleteColumns { shape: "s256/2".to_owned(), column: 1, count: 1 },
            "expected a table",
        ),
    ] {
        let message = problem(&[edit]);
        assert!(message.contains(expected), "{message}");
    }
    let uneven = edit_parts(
        &deck(),
        &[(SLIDE, "<a:gridCol w=\"2000000\"/><a:gridCol w=\"2000000\"/>", "<a:gridCol w=\"1\"/>")],
    );
    let message = edit(uneven, &[delete(1, 1)], &no_files).unwrap_err().to_string();
    assert!(
        message.contains("row 1 of the table has 2 cells, but the table has 1 column"),
        "{message}"
    );
}

/// Returns the height of the table's frame in EMU.
fn frame_height(bytes: &[u8]) -> u32 {
    let slide = part(bytes, SLIDE);
    let (_, rest) = slide.split_once("<a:ext cx=\"4000000\" cy=\"").unwrap();
    rest.split_once('"').unwrap().0.parse().unwrap()
}

fn set_cell(row: u32, column: u32, words: usize) -> Edit {
    Edit::SetCell {
        shape: "s256/4".to_owned(),
        row,
        column,
        expected: None,
        text: "word ".repeat(words).trim().to_owned(),
    }
}

/// The deck with a shape just below its table.
fn with_note() -> Vec<u8> {
    let note = "<p:sp><p:nvSpPr><p:cNvPr id=\"9\" name=\"Note\"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm>\
    <a:off x=\"0\" y=\"4200000\"/><a:ext cx=\"4000000\" cy=\"600000\"/></a:xfrm></p:spPr><p:txBody><a:bodyPr/>\
    <a:p><a:r><a:t>Note</a:t></a:r></a:p></p:txBody></p:sp></p:spTree>";
    edit_parts(&deck(), &[(SLIDE, "</p:spTree>", note)])
}

#[test]
fn the_frame_of_a_table_is_as_high_as_its_rows_with_their_text() {
    let height = |edits: &[Edit]| frame_height(&run(edits).bytes);
    assert_eq!(height(&[set_cell(2, 2, 2)]), 1_112_520);
    let five_lines = height(&[set_cell(2, 2, 20)]);
    assert!(five_lines > 1_800_000, "{five_lines}");
    // A cell over two rows needs more than both of them have.
    let merged = height(&[set_cell(2, 1, 20)]);
    assert!(merged > 1_500_000 && merged < five_lines, "{merged}");
    // Narrow columns break their text into more lines.
    let six: [&[&str]; 6] = [&["Some more words", "x"]; 6];
    assert!(height(&[insert(2, &six)]) > 1_500_000);
    // Text that is turned fits the height of its row.
    let old = "Sales</a:t></a:r></a:p></a:txBody><a:tcPr/>";
    let new = old.replace("<a:tcPr/>", "<a:tcPr vert=\"vert270\"/>");
    let turned = edit_parts(&deck(), &[(SLIDE, old, &new)]);
    let done = edit(turned, &[set_cell(1, 2, 20)], &no_files).unwrap();
    assert_eq!(frame_height(&done.bytes), 1_112_520);
}

#[test]
fn a_table_that_grows_over_another_shape_is_reported() {
    let warnings =
        |words: usize| edit(with_note(), &[set_cell(2, 2, words)], &no_files).unwrap().warnings;
    assert_eq!(warnings(2), [""; 0]);
    let found = warnings(20);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("Its text makes the table s256/4 ")
            && found[0].ends_with(" cm high instead of 3.1 cm, so that it reaches over s256/9."),
        "{found:?}"
    );
}
