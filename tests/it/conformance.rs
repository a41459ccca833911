//! monty's published test cases in every engine. They are meant to pass on CPython too.
//!
//! `tests/conformance/cases` holds them unchanged, `<engine>.txt` those that do not pass, with reasons. The test fails if a
//! case fails that is not listed, and if a listed case passes: the lists are the recorded baseline. A reason that begins
//! with `slow` allows both. `BLESS=1` rewrites the lists and keeps existing reasons.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::support::{engines, outcome, root, session};

/// Concurrent instances; more would only wait for processors.
const WORKERS: usize = 4;

fn folder() -> PathBuf {
    root().join("tests/conformance")
}

/// A case and its expectation.
struct Case {
    name: String,
    source: String,
    expects: Expects,
}

enum Expects {
    /// Runs to its end.
    End,
    /// The value of its last line, in Python's notation.
    Value(String),
    /// The last line of a traceback.
    Error(String),
    /// The lines and names of a traceback's frames, and its last line.
    Traceback(Vec<String>),
}

impl Case {
    fn read(name: String, text: &str) -> Case {
        let expects = if let Some(start) = text.find("\"\"\"\nTRACEBACK:\n") {
            let lines = text[start..].lines().skip(2).take_while(|line| *line != "\"\"\"");
            Expects::Traceback(shape(lines))
        } else {
            let last = text.trim_end().lines().last().unwrap_or_default();
            match (last.strip_prefix("# Return="), last.strip_prefix("# Raise=")) {
                (Some(value), _) => Expects::Value(value.to_owned()),
                (_, Some(error)) => Expects::Error(raised(error)),
                _ => Expects::End,
            }
        };
        // External functions that the cases call, on the first line, so that line numbers stay.
        let source = if text.contains("\n# call-external = true\n") {
            let preamble = fs::read_to_string(folder().join("preamble.py")).unwrap();
            format!("exec({});{text}", serde_json::to_string(&preamble).unwrap())
        } else {
            text.to_owned()
        };
        Case { name, source, expects }
    }

    /// Returns what is wrong with the outcome of the script.
    fn problem(&self, done: &Value) -> Option<String> {
        let error = done["error_message"].as_str().unwrap_or_default();
        let last = error.lines().rev().find(|line| !line.starts_with("hint: ")).unwrap_or_default();
        let succeeded = done["status"] == "success";
        match &self.expects {
            Expects::End | Expects::Value(_) if !succeeded => Some(last.to_owned()),
            Expects::End => None,
            Expects::Value(expected) => {
                let found = match &done["result"] {
                    Value::Bool(true) => "True".to_owned(),
                    Value::Bool(false) => "False".to_owned(),
                    Value::Null => "None".to_owned(),
                    Value::String(shown) => shown.clone(),
                    value => value.to_string(),
                };
                (found != *expected).then(|| format!("expected {expected}, got {found}"))
            }
            Expects::Error(expected) => {
                (succeeded || last != expected).then(|| format!("expected {expected}, got {last}"))
            }
            Expects::Traceback(expected) => {
                let found = shape(error.lines().filter(|line| !line.starts_with("hint: ")));
                (found != *expected).then(|| format!("expected {expected:?}, got {found:?}"))
            }
        }
    }
}

/// Returns `Class('message')` in the form of a traceback's last line.
fn raised(text: &str) -> String {
    let Some((class, argument)) = text.split_once('(') else {
        return text.to_owned();
    };
    let argument = argument.strip_suffix(')').unwrap_or(argument);
    if argument.is_empty() {
        return class.to_owned();
    }
    let quote = argument.chars().next().unwrap();
    let plain =
        argument.trim_matches(quote).replace("\\'", "'").replace("\\n", "\n").replace("\\\\", "\\");
    let shown = if class == "KeyError" { argument } else { &plain };
    format!("{class}: {}", shown.lines().last().unwrap_or_default())
}

/// Returns the parts of a traceback that do not depend on the engine: lines, functions, class and message.
fn shape<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut shape = Vec::new();
    for line in lines {
        let Some(frame) = line.strip_prefix("  File \"") else {
            if !line.starts_with(' ') && !line.starts_with("Traceback") {
                shape.push(line.to_owned());
            }
            continue;
        };
        let number = frame.split_once(", line ").map_or("", |(_, rest)| rest);
        let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
        let function = frame.rsplit_once(", in ").map_or("", |(_, name)| name);
        // In monty, the replacement of an external function has no frame.
        if function != "raise_error" {
            shape.push(format!("{digits} {function}"));
        }
    }
    shape
}

fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = fs::read_dir(folder().join("cases"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "py"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            Case::read(name, &fs::read_to_string(&path).unwrap())
        })
        .collect();
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    cases
}

/// Returns the list of an engine: `name: reason`, one per line.
fn listed(engine: &str) -> BTreeMap<String, String> {
    let text = fs::read_to_string(folder().join(format!("{engine}.txt"))).unwrap_or_default();
    text.lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(name, reason)| (name.to_owned(), reason.to_owned()))
        .collect()
}

/// Returns the cases that do not pass, with what is wrong.
async fn failures(engine: &str, cases: &Arc<Vec<Case>>) -> BTreeMap<String, String> {
    let next = Arc::new(AtomicUsize::new(0));
    let workers = (0..WORKERS).map(|_| {
        let (next, cases, engine) = (next.clone(), cases.clone(), engine.to_owned());
        tokio::spawn(async move {
            let mut failures = BTreeMap::new();
            while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                let done = outcome(&session(), &engine, &case.source).await;
                if let Some(problem) = case.problem(&done) {
                    failures.insert(case.name.clone(), problem);
                }
            }
            failures
        })
    });
    let mut all = BTreeMap::new();
    for worker in workers.collect::<Vec<_>>() {
        all.extend(worker.await.unwrap());
    }
    all
}

async fn check(engine: &str) {
    if !engines().contains(&engine.to_owned()) {
        return;
    }
    let cases = Arc::new(cases());
    assert_eq!(cases.len(), 710);
    let (failures, listed) = (failures(engine, &cases).await, listed(engine));
    eprintln!("{engine}: {} of {} pass", cases.len() - failures.len(), cases.len());
    if std::env::var_os("BLESS").is_some() {
        let lines = failures.iter().map(|(name, problem)| {
            let reason = listed.get(name).unwrap_or(problem);
            format!("{name}: {}\n", reason.lines().next().unwrap_or_default())
        });
        fs::write(folder().join(format!("{engine}.txt")), lines.collect::<String>()).unwrap();
        return;
    }
    let unexpected: Vec<_> =
        failures.iter().filter(|(name, _)| !listed.contains_key(*name)).collect();
    // Some take so long that the result depends on the machine.
    let passing: Vec<_> = listed
        .iter()
        .filter(|(name, reason)| !failures.contains_key(*name) && !reason.starts_with("slow"))
        .collect();
    assert!(unexpected.is_empty(), "{engine} fails: {unexpected:#?}");
    assert!(passing.is_empty(), "{engine} passes now: {passing:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn conformance_of_python() {
    check("python").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn conformance_of_python_lite() {
    check("python-lite").await;
}
