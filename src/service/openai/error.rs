//! Problems in OpenAI's form, from which the clients make their exceptions.

use hyper::header::{HeaderName, HeaderValue};
use schemars::JsonSchema;
use serde::Serialize;

use crate::http::{HttpResponse, ProblemForm, json, schema_of};
use crate::problem::{BodyProblem, Problem};

/// Code of an answer that never had the demanded form, as Groq's service has it, which several clients know.
pub(super) const JSON_VALIDATE_FAILED: &str = "json_validate_failed";
/// Code of a fault of the service itself.
const INTERNAL: &str = "internal";
/// Header by which OpenAI's clients decide whether they send a request again.
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// Paths whose problems have this form.
const PATHS: [&str; 5] =
    ["/v1/responses", "/v1/chat/completions", "/v1/models", "/v1/files", "/v1/containers"];

/// The body of a response that reports a problem.
#[derive(Debug, JsonSchema, PartialEq, Serialize)]
#[schemars(rename = "OpenAiError")]
pub(super) struct ErrorBody {
    /// The problem.
    error: ErrorDetail,
}

/// A problem.
#[derive(Debug, JsonSchema, PartialEq, Serialize)]
#[schemars(rename = "OpenAiErrorDetail")]
struct ErrorDetail {
    /// What is wrong, and the way out. Names all problems of a body.
    message: String,
    /// Class of the problem, such as `invalid_request_error`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Path of the first wrong value, such as `tools[0].type`.
    param: Option<String>,
    /// Stable code for programs.
    code: Option<String>,
    /// What the model said, with the code `json_validate_failed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed_generation: Option<String>,
}

/// Returns how problems of a path of this interface are written; `None` for paths of others.
pub(crate) fn problem_form(path: &str) -> Option<ProblemForm> {
    let is_ours = PATHS.iter().any(|it| {
        path.strip_prefix(it).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    is_ours.then_some(ProblemForm {
        render,
        media_type: "application/json",
        schema: schema_of::<ErrorBody>,
    })
}

fn render(problem: &Problem) -> HttpResponse {
    let mut answer = json(status(problem), &body(problem));
    crate::http::with_retry(&mut answer, problem);
    if problem.status == 500 && problem.code != INTERNAL {
        // The run has failed after tries of its own. The clients would do all of its work again, twice.
        answer.headers_mut().insert(SHOULD_RETRY, HeaderValue::from_static("false"));
    }
    answer
}

/// Returns the status, of those for which the clients have exceptions.
fn status(problem: &Problem) -> u16 {
    match problem.status {
        // Its clients know 400 for every wrong request, and 429 for a used-up budget.
        422 => 400,
        402 => 429,
        status => status,
    }
}

pub(super) fn body(problem: &Problem) -> ErrorBody {
    let mut message = match problem.errors.as_slice() {
        [] | [_] => problem.detail.clone(),
        several => {
            let all: Vec<String> = several
                .iter()
                .map(|it| match path(&it.pointer) {
                    Some(path) => format!("{path}: {}", it.detail),
                    None => it.detail.clone(),
                })
                .collect();
            format!("{}: {}", problem.detail, all.join("; "))
        }
    };
    if let Some(hint) = &problem.hint {
        message = format!("{message}; {hint}");
    }
    let (kind, code) = match problem.status {
        402 => ("insufficient_quota", "insufficient_quota"),
        429 if is_used_up(problem) => ("insufficient_quota", "insufficient_quota"),
        401 => ("authentication_error", "invalid_api_key"),
        403 => ("permission_error", problem.code.as_str()),
        429 => ("rate_limit_error", "rate_limit_exceeded"),
        500.. => ("server_error", problem.code.as_str()),
        _ => ("invalid_request_error", problem.code.as_str()),
    };
    let param = problem.errors.first().and_then(|it| path(&it.pointer));
    let (code, failed_generation) = (Some(code.to_owned()), problem.answer.clone());
    ErrorBody { error: ErrorDetail { message, kind, param, code, failed_generation } }
}

/// Returns `true` if waiting for some seconds does not help.
fn is_used_up(problem: &Problem) -> bool {
    match problem.code.as_str() {
        "budget_exhausted" => true,
        // Another run may end soon.
        "quota_exceeded" => problem.retry_after.is_none(),
        _ => false,
    }
}

/// Returns a JSON Pointer as a path: `tools[0].type` for `/tools/0/type`.
fn path(pointer: &str) -> Option<String> {
    let mut path = String::new();
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        if !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit()) {
            path = format!("{path}[{part}]");
        } else if path.is_empty() {
            path = part;
        } else {
            path = format!("{path}.{part}");
        }
    }
    (!path.is_empty()).then_some(path)
}

/// Problems of a body, collected so that the client sees all of them at once.
#[derive(Debug, Default)]
pub(super) struct Problems {
    errors: Vec<BodyProblem>,
}

/// Most problems of one body that are reported.
const MOST_PROBLEMS: usize = 20;

impl Problems {
    /// Adds a problem of the value at a JSON Pointer.
    pub(super) fn add(&mut self, pointer: impl Into<String>, detail: impl Into<String>) {
        if self.errors.len() < MOST_PROBLEMS {
            self.errors.push(BodyProblem { pointer: pointer.into(), detail: detail.into() });
        }
    }

    /// Returns the problem of the whole body, if there is one.
    pub(super) fn result(self) -> Result<(), Problem> {
        let detail = match self.errors.as_slice() {
            [] => return Ok(()),
            [one] => match path(&one.pointer) {
                Some(path) => format!("{path}: {}", one.detail),
                None => one.detail.clone(),
            },
            several => format!("the body has {} problems", several.len()),
        };
        let mut problem = Problem::bad("unsupported_value", detail);
        problem.errors = self.errors;
        Err(problem)
    }
}

/// Returns the problem of one value.
pub(super) fn at(pointer: &str, code: &str, detail: impl Into<String>) -> Problem {
    let detail = detail.into();
    let errors = vec![BodyProblem { pointer: pointer.to_owned(), detail: detail.clone() }];
    let mut problem = Problem::bad(code, detail);
    problem.errors = errors;
    problem
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_has_its_class() {
        for (problem, expected, kind, code) in [
            (
                Problem::new(401, "unauthorized", "x"),
                401,
                "authentication_error",
                "invalid_api_key",
            ),
            (Problem::new(402, "budget", "x"), 429, "insufficient_quota", "insufficient_quota"),
            (
                Problem::new(429, "budget_exhausted", "x"),
                429,
                "insufficient_quota",
                "insufficient_quota",
            ),
            (
                Problem::new(429, "quota_exceeded", "x"),
                429,
                "insufficient_quota",
                "insufficient_quota",
            ),
            (
                Problem::new(429, "quota_exceeded", "x").retry_after(5),
                429,
                "rate_limit_error",
                "rate_limit_exceeded",
            ),
            (Problem::new(403, "forbidden", "x"), 403, "permission_error", "forbidden"),
            (Problem::not_found("file", "a"), 404, "invalid_request_error", "not_found"),
            (Problem::new(422, "invalid_body", "x"), 400, "invalid_request_error", "invalid_body"),
            (Problem::new(429, "busy", "x"), 429, "rate_limit_error", "rate_limit_exceeded"),
            (Problem::new(503, "busy", "x"), 503, "server_error", "busy"),
        ] {
            let body = body(&problem);
            assert_eq!(status(&problem), expected);
            assert_eq!((body.error.kind, body.error.code.as_deref()), (kind, Some(code)));
        }
    }

    #[test]
    fn a_refusal_says_when_to_try_again() {
        let answer = render(&Problem::new(429, "busy", "too many").retry_after(7));
        assert_eq!(answer.status(), 429);
        assert_eq!(answer.headers()["retry-after"], "7");
    }

    #[test]
    fn the_first_place_is_named_and_all_problems_are() {
        let mut problems = Problems::default();
        problems.add("/tools/0/type", "is wrong");
        problems.add("/text/format", "is wrong too");
        let body = body(&problems.result().unwrap_err());
        assert_eq!(body.error.param.as_deref(), Some("tools[0].type"));
        assert_eq!(
            body.error.message,
            "the body has 2 problems: tools[0].type: is wrong; text.format: is wrong too"
        );
        Problems::default().result().unwrap();
    }

    #[test]
    fn paths_of_others_are_left_alone() {
        for (path, is_ours) in [
            ("/v1/responses", true),
            ("/v1/responses/resp_a_1/cancel", true),
            ("/v1/files/x/content", true),
            ("/v1/containers", true),
            ("/v1/chat/completions", true),
            ("/v1/models/a/b", true),
            ("/v1/runs", false),
            ("/v1/filesystem", false),
        ] {
            assert_eq!(problem_form(path).is_some(), is_ours, "{path}");
        }
    }
}
