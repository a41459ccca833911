//! Errors of the service in the form of RFC 9457, "Problem Details for HTTP APIs". Interfaces of other programs translate them
//! into their own form.

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

use schemars::{JsonSchema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::store::StoreError;
use mitt_base::{Error, ErrorKind, Resource};

/// Why a request was refused or failed. In a box, so that results stay small.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Problem(Box<ProblemDetails>);

/// Why a request was refused or failed: the body of the response, with media type `application/problem+json`.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[schemars(rename = "Problem")]
pub struct ProblemDetails {
    /// Identifies the kind of problem: `about:blank#<code>`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Title of the kind.
    pub title: String,
    /// Status of the response.
    pub status: u16,
    /// Stable code for programs, such as `not_found`.
    pub code: String,
    /// What is wrong with this request.
    pub detail: String,
    /// The way out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// All problems of the body, if it is wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<BodyProblem>,
    /// Seconds after which the client may try again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// What the model said, if it never gave an answer in the demanded form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}

/// One problem of a request's body.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
pub struct BodyProblem {
    /// JSON Pointer to the value.
    pub pointer: String,
    /// What is wrong with it.
    pub detail: String,
}

// The schema itself, as a reference to the details would refer to its own name.
impl JsonSchema for Problem {
    fn schema_name() -> Cow<'static, str> {
        ProblemDetails::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        ProblemDetails::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> schemars::Schema {
        ProblemDetails::json_schema(generator)
    }
}

impl Deref for Problem {
    type Target = ProblemDetails;

    fn deref(&self) -> &ProblemDetails {
        &self.0
    }
}

impl DerefMut for Problem {
    fn deref_mut(&mut self) -> &mut ProblemDetails {
        &mut self.0
    }
}

impl Problem {
    /// Returns a problem with this status, code and detail.
    pub fn new(status: u16, code: &str, detail: impl Into<String>) -> Problem {
        Problem(Box::new(ProblemDetails {
            kind: format!("about:blank#{code}"),
            title: title(status).to_owned(),
            status,
            code: code.to_owned(),
            detail: detail.into(),
            hint: None,
            errors: Vec::new(),
            retry_after: None,
            answer: None,
        }))
    }

    /// Adds the way out.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Problem {
        self.hint = Some(hint.into());
        self
    }

    /// Adds seconds after which the client may try again.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Problem {
        self.retry_after = Some(seconds);
        self
    }

    /// The tenant has no such thing: 404 `not_found`.
    pub fn not_found(what: &str, id: &str) -> Problem {
        let id = mitt_base::text::one_line(mitt_base::text::cut_bytes(id, 100));
        Problem::new(404, "not_found", format!("there is no {what} `{id}`"))
    }

    /// The request is wrong: 400 with this code.
    pub fn bad(code: &str, detail: impl Into<String>) -> Problem {
        Problem::new(400, code, detail)
    }

    /// The state does not allow the request: 409 with this code.
    pub fn conflict(code: &str, detail: impl Into<String>) -> Problem {
        Problem::new(409, code, detail)
    }

    /// What the service stores its data in fails for a while: 503 `unavailable`. The error goes to the log, not to the client.
    fn unavailable(error: &Error) -> Problem {
        tracing::error!(error = %error.render(), "a request failed");
        Problem::new(503, "unavailable", "the service cannot read or store its data at present")
            .hint("try again later; the operator finds the reason in the log")
            .retry_after(5)
    }

    /// Our own fault: 500 `internal`. The error goes to the log, not to the client.
    pub fn internal(error: &Error) -> Problem {
        tracing::error!(error = %error.render(), "a request failed");
        Problem::new(500, "internal", "the service failed")
            .hint("try again; the operator finds the reason in the log")
    }
}

fn title(status: u16) -> &'static str {
    match status {
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        408 => "Request Timeout",
        409 => "Conflict",
        410 => "Gone",
        412 => "Precondition Failed",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        416 => "Range Not Satisfiable",
        422 => "Unprocessable Content",
        429 => "Too Many Requests",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Internal Server Error",
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        let limit = error.limit_reached().map(|it| it.what);
        let (status, code) = match error.kind() {
            ErrorKind::Limit(_) if limit == Some(Resource::Document) => (413, "too_large"),
            ErrorKind::Limit(_) => (422, "limit"),
            ErrorKind::Busy { .. } => (503, "busy"),
            ErrorKind::Denied => (403, "denied"),
            ErrorKind::Host if error.is_retryable() => return Problem::unavailable(&error),
            ErrorKind::Host => return Problem::internal(&error),
            kind => (422, kind.name()),
        };
        let mut problem = Problem::new(status, code, error.to_string());
        problem.hint = error.hints().first().map(|hint| hint.to_string());
        if let ErrorKind::Busy { retry_after } = error.kind() {
            problem.retry_after = Some(seconds(*retry_after));
        }
        problem
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Problem {
        match error {
            StoreError::Missing => Problem::new(404, "not_found", "it does not exist"),
            StoreError::Conflict(_) => {
                Problem::conflict("conflict", "it was changed at the same time")
                    .hint("read it again, and repeat the request")
            }
            StoreError::KeyReused => Problem::new(
                422,
                "idempotency_key_reused",
                "this `Idempotency-Key` was used with another request",
            )
            .hint("choose a new key for a new request"),
            StoreError::Failed(error) => error.into(),
        }
    }
}

fn seconds(duration: Duration) -> u64 {
    duration.as_secs().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_fails_for_a_while_makes_the_service_unavailable() {
        let error = Error::new(ErrorKind::Host, "the database at db.example failed");
        let own: Problem = error.clone().into();
        assert_eq!((own.status, own.code.as_str(), own.retry_after), (500, "internal", None));
        let problem: Problem = error.retryable(true).into();
        assert_eq!((problem.status, problem.retry_after), (503, Some(5)));
        let text = serde_json::to_string(&problem).unwrap();
        assert!(!text.contains("db.example"), "{text}");
    }

    #[test]
    fn the_schema_is_whole() {
        let schema = schemars::schema_for!(Problem).to_value();
        assert_eq!(schema["title"], "Problem");
        assert!(schema["properties"]["detail"].is_object(), "{schema}");
        assert!(schema.get("$ref").is_none(), "{schema}");
    }
}
