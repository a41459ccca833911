//! Wires: how services are asked and how they answer, as pure state machines.
//!
//! Knows JSON and our own messages. Opens no connection, knows no key and no time.
//!
//! Reading is lenient, as servers differ in what they leave out; sending is strict. Arguments of calls stay the text that the
//! model wrote: every digit, and keys that come twice.

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
use super::preset::{Traits, Wire};
use super::{ChatEvent, ChatRequest, Image, Message, Reasoning, StopReason, Usage};
use mitt::value::{MAX_MESSAGE_MEMORY, Weight};
use mitt_base::{Error, Resource, Result, text};

/// Parts of events whose values are given back to the service with the next request, and kept until then.
const KEPT: [&str; 3] = ["\"extra_content\"", "\"reasoning_details\"", "output_item.done"];

/// Memory that an event takes for each of its bytes where it is mostly text.
const TEXT_WEIGHT: u64 = 6;

/// Most of a service's own words that an error shows, in characters.
pub(crate) const MAX_TOLD: usize = 2_000;

/// What of a client a request depends on, beside the conversation.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) wire: Wire,
    pub(crate) model: String,
    pub(crate) traits: Traits,
    /// The service refused strict schemas before: they are left out.
    pub(crate) is_loose: bool,
    /// How many tokens the server takes, if it was asked.
    pub(crate) context_tokens: Option<u64>,
}

impl Settings {
    /// Whether a tool is marked as strict.
    fn is_strict(&self, tool: &super::ToolSpec) -> bool {
        tool.is_strict && self.traits.strict && !self.is_loose
    }
}

/// The body of a request.
pub(crate) fn body(settings: &Settings, request: &ChatRequest<'_>) -> String {
    match settings.wire {
        Wire::Chat => chat::body(settings, request),
        Wire::Responses => responses::body(settings, request),
        Wire::Messages => messages::body(settings, request),
        Wire::Ollama => ollama::body(settings, request),
    }
}

/// Where under the base address requests of a wire go.
pub(crate) fn path(wire: Wire) -> &'static str {
    match wire {
        Wire::Chat => "/chat/completions",
        Wire::Responses => "/responses",
        Wire::Messages => "/v1/messages",
        Wire::Ollama => "/api/chat",
    }
}

/// What a reader of a wire does. Events are pushed as soon as they are known, so that text before an error is not lost.
trait Read: Send {
    /// An event of a stream, or a line of one. `name` is empty where the wire has no names.
    fn event(&mut self, name: &str, data: &str, out: &mut Out) -> Result<()>;
    /// An answer that came in one piece; the end follows.
    fn whole(&mut self, body: &str, out: &mut Out) -> Result<()>;
    /// The end of the answer: what was collected; called once. Errors: the answer was cut off.
    fn finish(&mut self, out: &mut Out) -> Result<()>;
    /// How far the answer is.
    fn progress(&self) -> Progress;
}

/// How far an answer is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Progress {
    /// It goes on.
    Open,
    /// It has all that it needs; usage may follow.
    Complete,
    /// Nothing follows, even if the connection stays open.
    Over,
}

/// Makes events out of one answer.
pub(crate) struct Reader {
    inner: Box<dyn Read>,
    out: Out,
    is_finished: bool,
    /// Memory of values that are kept until the answer ends, beyond what texts of their length take.
    kept_bytes: u64,
}

/// Where readers put what they found.
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

    /// The tail of every answer, in one order for all wires.
    fn end(&mut self, end: End) {
        self.events.extend(end.thoughts.into_iter().map(ChatEvent::Thought));
        self.events.extend(end.calls.into_iter().map(ChatEvent::Call));
        self.events.extend(end.usage.map(ChatEvent::Usage));
        self.events.extend(end.stopped.map(ChatEvent::Stopped));
    }
}

/// What is told at the end of an answer.
#[derive(Default)]
struct End {
    thoughts: Vec<Reasoning>,
    calls: Vec<super::ModelCall>,
    usage: Option<Usage>,
    stopped: Option<StopReason>,
}

impl Reader {
    /// A reader for the answer to a conversation, whose calls have ids already.
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
        // Each event is weighed by itself; these are kept, so that many of them are one large value.
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

    /// What was found since the last time.
    pub(crate) fn take(&mut self) -> Vec<ChatEvent> {
        std::mem::take(&mut self.out.events)
    }
}

/// Any value as its JSON text.
fn raw(value: impl Serialize) -> Box<RawValue> {
    // Values, texts and lists of them: nothing here can fail to be JSON.
    to_raw_value(&value).unwrap_or_default()
}

/// An object of values that are JSON text already, which `serde_json::Value` would round and deduplicate.
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

/// Where a service cannot be held to a schema, it is asked to follow it.
fn output_in_words(schema: &Value) -> String {
    format!("Answer with one JSON value and nothing else. It follows this JSON Schema: {schema}")
}

/// Most tokens that an answer counts. Larger numbers are wrong, and sums of them would overflow.
const MAX_TOKENS: u64 = 1 << 40;

/// A number of tokens; services give null, or nothing.
fn count(value: Option<&Value>) -> u64 {
    // Some write whole numbers as floats.
    let number =
        value.and_then(|value| value.as_u64().or_else(|| value.as_f64().map(|n| n as u64)));
    number.unwrap_or(0).min(MAX_TOKENS)
}

/// JSON of a service, or why it is none.
fn parse<'a, T: serde::Deserialize<'a>>(data: &'a str) -> Result<T> {
    // Weighed before a tree is made of it, as the messages of clients are: four bytes may become a hundred times as much.
    check_weight(Weight::of(data.as_bytes()).message_bytes())?;
    serde_json::from_str(data).map_err(|error| {
        Error::model("the service sent what is not JSON of its wire")
            .detail(text::one_line(&text::shortened(data, MAX_TOLD)))
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

/// An answer has no more thoughts than calls.
fn check_thoughts(count: usize) -> Result<()> {
    match count > MAX_CALLS {
        true => Err(Error::model(format!("an answer has at most {MAX_CALLS} thoughts"))),
        false => Ok(()),
    }
}

/// An error that a service sent in an answer that had begun.
fn service_error(value: &Value) -> Error {
    let message = told(value);
    let word = |key: &str| match value.get(key) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    let (kind, code) = (word("type"), word("code"));
    let may_pass = [kind.as_str(), code.as_str()].iter().any(|word| {
        ["overloaded", "rate_limit", "server_error", "timeout", "unavailable", "api_error"]
            .iter()
            .any(|part| word.contains(part))
            || matches!(*word, "408" | "429" | "500" | "502" | "503" | "504" | "529")
    });
    let mut said = vec![kind, code];
    said.retain(|word| !word.is_empty());
    said.dedup();
    let error = Error::model(format!("the service reported an error: {message}")).passing(may_pass);
    if said.is_empty() { error } else { error.detail(format!("kind: {}", said.join(", "))) }
}

/// What a service says in an error, however it wraps it; one line.
pub(crate) fn told(value: &Value) -> String {
    let mut value = value;
    // `error.error.message` of proxies is the deepest that is known.
    for key in ["error", "error", "message", "detail", "msg"] {
        value = value.get(key).unwrap_or(value);
    }
    let words = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text::shortened(&text::one_line(&words), MAX_TOLD)
}

/// The stream ended too early.
fn cut_off(what: &str) -> Error {
    Error::model(format!("the answer was cut off: the stream ended {what}")).passing(true)
}
