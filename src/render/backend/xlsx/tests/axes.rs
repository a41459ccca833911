//! Axes of charts.

use super::*;

/// 0.4 is 40% on the axis, as in its column. If the formats of series differ, the axis has none of them.
#[test]
fn axes_of_charts_have_the_format_of_their_columns() {
    let axis = |formats: [Option<&str>; 2], values: [&str; 2], columns: Vec<u32>| {
        let mut sheet = sheet(values.map(|value| SheetCell::Number(value.into())).to_vec());
        let block = &mut sheet.blocks[0];
        for (column, format) in block.columns.iter_mut().zip(formats) {
            column.number_format = format.map(str::to_owned);
        }
        block.charts.push(Chart { value_columns: columns, row_count: 1, ..Chart::default() });
        let bytes = xlsx(&book(vec![sheet]), &XlsxOptions::default()).unwrap();
        let chart = part(&bytes.bytes, "xl/charts/chart1.xml");
        let values = chart.split_once("<c:valAx>").unwrap().1;
        values.split_once("formatCode=\"").unwrap().1.split_once('"').unwrap().0.to_owned()
    };
    let percent = Some("0.0%");
    assert_eq!(axis([None, percent], ["1", "0.4"], vec![1]), "0%");
    assert_eq!(axis([None, percent], ["1", "0.04"], vec![1]), "0.0%");
    assert_eq!(
        axis([Some("¥#,##0.00;[Red]-¥#,##0.00"), None], ["1250", "1"], vec![0]),
        "¥#,##0;[Red]-¥#,##0"
    );
    assert_eq!(axis([Some("0.00"), None], ["1.25", "1"], vec![0]), "0.00");
    assert_eq!(axis([Some("0.00"), percent], ["1", "0.4"], vec![0, 1]), "General");
}
