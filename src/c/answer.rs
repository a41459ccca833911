//! What answers requests of Mitt: tools and models of the caller, in the language of the caller.

use async_trait::async_trait;
use mitt::{Error, ErrorKind, Resource, Result};
use serde_json::Value;

/// Most bytes of an answer.
pub(crate) const MAX_ANSWER_BYTES: usize = 16 << 20;

/// Most characters of the message of an error.
const MAX_MESSAGE: usize = 10_000;

/// Answers requests: a tool or a model of the caller.
#[async_trait]
pub trait Answer: Send + Sync {
    /// Returns the answer to a request. Both are JSON.
    ///
    /// # Errors
    ///
    /// The error of the caller, of the kind that it names, or of `kind`: see [`reported`].
    async fn answer(&self, request: String, kind: ErrorKind) -> Result<Vec<u8>>;
}

/// Returns the error that a tool or a model reported: a text, or `{"message", "hint", "kind", "retryable"}`. It is of the
/// kind `kind` unless it names one that callers may use. Its message is `otherwise` if it has none.
pub fn reported(kind: ErrorKind, answer: &[u8], otherwise: &str) -> Error {
    let text = String::from_utf8_lossy(answer);
    let json: Option<Value> = serde_json::from_str(&text).ok().filter(Value::is_object);
    let field = |name: &str| json.as_ref()?.get(name)?.as_str();
    let message = match (&json, field("message")) {
        (_, Some(message)) => message.to_owned(),
        (None, _) if !text.trim().is_empty() => text.into_owned(),
        _ => otherwise.to_owned(),
    };
    let kind = match field("kind") {
        Some("arguments") => ErrorKind::Arguments,
        Some("input") => ErrorKind::Input,
        Some("denied") => ErrorKind::Denied,
        Some("plugin") => ErrorKind::Plugin,
        _ => kind,
    };
    let message = mitt_base::text::shortened(&message, MAX_MESSAGE);
    let error = Error::new(kind, message);
    let error = match field("hint") {
        Some(hint) => error.hint(mitt_base::text::shortened(hint, MAX_MESSAGE)),
        None => error,
    };
    let is_retryable = json.as_ref().and_then(|it| it.get("retryable")).and_then(Value::as_bool);
    error.retryable(is_retryable.unwrap_or(false))
}

/// Returns an answer, if it is not too large.
///
/// # Errors
///
/// [`ErrorKind::Limit`] - it has more than 16 MiB.
pub fn bounded(answer: Vec<u8>) -> Result<Vec<u8>> {
    if answer.len() <= MAX_ANSWER_BYTES {
        return Ok(answer);
    }
    Err(Error::limit(Resource::Transfer, MAX_ANSWER_BYTES as u64, answer.len() as u64).at("answer"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_bounded() {
        assert_eq!(bounded(vec![0; MAX_ANSWER_BYTES]).unwrap().len(), MAX_ANSWER_BYTES);
        let error = bounded(vec![0; MAX_ANSWER_BYTES + 1]).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Limit(_)));
    }

    #[test]
    fn errors_of_callers_are_texts_or_objects() {
        let error = reported(ErrorKind::Plugin, b"no stock", "none");
        assert_eq!((error.kind(), error.message()), (&ErrorKind::Plugin, "no stock"));
        let json =
            br#"{"message": "no article", "kind": "input", "hint": "ask", "retryable": true}"#;
        let error = reported(ErrorKind::Plugin, json, "none");
        assert_eq!(
            (error.kind(), error.render().as_str()),
            (&ErrorKind::Input, "no article\nhint: ask")
        );
        assert!(error.is_retryable());
        let error = reported(ErrorKind::Model, b"", "it gave no message");
        assert_eq!(error.message(), "it gave no message");
        assert_eq!(reported(ErrorKind::Model, b"{}", "none").message(), "none");
        let long = reported(ErrorKind::Model, &[b'a'; 100_000], "none");
        assert!(long.message().len() < 11_000);
    }
}
