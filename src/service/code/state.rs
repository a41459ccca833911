//! Sandboxes, their files, scripts and results, as plain data.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::problem::Problem;
use mitt_base::file_name::check_file_name;

/// Folder of the files, as scripts see it.
const FOLDER: &str = "/mnt/data/";

/// Longest name of a file with its folders, in bytes.
const NAME_BYTES: usize = 200;

/// Stands for `/` in the names of files in the workspace, which has no folders.
const SLASH: char = '\u{2215}';

/// First folder of files that scripts wrote below `/tmp`. They are not kept.
const SCRATCH: &str = "tmp~/";

/// A new sandbox.
#[derive(Clone, Debug)]
pub(crate) struct NewSandbox {
    /// Name for lists.
    pub(crate) name: String,
    /// Prefix of its identifier, such as `cntr_`; may be empty.
    pub(crate) prefix: &'static str,
    /// Time after the last use at which it is deleted with its files.
    pub(crate) life: Duration,
}

/// A sandbox.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub(crate) struct SandboxState {
    /// Identifier.
    pub(crate) id: String,
    /// Name for lists.
    pub(crate) name: String,
    /// Time of creation in milliseconds after 1970.
    pub(crate) created_ms: u64,
    /// Time of the last use in milliseconds after 1970.
    pub(crate) used_ms: u64,
    /// Time after the last use at which it is deleted, in seconds.
    pub(crate) life_seconds: u64,
    /// Files, in the order in which they were added.
    pub(crate) files: Vec<SandboxFile>,
}

/// A file of a sandbox.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub(crate) struct SandboxFile {
    /// Identifier, 21 characters without a prefix.
    pub(crate) id: String,
    /// Name, which scripts use; it may have folders: `out/a.csv`. A later file of the same name replaces it.
    pub(crate) name: String,
    /// Media type.
    pub(crate) media_type: String,
    /// SHA-256 of the content.
    pub(crate) sha256: String,
    /// Size in bytes.
    pub(crate) size: u64,
    /// Time of creation in milliseconds after 1970.
    pub(crate) created_ms: u64,
    /// `true` if a script wrote it, `false` if the client added it.
    pub(crate) is_written: bool,
}

/// A script to run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    /// Language, such as `python`, or the name of an engine.
    pub(crate) language: String,
    /// Source text.
    pub(crate) code: String,
    /// `sys.argv[1:]`.
    pub(crate) arguments: Vec<String>,
    /// Variables of the script.
    pub(crate) inputs: Map<String, Value>,
    /// `true` if variables stay for the next script.
    pub(crate) keeps_variables: bool,
    /// Time limit; `None` for the one of the tool.
    pub(crate) time: Option<Duration>,
}

/// Result of a script.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScriptResult {
    /// What it printed.
    pub(crate) stdout: String,
    /// What it wrote to standard error, with the traceback of its exception.
    pub(crate) stderr: String,
    /// Value of its last line as JSON text, or its `repr` if JSON has no form for it; `None` if it has none.
    pub(crate) result: Option<String>,
    /// Kind of the error: `None` for success, otherwise `error`, `timeout` or `sandbox_error`.
    pub(crate) failure: Option<String>,
    /// Class of the exception, or the reason for which the script was stopped, such as `limit:memory`.
    pub(crate) error_kind: Option<String>,
    /// What the client can do about it, such as what to use in place of a module that is missing.
    pub(crate) hint: Option<String>,
    /// Files that it wrote or that its tools delivered.
    pub(crate) files: Vec<SandboxFile>,
    /// Names of files of the sandbox that it removed.
    pub(crate) deleted: Vec<String>,
    /// Reasons why a written file is not among `files`.
    pub(crate) left_out: Vec<String>,
    /// What was changed in a file, or could not be read.
    pub(crate) warnings: Vec<String>,
}

impl ScriptResult {
    /// Returns the text that goes beside the output: the hint, what was left out, and warnings, one line each.
    pub(crate) fn notes(&self) -> String {
        let hint = self.hint.iter().map(|it| format!("hint: {it}"));
        let left_out = self.left_out.iter().map(|it| format!("not kept: {it}"));
        let warnings = self.warnings.iter().map(|it| format!("warning: {it}"));
        hint.chain(left_out).chain(warnings).collect::<Vec<_>>().join("\n")
    }
}

/// Returns the name of a file as a sandbox keeps it: without `/mnt/data/` and without a first `./`.
///
/// # Errors
///
/// 422 `invalid_name` - a part of it is not a plain file name, or it is too long.
pub(crate) fn file_name(name: &str) -> Result<String, Problem> {
    let name = name.strip_prefix(FOLDER).or_else(|| name.strip_prefix("./")).unwrap_or(name);
    let wrong = |detail: String| {
        Problem::new(422, "invalid_name", detail).hint("give the file another name")
    };
    if name.len() > NAME_BYTES {
        let detail = format!("the name has {} bytes, at most {NAME_BYTES} are allowed", name.len());
        return Err(wrong(detail));
    }
    name.split('/').try_for_each(check_file_name).map_err(wrong)?;
    if name.contains(SLASH) || name.starts_with(SCRATCH) {
        return Err(wrong(format!("the name holds `{SLASH}` or begins with `{SCRATCH}`")));
    }
    Ok(name.to_owned())
}

/// Returns the name in the workspace for the name of a file.
pub(super) fn workspace_name(name: &str) -> String {
    name.replace('/', &SLASH.to_string())
}

/// Returns the name of a file for its name in the workspace; `None` if it is one below `/tmp`.
pub(super) fn name_of(workspace_name: &str) -> Option<String> {
    let name = workspace_name.replace(SLASH, "/");
    (!name.starts_with(SCRATCH)).then_some(name)
}

/// Returns the media type for the extension of a name.
pub(super) fn media_type(name: &str) -> &'static str {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension.to_ascii_lowercase().as_str() {
        "csv" => "text/csv",
        "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "gif" => "image/gif",
        "htm" | "html" => "text/html",
        "jpeg" | "jpg" => "image/jpeg",
        "json" => "application/json",
        "log" | "txt" => "text/plain",
        "md" => "text/markdown",
        "pdf" => "application/pdf",
        "png" => "image/png",
        "pptx" => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "py" => "text/x-python",
        "svg" => "image/svg+xml",
        "tsv" => "text/tab-separated-values",
        "webp" => "image/webp",
        "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "xml" => "application/xml",
        "yaml" | "yml" => "application/yaml",
        "zip" => "application/zip",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_in_each_part() {
        for (given, kept) in [
            ("sales.csv", "sales.csv"),
            ("/mnt/data/sales.csv", "sales.csv"),
            ("./sales.csv", "sales.csv"),
            ("/mnt/data/pptx/月报 1.md", "pptx/月报 1.md"),
        ] {
            assert_eq!(file_name(given).unwrap(), kept);
            assert_eq!(name_of(&workspace_name(kept)).unwrap(), kept);
        }
        let long = "a".repeat(NAME_BYTES + 1);
        for wrong in
            ["", "/etc/passwd", "../a", "a//b", "a/", "a\\b", "tmp~/a", "a\u{2215}b", &long]
        {
            let problem = file_name(wrong).unwrap_err();
            assert_eq!((problem.status, problem.code.as_str()), (422, "invalid_name"), "{wrong}");
        }
        assert!(file_name(&"a".repeat(NAME_BYTES)).is_ok());
    }

    #[test]
    fn scratch_files_have_no_name() {
        assert_eq!(name_of("tmp~\u{2215}a.csv"), None);
        assert_eq!(name_of("out\u{2215}a.csv").unwrap(), "out/a.csv");
    }
}
