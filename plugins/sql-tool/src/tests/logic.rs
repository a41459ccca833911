//! Cases in the form of SQLite's logic tests: our own, and the published ones of SQLite if they are on this machine.

use super::query_with;
use crate::problem::text_of;
use sqllogictest::{Control, DBOutput, DefaultColumnType, QueryExpect, Record, ResultMode, Runner};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The variable with the path of the folder `test` of <https://www.sqlite.org/sqllogictest>, which has 1 GB and is not in
/// this project.
const FOLDER: &str = "MITT_SQLLOGICTEST";

/// Files and folders of SQLite's cases, with the number of queries and statements, all of which must pass.
const PUBLISHED: [(&str, usize); 10] = [
    ("select1.test", 1_031),
    ("select2.test", 1_031),
    ("select3.test", 3_351),
    ("select4.test", 3_857),
    ("select5.test", 1_436),
    ("evidence", 156),
    ("index/in/10", 40_148),
    ("random/aggregates/slt_good_1.test", 10_012),
    ("random/expr/slt_good_1.test", 10_012),
    ("random/groupby/slt_good_1.test", 10_012),
];

/// The statements so far. Each query runs all of them again, because a call keeps no state.
struct Database {
    before: String,
    types: Arc<Mutex<Vec<DefaultColumnType>>>,
}

#[derive(Debug)]
struct Failed(String);

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failed {}

impl sqllogictest::DB for Database {
    type Error = Failed;
    type ColumnType = DefaultColumnType;

    fn run(&mut self, sql: &str) -> Result<DBOutput<DefaultColumnType>, Failed> {
        let word = sql.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
        let asks = ["select", "with", "values"].contains(&word.as_str());
        let all = if asks {
            format!("{}{sql}", self.before)
        } else {
            format!("{}{sql};\nSELECT 1", self.before)
        };
        let (rows, _) = query_with(&all, Vec::new(), None)
            .map_err(|error| Failed(text_of(&error).to_owned()))?;
        if !asks {
            self.before.push_str(sql);
            self.before.push_str(";\n");
            return Ok(DBOutput::StatementComplete(0));
        }
        let types = self.types.lock().unwrap();
        let cell = |(column, cell): (usize, String)| shown(cell, types.get(column));
        let rows: Vec<Vec<_>> = rows
            .rows
            .into_iter()
            .map(|row| row.into_iter().enumerate().map(cell).collect())
            .collect();
        Ok(DBOutput::Rows { types: types.clone(), rows })
    }
}

/// Formats a cell like SQLite's own runner, for the type that the case names.
fn shown(cell: String, type_: Option<&DefaultColumnType>) -> String {
    if cell.is_empty() {
        return "(empty)".into();
    }
    match (type_, cell.parse::<f64>()) {
        (Some(DefaultColumnType::Integer), Ok(number)) if cell.contains(['.', 'e']) => {
            (number as i64).to_string()
        }
        (Some(DefaultColumnType::Integer), Err(_)) if cell != "NULL" => "0".into(),
        (Some(DefaultColumnType::FloatingPoint), Ok(number)) => format!("{number:.3}"),
        _ => cell,
    }
}

/// Returns how many queries and statements of a file pass, and how many are for SQLite. `as_values` is the form of SQLite's
/// own files: a value per line, and types that set the format of values.
fn run_file(path: &Path, as_values: bool) -> (usize, usize) {
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().map(|line| match line.split_once(" #") {
        // SQLite's own runner allows a comment after a condition.
        Some((condition, _)) if line.starts_with("onlyif") || line.starts_with("skipif") => {
            condition
        }
        _ => line,
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    let records = sqllogictest::parse::<DefaultColumnType>(&text)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let types = Arc::new(Mutex::new(Vec::new()));
    let of_database = types.clone();
    let mut runner = Runner::new(move || {
        let types = of_database.clone();
        async { Ok(Database { before: String::new(), types }) }
    });
    runner.add_label("sqlite");
    if as_values {
        // The threshold of SQLite's files.
        runner.with_hash_threshold(8);
        runner.run(Record::Control(Control::ResultMode(ResultMode::ValueWise))).unwrap();
    }
    let (mut passed, mut total) = (0, 0);
    for record in records {
        let counts = match &record {
            Record::Statement { conditions, .. } => !skipped(conditions),
            Record::Query { conditions, expected, .. } => {
                if let QueryExpect::Results { types: named, .. } = expected
                    && as_values
                {
                    types.lock().unwrap().clone_from(named);
                }
                !skipped(conditions)
            }
            Record::Halt { .. } => break,
            _ => false,
        };
        total += usize::from(counts);
        match runner.run(record) {
            Ok(_) => passed += usize::from(counts),
            Err(error) if std::env::var_os("SHOW").is_some() => eprintln!("{error}"),
            Err(_) => {}
        }
    }
    (passed, total)
}

fn skipped(conditions: &[sqllogictest::Condition]) -> bool {
    conditions.iter().any(|condition| match condition {
        sqllogictest::Condition::OnlyIf { label } => label != "sqlite",
        sqllogictest::Condition::SkipIf { label } => label == "sqlite",
    })
}

fn files_below(place: PathBuf) -> Vec<PathBuf> {
    let Ok(entries) = place.read_dir() else { return vec![place] };
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn own_cases() {
    for file in files_below(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")) {
        let (passed, total) = run_file(&file, false);
        assert!(total > 5 && passed == total, "{}: {passed} of {total}", file.display());
    }
}

#[test]
fn published_cases() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else {
        eprintln!("skipped: {FOLDER} does not name the folder of SQLite's logic tests");
        return;
    };
    let mut below = Vec::new();
    for (place, floor) in PUBLISHED {
        let (mut passed, mut total) = (0, 0);
        for file in files_below(folder.join(place)) {
            let (some, of) = run_file(&file, true);
            passed += some;
            total += of;
        }
        eprintln!("{place}: {passed} of {total}");
        if passed < floor {
            below.push(format!("{place}: {passed} of {total} pass, {floor} have to"));
        }
    }
    assert!(below.is_empty(), "{}", below.join("\n"));
}
