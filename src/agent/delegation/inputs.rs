//! Inputs of a task: documents, tables and files of the session, by name.

use std::fmt::Write as _;

use crate::prompt;
use mitt::Session;
use mitt_base::{Error, ErrorKind, Result, text};

/// Most names.
const MAX_INPUTS: usize = 32;

/// Most bytes of a delivered text that are shown.
const MAX_SHOWN: usize = 8_000;

/// Most columns that are named.
const MAX_COLUMNS: usize = 40;

/// Inputs that were found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Inputs {
    /// Names of documents among them.
    pub(super) documents: Vec<String>,
    /// Text for the agent, a paragraph for each input.
    pub(super) text: String,
}

/// Finds the named inputs.
///
/// # Errors
///
/// [`ErrorKind::Arguments`] - an input does not exist; the error lists the existing ones.
pub(super) fn find(session: &Session, names: &[String]) -> Result<Inputs> {
    if names.len() > MAX_INPUTS {
        let message = format!("inputs: expected at most {MAX_INPUTS} names, got {}", names.len());
        return Err(Error::new(ErrorKind::Arguments, message));
    }
    let documents = session.documents();
    let artifacts = session.artifacts();
    let mut inputs = Inputs::default();
    let mut missing = Vec::new();
    for name in names {
        let shown = text::one_line(text::cut_bytes(name, 128));
        // Writing to a string cannot fail.
        if let Some(document) = documents.iter().find(|document| document.name == *name) {
            inputs.documents.push(name.clone());
            let _ =
                write!(inputs.text, "{}", prompt::documents_list([document.as_ref()].into_iter()));
        } else if let Ok(table) = session.table(name) {
            let columns: Vec<String> = table
                .columns()
                .take(MAX_COLUMNS)
                .map(|(name, _)| text::single_line(text::cut_bytes(name, 80)).to_string())
                .collect();
            let _ = writeln!(
                inputs.text,
                "- {shown}: table, {} rows; columns {}",
                table.rows(),
                columns.join(", ")
            );
        } else if let Some(artifact) = artifacts.iter().find(|artifact| artifact.name == *name) {
            let _ = writeln!(
                inputs.text,
                "- {shown}: delivered file, {}, {} bytes",
                artifact.media_type, artifact.size
            );
            if is_text(&artifact.media_type)
                && let Ok(content) = session.artifact_content(name)
                && let Ok(content) = String::from_utf8(content)
            {
                let cut = text::cut_bytes(&content, MAX_SHOWN);
                let more = content.len() - cut.len();
                let fence = text::fence(cut, 3);
                let _ = writeln!(inputs.text, "{fence}\n{cut}\n{fence}");
                if more > 0 {
                    let _ = writeln!(inputs.text, "({more} more bytes are not shown)");
                }
            }
        } else {
            missing.push(shown);
        }
    }
    if missing.is_empty() {
        return Ok(inputs);
    }
    let there = documents.iter().map(|document| document.name.as_str());
    let there: Vec<&str> =
        there.chain(artifacts.iter().map(|artifact| artifact.name.as_str())).take(20).collect();
    let message = format!("inputs: there is no `{}`", missing.join("`, `"));
    let error = Error::new(ErrorKind::Arguments, message);
    Err(if there.is_empty() {
        error.hint("there are no documents and files; name tables as `t:3`")
    } else {
        error.hint(format!("there are {}; name tables as `t:3`", there.join(", ")))
    })
}

fn is_text(media_type: &str) -> bool {
    media_type.starts_with("text/") || media_type == "application/json"
}
