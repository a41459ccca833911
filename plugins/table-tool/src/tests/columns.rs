//! `select`, `pivot`, `unpivot`, `describe`, `rank`, `calculate`.

use super::{check, fails, strings, table};
use crate::aggregate::Function;
use crate::ops::{
    Pivot, RankMethod, Ranking, Rename, Unpivot, calculate, describe, pivot, rank, select, unpivot,
};
use crate::problem::Kind;

fn rename(pairs: &[(&str, &str)]) -> Vec<Rename> {
    pairs
        .iter()
        .map(|(column, name)| Rename { column: (*column).to_owned(), name: (*name).to_owned() })
        .collect()
}

#[test]
fn columns_are_chosen_and_renamed() {
    let data = || table("a | b | c\n1 | 2 | 3\n4 | 5 | 6");
    check(select(&data(), Some(&strings("c a")), &[]), "c | a\n3 | 1\n6 | 4", &[]);
    check(
        select(&data(), None, &rename(&[("a", "b"), ("b", "a")])),
        "b | a | c\n1 | 2 | 3\n4 | 5 | 6",
        &[],
    );
    check(select(&data(), Some(&strings("b")), &rename(&[("b", "金额")])), "金额\n2\n5", &[]);
    fails(
        select(&data(), Some(&strings("a a x")), &rename(&[("y", "z")])),
        Kind::Argument,
        "columns[1]: expected each column once, got `a` again\n\
         columns[2]: expected a column of `data`, got `x`\n\
         rename[0].column: expected a column of `data`, got `y`\n\
         columns of `data`: `a`, `b`, `c`",
    );
    fails(
        select(&data(), None, &rename(&[("a", "b")])),
        Kind::AlreadyExists,
        "rename: expected a column name that is not taken, got `b`",
    );
    fails(
        select(&data(), None, &rename(&[("a", "")])),
        Kind::Argument,
        "rename: expected a column name, got an empty text",
    );
    fails(
        select(&data(), Some(&strings("a")), &rename(&[("b", "x")])),
        Kind::Argument,
        "rename[0].column: expected one of `columns`, got `b`",
    );
    fails(
        select(&data(), Some(&[]), &[]),
        Kind::Argument,
        "columns: expected one column at least, got none",
    );
}

#[test]
fn values_become_columns_and_back() {
    let long = table(
        "地区 | 年 | 收入\n华东 | 2023 | 1\n华东 | 2024 | 2\n华南 | 2024 | 3\n华东 | 2024 | 0.5",
    );
    let (rows, none) = (strings("地区"), Vec::new());
    let ask =
        |rows, function| Pivot { rows, column: "年", values: "收入", function, decimals: None };
    let wide = "地区 | 2023 | 2024\n华东 | 1 | 2.5\n华南 | null | 3";
    check(pivot(&long, &ask(&rows, Function::Sum)), wide, &[]);
    check(
        pivot(&long, &ask(&rows, Function::Count)),
        "地区 | 2023 | 2024\n华东 | 1 | 2\n华南 | null | 1",
        &[],
    );
    check(pivot(&long, &ask(&none, Function::Mean)), "2023 | 2024\n1 | 1.833333", &[]);
    check(pivot(&table("地区 | 年 | 收入"), &ask(&rows, Function::Sum)), "地区", &[]);
    let back = Unpivot { keep: &rows, columns: None, name: "年", value: "收入" };
    check(
        unpivot(&table(wide), &back),
        "地区 | 年 | 收入\n华东 | \"2023\" | 1\n华东 | \"2024\" | 2.5\n华南 | \"2023\" | null\n华南 | \"2024\" | 3",
        &[],
    );
    let some = strings("2024");
    check(
        unpivot(&table(wide), &Unpivot { keep: &[], columns: Some(&some), name: "n", value: "v" }),
        "n | v\n\"2024\" | 2.5\n\"2024\" | 3",
        &[],
    );
    fails(
        unpivot(&table(wide), &Unpivot { keep: &rows, columns: None, name: "地区", value: "v" }),
        Kind::AlreadyExists,
        "name and value: expected a column name that is not taken, got `地区`",
    );
    fails(
        pivot(
            &long,
            &Pivot {
                rows: &strings("年"),
                column: "年",
                values: "收入",
                function: Function::Sum,
                decimals: None,
            },
        ),
        Kind::Argument,
        "column: expected a column that is not among `rows`, got `年`",
    );
    let twins = table("a | b | v\nx | 1 | 1\nx | \"1\" | 2\nx | a | 3");
    fails(
        pivot(
            &twins,
            &Pivot {
                rows: &strings("a"),
                column: "b",
                values: "v",
                function: Function::Sum,
                decimals: None,
            },
        ),
        Kind::AlreadyExists,
        "column: expected a column name that is not taken, got `1`\ncolumn: expected a column name that is not taken, got `a`",
    );
    let many = (0..1001).map(|i| format!("\n{i} | 1")).collect::<String>();
    fails(
        pivot(
            &table(&format!("a | v{many}")),
            &Pivot { rows: &[], column: "a", values: "v", function: Function::Sum, decimals: None },
        ),
        Kind::Argument,
        "column: expected at most 1000 different values, got 1001",
    );
}

#[test]
fn columns_are_described() {
    let data = table(
        "n | t | b | m | e\n1 | x | true | 1 | null\n2 | y | true | z | null\n2 | x | null | null | null\n5 | z | false | 2 | null",
    );
    check(
        describe(&data, None, Some(4)),
        "column | type | count | nulls | distinct | min | max | sum | mean | median | stddev | p25 | p75 | p90
         n | number | 4 | 0 | 3 | 1 | 5 | 10 | 2.5 | 2 | 1.7321 | 1.75 | 2.75 | 4.1
         t | text | 4 | 0 | 3 | x | z | null | null | null | null | null | null | null
         b | boolean | 3 | 1 | 2 | null | null | null | null | null | null | null | null | null
         m | mixed | 3 | 1 | 3 | null | null | null | null | null | null | null | null | null
         e | empty | 0 | 4 | 0 | null | null | null | null | null | null | null | null | null",
        &["column `m` mixes types"],
    );
    check(
        describe(&table("a\n0.1\n0.2"), Some(&strings("a")), None),
        "column | type | count | nulls | distinct | min | max | sum | mean | median | stddev | p25 | p75 | p90\na | number | 2 | 0 | 2 | 0.1 | 0.2 | 0.3 | 0.15 | 0.15 | 0.070711 | 0.125 | 0.175 | 0.19",
        &[],
    );
}

#[test]
fn rows_are_ranked() {
    let data = || table("g | v\na | 9\nb | 8\na | 8.0\nb | null\na | 7");
    for (method, descending, by_group, wanted) in [
        (RankMethod::Competition, true, false, ["1", "2", "2", "null", "4"]),
        (RankMethod::Dense, true, false, ["1", "2", "2", "null", "3"]),
        (RankMethod::Ordinal, true, false, ["1", "2", "3", "null", "4"]),
        (RankMethod::Competition, false, false, ["4", "2", "2", "null", "1"]),
        (RankMethod::Competition, true, true, ["1", "1", "2", "null", "3"]),
    ] {
        let group_by = if by_group { strings("g") } else { Vec::new() };
        let ranking = Ranking { column: "v", descending, method, group_by: &group_by, name: None };
        let [one, two, three, four, five] = wanted;
        check(
            rank(&data(), ranking),
            &format!(
                "g | v | v_rank\na | 9 | {one}\nb | 8 | {two}\na | 8 | {three}\nb | null | {four}\na | 7 | {five}"
            ),
            &[],
        );
    }
    let ranking = |name: &str| Ranking {
        column: "v",
        descending: true,
        method: RankMethod::Dense,
        group_by: &[],
        name: Some(name.into()),
    };
    fails(
        rank(&data(), ranking("g")),
        Kind::AlreadyExists,
        "name: expected a column name that is not taken, got `g`",
    );
    fails(
        rank(&table("v\n1\nx\ntrue"), ranking("r")),
        Kind::Argument,
        "data.rows[1].v: expected a number like the cells above, got text `x`\n\
         data.rows[2].v: expected a number, a text or null, got boolean `true`\n\
         hint: `parse-numbers` turns text into numbers",
    );
}

#[test]
fn expressions_are_calculated() {
    let data = || table("a | b | c]d\n10 | 3 | 0.1\n-7 | 2 | null");
    for (expression, decimals, one, two) in [
        ("[a] + [b] * 2", None, "16", "-3"),
        ("([a] + [b]) * 2", None, "26", "-10"),
        ("[a] / [b]", None, "3.333333", "-3.5"),
        ("[a] / [b] * [b]", None, "10", "-7"),
        ("[a] - [b] - 1", None, "6", "-10"),
        ("[a] / 2 / 5", None, "1", "-0.7"),
        ("-[a] + +[b]", None, "-7", "9"),
        ("2 - -3", None, "5", "5"),
        ("abs([a])", None, "10", "7"),
        ("round([a] / 4, 0)", None, "2", "-2"),
        ("round([a] * 15, -2)", None, "200", "-100"),
        ("round(2.345, 2) + round(2.355, 2)", None, "4.7", "4.7"),
        ("[c]]d] * 3", None, "0.3", "null"),
        ("coalesce([c]]d], 0) + 1", None, "1.1", "1"),
        ("min([a], [b], 0)", None, "0", "-7"),
        ("max([a], [b])", None, "10", "2"),
        ("[a] / [b]", Some(0), "3", "-4"),
        ("[a] / [b]", Some(2), "3.33", "-3.5"),
        ("1e3 + 1.5E-1", None, "1000.15", "1000.15"),
        (" 1\n+\t2 ", None, "3", "3"),
    ] {
        let wanted = format!("a | b | c]d | x\n10 | 3 | 0.1 | {one}\n-7 | 2 | null | {two}");
        check(calculate(&data(), "x".into(), expression, decimals), &wanted, &[]);
    }
    check(
        calculate(&table("a\n0\n4\nnull"), "x".into(), "1 / [a]", None),
        "a | x\n0 | null\n4 | 0.25\nnull | null",
        &["column `x`: `1 / [a]` divides by zero in 1 row (0)"],
    );
}

#[test]
fn expressions_that_cannot_be_read_are_refused() {
    let too_deep = format!("{}1{}", "(".repeat(33), ")".repeat(33));
    let too_many = format!("1{}", "+1".repeat(101));
    let signs = format!("{}1", "-".repeat(50));
    let too_long = " ".repeat(2_001);
    for (expression, message) in [
        ("", "expected a number, a column in brackets, a function or `(`, got the end"),
        ("1 +", "expected a number, a column in brackets, a function or `(`, got the end"),
        ("1 2", "expected an operator or the end, got `2` at character 2"),
        ("(1", "expected `)`, got the end"),
        ("1)", "expected an operator or the end, got `)` at character 1"),
        ("[a", "expected `]` for the `[` at character 0, got the end"),
        (
            "a + 1",
            "expected `abs`, `round`, `min`, `max` or `coalesce`, got `a` at character 0; columns are written in brackets",
        ),
        (
            "sqrt(4)",
            "expected `abs`, `round`, `min`, `max` or `coalesce`, got `sqrt` at character 0; columns are written in brackets",
        ),
        ("abs(1, 2)", "expected one argument for `abs`, got 2 at character 0"),
        ("round(1)", "expected two arguments for `round`, got 1 at character 0"),
        (
            "round(1, [a])",
            "expected a whole number from -28 to 28 as second argument of `round` at character 0",
        ),
        (
            "round(1, 29)",
            "expected a whole number from -28 to 28 as second argument of `round` at character 0",
        ),
        ("1.2.3", "expected a decimal number in JSON notation, got `1.2.3` at character 0"),
        (
            "2 ** 3",
            "expected a number, a column in brackets, a function or `(`, got `*` at character 3",
        ),
        ("1e99", "expected a number of at most 28 digits, got `1e99` at character 0"),
        (
            "收入",
            "expected a number, a column in brackets, a function or `(`, got `收` at character 0",
        ),
        (&too_deep, "expected parentheses and signs at most 32 deep, got more at character 33"),
        (&signs, "expected parentheses and signs at most 32 deep, got more at character 33"),
        (&too_many, "expected at most 100 operations, got more"),
        (&too_long, "expected at most 2000 characters, got 2001"),
    ] {
        fails(
            calculate(&table("a\n1"), "x".into(), expression, None),
            Kind::Argument,
            &format!("expression: {message}"),
        );
    }
    fails(
        calculate(&table("收入 | 成本\n1 | 2"), "收入".into(), "[收人] - [成本]", Some(99)),
        Kind::Argument,
        "name: expected a column name that is not taken, got `收入`\n\
         decimals: expected 0 to 20, got 99\n\
         expression: expected a column of `data`, got `收人`; did you mean `收入`?\n\
         columns of `data`: `收入`, `成本`",
    );
    fails(
        calculate(&table("a\n1\n1e20"), "x".into(), "[a] * [a]", None),
        Kind::Argument,
        "result.rows[1].x: expected a result of at most 28 significant digits, got a longer one",
    );
}

#[test]
fn a_sum_that_is_too_long_is_named_by_its_place_in_the_grid() {
    let large = "79228162514264337593543950335";
    let data = table(&format!("r | c | v\nx | p | 1\ny | p | 1\ny | q | {large}\ny | q | {large}"));
    let wide = Pivot {
        rows: &strings("r"),
        column: "c",
        values: "v",
        function: Function::Sum,
        decimals: None,
    };
    fails(
        pivot(&data, &wide),
        Kind::Argument,
        "result.rows[1].q: expected a result of at most 28 significant digits, got a longer one",
    );
    fails(
        describe(&data, Some(&strings("c v")), None),
        Kind::Argument,
        "result.rows[1].sum: expected a result of at most 28 significant digits, got a longer one\n\
         result.rows[1].stddev: expected a result of at most 28 significant digits, got a longer one",
    );
}
