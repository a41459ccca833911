//! `growth`, `compare`, `share`.

use super::{check, fails, strings, table};
use crate::ops::{Periods, compare, growth, share};
use crate::problem::{Failure, Kind};
use crate::table::Outcome;
use mitt_guest::tables::Memory;

fn grow(
    data: &str,
    columns: &str,
    order_by: Option<&str>,
    group_by: &str,
    lag: u32,
) -> Result<Outcome<Memory>, Failure> {
    growth(
        &table(data),
        &strings(columns),
        &Periods { order_by, group_by: &strings(group_by), lag },
        None,
        "",
    )
}

#[test]
fn periods_are_compared_down_the_rows() {
    check(
        grow("年 | v\n2022 | 100\n2023 | 125\n2024 | 100", "v", None, "", 1),
        "年 | v | v_change | v_growth\n2022 | 100 | null | null\n2023 | 125 | 25 | 0.25\n2024 | 100 | -25 | -0.2",
        &[],
    );
    // Rows keep their order in any order of the periods.
    check(
        grow("年 | v\n2024 | 100\n2022 | 100\n2023 | 125", "v", Some("年"), "", 1),
        "年 | v | v_change | v_growth\n2024 | 100 | -25 | -0.2\n2022 | 100 | null | null\n2023 | 125 | 25 | 0.25",
        &[],
    );
    check(
        grow(
            "g | q | v\na | 2024-Q1 | 3\nb | 2024-Q1 | 10\na | 2024-Q2 | 4\nb | 2024-Q2 | 5",
            "v",
            Some("q"),
            "g",
            1,
        ),
        "g | q | v | v_change | v_growth\na | 2024-Q1 | 3 | null | null\nb | 2024-Q1 | 10 | null | null\na | 2024-Q2 | 4 | 1 | 0.333333\nb | 2024-Q2 | 5 | -5 | -0.5",
        &[],
    );
    check(
        grow("v\n1\n2\n3\n5", "v", None, "", 2),
        "v | v_change | v_growth\n1 | null | null\n2 | null | null\n3 | 2 | 2\n5 | 3 | 1.5",
        &[],
    );
    check(
        grow("v\n1", "v", None, "", 4_000_000_000),
        "v | v_change | v_growth\n1 | null | null",
        &[],
    );
    check(grow("v", "v", None, "", 1), "v | v_change | v_growth", &[]);
    let halves = Periods { order_by: None, group_by: &[], lag: 1 };
    check(
        growth(&table("v | w\n8 | 1\n9 | 2"), &strings("v w"), &halves, Some(2), "_yoy"),
        "v | w | v_change_yoy | v_growth_yoy | w_change_yoy | w_growth_yoy\n8 | 1 | null | null | null | null\n9 | 2 | 1 | 0.12 | 1 | 1",
        &[],
    );
}

#[test]
fn a_base_without_meaning_gives_null_and_a_warning() {
    check(
        grow("v\n0\n5\n-2\n4\nnull\n3\n6", "v", None, "", 1),
        "v | v_change | v_growth\n0 | null | null\n5 | 5 | null\n-2 | -7 | -1.4\n4 | 6 | null\nnull | null | null\n3 | null | null\n6 | 3 | 1",
        &[
            "column `v_growth` is null where the base is null: 1 row (5)",
            "where the base is zero: 1 row (1)",
            "where the base is negative: 1 row (3)",
        ],
    );
}

#[test]
fn doubtful_periods_are_warned_of() {
    check(
        grow("月 | v\n1月 | 1\n2月 | 2\n10月 | 4", "v", Some("月"), "", 1),
        "月 | v | v_change | v_growth\n1月 | 1 | -3 | -0.75\n2月 | 2 | 1 | 1\n10月 | 4 | null | null",
        &["`10月` before `1月`"],
    );
    check(
        grow("年 | v\n2020 | 1\n2021 | 2\n2023 | 4", "v", Some("年"), "", 1),
        "年 | v | v_change | v_growth\n2020 | 1 | null | null\n2021 | 2 | 1 | 1\n2023 | 4 | 2 | 1",
        &["column `年` has no even steps: `2021` is followed by `2023`"],
    );
}

#[test]
fn growth_that_makes_no_sense_is_refused() {
    fails(
        grow("年 | v\n2023 | 1\n2023 | 2\nnull | 3\nx | 4%", "v", Some("年"), "", 1),
        Kind::Argument,
        "data.rows[2].年: expected a period, got null\n\
         data.rows[3].年: expected a number like the periods above, got text `x`\n\
         data.rows[1].年: expected each period once in its group, got number `2023` again, which is rows[0]\n\
         data.rows[3].v: expected a number or null, got text `4%`\n\
         hint: name the columns that separate the series in `group-by`, or sum them up with `group` first\n\
         hint: `parse-numbers` turns text into numbers",
    );
    fails(
        grow("v | v_growth\n1 | 2", "v V", Some("t"), "", 0),
        Kind::Argument,
        "columns[1]: expected a column of `data`, got `V`; did you mean `v`?\n\
         order-by: expected a column of `data`, got `t`\n\
         lag: expected 1 or more, got 0\n\
         suffix: expected a column name that is not taken, got `v_growth`\n\
         columns of `data`: `v`, `v_growth`",
    );
    fails(
        grow("v\n1e-20\n1e15", "v", None, "", 1),
        Kind::Argument,
        "result.rows[1].v_change: expected a result of at most 28 significant digits, got a longer one\nresult.rows[1].v_growth: expected a result of at most 28 significant digits, got a longer one",
    );
}

#[test]
fn columns_are_compared() {
    check(
        compare(
            &table(
                "地区 | 2023 | 2024 | 计划\n华东 | 100 | 125 | 120\n华南 | 3 | 4 | 0\n华北 | 0 | 4 | null",
            ),
            "2023",
            &strings("2024 计划"),
            Some(4),
            "",
        ),
        "地区 | 2023 | 2024 | 计划 | 2024_change | 2024_growth | 计划_change | 计划_growth\n华东 | 100 | 125 | 120 | 25 | 0.25 | 20 | 0.2\n华南 | 3 | 4 | 0 | 1 | 0.3333 | -3 | -1\n华北 | 0 | 4 | null | 4 | null | null | null",
        &["column `2024_growth` is null where the base is zero: 1 row (2)"],
    );
    check(
        compare(&table("a\n2"), "a", &strings("a"), None, "_x"),
        "a | a_change_x | a_growth_x\n2 | 0 | 0",
        &[],
    );
    fails(
        compare(&table("a\n2"), "b", &[], None, ""),
        Kind::Argument,
        "base: expected a column of `data`, got `b`\ncolumns: expected one column at least, got none\ncolumns of `data`: `a`",
    );
}

#[test]
fn shares_are_parts_of_a_total() {
    let data = "g | v\na | 1\na | 2\nb | 5\nb | null";
    check(
        share(&table(data), "v", &[], None, None),
        "g | v | v_share\na | 1 | 0.125\na | 2 | 0.25\nb | 5 | 0.625\nb | null | null",
        &[],
    );
    check(
        share(&table(data), "v", &strings("g"), Some("占比".into()), Some(4)),
        "g | v | 占比\na | 1 | 0.3333\na | 2 | 0.6667\nb | 5 | 1\nb | null | null",
        &[],
    );
    check(
        share(&table("v\n0\n0"), "v", &[], None, None),
        "v | v_share\n0 | null\n0 | null",
        &["column `v_share` is null where the total is zero or negative: 2 rows (0, 1)"],
    );
    check(
        share(&table("v\n3\n-1"), "v", &[], None, None),
        "v | v_share\n3 | 1.5\n-1 | -0.5",
        &["column `v` has negative numbers"],
    );
    fails(
        share(&table("v | v_share\nx | 1"), "v", &[], None, None),
        Kind::Argument,
        "name: expected a column name that is not taken, got `v_share`\ndata.rows[0].v: expected a number or null, got text `x`\nhint: `parse-numbers` turns text into numbers",
    );
}
