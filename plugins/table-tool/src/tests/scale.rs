//! Large tables take time in proportion to their size: a quadratic algorithm would take too long here.

use super::strings;
use crate::aggregate::Function;
use crate::cell::Cell;
use crate::ops::{
    Aggregate, Combine, Condition, DatePart, Fill, FillMethod, JoinKey, JoinKind, Keep, Operator,
    Periods, Pivot, RankMethod, Ranking, SampleMethod, SortKey, Unpivot, Window, WindowFunction,
    calculate, date_parts, deduplicate, describe, fill, filter, group, growth, join, parse_numbers,
    pivot, rank, sample, share, sort, unpivot, window,
};
use mitt_guest::tables::{Cell as HostCell, Memory, Source, Texts, Values};

/// Makes a table: `id` is a permutation of the rows, `g` one of 100 texts, `v` 0.01 up to the number of rows, `t` a text to
/// parse, `d` one of 1000 days.
fn big(n_rows: usize) -> Memory {
    let rows = 0..n_rows as i64;
    let names: Vec<String> = (0..100).map(|i| format!("g{i}")).collect();
    let g = Values::Dictionary {
        keys: rows.clone().map(|i| (i % 100) as u32).collect(),
        values: names.iter().map(String::as_str).collect(),
    };
    let texts: Vec<String> = rows.clone().map(|i| format!("{},000元", i % 900 + 1)).collect();
    Memory::new(vec![
        ("id", Values::Integers(rows.clone().map(|i| i * 7_919 % n_rows as i64).collect()).into()),
        ("g", g.into()),
        ("v", Values::Decimals { scale: 2, units: rows.clone().map(|i| i + 1).collect() }.into()),
        ("t", Values::Texts(texts.iter().map(String::as_str).collect::<Texts>()).into()),
        ("d", Values::Dates(rows.map(|i| (i % 1_000) as i32).collect()).into()),
    ])
}

fn number(table: &Memory, row: u64, column: u32) -> String {
    match table.slice(column, row, 1).unwrap().cell(0) {
        HostCell::Number(lexeme) => lexeme,
        other => panic!("{other:?}"),
    }
}

fn sum(data: &Memory, by: &str) -> Memory {
    let aggregates = [Aggregate { column: Some("v".into()), function: Function::Sum, name: None }];
    group(data, &strings(by), &aggregates, None).unwrap().table
}

#[test]
fn a_million_rows_are_no_problem() {
    const N_ROWS: usize = 1_000_000;
    let data = big(N_ROWS);
    let total = sum(&data, "");
    assert_eq!(number(&total, 0, 0), "5000005000");
    assert_eq!((sum(&data, "g d").rows(), sum(&data, "id").rows()), (1_000, N_ROWS as u64));
    let key = |column: &str, descending| SortKey { column: column.into(), descending };
    let sorted = sort(&data, &[key("id", false)], None, &[]).unwrap().table;
    assert_eq!(number(&sorted, N_ROWS as u64 - 1, 0), "999999");
    let top = sort(&data, &[key("g", false), key("v", true)], Some(10), &[]).unwrap().table;
    assert_eq!((top.rows(), number(&top, 0, 2)), (10, "9999.01".to_owned()));
    let on = [JoinKey { left: "id".into(), right: "id".into() }];
    let few = data.range(0, 1_000);
    assert_eq!(join(&data, &few, &on, JoinKind::Inner, "_r").unwrap().table.rows(), 1_000);
    let condition = Condition {
        column: "v".into(),
        operator: Operator::Gt,
        values: vec![super::cell("5000.005")],
    };
    assert_eq!(filter(&data, &[condition], Combine::And).unwrap().table.rows(), 500_000);
    let (order_by, by) = ([key("id", false)], strings("g"));
    let moving = Window {
        column: "v",
        function: WindowFunction::Mean,
        rows: Some(7),
        order_by: &order_by,
        group_by: &by,
        name: None,
        decimals: None,
    };
    assert_eq!(window(&data, moving).unwrap().table.rows(), N_ROWS as u64);
    assert_eq!(sample(&data, 10, SampleMethod::Random, 1).unwrap().table.rows(), 10);
    let days = data.select(&[(4, "d".into())]).unwrap();
    assert_eq!(deduplicate(&days, None, Keep::First).unwrap().table.rows(), 1_000);
}

#[test]
fn a_hundred_thousand_rows_are_no_problem() {
    const N_ROWS: usize = 100_000;
    let data = big(N_ROWS);
    let parsed = parse_numbers(&data, None).unwrap();
    assert_eq!((parsed.failures.len(), parsed.units[0].n_cells), (0, N_ROWS));
    let by_id = SortKey { column: "id".into(), descending: false };
    let sorted = sort(&data, &[by_id], None, &[]).unwrap().table;
    let on = [JoinKey { left: "id".into(), right: "id".into() }];
    let joined = join(&data, &sorted, &on, JoinKind::Full, "_r").unwrap();
    assert_eq!((joined.table.rows(), joined.warnings.len()), (N_ROWS as u64, 0));
    assert_eq!(number(&sum(&data, ""), 0, 0), "50000500");
    let wide =
        |rows, column| Pivot { rows, column, values: "v", function: Function::Sum, decimals: None };
    let (by_row, by_day) = (strings("id"), strings("d"));
    assert!(pivot(&data, &wide(&by_row, "t")).unwrap_err().message.contains("too large"));
    assert_eq!(pivot(&data, &wide(&by_day, "g")).unwrap().table.columns().len(), 101);
    let periods = Periods { order_by: Some("id"), group_by: &[], lag: 12 };
    assert_eq!(
        growth(&data, &strings("v"), &periods, None, "").unwrap().table.rows(),
        N_ROWS as u64
    );
    let ratio = calculate(&data, "r".into(), "[v] / ([id] + 1)", None).unwrap();
    assert_eq!(number(&ratio.table, 0, 5), "0.01");
    assert_eq!(describe(&data, None, None).unwrap().table.rows(), 5);
    assert_eq!(share(&data, "v", &strings("g"), None, None).unwrap().table.columns().len(), 6);
    let ranking = Ranking {
        column: "t",
        descending: true,
        method: RankMethod::Dense,
        group_by: &strings("g"),
        name: None,
    };
    assert_eq!(rank(&data, ranking).unwrap().table.columns().len(), 6);
    let long = Unpivot { keep: &strings("id"), columns: None, name: "n", value: "c" };
    assert_eq!(
        unpivot(
            &data.select(&[(0, "id".into()), (2, "v".into()), (4, "d".into())]).unwrap(),
            &long
        )
        .unwrap()
        .table
        .rows(),
        2 * N_ROWS as u64
    );
    assert_eq!(date_parts(&data, "d", &[DatePart::YearMonth]).unwrap().table.columns().len(), 6);
    let filled = Fill {
        columns: None,
        method: FillMethod::Value,
        value: Some(Cell::text("x")),
        order_by: &[],
        group_by: &[],
        decimals: None,
    };
    assert_eq!(fill(&data, &filled).unwrap().table.rows(), N_ROWS as u64);
}

#[test]
fn many_columns_and_many_problems_are_no_problem() {
    let columns: Vec<String> = (0..50_000).map(|i| format!("column {i}")).collect();
    let row = vec![HostCell::Text("x".into()); columns.len()];
    let table = Memory::from_rows(&columns, &[row]).unwrap();
    let failure =
        growth(&table, &columns, &Periods { order_by: None, group_by: &[], lag: 1 }, None, "")
            .unwrap_err();
    assert!(failure.message.contains("and 49980 more problems"), "{}", failure.message);
    let wrong: Vec<String> = columns.iter().map(|name| format!("{name}?")).collect();
    let failure = describe(&table, Some(&wrong), None).unwrap_err();
    assert!(failure.message.len() < 10_000, "{}", failure.message.len());
    // Failures are all counted, but only some are listed.
    let texts: Vec<Vec<HostCell>> =
        (0..5_000).map(|i| vec![HostCell::Text(format!("x{i}"))]).collect();
    let table = Memory::from_rows(&strings("a"), &texts).unwrap();
    let parsed = parse_numbers(&table, Some(&strings("a"))).unwrap();
    assert_eq!((parsed.failures.len(), parsed.n_more_failures), (1_000, 4_000));
}
