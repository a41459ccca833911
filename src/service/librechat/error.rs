//! Problems in the form that LibreChat's client reads: `code` decides if the model may try again.

use std::sync::Arc;

use serde_json::json;

use super::endpoints::is_ours;
use crate::http::{HttpResponse, RenderProblem, json};
use crate::problem::Problem;
use hyper::header::RETRY_AFTER;

/// Returns how problems of a path of this interface are written; `None` for paths of others.
pub(crate) fn problem_renderer(path: &str) -> Option<RenderProblem> {
    is_ours(path).then(|| Arc::new(render) as RenderProblem)
}

fn render(problem: &Problem) -> HttpResponse {
    // The client reads `code`, then `error`; for 429 it expects this word.
    let error = if problem.status == 429 { "rate_limited" } else { problem.detail.as_str() };
    let mut body = json!({ "error": error, "code": problem.code, "message": problem.detail });
    if let Some(hint) = &problem.hint {
        body["hint"] = hint.as_str().into();
    }
    if !problem.errors.is_empty() {
        body["errors"] = json!(problem.errors);
    }
    if let Some(seconds) = problem.retry_after {
        body["retry_after_seconds"] = seconds.into();
    }
    let mut answer = json(problem.status, &body);
    if let Some(seconds) = problem.retry_after {
        answer.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    answer
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;
    use serde_json::Value;

    use super::*;

    async fn rendered(problem: Problem) -> (u16, Value) {
        let answer = problem_renderer("/librechat/exec").unwrap()(&problem);
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
        assert!(problem_renderer("/v1/runs").is_none());
        assert!(problem_renderer("/files/abc").is_none(), "links of MCP");
        assert!(problem_renderer("/exec/programmatic").is_some());
    }
}
