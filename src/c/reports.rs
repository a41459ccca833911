//! Reports as JSON: of calls, files, documents, tools and runs.

use std::time::Duration;

use mitt::skill::Tool;
use mitt::{ApprovalRequest, Artifact, CallId, CallReport, Document, Session, Usage};
use mitt_agent::RunReport;
use serde_json::{Value, json};

use crate::problem;

/// Returns whole milliseconds.
pub(crate) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Returns what a call used.
pub(crate) fn usage(usage: &Usage) -> Value {
    json!({
        "fuel": usage.fuel, "peak_memory_bytes": usage.peak_memory_bytes,
        "duration_us": u64::try_from(usage.duration.as_micros()).unwrap_or(u64::MAX),
    })
}

/// Returns a delivered file.
pub(crate) fn artifact(artifact: &Artifact) -> Value {
    let contents = &artifact.contents;
    let sheets = contents.sheets.iter();
    let sheets: Vec<Value> =
        sheets.map(|sheet| json!({ "name": sheet.name, "rows": sheet.rows })).collect();
    json!({
        "name": artifact.name, "media_type": artifact.media_type, "size": artifact.size,
        "sha256": artifact.sha256, "pages": contents.pages, "sheets": sheets,
        "warnings": contents.warning_lines().collect::<Vec<_>>(),
    })
}

/// Returns a document without its text.
pub(crate) fn document_summary(document: &Document) -> Value {
    let tables = document.tables.iter().map(|table| {
        json!({
            "name": table.name, "place": table.place, "rows": table.data.rows(),
            "columns": table.data.names().collect::<Vec<_>>(),
        })
    });
    json!({
        "name": document.name, "media_type": document.media_type, "title": document.title,
        "size": document.size, "sha256": document.sha256, "characters": document.characters,
        "tables": tables.collect::<Vec<_>>(), "warnings": document.warnings,
    })
}

/// Returns a call as JSON text. The result keeps the digits of its numbers.
pub(crate) fn call_text(report: &CallReport) -> String {
    let Value::Object(mut json) = call_parts(report) else { return String::new() };
    let result = report.result.as_ref().map_or_else(|_| "null".to_owned(), ToString::to_string);
    json.remove("result");
    let rest = Value::Object(json).to_string();
    // The result is written as it is: numbers of `serde_json` would lose digits.
    format!("{{\"result\":{result},{}", rest.strip_prefix('{').unwrap_or("}"))
}

fn call_parts(report: &CallReport) -> Value {
    let artifacts: Vec<Value> = report.artifacts.iter().map(artifact).collect();
    json!({
        "ok": report.failed().is_none(), "error": report.failed().map(problem::json_of),
        "call": report.call.number, "tool": report.tool, "name": report.name,
        "attempts": report.attempts.len(), "usage": usage(&report.usage), "printed": report.printed,
        "artifacts": artifacts, "approval": report.approval.as_ref().map(request_json),
    })
}

/// Returns a tool with the schemas of its arguments and its result.
pub(crate) fn tool(tool: &Tool) -> Value {
    let policy = tool.policy();
    json!({
        "name": tool.name.as_str(), "skill": tool.owner(), "title": policy.title,
        "description": tool.function.docs,
        "parameters": mitt::schema::arguments(&tool.function),
        "result": mitt::schema::result(&tool.function),
        "read_only": policy.read_only, "idempotent": policy.idempotent,
        "destructive": policy.destructive,
    })
}

/// Returns what a session holds.
pub(crate) fn session(session: &Session) -> Value {
    let memory = session.memory();
    let documents: Vec<Value> =
        session.documents().iter().map(|document| document_summary(document)).collect();
    let artifacts: Vec<Value> = session.artifacts().iter().map(artifact).collect();
    let pending: Vec<Value> = session.pending().iter().map(request_json).collect();
    json!({
        "tenant": session.tenant(), "documents": documents, "tables": session.table_names(),
        "artifacts": artifacts, "pending": pending, "handles": session.handles(),
        "memory": { "bytes": memory.used, "peak_bytes": memory.peak },
    })
}

/// Returns the result of an instruction as JSON text.
pub(crate) fn run_text(report: &RunReport) -> String {
    let calls: Vec<String> = report.calls.iter().map(call_text).collect();
    let rest = json!({
        "text": report.text, "turns": report.turns, "delivered": report.delivered,
        "missing": report.missing,
        "usage": {
            "input": report.usage.input, "cached": report.usage.cached, "output": report.usage.output,
            "reasoning": report.usage.reasoning,
        },
    });
    let rest = rest.to_string();
    // Calls and value are written as they are: numbers of `serde_json` would lose digits.
    let output = report.output.as_ref().map_or_else(|| "null".to_owned(), ToString::to_string);
    let rest = rest.strip_prefix('{').unwrap_or("}");
    format!("{{\"calls\":[{}],\"output\":{output},{rest}", calls.join(","))
}

/// Returns a request for an approval as JSON.
pub(crate) fn request_json(request: &ApprovalRequest) -> Value {
    // The arguments are JSON, which a caller reads as such.
    let arguments: Value = serde_json::from_str(&request.arguments)
        .unwrap_or_else(|_| request.arguments.as_str().into());
    let json = json!({
        "id": request.id, "tool": request.tool, "title": request.title, "version": request.version,
        "arguments": arguments, "arguments_sha256": request.arguments_sha256, "depth": request.depth,
    });
    with_call(json, Some(&request.call))
}

/// Adds the number of a call, and that of the call around it.
pub(crate) fn with_call(mut json: Value, call: Option<&CallId>) -> Value {
    if let Some(call) = call {
        json["call"] = call.number.into();
        if let Some(parent) = call.parent {
            json["parent"] = parent.into();
        }
    }
    json
}

#[cfg(test)]
mod tests {
    use super::*;
    use mitt::{Host, SessionOptions};

    #[test]
    fn a_report_keeps_the_digits_of_its_result() {
        struct Digits;
        #[async_trait::async_trait]
        impl mitt::skill::HostTool for Digits {
            fn function(&self) -> mitt::skill::HostFunction {
                let function = mitt::skill::HostFunction::new("my", "digits", "").unwrap();
                function.result(mitt::value::Type::Json)
            }

            async fn run(
                &self,
                _: &dyn mitt::skill::HostCall,
                _: mitt::value::Json,
            ) -> mitt::Result<mitt::value::Json> {
                mitt::value::Json::parse("1.10000000000000000000000001", 100, 1)
            }
        }
        let host = Host::builder().no_cache().bundled_skills(false).tool(Digits).build().unwrap();
        let session = host.session(SessionOptions::default()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let called = |tool| runtime.block_on(session.call(tool, "{}"));
        let text = call_text(&called("my__digits"));
        assert!(text.starts_with(r#"{"result":1.10000000000000000000000001,"ok":true,"#), "{text}");
        serde_json::from_str::<Value>(&text).unwrap();
        let failed = call_text(&called("my__digit"));
        let failed: Value = serde_json::from_str(&failed).unwrap();
        assert_eq!((&failed["ok"], &failed["result"]), (&false.into(), &Value::Null));
        assert_eq!(failed["error"]["kind"], "unknown-tool");
    }
}
