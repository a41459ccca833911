//! Large tables take time in proportion to their size: a quadratic algorithm would not end here.

use super::strings;
use crate::aggregate::Function;
use crate::number::Number;
use crate::ops::{
    Aggregate, JoinKey, JoinKind, Periods, Pivot, SortKey, calculate, describe, group, growth,
    join, parse_numbers, pivot, sort,
};
use crate::table::{Cell, Table};
use rust_decimal::Decimal;

const N_ROWS: usize = 100_000;

fn big() -> Table {
    let number = |value: usize| Cell::Number(Number::from(Decimal::from(value as u64)));
    let rows = (0..N_ROWS).map(|i| {
        vec![
            number(i * 7_919 % N_ROWS),
            Cell::text(&format!("g{}", i % 100)),
            number(i + 1),
            Cell::text(&format!("{},000元", i % 900 + 1)),
        ]
    });
    Table { columns: strings("id g v t"), rows: rows.collect() }
}

#[test]
fn a_hundred_thousand_rows_are_no_problem() {
    let parsed = parse_numbers(big(), None).unwrap();
    assert_eq!((parsed.failures.len(), parsed.units[0].n_cells), (0, N_ROWS));
    let by_id = SortKey { column: "id".into(), descending: false };
    let sorted = sort(big(), &[by_id], None).unwrap().table;
    assert_eq!(sorted.rows[N_ROWS - 1][0], Cell::count(N_ROWS - 1));
    let on = [JoinKey { left: "id".into(), right: "id".into() }];
    let joined = join(&big(), &sorted, &on, JoinKind::Full, "_r").unwrap();
    assert_eq!((joined.table.rows.len(), joined.warnings.len()), (N_ROWS, 0));
    let sum = |by: &str| {
        let aggregates =
            [Aggregate { column: Some("v".into()), function: Function::Sum, name: None }];
        group(&big(), &strings(by), &aggregates, None).unwrap().table
    };
    assert_eq!(sum("").rows[0][0], Cell::count(N_ROWS * (N_ROWS + 1) / 2));
    assert_eq!((sum("g").rows.len(), sum("id").rows.len()), (100, N_ROWS));
    let wide = Pivot {
        rows: &strings("id"),
        column: "t",
        values: "v",
        function: Function::Sum,
        decimals: None,
    };
    assert!(pivot(&big(), &wide).unwrap_err().message.contains("too large"));
    let periods = Periods { order_by: Some("id"), group_by: &[], lag: 12 };
    assert_eq!(growth(big(), &strings("v"), &periods, None, "").unwrap().table.rows.len(), N_ROWS);
    let ratio = calculate(big(), "r".into(), "[v] / ([id] + 1)", None).unwrap();
    assert_eq!(ratio.table.rows[0][4], Cell::count(1));
    assert_eq!(describe(&big(), None, None).unwrap().table.rows.len(), 4);
}

#[test]
fn many_columns_and_many_problems_are_no_problem() {
    let columns: Vec<String> = (0..50_000).map(|i| format!("column {i}")).collect();
    let table =
        || Table { columns: columns.clone(), rows: vec![vec![Cell::text("x"); columns.len()]] };
    let failure =
        growth(table(), &columns, &Periods { order_by: None, group_by: &[], lag: 1 }, None, "")
            .unwrap_err();
    assert!(failure.message.contains("and 49980 more problems"), "{}", failure.message);
    let wrong: Vec<String> = columns.iter().map(|name| format!("{name}?")).collect();
    let failure = describe(&table(), Some(&wrong), None).unwrap_err();
    assert!(failure.message.len() < 10_000, "{}", failure.message.len());
}
