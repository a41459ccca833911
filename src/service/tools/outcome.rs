//! The result of a call as a response: its members with all digits, the delivered files, and errors as problems.

use http_body_util::BodyExt as _;

use super::schemas;
use crate::http::{HttpResponse, bytes};
use crate::problem::{BodyProblem, Problem};
use mitt::internal::TenantCharge;
use mitt::value::{Function, Json};
use mitt::{ApprovalRequest, CallReport};
use mitt_base::{Error, ErrorKind, Resource};

/// Header with which a client approves calls that may destroy something.
pub(super) const APPROVE: &str = "x-mitt-approve";

/// A delivered file, as a response lists it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct DeliveredFile {
    /// Name.
    pub(super) name: String,
    /// Media type.
    pub(super) media_type: String,
    /// Size in bytes.
    pub(super) size: u64,
    /// Signed link to download it without a token.
    pub(super) url: String,
    /// Identifier for arguments of later calls; `None` for a file of a sandbox, which later calls name by its name.
    pub(super) id: Option<String>,
    /// Warnings about it, one line each.
    pub(super) warnings: Vec<String>,
}

impl DeliveredFile {
    fn json(self) -> Json {
        let mut members = vec![
            ("name", Json::from(self.name)),
            ("media_type", self.media_type.into()),
            ("size", self.size.into()),
            ("url", self.url.into()),
        ];
        members.extend(self.id.map(|id| ("file", id.into())));
        if !self.warnings.is_empty() {
            let warnings: Vec<Json> = self.warnings.into_iter().map(Json::from).collect();
            members.push(("warnings", warnings.into()));
        }
        Json::object(members)
    }
}

/// Returns the body of a response. A number keeps all of its digits.
pub(super) fn body(function: Option<&Function>, value: Json, files: Vec<DeliveredFile>) -> String {
    let is_wrapped = function.is_some_and(schemas::is_wrapped);
    let mut members = match value {
        value if is_wrapped => vec![(schemas::RESULT.to_owned(), value)],
        Json::Object(members) => members,
        // A tool without a result.
        _ => Vec::new(),
    };
    if !files.is_empty() {
        let member = function.map_or("files", schemas::files_member);
        let files: Vec<Json> = files.into_iter().map(DeliveredFile::json).collect();
        members.push((member.to_owned(), files.into()));
    }
    Json::Object(members).to_string()
}

/// Returns a response whose memory stays charged until the client has read it.
pub(super) fn response(body: String, charge: TenantCharge) -> HttpResponse {
    bytes(200, "application/json", body).map(|body| {
        body.map_frame(move |frame| {
            let _held = &charge;
            frame
        })
        .boxed()
    })
}

/// Returns the problem of a call that did not succeed; `None` if it did. An exception of a script is part of its result.
pub(super) fn problem(report: &CallReport) -> Option<Problem> {
    if let Some(request) = &report.approval {
        return Some(unapproved(request));
    }
    report.result.as_ref().err().map(of_error)
}

/// Returns the problem of a call that needs an approval: it shows what the call would do.
fn unapproved(request: &ApprovalRequest) -> Problem {
    let title = request.title.as_deref().map_or_else(String::new, |title| format!(" ({title})"));
    let detail = format!(
        "`{}`{title} may replace or remove data, and was not called; `errors` lists the arguments that it would get",
        request.tool
    );
    let mut problem = Problem::new(409, "approval_required", detail);
    match request.preview() {
        Ok(lines) => {
            problem.errors = lines.iter().map(|line| body_problem(line)).collect();
            problem.hint("if this is what shall happen, repeat the request with the header `X-Mitt-Approve: true`")
        }
        Err(why) => {
            problem.detail.push_str("; ");
            problem.detail.push_str(&why);
            problem.hint("make a smaller call, whose arguments a person can check")
        }
    }
}

fn of_error(error: &Error) -> Problem {
    let mut problem = match (error.kind(), error.limit_reached().map(|it| it.what)) {
        (ErrorKind::UnknownTool, _) => Problem::new(404, "unknown_tool", error.message()),
        (ErrorKind::Arguments, _) => arguments(error),
        (ErrorKind::Limit(_), Some(Resource::Time | Resource::SessionTime)) => {
            Problem::new(504, "time_limit", error.message())
        }
        (ErrorKind::Limit(_), Some(Resource::TenantMemory)) => {
            Problem::new(503, "busy", error.message()).retry_after(MEMORY_RETRY)
        }
        (ErrorKind::Blocked, _) => Problem::new(403, "blocked", error.message()),
        _ => return Problem::from(error.clone()),
    };
    problem.hint = (!error.hints().is_empty()).then(|| error.hints().join("; "));
    problem
}

/// Seconds after which other calls of the tenant may have given back their memory.
const MEMORY_RETRY: u64 = 2;

/// Returns the problem of arguments that do not fit, with all places.
fn arguments(error: &Error) -> Problem {
    let mut problem = Problem::new(422, "arguments", error.message());
    problem.errors = match error.details() {
        [] => vec![body_problem(error.message())],
        details => details.iter().map(|line| body_problem(line)).collect(),
    };
    problem
}

/// Splits `/rows/0: expected u32` into its pointer and its text.
fn body_problem(line: &str) -> BodyProblem {
    match line.split_once(": ") {
        Some((pointer, detail)) if pointer.starts_with('/') => {
            BodyProblem { pointer: pointer.to_owned(), detail: detail.to_owned() }
        }
        _ => BodyProblem { pointer: String::new(), detail: line.to_owned() },
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use mitt::CallId;
    use mitt::value::{Field, RecordType, Type};

    fn function(result: Option<Type>) -> Function {
        Function { result, ..Function::default() }
    }

    fn json(text: &str) -> Json {
        Json::parse(text, 10_000, 10).unwrap()
    }

    fn file() -> DeliveredFile {
        DeliveredFile {
            name: "月报.pdf".into(),
            media_type: "application/pdf".into(),
            size: 7,
            url: "http://localhost/v1/links/a".into(),
            ..DeliveredFile::default()
        }
    }

    #[test]
    fn digits_are_kept() {
        let text = r#"{"a":0.1234567890123456789012,"b":18446744073709551615,"c":1.0}"#;
        assert_eq!(body(None, json(text), Vec::new()), text);
        let decimal = function(Some(Type::Decimal));
        let value = json("0.1234567890123456789012");
        let expected = r#"{"result":0.1234567890123456789012}"#;
        assert_eq!(body(Some(&decimal), value, Vec::new()), expected);
    }

    #[test]
    fn files_stand_beside_the_result() {
        let listed = r#"{"name":"月报.pdf","media_type":"application/pdf","size":7,"url":"http://localhost/v1/links/a"}"#;
        let with_id = DeliveredFile {
            id: Some("file-1".into()),
            warnings: vec!["a font is missing".into()],
            ..file()
        };
        let listed_with_id =
            listed.replace('}', r#","file":"file-1","warnings":["a font is missing"]}"#);
        let string = function(Some(Type::String));
        assert_eq!(
            body(Some(&string), "done".into(), vec![file(), with_id]),
            format!(r#"{{"result":"done","files":[{listed},{listed_with_id}]}}"#)
        );
        let nothing = function(None);
        assert_eq!(body(Some(&nothing), Json::Null, Vec::new()), "{}");
        assert_eq!(
            body(Some(&nothing), Json::Null, vec![file()]),
            format!(r#"{{"files":[{listed}]}}"#)
        );
        let fields = vec![Field::new("files", Type::U64, None)];
        let record = RecordType { name: "r".into(), docs: None, fields };
        let record = function(Some(Type::Record(Arc::new(record))));
        assert_eq!(
            body(Some(&record), json(r#"{"files":2}"#), vec![file()]),
            format!(r#"{{"files":2,"mitt_files":[{listed}]}}"#)
        );
    }

    #[test]
    fn problems_of_arguments_have_their_places() {
        let error = Error::new(ErrorKind::Arguments, "2 problems with the arguments")
            .detail("/rows/0: expected u32, got string \"a: b\"")
            .detail("unknown argument `x`")
            .hint("see the schema");
        let problem = of_error(&error);
        assert_eq!((problem.status, problem.code.as_str()), (422, "arguments"));
        assert_eq!(problem.detail, "2 problems with the arguments");
        let place = |pointer: &str, detail: &str| BodyProblem {
            pointer: pointer.into(),
            detail: detail.into(),
        };
        assert_eq!(
            problem.errors,
            [
                place("/rows/0", "expected u32, got string \"a: b\""),
                place("", "unknown argument `x`")
            ]
        );
        assert_eq!(problem.hint.as_deref(), Some("see the schema"));
        let one = of_error(&Error::new(ErrorKind::Arguments, "/x: expected u32, got null"));
        assert_eq!(one.errors, [place("/x", "expected u32, got null")]);
    }

    #[test]
    fn each_error_has_its_status() {
        let busy = ErrorKind::Busy { retry_after: Duration::from_millis(1_500) };
        for (error, status, code, retry_after) in [
            (Error::new(ErrorKind::UnknownTool, "no"), 404, "unknown_tool", None),
            (Error::new(ErrorKind::Denied, "no"), 403, "denied", None),
            (Error::new(ErrorKind::Blocked, "no"), 403, "blocked", None),
            (Error::new(busy, "busy"), 503, "busy", Some(1)),
            (Error::limit(Resource::Time, 1, 2), 504, "time_limit", None),
            (Error::limit(Resource::SessionTime, 1, 2), 504, "time_limit", None),
            (Error::limit(Resource::TenantMemory, 1, 2), 503, "busy", Some(2)),
            (Error::limit(Resource::Fuel, 1, 2), 422, "limit", None),
            (Error::limit(Resource::Document, 1, 2), 413, "too_large", None),
            (Error::new(ErrorKind::Plugin, "no"), 422, "plugin", None),
            (Error::new(ErrorKind::Input, "no"), 422, "input", None),
            (Error::new(ErrorKind::Host, "/secret/path"), 500, "internal", None),
        ] {
            let problem = of_error(&error);
            assert_eq!((problem.status, problem.code.as_str()), (status, code), "{error}");
            assert_eq!(problem.retry_after, retry_after, "{error}");
            assert!(!problem.detail.contains("secret"));
        }
    }

    #[test]
    fn an_exception_of_a_script_is_a_result() {
        let call = CallId { number: 1, parent: None };
        let mut report = CallReport::new(call, "python__run", "{}", Ok(Json::Null));
        report.script_error = Some(Error::tool("ZeroDivisionError"));
        assert_eq!(problem(&report), None);
        report.result = Err(Error::tool("gone"));
        assert_eq!(problem(&report).unwrap().code, "plugin");
    }
}
