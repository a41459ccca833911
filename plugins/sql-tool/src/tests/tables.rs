//! Columns of every type, joins, temporary tables.

use super::{Memory, ask, chunk, decimals, entry, query_with, texts};
use crate::bindings::mitt::host::tables::{Bits, Chunk, ColumnType, Dictionary, Values};
use crate::bindings::mitt::host::types::Cell;
use crate::source::{Entry, joined};
use std::rc::Rc;

fn everything() -> Rc<Memory> {
    let dictionary = Dictionary { keys: vec![1, 0, 1], values: joined(&["华东", "华南"]) };
    let mut nullable = chunk(Values::Integers(vec![7, 0, 9]));
    nullable.validity = vec![0b101];
    Memory::new(
        vec![
            (
                "active",
                ColumnType::Boolean,
                0,
                chunk(Values::Booleans(Bits { length: 3, bytes: vec![0b101] })),
            ),
            ("n", ColumnType::Integer, 0, nullable),
            ("价格", ColumnType::Decimal, 2, decimals(2, &[1050, 999, 10_000])),
            ("f", ColumnType::Float, 0, chunk(Values::Floats(vec![0.1 + 0.2, 1.5, 2.0]))),
            ("地区", ColumnType::Text, 0, chunk(Values::Dictionary(dictionary))),
            ("day", ColumnType::Date, 0, chunk(Values::Dates(vec![19_782, 0, -1]))),
            ("at", ColumnType::Time, 0, chunk(Values::Times(vec![30_600_000_000, 0, 1_500_000]))),
            ("both", ColumnType::DateTime, 0, chunk(Values::DateTimes(vec![0, 86_400_000_000, 1]))),
            (
                "any",
                ColumnType::Mixed,
                0,
                chunk(Values::Mixed(vec![
                    Cell::Null,
                    Cell::Number("1.50".into()),
                    Cell::Text("x".into()),
                ])),
            ),
        ],
        3,
    )
}

fn table() -> Vec<Entry> {
    vec![entry("订单.csv", everything())]
}

#[test]
fn columns_pass_with_their_types() {
    let (rows, warnings) = query_with("SELECT * FROM 订单", table(), None).unwrap();
    assert_eq!(
        rows.forms,
        [
            "booleans",
            "integers",
            "decimals",
            "floats",
            "texts",
            "dates",
            "times",
            "date-times",
            "mixed"
        ]
    );
    let first = [
        "1",
        "7",
        "10.5",
        "0.30000000000000004",
        "华南",
        "2024-02-29",
        "08:30:00",
        "1970-01-01T00:00:00",
        "NULL",
    ];
    assert_eq!(rows.rows[0], first);
    assert_eq!(rows.rows[1][1], "NULL");
    assert_eq!(warnings, Vec::<String>::new());
}

#[test]
fn columns_compare_and_calculate() {
    for (sql, expected) in [
        ("SELECT count(*) FROM 订单 WHERE active", "2"),
        ("SELECT count(*) FROM 订单 WHERE 价格 > 10.5", "1"),
        ("SELECT count(*) FROM 订单 WHERE 价格 = 9.99", "1"),
        ("SELECT 地区, sum(价格) FROM 订单 GROUP BY 1 ORDER BY 1", "华东|9.99 / 华南|110.5"),
        ("SELECT strftime('%Y', day) FROM 订单 WHERE day >= '2024'", "2024"),
        (
            "SELECT julianday(day) - julianday('2024-02-01') FROM 订单 WHERE day > '2000-01-01'",
            "28",
        ),
        ("SELECT date(day, '+1 month') FROM 订单 WHERE day = '2024-02-29'", "2024-03-29"),
        ("SELECT max(n), count(n), count(*) FROM 订单", "9|2|3"),
        ("SELECT any + 1 FROM 订单 WHERE any = 1.5", "2.5"),
        ("SELECT json_group_array(价格) FROM 订单", "[10.5,9.99,100.0]"),
        ("SELECT rowid FROM 订单 WHERE rowid = 2", "2"),
        ("SELECT count(*) FROM 订单 WHERE rowid = 4", "0"),
        (
            "SELECT price FROM (SELECT 价格 AS price FROM \"订单.csv\") ORDER BY price DESC LIMIT 1",
            "100",
        ),
        ("SELECT rank() OVER (ORDER BY 价格) FROM 订单", "1 / 2 / 3"),
    ] {
        assert_eq!(
            ask(sql, table()),
            (expected.split(" / ").map(String::from).collect(), Vec::new()),
            "{sql}"
        );
    }
}

fn orders(rows: i64) -> Vec<Entry> {
    let ids: Vec<_> = (0..rows).collect();
    let customers: Vec<_> = ids.iter().map(|id| id % 1000).collect();
    let names: Vec<_> = (0..1000).map(|id| format!("c{id}")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let integers = |items: Vec<i64>| chunk(Values::Integers(items));
    vec![
        entry(
            "orders.csv",
            Memory::new(
                vec![
                    ("id", ColumnType::Integer, 0, integers(ids)),
                    ("customer", ColumnType::Integer, 0, integers(customers)),
                ],
                rows as u64,
            ),
        ),
        entry(
            "customers.csv",
            Memory::new(
                vec![
                    ("id", ColumnType::Integer, 0, integers((0..1000).collect())),
                    ("name", ColumnType::Text, 0, texts(&names)),
                ],
                1000,
            ),
        ),
    ]
}

#[test]
fn joins_look_rows_up() {
    // Without an index these are 10^8 comparisons of rows, which take minutes here.
    let sql = "SELECT count(*), min(name), max(orders.id) FROM orders JOIN customers ON customers.id = orders.customer";
    assert_eq!(ask(sql, orders(100_000)).0, ["100000|c0|99999"]);
    let sql =
        "SELECT count(*) FROM orders JOIN customers ON name = 'c7' AND customers.id = customer";
    assert_eq!(ask(sql, orders(2000)).0, ["2"]);
    // SQLite converts a text before it compares it with whole numbers; the index is not used.
    for (sql, expected) in [
        ("SELECT count(*) FROM customers WHERE id = '7'", "1"),
        ("SELECT count(*) FROM customers WHERE id = 7.0", "1"),
        ("SELECT count(*) FROM customers WHERE id = 7.5", "0"),
        ("SELECT count(*) FROM customers WHERE id = NULL", "0"),
        ("SELECT count(*) FROM customers WHERE name = 'C7' COLLATE NOCASE", "1"),
        (
            "SELECT count(*) FROM customers LEFT JOIN orders ON orders.id = customers.id + 995 WHERE orders.id IS NULL",
            "993",
        ),
    ] {
        let rows = ask(sql, orders(1002)).0;
        assert_eq!(rows, [expected], "{sql}");
    }
}

#[test]
fn only_used_columns_are_read() {
    let source = everything();
    ask("SELECT sum(n) FROM 订单", vec![entry("订单.csv", source.clone())]);
    // One read of the column, and one of the decimals to count their digits.
    assert_eq!(source.reads.get(), 2);
    let other = everything();
    ask("SELECT 1", vec![entry("订单.csv", other.clone())]);
    assert_eq!(other.reads.get(), 0);
}

#[test]
fn several_statements_give_the_last_rows() {
    let sql = "CREATE TEMP TABLE big AS SELECT 价格 AS p FROM 订单 WHERE 价格 > 10; SELECT 1; \
               CREATE TEMP VIEW v AS SELECT sum(p) AS total FROM big; INSERT INTO big VALUES (0.5); \
               SELECT total FROM v; DROP VIEW v -- done";
    assert_eq!(ask(sql, table()), (vec!["111".into()], Vec::new()));
    // Nothing is kept for the next call.
    assert!(super::refuse("SELECT * FROM big", table()).starts_with("not-found"));
}

#[test]
fn empty_results_keep_their_columns() {
    let (rows, _) =
        query_with("SELECT n, 价格 AS n, n, n + 1 AS n_2 FROM 订单 WHERE 0", table(), None)
            .unwrap();
    assert_eq!(rows.columns, ["n", "n_3", "n_4", "n_2"]);
    assert!(rows.rows.is_empty());
}

#[test]
fn tables_and_columns_are_listed() {
    let (rows, _) = ask("SELECT name, reference, rows FROM tables", orders(5));
    assert_eq!(rows, ["orders|orders.csv|5", "customers|customers.csv|1000"]);
    let (rows, _) = ask("SELECT * FROM columns WHERE \"table\" = '订单' AND position > 7", table());
    assert_eq!(rows, ["订单|8|both|date-time|0", "订单|9|any|mixed|0"]);
    let (rows, _) = ask("SELECT name, type FROM pragma_table_info('orders')", orders(5));
    assert_eq!(rows, ["id|INTEGER", "customer|INTEGER"]);
}

#[test]
fn a_part_that_ends_early_is_read_as_it_is() {
    // The columns have more than one part.
    let sql = "SELECT count(*), sum(id), max(customer) FROM orders";
    assert_eq!(ask(sql, orders(140_000)).0, ["140000|9799930000|999"]);
}

#[test]
fn names_that_differ_in_case_only_get_numbers() {
    let column = || -> Chunk { chunk(Values::Integers(vec![1])) };
    let columns = vec![
        ("Name", ColumnType::Integer, 0, column()),
        ("name", ColumnType::Integer, 0, column()),
    ];
    let (rows, _) =
        query_with("SELECT * FROM x", vec![entry("x.csv", Memory::new(columns, 1))], None).unwrap();
    assert_eq!(rows.columns, ["Name", "name_2"]);
}
