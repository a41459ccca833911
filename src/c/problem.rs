//! An error on its way to the caller: a code, and JSON with message, place and hint.

use mitt::Error;
use mitt_agent::AnswerMismatch;
use serde_json::{Map, Value, json};

use crate::code::mitt_code;

/// An error of a function.
#[derive(Debug)]
pub struct Problem {
    /// The class of the error.
    pub code: mitt_code,
    /// The error of the library.
    pub error: Error,
}

impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        Problem { code: mitt_code::of(&error), error }
    }
}

impl Problem {
    /// Returns an error of this interface itself, about the parameter `place`.
    pub(crate) fn of_parameter(
        code: mitt_code,
        place: &str,
        message: impl Into<String>,
    ) -> Problem {
        Problem { code, error: Error::input(message).at(place) }
    }

    /// Adds advice.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Problem {
        self.error = self.error.hint(hint);
        self
    }

    /// Returns the JSON of the error: see `mitt.h`.
    pub fn json(&self) -> Value {
        error_json(self.code, &self.error)
    }
}

/// Returns the JSON of an error of the library.
pub(crate) fn json_of(error: &Error) -> Value {
    error_json(mitt_code::of(error), error)
}

fn error_json(code: mitt_code, error: &Error) -> Value {
    let mut json = Map::new();
    json.insert("code".to_owned(), (code as i32).into());
    json.insert("kind".to_owned(), code.name().to_string_lossy().into());
    json.insert("message".to_owned(), error.message().into());
    json.insert("place".to_owned(), place(error).into());
    json.insert("details".to_owned(), error.details().into());
    let hint = (!error.hints().is_empty()).then(|| error.hints().join("; "));
    json.insert("hint".to_owned(), hint.into());
    json.insert("text".to_owned(), error.render().into());
    json.insert("retryable".to_owned(), error.is_retryable().into());
    if let mitt::ErrorKind::Busy { retry_after } = error.kind() {
        let millis = u64::try_from(retry_after.as_millis()).unwrap_or(u64::MAX);
        json.insert("retry_after_ms".to_owned(), millis.into());
    }
    if let Some(limit) = error.limit_reached() {
        let limit = json!({ "name": limit.what.name(), "limit": limit.limit, "used": limit.used });
        json.insert("limit".to_owned(), limit);
    }
    if let Some(problem) = error.input_problem() {
        json.insert("problem".to_owned(), problem.into());
    }
    if let Some(mismatch) = AnswerMismatch::of(error) {
        json.insert("answer".to_owned(), mismatch.text().into());
    }
    json.into()
}

/// Returns where an error happened: the place that it names, or the JSON pointer with which its message or its first
/// detail begins.
fn place(error: &Error) -> Option<String> {
    let pointer = |text: &str| {
        let (pointer, _) = text.split_once(": ")?;
        pointer.starts_with('/').then(|| pointer.to_owned())
    };
    let named = error.place().map(str::to_owned);
    named
        .or_else(|| pointer(error.message()))
        .or_else(|| error.details().first().and_then(|detail| pointer(detail)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mitt::ErrorKind;
    use std::time::Duration;

    #[test]
    fn an_error_has_code_place_and_hint() {
        let error = Error::input("it is damaged").at("a.pdf").hint("send it again").hint("or not");
        let json = json_of(&error);
        assert_eq!(json["code"], 8);
        assert_eq!(json["kind"], "input");
        assert_eq!(json["place"], "a.pdf");
        assert_eq!(json["hint"], "send it again; or not");
        assert_eq!(json["retryable"], false);
        let busy = Error::new(ErrorKind::Busy { retry_after: Duration::from_millis(7) }, "later");
        assert_eq!(json_of(&busy)["retry_after_ms"], 7);
        let wrong = Error::new(ErrorKind::Arguments, "2 problems").detail("/keys/0: missing");
        assert_eq!(json_of(&wrong)["place"], "/keys/0");
        assert_eq!(json_of(&Error::input("a"))["place"], Value::Null);
    }
}
