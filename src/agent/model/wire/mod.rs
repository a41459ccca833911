//! Wires: protocols of services, as pure state machines.
//!
//! Knows JSON and our own messages. Opens no connection, knows no key and no time.
//!
//! Reading is lenient, because servers leave out different things; sending is strict. Arguments of calls stay the text that
//! the model wrote, with every digit and with repeated keys.

mod call;
mod chat;
pub(crate) mod decode;
mod messages;
mod ollama;
mod responses;

#[cfg(test)]
mod tests;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::arguments::MAX_CALLS;
use super::ids::Ids;
use super::preset::{Output, Traits, Wire};
use super::{
    ChatEvent, ChatRequest, Image, Message, OutputFormat, Reasoning, StopReason, ToolChoice, Usage,
};
use mitt::value::{MAX_MESSAGE_MEMORY, Weight};
use mitt_base::{Error, Resource, Result, text};

/// Parts of events whose values are kept until the answer ends, and returned to the service with the next request.
const KEPT: [&str; 3] = ["\"extra_content\"", "\"reasoning_details\"", "output_item.done"];

/// Memory that an event of mostly text takes for each of its bytes.
const TEXT_WEIGHT: u64 = 6;

/// Most characters of a service's error text that are shown.
pub(crate) const MAX_SHOWN_CHARS: usize = 2_000;

/// Properties of a client that a request depends on, beside the conversation.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) wire: Wire,
    pub(crate) model: String,
    pub(crate) traits: Traits,
    /// `true` if the service refused strict schemas before, so that they are left out.
    pub(crate) is_loose: bool,
    /// Context of the server in tokens, if it was asked.
    pub(crate) context_tokens: Option<u64>,
}

impl Settings {
    /// Returns `true` if a tool is marked as strict.
    fn is_strict(&self, tool: &super::ToolSpec) -> bool {
        tool.is_strict && self.traits.strict && !self.is_loose
    }

    /// Returns how the form of the text is enforced in a request that demands it.
    pub(crate) fn output(&self, request: &ChatRequest<'_>, output: &OutputFormat) -> Output {
        let may_call = !request.tools.is_empty() && *request.tool_choice != ToolChoice::None;
        match self.traits.output {
            _ if self.is_loose || (may_call && !self.traits.output_with_tools) => Output::Words,
            // A strict schema would have to name all members.
            Output::Schema if output.is_any_object() => Output::Json,
            enforced => enforced,
        }
    }
}

/// Returns the body of a request.
pub(crate) fn body(settings: &Settings, request: &ChatRequest<'_>) -> String {
    match settings.wire {
        Wire::Chat => chat::body(settings, request),
        Wire::Responses => responses::body(settings, request),
        Wire::Messages => messages::body(settings, request),
        Wire::Ollama => ollama::body(settings, request),
    }
}

/// Returns the path of requests under the base address.
pub(crate) fn path(wire: Wire) -> &'static str {
    match wire {
        Wire::Chat => "/chat/completions",
        Wire::Responses => "/responses",
        Wire::Messages => "/v1/messages",
        Wire::Ollama => "/api/chat",
    }
}

/// Reads the answers of a wire. Events are pushed as soon as they are known, so that text before an error is not lost.
trait Read: Send {
    /// Reads an event of a stream, or a line of one. `name` is empty if the wire has no names.
    fn event(&mut self, name: &str, data: &str, out: &mut Out) -> Result<()>;
    /// Reads an answer that came in one piece. `finish` follows.
    fn whole(&mut self, body: &str, out: &mut Out) -> Result<()>;
    /// Ends the answer and pushes what was collected. Called once. Returns an error if the answer was cut off.
    fn finish(&mut self, out: &mut Out) -> Result<()>;
    /// Returns how far the answer is.
    fn progress(&self) -> Progress;
}

/// How far an answer is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Progress {
    /// More follows.
    Open,
    /// All that is needed has arrived; usage may follow.
    Complete,
    /// Nothing follows, even if the connection stays open.
    Over,
}

/// Turns one answer into events.
pub(crate) struct Reader {
    inner: Box<dyn Read>,
    out: Out,
    is_finished: bool,
    /// Memory of values that are kept until the answer ends, beyond the memory that plain text of this length takes.
    kept_bytes: u64,
}

/// Events of a reader.
pub(crate) struct Out {
    events: Vec<ChatEvent>,
    ids: Ids,
}

impl Out {
    fn push(&mut self, event: ChatEvent) {
        self.events.push(event);
    }

    fn text(&mut self, text: &str) {
        if !text.is_empty() {
            self.push(ChatEvent::Text(text.to_owned()));
        }
    }

    fn reasoning(&mut self, text: &str) {
        if !text.is_empty() {
            self.push(ChatEvent::Reasoning(text.to_owned()));
        }
    }

    /// Pushes the last events of an answer, in one order for all wires.
    fn end(&mut self, end: End) {
        self.events.extend(end.thoughts.into_iter().map(ChatEvent::Thought));
        self.events.extend(end.calls.into_iter().map(ChatEvent::Call));
        self.events.extend(end.usage.map(ChatEvent::Usage));
        self.events.extend(end.stopped.map(ChatEvent::Stopped));
    }
}

/// Events at the end of an answer.
#[derive(Default)]
struct End {
    thoughts: Vec<Reasoning>,
    calls: Vec<super::ModelCall>,
    usage: Option<Usage>,
    stopped: Option<StopReason>,
}

impl Reader {
    /// Creates a reader for the answer to a conversation, whose calls have ids already.
    pub(crate) fn new(wire: Wire, messages: &[Message]) -> Reader {
        let inner: Box<dyn Read> = match wire {
            Wire::Chat => Box::<chat::Reader>::default(),
            Wire::Responses => Box::<responses::Reader>::default(),
            Wire::Messages => Box::<messages::Reader>::default(),
            Wire::Ollama => Box::<ollama::Reader>::default(),
        };
        Reader {
            inner,
            out: Out { events: Vec::new(), ids: Ids::of(messages) },
            is_finished: false,
            kept_bytes: 0,
        }
    }

    pub(crate) fn event(&mut self, name: &str, data: &str) -> Result<()> {
        // Each event is weighed by itself; these values are kept, so many of them are one large value.
        if KEPT.iter().any(|word| data.contains(word)) {
            let weight = Weight::of(data.as_bytes()).message_bytes();
            let of_text = TEXT_WEIGHT.saturating_mul(data.len() as u64);
            self.kept_bytes = self.kept_bytes.saturating_add(weight.saturating_sub(of_text));
            check_weight(self.kept_bytes)?;
        }
        self.inner.event(name, data, &mut self.out)
    }

    pub(crate) fn whole(&mut self, body: &str) -> Result<()> {
        self.inner.whole(body, &mut self.out)?;
        self.finish()
    }

    pub(crate) fn finish(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.is_finished, true) {
            return Ok(());
        }
        self.inner.finish(&mut self.out)
    }

    pub(crate) fn progress(&self) -> Progress {
        self.inner.progress()
    }

    /// Takes the events since the last call.
    pub(crate) fn take(&mut self) -> Vec<ChatEvent> {
        std::mem::take(&mut self.out.events)
    }
}

/// Returns a value as JSON text.
fn raw(value: impl Serialize) -> Box<RawValue> {
    // Values, texts and lists of them are always JSON.
    to_raw_value(&value).unwrap_or_default()
}

/// Returns an object of values that are JSON text, which `serde_json::Value` would round and deduplicate.
fn object<'a>(fields: impl IntoIterator<Item = (&'a str, Box<RawValue>)>) -> Box<RawValue> {
    let fields = fields.into_iter().map(|(key, value)| format!("{}:{value}", Value::from(key)));
    let text = format!("{{{}}}", fields.collect::<Vec<_>>().join(","));
    RawValue::from_string(text).unwrap_or_default()
}

fn base64(image: &Image) -> String {
    STANDARD.encode(&image.data)
}

fn data_url(image: &Image) -> String {
    format!("data:{};base64,{}", image.media_type, base64(image))
}

/// Describes a schema in words, for a service that cannot enforce it.
fn output_in_words(schema: &Value) -> String {
    format!("Answer with one JSON value and nothing else. It follows this JSON Schema: {schema}")
}

/// Most tokens that an answer counts. Larger numbers are wrong, and their sums would overflow.
const MAX_TOKENS: u64 = 1 << 40;

/// Returns a number of tokens; 0 for null or nothing.
fn count(value: Option<&Value>) -> u64 {
    // Some services write whole numbers as floats.
    let number =
        value.and_then(|value| value.as_u64().or_else(|| value.as_f64().map(|n| n as u64)));
    number.unwrap_or(0).min(MAX_TOKENS)
}

/// Parses JSON of a service.
fn parse<'a, T: serde::Deserialize<'a>>(data: &'a str) -> Result<T> {
    // Weighed before it becomes a tree, as the messages of clients are: four bytes may take a hundred times as much memory.
    check_weight(Weight::of(data.as_bytes()).message_bytes())?;
    serde_json::from_str(data).map_err(|error| {
        Error::model("the service sent what is not JSON of its wire")
            .detail(text::one_line(&text::shortened(data, MAX_SHOWN_CHARS)))
            .caused_by(error)
            .hint("check the address, and whether the service speaks this wire")
    })
}

fn check_weight(weight: u64) -> Result<()> {
    if weight > MAX_MESSAGE_MEMORY {
        return Err(Error::model("the service sent an answer of too many values")
            .caused_by(Error::limit(Resource::Message, MAX_MESSAGE_MEMORY, weight)));
    }
    Ok(())
}

/// Checks that an answer has no more parts of reasoning than it may have calls.
fn check_thoughts(count: usize) -> Result<()> {
    if count > MAX_CALLS {
        Err(Error::model(format!("an answer has at most {MAX_CALLS} thoughts")))
    } else {
        Ok(())
    }
}

/// Returns the error that a service sent within an answer.
fn service_error(value: &Value) -> Error {
    let message = message_text(value);
    let word = |key: &str| match value.get(key) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    let (kind, code) = (word("type"), word("code"));
    let is_retryable = [kind.as_str(), code.as_str()].iter().any(|word| {
        ["overloaded", "rate_limit", "server_error", "timeout", "unavailable", "api_error"]
            .iter()
            .any(|part| word.contains(part))
            || matches!(*word, "408" | "429" | "500" | "502" | "503" | "504" | "529")
    });
    let mut said = vec![kind, code];
    said.retain(|word| !word.is_empty());
    said.dedup();
    let error =
        Error::model(format!("the service reported an error: {message}")).retryable(is_retryable);
    if said.is_empty() { error } else { error.detail(format!("kind: {}", said.join(", "))) }
}

/// Returns the text of a service's error in one line, however it is wrapped.
pub(crate) fn message_text(value: &Value) -> String {
    let mut value = value;
    // `error.error.message` of proxies is the deepest known nesting.
    for key in ["error", "error", "message", "detail", "msg"] {
        value = value.get(key).unwrap_or(value);
    }
    let words = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text::shortened(&text::one_line(&words), MAX_SHOWN_CHARS)
}

/// Returns the error for a stream that ended too early.
fn cut_off(what: &str) -> Error {
    Error::model(format!("the answer was cut off: the stream ended {what}")).retryable(true)
}
