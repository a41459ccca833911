//! The result of a call in the form of the protocol: text for the model, the same as data, links to files, and errors that a
//! model can repair.

use std::path::Path;

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode, MetaObject, Resource};
use serde_json::{Value, json};

use super::{schemas, uri};
use mitt::capability::Artifact;
use mitt::session::CallReport;
use mitt::value::Json;
use mitt_base::{Error, ErrorKind, text};

/// Where a client finds the class of an error, and after how long a busy server may have a place.
const ERROR: &str = "mitt/error";

/// The answer to a call that ended with `report`. A result of which the interface says that it is no object is wrapped.
/// Where artifacts are in a `folder`, it says so: the user of a local client finds them there.
///
/// # Errors
///
/// What the protocol, and not the tool, is told: that there is no such tool.
pub(super) fn answer(
    report: CallReport,
    is_wrapped: bool,
    characters: u64,
    folder: Option<&Path>,
) -> Result<CallToolResult, ErrorData> {
    let CallReport { result, artifacts, script_error, .. } = report;
    let value = match result {
        Ok(value) => value,
        Err(error) if *error.kind() == ErrorKind::UnknownTool => return Err(unknown(&error)),
        Err(error) => return Ok(failed(&error, characters)),
    };
    let mut content = vec![ContentBlock::text(told(&value, characters))];
    let mut paths = Vec::new();
    for artifact in &artifacts {
        let mut link = link(artifact);
        if let Some(path) = path(folder, artifact) {
            link = link.with_description(format!("Written to {path}"));
            paths.push(path);
        }
        content.push(ContentBlock::resource_link(link));
    }
    // Most models see the texts of a result and not its links.
    if !paths.is_empty() {
        content.push(ContentBlock::text(format!("written to {}", paths.join(", "))));
    }
    let mut answer = match script_error {
        None => CallToolResult::success(content),
        // The outcome says what went wrong, so that the model can mend its script.
        Some(_) => CallToolResult::error(content),
    };
    answer.structured_content = match value {
        // A tool without a result has no schema of one.
        Json::Null if !is_wrapped => None,
        value if is_wrapped => Some(json!({ schemas::RESULT: Value::from(value) })),
        value => Some(value.into()),
    };
    Ok(answer)
}

/// What the model reads: a text as it is, anything else as JSON with every digit.
fn told(value: &Json, characters: u64) -> String {
    match value {
        Json::Null => "done".to_owned(),
        Json::String(text) => text::truncate(text, characters),
        value => text::truncate(&value.to_string(), characters),
    }
}

/// An error that a model reads and can do something about: every problem at once, and the way out.
pub(super) fn failed(error: &Error, characters: u64) -> CallToolResult {
    let text = text::truncate(&error.render(), characters);
    let mut details = json!({ "kind": error.kind().name(), "mayPass": error.may_pass() });
    if !error.details().is_empty() {
        details["problems"] = json!(error.details());
    }
    if let ErrorKind::Busy { retry_after } = error.kind() {
        details["retryAfterMs"] = json!(u64::try_from(retry_after.as_millis()).unwrap_or(u64::MAX));
    }
    let mut meta = MetaObject::new();
    meta.insert(ERROR.to_owned(), details);
    CallToolResult::error(vec![ContentBlock::text(text)]).with_meta(Some(meta))
}

/// The end of a request that its client, or the end of its session, has cancelled.
#[cold]
pub(super) fn cancelled() -> ErrorData {
    ErrorData::internal_error("the call was cancelled", None)
}

/// There is no such tool: an error of the protocol, since nothing was called.
fn unknown(error: &Error) -> ErrorData {
    let message = std::iter::once(error.to_string()).chain(error.hints().iter().cloned());
    let message = message.collect::<Vec<_>>().join("; ");
    ErrorData::new(ErrorCode::INVALID_PARAMS, message, None)
}

/// An error of ours as one of the protocol, where there is no tool to speak for.
pub(super) fn refused(error: &Error) -> ErrorData {
    let code = match error.kind() {
        ErrorKind::Host | ErrorKind::Busy { .. } => ErrorCode::INTERNAL_ERROR,
        _ => ErrorCode::INVALID_PARAMS,
    };
    let data = match error.kind() {
        ErrorKind::Busy { retry_after } => Some(json!({
            "kind": "busy",
            "retryAfterMs": u64::try_from(retry_after.as_millis()).unwrap_or(u64::MAX),
        })),
        kind => Some(json!({ "kind": kind.name() })),
    };
    ErrorData::new(code, error.render(), data)
}

/// Where the user finds the file of an artifact.
fn path(folder: Option<&Path>, artifact: &Artifact) -> Option<String> {
    let folder = std::path::absolute(folder?).ok()?;
    Some(folder.join(&artifact.name).display().to_string())
}

/// An artifact as a link.
pub(super) fn link(artifact: &Artifact) -> Resource {
    Resource::new(uri::artifact(&artifact.name), artifact.name.clone())
        .with_mime_type(artifact.media_type.clone())
        .with_size(artifact.size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mitt::CallId;
    use mitt::engine::Usage;

    fn report(result: mitt_base::Result<Json>) -> CallReport {
        CallReport {
            call: CallId { number: 1, parent: None },
            tool: "a__b".into(),
            depth: 0,
            arguments_sha256: String::new(),
            result,
            attempts: Vec::new(),
            usage: Usage::default(),
            printed: String::new(),
            artifacts: Vec::new(),
            script_error: None,
            approval: None,
        }
    }

    fn parse(text: &str) -> Json {
        Json::parse(text, 1_000, 10).unwrap()
    }

    fn text_of(result: &CallToolResult) -> &str {
        &result.content[0].as_text().unwrap().text
    }

    #[test]
    fn digits_are_kept_in_text_and_data() {
        let value = parse(r#"{"a":0.1234567890123456789012,"b":18446744073709551615,"c":0.1}"#);
        let result = answer(report(Ok(value)), false, 32_000, None).unwrap();
        assert_eq!(
            text_of(&result),
            r#"{"a":0.1234567890123456789012,"b":18446744073709551615,"c":0.1}"#
        );
        assert_eq!(
            result.structured_content.unwrap().to_string(),
            r#"{"a":"0.1234567890123456789012","b":18446744073709551615,"c":0.1}"#
        );
    }

    #[test]
    fn texts_are_told_as_they_are_and_wrapped_as_data() {
        let result = answer(report(Ok("a \"b\"".into())), true, 32_000, None).unwrap();
        assert_eq!(text_of(&result), "a \"b\"");
        assert_eq!(result.structured_content, Some(json!({ "result": "a \"b\"" })));
        let null = answer(report(Ok(Json::Null)), true, 32_000, None).unwrap();
        assert_eq!(null.structured_content, Some(json!({ "result": null })));
        let nothing = answer(report(Ok(Json::Null)), false, 32_000, None).unwrap();
        assert_eq!((text_of(&nothing), nothing.structured_content.as_ref()), ("done", None));
    }

    #[test]
    fn files_in_a_folder_are_told_with_their_paths() {
        let folder = std::env::temp_dir();
        let mut made = report(Ok(Json::Null));
        made.artifacts = vec![Artifact {
            name: "月报.xlsx".into(),
            media_type: "application/vnd.ms-excel".into(),
            size: 7,
            sha256: String::new(),
        }];
        let result = answer(made, false, 32_000, Some(&folder)).unwrap();
        let path = folder.join("月报.xlsx").display().to_string();
        let link = result.content[1].as_resource_link().unwrap();
        assert_eq!(link.description, Some(format!("Written to {path}")));
        assert_eq!(result.content[2].as_text().unwrap().text, format!("written to {path}"));
    }

    #[test]
    fn long_texts_are_cut_and_data_is_not() {
        let result = answer(report(Ok("x".repeat(40).into())), true, 32, None).unwrap();
        assert_eq!(text_of(&result), format!("{}{}", "x".repeat(32), text::TRUNCATED));
        assert_eq!(result.structured_content.unwrap()["result"].as_str().unwrap().len(), 40);
    }

    #[test]
    fn errors_tell_all_problems_and_the_way_out() {
        let error = Error::new(ErrorKind::Arguments, "2 problems")
            .detail("/a: u32 expected")
            .detail("/b: missing")
            .hint("see the schema");
        let result = answer(report(Err(error)), false, 32_000, None).unwrap();
        assert_eq!(result.is_error, Some(true));
        assert_eq!(
            text_of(&result),
            "2 problems\n/a: u32 expected\n/b: missing\nhint: see the schema"
        );
        assert_eq!(result.structured_content, None);
        let meta = result.meta.unwrap();
        assert_eq!(meta[ERROR]["kind"], "arguments");
        assert_eq!(meta[ERROR]["problems"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn busy_says_when_to_come_back() {
        let retry_after = std::time::Duration::from_millis(1_500);
        let error = Error::new(ErrorKind::Busy { retry_after }, "busy");
        assert_eq!(failed(&error, 100).meta.unwrap()[ERROR]["retryAfterMs"], 1_500);
        assert_eq!(refused(&error).data.unwrap()["retryAfterMs"], 1_500);
    }

    #[test]
    fn an_unknown_tool_is_an_error_of_the_protocol() {
        let error = Error::new(ErrorKind::UnknownTool, "Unknown tool: x").hint("did you mean `y`?");
        let error = answer(report(Err(error)), false, 100, None).unwrap_err();
        assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
        assert_eq!(error.message, "Unknown tool: x; did you mean `y`?");
    }
}
