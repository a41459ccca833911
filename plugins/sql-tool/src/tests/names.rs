//! Texts of errors.

use super::{Memory, decimals, entry, refuse};
use crate::bindings::mitt::host::tables::ColumnType;
use crate::names::check_given;
use crate::source::Entry;

fn sales() -> Vec<Entry> {
    let columns = vec![("amount", ColumnType::Decimal, 2, decimals(2, &[150]))];
    vec![entry("sales.csv", Memory::new(columns, 1))]
}

#[test]
fn errors_name_place_and_near_names() {
    for (sql, expected) in [
        (
            "SELECT * FROM sale",
            "not-found: sql: no such table: sale\nhint: did you mean `sales`? there are: sales",
        ),
        (
            "SELECT 1,\n  amont FROM sales",
            "not-found: sql: no such column: amont (line 2, column 3)\n    amont FROM sales\n    ^\nhint: did you mean `amount`? columns: sales(amount); texts stand in 'single quotes'",
        ),
        (
            "SELECT 1; SELECT amonut FROM sales",
            "not-found: sql: no such column: amonut (line 1, column 18)\n  SELECT 1; SELECT amonut FROM sales\n                   ^\nhint: did you mean `amount`? columns: sales(amount); texts stand in 'single quotes'",
        ),
        (
            "SELECT date_trunc('month', '2024-01-05')",
            "not-found: sql: no such function: date_trunc (line 1, column 8)\n  SELECT date_trunc('month', '2024-01-05')\n         ^\nhint: use strftime('%Y-%m-01', d) for the month, strftime('%Y-01-01', d) for the year",
        ),
        (
            "SELEC 1",
            "invalid-argument: sql: near \"SELEC\": syntax error (line 1, column 1)\n  SELEC 1\n  ^\nhint: this is SQLite's dialect; names with spaces or that are words of SQL stand in \"double quotes\"",
        ),
        (
            "CREATE TEMP TABLE t(x)",
            "invalid-argument: sql: no statement gives rows\nhint: end with a SELECT",
        ),
    ] {
        assert_eq!(refuse(sql, sales()), expected, "{sql}");
    }
    let text = refuse("SELECT roud(1.5)", sales());
    assert!(text.ends_with("hint: did you mean `round`?"), "{text}");
}

#[test]
fn given_names_are_checked() {
    assert!(check_given(&["a".into(), "b".into()]).is_ok());
    for (names, expected) in [
        (vec!["a", "A"], "tables[1].name: this name is there twice: `A`"),
        (vec![""], "tables[0].name: expected a name: ``"),
        (vec!["columns"], "tables[0].name: this name is kept for something else: `columns`"),
        (vec!["sqlite_x"], "tables[0].name: this name is kept for something else: `sqlite_x`"),
    ] {
        let names: Vec<_> = names.into_iter().map(String::from).collect();
        let error = check_given(&names).unwrap_err();
        assert_eq!(crate::problem::text_of(&error), expected);
    }
}
