//! Decimals are exact, or there is a warning.

use super::{Memory, ask, decimals, entry, query_with};
use crate::bindings::mitt::host::tables::{ColumnType, Values, WideDecimals};
use crate::source::Entry;

fn one(sql: &str) -> (String, Vec<String>) {
    let (rows, warnings) = ask(sql, Vec::new());
    (rows.join(" / "), warnings)
}

#[test]
fn arithmetic_is_decimal() {
    for (sql, expected) in [
        ("SELECT 0.1 + 0.2", "0.3"),
        ("SELECT 0.1 + 0.2 = 0.3", "1"),
        ("SELECT 1000000.1 - 1000000", "0.1"),
        ("SELECT 1.1 * 1.1", "1.21"),
        ("SELECT 10 / 4.0", "2.5"),
        ("SELECT 5.5 % 2", "1.5"),
        ("SELECT mod(0.3, 0.1)", "0"),
        ("SELECT round(2.675, 2)", "2.68"),
        ("SELECT round(-2.5)", "-3"),
        ("SELECT round(1 / 3.0, 4)", "0.3333"),
        ("SELECT -(0.1 * 3)", "-0.3"),
        ("SELECT abs(0.1 * 3 - 0.4)", "0.1"),
        ("SELECT min(x), max(x) FROM (SELECT 0.1 * 3 AS x UNION ALL SELECT 0.3)", "0.3|0.3"),
        ("SELECT count(DISTINCT x) FROM (SELECT 0.1 * 3 AS x UNION ALL SELECT 0.3)", "1"),
        ("SELECT median(x) FROM (SELECT 0.1 AS x UNION ALL SELECT 0.2)", "0.15"),
        ("SELECT 9007199254740993", "9007199254740993"),
    ] {
        assert_eq!(one(sql), (expected.to_owned(), Vec::new()), "{sql}");
    }
}

#[test]
fn what_is_rounded_is_told() {
    for (sql, expected, warning) in [
        (
            "SELECT 1 / 3.0 AS x",
            "0.333333333333333",
            "`x`: 1 of 1 numbers are rounded to 15 digits",
        ),
        (
            "SELECT 123456789.12 * 98765432.1 AS x",
            "12193263123115400",
            "`x`: 1 of 1 numbers are rounded to 15 digits",
        ),
        // Results of calculations with an inexact number are inexact, even if they look exact.
        ("SELECT 3 * (1 / 3.0) AS x", "1", "`x`: 1 of 1 numbers are rounded to 15 digits"),
        ("SELECT 1e308 * 10 AS x", "NULL", "`x`: 1 numbers are infinite, shown as null"),
        ("SELECT x'00ff' AS x", "00ff", "`x`: 1 cells are bytes, shown in hexadecimal digits"),
        (
            "SELECT 5 / 2 AS x",
            "2",
            "1 divisions of whole numbers dropped a remainder, as 5 / 2 is 2; write 1.0 * a / b for the quotient",
        ),
        (
            "SELECT sum(x) FROM (SELECT 1.5 AS x UNION ALL SELECT 'n/a')",
            "1.5",
            "sum(): 1 cells are text that is no number and counted as 0",
        ),
        (
            "SELECT median(x) FROM (SELECT 1.5 AS x UNION ALL SELECT 'n/a')",
            "1.5",
            "median(): 1 cells are text that is no number and left out",
        ),
        (
            "SELECT sum(x) FROM (SELECT '1.250' AS x UNION ALL SELECT '12.500')",
            "13.75",
            "sum(): 2 cells are text and counted as numbers with a decimal point, such as `1.250` as 1.25; write replace() and CAST \
             where the text means another number",
        ),
        (
            "SELECT x * 2 FROM (SELECT ' 007' AS x)",
            "14",
            "+ - * / %: 1 cells are text and counted as numbers with a decimal point, such as `007` as 7; write replace() and CAST \
             where the text means another number",
        ),
        (
            "SELECT x + 1 FROM (SELECT '12 apples' AS x)",
            "13",
            "+ - * / %: 1 cells are text that is no number and counted as the digits they begin with, or as 0",
        ),
    ] {
        assert_eq!(one(sql), (expected.to_owned(), vec![warning.to_owned()]), "{sql}");
    }
    for sql in ["SELECT 6 / 2", "SELECT CAST(replace('1.250', '.', '') AS INTEGER) * 2"] {
        assert_eq!(one(sql).1, Vec::<String>::new(), "{sql}");
    }
}

fn money(rows: i64) -> Vec<Entry> {
    let units: Vec<_> = (0..rows).map(|row| row % 100 + 1).collect();
    let columns = vec![("amount", ColumnType::Decimal, 2, decimals(2, &units))];
    vec![entry("money.csv", Memory::new(columns, rows as u64))]
}

#[test]
fn sums_are_exact() {
    assert_eq!(
        one("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) \
             SELECT sum(0.1), total(0.1), avg(0.1), sum(i) FROM n"),
        ("1|1|0.1|55".to_owned(), Vec::new())
    );
    // 100 different amounts with the sum 50.50, ten thousand times.
    let sql =
        "SELECT sum(amount), avg(amount), count(*), total(amount) FROM money WHERE amount > 0";
    assert_eq!(
        ask(sql, money(1_000_000)),
        (vec!["505000|0.505|1000000|505000".into()], Vec::new())
    );
    // A moving window subtracts what it added.
    let sql = "SELECT max(s) FROM (SELECT sum(amount) OVER (ORDER BY rowid ROWS 2 PRECEDING) AS s FROM money)";
    assert_eq!(ask(sql, money(1000)).0, ["2.97"]);
}

#[test]
fn sums_beyond_15_digits_are_told_and_can_be_had_exact() {
    let units = [999_999_999_999_999_i64, 999_999_999_999_999, 2];
    let table = || {
        let columns = vec![("x", ColumnType::Decimal, 2, decimals(2, &units))];
        vec![entry("big.csv", Memory::new(columns, 3))]
    };
    let (rows, warnings) = ask("SELECT sum(x) AS s FROM big", table());
    // Two digits more than the exact ones: 20000000000000.00 has 1 significant digit.
    assert_eq!((rows, warnings), (vec!["20000000000000".into()], Vec::new()));
    let (rows, warnings) = ask("SELECT sum(x) AS s FROM big WHERE x > 1", table());
    assert_eq!(rows, ["20000000000000"]);
    assert_eq!(warnings, ["`s`: 1 of 1 numbers are rounded to 15 digits"]);
    let (rows, warnings) = ask("SELECT decimal_sum(x) FROM big WHERE x > 1", table());
    assert_eq!((rows, warnings), (vec!["19999999999999.98".into()], Vec::new()));
}

fn wide() -> Vec<Entry> {
    let numbers: [i128; 5] = [
        1234567890123456789,
        1234567890123456788,
        -50,
        99999999999999999999999,
        -1234567890123456789,
    ];
    let units = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let chunk = super::chunk(Values::WideDecimals(WideDecimals { scale: 2, units }));
    vec![entry("wide.csv", Memory::new(vec![("x", ColumnType::Decimal, 2, chunk)], 5))]
}

#[test]
fn numbers_of_many_digits_compare_and_pass_exactly() {
    for (sql, expected) in [
        (
            "SELECT x FROM wide ORDER BY x",
            "-12345678901234567.89 / -0.5 / 12345678901234567.88 / 12345678901234567.89 / 999999999999999999999.99",
        ),
        (
            "SELECT x FROM wide WHERE x > 12345678901234567.88",
            "12345678901234567.89 / 999999999999999999999.99",
        ),
        ("SELECT count(DISTINCT x) FROM wide", "5"),
        ("SELECT x FROM wide WHERE x < 10.5 AND x > -1", "-0.5"),
        ("SELECT max(x) FROM wide", "999999999999999999999.99"),
        ("SELECT a.x FROM wide a JOIN wide b ON a.x = b.x WHERE a.x < 0 AND a.x > -1", "-0.5"),
        ("SELECT decimal_sum(x) FROM wide WHERE x < 12345678901234568", "12345678901234567.38"),
        ("SELECT x || ' yuan' FROM wide WHERE x < 0 AND x > -1", "-0.5 yuan"),
        ("SELECT x FROM wide WHERE x = -0.5", "-0.5"),
    ] {
        // A literal with so many digits keeps them if it is a text, as the column is.
        let sql = sql.replace("> 12345678901234567.88", "> '12345678901234567.88'");
        let (rows, warnings) = ask(&sql, wide());
        assert_eq!((rows.join(" / "), warnings), (expected.to_owned(), Vec::new()), "{sql}");
    }
    let sql = "CREATE TEMP TABLE t AS SELECT x FROM wide; SELECT x FROM t WHERE x COLLATE decimal < 1 ORDER BY x COLLATE decimal";
    let (rows, warnings) = ask(sql, wide());
    assert_eq!(rows.join(" / "), "-12345678901234567.89 / -0.5");
    assert!(warnings.len() == 1 && warnings[0].contains("COLLATE decimal"), "{warnings:?}");
    let (_, warnings) = ask("SELECT x * 2 AS y FROM wide WHERE x > 10", wide());
    assert_eq!(warnings, ["`y`: 3 of 3 numbers are rounded to 15 digits"]);
}

#[test]
fn whole_numbers_that_overflow_are_an_error_in_sums() {
    let text = super::refuse(
        "SELECT sum(x) FROM (SELECT 9223372036854775807 AS x UNION ALL SELECT 1)",
        Vec::new(),
    );
    assert!(text.starts_with("invalid-argument: sql: integer overflow"), "{text}");
    let sql = "SELECT decimal_sum(x) FROM (SELECT 9223372036854775807 AS x UNION ALL SELECT 1)";
    assert_eq!(one(sql).0, "9223372036854775808");
}

#[test]
fn statistics_say_that_they_are_rounded() {
    let sql = "SELECT stddev(x) AS s, var_pop(x) AS v FROM (SELECT 1 AS x UNION ALL SELECT 2 UNION ALL SELECT 4)";
    let (rows, warnings) = one(sql);
    assert_eq!(rows, "1.52752523165195|1.55555555555556");
    assert_eq!(warnings.len(), 2);
    assert_eq!(one("SELECT stddev(x) FROM (SELECT 1 AS x)").0, "NULL");
}

#[test]
fn results_have_types() {
    let (rows, _) =
        query_with("SELECT 1 AS a, 1.5 AS b, 'x' AS c, NULL AS d", Vec::new(), None).unwrap();
    assert_eq!(rows.forms, ["integers", "decimals", "texts", "empty"]);
}
