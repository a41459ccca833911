//! Turns the outcome of Mitt's tool for scripts into a result.

use super::hint;
use super::state::ScriptResult;
use mitt::Session;
use mitt::value::Json;

/// Text with which the outcome begins to say how far a stopped script had come.
const LINE: &str = "the script had come to line ";

/// Returns the result without its files.
pub(super) fn result(outcome: &Json, session: &Session) -> ScriptResult {
    let text = |key: &str| outcome.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
    let status = text("status");
    let error = text("error_message");
    let value = match (outcome.get("result"), outcome.get("result_is_repr")) {
        (None | Some(Json::Null), _) => None,
        (Some(Json::String(repr)), Some(Json::Bool(true))) => Some(repr.clone()),
        (Some(value), _) => Some(value.to_string()),
    };
    let mut stderr = text("stderr");
    if !error.is_empty() {
        if !stderr.is_empty() && !stderr.ends_with('\n') {
            stderr.push('\n');
        }
        stderr.push_str(&error);
        if !error.ends_with('\n') {
            stderr.push('\n');
        }
    }
    let stdout = text("stdout");
    let is_success = status == "success";
    let whole = |key: &str| outcome.get(key).and_then(Json::as_str);
    let cut = [("stdout", whole("stdout_file")), ("stderr", whole("stderr_file"))];
    let warnings = cut.into_iter().filter_map(|(stream, file)| {
        Some(format!("{stream} was cut; the whole text is in `{}`", file?))
    });
    ScriptResult {
        stdout,
        stderr,
        result: value,
        warnings: warnings.collect(),
        hint: if is_success { None } else { hint::hint(&error, session) },
        error_kind: (!is_success).then(|| text("error_kind")),
        failure: (!is_success).then_some(status),
        ..ScriptResult::default()
    }
}

/// Returns `true` if the interpreter ended with the script, and its variables are gone.
pub(super) fn ended_interpreter(result: &ScriptResult) -> bool {
    result.failure.as_deref().is_some_and(|it| it != "error") || result.stderr.contains(LINE)
}
