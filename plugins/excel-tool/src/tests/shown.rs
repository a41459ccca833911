//! Design lines in complete calls.

use super::*;

#[test]
fn charts_find_their_columns() {
    let chart = ChartOptions {
        kind: ChartKind::Line,
        title: Some(String::new()),
        category: "Year".to_owned(),
        values: vec!["B".to_owned(), "A".to_owned()],
        stacking: None,
        lines: None,
        axes: None,
    };
    let options = SheetOptions {
        charts: Some(vec![chart]),
        totals: Some(vec![total("A", TotalFunction::Sum)]),
        ..no_options()
    };
    let rows = vec![
        vec![number("2023"), number("1"), number("2")],
        vec![number("2024"), number("3"), number("4")],
    ];
    let sheet = made(table(&["Year", "A", "B"], rows), options);
    let chart = &sheet.charts[0];
    assert_eq!((chart.category_column, &chart.value_columns[..]), (0, &[2, 1][..]));
    // The chart does not include the totals row.
    assert_eq!((chart.first_row, chart.row_count, chart.title.as_deref()), (0, 2, None));
}

#[test]
fn charts_are_stacked_and_combined() {
    let chart = |kind, lines: &[&str], stacking| ChartOptions {
        kind,
        title: None,
        category: "Year".to_owned(),
        values: vec!["A".to_owned()],
        stacking,
        lines: Some(lines.iter().map(|name| (*name).to_owned()).collect()),
        axes: Some(vec!["x".to_owned(), String::new(), "z".to_owned()]),
    };
    let rows = vec![
        vec![number("2023"), number("1000"), number("900"), number("0.5")],
        vec![number("2024"), number("2000"), number("1800"), number("0.25")],
    ];
    let data = table(&["Year", "A", "B", "Rate"], rows);
    let options = |charts| SheetOptions { charts: Some(charts), ..no_options() };
    let charts = vec![
        chart(ChartKind::Column, &["Rate"], Some(Stacking::Percent)),
        chart(ChartKind::Column, &["B"], None),
    ];
    let sheet = made(data.clone(), options(charts));
    // A rate would lie flat on the axis of amounts, so it gets a second axis.
    assert_eq!((sheet.charts[0].second_axis, sheet.charts[1].second_axis), (true, false));
    assert_eq!(
        (sheet.charts[0].stacking, &sheet.charts[0].line_columns[..]),
        (Stacking::Percent, &[3][..])
    );
    assert_eq!(sheet.charts[0].category_title.as_deref(), Some("x"));
    assert_eq!(
        (&sheet.charts[0].value_title, sheet.charts[0].second_title.as_deref()),
        (&None, Some("z"))
    );
    let wrong = vec![chart(ChartKind::Pie, &["B"], Some(Stacking::Stacked))];
    assert_eq!(
        problems(data, options(wrong)),
        "options.charts[0].lines: expected kind `column`, as lines are drawn over vertical bars\n\
         options.charts[0].stacking: expected kind `column`, `bar`, `line` or `area`, whose series can be stacked"
    );
}

#[test]
fn a_design_is_part_of_its_sheet() {
    let rows = vec![
        vec![text("甲"), number("1"), number("-2000.5")],
        vec![text("乙"), number("3"), number("4")],
    ];
    let design = [
        "style financial",
        "landscape",
        "{a} bars",
        "trend {a} to {b}",
        "table 数据",
        "{名称} unlocked",
        "protect",
    ];
    let options = SheetOptions {
        totals: Some(vec![total("b", TotalFunction::Sum)]),
        design: Some(design.map(str::to_owned).to_vec()),
        ..no_options()
    };
    let data = table(&["名称", "a", "b"], rows);
    let sheet = book(&data, &options).sheets.remove(0);
    assert_eq!(
        (sheet.style, sheet.page.orientation),
        (SheetStyle::Financial, Some(Orientation::Landscape))
    );
    assert_eq!(sheet.protection, Some(Protection { password: None }));
    let block = &sheet.blocks[0];
    assert_eq!(block.table_name.as_deref(), Some("数据"));
    // The column of small charts is the last one in the header, the data and the totals.
    assert_eq!(
        block.columns.iter().map(|it| it.header.as_str()).collect::<Vec<_>>(),
        ["名称", "a", "b", "趋势"]
    );
    assert_eq!(
        (block.shown[3].shown, &block.rows[0].cells[3]),
        (ShownAs::Blank, &SheetCell::Empty)
    );
    assert_eq!(
        (block.sparklines[0].column, block.sparklines[0].first, block.sparklines[0].last),
        (3, 1, 2)
    );
    // The format is that of accounting.
    assert_eq!(block.columns[2].number_format.as_deref(), Some("#,##0.0_);(#,##0.0)"));
    assert_eq!([block.columns[0].unlocked, block.columns[1].unlocked], [true, false]);
}
