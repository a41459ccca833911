//! Statements that are refused.

use super::{Memory, decimals, entry, query_with, refuse};
use crate::bindings::mitt::host::tables::ColumnType;
use crate::bindings::mitt::host::types::Error;
use crate::source::Entry;

fn sales() -> Vec<Entry> {
    let columns = vec![("amount", ColumnType::Decimal, 2, decimals(2, &[150, 250]))];
    vec![entry("sales.csv", Memory::new(columns, 2))]
}

#[test]
fn nothing_is_written_and_no_file_is_opened() {
    for (sql, expected) in [
        ("ATTACH 'x.db' AS x", "ATTACH and VACUUM would open a file"),
        ("VACUUM INTO 'x.db'", "ATTACH and VACUUM would open a file"),
        ("DETACH main", "DETACH: nothing is attached"),
        ("PRAGMA hard_heap_limit=0", "PRAGMA hard_heap_limit would change a setting"),
        ("PRAGMA journal_mode", "PRAGMA journal_mode is not allowed; there are: table_info"),
        ("PRAGMA writable_schema=ON", "PRAGMA writable_schema would change a setting"),
        ("CREATE VIRTUAL TABLE v USING sales", "CREATE VIRTUAL TABLE … USING sales is not allowed"),
        ("DELETE FROM sales", "may not be modified"),
        ("UPDATE sales SET amount = 0", "may not be modified"),
        ("INSERT INTO sales VALUES (1)", "may not be modified"),
    ] {
        let text = refuse(&format!("{sql}; SELECT 1"), sales());
        assert!(text.starts_with("unsupported: ") && text.contains(expected), "{sql}: {text}");
    }
    assert!(refuse("SELECT load_extension('x')", sales()).starts_with("not-found"));
}

#[test]
fn there_is_no_clock() {
    for sql in ["SELECT date('now')", "SELECT CURRENT_TIMESTAMP", "SELECT strftime('%Y')"] {
        let text = refuse(sql, sales());
        assert!(text.starts_with("unsupported: sql: there is no clock"), "{sql}: {text}");
    }
}

#[test]
fn random_numbers_are_the_same_in_each_call() {
    let ask = || super::ask("SELECT typeof(random())", sales()).0;
    assert_eq!(ask(), ["integer"]);
}

#[test]
fn memory_is_bounded() {
    let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) \
               SELECT group_concat(hex(zeroblob(500))) FROM n";
    let text = refuse(sql, sales());
    assert!(text.starts_with("quota: "), "{text}");
    let sql = "CREATE TEMP TABLE t AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) \
               SELECT zeroblob(1000000) FROM n; SELECT 1";
    let text = refuse(sql, sales());
    assert!(text.starts_with("quota: the query needs more memory"), "{text}");
}

#[test]
fn depth_is_bounded() {
    let deep = format!("SELECT {}1{}", "(1 + ".repeat(300), ")".repeat(300));
    assert!(refuse(&deep, sales()).starts_with("invalid-argument: sql: "));
    let compound = format!("SELECT 1{}", " UNION ALL SELECT 1".repeat(300));
    assert!(refuse(&compound, sales()).contains("too many terms in compound SELECT"));
}

#[test]
fn the_quota_of_the_host_ends_a_query() {
    let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
    let result = query_with(sql, Vec::new(), Some(20_000));
    assert!(matches!(result, Err(Error::Quota(_))));
}
