//! Behaviour of the operations. Tables are written as text: a line for each row, cells between `|`; `"1"` is a text.

mod added;
mod columns;
mod lexemes;
mod naive;
mod parse;
mod rates;
mod rows;
mod scale;
mod types;

use crate::cell::Cell;
use crate::number::Number;
use crate::problem::{Failure, Kind};
use crate::table::Outcome;
use mitt_guest::tables::{Cell as HostCell, Memory, Source};

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

fn table(text: &str) -> Memory {
    let mut lines = text.trim().lines().map(|line| line.trim().split('|').map(str::trim));
    let columns: Vec<String> = lines.next().unwrap().map(str::to_owned).collect();
    let rows = lines.map(|line| line.map(|text| HostCell::from(&cell(text))).collect());
    Memory::from_rows(&columns, &rows.collect::<Vec<_>>()).unwrap()
}

fn strings(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn show(table: &Memory) -> String {
    let show_cell = |cell: HostCell| match Cell::try_from(cell).unwrap() {
        Cell::Text(text)
            if Number::from_json(&text).is_ok()
                || ["null", "true", "false", ""].contains(&&*text) =>
        {
            format!("\"{text}\"")
        }
        other => other.plain(),
    };
    let names: Vec<String> = table.columns().into_iter().map(|column| column.name).collect();
    let mut lines = vec![names.join(" | ")];
    let line = |row: Vec<HostCell>| row.into_iter().map(show_cell).collect::<Vec<_>>().join(" | ");
    lines.extend(table.to_rows().into_iter().map(line));
    lines.join("\n")
}

/// Asserts the table of a result, and a part of each warning.
#[track_caller]
fn check(result: Result<Outcome<Memory>, Failure>, wanted: &str, warnings: &[&str]) {
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

/// Asserts that a call fails with this kind and exactly these lines.
#[track_caller]
fn fails<T>(result: Result<T, Failure>, kind: Kind, message: &str) {
    // A result may have a million rows, which do not belong in a message.
    let failure = result.map(|_| ()).unwrap_err();
    assert_eq!(failure.message, message);
    assert_eq!(failure.kind, kind);
}

#[test]
fn a_number_that_nobody_can_hold_is_refused_by_place() {
    let rows = [vec![HostCell::Text("x".into())], vec![HostCell::Number("1e9999999".into())]];
    let table = Memory::from_rows(&strings("a"), &rows).unwrap();
    fails(
        crate::ops::describe(&table, None, None),
        Kind::Argument,
        "data.rows[1].a: expected an exponent of at most 1000000, got `1e9999999`",
    );
}
