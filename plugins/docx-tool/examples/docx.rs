//! Processes Word files for tests outside of the sandbox. Not part of the component.
//!
//! `docx COMMAND` reads lines of tab-separated paths from standard input, and prints one line of tab-separated values for each.

use docx_tool::{
    ChangeFilter, Document, Edit, EditOptions, Error, Format, Pages, ReadOptions, View, Where,
    compare, edit, read,
};
use std::io::{BufRead as _, Write as _};

#[expect(clippy::disallowed_methods, reason = "a test program, which no user runs")]
fn main() {
    let command = std::env::args().nth(1).unwrap_or_default();
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let paths: Vec<&str> = line.split('\t').collect();
        let result = std::panic::catch_unwind(|| run(&command, &paths));
        let result = match result {
            Ok(Ok(text)) => format!("ok\t{text}"),
            Ok(Err(error)) => format!("error\t{}", error.to_string().replace('\n', "; ")),
            Err(_) => "panic\t".to_owned(),
        };
        writeln!(out, "{line}\t{result}").unwrap();
    }
}

fn options(is_tracked: bool) -> EditOptions {
    EditOptions {
        is_tracked,
        author: "Mitt".to_owned(),
        date: Some("2026-11-27T10:00:00Z".to_owned()),
    }
}

fn all(view: View) -> ReadOptions {
    ReadOptions { view, is_outline: false, find: None, from: 0, limit: usize::MAX }
}

fn no_files(_: &str) -> Result<Vec<u8>, String> {
    Err("no files".to_owned())
}

fn texts(bytes: Vec<u8>, view: View) -> Result<Vec<(String, String)>, Error> {
    let mut document = Document::open(bytes)?;
    let structure = read(&mut document, &all(view))?;
    Ok(structure.paragraphs.into_iter().map(|it| (it.anchor, it.text)).collect())
}

/// Returns an edit of each kind, on places that are spread over the document.
fn many(bytes: Vec<u8>) -> Result<Vec<Edit>, Error> {
    let mut document = Document::open(bytes)?;
    let found = read(&mut document, &all(View::Accepted))?;
    let body: Vec<_> = found.paragraphs.iter().filter(|it| it.anchor.starts_with('p')).collect();
    let at = |number: usize| body[(number * 7919) % body.len()].anchor.clone();
    let first = |number: usize| -> String {
        body[(number * 7919) % body.len()].text.chars().take(4).collect()
    };
    if body.is_empty() {
        return Ok(Vec::new());
    }
    let new = || "new text".to_owned();
    let mut edits = vec![
        Edit::ReplaceText { at: at(1), find: first(1), replacement: new(), occurrence: Some(1) },
        Edit::InsertText { at: at(2), text: new(), after: None, before: None },
        Edit::InsertParagraph { at: at(3), side: Where::After, text: new(), style: None },
        Edit::InsertParagraph {
            at: at(4),
            side: Where::Before,
            text: "a\nb".to_owned(),
            style: Some("heading 1".to_owned()),
        },
        Edit::DeleteParagraph { at: at(5) },
        Edit::MoveParagraph { at: at(6), side: Where::After, to: at(7) },
        Edit::SetStyle { at: at(8), style: "heading 2".to_owned() },
        Edit::FormatText {
            at: at(9),
            find: String::new(),
            format: Format {
                bold: Some(true),
                underline: Some(true),
                highlight: Some("yellow".to_owned()),
                ..Format::default()
            },
        },
        Edit::LinkText { at: at(10), find: first(10), url: "https://example.org".to_owned() },
        Edit::InsertPageBreak { at: at(11) },
        Edit::AddComment { at: at(12), find: Some(first(12)), text: "comment".to_owned() },
        Edit::SetProperty { name: "title".to_owned(), value: "Title".to_owned() },
        Edit::SetHeader {
            is_footer: true,
            text: "footer".to_owned(),
            pages: Pages::Default,
            section: None,
        },
    ];
    if let Some(table) = found.tables.first() {
        let table = || table.anchor.clone();
        edits.extend([
            Edit::SetCell { table: table(), row: 1, column: 1, text: new() },
            Edit::InsertRow { table: table(), row: 1, side: Where::After, cells: vec![new()] },
            Edit::InsertColumn {
                table: table(),
                column: 1,
                side: Where::After,
                cells: vec![new()],
            },
            Edit::DeleteRow { table: table(), row: 2 },
        ]);
    }
    Ok(edits)
}

fn run(command: &str, paths: &[&str]) -> Result<String, Error> {
    let load = |at: usize| std::fs::read(paths[at]).unwrap();
    match command {
        // FILE: reading and writing changes nothing.
        "identity" => {
            let bytes = load(0);
            let mut document = Document::open(bytes.clone())?;
            read(&mut document, &all(View::Marks))?;
            let is_same = document.save()? == bytes && document.is_lossless();
            Ok(format!("{is_same}"))
        }
        // FILE OUT: prints the texts as lines.
        "text" | "original" | "marks" => {
            let view = match command {
                "text" => View::Accepted,
                "original" => View::Original,
                _ => View::Marks,
            };
            let found = texts(load(0), view)?;
            let lines: Vec<String> = found
                .iter()
                .map(|(anchor, text)| format!("{anchor}\t{}", text.replace('\n', "\u{b}")))
                .collect();
            std::fs::write(paths[1], lines.join("\n")).unwrap();
            Ok(found.len().to_string())
        }
        // FILE OUT: one word of the longest paragraph is replaced.
        "replace" | "replace-tracked" => {
            let bytes = load(0);
            let found = texts(bytes.clone(), View::Accepted)?;
            let Some((anchor, text)) =
                found.iter().filter(|it| it.0.starts_with('p')).max_by_key(|it| it.1.len())
            else {
                return Ok("no paragraph".to_owned());
            };
            let words: Vec<&str> = text.split_whitespace().collect();
            let Some(word) = words.get(words.len() / 2) else { return Ok("no text".to_owned()) };
            let edits = [Edit::ReplaceText {
                at: anchor.clone(),
                find: (*word).to_owned(),
                replacement: "Qwertz".to_owned(),
                occurrence: Some(1),
            }];
            let edited = edit(bytes, &edits, &options(command == "replace-tracked"), &no_files)?;
            std::fs::write(paths[1], edited.bytes).unwrap();
            Ok(format!("{anchor}\t{word}"))
        }
        // FILE OUT: an edit of each kind, where the file has a place for it.
        "many" | "many-tracked" => {
            let bytes = load(0);
            let options = options(command == "many-tracked");
            let mut edits = Vec::new();
            for it in many(bytes.clone())? {
                edits.push(it);
                // What one way of editing refuses, the other must not do either, so that both can be compared.
                let fits = [true, false].into_iter().all(|is_tracked| {
                    edit(bytes.clone(), &edits, &self::options(is_tracked), &no_files).is_ok()
                });
                if !fits {
                    edits.pop();
                }
            }
            let edited = edit(bytes, &edits, &options, &no_files)?;
            std::fs::write(paths[1], edited.bytes).unwrap();
            Ok(edits.len().to_string())
        }
        "accept" | "reject" => {
            let filter = ChangeFilter::default();
            let edits = [match command {
                "accept" => Edit::AcceptChanges(filter),
                _ => Edit::RejectChanges(filter),
            }];
            let edited = edit(load(0), &edits, &options(true), &no_files)?;
            std::fs::write(paths[1], edited.bytes).unwrap();
            Ok(edited.done[0].after.clone())
        }
        // OLD NEW OUT
        "compare" => {
            let found = compare(load(0), load(1), &options(true))?;
            std::fs::write(paths[2], &found.redline).unwrap();
            Ok(format!("{}\t{}", found.differences.len(), found.warnings.join("; ")))
        }
        // FILE: prints changes and comments.
        // FILE OUT WORD: the word is redacted.
        "redact" => {
            let words = [paths[2].to_owned()];
            let found = docx_tool::redact(load(0), &words, &[])?;
            std::fs::write(paths[1], &found.bytes).unwrap();
            Ok(format!("{:?}\t{:?}", found.places, found.warnings))
        }
        "list" => {
            let mut document = Document::open(load(0))?;
            let changes = document.changes().len();
            Ok(format!("{changes}\t{}", document.comments()?.len()))
        }
        other => panic!("unknown command `{other}`"),
    }
}
