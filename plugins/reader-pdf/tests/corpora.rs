//! Reads documents of other projects, if they are beside this one. Tests how many are read, what holds for each, and
//! how many of their words are found, compared with poppler's pdftotext.

#![allow(clippy::disallowed_methods, reason = "the measure is another program")]

#[path = "../../reader-kit/tests/support/corpora.rs"]
mod others;

use mitt_reader_kit::{Content, Error};
use others::{corpora, files};
use std::collections::HashMap;
use std::panic::catch_unwind;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Longest time for a file, in a build without optimisation.
const MAX_TIME: Duration = Duration::from_secs(20);

/// Files for which pdftotext gives no words: codes in place of letters (the fonts do not say what their letters are),
/// or the letters of turned lines one by one.
const NO_MEASURE: [&str; 5] = [
    "XiaoBiaoSong.pdf",
    "bug946506.pdf",
    "complex_ttf_font.pdf",
    "issue19802.pdf",
    "issue5801.pdf",
];

/// Fewest words of a file that is compared.
const MIN_WORDS: usize = 20;

#[derive(Debug, Default)]
struct Tally {
    read: usize,
    scanned: usize,
    encrypted: usize,
    refused: usize,
    /// Files that are long enough to be read in shares.
    shared: usize,
    panicked: usize,
    slow: usize,
}

#[test]
fn documents_are_read_and_their_words_found() {
    let Some(folder) = corpora() else { return };
    let has_poppler = Command::new("pdftotext").arg("-v").output().is_ok();
    if !has_poppler {
        println!("words are not compared: pdftotext is not installed");
    }
    let mut paths = Vec::new();
    files(&folder, &mut paths);
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "pdf"));
    let mut tally = Tally::default();
    let mut scores = Vec::new();
    for path in &paths {
        let bytes = std::fs::read(path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let start = Instant::now();
        // A panic is a trap in the sandbox and costs one file. Panics are counted, because they should be rare.
        let result = catch_unwind(|| reader_pdf::read(&bytes, "pdf", None));
        if start.elapsed() > MAX_TIME {
            println!("{name}: {:?}", start.elapsed());
            tally.slow += 1;
        }
        let markdown = match result {
            Err(_) => {
                println!("panicked: {name}");
                tally.panicked += 1;
                continue;
            }
            Ok(Err(Error::Unsupported(message))) if message == mitt_reader_kit::ENCRYPTED => {
                tally.encrypted += 1;
                continue;
            }
            Ok(Err(error)) => {
                println!("{name}: {error:?}");
                tally.refused += 1;
                String::new()
            }
            Ok(Ok(content)) => {
                check_content(&name, &content);
                tally.shared += usize::from(is_same_in_shares(&bytes, &content));
                tally.read += 1;
                tally.scanned += usize::from(!content.scanned.is_empty());
                // This measurement includes hidden text, and no list of files.
                if content.warnings.iter().any(|warning| warning.contains("nobody sees")) {
                    continue;
                }
                let files = content.places.iter().find(|place| place.label == "attached files");
                let end = files.map_or(content.markdown.len(), |place| place.at);
                content.markdown[..end].to_owned()
            }
        };
        if has_poppler && let Some(score) = score(path, &markdown) {
            scores.push((score, name));
        }
    }
    println!("{} files: {tally:?}", paths.len());
    assert_eq!((tally.panicked, tally.slow), (0, 0));
    assert!(
        (tally.read + tally.encrypted) * 100 >= paths.len() * 97,
        "{tally:?} of {}",
        paths.len()
    );
    if has_poppler {
        scores.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (score, name) in scores.iter().take(40) {
            println!("{score:.3} {name}");
        }
        let all = scores.iter().map(|(score, _)| score).sum::<f64>() / scores.len() as f64;
        println!("words: mean F1 {all:.4} over all {} files", scores.len());
        scores.retain(|(_, name)| !NO_MEASURE.contains(&name.as_str()));
        let mean = scores.iter().map(|(score, _)| score).sum::<f64>() / scores.len() as f64;
        let good = scores.iter().filter(|(score, _)| *score >= 0.9).count();
        println!(
            "words: mean F1 {mean:.4} over {} files, {good} of them 0.9 or more",
            scores.len()
        );
        assert!(
            scores.len() >= 55 && mean >= 0.94,
            "mean F1 {mean:.4} over {} files",
            scores.len()
        );
    }
}

#[test]
fn codes_that_are_no_letters_are_not_read_as_letters() {
    let Some(folder) = corpora() else { return };
    let read = |name: &str| {
        let bytes = std::fs::read(folder.join("pdfjs").join(name)).unwrap();
        reader_pdf::read(&bytes, "pdf", None).unwrap()
    };
    for name in ["font_ascent_descent.pdf", "bug1151216.pdf"] {
        let content = read(name);
        assert_eq!((content.markdown.trim(), content.scanned.as_slice()), ("", &[1][..]), "{name}");
        assert!(content.warnings.iter().any(|it| it.contains("fonts on page 1")), "{name}");
    }
    // The codes are letters moved by 28. The widths of the letters show it.
    assert_eq!(read("issue5501.pdf").markdown.trim(), "What's an interval?");
    // Letters that are right, in fonts without a table of characters.
    for (name, text) in [
        ("bug1337429.pdf", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        ("issue2017r.pdf", "abcdefghijklmnopqrstuvwxyz"),
        ("issue918.pdf", "displays a sign in his shop"),
    ] {
        assert!(read(name).markdown.contains(text), "{name}");
    }
}

fn check_content(name: &str, content: &Content) {
    for table in &content.tables {
        let columns = &table.data.columns;
        let mut unique = columns.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), columns.len(), "{name}: column names {columns:?}");
        assert!(columns.len() > 1 && columns.iter().all(|column| !column.is_empty()), "{name}");
        assert!(
            table.data.rows.iter().all(|row| row.len() == columns.len()),
            "{name}: ragged rows"
        );
        let place = table.place.as_deref().unwrap();
        assert!(content.places.iter().any(|known| known.label == place), "{name}: {place}");
    }
    let is_clean = |text: &str| {
        !text.chars().any(|character| character.is_control() && !"\n\t".contains(character))
    };
    assert!(is_clean(&content.markdown), "{name}: control characters");
    let mut before = 0;
    for place in &content.places {
        assert!(
            place.at >= before && content.markdown.is_char_boundary(place.at),
            "{name}: {place:?}"
        );
        assert!(place.at == 0 || content.markdown[..place.at].ends_with('\n'), "{name}: {place:?}");
        before = place.at;
    }
}

/// Returns the F1 score of the words of a file against those of pdftotext; `None` if that finds hardly any.
fn score(path: &Path, markdown: &str) -> Option<f64> {
    let output =
        Command::new("pdftotext").args(["-enc", "UTF-8"]).arg(path).arg("-").output().ok()?;
    let truth = words(&String::from_utf8_lossy(&output.stdout));
    let found = words(&without_markup(markdown));
    let total: usize = truth.values().sum();
    if total < MIN_WORDS {
        return None;
    }
    let common: usize =
        truth.iter().map(|(word, count)| (*count).min(*found.get(word).unwrap_or(&0))).sum();
    if common == 0 {
        return Some(0.0);
    }
    let precision = common as f64 / found.values().sum::<usize>() as f64;
    let recall = common as f64 / total as f64;
    Some(2.0 * precision * recall / (precision + recall))
}

fn without_markup(markdown: &str) -> String {
    // The address of a link is not part of the text of the page.
    let mut out = String::new();
    let mut rest = markdown;
    while let Some((before, after)) = rest.split_once("](") {
        out.push_str(before);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    out + rest
}

/// Returns words in lower case and in composed form. Every Chinese character is a word.
fn words(text: &str) -> HashMap<String, usize> {
    use unicode_normalization::UnicodeNormalization;
    let mut words = HashMap::new();
    let mut word = String::new();
    for character in text.nfkc().flat_map(char::to_lowercase).chain([' ']) {
        let is_wide = matches!(character, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}');
        if character.is_alphanumeric() && !is_wide {
            word.push(character);
            continue;
        }
        if !word.is_empty() {
            *words.entry(std::mem::take(&mut word)).or_insert(0) += 1;
        }
        if is_wide && character.is_alphanumeric() {
            *words.entry(character.to_string()).or_insert(0) += 1;
        }
    }
    words
}

/// Checks that shares give the whole. Returns whether there was more than one.
fn is_same_in_shares(bytes: &[u8], whole: &Content) -> bool {
    let share = |index| {
        let share = reader_pdf::Share::new(index, 2).unwrap();
        reader_pdf::share(bytes, "pdf", None, share).unwrap()
    };
    let shares = [share(0), share(1)];
    assert!(reader_pdf::join(&shares).unwrap() == *whole);
    !shares[1].is_empty()
}
