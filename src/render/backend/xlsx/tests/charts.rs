//! Charts: what they show of cells, their colours and legends, and pictures beside them.

use super::super::cells::{Cell as Shown, cell};
use super::super::charts::picture_size;
use super::*;
use crate::model::workbook::Picture;
use crate::shared::picture::samples;

/// Returns what a chart or a width has of a cell.
fn shown(block: &Block, row: usize, column: usize) -> String {
    let mut text = String::new();
    match cell(block, row, column, &mut text) {
        Shown::Empty => "empty".into(),
        Shown::Number(number) => format!("number {number}"),
        Shown::Date(serial) => format!("date {serial}"),
        Shown::Text(text) => format!("text {text}"),
    }
}

#[test]
fn a_chart_shows_the_cells_of_a_table_as_they_are_written() {
    let all = || Validity::all(true, 2);
    let holes = || Validity::from_bytes(vec![0b01], 2).unwrap();
    let noon = 43_200_000_000;
    let data = table(vec![
        ("integer", Values::Integers(vec![7, 8]), holes()),
        ("as text", Values::Integers(vec![7, 8]), all()),
        ("date", Values::Dates(vec![0, 0]), holes()),
        ("time", Values::Times(vec![noon, 0]), all()),
        ("date-time", Values::DateTimes(vec![noon, 0]), holes()),
        ("text of dates", Values::Texts(texts(&["2024-02-29", "later"])), all()),
        ("text", Values::Texts(texts(&["a", "1"])), all()),
        ("result", Values::Texts(texts(&["1.5", "a"])), all()),
        ("boolean", Values::Booleans(vec![0b11], 2), all()),
        ("blank", Values::Integers(vec![7, 8]), all()),
        ("no result", Values::Integers(vec![7, 8]), all()),
    ]);
    use CellConversion::{AsIs, Blank, Date, Formula, Text};
    let how =
        [AsIs, Text, AsIs, AsIs, AsIs, Date, AsIs, Formula(Some(7)), AsIs, Blank, Formula(None)];
    let block = shows(data, &how);
    let found: Vec<[String; 2]> =
        (0..how.len()).map(|column| [0, 1].map(|row| shown(&block, row, column))).collect();
    let expected = [
        ["number 7", "empty"],
        ["text 7", "text 8"],
        ["date 25569", "empty"],
        ["date 0.5", "date 0"],
        ["date 25569.5", "empty"],
        ["date 45351", "empty"],
        ["text a", "text 1"],
        ["number 1.5", "text a"],
        ["empty", "empty"],
        ["empty", "empty"],
        ["empty", "empty"],
    ];
    assert_eq!(found, expected);
    assert_eq!(shown(&block, 0, how.len()), "empty");
    assert_eq!(shown(&block, 2, 0), "empty");
}

fn chart_of(kind: ChartKind, columns: &[u32], rows: u32) -> String {
    let row = |n: u32| SheetRow {
        cells: (0..4).map(|at| SheetCell::Number((n + at).to_string())).collect(),
        style: RowStyle::Normal,
    };
    let block = Block {
        columns: ["a", "b", "c", "d"].map(column).to_vec(),
        rows: (1..=rows).map(row).collect(),
        charts: vec![Chart {
            kind,
            value_columns: columns.to_vec(),
            row_count: rows,
            ..Chart::default()
        }],
        ..Block::default()
    };
    part(&written(of(vec![block])), "xl/charts/chart1.xml")
}

#[test]
fn several_series_have_their_own_colours_and_a_legend() {
    let colours = |chart: &str| {
        let mut found: Vec<String> = chart
            .split("<a:srgbClr val=\"")
            .skip(1)
            .map(|rest| rest.split_once('"').unwrap().0.to_owned())
            .collect();
        found.sort();
        found.dedup();
        found.len()
    };
    for kind in [ChartKind::Column, ChartKind::Bar, ChartKind::Line] {
        let three = chart_of(kind, &[1, 2, 3], 3);
        assert!(colours(&three) >= 3, "{kind:?} {three}");
        assert!(three.contains("<c:legendPos val=\"b\"/>"), "{kind:?} {three}");
        let one = chart_of(kind, &[1], 3);
        assert!(!one.contains("<c:legend>"), "{kind:?} {one}");
    }
}

#[test]
fn a_chart_is_of_rows_that_are_there() {
    let of_rows = |first_row, row_count| {
        let mut sheet = sheet(vec![SheetCell::Number("1".into())]);
        sheet.blocks[0].charts.push(Chart {
            value_columns: vec![0],
            first_row,
            row_count,
            ..Chart::default()
        });
        xlsx(&book(vec![sheet]), &XlsxOptions::default()).map_err(|error| error.to_string())
    };
    assert!(of_rows(0, 1).is_ok());
    for (first, count) in [(0, 0), (0, 2), (1, 1), (u32::MAX, u32::MAX)] {
        let message = of_rows(first, count).unwrap_err();
        assert!(message.contains("expected rows within the 1 rows of data"), "{message}");
    }
}

#[test]
fn a_picture_has_its_size_or_a_width_within_its_proportions() {
    let picture =
        |width| Picture { bytes: samples::png(40, 20, None).into(), description: None, width };
    let size = |width| picture_size(&picture(width)).map(|it| (it.width, it.height));
    assert_eq!(size(None), Some((40, 20)));
    assert_eq!(size(Some(100)), Some((100, 50)));
    let large = Picture { bytes: samples::png(1_280, 640, None).into(), ..picture(None) };
    assert_eq!(picture_size(&large).map(|it| (it.width, it.height)), Some((640, 320)));
    let none = Picture { bytes: b"no picture".to_vec().into(), ..picture(None) };
    assert!(picture_size(&none).is_none());
}
