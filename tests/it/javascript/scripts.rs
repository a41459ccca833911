//! Scripts as models write them, with what each must give: `scripts/*.txt` over the documents of `scripts/documents`.
//!
//! A script begins with a line `#### style: name: expectations`. The style is the program or the model whose scripts look
//! like this one. An expectation is a word and a JSON value:
//!
//! | word | value |
//! |---|---|
//! | `result` | the result, which has a JSON form |
//! | `repr` | the text that stands for a result without a JSON form |
//! | `stdout` | all output |
//! | `error` | a list of texts that the error message contains |
//! | `files` | the names of the delivered files |
//! | `inputs` | the inputs of the script |
//! | `form` | `"crlf"`: lines end with CR and LF; `"bom"`: the script begins with a byte order mark |
//! | `fault` | what the engine does in place of the expectations; the script is skipped and counted |
//!
//! `MITT_SCRIPTS=emoji cargo test models_write` runs the scripts whose style or name contains the word, those with a fault
//! too, and prints their answers.

use std::collections::BTreeSet;

use mitt::Session;
use serde_json::{Map, Value};

use crate::support::session;

/// The files of the corpus: name and text.
pub(super) const FILES: [(&str, &str); 12] = [
    ("asynchronous", include_str!("scripts/asynchronous.txt")),
    ("data", include_str!("scripts/data.txt")),
    ("documents", include_str!("scripts/documents.txt")),
    ("errors", include_str!("scripts/errors.txt")),
    ("forms", include_str!("scripts/forms.txt")),
    ("language", include_str!("scripts/language.txt")),
    ("problems", include_str!("scripts/problems.txt")),
    ("results", include_str!("scripts/results.txt")),
    ("rewriting", include_str!("scripts/rewriting.txt")),
    ("texts", include_str!("scripts/texts.txt")),
    ("tools", include_str!("scripts/tools.txt")),
    ("typescript", include_str!("scripts/typescript.txt")),
];

const DOCUMENTS: [(&str, &str); 6] = [
    ("accounts.csv", include_str!("scripts/documents/accounts.csv")),
    ("config.json", include_str!("scripts/documents/config.json")),
    ("notes.md", include_str!("scripts/documents/notes.md")),
    ("sales.csv", include_str!("scripts/documents/sales.csv")),
    ("staff.csv", include_str!("scripts/documents/staff.csv")),
    ("订单.csv", include_str!("scripts/documents/订单.csv")),
];

/// A script and what it must give.
pub(super) struct Script {
    /// Style and name.
    pub(super) name: &'static str,
    code: String,
    expected: Map<String, Value>,
}

impl Script {
    /// Returns the scripts of a file.
    pub(super) fn all(text: &'static str) -> Vec<Script> {
        let blocks = text.split("\n#### ").skip(1).map(Script::new);
        let scripts: Vec<Script> = blocks.collect();
        let names: BTreeSet<_> = scripts.iter().map(|script| script.name).collect();
        assert_eq!(names.len(), scripts.len(), "each name once");
        scripts
    }

    fn new(block: &'static str) -> Script {
        let (head, code) = block.split_once('\n').unwrap_or((block, ""));
        let at = head.match_indices(": ").nth(1).unwrap_or_else(|| panic!("{head}")).0;
        let expected = expectations(&head[at + 2..]);
        assert!(code.lines().count() <= 40, "{head}: a script has at most 40 lines");
        let code = match expected.get("form").and_then(Value::as_str) {
            None => code.to_owned(),
            Some("crlf") => code.replace('\n', "\r\n"),
            Some("bom") => format!("\u{feff}{code}"),
            Some(other) => panic!("{head}: {other}"),
        };
        Script { name: &head[..at], code, expected }
    }

    /// Returns `true` if the engine has a fault that makes the script fail.
    pub(super) fn has_fault(&self) -> bool {
        self.expected.contains_key("fault")
    }

    /// Runs the script in a session of its own.
    pub(super) async fn run(&self) -> Value {
        let session = with_documents().await;
        let inputs = self.expected.get("inputs").and_then(Value::as_object);
        let report = session.run_script("javascript", &self.code, inputs).await.unwrap();
        report.result.unwrap_or_else(|error| panic!("{}: {}", self.name, error.render())).into()
    }

    /// Returns what is wrong with an answer.
    pub(super) fn problems(&self, answer: &Value) -> Vec<String> {
        let message = answer["error_message"].as_str().unwrap_or_default();
        let is_error = answer["status"] == "error";
        if answer["status"] != "success" && !(is_error && self.expected.contains_key("error")) {
            return vec![format!("{}: {} {message}", self.name, answer["status"])];
        }
        let mut problems = Vec::new();
        for (word, wanted) in &self.expected {
            let is_repr = answer["result_is_repr"] == true;
            let (holds, got) = match word.as_str() {
                "result" => (answer["result"] == *wanted && !is_repr, answer["result"].clone()),
                "repr" => (answer["result"] == *wanted && is_repr, answer["result"].clone()),
                "stdout" => (answer["stdout"] == *wanted, answer["stdout"].clone()),
                "error" => {
                    let words = wanted.as_array().unwrap();
                    let has_all = words.iter().all(|text| message.contains(text.as_str().unwrap()));
                    (is_error && has_all, message.into())
                }
                "files" => {
                    let files = answer["artifacts"].as_array().unwrap();
                    let names: Value = files.iter().map(|file| file["name"].clone()).collect();
                    (names == *wanted, names)
                }
                _ => continue,
            };
            if !holds {
                problems.push(format!("{}: {word}: expected {wanted}, got {got}", self.name));
            }
        }
        problems
    }
}

/// Reads words with JSON values.
fn expectations(text: &str) -> Map<String, Value> {
    const WORDS: [&str; 8] =
        ["result", "repr", "stdout", "error", "files", "inputs", "form", "fault"];
    let mut expected = Map::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (word, value) = rest.split_once(' ').unwrap_or_else(|| panic!("{text}"));
        assert!(WORDS.contains(&word), "{word} in {text}");
        let mut values = serde_json::Deserializer::from_str(value).into_iter::<Value>();
        let parsed = values.next().unwrap().unwrap_or_else(|error| panic!("{error}: {text}"));
        rest = value[values.byte_offset()..].trim();
        assert!(expected.insert(word.to_owned(), parsed).is_none(), "{word} twice in {text}");
    }
    assert!(!expected.is_empty(), "a script without expectations");
    expected
}

async fn with_documents() -> Session {
    let session = session();
    for (name, text) in DOCUMENTS {
        session.add_document_bytes(name, text.into()).await.unwrap();
    }
    session
}
