//! A model that can be replaced during a conversation.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;

use super::{ChatModel, ChatRequest, ChatStream};
use mitt::schema::lower::Dialect;
use mitt_base::{Error, Remedy, Result};

/// Most models of one conversation, one after the other. All are kept, because their names are borrowed from them.
const MAX_MODELS: usize = 64;

/// A model that can be replaced. Its methods are those of the current model.
///
/// After a change, [`Conversation::model_changed`](crate::Conversation::model_changed) removes what only the former model can read.
pub struct SwitchModel {
    models: [OnceLock<Arc<dyn ChatModel>>; MAX_MODELS],
    /// Index of the current model.
    at: AtomicUsize,
}

impl SwitchModel {
    /// Creates it with `model`.
    pub fn new(model: Arc<dyn ChatModel>) -> SwitchModel {
        let models = [const { OnceLock::new() }; MAX_MODELS];
        let _ = models[0].set(model);
        SwitchModel { models, at: AtomicUsize::new(0) }
    }

    /// Replaces the current model with `model`. Answers that have begun still come from the former one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - 64 models were there before it.
    pub fn switch(&self, model: Arc<dyn ChatModel>) -> Result<()> {
        let next = self.at.load(Ordering::Acquire) + 1;
        let is_set = self.models.get(next).is_some_and(|place| place.set(model).is_ok());
        if !is_set {
            let error = Error::model(format!(
                "a conversation has at most {MAX_MODELS} models, one after the other"
            ));
            return Err(error.remedy(Remedy::NewConversation));
        }
        self.at.store(next, Ordering::Release);
        Ok(())
    }

    fn model(&self) -> &dyn ChatModel {
        let places = &self.models[..=self.at.load(Ordering::Acquire)];
        let model = places.iter().rev().find_map(OnceLock::get);
        // `new` sets the first one.
        model.map_or_else(|| unreachable!("there is a first model"), |model| &**model)
    }
}

#[async_trait]
impl ChatModel for SwitchModel {
    fn name(&self) -> &str {
        self.model().name()
    }

    fn dialect(&self) -> Dialect {
        self.model().dialect()
    }

    fn can_react(&self) -> bool {
        self.model().can_react()
    }

    fn takes_images(&self) -> bool {
        self.model().takes_images()
    }

    async fn context_tokens(&self) -> Option<u64> {
        self.model().context_tokens().await
    }

    fn redacted(&self, text: &str) -> String {
        // The conversation may contain the key of a former model.
        let models = self.models.iter().map_while(OnceLock::get);
        models.fold(text.to_owned(), |text, model| model.redacted(&text))
    }

    async fn chat<'a>(&'a self, request: ChatRequest<'a>) -> Result<ChatStream<'a>> {
        self.model().chat(request).await
    }
}
