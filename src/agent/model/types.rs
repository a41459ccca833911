//! What is said to a model, and what it answers.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A message of a conversation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Message {
    /// Instructions of the host.
    System(String),
    /// What the user wants.
    User {
        /// The user's words.
        text: String,
        /// Pictures that belong to them, for models that take any.
        images: Vec<Image>,
    },
    /// What the model answered.
    Assistant(Answer),
    /// The result of a call.
    Tool {
        /// The call's id.
        call_id: String,
        /// What the model is given: [`CallReport::for_model`](mitt::CallReport::for_model).
        content: String,
        /// Whether the call, or the script that it ran, failed.
        is_error: bool,
    },
}

impl Message {
    /// What the user wants, in words alone.
    pub fn user(text: impl Into<String>) -> Message {
        Message::User { text: text.into(), images: Vec::new() }
    }
}

/// A picture for a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Its media type, such as `image/png`.
    pub media_type: String,
    /// The bytes of its file.
    pub data: Arc<[u8]>,
}

/// One turn of a model.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Answer {
    /// What it said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// What it thought; some services want it back with the turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasoning: Vec<Reasoning>,
    /// The calls it wants made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ModelCall>,
}

/// A part of what a model thought before it answered.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Reasoning {
    /// Its words, or a summary of them; empty if the service keeps them to itself.
    pub text: String,
    /// What the service wants back unchanged, such as a signature. Only the client that made it understands it.
    pub state: Option<Value>,
}

/// A call as a model emitted it: nothing about it was checked.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct ModelCall {
    /// Identifies the call within the conversation.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// Arguments as JSON text, as the model wrote them.
    pub arguments: String,
}

/// A tool as a model is told of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// Name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Value,
    /// Whether the schema is in the strict form of the service, so that it can hold the model to it.
    pub is_strict: bool,
}

/// Whether a model may, must or must not call tools.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum ToolChoice {
    /// As it likes.
    #[default]
    Auto,
    /// Not now.
    None,
    /// At least one.
    Required,
    /// The one of this name.
    Tool(String),
}

/// The form that a model's text must have.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputFormat {
    /// A name for it; letters, digits, `_` and `-`.
    pub name: String,
    /// JSON Schema of the text, which is JSON then.
    pub schema: Value,
}

/// What a model is asked.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ChatRequest<'a> {
    /// The conversation so far.
    pub messages: &'a [Message],
    /// The tools that it may call.
    pub tools: &'a [ToolSpec],
    /// Whether it may, must or must not call them.
    pub tool_choice: &'a ToolChoice,
    /// The form of its text; free without one.
    pub output: Option<&'a OutputFormat>,
    /// Most tokens of the answer. Without one the service's own limit holds, or the client's where the service has none.
    pub max_tokens: Option<u64>,
    /// The names of tables that calls can give now, if somebody knows them. A model that is held to a form can write no others.
    pub table_names: Option<&'a [String]>,
}

impl<'a> ChatRequest<'a> {
    /// A conversation, and the tools that the model may call as it likes.
    pub fn new(messages: &'a [Message], tools: &'a [ToolSpec]) -> ChatRequest<'a> {
        ChatRequest {
            messages,
            tools,
            tool_choice: &ToolChoice::Auto,
            output: None,
            max_tokens: None,
            table_names: None,
        }
    }
}

/// A piece of a model's answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ChatEvent {
    /// More text.
    Text(String),
    /// More of what the model thinks, for people to see.
    Reasoning(String),
    /// A call has begun; its arguments are still to come. Not every client says so.
    CallStarted {
        /// The call's id.
        id: String,
        /// The tool's name.
        name: String,
    },
    /// A complete call.
    Call(ModelCall),
    /// What the model thought, complete, with what the service wants back.
    Thought(Reasoning),
    /// What the turn cost. Comes once at most.
    Usage(Usage),
    /// Something of the service or of the client that a person should know, such as a second try.
    Note(String),
    /// The turn ended before the model was done.
    Stopped(StopReason),
}

/// Why a turn ended before the model was done.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StopReason {
    /// The answer reached its limit of tokens.
    Length,
    /// The service withheld the answer, or the model refused to give one; with its words, if any.
    Refused(String),
}

/// Tokens of a turn.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens of the request, those from the cache included.
    pub input: u64,
    /// Tokens of the request that the service had in its cache.
    pub cached: u64,
    /// Tokens that the service wrote to its cache, where that has a price.
    pub cache_written: u64,
    /// Tokens of the answer, those of reasoning included.
    pub output: u64,
    /// Tokens of reasoning.
    pub reasoning: u64,
}
