//! Sends a request, repeatedly if necessary, until the first byte of an answer arrives.
//!
//! Decides by status codes whether to try again, and leaves messages to `failure`.

use std::sync::atomic::Ordering;
use std::time::{Duration, UNIX_EPOCH};

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderValue};
use reqwest::{RequestBuilder, Response};
use tokio::time::Instant;

use super::super::preset::{Output, Wire};
use super::super::text_calls::{CallStyle, RewrittenRequest};
use super::super::wire::Settings;
use super::super::{ChatRequest, wire};
use super::body::{Bounds, broken, shown};
use super::failure::{Failure, Fallbacks, RetryDecision};
use super::{HttpModel, failure, retry};
use mitt_base::{Error, Result};

/// Version of the Messages API.
const MESSAGES_VERSION: &str = "2023-06-01";

/// An answer that has begun.
pub(super) struct StartedAnswer {
    pub(super) response: Response,
    pub(super) first: Option<Vec<u8>>,
    /// `true` if it is one JSON value and no stream.
    pub(super) is_whole: bool,
    pub(super) bounds: Bounds,
    /// How calls are spelled in its text; `None` if the service has tools.
    pub(super) spelled: Option<CallStyle>,
}

/// Outcome of a try.
pub(super) enum TryOutcome {
    Started(Box<StartedAnswer>),
    /// The request is sent again, for this reason.
    Again(String),
}

/// A request and the tries to have it answered.
pub(super) struct RequestTries<'a> {
    model: &'a HttpModel,
    request: ChatRequest<'a>,
    bounds: Bounds,
    /// Number of failed tries.
    tried: u32,
    /// Wait before the next try.
    wait: Duration,
    /// Time until which the model may take to load, set with the first note of it.
    loading: Option<Instant>,
}

impl<'a> RequestTries<'a> {
    pub(super) fn new(model: &'a HttpModel, request: ChatRequest<'a>) -> RequestTries<'a> {
        let options = &model.options;
        let bounds = Bounds {
            between: options.between,
            deadline: Instant::now() + options.total,
            total: options.total,
            bytes: options.max_answer_bytes,
        };
        RequestTries { model, request, bounds, tried: 0, wait: Duration::ZERO, loading: None }
    }

    /// Tries until the answer begins or there is a note. Returns an error if a further try would not help.
    pub(super) async fn next(&mut self) -> Result<TryOutcome> {
        loop {
            if let Some(next) = self.once().await? {
                return Ok(next);
            }
        }
    }

    /// Tries once, after the wait that is due.
    async fn once(&mut self) -> Result<Option<TryOutcome>> {
        tokio::time::sleep(std::mem::take(&mut self.wait)).await;
        let model = self.model;
        let settings = model.settings();
        let spelled = model.spelled(&self.request, &settings);
        let rewritten = spelled.as_ref().map(|style| RewrittenRequest::new(&self.request, style));
        let request = match &rewritten {
            Some(rewritten) => rewritten.request(&self.request),
            None => self.request,
        };
        let can = Fallbacks {
            loosen: !settings.is_loose && is_strict(&settings, &request),
            spell: spelled.is_none() && !request.tools.is_empty(),
        };
        let body = wire::body(&settings, &request);
        match model.send(body, self.bounds, can).await {
            Ok(started) => {
                Ok(Some(TryOutcome::Started(Box::new(StartedAnswer { spelled, ..started }))))
            }
            Err(failure) => self.again(failure),
        }
    }

    /// Decides on a further try and its note.
    fn again(&mut self, failure: Failure) -> Result<Option<TryOutcome>> {
        let Failure { error, again } = failure;
        let note = |note: String| Ok(Some(TryOutcome::Again(note)));
        let after = match again {
            RetryDecision::No => return Err(error),
            RetryDecision::Loose => {
                self.model.is_loose.store(true, Ordering::Relaxed);
                return note(format!("{error}; asking without strict schemas from now on"));
            }
            RetryDecision::Spelled => {
                self.model.is_spelled.store(true, Ordering::Relaxed);
                return note(format!("{error}; the model spells out its calls from now on"));
            }
            RetryDecision::Loading => {
                let limit = self.model.options.first_byte;
                let now = Instant::now();
                let is_noted = self.loading.is_some();
                let until = *self.loading.get_or_insert(now + limit);
                if now >= until.min(self.bounds.deadline) {
                    return Err(error.detail(format!("waited for {}", shown(limit))));
                }
                self.wait = self.model.options.backoff;
                return if is_noted {
                    Ok(None)
                } else {
                    note(format!("{error}; waiting until it is loaded"))
                };
            }
            RetryDecision::Later(after) => after,
        };
        self.later(error, after).map(|why| Some(TryOutcome::Again(why)))
    }

    /// Prepares a further try after an answer that broke off before its first event. Returns the reason, for people.
    pub(super) fn broke_off(&mut self, error: Error) -> Result<String> {
        if Instant::now() >= self.bounds.deadline {
            return Err(error);
        }
        self.later(error, None)
    }

    /// Prepares a further try after a wait. Returns the reason, for people, or the error after the last try.
    fn later(&mut self, error: Error, after: Option<Duration>) -> Result<String> {
        self.tried += 1;
        if self.tried == retry::TRIES {
            return Err(error.detail(format!("tried {} times", self.tried)));
        }
        let wait = retry::wait(self.tried, self.model.options.backoff, after, fastrand::f64());
        let wait = match wait {
            Ok(wait) => wait,
            Err(wait) => {
                return Err(error.hint(format!("the service asks to wait for {}", shown(wait))));
            }
        };
        if Instant::now() + wait >= self.bounds.deadline {
            return Err(self.bounds.late().detail(error.to_string()));
        }
        self.wait = wait;
        let next = self.tried + 1;
        Ok(format!("{error}; try {next} of {} after {}", retry::TRIES, shown(wait)))
    }
}

/// Returns `true` if a request makes the service enforce a schema.
fn is_strict(settings: &Settings, request: &ChatRequest<'_>) -> bool {
    let has_form = |output| settings.output(request, output) != Output::Words;
    let has_strict = || request.tools.iter().any(|tool| tool.is_strict);
    request.output.is_some_and(has_form) || (settings.traits.strict && has_strict())
}

impl HttpModel {
    /// Returns the address of requests.
    pub(super) fn url(&self) -> String {
        let spec = &self.options.spec;
        let path = wire::path(spec.wire);
        // An address is often given in the form of another wire, with or without `/v1`.
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
        let request = if is_messages {
            request.header("anthropic-version", MESSAGES_VERSION)
        } else {
            request
        };
        let Some(key) = &self.options.key else { return Ok(request) };
        let (name, value) = if is_messages {
            ("x-api-key", key.expose().to_owned())
        } else {
            (AUTHORIZATION.as_str(), format!("Bearer {}", key.expose()))
        };
        let mut value = HeaderValue::try_from(value).map_err(|_| {
            Error::model("the key has characters that no header can hold")
                .hint("a key is one line of letters, digits and signs")
        })?;
        value.set_sensitive(true);
        Ok(request.header(name, value))
    }

    /// Sends the request once.
    async fn send(
        &self,
        body: String,
        bounds: Bounds,
        can: Fallbacks,
    ) -> Result<StartedAnswer, Failure> {
        let limit = Instant::now() + self.options.first_byte;
        let late = || {
            let limit = shown(self.options.first_byte);
            Error::model(format!("the service did not begin to answer within {limit}"))
                .retryable(true)
        };
        let sent = bounds.within(limit, late, self.request(body)?.send()).await?;
        let mut response = sent.map_err(|error| self.unreachable(&error))?;
        if !response.status().is_success() {
            let now = UNIX_EPOCH + self.options.environment.now();
            let after = mitt_net::retry_after(response.headers(), now);
            return Err(self.refused(&mut response, &bounds, after, can).await);
        }
        let kind = failure::content_type(&response);
        if kind.contains("html") || kind.starts_with("image/") {
            return Err(self.no_service(&mut response, &bounds, &kind).await.into());
        }
        let encoding = response.headers().get(CONTENT_ENCODING);
        let encoding = encoding.and_then(|value| value.to_str().ok()).unwrap_or("identity");
        if encoding != "identity" {
            let message =
                format!("the service packed its answer (`{encoding}`), which was not asked for");
            let hint = "turn off compression of answers in the server, or in the proxy before it";
            return Err(Error::model(message).hint(hint).into());
        }
        let first = bounds.within(limit, late, response.chunk()).await?;
        // Nothing of the answer was shown yet, so the request can be repeated.
        let again = RetryDecision::Later(None);
        let first = first.map_err(|error| Failure { error: broken(&error), again })?;
        let first = first.map(|bytes| bytes.to_vec());
        let is_whole = kind.contains("json")
            && !kind.contains("ndjson")
            && !first.as_deref().is_some_and(is_stream);
        Ok(StartedAnswer { response, first, is_whole, bounds, spelled: None })
    }
}

/// Returns `true` if an answer that claims to be JSON begins like a stream of events.
fn is_stream(first: &[u8]) -> bool {
    let first = first.trim_ascii_start();
    [b"data:".as_slice(), b"event:", b":"].iter().any(|field| first.starts_with(field))
}
