//! A function of the caller as a chat model.

use std::sync::Arc;

use async_trait::async_trait;
use futures_util::stream;
use mitt::{ErrorKind, Result};
use mitt_agent::model::{ChatModel, ChatRequest, ChatStream};

use crate::answer::Answer;
use crate::{chat_request, chat_response};

/// A model of the caller.
pub(crate) struct AnsweredModel {
    pub(crate) name: String,
    pub(crate) answer: Arc<dyn Answer>,
}

#[async_trait]
impl ChatModel for AnsweredModel {
    fn name(&self) -> &str {
        &self.name
    }

    async fn chat<'a>(&'a self, request: ChatRequest<'a>) -> Result<ChatStream<'a>> {
        let json = chat_request::json(&self.name, &request).to_string();
        let answer = self.answer.answer(json, ErrorKind::Model).await?;
        let events = chat_response::events(&answer)?;
        Ok(Box::pin(stream::iter(events.into_iter().map(Ok))))
    }
}
