//! Tries real files: `sheet calc FILE…` compares calculated with stored values, `sheet edit` applies edits from its input.

use sheet_tool::{Edit, EditOptions, Format, Input, Rule, RuleKind, SetCell, Trace, World};
use std::time::Instant;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let command = arguments.next().unwrap_or_default();
    match command.as_str() {
        "calc" => calculate(arguments),
        "read" => {
            let file = arguments.next().unwrap_or_default();
            println!(
                "{:#?}",
                sheet_tool::overview(std::fs::read(&file).unwrap(), arguments.next().as_deref())
            );
        }
        "cells" => {
            let file = arguments.next().unwrap_or_default();
            let range = arguments.next().unwrap_or_default();
            let bytes = std::fs::read(&file).unwrap();
            println!("{:#?}", sheet_tool::read_cells(bytes, &range, 200, World::default()));
        }
        "trace" => {
            let file = arguments.next().unwrap_or_default();
            let at = arguments.next().unwrap_or_default();
            let bytes = std::fs::read(&file).unwrap();
            println!("{:#?}", sheet_tool::trace(bytes, &at, Trace::Inputs, World::default()));
        }
        "redact" => redact(arguments),
        "edit" => edit(arguments),
        "compare" => {
            let files: Vec<_> =
                arguments.by_ref().take(2).map(|it| std::fs::read(it).unwrap()).collect();
            let [old, new] = &files[..] else { return println!("expected two files") };
            let start = Instant::now();
            let found =
                sheet_tool::differences(old.clone(), new.clone(), arguments.next().as_deref(), 200);
            println!("{found:#?}\n{:?}", start.elapsed());
        }
        other => println!("unknown command `{other}`"),
    }
}

/// Removes a word from files: `sheet redact WORD OUT FILE…`.
fn redact(mut arguments: impl Iterator<Item = String>) {
    let (word, out) = (arguments.next().unwrap_or_default(), arguments.next().unwrap_or_default());
    for file in arguments {
        let Ok(bytes) = std::fs::read(&file) else { continue };
        let start = Instant::now();
        match sheet_tool::redact(bytes, std::slice::from_ref(&word), &[], "out.xlsx") {
            Ok(done) => {
                std::fs::write(&out, &done.bytes).unwrap();
                println!(
                    "{file}\tOK\t{}\t{:?}\t{:?}\t{:?}",
                    done.hits,
                    start.elapsed(),
                    done.places.iter().take(5).collect::<Vec<_>>(),
                    done.warnings
                );
            }
            Err(error) => println!("{file}\tERR\t{error}"),
        }
    }
}

/// Reads lines of `IN<tab>OUT<tab>EDIT<tab>ARGUMENT<tab>…`, and writes the results.
fn edit(_: impl Iterator<Item = String>) {
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let parts: Vec<&str> = line.split('\t').collect();
        let [input, output, rest @ ..] = &parts[..] else { continue };
        let Ok(bytes) = std::fs::read(input) else { continue };
        let text = |at: usize| rest.get(at).map(|it| (*it).to_owned()).unwrap_or_default();
        let edits = match rest.first().copied().unwrap_or_default() {
            "none" => Vec::new(),
            "set" => vec![Edit::SetCells(vec![SetCell { at: text(1), value: input_of(&text(2)) }])],
            "insert" => vec![Edit::Insert { place: text(1) }],
            "delete" => vec![Edit::Delete { place: text(1) }],
            "copy" => vec![Edit::CopyRange { from: text(1), to: text(2) }],
            "rename" => vec![Edit::RenameSheet { sheet: text(1), name: text(2) }],
            "copysheet" => vec![Edit::CopySheet { sheet: text(1), name: text(2) }],
            "deletesheet" => vec![Edit::DeleteSheet { sheet: text(1) }],
            "addsheet" => vec![Edit::AddSheet { name: text(1), before: None }],
            "movesheet" => {
                vec![Edit::MoveSheet { sheet: text(1), position: text(2).parse().unwrap_or(1) }]
            }
            "note" => vec![Edit::SetNote { at: text(1), text: Some(text(2)), author: None }],
            "merge" => vec![Edit::Merge { range: text(1) }],
            "freeze" => vec![Edit::Freeze { at: text(1) }],
            "filter" => vec![Edit::Filter { range: text(1) }],
            "size" => vec![Edit::SetSize { range: text(1), size: text(2).parse().unwrap_or(10.0) }],
            "name" => vec![Edit::SetName { name: text(1), refers_to: Some(text(2)) }],
            "protect" => vec![Edit::Protect { sheet: text(1), is_on: true }],
            "format" => vec![Edit::Format {
                range: text(1),
                format: Format {
                    number_format: Some("0.000".into()),
                    bold: Some(true),
                    fill: Some("FFFF00".into()),
                    border: Some("thin".into()),
                    horizontal: Some("center".into()),
                    ..Format::default()
                },
            }],
            "list" => vec![Edit::Validate {
                range: text(1),
                rule: Rule {
                    kind: RuleKind::List,
                    operator: None,
                    values: vec!["a".into(), "b".into()],
                },
                message: None,
            }],
            "mark" => vec![Edit::Mark {
                range: text(1),
                rule: Rule {
                    kind: RuleKind::Decimal,
                    operator: Some(">".into()),
                    values: vec!["5".into()],
                },
                format: Format { fill: Some("FF0000".into()), ..Format::default() },
            }],
            other => {
                println!("{input}\tunknown edit {other}");
                continue;
            }
        };
        let start = Instant::now();
        // 2025-11-24 16:00, and always the same random numbers.
        let world = World { clock: Some(1_764_000_000.0), seed: Some(1) };
        match sheet_tool::apply(bytes, &[], &edits, &EditOptions { now: None, world }) {
            Ok(done) => {
                std::fs::write(output, &done.bytes).unwrap();
                println!(
                    "{input}\tOK\t{}\t{:?}\t{}\t{}",
                    done.recalculated,
                    start.elapsed(),
                    done.changes.join(" || "),
                    done.warnings.join(" || ")
                );
            }
            Err(error) => println!("{input}\tERR\t{}", error.to_string().replace('\n', " || ")),
        }
    }
}

fn input_of(text: &str) -> Input {
    match text.parse::<f64>() {
        Ok(_) => Input::Number(text.to_owned()),
        Err(_) => Input::Text(text.to_owned()),
    }
}

fn calculate(files: impl Iterator<Item = String>) {
    for file in files {
        let Ok(bytes) = std::fs::read(&file) else { continue };
        let start = Instant::now();
        match sheet_tool::compare(bytes) {
            Ok(found) => {
                println!(
                    "{file}\t{}\t{}\t{}\t{}\t{:?}",
                    found.formulas,
                    found.equal,
                    found.different.len(),
                    found.failed.len(),
                    start.elapsed()
                );
                for it in found.different.iter().take(400) {
                    println!("  D {} | {} | {} | {}", it[0], it[1], it[2], it[3]);
                }
                for it in found.failed.iter().take(400) {
                    println!("  F {} | {}", it[0], it[1]);
                }
            }
            Err(error) => println!("{file}\tERROR {error}"),
        }
    }
}
