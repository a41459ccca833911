//! Reads documents of other projects, if they are beside this one. Tests how many are read, and what holds for each.

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
fn most_documents_are_read_and_all_results_are_sound() {
    let Some(folder) = corpora() else { return };
    let mut paths = Vec::new();
    files(&folder, &mut paths);
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for path in paths {
        let Some(extension) = path.extension().map(|text| text.to_string_lossy().to_lowercase())
        else {
            continue;
        };
        if !["docx", "pptx", "doc", "ppt"].contains(&extension.as_str()) {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let tally = tallies.entry(extension.clone()).or_default();
        // A panic is a trap in the sandbox and costs one file. Panics are counted, because they should be rare.
        match catch_unwind(|| reader_office::read(&bytes, &extension)) {
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

/// Tests that the visible words of a file are in the text, compared with what pandoc reads.
#[test]
fn words_of_known_documents() {
    let Some(folder) = corpora() else { return };
    let mut paths = Vec::new();
    files(&folder.join("pandoc"), &mut paths);
    let (mut found, mut total, mut compared) = (0, 0, 0);
    for path in
        paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "docx"))
    {
        let Ok(native) = std::fs::read_to_string(path.with_extension("native")) else { continue };
        let Ok(content) = reader_office::read(&std::fs::read(path).unwrap(), "docx") else {
            continue;
        };
        let words = native_words(&native);
        let text = content.markdown.replace('\\', "");
        let missing: Vec<_> = words.iter().filter(|word| !text.contains(word.as_str())).collect();
        if !missing.is_empty() {
            let name = path.file_name().unwrap().to_string_lossy();
            println!(
                "{name}: {} of {} words missing: {:?}",
                missing.len(),
                words.len(),
                &missing[..missing.len().min(5)]
            );
        }
        found += words.len() - missing.len();
        total += words.len();
        compared += 1;
    }
    println!("{found} of {total} words in {compared} documents");
    assert!(
        compared > 60 && found * 100 >= total * 99,
        "{found} of {total} words in {compared} documents"
    );
}

/// Returns the words in pandoc's native format: `Str "word"`.
fn native_words(native: &str) -> Vec<String> {
    let strings = native.split("Str \"").skip(1).filter_map(|rest| rest.split('"').next());
    // Escapes and typographic replacements are those of pandoc.
    let plain = |word: &&str| word.chars().count() > 2 && word.chars().all(char::is_alphanumeric);
    strings.filter(plain).map(str::to_owned).collect()
}
