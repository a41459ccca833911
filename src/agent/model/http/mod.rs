//! Models behind HTTP: one client for all wires.
//!
//! Knows connections, time and keys, and leaves the contents of requests and answers to the wires.

mod body;
mod context;
mod failure;
mod local;
mod retry;
mod secret;
mod send;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use reqwest::{Client, redirect};
use tokio::sync::OnceCell;

use super::preset::{Calls, Output};
use super::text_calls::{self, CallStyle, Parser, Spelling};
use super::wire::{Reader, Settings, decode};
use super::{ChatEvent, ChatModel, ChatRequest, ChatStream, Message, ModelSpec};
use mitt::Environment;
use mitt::schema::lower::Dialect;
use mitt_base::limits::MIB;
use mitt_base::{Error, Result};

pub use local::{LOCAL_SERVICES, LocalServer, local_servers, local_servers_within};
pub use secret::Secret;
use send::{RequestTries, StartedAnswer, TryOutcome};

/// Default of [`HttpModelBuilder::connect_timeout`].
pub const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Default of [`HttpModelBuilder::first_byte_timeout`].
pub const DEFAULT_FIRST_BYTE_TIMEOUT: Duration = Duration::from_secs(120);

/// Default for a server on this machine, which may have to load the model first.
pub const DEFAULT_LOCAL_FIRST_BYTE_TIMEOUT: Duration = Duration::from_secs(600);

/// Default of [`HttpModelBuilder::between_timeout`]. Services send something at least every half minute.
pub const DEFAULT_BETWEEN_TIMEOUT: Duration = Duration::from_secs(60);

/// Default of [`HttpModelBuilder::total_timeout`].
pub const DEFAULT_TOTAL_TIMEOUT: Duration = Duration::from_secs(30 * 60);

/// Default of [`HttpModelBuilder::max_event_bytes`]. Pictures and whole files in arguments fit.
pub const DEFAULT_MAX_EVENT_BYTES: u64 = 16 * MIB;

/// Default of [`HttpModelBuilder::max_answer_bytes`].
pub const DEFAULT_MAX_ANSWER_BYTES: u64 = 64 * MIB;

/// Most bytes of an error body that are read.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// A model behind HTTP. It keeps connections open between turns; one value serves many conversations at once.
///
/// A request is sent up to four times, as long as nothing of its answer has arrived: after 408, 429, 500, 502, 503, 504, 529
/// and after failures of the connection. A [`ChatEvent::Note`] announces every repetition. If a service refuses strict
/// schemas, later requests have none; if it refuses tools, they are described in words and the model spells out its calls as
/// with [`SpelledModel`](super::SpelledModel). Redirects are not followed, so that a key goes to no other address. Proxies
/// come from the environment (`HTTPS_PROXY`, `NO_PROXY`), except for servers on this machine.
///
/// Needs the runtime of tokio. Dropping an answer closes its connection.
///
/// # Example: a server on this machine
///
/// ```
/// use mitt_agent::model::http::HttpModel;
/// use mitt_agent::model::{ChatModel as _, ModelSpec};
///
/// let model = HttpModel::builder(ModelSpec::parse("http://127.0.0.1:8080/v1#qwen3")?).build()?;
/// assert_eq!(model.name(), "http://127.0.0.1:8080/v1#qwen3");
/// # Ok::<(), mitt::Error>(())
/// ```
pub struct HttpModel {
    name: String,
    options: HttpModelBuilder,
    client: Client,
    /// Where the key was found, in words for people.
    key_from: Option<String>,
    /// `true` once the service refused strict schemas.
    is_loose: AtomicBool,
    /// `true` once the service refused tools.
    is_spelled: AtomicBool,
    /// Context of the server in tokens, once it was asked.
    context: OnceCell<Option<u64>>,
    /// The word behind the fences of calls in texts.
    mark: String,
}

/// Options of a model behind HTTP. Created by [`HttpModel::builder`].
#[derive(Clone, Debug)]
#[must_use]
pub struct HttpModelBuilder {
    spec: ModelSpec,
    key: Option<Secret>,
    roots: Vec<Vec<u8>>,
    connect: Duration,
    first_byte: Duration,
    between: Duration,
    total: Duration,
    backoff: Duration,
    max_event_bytes: u64,
    max_answer_bytes: u64,
    environment: Environment,
}

impl HttpModel {
    /// Creates a builder for the model of `spec`, with the timeouts and limits that the constants of this module name.
    pub fn builder(spec: ModelSpec) -> HttpModelBuilder {
        let first_byte = if spec.is_local() {
            DEFAULT_LOCAL_FIRST_BYTE_TIMEOUT
        } else {
            DEFAULT_FIRST_BYTE_TIMEOUT
        };
        HttpModelBuilder {
            spec,
            key: None,
            roots: Vec::new(),
            connect: DEFAULT_CONNECT_TIMEOUT,
            first_byte,
            between: DEFAULT_BETWEEN_TIMEOUT,
            total: DEFAULT_TOTAL_TIMEOUT,
            backoff: retry::BACKOFF,
            max_event_bytes: DEFAULT_MAX_EVENT_BYTES,
            max_answer_bytes: DEFAULT_MAX_ANSWER_BYTES,
            environment: Environment::default(),
        }
    }
}

impl HttpModelBuilder {
    /// Sets the key, in place of one from the environment or a file.
    pub fn key(mut self, key: Secret) -> HttpModelBuilder {
        self.key = Some(key);
        self
    }

    /// Trusts these issuers as well, given as PEM: for services within a company. The issuers of the system, or of the file
    /// in the environment variable `SSL_CERT_FILE`, are trusted anyway.
    pub fn root_certificates(mut self, pem: impl Into<Vec<u8>>) -> HttpModelBuilder {
        self.roots.push(pem.into());
        self
    }

    /// Limits the time until a connection is established, TLS included. Default: [`DEFAULT_CONNECT_TIMEOUT`].
    pub fn connect_timeout(mut self, limit: Duration) -> HttpModelBuilder {
        self.connect = limit;
        self
    }

    /// Limits the time until the first byte of an answer, for each try. Default: [`DEFAULT_FIRST_BYTE_TIMEOUT`], or
    /// [`DEFAULT_LOCAL_FIRST_BYTE_TIMEOUT`] for a server on this machine.
    pub fn first_byte_timeout(mut self, limit: Duration) -> HttpModelBuilder {
        self.first_byte = limit;
        self
    }

    /// Limits the time between two pieces of an answer. Default: [`DEFAULT_BETWEEN_TIMEOUT`].
    pub fn between_timeout(mut self, limit: Duration) -> HttpModelBuilder {
        self.between = limit;
        self
    }

    /// Limits the time for an answer, all tries included. Default: [`DEFAULT_TOTAL_TIMEOUT`].
    pub fn total_timeout(mut self, limit: Duration) -> HttpModelBuilder {
        self.total = limit;
        self
    }

    /// Sets the longest wait before the second try, at most 60 s. It doubles with each further try. Default: half a second.
    pub fn backoff(mut self, wait: Duration) -> HttpModelBuilder {
        self.backoff = wait;
        self
    }

    /// Limits the bytes of one event. Default: [`DEFAULT_MAX_EVENT_BYTES`].
    pub fn max_event_bytes(mut self, limit: u64) -> HttpModelBuilder {
        self.max_event_bytes = limit;
        self
    }

    /// Limits the bytes of an answer. Default: [`DEFAULT_MAX_ANSWER_BYTES`].
    pub fn max_answer_bytes(mut self, limit: u64) -> HttpModelBuilder {
        self.max_answer_bytes = limit;
        self
    }

    /// Sets the clock with which dates of `Retry-After` are compared. Default: the system's.
    pub fn environment(mut self, environment: Environment) -> HttpModelBuilder {
        self.environment = environment;
        self
    }

    /// Creates the client. Sends nothing.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - the service needs a key and none is set, the file of the key
    /// cannot be read, a root certificate is invalid, or TLS cannot be set up.
    pub fn build(mut self) -> Result<HttpModel> {
        let name = self.spec.to_string();
        let mut key_from = None;
        if self.key.is_none() {
            let variable = |name: &str| std::env::var(name).ok();
            let found = secret::find(&self.spec.key, &variable).map_err(|error| error.at(&name))?;
            (self.key, key_from) = found.unzip();
        }
        let is_encrypted = self.spec.base_url.starts_with("https:");
        let certificates = mitt_net::tls_config(is_encrypted, &self.roots).map_err(Error::model)?;
        let builder = Client::builder()
            .tls_backend_preconfigured(certificates)
            .redirect(redirect::Policy::none())
            .connect_timeout(self.connect)
            .user_agent(concat!("mitt/", env!("CARGO_PKG_VERSION")));
        let builder = if self.spec.is_local() { builder.no_proxy() } else { builder };
        let client = builder.build().map_err(|error| {
            Error::model("cannot set up the client").at(&name).caused_by(mitt_net::causes(&error))
        })?;
        Ok(HttpModel {
            name,
            options: self,
            client,
            key_from,
            is_loose: AtomicBool::new(false),
            is_spelled: AtomicBool::new(false),
            context: OnceCell::new(),
            mark: text_calls::mark(),
        })
    }
}

impl fmt::Debug for HttpModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_loose = self.is_loose.load(Ordering::Relaxed);
        let is_spelled = self.is_spelled.load(Ordering::Relaxed);
        let mut shown = f.debug_struct("HttpModel");
        shown.field("options", &self.options).field("key_from", &self.key_from);
        shown.field("is_loose", &is_loose).field("is_spelled", &is_spelled);
        shown.finish_non_exhaustive()
    }
}

#[async_trait]
impl ChatModel for HttpModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn dialect(&self) -> Dialect {
        self.options.spec.dialect
    }

    fn takes_images(&self) -> bool {
        self.options.spec.traits.images
    }

    async fn context_tokens(&self) -> Option<u64> {
        *self.context.get_or_init(|| self.ask_context()).await
    }

    fn redacted(&self, text: &str) -> String {
        self.options.key.as_ref().map_or_else(|| text.to_owned(), |key| key.redact(text))
    }

    async fn chat<'a>(&'a self, request: ChatRequest<'a>) -> Result<ChatStream<'a>> {
        self.check(&request)?;
        let mut tries = RequestTries::new(self, request);
        let note = match self.begun(&mut tries, &request).await? {
            ChatStart::Answer(events) => return Ok(events),
            ChatStart::Again(note) => note,
        };
        // The note comes before the wait, not after it.
        let notes = stream::iter([Ok(self.note(&note))]);
        let rest = stream::unfold(Some(tries), move |tries| async move {
            let mut tries = tries?;
            Some(match self.begun(&mut tries, &request).await {
                Ok(ChatStart::Answer(events)) => (events, None),
                Ok(ChatStart::Again(note)) => {
                    (stream::iter([Ok(self.note(&note))]).boxed(), Some(tries))
                }
                Err(error) => (stream::iter([Err(error)]).boxed(), None),
            })
        });
        Ok(notes.chain(rest.flatten()).boxed())
    }
}

/// Outcome of a try.
enum ChatStart<'a> {
    /// An answer whose first text, reasoning or call has arrived.
    Answer(ChatStream<'a>),
    /// The request is sent again, for this reason.
    Again(String),
}

impl HttpModel {
    fn note(&self, note: &str) -> ChatEvent {
        ChatEvent::Note(self.redacted(note))
    }

    /// Sends the request once. If the answer breaks off before its first text, reasoning or call, the request is sent again
    /// as if no answer had come, because nobody has seen anything of it.
    async fn begun<'a>(
        &'a self,
        tries: &mut RequestTries<'a>,
        request: &ChatRequest<'a>,
    ) -> Result<ChatStart<'a>> {
        let started = match tries.next().await.map_err(|error| self.cleaned(error))? {
            TryOutcome::Started(started) => *started,
            TryOutcome::Again(note) => return Ok(ChatStart::Again(note)),
        };
        let mut events = self.answer(request, started);
        let mut before = Vec::new();
        loop {
            match events.next().await {
                Some(Ok(event @ (ChatEvent::Usage(_) | ChatEvent::Note(_)))) => {
                    before.push(Ok(event))
                }
                Some(Err(error)) if error.is_retryable() => {
                    let again = tries.broke_off(error).map_err(|error| self.cleaned(error));
                    return again.map(ChatStart::Again);
                }
                event => {
                    let first = stream::iter(before.into_iter().chain(event));
                    let cleaned =
                        |event: Result<ChatEvent>| event.map_err(|error| self.cleaned(error));
                    return Ok(ChatStart::Answer(first.chain(events).map(cleaned).boxed()));
                }
            }
        }
    }

    /// Returns the events of an answer that has begun.
    fn answer<'a>(&'a self, request: &ChatRequest<'a>, started: StartedAnswer) -> ChatStream<'a> {
        let wire = self.options.spec.wire;
        let mut reader = Reader::new(wire, request.messages);
        let bytes = body::bytes(started.response, started.first, started.bounds);
        let events = if started.is_whole {
            let whole = async move {
                let result = match bytes.try_concat().await {
                    Ok(body) => reader.whole(&String::from_utf8_lossy(&body)),
                    Err(error) => Err(error),
                };
                let events = reader.take().into_iter().map(Ok);
                stream::iter(events.chain(result.err().map(Err)).collect::<Vec<_>>())
            };
            stream::once(whole).flatten().boxed()
        } else {
            let limit = self.options.max_event_bytes;
            decode::answer(wire, reader, Box::pin(bytes), limit).boxed()
        };
        match &started.spelled {
            Some(style) => text_calls::parsed(events, Parser::new(request, style)).boxed(),
            None => events,
        }
    }

    /// Returns how calls are spelled in the texts of a request and its answer; `None` if the service has tools.
    fn spelled(&self, request: &ChatRequest<'_>, settings: &Settings) -> Option<CallStyle> {
        let traits = &settings.traits;
        let is_native = traits.calls == Calls::Native && !self.is_spelled.load(Ordering::Relaxed);
        let has_calls = |message: &Message| matches!(message, Message::Assistant(answer) if !answer.calls.is_empty());
        if is_native || (request.tools.is_empty() && !request.messages.iter().any(has_calls)) {
            return None;
        }
        let can_hold =
            !settings.is_loose && matches!(traits.output, Output::Schema | Output::Grammar);
        let spelling = match traits.calls {
            Calls::Native | Calls::Spelled if can_hold => Spelling::Object,
            _ => Spelling::Blocks,
        };
        Some(CallStyle { spelling, mark: self.mark.clone(), dialect: self.options.spec.dialect })
    }

    fn settings(&self) -> Settings {
        let spec = &self.options.spec;
        Settings {
            wire: spec.wire,
            model: spec.model.clone(),
            traits: spec.traits.clone(),
            is_loose: self.is_loose.load(Ordering::Relaxed),
            context_tokens: self.context.get().copied().flatten(),
        }
    }

    /// Refuses what the service would refuse anyway, or not even notice.
    fn check(&self, request: &ChatRequest<'_>) -> Result<()> {
        let traits = &self.options.spec.traits;
        let has_image = |message: &Message| matches!(message, Message::User { images, .. } if !images.is_empty());
        if !traits.images && request.messages.iter().any(has_image) {
            return Err(Error::model("the model takes no pictures").at(&self.name));
        }
        Ok(())
    }

    /// Returns an error with the model's name before it and without the key, wherever a service put the key.
    fn cleaned(&self, error: Error) -> Error {
        let redacted = |text: &str| self.redacted(text);
        let mut clean =
            Error::model(redacted(error.message())).at(&self.name).retryable(error.is_retryable());
        for detail in error.details() {
            clean = clean.detail(redacted(detail));
        }
        for hint in error.hints() {
            clean = clean.hint(redacted(hint));
        }
        let mut causes = Vec::new();
        let mut cause = std::error::Error::source(&error);
        while let Some(error) = cause {
            causes.push(redacted(&error.to_string()));
            cause = error.source();
        }
        if causes.is_empty() { clean } else { clean.caused_by(causes.join(": ")) }
    }
}
