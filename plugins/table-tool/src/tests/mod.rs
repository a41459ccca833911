//! Behaviour of the operations. Tables are written as text: a line for each row, cells between `|`; `"1"` is a text.

mod columns;
mod parse;
mod rates;
mod rows;
mod scale;

use crate::number::Number;
use crate::problem::{Failure, Kind, Problems};
use crate::table::{Cell, Outcome, Table};

fn cell(text: &str) -> Cell {
    let text = text.trim();
    match text {
        "null" => Cell::Null,
        "true" | "false" => Cell::Boolean(text == "true"),
        _ => match Number::from_json(text) {
            Ok(number) => Cell::Number(number),
            Err(_) => Cell::text(
                text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text),
            ),
        },
    }
}

fn table(text: &str) -> Table {
    let mut lines = text.trim().lines().map(|line| line.trim().split('|').map(str::trim));
    let columns = lines.next().unwrap().map(str::to_owned).collect();
    let mut problems = Problems::default();
    let table = Table::check(
        "data",
        columns,
        lines.map(|line| line.map(cell).collect()).collect(),
        Ok,
        &mut problems,
    );
    problems.check().unwrap();
    table
}

fn strings(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn show(table: &Table) -> String {
    let show_cell = |cell: &Cell| match cell {
        Cell::Text(text)
            if Number::from_json(text).is_ok()
                || ["null", "true", "false", ""].contains(&&**text) =>
        {
            format!("\"{text}\"")
        }
        other => other.plain(),
    };
    let mut lines = vec![table.columns.join(" | ")];
    lines.extend(
        table.rows.iter().map(|row| row.iter().map(show_cell).collect::<Vec<_>>().join(" | ")),
    );
    lines.join("\n")
}

/// The result's table is as wanted, and there is one warning for each given part of one.
#[track_caller]
fn check(result: Result<Outcome, Failure>, wanted: &str, warnings: &[&str]) {
    let outcome = result.unwrap_or_else(|failure| panic!("{}", failure.message));
    assert_eq!(show(&outcome.table), show(&table(wanted)));
    check_texts(&outcome.warnings, warnings);
}

#[track_caller]
fn check_texts(texts: &[String], wanted: &[&str]) {
    assert_eq!(texts.len(), wanted.len(), "{texts:#?}");
    for (text, wanted) in texts.iter().zip(wanted) {
        assert!(text.contains(wanted), "{text}\nlacks {wanted}");
    }
}

/// The call fails with this class and exactly these lines.
#[track_caller]
fn fails<T: std::fmt::Debug>(result: Result<T, Failure>, kind: Kind, message: &str) {
    let failure = result.unwrap_err();
    assert_eq!(failure.message, message);
    assert_eq!(failure.kind, kind);
}

#[test]
fn a_hostile_table_is_refused_with_all_its_problems() {
    let mut problems = Problems::default();
    let convert = |lexeme: &str| Number::from_json(lexeme).map(Cell::Number);
    let columns = ["a", "", "a"].map(str::to_owned).to_vec();
    let rows = vec![vec!["1", "2", "3"], vec!["1"], vec!["1", "NaN", "3"], vec![]];
    Table::check("data", columns, rows, convert, &mut problems);
    fails(
        problems.check(),
        Kind::Argument,
        "data.columns[1]: expected a name, got an empty text\n\
         data.columns[2]: expected unique names, got `a` again, which is columns[0]\n\
         data.rows[1]: expected 3 cells, one for each column, got 1\n\
         data.rows[2].: expected a decimal number in JSON notation, got `NaN`\n\
         data.rows[3]: expected 3 cells, one for each column, got 0",
    );
    let rows: Vec<Vec<&str>> = vec![Vec::new(); 1_000_001];
    Table::check("left", Vec::new(), rows, convert, &mut problems);
    fails(
        problems.check(),
        Kind::Argument,
        "left: expected at most 1000000 cells, got 1000001 rows of 0",
    );
}
