//! Tables.

use super::*;
use docx_tool::Where;

const TABLE: &str = "<w:tbl><w:tblGrid><w:gridCol w:w=\"1000\"/><w:gridCol w:w=\"2000\"/></w:tblGrid>\
    <w:tr w:rsidR=\"1\"><w:trPr><w:tblHeader/></w:trPr><w:tc><w:tcPr><w:tcW w:w=\"1000\" w:type=\"dxa\"/></w:tcPr><w:p><w:pPr><w:jc w:val=\"center\"/></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>Name</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>Sum</w:t></w:r></w:p></w:tc></w:tr>\
    <w:tr><w:tc><w:p><w:r><w:t>Pen</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>3.50</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p/>";

fn cells(values: &[&str]) -> Vec<String> {
    values.iter().map(|it| (*it).to_owned()).collect()
}

#[test]
fn every_edit_can_be_accepted_and_rejected() {
    let bytes = docx(TABLE);
    let at = || table(&bytes);
    let all = [
        (
            Edit::SetCell { table: at(), row: 2, column: 2, text: "4.00".to_owned() },
            vec!["Name", "Sum", "Pen", "4.00", ""],
        ),
        (
            Edit::SetCell { table: at(), row: 2, column: 1, text: "Pen\nblue".to_owned() },
            vec!["Name", "Sum", "Pen", "blue", "3.50", ""],
        ),
        (
            Edit::InsertRow {
                table: at(),
                row: 1,
                side: Where::After,
                cells: cells(&["Cup", "1"]),
            },
            vec!["Name", "Sum", "Cup", "1", "Pen", "3.50", ""],
        ),
        (
            Edit::InsertRow { table: at(), row: 2, side: Where::Before, cells: cells(&["Cup"]) },
            vec!["Name", "Sum", "Cup", "", "Pen", "3.50", ""],
        ),
        (Edit::DeleteRow { table: at(), row: 2 }, vec!["Name", "Sum", ""]),
        (
            Edit::InsertColumn {
                table: at(),
                column: 1,
                side: Where::After,
                cells: cells(&["No", "1"]),
            },
            vec!["Name", "No", "Sum", "Pen", "1", "3.50", ""],
        ),
        (Edit::DeleteColumn { table: at(), column: 1 }, vec!["Sum", "3.50", ""]),
    ];
    for (edit, expected) in all {
        let edits = [edit];
        let changed = tracked(&bytes, &edits).unwrap();
        assert_eq!(texts(&accepted(&changed.bytes), View::Accepted), expected, "{edits:?}");
        assert_eq!(
            texts(&plain(&bytes, &edits).unwrap().bytes, View::Accepted),
            expected,
            "{edits:?}"
        );
        let restored = body(&rejected(&changed.bytes)).replace("<w:tcPr></w:tcPr>", "");
        // Texts that were split stay split.
        if !matches!(edits[0], Edit::SetCell { .. }) {
            assert_eq!(restored, TABLE, "{edits:?}");
        }
        assert_eq!(texts(&rejected(&changed.bytes), View::Accepted), texts(&bytes, View::Accepted));
    }
}

#[test]
fn a_new_row_below_the_header_is_no_header() {
    let bytes = docx(TABLE);
    let edits = [Edit::InsertRow {
        table: table(&bytes),
        row: 1,
        side: Where::After,
        cells: cells(&["Cup", "1"]),
    }];
    let found = body(&tracked(&bytes, &edits).unwrap().bytes);
    assert_eq!(found.matches("tblHeader").count(), 1);
    assert!(found.contains("<w:trPr><w:ins></w:ins></w:trPr><w:tc><w:tcPr><w:tcW w:w=\"1000\" w:type=\"dxa\"/></w:tcPr><w:p><w:pPr><w:jc w:val=\"center\"/><w:rPr><w:ins></w:ins></w:rPr></w:pPr><w:ins><w:r><w:rPr><w:b/></w:rPr><w:t>Cup</w:t></w:r></w:ins></w:p></w:tc>"), "{found}");
}

#[test]
fn merged_cells_go_on() {
    let cell = |merge: &str, text: &str| {
        format!("<w:tc><w:tcPr>{merge}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>")
    };
    let restart = "<w:vMerge w:val=\"restart\"/>";
    let source = format!(
        "<w:tbl><w:tr>{}{}</w:tr><w:tr>{}{}</w:tr></w:tbl><w:p/>",
        cell(restart, "a"),
        cell("", "b"),
        cell("<w:vMerge/>", ""),
        cell("", "d")
    );
    let bytes = docx(&source);
    let insert = Edit::InsertRow {
        table: table(&bytes),
        row: 1,
        side: Where::After,
        cells: cells(&["", "c"]),
    };
    let found = body(&plain(&bytes, &[insert]).unwrap().bytes);
    assert_eq!(found.matches("<w:vMerge/>").count(), 2, "{found}");
    let found =
        body(&plain(&bytes, &[Edit::DeleteRow { table: table(&bytes), row: 1 }]).unwrap().bytes);
    assert_eq!(found.matches(restart).count(), 1, "{found}");
    let wide = docx(
        "<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val=\"2\"/></w:tcPr><w:p/></w:tc></w:tr><w:tr><w:tc><w:p/></w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl><w:p/>",
    );
    let insert = [Edit::InsertColumn {
        table: table(&wide),
        column: 1,
        side: Where::After,
        cells: Vec::new(),
    }];
    assert!(tracked(&wide, &insert).is_err());
    assert!(body(&plain(&wide, &insert).unwrap().bytes).contains("<w:gridSpan w:val=\"3\"/>"));
}

#[test]
fn cells_are_named_by_table_row_and_cell() {
    let bytes = docx(TABLE);
    let found = structure(&bytes, View::Accepted);
    let places: Vec<_> = found.paragraphs.iter().map(|it| it.place.as_str()).collect();
    assert_eq!(places, ["t0 r1 c1", "t0 r1 c2", "t0 r2 c1", "t0 r2 c2", "body"]);
    assert_eq!((found.tables[0].rows, found.tables[0].columns), (2, 2));
    let wrong =
        Edit::SetCell { table: "t0-0000".to_owned(), row: 1, column: 1, text: String::new() };
    assert!(tracked(&bytes, &[wrong]).unwrap_err().to_string().contains("has other texts now"));
    let wrong = Edit::SetCell { table: table(&bytes), row: 3, column: 1, text: String::new() };
    assert!(
        tracked(&bytes, &[wrong]).unwrap_err().to_string().contains("a row from 1 to 2, got 3")
    );
}
