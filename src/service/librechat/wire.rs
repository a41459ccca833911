//! Bodies of requests and responses.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::code::{SandboxFile, ScriptResult};
use crate::http::Schema;
use crate::problem::Problem;
use crate::store::ID_CHARACTERS;

/// A script to run. Other members are ignored.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(rename = "LibreChatExec")]
pub(super) struct Exec {
    /// Language: `py`, `js` or `ts`.
    pub(super) lang: String,
    /// Source text.
    pub(super) code: String,
    /// `sys.argv[1:]`.
    #[serde(default)]
    pub(super) args: Option<Arguments>,
    /// Files of any sessions, which the script finds below `/mnt/data`.
    #[serde(default)]
    pub(super) files: Option<Vec<FileRef>>,
    /// Most time in milliseconds.
    #[serde(default)]
    pub(super) timeout: Option<u64>,
}

/// One argument or several.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "LibreChatArguments")]
pub(super) enum Arguments {
    /// One argument.
    One(String),
    /// Several.
    Many(Vec<String>),
}

/// A file of a session.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(rename = "LibreChatFileRef")]
pub(super) struct FileRef {
    /// Identifier of the file.
    pub(super) id: String,
    /// Name below `/mnt/data`; without it, the one that it was stored with.
    #[serde(default)]
    pub(super) name: Option<String>,
    /// Session in which it is stored.
    #[serde(default)]
    storage_session_id: Option<String>,
    /// The same, of older clients.
    #[serde(default)]
    session_id: Option<String>,
}

impl FileRef {
    /// Returns the session in which the file is stored; empty if the client named none.
    pub(super) fn session(&self) -> &str {
        self.storage_session_id.as_deref().or(self.session_id.as_deref()).unwrap_or_default()
    }
}

/// A script that calls tools of the caller, or results of its calls. Other members are ignored.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(rename = "LibreChatProgrammatic")]
pub(super) struct Programmatic {
    /// Source text; not in a continuation.
    #[serde(default)]
    pub(super) code: Option<String>,
    /// Tools that the script may call; not in a continuation.
    #[serde(default)]
    pub(super) tools: Option<Vec<Tool>>,
    /// Files, as for `/exec`.
    #[serde(default)]
    pub(super) files: Option<Vec<FileRef>>,
    /// Language: `python`, which is the default and the only one here.
    #[serde(default)]
    pub(super) language: Option<String>,
    /// Language in older clients.
    #[serde(default)]
    pub(super) lang: Option<String>,
    /// Most time of one round in milliseconds.
    #[serde(default)]
    pub(super) timeout: Option<u64>,
    /// What the last response said.
    #[serde(default)]
    pub(super) continuation_token: Option<String>,
    /// Results of the calls in the last response.
    #[serde(default)]
    pub(super) tool_results: Option<Vec<ToolResult>>,
}

/// A tool of the caller.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(rename = "LibreChatTool")]
pub(super) struct Tool {
    /// Name.
    pub(super) name: String,
    /// What it does.
    #[serde(default)]
    pub(super) description: Option<String>,
    /// JSON Schema of its parameters.
    #[serde(default)]
    pub(super) parameters: Option<Value>,
}

/// Result of a call.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(rename = "LibreChatToolResult")]
pub(super) struct ToolResult {
    /// Identifier of the call.
    pub(super) call_id: String,
    /// Any value.
    #[serde(default)]
    pub(super) result: Value,
    /// `true` if the tool failed.
    #[serde(default)]
    pub(super) is_error: bool,
    /// Why it failed.
    #[serde(default)]
    pub(super) error_message: Option<String>,
}

/// Result of a script.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
#[schemars(rename = "LibreChatResult")]
pub(super) struct ExecResult {
    /// `completed`, `error` or `tool_call_required`; only of `/exec/programmatic`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<&'static str>,
    /// Session with the files that were written.
    pub(super) session_id: String,
    /// Output.
    pub(super) stdout: String,
    /// Output to standard error, the traceback, and notes.
    pub(super) stderr: String,
    /// 0 for success, otherwise 1.
    pub(super) code: u8,
    /// Value of the last line as JSON text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) result: Option<String>,
    /// Files that were written.
    pub(super) files: Vec<WrittenFile>,
    /// Names of input files that the script removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) deleted_files: Vec<String>,
    /// Counts of files, if some could not be kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) artifact_delivery: Option<Value>,
    /// Why a programmatic script failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
    /// Names the script that waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) continuation_token: Option<String>,
    /// Calls that the client is to make.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_calls: Option<Vec<ToolCall>>,
}

/// A call of a tool of the caller.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[schemars(rename = "LibreChatToolCall")]
pub(super) struct ToolCall {
    /// Identifier, such as `call_001`.
    pub(super) id: String,
    /// Name of the tool.
    pub(super) name: String,
    /// Arguments by name.
    pub(super) input: Value,
}

/// A file that a script wrote.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "LibreChatFile")]
pub(super) struct WrittenFile {
    /// Identifier.
    pub(super) id: String,
    /// Name below `/mnt/data`.
    pub(super) name: String,
    /// Session in which it is stored.
    pub(super) storage_session_id: String,
    /// The same, for older clients.
    pub(super) session_id: String,
    /// Size in bytes.
    pub(super) size: u64,
    /// Media type.
    #[serde(rename = "contentType")]
    pub(super) content_type: String,
}

impl Arguments {
    pub(super) fn into_list(self) -> Vec<String> {
        match self {
            Arguments::One(argument) => vec![argument],
            Arguments::Many(arguments) => arguments,
        }
    }
}

impl ExecResult {
    /// Returns the result of a script whose files are in the session `id`.
    pub(super) fn new(id: String, script: ScriptResult) -> ExecResult {
        let notes = script.notes();
        let mut stderr = script.stderr;
        if !notes.is_empty() {
            if !stderr.is_empty() && !stderr.ends_with('\n') {
                stderr.push('\n');
            }
            stderr.push_str(&notes);
            stderr.push('\n');
        }
        let (delivered, failed) = (script.files.len(), script.left_out.len());
        let delivery = (failed > 0).then(|| {
            serde_json::json!({
                "code": "artifact_delivery_failed",
                "status": if delivered == 0 { "failed" } else { "partial" },
                "attempted": delivered + failed,
                "delivered": delivered,
                "failed": failed,
            })
        });
        let file = |file: SandboxFile| WrittenFile {
            id: file.id,
            name: file.name,
            storage_session_id: id.clone(),
            session_id: id.clone(),
            size: file.size,
            content_type: file.media_type,
        };
        ExecResult {
            code: u8::from(script.failure.is_some()),
            files: script.files.into_iter().map(file).collect(),
            session_id: id,
            stdout: script.stdout,
            stderr,
            result: script.result,
            deleted_files: script.deleted,
            artifact_delivery: delivery,
            ..ExecResult::default()
        }
    }
}

/// Converts a body. If it is wrong, all of its problems are reported.
pub(super) fn typed<T: for<'de> Deserialize<'de>>(
    value: Value,
    schema: impl FnOnce() -> Schema,
) -> Result<T, Problem> {
    match T::deserialize(&value) {
        Ok(typed) => Ok(typed),
        Err(error) => {
            schema().check(&value)?;
            Err(Problem::new(422, "invalid_body", error.to_string()))
        }
    }
}

/// Returns an identifier if it has the form of one.
///
/// # Errors
///
/// 400 `invalid_id`.
pub(super) fn checked_id<'i>(what: &str, id: &'i str) -> Result<&'i str, Problem> {
    let is_known = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_');
    if id.len() == ID_CHARACTERS && id.bytes().all(is_known) {
        return Ok(id);
    }
    let shown = mitt_base::text::one_line(mitt_base::text::cut_bytes(id, 60));
    let detail =
        format!("{what}: expected {ID_CHARACTERS} characters of `A-Za-z0-9_-`, got `{shown}`");
    Err(Problem::bad("invalid_id", detail))
}

/// Returns a time limit in milliseconds.
pub(super) fn time(milliseconds: Option<u64>) -> Option<Duration> {
    milliseconds.filter(|it| *it > 0).map(Duration::from_millis)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::http::schema_of;

    #[test]
    fn bodies_of_old_and_new_clients_are_read_and_problems_come_together() {
        let read = |value: Value| typed::<Exec>(value, schema_of::<Exec>);
        let exec = read(json!({
            "lang": "py", "code": "1", "args": "x", "user_id": "u", "runtime_session_hint": "h",
            "files": [{ "id": "a", "session_id": "s", "name": "n" }, { "id": "b", "storage_session_id": "t", "kind": "user" }],
        }))
        .unwrap();
        assert_eq!(exec.args.unwrap().into_list(), ["x"]);
        let files = exec.files.unwrap();
        assert_eq!(files.iter().map(FileRef::session).collect::<Vec<_>>(), ["s", "t"]);
        let problem = read(json!({ "lang": 1, "files": 2 })).unwrap_err();
        assert_eq!((problem.status, problem.errors.len()), (422, 3), "{:?}", problem.errors);
    }

    #[test]
    fn identifiers_have_21_characters() {
        assert!(checked_id("session", "abcdefghijklmnopqrs_-").is_ok());
        for wrong in
            ["", "abc", "abcdefghijklmnopqrs_-x", "abcdefghijklmnopqrs/.", "../../../etc/passwd/x"]
        {
            assert_eq!(checked_id("session", wrong).unwrap_err().code, "invalid_id", "{wrong}");
        }
    }

    #[test]
    fn what_was_not_kept_is_counted_and_named() {
        let script = ScriptResult {
            stderr: "oops".into(),
            failure: Some("error".into()),
            hint: Some("use table_tool".into()),
            left_out: vec!["`a`: too large".into()],
            ..ScriptResult::default()
        };
        let result = ExecResult::new("s".into(), script);
        assert_eq!(result.code, 1);
        assert_eq!(result.stderr, "oops\nhint: use table_tool\nnot kept: `a`: too large\n");
        assert_eq!(result.artifact_delivery.unwrap()["status"], "failed");
    }
}
