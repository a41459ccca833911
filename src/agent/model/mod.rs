//! Models: one trait that every chat model is behind, and the recording that stands for one.
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
mod spelled;
mod switch;
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
pub use spelled::{SpelledModel, Spelling};
pub use switch::SwitchModel;
pub use types::{
    Answer, ChatEvent, ChatRequest, Image, Message, ModelCall, OutputFormat, Reasoning, StopReason,
    ToolChoice, ToolSpec, Usage,
};

/// A model's answer while it comes in. Ends after the last event of the turn.
pub type ChatStream<'a> = Pin<Box<dyn Stream<Item = Result<ChatEvent>> + Send + 'a>>;

/// A chat model with tools. Object-safe; one value can serve many conversations. The documentation of
/// [the crate](crate) shows one.
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// Its name, for the journal and for progress.
    fn name(&self) -> &str;

    /// The form of JSON Schema that it wants for the arguments of tools.
    fn dialect(&self) -> Dialect {
        Dialect::Portable
    }

    /// Whether what it answers follows from what it is told. A recording goes on as it was recorded: it is not reminded of anything.
    fn can_react(&self) -> bool {
        true
    }

    /// Whether it takes pictures.
    fn takes_images(&self) -> bool {
        false
    }

    /// How many tokens a request and its answer may have together, as the server of the model says. Default `None`: it does not say.
    async fn context_tokens(&self) -> Option<u64> {
        None
    }

    /// `text` of an answer without what may not be written down, such as the key of the service.
    fn redacted(&self, text: &str) -> String {
        text.to_owned()
    }

    /// Ask for the next turn.
    ///
    /// # Errors
    ///
    /// [`Error::model`](mitt_base::Error::model) - the model cannot be reached or refuses the request; a failure while it
    /// answers, or of a further try that was told of, is an item of the stream.
    async fn chat<'a>(&'a self, request: ChatRequest<'a>) -> Result<ChatStream<'a>>;
}
