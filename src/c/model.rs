//! A function of the caller as a chat model.

use async_trait::async_trait;
use futures_util::stream;
use mitt::{ErrorKind, Result};
use mitt_agent::model::{ChatModel, ChatRequest, ChatStream};

use crate::callback::Callback;
use crate::{chat_request, chat_response};

/// A model of the caller.
pub(crate) struct CallbackModel {
    pub(crate) name: String,
    pub(crate) callback: Callback,
}

#[async_trait]
impl ChatModel for CallbackModel {
    fn name(&self) -> &str {
        &self.name
    }

    async fn chat<'a>(&'a self, request: ChatRequest<'a>) -> Result<ChatStream<'a>> {
        let json = chat_request::json(&self.name, &request).to_string();
        let answer = self.callback.call(json, ErrorKind::Model).await?;
        let events = chat_response::events(&answer)?;
        Ok(Box::pin(stream::iter(events.into_iter().map(Ok))))
    }
}
