//! Reads workbooks of other projects, if they are beside this one. Tests how many are read, and what holds for each.

mod support;

#[path = "../../reader-kit/tests/support/corpora.rs"]
mod others;

use mitt_reader_kit::{Cell, Content, Error};
use others::{corpora, files};
use std::collections::BTreeMap;
use std::panic::catch_unwind;

#[derive(Default)]
struct Tally {
    read: usize,
    encrypted: usize,
    broken: usize,
    refused: usize,
    panicked: usize,
}

#[test]
fn most_workbooks_are_read_and_all_results_are_sound() {
    let Some(folder) = corpora() else { return };
    let mut paths = Vec::new();
    files(&folder, &mut paths);
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for path in paths {
        let Some(extension) = path.extension().map(|text| text.to_string_lossy().to_lowercase())
        else {
            continue;
        };
        if !["xlsx", "xlsm", "xls", "xlsb", "ods"].contains(&extension.as_str()) {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let tally = tallies.entry(extension.clone()).or_default();
        // A panic is a trap in the sandbox and costs one file. Panics are counted, because they should be rare.
        match catch_unwind(|| support::read(&bytes, &extension)) {
            Err(_) => {
                println!("panicked: {name}");
                tally.panicked += 1;
            }
            Ok(Ok(content)) => {
                check_content(&name, &content);
                tally.read += 1;
            }
            Ok(Err(Error::Unsupported(message))) if message == mitt_reader_kit::ENCRYPTED => {
                tally.encrypted += 1
            }
            // Files of a fuzzer are damaged on purpose, so an error is right.
            Ok(Err(_)) if name.starts_with("clusterfuzz-") || name.starts_with("crash-") => {
                tally.broken += 1
            }
            Ok(Err(error)) => {
                println!("{name}: {error:?}");
                tally.refused += 1;
            }
        }
    }
    for (extension, tally) in &tallies {
        let Tally { read, encrypted, broken, refused, panicked } = tally;
        println!(
            "{extension}: {read} read, {encrypted} encrypted, {broken} broken by fuzzers, {refused} refused, {panicked} panicked"
        );
        let total = read + refused + panicked;
        assert!(read * 100 >= total * 90, "{extension}: {read} of {total} read");
        assert!(*panicked <= 2, "{extension}: {panicked} panics");
    }
}

fn check_content(name: &str, content: &Content) {
    for table in &content.tables {
        let columns = &table.data.columns;
        let mut unique = columns.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), columns.len(), "{name}: column names {columns:?}");
        assert!(!columns.is_empty() && columns.iter().all(|column| !column.is_empty()), "{name}");
        assert!(
            table.data.rows.iter().all(|row| row.len() == columns.len()),
            "{name}: ragged rows"
        );
        for cell in table.data.rows.iter().flatten() {
            if let Cell::Number(text) = cell {
                assert!(
                    text.len() <= 64 && text.parse::<f64>().unwrap().is_finite(),
                    "{name}: number {text}"
                );
            }
        }
    }
    let is_clean = |text: &str| {
        !text.chars().any(|character| character.is_control() && !"\n\t".contains(character))
    };
    assert!(is_clean(&content.markdown), "{name}: control characters");
}

/// Files whose content is known from the tests of their own project.
#[test]
fn known_values() {
    let Some(folder) = corpora() else { return };
    let read = |name: &str| {
        let extension = name.rsplit('.').next().unwrap();
        support::read(&std::fs::read(folder.join("calamine").join(name)).unwrap(), extension)
            .unwrap()
    };
    for name in [
        "date.xlsx",
        "date.xls",
        "date.xlsb",
        "date.ods",
        "date_1904.xlsx",
        "date_1904.xls",
        "date_1904.xlsb",
    ] {
        let markdown = read(name).markdown;
        assert!(markdown.contains("2021-01-01"), "{name}: {markdown}");
    }
    for name in ["any_sheets.xlsx", "any_sheets.xls", "any_sheets.xlsb", "any_sheets.ods"] {
        let content = read(name);
        assert!(
            content.warnings.iter().any(|warning| warning.contains("hidden")),
            "{name}: {:?}",
            content.warnings
        );
    }
}
