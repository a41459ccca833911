//! Complete calls with numbers of many digits.

use super::*;

#[test]
fn fractions_are_added_up_and_drawn() {
    let thirds = [1.0 / 3.0, 100.0 / 7.0, 0.1 + 0.2];
    let rows = thirds.iter().map(|value| vec![text("x"), number(&format!("{value}"))]).collect();
    let chart = ChartOptions {
        kind: ChartKind::Column,
        title: None,
        category: "k".to_owned(),
        values: vec!["v".to_owned()],
        stacking: None,
        lines: None,
        axes: None,
    };
    for function in [TotalFunction::Sum, TotalFunction::Average, TotalFunction::Max] {
        let options = SheetOptions {
            totals: Some(vec![total("v", function)]),
            charts: Some(vec![chart.clone()]),
            ..no_options()
        };
        let rows: Vec<_> = Vec::clone(&rows);
        let sheet = made(table(&["k", "v"], rows), options);
        assert_eq!(sheet.charts[0].value_columns, [1]);
        let SheetCell::Formula(formula) = &sheet.rows[0].cells[1] else { panic!("a formula") };
        let value: f64 = formula.value.parse().unwrap();
        let expected = match function {
            TotalFunction::Sum => thirds.iter().sum(),
            TotalFunction::Average => thirds.iter().sum::<f64>() / 3.0,
            _ => 100.0 / 7.0,
        };
        assert!((value - expected).abs() < 1e-12, "{value} {expected}");
    }
}
