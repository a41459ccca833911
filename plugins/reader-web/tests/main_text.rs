//! Measures how much of the text of real pages is found, and how much else. `sets.py` names the pages and puts them in
//! place.

#[path = "../../reader-kit/tests/support/corpora.rs"]
mod others;

use mitt_reader_kit::File;
use others::{corpora, files};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// Sets of pages, with the least mean F1 of all pages and of the articles. The rules were tuned on the first set only.
const SETS: [(&str, f64, f64); 3] =
    [("wcxb-dev", 0.84, 0.94), ("wcxb-test", 0.89, 0.95), ("scrapinghub", 0.95, 0.95)];

#[test]
fn the_main_text_of_pages_of_others_is_found() {
    let Some(folder) = corpora() else { return };
    for (set, all, articles) in SETS {
        let folder = folder.join("pages").join(set);
        if !folder.is_dir() {
            println!("skipped: no folder `shared/corpora/pages/{set}` beside the project");
            continue;
        }
        let means = measure(&folder);
        for (kind, (pages, f1, precision, recall)) in &means {
            println!(
                "{set}, {kind}: F1 {f1:.3}, precision {precision:.3}, recall {recall:.3} over {pages} pages"
            );
        }
        assert!(means["all"].1 >= all && means["article"].1 >= articles, "{set}");
    }
}

/// The least F1 for pieces of text that must and must not be in the result, on the pages of trafilatura. Trafilatura
/// 2.3.1 has 0.922 by this count.
const PIECES: f64 = 0.92;

#[test]
fn pieces_of_pages_of_others_are_there_or_not() {
    let Some(folder) = corpora() else { return };
    let folder = folder.join("pages/trafilatura");
    if !folder.is_dir() {
        println!("skipped: no folder `shared/corpora/pages/trafilatura` beside the project");
        return;
    }
    let mut paths = Vec::new();
    files(&folder, &mut paths);
    let (mut right, mut wrong, mut missing, mut bare) = (0, 0, 0, 0);
    for path in paths.iter().filter(|it| it.extension().is_some_and(|it| it == "html")) {
        let truth: serde_json::Value =
            serde_json::from_slice(&std::fs::read(path.with_extension("json")).unwrap()).unwrap();
        let markdown = read(path).markdown;
        let text = words(&plain(&markdown)).join(" ");
        let found = |pieces: &serde_json::Value| {
            let pieces =
                pieces.as_array().unwrap().iter().map(|it| it.as_str().unwrap().to_owned());
            pieces.partition::<Vec<String>, _>(|it| {
                // Some pieces begin or end within a word.
                text.contains(&words(&plain(it)).join(" "))
            })
        };
        let (with, lost) = found(&truth["with"]);
        let (without, _) = found(&truth["without"]);
        if std::env::var_os("MITT_TEST_VERBOSE").is_some()
            && !(lost.is_empty() && without.is_empty())
        {
            println!("{}: lost {lost:?}, besides {without:?}", path.file_stem().unwrap().display());
        }
        bare += usize::from(with.is_empty());
        right += with.len();
        missing += lost.len();
        wrong += without.len();
    }
    let f1 = 2.0 * right as f64 / (2 * right + wrong + missing) as f64;
    println!(
        "trafilatura: F1 {f1:.3}, precision {:.3}, recall {:.3}; pages without any piece: {bare}",
        right as f64 / (right + wrong) as f64,
        right as f64 / (right + missing) as f64
    );
    assert!(f1 >= PIECES, "{f1}");
}

fn read(path: &Path) -> mitt_reader_kit::Content {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let file = File { name, extension: "html".into(), password: None };
    reader_web::read(&std::fs::read(path).unwrap(), &file).unwrap()
}

/// Returns the number of pages, mean F1, precision and recall, for each type and for all.
fn measure(folder: &Path) -> BTreeMap<String, (usize, f64, f64, f64)> {
    let mut paths = Vec::new();
    files(folder, &mut paths);
    let mut means: BTreeMap<String, (usize, f64, f64, f64)> = BTreeMap::new();
    for path in paths.iter().filter(|it| it.extension().is_some_and(|it| it == "html")) {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let content = read(path);
        let truth = words(&std::fs::read_to_string(path.with_extension("txt")).unwrap());
        let (f1, precision, recall) = score(&content.markdown, &truth);
        let kind = name.split('-').next().unwrap_or_default();
        for kind in [kind, "all"] {
            let mean = means.entry(kind.into()).or_default();
            let count = mean.0 as f64;
            let add = |mean: f64, new: f64| (mean * count + new) / (count + 1.0);
            *mean = (mean.0 + 1, add(mean.1, f1), add(mean.2, precision), add(mean.3, recall));
        }
    }
    means
}

/// Returns F1, precision and recall of words with their counts. The heading of the page does not count if the reference
/// leaves it out.
fn score(markdown: &str, truth: &[String]) -> (f64, f64, f64) {
    let text = markdown.trim_start();
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let heading = words(&plain(first));
    let is_heading = first.starts_with("# ") && truth.get(..heading.len()) != Some(&heading[..]);
    let found = words(&plain(if is_heading { rest } else { text }));
    if truth.is_empty() || found.is_empty() {
        let score = f64::from(truth.is_empty() && found.is_empty());
        return (score, score, score);
    }
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for word in truth {
        *counts.entry(word).or_default() += 1;
    }
    let mut both = 0.0;
    for word in &found {
        if let Some(count) = counts.get_mut(word.as_str()).filter(|it| **it > 0) {
            *count -= 1;
            both += 1.0;
        }
    }
    let (precision, recall) = (both / found.len() as f64, both / truth.len() as f64);
    (2.0 * both / (found.len() + truth.len()) as f64, precision, recall)
}

/// Returns words of letters and digits. Every Chinese or Japanese character is a word.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for character in text.to_lowercase().chars().chain([' ']) {
        let is_alone = matches!(character, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}');
        if (is_alone || !character.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if is_alone {
            words.push(character.into());
        } else if character.is_alphanumeric() {
            word.push(character);
        }
    }
    words
}

/// Returns Markdown without addresses of links and placeholders of pictures.
fn plain(markdown: &str) -> String {
    let mut out = String::new();
    let mut rest = markdown;
    while let Some(at) = rest.find("](").into_iter().chain(rest.find("[picture: ")).min() {
        let (before, mark) = rest.split_at(at);
        out.push_str(before);
        let (end, skip) = if mark.starts_with("](") { (")", 2) } else { ("]", 1) };
        rest = mark.get(skip..).and_then(|it| it.split_once(end)).map_or("", |(_, after)| after);
    }
    out + rest
}
