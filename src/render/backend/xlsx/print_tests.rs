use super::*;
use crate::model::workbook::{PageSetup, SheetCell, SheetColumn, SheetRow};

fn sheet(widths: &[f64], rows: usize) -> Sheet {
    let columns = widths.iter().map(|width| SheetColumn {
        header: "甲".into(),
        width: *width,
        ..SheetColumn::default()
    });
    let cells = vec![SheetCell::Number("1".into()); widths.len()];
    let block = Block {
        columns: columns.collect(),
        rows: vec![SheetRow { cells, ..SheetRow::default() }; rows],
        ..Block::default()
    };
    Sheet { name: "甲".into(), blocks: vec![block], ..Sheet::default() }
}

const CHART: Figure = Figure { width: 640, height: 340 };

fn printed(plan: &Plan) -> Vec<String> {
    plan.areas.iter().map(Area::absolute).collect()
}

#[test]
fn charts_are_on_the_page_of_short_data_and_on_pages_of_their_own_otherwise() {
    // Upright, with the chart below the data: one page.
    let one = plan(&sheet(&[12.0; 5], 12), &[CHART]);
    assert_eq!((one.is_landscape, one.pages), (false, (1, 1)));
    assert_eq!(one.anchors, [Anchor { row: 14, column: 0, offset: 0 }]);
    assert_eq!(printed(&one), ["$A$1:$I$31"]);
    assert_eq!(one.titles, Some((0, 0)));

    // The second one is on a page of its own, which does not repeat the header.
    let three = plan(&sheet(&[12.0; 5], 12), &[CHART; 3]);
    assert_eq!(printed(&three), ["$A$1:$I$31", "$A$33:$I$67"]);
    assert_eq!(three.anchors.iter().map(|at| at.row).collect::<Vec<_>>(), [14, 32, 50]);
    assert_eq!((three.pages, three.titles), ((1, 0), None));

    // Beside long data, with two of them on a page.
    let long = plan(&sheet(&[12.0; 5], 400), &[CHART; 3]);
    assert_eq!(printed(&long), ["$A$1:$E$401", "$G$2:$P$36", "$G$38:$P$54"]);
    assert_eq!((long.pages, long.titles), ((1, 0), Some((0, 0))));
}

#[test]
fn every_figure_is_whole_within_one_range_of_a_page() {
    for rows in [0, 1, 10, 20, 25, 30, 40, 60, 100, 1_000] {
        for widths in [vec![10.0; 3], vec![20.0; 12], vec![9.0; 40]] {
            for count in 0..7 {
                let figures = [CHART, Figure { width: 400, height: 900 }].repeat(4);
                let sheet = sheet(&widths, rows);
                let plan = plan(&sheet, &figures[..count]);
                assert_eq!(plan.anchors.len(), count);
                for (anchor, figure) in plan.anchors.iter().zip(&figures) {
                    let last = anchor.row + figure.height.div_ceil(EMPTY_ROW) - 1;
                    let whole = plan.areas.iter().filter(|area| {
                        area.rows.0 <= anchor.row
                            && last <= area.rows.1
                            && (area.columns.0..=area.columns.1).contains(&anchor.column.into())
                    });
                    assert_eq!(whole.count(), 1, "{rows} rows, {count} figures: {plan:?}");
                }
                // Each cell of the data is printed once.
                let data = plan.areas.iter().filter(|area| area.rows.0 == 0).count();
                assert_eq!(data, 1, "{plan:?}");
                for (one, other) in plan.areas.iter().zip(plan.areas.iter().skip(1)) {
                    let apart = one.rows.1 < other.rows.0 || one.columns.1 < other.columns.0;
                    assert!(apart, "{plan:?}");
                }
            }
        }
    }
}

#[test]
fn the_page_is_turned_for_wide_data_and_as_the_caller_says() {
    let wide = plan(&sheet(&[20.0; 8], 12), &[]);
    assert_eq!((wide.is_landscape, wide.pages), (true, (1, 1)));
    // Two charts are beside each other below it.
    let charts = plan(&sheet(&[20.0; 9], 5), &[CHART; 2]);
    assert_eq!(charts.anchors[1].offset, 660);
    assert_eq!(charts.areas.len(), 1);
    // 40 columns are not shrunk until they are unreadable, but printed on pages beside each other, each with the first
    // column.
    let wider = plan(&sheet(&[10.0; 40], 100), &[]);
    assert_eq!((wider.pages, wider.first_column), ((2, 0), Some(0)));
    let page = PageSetup { orientation: Some(Orientation::Portrait), paper: Some(Paper::Letter) };
    let upright = plan(&Sheet { page, ..sheet(&[20.0; 8], 12) }, &[]);
    assert_eq!((upright.is_landscape, upright.paper), (false, Paper::Letter));
    let mut hidden = sheet(&[20.0; 8], 12);
    hidden.blocks[0].columns[3..].iter_mut().for_each(|column| column.hidden = true);
    assert!(!plan(&hidden, &[]).is_landscape);
}

#[test]
fn figures_have_a_place_where_no_column_is_left() {
    let mut far = sheet(&[10.0; 3], 1_000);
    far.blocks[0].column = 16_380;
    assert_eq!(plan(&far, &[CHART]).anchors, [Anchor { row: 1, column: 0, offset: 0 }]);
    let mut low = sheet(&[10.0; 3], 3);
    low.blocks[0].row = 1_048_570;
    assert_eq!(plan(&low, &[CHART]).anchors, [Anchor { row: 1, column: 4, offset: 0 }]);
}

#[test]
fn titles_of_pages_are_one_line_of_text() {
    assert_eq!(escaped(" R&D\n2024 "), "R&&D 2024");
    assert!(escaped(&"&".repeat(1_000)).chars().count() <= 180);
}
