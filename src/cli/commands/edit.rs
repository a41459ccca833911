//! `mitt edit`: changes a Word file, a workbook or a presentation, and writes a new file beside it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};

use super::new_file::{call, check_target, delivered, extension, file_name};
use super::work::Work;
use super::{delivery, read_text};
use crate::args::{Edit, Global};
use crate::output::{Output, note};
use mitt::url_of;
use mitt::value::Json;
use mitt_base::time::timestamp;
use mitt_base::{Error, ErrorKind, Result};

/// A type of file that can be edited, and the tool that does it.
struct Editor {
    extension: &'static str,
    tool: &'static str,
    /// `true` if changes have an author and a date.
    has_authors: bool,
}

const EDITORS: [Editor; 4] = [
    Editor { extension: "docx", tool: "docx_tool__edit_document", has_authors: true },
    Editor { extension: "xlsx", tool: "sheet_tool__edit_workbook", has_authors: false },
    Editor { extension: "pptx", tool: "deck_tool__edit_deck", has_authors: false },
    Editor { extension: "pdf", tool: "pdf_tool__edit_pdf", has_authors: false },
];

/// Replaces the hint of an encrypted file: no tool edits one, with or without its password.
pub(super) fn unlocked(error: Error) -> Error {
    match error.input_problem() {
        Some("encrypted") => {
            let message = "it is encrypted, and encrypted files are not edited";
            Error::new(ErrorKind::Input, message)
                .hint("save it without a password and edit that file")
        }
        _ => error,
    }
}

/// Edits a file and writes the result to another one.
pub(crate) async fn edit(global: &Global, command: Edit, output: &Output) -> Result<ExitCode> {
    let editor = editor_of(&command.file)?;
    if command.author.is_some() && !editor.has_authors {
        let message = format!("{}: expected a Word file", command.file.display());
        let hint = "only changes of Word files have an author";
        return Err(Error::new(ErrorKind::Input, message).at("--author").hint(hint));
    }
    let target = target(&command, editor)?;
    // Checked before work that takes long.
    let delivery = delivery(global, &command.force);
    delivery.check(&target)?;
    let work = Work::open(global, None, output).await?;
    let edits = edits(&command.edits, work.session.host().session_limits().arguments_bytes)?;
    let document = work.add_for_tools(&command.file).await.map_err(unlocked)?;
    work.add_files_and_pictures(&command.with).await?;
    let mut arguments = vec![
        ("document", Json::from(document.name.as_str())),
        ("edits", edits),
        ("filename", Json::from(file_name(&target))),
    ];
    if editor.has_authors {
        let now = timestamp(work.session.host().environment().now());
        let author = command.author.as_deref().map(|author| ("author", Json::from(author)));
        let options = author.into_iter().chain([("date", Json::from(now))]);
        arguments.push(("options", Json::object(options)));
    }
    let arguments = Json::object(arguments).to_string();
    let doing = format!("editing {}", document.name);
    let report = call(&work, editor.tool, doing, &arguments).await?;
    let result = report.result?;
    let (artifact, content) = delivered(&work.session, editor.tool, &report.artifacts)?;
    delivery.write(&target, &content)?;
    let path = target.display().to_string();
    if output.is_json() {
        let warnings: Vec<String> = artifact.contents.warning_lines().collect();
        output.value(&json!({
            "path": path, "size": artifact.size, "warnings": warnings, "result": Value::from(result),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    // The progress has shown the warnings.
    if !output.is_quiet() {
        changes(&result).iter().for_each(|change| note(change));
    }
    output.data_line(&path)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the tool for a file, by its extension.
fn editor_of(file: &Path) -> Result<&'static Editor> {
    let refused = |message: String| Error::new(ErrorKind::Input, message);
    if url_of(file).is_some() {
        return Err(refused(format!("{}: expected a file, got an address", file.display()))
            .hint("download it and name the file"));
    }
    let extension = extension(file);
    EDITORS.iter().find(|editor| editor.extension == extension).ok_or_else(|| {
        let message =
            format!("{}: expected a `.docx`, `.xlsx`, `.pptx` or `.pdf` to edit", file.display());
        match extension.as_str() {
            "docm" | "xlsm" | "pptm" => {
                refused(message).hint("save it without macros and edit that file")
            }
            _ => refused(message).hint("save it in one of these formats"),
        }
    })
}

/// Returns the file to write.
///
/// # Errors
///
/// [`ErrorKind::Input`] - it has another extension than the source, or it is the source.
fn target(command: &Edit, editor: &Editor) -> Result<PathBuf> {
    let Some(target) = &command.output else { return Ok(next_version(&command.file)) };
    check_target(target, editor.extension, [command.file.as_path()])?;
    Ok(target.clone())
}

/// Returns the path beside `file` of its next version: `a.v2.docx` for `a.docx`, `a.v3.docx` for `a.v2.docx`.
fn next_version(file: &Path) -> PathBuf {
    let text =
        |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let (stem, extension) = (text(file.file_stem()), text(file.extension()));
    let numbered = stem.rsplit_once(".v").and_then(|(name, version)| {
        let is_number = !version.is_empty() && version.bytes().all(|it| it.is_ascii_digit());
        let next = version.parse::<u32>().ok()?.checked_add(1)?;
        (is_number && !name.is_empty()).then(|| (name.to_owned(), next))
    });
    let (name, version) = numbered.unwrap_or((stem, 2));
    file.with_file_name(format!("{name}.v{version}.{extension}"))
}

/// Reads edits: an array, or an object with an array `edits`. Numbers keep their digits.
fn edits(file: &Path, most: u64) -> Result<Json> {
    let text = read_text(file)?;
    let read = Json::parse(&text, most, Json::MAX_DEPTH);
    let edits = match read.map_err(|error| error.at(file.display()))? {
        Json::Object(mut entries) if entries.len() == 1 && entries[0].0 == "edits" => {
            entries.swap_remove(0).1
        }
        edits => edits,
    };
    match edits {
        Json::Array(_) => Ok(edits),
        other => {
            let message =
                format!("{}: expected an array of edits, got {}", file.display(), other.kind());
            Err(Error::new(ErrorKind::Arguments, message))
        }
    }
}

/// Returns what the tool says that it changed, one line each.
fn changes(result: &Json) -> Vec<String> {
    // Each tool has its name for the list.
    let named = ["changes", "edits", "done"].into_iter().find_map(|name| result.get(name));
    let Some(changes) = named else { return Vec::new() };
    let part = |change: &Json, name: &str| match change.get(name) {
        Some(Json::String(text)) => Some(text.clone()),
        _ => None,
    };
    let line = |change: &Json| match change {
        Json::String(text) => text.clone(),
        other => match (part(other, "place"), part(other, "before"), part(other, "after")) {
            (Some(place), Some(before), Some(after)) => format!("{place}: {before} → {after}"),
            _ => other.to_string(),
        },
    };
    match changes {
        Json::Array(items) => items.iter().map(line).collect(),
        Json::Null => Vec::new(),
        other => vec![line(other)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_counted() {
        for (file, expected) in [
            ("a.docx", "a.v2.docx"),
            ("a.v2.docx", "a.v3.docx"),
            ("dir/a.v9.xlsx", "dir/a.v10.xlsx"),
            ("/x/合同 1.5.docx", "/x/合同 1.5.v2.docx"),
            ("a.vx.docx", "a.vx.v2.docx"),
            ("a.v.docx", "a.v.v2.docx"),
            ("a.v+1.docx", "a.v+1.v2.docx"),
            (".v2.docx", ".v2.v2.docx"),
            ("a.v4294967295.docx", "a.v4294967295.v2.docx"),
        ] {
            assert_eq!(next_version(Path::new(file)), Path::new(expected), "{file}");
        }
    }

    #[test]
    fn the_extension_decides_the_tool() {
        assert_eq!(editor_of(Path::new("A.DOCX")).unwrap().tool, "docx_tool__edit_document");
        for (file, expected) in [
            ("a.xlsm", "without macros"),
            ("a", "one of these formats"),
            ("https://a.test/a.docx", "got an address"),
        ] {
            let error = editor_of(Path::new(file)).err().unwrap().render();
            assert!(error.contains(expected), "{file}: {error}");
        }
    }

    #[test]
    fn what_was_changed_is_a_line_each() {
        let lines = |text: &str| changes(&Json::parse(text, 1_000, 20).unwrap());
        assert_eq!(
            lines(r#"{"changes": ["p3: replaced", {"at": "B7"}]}"#),
            ["p3: replaced", r#"{"at":"B7"}"#]
        );
        assert_eq!(
            lines(r#"{"edits": [{"place": "p1", "before": "a", "after": "b"}]}"#),
            ["p1: a → b"]
        );
        assert_eq!(lines(r#"{"changes": 3}"#), ["3"]);
        assert!(lines(r#"{"name": "a.v2.docx"}"#).is_empty());
    }
}
