//! Errors for a service that does not answer, with advice, and whether to try again.
//!
//! Knows error texts of services. The client removes the key from them.

use std::time::Duration;

use reqwest::Response;
use reqwest::header::{CONTENT_TYPE, LOCATION};
use serde_json::Value;

use super::super::ChatModel as _;
use super::super::wire::{MAX_SHOWN_CHARS, message_text};
use super::body::{self, Bounds, shown};
use super::{HttpModel, MAX_ERROR_BYTES, retry, secret};
use mitt_base::{Error, Remedy, text};
use mitt_net::{UNKNOWN_ISSUER, causes};

/// A try that failed.
pub(super) struct Failure {
    pub(super) error: Error,
    pub(super) again: RetryDecision,
}

/// The decision on another attempt.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum RetryDecision {
    No,
    /// After a wait, for which the service may give the duration.
    Later(Option<Duration>),
    /// After a wait, as often as necessary: the server is loading the model.
    Loading,
    /// At once, without strict schemas.
    Loose,
    /// At once, with calls spelled out in the text.
    Spelled,
}

/// Features that are given up if the service refuses them.
#[derive(Clone, Copy)]
pub(super) struct Fallbacks {
    pub(super) loosen: bool,
    pub(super) spell: bool,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure { error, again: RetryDecision::No }
    }
}

/// Returns the media type of an answer in lower case; empty without one.
pub(super) fn content_type(response: &Response) -> String {
    let value = response.headers().get(CONTENT_TYPE);
    value.and_then(|value| value.to_str().ok()).unwrap_or_default().to_ascii_lowercase()
}

impl HttpModel {
    /// Returns the failure for a connection that was not made or broke before the answer.
    pub(super) fn unreachable(&self, error: &reqwest::Error) -> Failure {
        let spec = &self.options.spec;
        let causes = causes(error);
        if causes.contains(UNKNOWN_ISSUER) {
            let message = format!("the certificate of {} is of an unknown issuer", spec.base_url);
            return Error::model(message)
                .caused_by(causes)
                .hint("if you trust it, name a PEM file with the certificate of its issuer in the environment variable `SSL_CERT_FILE`")
                .into();
        }
        let message = if error.is_connect() && error.is_timeout() {
            format!("no connection to {} within {}", spec.base_url, shown(self.options.connect))
        } else if error.is_connect() {
            format!("no connection to {}", spec.base_url)
        } else {
            format!("{} did not answer", spec.base_url)
        };
        let hint = match (spec.is_local(), spec.preset.as_deref()) {
            _ if !error.is_connect() && spec.is_local() => {
                "the server took the request and closed the connection: look at its log".to_owned()
            }
            (true, Some("ollama")) => "start the server: `ollama serve`".to_owned(),
            (true, _) => "start the server, or check the port".to_owned(),
            (false, _) => "check the address and the network".to_owned(),
        };
        let error = Error::model(message).caused_by(causes).hint(hint).retryable(true);
        Failure { error, again: RetryDecision::Later(None) }
    }

    /// Returns the failure for an error status.
    pub(super) async fn refused(
        &self,
        response: &mut Response,
        bounds: &Bounds,
        after: Option<Duration>,
        can: Fallbacks,
    ) -> Failure {
        let status = response.status().as_u16();
        let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
        let location = location.map(|text| text::one_line(&text::shortened(text, 200)));
        let (said, is_cut) = self.said(response, bounds).await;
        let error = self.explained(status, &said, location);
        let error = if is_cut {
            error.detail(format!("only the first {MAX_ERROR_BYTES} bytes of the answer were read"))
        } else {
            error
        };
        // Checked first, because llama.cpp refuses tools with the status of a failure.
        if can.spell && is_about_tools(status, &said) {
            return Failure { error, again: RetryDecision::Spelled };
        }
        // llama.cpp listens before it has loaded the model: "Loading model".
        let is_loading = status == 503
            && self.options.spec.is_local()
            && said.to_lowercase().contains("loading");
        let again = if is_loading {
            RetryDecision::Loading
        } else if retry::is_retryable(status) {
            RetryDecision::Later(after)
        } else if status == 400 && can.loosen && is_about_schemas(&said) {
            RetryDecision::Loose
        } else {
            RetryDecision::No
        };
        Failure { error: error.retryable(retry::is_retryable(status)), again }
    }

    fn explained(&self, status: u16, said: &str, location: Option<String>) -> Error {
        let spec = &self.options.spec;
        let with = |what: &str| {
            let end = if said.is_empty() { String::new() } else { format!(": {said}") };
            Error::model(format!("{what} ({status}){end}"))
        };
        match status {
            300..=399 => {
                let to = location.unwrap_or_else(|| "another address".to_owned());
                with(&format!("the service redirects to {to}"))
                    .hint("redirects are not followed, as they would take the key along; name the right address")
            }
            401 | 403 => {
                let error = with("the service refused the key");
                match (&self.key_from, &self.options.key) {
                    (Some(from), _) => error.hint(format!("the key is from {from}")),
                    (None, Some(_)) => error.hint("the key was given by the program"),
                    (None, None) => with("the service wants a key").hint(secret::wanted(&spec.key)),
                }
            }
            // A web server without this path says nothing of models.
            404 if !is_about_model(said, &spec.model) => {
                with(&format!("nothing is at {}", self.url())).hint(
                    "check the address: that of most servers ends in `/v1`, and `anthropic+` or `ollama+` in front names another wire",
                )
            }
            404 => with(&format!("no model `{}` at {}", spec.model, self.url()))
                .remedy(Remedy::ListModels),
            408 | 429 => with("the service has too much to do"),
            529 => with("the service is overloaded"),
            500..=599 => with("the service failed"),
            _ => with("the service refused the request"),
        }
    }

    /// Returns the failure for an answer that does not come from a service for models.
    pub(super) async fn no_service(
        &self,
        response: &mut Response,
        bounds: &Bounds,
        kind: &str,
    ) -> Error {
        let (said, _) = self.said(response, bounds).await;
        let kind = text::one_line(&text::shortened(kind, 100));
        Error::model(format!("{} answers with `{kind}` and not as a model", self.url()))
            .detail(said)
            .hint("a proxy or a login page may be in between; check the address")
    }

    /// Returns the text of an error body in one line without the key, and `true` if it was cut.
    async fn said(&self, response: &mut Response, bounds: &Bounds) -> (String, bool) {
        let (mut body, is_cut) = body::beginning(response, bounds, MAX_ERROR_BYTES).await;
        if let (true, Some(key)) = (is_cut, &self.options.key) {
            // The cut part may be a key, half of which would be shown.
            body.truncate(body.len().saturating_sub(key.expose().len()));
        }
        // Redacted before anything is shortened, for the same reason.
        let body = self.redacted(&String::from_utf8_lossy(&body));
        let said = match serde_json::from_str::<Value>(&body) {
            Ok(value) => message_text(&value),
            Err(_) => text::shortened(&text::one_line(body.trim()), MAX_SHOWN_CHARS),
        };
        (said, is_cut)
    }
}

/// Returns `true` if the text is about models, or this one.
fn is_about_model(said: &str, model: &str) -> bool {
    said.to_lowercase().contains("model") || !model.is_empty() && said.contains(model)
}

/// Returns `true` if the text complains of a schema, or of a form to keep.
fn is_about_schemas(said: &str) -> bool {
    let said = said.to_lowercase();
    let words = ["strict", "schema", "response_format", "grammar", "output_config"];
    words.iter().any(|word| said.contains(word))
        || said.split_once("tools").is_some_and(|(_, after)| after.contains("parameters"))
}

/// Returns `true` if a service has no tools for this model. Ollama: "m does not support tools"; vLLM: "requires
/// --enable-auto-tool-choice"; llama.cpp, with 500: "tools param requires --jinja flag", "Unsupported param: tools";
/// OpenRouter, with 404: "No endpoints found that support tool use"; Mistral: "Function calling is not enabled for this
/// model".
fn is_about_tools(status: u16, said: &str) -> bool {
    let said = said.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
    matches!(status, 400 | 404 | 422 | 500 | 501)
        && !is_about_schemas(&said)
        && has(&["tool", "function call"])
        && has(&[
            "not support",
            "n't support",
            "unsupported",
            "requires --",
            "not enabled",
            "no endpoints",
        ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_say_in_many_words_that_they_have_no_tools() {
        for (status, said) in [
            (400, "registry.ollama.ai/library/gemma3:4b does not support tools"),
            (
                400,
                "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",
            ),
            (500, "tools param requires --jinja flag"),
            (500, "Unsupported param: tools"),
            (
                404,
                "No endpoints found that support tool use. To learn more about provider routing, visit: https://x.example.org",
            ),
            (400, "Function calling is not enabled for this model"),
            (400, "`tool calling` is not supported with this model"),
            (422, "this model doesn't support tools"),
        ] {
            assert!(is_about_tools(status, said), "{said}");
        }
        for (status, said) in [
            // This status is temporary, whatever the text says.
            (503, "tools are not supported while the model is loaded"),
            (401, "your key does not support tools"),
            (400, "this model does not support images"),
            (400, "tools[0]: too many"),
            (400, "Invalid schema for function 'f': 'oneOf' is not supported in tools"),
            (404, "no such model"),
            (500, "out of memory"),
        ] {
            assert!(!is_about_tools(status, said), "{said}");
        }
    }
}
