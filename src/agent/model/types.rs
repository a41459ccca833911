//! Requests to a model and its answers.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A message of a conversation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Message {
    /// Instructions of the host.
    System(String),
    /// A request of the user.
    User {
        /// Its text.
        text: String,
        /// Its images, for models that accept any.
        images: Vec<Image>,
    },
    /// An answer of the model.
    Assistant(ModelResponse),
    /// The result of a call.
    Tool {
        /// The call's id.
        call_id: String,
        /// The result as the model gets it: [`CallReport::for_model`](mitt::CallReport::for_model).
        content: String,
        /// `true` if the call, or the script that it ran, failed.
        is_error: bool,
    },
}

impl Message {
    /// Creates a request of the user without images.
    pub fn user(text: impl Into<String>) -> Message {
        Message::User { text: text.into(), images: Vec::new() }
    }
}

/// An image for a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Media type, such as `image/png`.
    pub media_type: String,
    /// Bytes of the file.
    pub data: Arc<[u8]>,
}

/// One turn of a model.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct ModelResponse {
    /// Its text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Its reasoning, which some services need back with the turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasoning: Vec<Reasoning>,
    /// Its calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ModelCall>,
}

/// A part of a model's reasoning before its answer.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Reasoning {
    /// The reasoning or a summary of it; empty if the service does not reveal it.
    pub text: String,
    /// Data that the service needs back unchanged, such as a signature. Only the client that made it understands it.
    pub state: Option<Value>,
}

/// A call as a model wrote it, not yet checked.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct ModelCall {
    /// Id of the call, unique within the conversation.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// Arguments as JSON text, as the model wrote them.
    pub arguments: String,
}

/// A tool as it is described to a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// Name.
    pub name: String,
    /// Description.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Value,
    /// `true` if the schema is in the service's strict form, so that the service can enforce it.
    pub is_strict: bool,
}

/// How a model may call tools.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum ToolChoice {
    /// As it chooses.
    #[default]
    Auto,
    /// No call.
    None,
    /// At least one call.
    Required,
    /// A call of the tool of this name.
    Tool(String),
}

/// The required form of a model's text.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct OutputFormat {
    /// Name of the form: letters, digits, `_` and `-`.
    pub name: String,
    /// JSON Schema of the text, which must be JSON.
    pub schema: Value,
}

impl OutputFormat {
    /// Returns the form of any JSON object.
    pub fn any_object() -> OutputFormat {
        let schema = json!({ "type": "object", "additionalProperties": true });
        OutputFormat { name: "answer".to_owned(), schema }
    }

    /// Returns `true` if the form is that of any JSON object.
    #[cfg(any(feature = "http", test))]
    pub(crate) fn is_any_object(&self) -> bool {
        self.schema == OutputFormat::any_object().schema
    }
}

/// A request to a model.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ChatRequest<'a> {
    /// The conversation so far.
    pub messages: &'a [Message],
    /// The tools that it may call.
    pub tools: &'a [ToolSpec],
    /// How it may call them.
    pub tool_choice: &'a ToolChoice,
    /// The required form of its text; `None` for free text.
    pub output: Option<&'a OutputFormat>,
    /// Most tokens of the answer. `None` for the service's own limit, or the client's if the service has none.
    pub max_tokens: Option<u64>,
    /// Names of tables that calls can have now, if they are known. A model that is held to a form can write no others.
    pub table_names: Option<&'a [String]>,
}

impl<'a> ChatRequest<'a> {
    /// Creates a request with tools that the model may call as it chooses.
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
    /// More of the model's reasoning, for people to see.
    Reasoning(String),
    /// A call has begun; its arguments follow. Not every client reports this.
    CallStarted {
        /// The call's id.
        id: String,
        /// The tool's name.
        name: String,
    },
    /// A complete call.
    Call(ModelCall),
    /// A complete part of the reasoning, with the data that the service needs back.
    Thought(Reasoning),
    /// Tokens of the turn. At most one for each turn.
    Usage(Usage),
    /// A note of the service or the client for a person, such as a repeated request.
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
    /// The service withheld the answer, or the model refused to give one; with the reason, if any.
    Refused(String),
}

/// Tokens of a turn.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens of the request, including cached ones.
    pub input: u64,
    /// Tokens of the request that the service had in its cache.
    pub cached: u64,
    /// Tokens that the service wrote to its cache, if that has a price.
    pub cache_written: u64,
    /// Tokens of the answer, including reasoning.
    pub output: u64,
    /// Tokens of reasoning.
    pub reasoning: u64,
}
