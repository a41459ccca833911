//! `filter`, `sort`, `join`, `group`.

use super::{cell, check, fails, strings, table};
use crate::aggregate::Function;
use crate::ops::{
    Aggregate, Combine, Condition, JoinKey, JoinKind, Operator, SortKey, filter, group, join, sort,
};
use crate::problem::Kind;
use Operator::*;

fn condition(column: &str, operator: Operator, values: &[&str]) -> Condition {
    Condition {
        column: column.to_owned(),
        operator,
        values: values.iter().map(|value| cell(value)).collect(),
    }
}

#[test]
fn conditions_choose_rows() {
    let data = "a | b\n1 | x\n2.0 | xy\n10 | y\nnull | Z";
    for (column, operator, values, wanted) in [
        ("a", Eq, &["2"][..], "a | b\n2 | xy"),
        ("a", Eq, &["2.00"], "a | b\n2 | xy"),
        ("a", Ne, &["2"], "a | b\n1 | x\n10 | y"),
        ("a", Lt, &["10"], "a | b\n1 | x\n2 | xy"),
        ("a", Le, &["2"], "a | b\n1 | x\n2 | xy"),
        ("a", Gt, &["1.5"], "a | b\n2 | xy\n10 | y"),
        ("a", Ge, &["1e1"], "a | b\n10 | y"),
        ("a", In, &["1.0", "10"], "a | b\n1 | x\n10 | y"),
        ("a", IsNull, &[], "a | b\nnull | Z"),
        ("a", NotNull, &[], "a | b\n1 | x\n2 | xy\n10 | y"),
        ("b", Contains, &["y"], "a | b\n2 | xy\n10 | y"),
        ("b", StartsWith, &["x"], "a | b\n1 | x\n2 | xy"),
        ("b", EndsWith, &["y"], "a | b\n2 | xy\n10 | y"),
        ("b", Lt, &["x"], "a | b\nnull | Z"),
        ("b", In, &["Z", "y", "q"], "a | b\n10 | y\nnull | Z"),
    ] {
        let is_comparison = column == "a" && !matches!(operator, IsNull | NotNull);
        let warnings: &[&str] = if is_comparison {
            &["column `a` is null in 1 row, for which no comparison holds"]
        } else {
            &[]
        };
        check(
            filter(&table(data), &[condition(column, operator, values)], Combine::And),
            wanted,
            warnings,
        );
    }
    check(
        filter(&table(data), &[condition("b", In, &[])], Combine::And),
        "a | b",
        &["no row is left"],
    );
    check(
        filter(&table("a | b"), &[condition("b", Eq, &["x"])], Combine::And),
        "a | b",
        &["no row is left"],
    );
}

#[test]
fn conditions_work_together() {
    let data = "a | b\n1 | x\n2 | x\n3 | y";
    let conditions = || [condition("a", Ge, &["2"]), condition("b", Eq, &["x"])];
    check(filter(&table(data), &conditions(), Combine::And), "a | b\n2 | x", &[]);
    check(filter(&table(data), &conditions(), Combine::Or), data, &[]);
    check(
        filter(&table("a\ntrue\nfalse"), &[condition("a", Eq, &["true"])], Combine::And),
        "a\ntrue",
        &[],
    );
}

#[test]
fn conditions_that_make_no_sense_are_reported_at_once() {
    let conditions = [
        condition("A", Eq, &["1"]),
        condition("a", Eq, &["1", "2"]),
        condition("a", IsNull, &["1"]),
        condition("a", Eq, &["null"]),
        condition("a", Contains, &["1"]),
        condition("a", In, &["1", "x"]),
    ];
    fails(
        filter(&table("a\n1"), &conditions, Combine::And),
        Kind::Argument,
        "conditions[0].column: expected a column of `data`, got `A`; did you mean `a`?\n\
         conditions[1].values: expected one value for this operator, got 2\n\
         conditions[2].values: expected no value for this operator, got 1\n\
         conditions[3].values[0]: expected a value, got null; `is-null` finds null cells\n\
         conditions[4].values[0]: expected a text for this operator, got number `1`\n\
         conditions[5].values[1]: expected a number like the first value, got text `x`\n\
         columns of `data`: `a`",
    );
    fails(
        filter(&table("a\n1"), &[], Combine::And),
        Kind::Argument,
        "conditions: expected one condition at least, got none",
    );
    fails(
        filter(&table("a\n1\nx\ntrue"), &[condition("a", Gt, &["0"])], Combine::And),
        Kind::Argument,
        "data.rows[1].a: expected a number to compare with number `0`, got text `x`\n\
         data.rows[2].a: expected a number to compare with number `0`, got boolean `true`",
    );
}

fn key(column: &str, descending: bool) -> SortKey {
    SortKey { column: column.to_owned(), descending }
}

#[test]
fn rows_are_sorted() {
    let data = "a | b\n2 | x\nnull | y\n10 | z\nten | w\n2.0 | v\ntrue | u";
    check(
        sort(&table(data), &[key("a", false)], None, &[]),
        "a | b\n2 | x\n2 | v\n10 | z\nten | w\ntrue | u\nnull | y",
        &[],
    );
    check(
        sort(&table(data), &[key("a", true)], None, &[]),
        "a | b\n10 | z\n2 | x\n2 | v\nten | w\ntrue | u\nnull | y",
        &[],
    );
    check(
        sort(&table(data), &[key("a", true), key("b", false)], Some(3), &[]),
        "a | b\n10 | z\n2 | v\n2 | x",
        &[],
    );
    check(
        sort(&table("月\n1月\n10月\n2月"), &[key("月", false)], None, &[]),
        "月\n10月\n1月\n2月",
        &["`10月` before `1月`"],
    );
    check(sort(&table("a"), &[key("a", false)], Some(0), &[]), "a", &[]);
    fails(
        sort(&table("a\n1"), &[], None, &[]),
        Kind::Argument,
        "keys: expected one column at least, got none",
    );
    fails(
        sort(&table("a\n1"), &[key("z9", false)], None, &[]),
        Kind::NotFound,
        "keys[0]: expected a column of `data`, got `z9`\ncolumns of `data`: `a`",
    );
}

fn on(pairs: &[(&str, &str)]) -> Vec<JoinKey> {
    pairs
        .iter()
        .map(|(left, right)| JoinKey { left: (*left).to_owned(), right: (*right).to_owned() })
        .collect()
}

#[test]
fn tables_are_joined() {
    let left = table("id | a\n1 | x\n2 | y\nnull | z\n3 | w");
    let right = table("key | a | b\n1.0 | p | 10\n3 | q | 30\n4 | r | 40\nnull | s | 50");
    let keys = on(&[("id", "key")]);
    let both = "id | a | a_right | b\n1 | x | p | 10";
    for (kind, rows, left_fate, right_fate) in [
        (JoinKind::Inner, "3 | w | q | 30", "left out", "left out"),
        (
            JoinKind::Left,
            "2 | y | null | null\nnull | z | null | null\n3 | w | q | 30",
            "kept",
            "left out",
        ),
        (
            JoinKind::Right,
            "3 | w | q | 30\n4 | null | r | 40\nnull | null | s | 50",
            "left out",
            "kept",
        ),
        (
            JoinKind::Full,
            "2 | y | null | null\nnull | z | null | null\n3 | w | q | 30\n4 | null | r | 40\nnull | null | s | 50",
            "kept",
            "kept",
        ),
    ] {
        let warnings = [
            format!("2 of 4 rows of `left` have no partner: {left_fate}"),
            format!("2 of 4 rows of `right` have no partner: {right_fate}"),
        ];
        check(
            join(&left, &right, &keys, kind, "_right"),
            &format!("{both}\n{rows}"),
            &[&warnings[0], &warnings[1]],
        );
    }
    check(
        join(&table("a\n1\n2"), &table("b\nx\ny"), &[], JoinKind::Cross, "_right"),
        "a | b\n1 | x\n1 | y\n2 | x\n2 | y",
        &[],
    );
    check(
        join(
            &table("k\n1\n1"),
            &table("k | b\n1 | x\n1 | y"),
            &on(&[("k", "k")]),
            JoinKind::Inner,
            "",
        ),
        "k | b\n1 | x\n1 | y\n1 | x\n1 | y",
        &["rows multiply: 1 keys repeat on both sides, such as `1`"],
    );
    check(
        join(
            &table("k | m | a\n1 | x | 5\n1 | y | 6"),
            &table("m | k | b\ny | 1 | 7"),
            &on(&[("k", "k"), ("m", "m")]),
            JoinKind::Inner,
            "_right",
        ),
        "k | m | a | b\n1 | y | 6 | 7",
        &["1 of 2 rows of `left`"],
    );
    check(
        join(&table("k"), &table("k | b"), &on(&[("k", "k")]), JoinKind::Full, "_right"),
        "k | b",
        &[],
    );
}

#[test]
fn joins_that_make_no_sense_are_refused() {
    let (left, right) = (table("k | a\n1 | x"), table("k | a | a_right\n\"1\" | y | z"));
    fails(
        join(&left, &right, &[], JoinKind::Inner, ""),
        Kind::Argument,
        "on: expected one pair of keys at least, got none",
    );
    fails(
        join(&left, &right, &on(&[("k", "k")]), JoinKind::Inner, "_right"),
        Kind::Argument,
        "on[0]: expected keys of one type, got only number cells in left column `k` and only text cells in right column `k`\n\
         suffix: expected a column name that is not taken, got `a_right`",
    );
    fails(
        join(&left, &right, &on(&[("q", "k"), ("k", "kk")]), JoinKind::Inner, "_right"),
        Kind::NotFound,
        "on[0].left: expected a column of `left`, got `q`\n\
         on[1].right: expected a column of `right`, got `kk`; did you mean `k`?\n\
         columns of `left`: `k`, `a`\n\
         columns of `right`: `k`, `a`, `a_right`",
    );
    fails(
        join(&left, &left, &on(&[("k", "k"), ("k", "a")]), JoinKind::Inner, "_r"),
        Kind::Argument,
        "on[1]: expected each column in one pair, got `k` and `a`",
    );
    let big = table(&format!("k{}", "\n1".repeat(4_000)));
    fails(
        join(&big, &big, &on(&[("k", "k")]), JoinKind::Inner, "_right"),
        Kind::Argument,
        "the result is too large: expected at most 10000000 rows, got 16000000",
    );
    fails(
        join(&big, &big, &[], JoinKind::Cross, "_r"),
        Kind::Argument,
        "the result is too large: expected at most 10000000 rows, got 16000000",
    );
}

fn aggregates(list: &[(&str, Function)]) -> Vec<Aggregate> {
    list.iter()
        .map(|(column, function)| Aggregate {
            column: Some((*column).to_owned()),
            function: *function,
            name: None,
        })
        .collect()
}

#[test]
fn groups_are_summed_up() {
    let data =
        table("地区 | 收入\n华东 | 0.1\n华南 | 5\n华东 | 0.2\n华南 | null\n华东 | 0.6\nnull | 7");
    use Function::*;
    for (function, name, [east, south, other]) in [
        (Sum, "收入_sum", ["0.9", "5", "7"]),
        (Mean, "收入_mean", ["0.3", "5", "7"]),
        (Min, "收入_min", ["0.1", "5", "7"]),
        (Max, "收入_max", ["0.6", "5", "7"]),
        (Count, "收入_count", ["3", "1", "1"]),
        (CountDistinct, "收入_count-distinct", ["3", "1", "1"]),
        (Median, "收入_median", ["0.2", "5", "7"]),
        (First, "收入_first", ["0.1", "5", "7"]),
        (Last, "收入_last", ["0.6", "5", "7"]),
        (Stddev, "收入_stddev", ["0.264575", "null", "null"]),
        (Rows, "收入_rows", ["3", "2", "1"]),
    ] {
        let wanted = format!("地区 | {name}\n华东 | {east}\n华南 | {south}\nnull | {other}");
        check(
            group(&data, &strings("地区"), &aggregates(&[("收入", function)]), None),
            &wanted,
            &[],
        );
    }
    let counted = [
        Aggregate { column: None, function: Rows, name: None },
        Aggregate { column: Some("收入".into()), function: Sum, name: Some("合计".into()) },
    ];
    check(group(&data, &[], &counted, None), "rows | 合计\n6 | 12.9", &[]);
    check(
        group(&table("a | b"), &[], &aggregates(&[("a", Sum), ("a", Count)]), None),
        "a_sum | a_count\nnull | 0",
        &[],
    );
    check(
        group(&table("a | b"), &strings("b"), &aggregates(&[("a", Sum)]), None),
        "b | a_sum",
        &[],
    );
    check(group(&table("a\nx\ny\nx"), &strings("a"), &[], None), "a\nx\ny", &[]);
    check(
        group(&table("a\n1\n1.0\n\"1\""), &[], &aggregates(&[("a", CountDistinct)]), None),
        "a_count-distinct\n2",
        &[],
    );
    check(
        group(&table("a\n1\n2"), &[], &aggregates(&[("a", Median), ("a", Mean)]), Some(0)),
        "a_median | a_mean\n2 | 2",
        &[],
    );
    check(
        group(&table("a\nb\nB\na"), &[], &aggregates(&[("a", Min), ("a", Max)]), None),
        "a_min | a_max\nB | b",
        &[],
    );
}

#[test]
fn groups_that_make_no_sense_are_refused() {
    use Function::*;
    let data = table("k | v\na | 1\na | 12%\na | true");
    fails(
        group(&data, &strings("k"), &aggregates(&[("v", Sum)]), None),
        Kind::Argument,
        "data.rows[1].v: expected a number or null, got text `12%`\n\
         data.rows[2].v: expected a number or null, got boolean `true`\n\
         hint: `parse-numbers` turns text into numbers",
    );
    fails(
        group(&data, &strings("k"), &aggregates(&[("v", Max)]), None),
        Kind::Argument,
        "data.rows[1].v: expected a number like the cells above, got text `12%`\n\
         data.rows[2].v: expected a number, a text or null, got boolean `true`",
    );
    fails(
        group(&data, &strings("k"), &aggregates(&[("v", First), ("v", First)]), Some(21)),
        Kind::Argument,
        "decimals: expected 0 to 20, got 21\naggregates: expected a column name that is not taken, got `v_first`",
    );
    let nameless = [Aggregate { column: None, function: Sum, name: Some(String::new()) }];
    fails(
        group(&data, &[], &nameless, None),
        Kind::Argument,
        "aggregates[0].column: expected a column for `sum`, got none\naggregates: expected a column name, got an empty text",
    );
    fails(
        group(&data, &[], &[], None),
        Kind::Argument,
        "aggregates: expected one at least where `by` is empty, got none",
    );
    let large =
        table("k | v\na | 1\nb | 79228162514264337593543950335\nb | 79228162514264337593543950335");
    fails(
        group(&large, &strings("k"), &aggregates(&[("v", Sum)]), None),
        Kind::Argument,
        "result.rows[1].v_sum: expected a result of at most 28 significant digits, got a longer one",
    );
    let long = table("v\n1e40");
    fails(
        group(&long, &[], &aggregates(&[("v", Sum)]), None),
        Kind::Argument,
        "data.rows[0].v: expected a number of at most 28 significant digits and decimals, got `10000000000000000000000000000000000000000`",
    );
    check(
        group(&long, &[], &aggregates(&[("v", Max), ("v", Last)]), None),
        "v_max | v_last\n1e40 | 1e40",
        &[],
    );
}
