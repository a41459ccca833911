//! A request on its way: sent, sent again, until the first byte of an answer is there.
//!
//! Knows status codes by the ladder of tries; what people are told of them it leaves to `failure`.

use std::sync::atomic::Ordering;
use std::time::{Duration, UNIX_EPOCH};

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{RequestBuilder, Response};
use tokio::time::Instant;

use super::super::preset::{Output, Wire};
use super::super::{ChatRequest, wire};
use super::body::{Bounds, broken, shown};
use super::{HttpModel, failure, retry};
use mitt_base::{Error, Result};

/// The version of Messages that is spoken.
const MESSAGES_VERSION: &str = "2023-06-01";

/// An answer that has begun.
pub(super) struct Started {
    /// What a person should know of how it came to this.
    pub(super) notes: Vec<String>,
    pub(super) response: Response,
    pub(super) first: Option<Vec<u8>>,
    /// It is one JSON value and no stream.
    pub(super) is_whole: bool,
    pub(super) bounds: Bounds,
}

/// A try that failed.
pub(super) struct Failure {
    pub(super) error: Error,
    pub(super) again: Again,
}

/// Whether to try once more.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Again {
    No,
    /// After a while, of which the service may say how long it is.
    Later(Option<Duration>),
    /// At once, without strict schemas.
    Loose,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure { error, again: Again::No }
    }
}

impl HttpModel {
    /// Ask until there is an answer or no sense in trying.
    pub(super) async fn start(&self, request: &ChatRequest<'_>) -> Result<Started> {
        let options = &self.options;
        let bounds = Bounds {
            between: options.between,
            deadline: Instant::now() + options.total,
            total: options.total,
            bytes: options.max_answer_bytes,
        };
        let mut notes = Vec::new();
        let mut tried = 0;
        loop {
            let settings = self.settings();
            let can_loosen = !settings.is_loose && self.is_strict(request);
            let body = wire::body(&settings, request);
            let failure = match self.send(body, bounds, can_loosen).await {
                Ok(started) => return Ok(Started { notes, ..started }),
                Err(failure) => failure,
            };
            let after = match failure.again {
                Again::No => return Err(failure.error),
                Again::Loose => {
                    self.is_loose.store(true, Ordering::Relaxed);
                    notes.push(format!(
                        "{}; asking without strict schemas from now on",
                        failure.error
                    ));
                    continue;
                }
                Again::Later(after) => after,
            };
            tried += 1;
            if tried == retry::TRIES {
                return Err(failure.error.detail(format!("tried {tried} times")));
            }
            let wait = match retry::wait(tried, options.backoff, after, fastrand::f64()) {
                Ok(wait) => wait,
                Err(wait) => {
                    let hint = format!("the service asks to wait for {}", shown(wait));
                    return Err(failure.error.hint(hint));
                }
            };
            if Instant::now() + wait >= bounds.deadline {
                return Err(bounds.late().detail(failure.error.to_string()));
            }
            let next = tried + 1;
            notes.push(format!(
                "{}; try {next} of {} after {}",
                failure.error,
                retry::TRIES,
                shown(wait)
            ));
            tokio::time::sleep(wait).await;
        }
    }

    /// Whether a request holds the service to a schema.
    fn is_strict(&self, request: &ChatRequest<'_>) -> bool {
        let traits = &self.options.spec.traits;
        let has_form = request.output.is_some() && traits.output != Output::Words;
        has_form || (traits.strict && request.tools.iter().any(|tool| tool.is_strict))
    }

    /// Where requests go.
    pub(super) fn url(&self) -> String {
        let spec = &self.options.spec;
        let path = wire::path(spec.wire);
        // Addresses of one wire are often given for another.
        let version =
            if spec.wire == Wire::Chat || spec.wire == Wire::Responses { "" } else { "/v1" };
        let base = spec.base_url.strip_suffix(version).unwrap_or(&spec.base_url);
        format!("{base}{path}")
    }

    fn request(&self, body: String) -> Result<RequestBuilder> {
        let request = self.client.post(self.url()).body(body);
        let request = request
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "text/event-stream, application/x-ndjson, application/json");
        let is_messages = self.options.spec.wire == Wire::Messages;
        let request = match is_messages {
            true => request.header("anthropic-version", MESSAGES_VERSION),
            false => request,
        };
        let Some(key) = &self.options.key else { return Ok(request) };
        let (name, value) = match is_messages {
            true => ("x-api-key", key.expose().to_owned()),
            false => (AUTHORIZATION.as_str(), format!("Bearer {}", key.expose())),
        };
        let mut value = HeaderValue::try_from(value).map_err(|_| {
            Error::model("the key has characters that no header can hold")
                .hint("a key is one line of letters, digits and signs")
        })?;
        value.set_sensitive(true);
        Ok(request.header(name, value))
    }

    /// One try.
    async fn send(
        &self,
        body: String,
        bounds: Bounds,
        can_loosen: bool,
    ) -> Result<Started, Failure> {
        let limit = Instant::now() + self.options.first_byte;
        let late = || {
            let limit = shown(self.options.first_byte);
            Error::model(format!("the service did not begin to answer within {limit}"))
                .passing(true)
        };
        let sent = bounds.within(limit, late, self.request(body)?.send()).await?;
        let mut response = sent.map_err(|error| self.unreachable(&error))?;
        if !response.status().is_success() {
            let now = UNIX_EPOCH + self.options.environment.now();
            let after = retry::retry_after(response.headers(), now);
            return Err(self.refused(&mut response, &bounds, after, can_loosen).await);
        }
        let kind = failure::content_type(&response);
        if kind.contains("html") || kind.starts_with("image/") {
            return Err(self.no_service(&mut response, &bounds, &kind).await.into());
        }
        let first = bounds.within(limit, late, response.chunk()).await?;
        // Nothing of the answer was shown yet: it can be asked for again.
        let again = Again::Later(None);
        let first = first.map_err(|error| Failure { error: broken(&error), again })?;
        let first = first.map(|bytes| bytes.to_vec());
        let is_whole = kind.contains("json")
            && !kind.contains("ndjson")
            && !first.as_deref().is_some_and(is_stream);
        Ok(Started { notes: Vec::new(), response, first, is_whole, bounds })
    }
}

/// Whether an answer that says it is JSON begins like events.
fn is_stream(first: &[u8]) -> bool {
    let first = first.trim_ascii_start();
    [b"data:".as_slice(), b"event:", b":"].iter().any(|field| first.starts_with(field))
}
