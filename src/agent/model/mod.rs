//! Models: one trait that every chat model is behind, and the recording that stands for one.
//!
//! Knows messages and tool descriptions. Does not run tools and knows no session.

mod replay;

use std::pin::Pin;

use async_trait::async_trait;
use futures_core::Stream;
use serde_json::Value;

use mitt_base::Result;

pub use replay::MAX_BYTES as MAX_RECORDING_BYTES;
pub use replay::ReplayModel;

/// A message of a conversation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Message {
    /// Instructions of the host.
    System(String),
    /// What the user wants.
    User(String),
    /// What the model answered.
    Assistant {
        /// What it said.
        text: String,
        /// The calls it wants made.
        calls: Vec<ModelCall>,
    },
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

/// A call as a model emitted it: nothing about it was checked.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelCall {
    /// Identifies the call within the conversation.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// Arguments as JSON text.
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
}

/// What a model is asked.
#[derive(Clone, Copy, Debug)]
pub struct ChatRequest<'a> {
    /// The conversation so far.
    pub messages: &'a [Message],
    /// The tools that it may call.
    pub tools: &'a [ToolSpec],
}

/// A piece of a model's answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ChatEvent {
    /// More text.
    Text(String),
    /// A complete call.
    Call(ModelCall),
    /// What the turn cost, in tokens.
    Usage {
        /// Tokens of the request.
        input: u64,
        /// Tokens of the answer.
        output: u64,
    },
}

/// A model's answer while it comes in. Ends after the last event of the turn.
pub type ChatStream<'a> = Pin<Box<dyn Stream<Item = Result<ChatEvent>> + Send + 'a>>;

/// A chat model with tools. Object-safe; one value can serve many conversations. The documentation of
/// [the crate](crate) shows one.
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// Its name, for the journal and for progress.
    fn name(&self) -> &str;

    /// Ask for the next turn.
    ///
    /// # Errors
    ///
    /// [`Error::model`](mitt_base::Error::model) - the model cannot be reached or refuses the request; a failure while it
    /// answers is an item of the stream.
    async fn chat<'a>(&'a self, request: ChatRequest<'a>) -> Result<ChatStream<'a>>;
}
