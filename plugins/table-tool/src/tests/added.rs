//! `window`, `deduplicate`, `fill`, `sample`, `date-parts`, percentiles, the first rows of each group.

use super::{cell, check, fails, show, strings, table};
use crate::aggregate::Function;
use crate::ops::{
    Aggregate, DatePart, Fill, FillMethod, Keep, SampleMethod, SortKey, Window, WindowFunction,
    date_parts, deduplicate, fill, group, sample, sort, window,
};
use crate::problem::{Failure, Kind};
use crate::table::Outcome;
use mitt_guest::tables::Memory;

const SERIES: &str =
    "g | t | v\na | 3 | 5\nb | 1 | 2\na | 1 | 1\na | 2 | null\nb | 2 | 8\na | 4 | 2.5";

fn keys(text: &str) -> Vec<SortKey> {
    let key = |name: &str| SortKey {
        column: name.trim_start_matches('-').to_owned(),
        descending: name.starts_with('-'),
    };
    text.split_whitespace().map(key).collect()
}

fn walk(
    data: &str,
    function: WindowFunction,
    rows: Option<u32>,
    order_by: &str,
    group_by: &str,
) -> Result<Outcome<Memory>, Failure> {
    let (order_by, group_by) = (keys(order_by), strings(group_by));
    let wanted = Window {
        column: "v",
        function,
        rows,
        order_by: &order_by,
        group_by: &group_by,
        name: Some("w".into()),
        decimals: Some(2),
    };
    window(&table(data), wanted)
}

#[test]
fn windows_run_down_the_rows() {
    use WindowFunction::*;
    for (function, rows, order_by, group_by, wanted) in [
        (Sum, None, "t", "g", ["6", "2", "1", "1", "10", "8.5"]),
        (Sum, None, "", "", ["5", "7", "8", "8", "16", "18.5"]),
        (Sum, Some(2), "t", "g", ["5", "null", "null", "1", "10", "7.5"]),
        (Mean, Some(3), "t", "g", ["3", "null", "null", "null", "null", "3.75"]),
        (Mean, None, "", "", ["5", "3.5", "2.67", "2.67", "4", "3.7"]),
        (Count, Some(2), "t", "g", ["1", "null", "null", "1", "2", "2"]),
        (Count, None, "", "g", ["1", "1", "2", "2", "2", "3"]),
        (Min, None, "", "", ["5", "2", "1", "1", "1", "1"]),
        (Max, Some(2), "t", "g", ["5", "null", "null", "1", "8", "5"]),
        (Min, Some(1), "", "", ["5", "2", "1", "null", "8", "2.5"]),
        (Lag, None, "t", "g", ["null", "null", "null", "1", "2", "5"]),
        (Lag, Some(2), "-t", "g", ["null", "null", "5", "2.5", "null", "null"]),
        (Lead, None, "t", "g", ["2.5", "8", "null", "5", "null", "null"]),
        (Difference, None, "", "g", ["null", "null", "-4", "null", "6", "null"]),
        (Difference, Some(2), "t", "g", ["4", "null", "null", "null", "null", "null"]),
        (Lead, Some(9), "", "", ["null"; 6]),
    ] {
        let lines = SERIES.lines().zip(std::iter::once("w").chain(wanted));
        let wanted: Vec<String> = lines.map(|(line, cell)| format!("{line} | {cell}")).collect();
        check(walk(SERIES, function, rows, order_by, group_by), &wanted.join("\n"), &[]);
    }
    check(walk("v", Sum, None, "", ""), "v | w", &[]);
    check(
        walk("t | v\n2月 | x\n10月 | y", Max, None, "t", ""),
        "t | v | w\n2月 | x | y\n10月 | y | y",
        &["`10月` before `2月`"],
    );
    let long = "v\n79228162514264337593543950335\n1";
    fails(
        walk(long, Sum, None, "", ""),
        Kind::Argument,
        "result.rows[1].w: expected a result of at most 28 significant digits, got a longer one",
    );
    check(
        walk(long, Sum, Some(1), "", ""),
        "v | w\n79228162514264337593543950335 | 79228162514264337593543950335\n1 | 1",
        &[],
    );
    fails(
        walk("v | w\nx | 1", Mean, Some(0), "q", "v"),
        Kind::Argument,
        "order-by[0]: expected a column of `data`, got `q`\n\
         rows: expected 1 or more, got 0\n\
         name: expected a column name that is not taken, got `w`\n\
         columns of `data`: `v`, `w`",
    );
    fails(
        walk("v\nx\n1\ntrue", Max, None, "", ""),
        Kind::Argument,
        "data.rows[1].v: expected a text like the cells above, got number `1`\n\
         data.rows[2].v: expected a number, a text or null, got boolean `true`",
    );
    fails(
        walk("v\nx", Sum, None, "", ""),
        Kind::Argument,
        "data.rows[0].v: expected a number or null, got text `x`\nhint: `parse-numbers` turns text into numbers",
    );
}

#[test]
fn equal_rows_are_removed() {
    let data = "a | b\n1 | x\n1.0 | x\n2 | y\n1 | z\nnull | y\nnull | y";
    let warning = &["2 of 6 rows were removed"][..];
    check(
        deduplicate(&table(data), None, Keep::First),
        "a | b\n1 | x\n2 | y\n1 | z\nnull | y",
        warning,
    );
    let a = strings("a");
    let by = |keep| deduplicate(&table(data), Some(&a), keep);
    check(by(Keep::First), "a | b\n1 | x\n2 | y\nnull | y", &["3 of 6"]);
    check(by(Keep::Last), "a | b\n2 | y\n1 | z\nnull | y", &["3 of 6"]);
    check(by(Keep::None), "a | b\n2 | y", &["5 of 6"]);
    check(deduplicate(&table("a\n1\n2"), None, Keep::First), "a\n1\n2", &[]);
    fails(
        deduplicate(&table(data), Some(&[]), Keep::First),
        Kind::Argument,
        "columns: expected one column at least, got none",
    );
}

#[test]
fn gaps_are_filled() {
    let data = "g | t | v | s\na | 1 | null | x\nb | 1 | 4 | null\na | 2 | 2 | null\na | 3 | null | y\nb | 2 | null | z";
    let run =
        |method, columns: Option<&str>, value: Option<&str>, order_by: &str, group_by: &str| {
            let columns = columns.map(strings);
            let (order_by, group_by) = (keys(order_by), strings(group_by));
            let wanted = Fill {
                columns: columns.as_deref(),
                method,
                value: value.map(cell),
                order_by: &order_by,
                group_by: &group_by,
                decimals: Some(1),
            };
            fill(&table(data), &wanted)
        };
    use FillMethod::*;
    check(
        run(Value, Some("v"), Some("0"), "", ""),
        "g | t | v | s\na | 1 | 0 | x\nb | 1 | 4 | null\na | 2 | 2 | null\na | 3 | 0 | y\nb | 2 | 0 | z",
        &[],
    );
    check(
        run(Value, None, Some("无"), "", ""),
        "g | t | v | s\na | 1 | 无 | x\nb | 1 | 4 | 无\na | 2 | 2 | 无\na | 3 | 无 | y\nb | 2 | 无 | z",
        &[],
    );
    let still = "column `v` is still null in 1 rows";
    check(
        run(Previous, None, None, "", ""),
        "g | t | v | s\na | 1 | null | x\nb | 1 | 4 | x\na | 2 | 2 | x\na | 3 | 2 | y\nb | 2 | 2 | z",
        &[still],
    );
    check(
        run(Previous, Some("v"), None, "t", "g"),
        "g | t | v | s\na | 1 | null | x\nb | 1 | 4 | null\na | 2 | 2 | null\na | 3 | 2 | y\nb | 2 | 4 | z",
        &[still],
    );
    check(
        run(Previous, Some("v"), None, "-t", "g"),
        "g | t | v | s\na | 1 | 2 | x\nb | 1 | 4 | null\na | 2 | 2 | null\na | 3 | null | y\nb | 2 | null | z",
        &["null in 2 rows"],
    );
    check(
        run(Next, Some("v"), None, "", "g"),
        "g | t | v | s\na | 1 | 2 | x\nb | 1 | 4 | null\na | 2 | 2 | null\na | 3 | null | y\nb | 2 | null | z",
        &["null in 2 rows"],
    );
    check(
        run(Mean, Some("v"), None, "", ""),
        "g | t | v | s\na | 1 | 3 | x\nb | 1 | 4 | null\na | 2 | 2 | null\na | 3 | 3 | y\nb | 2 | 3 | z",
        &[],
    );
    check(
        run(Mean, Some("v"), None, "", "t"),
        "g | t | v | s\na | 1 | 4 | x\nb | 1 | 4 | null\na | 2 | 2 | null\na | 3 | null | y\nb | 2 | 2 | z",
        &[still],
    );
    fails(
        run(Value, Some("q"), None, "", ""),
        Kind::Argument,
        "columns[0]: expected a column of `data`, got `q`\nvalue: expected a value for this method, got none\ncolumns of `data`: `g`, `t`, `v`, `s`",
    );
    fails(
        run(Next, None, Some("1"), "", ""),
        Kind::Argument,
        "value: expected none for this method, got number `1`",
    );
    fails(
        run(Mean, Some("s"), None, "", ""),
        Kind::Argument,
        "data.rows[0].s: expected a number or null, got text `x`\n\
         data.rows[3].s: expected a number or null, got text `y`\n\
         data.rows[4].s: expected a number or null, got text `z`\n\
         hint: `parse-numbers` turns text into numbers",
    );
}

#[test]
fn some_rows_are_taken() {
    let data = table("a\n1\n2\n3\n4\n5\n6");
    check(sample(&data, 2, SampleMethod::First, 0), "a\n1\n2", &[]);
    check(sample(&data, 2, SampleMethod::Last, 0), "a\n5\n6", &[]);
    check(sample(&data, 9, SampleMethod::Last, 0), &show(&data), &[]);
    check(sample(&data, 0, SampleMethod::Random, 0), "a", &[]);
    let random = |seed| show(&sample(&data, 3, SampleMethod::Random, seed).unwrap().table);
    assert_eq!(random(1), random(1));
    assert!((0..9).any(|seed| random(seed) != random(1)));
}

#[test]
fn dates_have_parts() {
    use DatePart::*;
    let all = [Year, Quarter, Month, Week, Day, Weekday, Hour, YearQuarter, YearMonth, YearWeek];
    check(
        date_parts(&table("d\n2024-12-30\n2021-01-03 08:59:59\nnull"), "d", &all),
        "d | d_year | d_quarter | d_month | d_week | d_day | d_weekday | d_hour | d_year-quarter | d_year-month | d_year-week\n\
         2024-12-30 | 2024 | 4 | 12 | 1 | 30 | 1 | 0 | 2024-Q4 | 2024-12 | 2025-W01\n\
         2021-01-03 08:59:59 | 2021 | 1 | 1 | 53 | 3 | 7 | 8 | 2021-Q1 | 2021-01 | 2020-W53\n\
         null | null | null | null | null | null | null | null | null | null | null",
        &[],
    );
    check(
        date_parts(&table("d\n2024-02-29\n2023-02-29\nx"), "d", &[Month]),
        "d | d_month\n2024-02-29 | 2\n2023-02-29 | null\nx | null",
        &["column `d` has cells that are no dates, such as text `2023-02-29`: 2 rows (1, 2)"],
    );
    fails(
        date_parts(&table("d\nnull\n2024"), "d", &[Month]),
        Kind::Argument,
        "column: expected dates such as `2024-12-31` in `d`, got number `2024` in row 1",
    );
    fails(
        date_parts(&table("d | d_year\n2024-01-01 | 1"), "d", &[Year, Year]),
        Kind::AlreadyExists,
        "parts: expected a column name that is not taken, got `d_year`\nparts: expected a column name that is not taken, got `d_year`",
    );
    fails(
        date_parts(&table("d\n2024-01-01"), "d", &[]),
        Kind::Argument,
        "parts: expected one part at least, got none",
    );
}

#[test]
fn percentiles_lie_between_neighbours() {
    let aggregate = |function| {
        let wanted = [Aggregate { column: Some("v".into()), function, name: Some("p".into()) }];
        show(&group(&table("v\n4\n1\nnull\n3\n2.5"), &[], &wanted, Some(3)).unwrap().table)
    };
    for (percent, wanted) in [
        (10, "1.45"),
        (25, "2.125"),
        (50, "2.75"),
        (75, "3.25"),
        (90, "3.7"),
        (95, "3.85"),
        (99, "3.97"),
    ] {
        assert_eq!(aggregate(Function::Percentile(percent)), format!("p\n{wanted}"), "{percent}");
    }
    assert_eq!(aggregate(Function::Median), "p\n2.75");
    let wanted =
        [Aggregate { column: Some("v".into()), function: Function::Percentile(90), name: None }];
    // Between equal numbers nothing is rounded.
    check(group(&table("v\n0.1234\n0.1234"), &[], &wanted, Some(0)), "v_p90\n0.1234", &[]);
    check(group(&table("v\nnull"), &[], &wanted, None), "v_p90\nnull", &[]);
}

#[test]
fn the_first_rows_of_each_group_are_kept() {
    let data = table("g | v\na | 1\nb | 9\na | 3\nb | 7\na | 2\nc | 0");
    check(
        sort(&data, &keys("-v"), Some(2), &strings("g")),
        "g | v\nb | 9\nb | 7\na | 3\na | 2\nc | 0",
        &[],
    );
    check(sort(&data, &keys("v"), Some(1), &strings("g")), "g | v\nc | 0\na | 1\nb | 7", &[]);
    fails(
        sort(&data, &keys("v"), None, &strings("g")),
        Kind::Argument,
        "per: expected a `limit` with it, got none",
    );
}
