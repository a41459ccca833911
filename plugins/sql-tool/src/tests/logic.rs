//! Published cases in the form of SQLite's logic tests, and our own. Each file has a floor: so many of its records pass.

use super::query_with;
use crate::problem::text_of;
use sqllogictest::{DBOutput, DefaultColumnType, Runner};
use std::fmt;
use std::path::Path;

/// Files below `tests`, and how many of their records must pass. Those that do not use types, functions or errors of another
/// database.
const FLOORS: [(&str, usize); 1] = [("own/decimals.slt", 1)];

/// Statements so far: each query runs all of them again, as nothing stays from one call to the next.
#[derive(Default)]
struct Database {
    before: String,
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
        let all = match asks {
            true => format!("{}{sql}", self.before),
            false => format!("{}{sql};\nSELECT 1", self.before),
        };
        let (rows, _) =
            query_with(&all, Vec::new(), None).map_err(|error| Failed(text_of(&error).to_owned()))?;
        if !asks {
            self.before.push_str(sql);
            self.before.push_str(";\n");
            return Ok(DBOutput::StatementComplete(0));
        }
        let empty = |cell: String| if cell.is_empty() { "(empty)".into() } else { cell };
        let rows: Vec<Vec<_>> =
            rows.rows.into_iter().map(|row| row.into_iter().map(empty).collect()).collect();
        Ok(DBOutput::Rows { types: vec![DefaultColumnType::Any; rows.first().map_or(0, Vec::len)], rows })
    }
}

#[test]
fn published_cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut found = Vec::new();
    for (file, floor) in FLOORS {
        let records = sqllogictest::parse_file::<DefaultColumnType>(folder.join(file)).unwrap();
        let mut runner = Runner::new(|| async { Ok(Database::default()) });
        let (mut passed, mut total) = (0, 0);
        for record in records {
            let counts = matches!(
                record,
                sqllogictest::Record::Statement { .. } | sqllogictest::Record::Query { .. }
            );
            total += usize::from(counts);
            match runner.run(record) {
                Ok(_) => passed += usize::from(counts),
                Err(error) if std::env::var_os("SHOW").is_some() => eprintln!("{file}: {error}"),
                Err(_) => {}
            }
        }
        eprintln!("{file}: {passed} of {total}");
        if passed < floor {
            found.push(format!("{file}: {passed} of {total} pass, {floor} have to"));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
