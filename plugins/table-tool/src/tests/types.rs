//! Columns of types that JSON does not have: dates, times, floats, wide decimals, dictionaries, mixed types.

use super::{cell, check, fails, show, strings, table};
use crate::aggregate::Function;
use crate::ops::{
    Aggregate, Combine, Condition, JoinKey, JoinKind, Operator, Periods, Pivot, RankMethod,
    Ranking, SortKey, calculate, describe, filter, group, growth, join, pivot, rank, sort,
};
use crate::problem::Kind;
use mitt_guest::tables::calendar::{parse_date, parse_date_time, parse_time};
use mitt_guest::tables::{Bits, Chunk, ColumnType, Memory, Source, Values};

fn full(values: Values) -> Chunk {
    Chunk::from(values)
}

/// Makes three rows. The last is null in all columns except `n`.
fn data() -> Memory {
    let partly = |values| Chunk::new(values, [true, true, false].into_iter().collect::<Bits>());
    let dates = ["2024-02-01", "2023-12-31", "1970-01-01"].map(|text| parse_date(text).unwrap());
    let times = ["08:30:00", "07:00:00.5", "00:00:00"].map(|text| parse_time(text).unwrap());
    let moments = ["2024-02-01T10:00:00", "2024-02-01T00:00:00", "1970-01-01T00:00:00"]
        .map(|text| parse_date_time(text).unwrap());
    Memory::new(vec![
        ("n", full(Values::Integers(vec![1, 2, 3]))),
        ("d", partly(Values::Dates(dates.to_vec()))),
        ("t", partly(Values::Times(times.to_vec()))),
        ("m", partly(Values::DateTimes(moments.to_vec()))),
        ("f", partly(Values::Floats(vec![0.1, 0.2, 0.0]))),
        (
            "w",
            partly(Values::WideDecimals {
                scale: 20,
                units: vec![3 * 10i128.pow(20), -(10i128.pow(19)), 0],
            }),
        ),
        ("k", Chunk::dictionary([Some("x"), Some("y"), None])),
    ])
}

fn rows_of(column: &str, operator: Operator, values: &[&str]) -> String {
    let values = values.iter().map(|value| cell(value)).collect();
    let condition = Condition { column: column.to_owned(), operator, values };
    let found = filter(&data(), &[condition], Combine::And).unwrap().table;
    let numbers = found.select(&[(0, "n".into())]).unwrap();
    show(&numbers).lines().skip(1).collect::<Vec<_>>().join(" ")
}

#[test]
fn each_type_is_filtered() {
    use Operator::*;
    for (column, operator, values, wanted) in [
        ("d", Ge, &["2024-01-01"][..], "1"),
        ("d", Lt, &["2024-02-01"], "2"),
        ("d", Ne, &["2024-02-01"], "2"),
        ("d", In, &["2023-12-31", "2024-02-01", "1999-01-01"], "1 2"),
        ("d", StartsWith, &["2024-02"], "1"),
        ("d", Contains, &["-12-"], "2"),
        ("d", IsNull, &[], "3"),
        ("d", NotNull, &[], "1 2"),
        ("t", Le, &["07:00:00.5"], "2"),
        ("m", Gt, &["2024-02-01"], "1"),
        ("m", Eq, &["2024-02-01"], "2"),
        ("m", Eq, &["2024-02-01T10:00:00"], "1"),
        ("f", Eq, &["0.1"], "1"),
        ("f", Gt, &["0.1"], "2"),
        ("f", In, &["0.2", "5"], "2"),
        ("w", Lt, &["0"], "2"),
        ("w", Eq, &["-0.1"], "2"),
        ("k", Eq, &["y"], "2"),
        ("k", In, &["x", "z"], "1"),
        ("k", Gt, &["x"], "2"),
        ("k", EndsWith, &["x"], "1"),
        ("n", Gt, &["1.5"], "2 3"),
        ("n", Le, &["1.5"], "1"),
        ("n", Eq, &["1.5"], ""),
        ("n", Ne, &["1.5"], "1 2 3"),
        ("n", Lt, &["99999999999999999999"], "1 2 3"),
        ("n", Gt, &["-1e40"], "1 2 3"),
    ] {
        assert_eq!(rows_of(column, operator, values), wanted, "{column} {operator:?} {values:?}");
    }
    let condition = |column: &str, value| Condition {
        column: column.into(),
        operator: Eq,
        values: vec![cell(value)],
    };
    for (column, value, wanted) in [
        ("d", "2024-02-30", "a date such as `2024-12-31` for column `d`, got text `2024-02-30`"),
        ("t", "5", "a time such as `08:30:00` for column `t`, got number `5`"),
        (
            "m",
            "x",
            "a date or a date with time such as `2024-12-31T08:30:00` for column `m`, got text `x`",
        ),
    ] {
        fails(
            filter(&data(), &[condition(column, value)], Combine::And),
            Kind::Argument,
            &format!("conditions[0].values: expected {wanted}"),
        );
    }
}

#[test]
fn each_type_is_ordered_and_keeps_its_type() {
    for (column, wanted) in [
        ("d", "2 1 3"),
        ("t", "2 1 3"),
        ("m", "2 1 3"),
        ("f", "1 2 3"),
        ("w", "2 1 3"),
        ("k", "1 2 3"),
    ] {
        let key = |descending| SortKey { column: column.to_owned(), descending };
        let order = |descending| {
            let sorted = sort(&data(), &[key(descending)], None, &[]).unwrap().table;
            assert_eq!(sorted.columns()[1].type_, ColumnType::Date);
            assert_eq!(sorted.columns()[4].type_, ColumnType::Float);
            show(&sorted.select(&[(0, "n".into())]).unwrap())
                .lines()
                .skip(1)
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(order(false), wanted, "{column}");
        let reversed = if wanted == "2 1 3" { "1 2 3" } else { "2 1 3" };
        assert_eq!(order(true), reversed, "{column}");
        let ranking = Ranking {
            column,
            descending: false,
            method: RankMethod::Dense,
            group_by: &[],
            name: None,
        };
        assert_eq!(rank(&data(), ranking).unwrap().table.columns().len(), 8);
    }
}

#[test]
fn extremes_of_dates_are_dates() {
    let wanted = ["d", "m", "t"].map(|column| Aggregate {
        column: Some(column.into()),
        function: Function::Max,
        name: None,
    });
    let found = group(&data(), &[], &wanted, None).unwrap().table;
    assert_eq!(show(&found), "d_max | m_max | t_max\n2024-02-01 | 2024-02-01T10:00:00 | 08:30:00");
    let types: Vec<ColumnType> = found.columns().iter().map(|column| column.type_).collect();
    assert_eq!(types, [ColumnType::Date, ColumnType::DateTime, ColumnType::Time]);
    let sum = [Aggregate { column: Some("d".into()), function: Function::Sum, name: None }];
    fails(
        group(&data(), &[], &sum, None),
        Kind::Argument,
        "data.rows[0].d: expected a number or null, got date `2024-02-01`\ndata.rows[1].d: expected a number or null, got date `2023-12-31`",
    );
}

#[test]
fn floats_are_calculated_with_and_told_of() {
    let warning = &["column `f` holds binary floating point numbers"][..];
    let sums = [
        Aggregate { column: Some("f".into()), function: Function::Sum, name: Some("s".into()) },
        Aggregate { column: Some("f".into()), function: Function::Mean, name: Some("m".into()) },
    ];
    check(group(&data(), &[], &sums, None), "s | m\n0.3 | 0.15", warning);
    let doubled = calculate(&data(), "x".into(), "[f] * 3", None).unwrap();
    assert_eq!(doubled.warnings.len(), 1);
    assert!(show(&doubled.table).lines().nth(1).unwrap().ends_with("| 0.3"));
    let periods = Periods { order_by: Some("d"), group_by: &[], lag: 1 };
    let known = data().range(0, 2);
    assert_eq!(growth(&known, &strings("f"), &periods, None, "").unwrap().warnings.len(), 1);
    // A sum that is too long is rounded to 28 digits, because its operands were not exact.
    let far = Memory::new(vec![(
        "f",
        full(Values::Floats(vec![123_456_789_012_345.0, 1.234_567_890_123_4e-14])),
    )]);
    let sum = [Aggregate { column: Some("f".into()), function: Function::Sum, name: None }];
    check(group(&far, &[], &sum, None), "f_sum\n123456789012345.0000000000000", warning);
    assert_eq!(
        show(&describe(&data(), Some(&strings("f w d")), None).unwrap().table)
            .lines()
            .skip(1)
            .map(|line| line.split(" | ").take(7).collect::<Vec<_>>().join(" "))
            .collect::<Vec<_>>(),
        ["f float 2 1 2 0.1 0.2", "w number 2 1 2 -0.1 3", "d date 2 1 2 2023-12-31 2024-02-01"]
    );
}

#[test]
fn keys_of_different_types_find_each_other() {
    let on = |column: &str| vec![JoinKey { left: column.into(), right: "k".into() }];
    for (column, right, wanted) in [
        ("d", "k | r\n2024-02-01 | 7", "7"),
        ("m", "k | r\n2024-02-01T10:00:00 | 7", "7"),
        ("f", "k | r\n0.10 | 7", "7"),
        ("w", "k | r\n3 | 7", "7"),
        ("n", "k | r\n1.0 | 7\n2.5 | 8", "7"),
        ("k", "k | r\ny | 6\nx | 7", "7"),
    ] {
        let left = data().range(0, 1);
        let joined = join(&left, &table(right), &on(column), JoinKind::Inner, "_r").unwrap().table;
        let names: Vec<String> = joined.columns().into_iter().map(|column| column.name).collect();
        let last = names.iter().position(|name| name == "r").unwrap() as u32;
        assert_eq!(
            show(&joined.select(&[(last, "r".into())]).unwrap()),
            format!("r\n{wanted}"),
            "{column}"
        );
    }
    let full =
        join(&data().range(0, 1), &table("k | r\n2030-01-01 | 8"), &on("d"), JoinKind::Full, "_r")
            .unwrap()
            .table;
    let narrow = full.select(&[(0, "n".into()), (1, "d".into()), (7, "r".into())]).unwrap();
    assert_eq!(show(&narrow), "n | d | r\n1 | 2024-02-01 | null\nnull | 2030-01-01 | 8");
    fails(
        join(&data(), &table("k | r\n1 | 7"), &on("d"), JoinKind::Inner, "_r"),
        Kind::Argument,
        "on[0]: expected keys of one type, got only date cells in left column `d` and only number cells in right column `k`",
    );
}

#[test]
fn dates_become_columns() {
    let wide =
        Pivot { rows: &[], column: "d", values: "n", function: Function::Sum, decimals: None };
    check(pivot(&data(), &wide), "2024-02-01 | 2023-12-31 | null\n1 | 2 | 3", &[]);
    let first = Pivot {
        rows: &strings("k"),
        column: "n",
        values: "d",
        function: Function::First,
        decimals: None,
    };
    let found = pivot(&data(), &first).unwrap().table;
    assert_eq!(
        show(&found),
        "k | 1 | 2 | 3\nx | 2024-02-01 | null | null\ny | null | 2023-12-31 | null\nnull | null | null | null"
    );
    assert_eq!(found.columns()[1].type_, ColumnType::Date);
}

/// Sums use 64 bits if the largest number and the number of rows allow it.
#[test]
fn sums_of_the_largest_numbers_are_exact() {
    for (largest, rows) in
        [(i64::MAX, 3), (i64::MIN, 2), (i64::MAX / 8, 8), (i64::MAX / 7, 9), (1 << 60, 8), (-1, 5)]
    {
        let data = Memory::new(vec![
            ("k", Chunk::dictionary((0..rows).map(|_| Some("k")))),
            ("v", Values::Integers(vec![largest; rows]).into()),
        ]);
        let sum = Aggregate { column: Some("v".into()), function: Function::Sum, name: None };
        let count = Aggregate { column: Some("v".into()), function: Function::Count, name: None };
        let grouped = group(&data, &strings("k"), &[sum, count], None).unwrap().table;
        let expected = (i128::from(largest) * rows as i128).to_string();
        assert_eq!(show(&grouped), format!("k | v_sum | v_count\nk | {expected} | {rows}"));
    }
}
