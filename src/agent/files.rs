//! Delivers a report as the files that an instruction asks for, by the tool that delivers texts.

use std::collections::BTreeSet;

use serde_json::json;

use crate::requested_formats::{Format, requested_formats};
use mitt::{CallOptions, Session, TableResults};
use mitt_base::text;

/// Tool that makes a file from a text.
const TOOL: &str = "report__deliver";

/// Most characters of a file's name, without its extension.
const MAX_NAME: usize = 60;

/// Result of a delivery.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// Names of all existing files, including earlier ones.
    pub(crate) delivered: Vec<String>,
    /// Requested kinds of files that do not exist, such as `a PDF file`.
    pub(crate) missing: Vec<String>,
    /// Reasons why a file could not be made.
    pub(crate) problems: Vec<String>,
}

/// Delivers the report in each requested format that a text can have; `delivered` are the names of existing files.
pub(crate) async fn deliver(
    session: &Session,
    instruction: &str,
    title: &str,
    report: &str,
    mut delivered: BTreeSet<String>,
) -> Files {
    let mut files = Files::default();
    let stem = stem(title);
    for format in requested_formats(instruction) {
        // Tables of the steps are better than those of the report, so they are not replaced; a text is delivered in addition to
        // others.
        let is_there = delivered.iter().any(|name| format.is_of(name));
        if is_there && !format.is_text() {
            continue;
        }
        let taken = |name: &str| session.artifacts().iter().any(|file| file.name == name);
        let extension = format.extension();
        let names = (1..100).map(|number| match number {
            1 => format!("{stem}.{extension}"),
            _ => format!("{stem}-{number}.{extension}"),
        });
        let name =
            { names }.find(|name| !taken(name)).unwrap_or_else(|| format!("{stem}.{extension}"));
        let arguments = json!({ "markdown": report, "filename": name }).to_string();
        let options = CallOptions::new().tables(TableResults::MODEL);
        let made = session.call_with(TOOL, &arguments, options).await;
        match made.failure() {
            None => delivered.extend(made.artifacts.iter().map(|file| file.name.clone())),
            Some((kind, why)) => {
                let why = text::single_line(&why);
                files.problems.push(format!(
                    "the report could not be delivered as {}: {kind}: {why}",
                    format.name
                ));
                if !is_there {
                    files.missing.push(format.name.to_owned());
                }
            }
        }
    }
    files.delivered = delivered.into_iter().collect();
    files
}

/// Makes a file name from a title.
fn stem(title: &str) -> String {
    let plain =
        |letter: char| if letter.is_alphanumeric() || "-_".contains(letter) { letter } else { ' ' };
    let words: String = title.chars().map(plain).collect();
    let words: Vec<&str> = words.split_whitespace().collect();
    let stem: String = words.join("-").chars().take(MAX_NAME).collect();
    if stem.is_empty() { "report".to_owned() } else { stem }
}

impl Format {
    fn is_text(&self) -> bool {
        matches!(self.extension(), "pdf" | "docx" | "md")
    }
}
