//! Models: the trait of all chat models, and a recording that stands for one.
//!
//! Knows messages and tool descriptions. Does not run tools and knows no session.

mod arguments;
#[cfg(feature = "http")]
pub mod http;
mod ids;
pub mod preset;
mod price;
mod record;
mod replay;
mod switch;
mod text_calls;
mod turns;
mod types;
#[cfg(feature = "http")]
mod wire;

use std::pin::Pin;

use async_trait::async_trait;
use futures_core::Stream;
use mitt::schema::lower::Dialect;
use mitt_base::Result;

pub use preset::ModelSpec;
pub use price::{Cost, Prices};
pub use record::RecordModel;
pub use replay::MAX_BYTES as MAX_RECORDING_BYTES;
pub use replay::ReplayModel;
pub use switch::SwitchModel;
pub use text_calls::{SpelledModel, Spelling};
pub use types::{
    ChatEvent, ChatRequest, Image, Message, ModelCall, ModelResponse, OutputFormat, Reasoning,
    StopReason, ToolChoice, ToolSpec, Usage,
};

/// The events of an answer while it arrives. Ends after the last event of the turn.
pub type ChatStream<'a> = Pin<Box<dyn Stream<Item = Result<ChatEvent>> + Send + 'a>>;

/// A chat model with tools. Object-safe; one value can serve many conversations. The documentation of [the crate](crate)
/// shows an implementation.
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// Returns its name, for the journal and for progress.
    fn name(&self) -> &str;

    /// Returns the form of JSON Schema that it needs for the arguments of tools.
    fn dialect(&self) -> Dialect {
        Dialect::Portable
    }

    /// Returns `true` if its answers depend on its input. A recording goes on as it was recorded, so it gets no reminders.
    fn can_react(&self) -> bool {
        true
    }

    /// Returns `true` if it accepts images.
    fn takes_images(&self) -> bool {
        false
    }

    /// Returns how many tokens a request and its answer may have together, if the server of the model states it. Default
    /// `None`.
    async fn context_tokens(&self) -> Option<u64> {
        None
    }

    /// Returns `text` of an answer without what must not be written down, such as the key of the service.
    fn redacted(&self, text: &str) -> String {
        text.to_owned()
    }

    /// Requests the next turn.
    ///
    /// # Errors
    ///
    /// [`Error::model`](mitt_base::Error::model) - the model cannot be reached or refuses the request. A failure during the
    /// answer, or of a repetition that a note announced, is an item of the stream.
    async fn chat<'a>(&'a self, request: ChatRequest<'a>) -> Result<ChatStream<'a>>;
}
