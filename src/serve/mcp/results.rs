//! The result of a call in the form of the protocol: text for the model, the same as data, links to files, and errors that a
//! model can repair.

use std::path::Path;

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode, MetaObject, Resource};
use serde_json::{Value, json};

use super::{schemas, uri};
use mitt::value::Json;
use mitt::{Artifact, CallReport, ModelText};
use mitt_base::{Error, ErrorKind, panics};

/// Where a client finds the class of an error, and after how long a busy server may have a place.
const ERROR: &str = "mitt/error";

/// The answer to a call that ended with `report`. Where artifacts are in a `folder`, it says so: the user of a local client
/// finds them there.
///
/// # Errors
///
/// What the protocol, and not the tool, is told: that there is no such tool.
pub(super) fn answer(
    report: CallReport,
    characters: u64,
    folder: Option<&Path>,
) -> Result<CallToolResult, ErrorData> {
    let ModelText { outcome, files, .. } = report.for_model(characters);
    let CallReport { result, artifacts, script_error, function, .. } = report;
    let is_wrapped = function.is_some_and(|function| schemas::is_wrapped(&function));
    let mut content = vec![ContentBlock::text(outcome)];
    let mut paths = Vec::new();
    for artifact in &artifacts {
        let mut link = link(artifact);
        if let Some(path) = path(folder, artifact) {
            link = link.with_description(format!("Written to {path}"));
            paths.push(path);
        }
        content.push(ContentBlock::resource_link(link));
    }
    // Most models see the texts of a result and not its links. In a block of its own, as clients may parse the first as JSON.
    match paths.is_empty() {
        true => content.extend(files.map(ContentBlock::text)),
        false => content.push(ContentBlock::text(format!("written to {}", paths.join(", ")))),
    }
    let value = match result {
        Ok(value) => value,
        Err(error) if *error.kind() == ErrorKind::UnknownTool => return Err(unknown(&error)),
        Err(error) => return Ok(CallToolResult::error(content).with_meta(Some(details(&error)))),
    };
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

/// An error that a model reads and can do something about, where no call was made.
pub(super) fn failed(error: &Error, characters: u64) -> CallToolResult {
    let text = ModelText::of_error(error, characters).outcome;
    CallToolResult::error(vec![ContentBlock::text(text)]).with_meta(Some(details(error)))
}

/// What programs are told of an error beside its text.
fn details(error: &Error) -> MetaObject {
    let mut details = json!({ "kind": error.kind().name(), "mayPass": error.may_pass() });
    if !error.details().is_empty() {
        details["problems"] = json!(error.details());
    }
    if let ErrorKind::Busy { retry_after } = error.kind() {
        details["retryAfterMs"] = json!(u64::try_from(retry_after.as_millis()).unwrap_or(u64::MAX));
    }
    let mut meta = MetaObject::new();
    meta.insert(ERROR.to_owned(), details);
    meta
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

/// The answer of `handled`. rmcp handles each request in a task of its own: a panic there would end it without an answer.
pub(super) async fn answered<T>(
    handled: impl Future<Output = Result<T, ErrorData>>,
) -> Result<T, ErrorData> {
    let caught = panics::caught("the request", handled).await;
    caught.unwrap_or_else(|error| Err(refused(&error)))
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
    use std::sync::Arc;

    use mitt::CallId;

    use mitt::value::{Function, Type};
    use mitt_base::text;

    /// Of a call of a function that gives this type.
    fn report(result: mitt_base::Result<Json>, ty: Option<Type>) -> CallReport {
        let function = Function { result: ty, ..Function::default() };
        CallReport {
            function: Some(Arc::new(function)),
            ..CallReport::new(CallId { number: 1, parent: None }, "a__b", "{}", result)
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
        let result = answer(report(Ok(value), None), 32_000, None).unwrap();
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
        let result =
            answer(report(Ok("a \"b\"".into()), Some(Type::String)), 32_000, None).unwrap();
        assert_eq!(text_of(&result), "a \"b\"");
        assert_eq!(result.structured_content, Some(json!({ "result": "a \"b\"" })));
        let maybe = Type::Option(Arc::new(Type::String));
        let null = answer(report(Ok(Json::Null), Some(maybe)), 32_000, None).unwrap();
        assert_eq!(null.structured_content, Some(json!({ "result": null })));
        let nothing = answer(report(Ok(Json::Null), None), 32_000, None).unwrap();
        assert_eq!((text_of(&nothing), nothing.structured_content.as_ref()), ("done", None));
    }

    #[test]
    fn files_in_a_folder_are_told_with_their_paths() {
        let folder = std::env::temp_dir();
        let mut made = report(Ok(Json::Null), None);
        made.artifacts = vec![Artifact {
            name: "月报.xlsx".into(),
            media_type: "application/vnd.ms-excel".into(),
            size: 7,
            sha256: String::new(),
        }];
        let result = answer(made.clone(), 32_000, Some(&folder)).unwrap();
        let path = folder.join("月报.xlsx").display().to_string();
        let link = result.content[1].as_resource_link().unwrap();
        assert_eq!(link.description, Some(format!("Written to {path}")));
        assert_eq!(result.content[2].as_text().unwrap().text, format!("written to {path}"));
        // In memory they have no path; a result that names them says it already.
        let result = answer(made.clone(), 32_000, None).unwrap();
        assert_eq!(result.content[2].as_text().unwrap().text, "delivered: 月报.xlsx");
        made.result = Ok(parse(r#"{"name":"月报.xlsx"}"#));
        assert_eq!(answer(made, 32_000, None).unwrap().content.len(), 2);
    }

    #[test]
    fn long_texts_are_cut_and_data_is_not() {
        let result =
            answer(report(Ok("x".repeat(40).into()), Some(Type::String)), 32, None).unwrap();
        assert!(text_of(&result).starts_with(&format!("{}{}", "x".repeat(32), text::TRUNCATED)));
        assert_eq!(result.structured_content.unwrap()["result"].as_str().unwrap().len(), 40);
    }

    #[test]
    fn errors_tell_all_problems_and_the_way_out() {
        let error = Error::new(ErrorKind::Arguments, "2 problems")
            .detail("/a: u32 expected")
            .detail("/b: missing")
            .hint("see the schema");
        let result = answer(report(Err(error), None), 32_000, None).unwrap();
        assert_eq!(result.is_error, Some(true));
        assert_eq!(
            text_of(&result),
            "arguments: 2 problems\n/a: u32 expected\n/b: missing\nhint: see the schema"
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
        let error = answer(report(Err(error), None), 100, None).unwrap_err();
        assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
        assert_eq!(error.message, "Unknown tool: x; did you mean `y`?");
    }
}
