//! Problems in the form that LibreChat's client reads: `code` decides if the model may try again.

use schemars::JsonSchema;
use serde::Serialize;

use super::paths::is_ours;
use crate::http::{HttpResponse, ProblemForm, json, schema_of, with_retry};
use crate::problem::{BodyProblem, Problem};

/// The body of a response that reports a problem.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "LibreChatError")]
pub(super) struct ErrorBody {
    /// What is wrong; `rate_limited` if the client sends too many requests.
    error: String,
    /// Stable code for programs, by which the client decides whether the model may try again.
    code: String,
    /// What is wrong.
    message: String,
    /// The way out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// All problems of the body, if it is wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    errors: Vec<BodyProblem>,
    /// Seconds after which the client may try again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retry_after_seconds: Option<u64>,
}

/// Returns how problems of a path of this interface are written; `None` for paths of others.
pub(crate) fn problem_form(path: &str) -> Option<ProblemForm> {
    is_ours(path).then_some(ProblemForm {
        render,
        media_type: "application/json",
        schema: schema_of::<ErrorBody>,
    })
}

fn render(problem: &Problem) -> HttpResponse {
    // The client reads `code`, then `error`; for 429 it expects this word.
    let error = if problem.status == 429 { "rate_limited" } else { problem.detail.as_str() };
    let body = ErrorBody {
        error: error.to_owned(),
        code: problem.code.clone(),
        message: problem.detail.clone(),
        hint: problem.hint.clone(),
        errors: problem.errors.clone(),
        retry_after_seconds: problem.retry_after,
    };
    let mut answer = json(problem.status, &body);
    with_retry(&mut answer, problem);
    answer
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;
    use serde_json::{Value, json};

    use super::*;

    async fn rendered(problem: Problem) -> (u16, Value) {
        let answer = (problem_form("/librechat/exec").unwrap().render)(&problem);
        let status = answer.status().as_u16();
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice(&body).unwrap())
    }

    #[tokio::test]
    async fn the_code_says_whether_the_model_may_try_again() {
        let (status, body) = rendered(crate::code::unsupported("bash", "`py`")).await;
        assert_eq!((status, &body["code"]), (400, &json!("unsupported_capability")));
        assert!(body["hint"].as_str().unwrap().contains("no shell"));
        let limited = Problem::new(429, "too_many_requests", "slow down").retry_after(7);
        let (status, body) = rendered(limited).await;
        assert_eq!(
            (status, &body["error"], &body["retry_after_seconds"]),
            (429, &json!("rate_limited"), &json!(7))
        );
    }

    #[test]
    fn other_paths_keep_their_form() {
        assert!(problem_form("/v1/runs").is_none());
        assert!(problem_form("/files/abc").is_none(), "links of MCP");
        assert!(problem_form("/exec/programmatic").is_some());
    }
}
