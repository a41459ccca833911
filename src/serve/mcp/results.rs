//! The result of a call in the form of the protocol: text for the model, the same as data, links to files, and errors that a
//! model can fix.

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode, MetaObject};
use serde_json::{Value, json};

use super::files::{self, FileReporting};
use super::schemas;
use mitt::value::Json;
use mitt::{CallReport, ModelText};
use mitt_base::{Error, ErrorKind, panics};

/// The field for the class of an error, and for the time after which a busy server may have a place.
const ERROR: &str = "mitt/error";

/// Returns the answer to a call that ended with `report`. The files that it delivered are in the data, and in the first
/// text, which is all that some clients show a model; links to them follow.
///
/// # Errors
///
/// Errors of the protocol and not of the tool: there is no such tool.
pub(super) fn answer(
    mut report: CallReport,
    characters: u64,
    reporting: &FileReporting<'_>,
) -> Result<CallToolResult, ErrorData> {
    let is_wrapped = report.function.as_deref().is_some_and(schemas::is_wrapped);
    let has_files = !report.artifacts.is_empty();
    // A result other than text takes the form of the data, including the files.
    let is_text = matches!(report.result, Err(_) | Ok(Json::String(_) | Json::Null));
    if has_files && !is_text {
        add_files(&mut report, is_wrapped, reporting);
    }
    let ModelText { mut outcome, name, .. } = report.for_model(characters);
    if has_files && is_text {
        outcome.push_str(&reporting.lines(&report.artifacts));
        add_files(&mut report, is_wrapped, reporting);
    }
    if let Some(name) = name {
        outcome.push_str(&format!("\n{name}"));
    }
    let CallReport { result, artifacts, script_error, .. } = report;
    let mut content = vec![ContentBlock::text(outcome)];
    content.extend(reporting.links(&artifacts));
    let value = match result {
        Ok(value) => value,
        Err(error) if *error.kind() == ErrorKind::UnknownTool => return Err(unknown(&error)),
        // Not a result of the tool, because the model could not fix its call by it.
        Err(error) if *error.kind() == ErrorKind::Blocked => return Err(refused(&error)),
        Err(error) => return Ok(CallToolResult::error(content).with_meta(Some(details(&error)))),
    };
    let mut answer = match script_error {
        None => CallToolResult::success(content),
        // The outcome says what went wrong, so that the model can fix its script.
        Some(_) => CallToolResult::error(content),
    };
    answer.structured_content = match value {
        // A tool without a result has no schema for one.
        Json::Null if !is_wrapped => None,
        value if is_wrapped && !has_files => Some(json!({ schemas::RESULT: Value::from(value) })),
        value => Some(value.into()),
    };
    Ok(answer)
}

/// Adds the files to the result, before a limit may cut it. A result that is not an object moves to its own member.
fn add_files(report: &mut CallReport, is_wrapped: bool, reporting: &FileReporting<'_>) {
    let Ok(value) = &mut report.result else { return };
    let files = reporting.data(&report.artifacts);
    let member = report.function.as_deref().map_or(files::FILES, files::member);
    let mut members = match std::mem::take(value) {
        value if is_wrapped => vec![(schemas::RESULT.to_owned(), value)],
        Json::Object(members) => members,
        // A tool without a result.
        _ => Vec::new(),
    };
    members.insert(0, (member.to_owned(), files));
    *value = Json::Object(members);
}

/// Returns an error that a model can read and act on, for a request that made no call.
pub(super) fn failed(error: &Error, characters: u64) -> CallToolResult {
    let text = ModelText::of_error(error, characters).outcome;
    CallToolResult::error(vec![ContentBlock::text(text)]).with_meta(Some(details(error)))
}

/// Returns the details of an error for programs, besides its text.
fn details(error: &Error) -> MetaObject {
    let mut details = json!({ "kind": error.kind().name(), "retryable": error.is_retryable() });
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

/// Returns the error of a request that was cancelled by its client or by the end of its session.
#[cold]
pub(super) fn cancelled() -> ErrorData {
    ErrorData::internal_error("the call was cancelled", None)
}

/// Returns the protocol error for an unknown tool, because nothing was called.
fn unknown(error: &Error) -> ErrorData {
    let message = std::iter::once(error.to_string()).chain(error.hints().iter().cloned());
    let message = message.collect::<Vec<_>>().join("; ");
    ErrorData::new(ErrorCode::INVALID_PARAMS, message, None)
}

/// Returns the answer of `handled`. rmcp handles each request in its own task, where a panic would end it without an answer.
pub(super) async fn answered<T>(
    handled: impl Future<Output = Result<T, ErrorData>>,
) -> Result<T, ErrorData> {
    let caught = panics::caught("the request", handled).await;
    caught.unwrap_or_else(|error| Err(refused(&error)))
}

/// Returns an error of ours as one of the protocol, for requests without a tool.
pub(super) fn refused(error: &Error) -> ErrorData {
    let code = match error.kind() {
        ErrorKind::Host | ErrorKind::Busy { .. } => ErrorCode::INTERNAL_ERROR,
        ErrorKind::Blocked => ErrorCode::INVALID_REQUEST,
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use mitt::CallId;

    use mitt::Artifact;
    use mitt::value::{Field, Function, RecordType, Type};
    use mitt_base::text;

    use super::super::uri;

    /// The warning for a file that is stored nowhere and has no link.
    const MEMORY: &str = "in memory only, until the session ends";

    const NOWHERE: FileReporting<'static> =
        FileReporting { folder: None, url: &|_| None, has_links: true };

    /// Returns the report of a call of a function with a result of this type.
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
        let result = answer(report(Ok(value), None), 32_000, &NOWHERE).unwrap();
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
            answer(report(Ok("a \"b\"".into()), Some(Type::String)), 32_000, &NOWHERE).unwrap();
        assert_eq!(text_of(&result), "a \"b\"");
        assert_eq!(result.structured_content, Some(json!({ "result": "a \"b\"" })));
        let maybe = Type::Option(Arc::new(Type::String));
        let null = answer(report(Ok(Json::Null), Some(maybe)), 32_000, &NOWHERE).unwrap();
        assert_eq!(null.structured_content, Some(json!({ "result": null })));
        let nothing = answer(report(Ok(Json::Null), None), 32_000, &NOWHERE).unwrap();
        assert_eq!((text_of(&nothing), nothing.structured_content.as_ref()), ("done", None));
    }

    /// Returns a report with a file that was delivered.
    fn delivered(result: mitt_base::Result<Json>, ty: Option<Type>) -> CallReport {
        let artifact = Artifact {
            name: "月报.xlsx".into(),
            media_type: "application/vnd.ms-excel".into(),
            size: 7,
            ..Artifact::default()
        };
        CallReport { artifacts: vec![artifact], ..report(result, ty) }
    }

    fn record(key: &str) -> Type {
        let fields = vec![Field::new(key, Type::String, None)];
        Type::Record(Arc::new(RecordType { name: "r".into(), docs: None, fields }))
    }

    #[test]
    fn files_are_in_the_data_and_in_the_first_text() {
        let folder = std::env::temp_dir();
        let url = |name: &str| Some(format!("http://localhost/{}", name.len()));
        let reporting = FileReporting { folder: Some(&folder), url: &url, has_links: true };
        let path = folder.join("月报.xlsx").display().to_string();
        let file = json!({
            "name": "月报.xlsx", "uri": uri::artifact("月报.xlsx"), "path": path, "url": "http://localhost/11",
        });
        let value = || Ok(parse(r#"{"name":"月报.xlsx"}"#));
        let result = answer(delivered(value(), Some(record("name"))), 32_000, &reporting).unwrap();
        let data = result.structured_content.clone().unwrap();
        assert_eq!(data, json!({ "files": [file], "name": "月报.xlsx" }));
        assert_eq!(serde_json::from_str::<Value>(text_of(&result)).unwrap(), data);
        let link = result.content[1].as_resource_link().unwrap();
        assert_eq!(link.description, Some(format!("Written to {path}")));
        assert_eq!(result.content.len(), 2);
        // A client that accepts no links gets the same otherwise.
        let without = FileReporting { has_links: false, ..reporting };
        let plain = answer(delivered(value(), Some(record("name"))), 32_000, &without).unwrap();
        assert_eq!((plain.content.len(), plain.structured_content), (1, result.structured_content));
        // Files in memory have no path; a member that the tool uses itself stays unchanged.
        let value = Ok(parse(r#"{"files":"2"}"#));
        let result = answer(delivered(value, Some(record("files"))), 32_000, &NOWHERE).unwrap();
        let data = result.structured_content.unwrap();
        assert_eq!(data["files"], "2");
        assert_eq!(
            data["mitt_files"],
            json!([{ "name": "月报.xlsx", "uri": uri::artifact("月报.xlsx"), "warnings": [MEMORY] }])
        );
    }

    #[test]
    fn files_of_results_that_are_no_objects() {
        let uri = uri::artifact("月报.xlsx");
        let line = format!("\ndelivered 月报.xlsx: {uri}, {MEMORY}");
        let files = json!([{ "name": "月报.xlsx", "uri": uri, "warnings": [MEMORY] }]);
        let text = answer(delivered(Ok("a".into()), Some(Type::String)), 100, &NOWHERE).unwrap();
        assert_eq!(text_of(&text), format!("a{line}"));
        assert_eq!(text.structured_content, Some(json!({ "files": files, "result": "a" })));
        let list = Type::List(Arc::new(Type::U8));
        let list = answer(delivered(Ok(parse("[1]")), Some(list)), 1_000, &NOWHERE).unwrap();
        let data = list.structured_content.clone().unwrap();
        assert_eq!(data, json!({ "files": files, "result": [1] }));
        assert_eq!(serde_json::from_str::<Value>(text_of(&list)).unwrap(), data);
        let nothing = answer(delivered(Ok(Json::Null), None), 1_000, &NOWHERE).unwrap();
        assert_eq!(text_of(&nothing), format!("done{line}"));
        assert_eq!(nothing.structured_content, Some(json!({ "files": files })));
        // Files delivered before the error are reported anyway. Errors have no data, because their schema would not match.
        let error = Error::new(ErrorKind::Plugin, "too late");
        let failed = answer(delivered(Err(error), None), 1_000, &NOWHERE).unwrap();
        assert_eq!(text_of(&failed), format!("plugin: too late{line}"));
        assert_eq!(failed.structured_content, None);
    }

    #[test]
    fn files_are_told_though_the_rest_is_too_long() {
        let list = Type::List(Arc::new(Type::U8));
        let long = Ok(parse(&format!("[{}1]", "1,".repeat(400))));
        let result = answer(delivered(long, Some(list)), 200, &NOWHERE).unwrap();
        assert!(text_of(&result).contains(&uri::artifact("月报.xlsx")), "{}", text_of(&result));
    }

    #[test]
    fn long_texts_are_cut_and_data_is_not() {
        let result =
            answer(report(Ok("x".repeat(40).into()), Some(Type::String)), 32, &NOWHERE).unwrap();
        assert!(text_of(&result).starts_with(&format!("{}{}", "x".repeat(32), text::TRUNCATED)));
        assert_eq!(result.structured_content.unwrap()["result"].as_str().unwrap().len(), 40);
    }

    #[test]
    fn errors_tell_all_problems_and_the_way_out() {
        let error = Error::new(ErrorKind::Arguments, "2 problems")
            .detail("/a: expected u32")
            .detail("/b: missing")
            .hint("see the schema");
        let result = answer(report(Err(error), None), 32_000, &NOWHERE).unwrap();
        assert_eq!(result.is_error, Some(true));
        assert_eq!(
            text_of(&result),
            "arguments: 2 problems\n/a: expected u32\n/b: missing\nhint: see the schema"
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
        let error = answer(report(Err(error), None), 100, &NOWHERE).unwrap_err();
        assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
        assert_eq!(error.message, "Unknown tool: x; did you mean `y`?");
    }
}
