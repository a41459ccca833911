//! Why an invocation failed, as Lambda reports it.

use bytes::Bytes;
use serde_json::{Value, json};

use super::payload::MAX_PAYLOAD_BYTES;
use crate::output::error_json;
use mitt_base::Error;

/// Most bytes of an error that the caller gets, so that the platform accepts it.
const MAX_MESSAGE_BYTES: usize = 64 * 1024;

/// Why an invocation, or the start of the function, failed.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: Error,
    /// What the work answered before it failed, such as the output of a script; `None` if there is nothing.
    pub(super) answer: Option<Value>,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure { error, answer: None }
    }
}

impl Failure {
    /// Returns the class of the error, such as `Mitt.arguments`, for the policies of callers such as Step Functions.
    pub(super) fn error_type(&self) -> String {
        format!("Mitt.{}", self.error.kind().name())
    }

    /// Returns the error in the form of Lambda, with the details for programs beside it.
    pub(super) fn to_json(&self) -> Value {
        let message = self.error.render();
        let mut json = json!({
            "errorType": self.error_type(),
            "errorMessage": mitt_base::text::cut_bytes(&message, MAX_MESSAGE_BYTES),
            // Traces of a stack say nothing about a mistake of a caller.
            "stackTrace": [],
            "retryable": self.error.is_retryable(),
            "error": error_json(&self.error),
        });
        if let Some(answer) = &self.answer {
            json["answer"] = answer.clone();
        }
        json
    }

    /// Returns the error as Lambda takes it. Details that make it too long are left out.
    pub(super) fn to_bytes(&self) -> Bytes {
        let mut json = self.to_json();
        let mut bytes = json.to_string().into_bytes();
        for detail in ["answer", "error"] {
            if bytes.len() <= MAX_PAYLOAD_BYTES {
                break;
            }
            if let Some(members) = json.as_object_mut() {
                members.remove(detail);
            }
            bytes = json.to_string().into_bytes();
        }
        bytes.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mitt_base::ErrorKind;

    #[test]
    fn an_error_has_the_form_of_lambda_and_fits() {
        let error = Error::new(ErrorKind::Arguments, "call.tool: missing").hint("name it");
        let failure = Failure { error, answer: Some(json!("x".repeat(MAX_PAYLOAD_BYTES))) };
        assert_eq!(failure.error_type(), "Mitt.arguments");
        let json: Value = serde_json::from_slice(&failure.to_bytes()).unwrap();
        assert_eq!(json["errorMessage"], "call.tool: missing\nhint: name it");
        assert_eq!(json["error"]["kind"], "arguments");
        assert!(json.get("answer").is_none(), "it would not fit");
        let short = Failure { answer: Some(json!({ "stdout": "1" })), ..failure };
        assert_eq!(short.to_json()["answer"]["stdout"], "1");
    }
}
