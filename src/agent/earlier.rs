//! Messages of a conversation before it began here, which the client keeps itself.

use serde::{Deserialize, Serialize};

use crate::model::ModelCall;

/// Who said an earlier message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The user.
    User,
    /// The model.
    Assistant,
}

/// Message of a conversation before it began here: [`Conversation::seed`](crate::Conversation::seed).
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EarlierMessage {
    /// Words of the user.
    User {
        /// The words.
        text: String,
    },
    /// Turn of a model.
    Assistant {
        /// Its text.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
        /// Its calls of functions of the caller. Each has a result, directly after the turn.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ModelCall>,
    },
    /// Result of a call.
    Result {
        /// Id of the call.
        call_id: String,
        /// Text for the model.
        output: String,
        /// `true` if the call failed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

impl EarlierMessage {
    /// Returns `true` if there is nothing in it for a model.
    pub(crate) fn is_blank(&self) -> bool {
        match self {
            EarlierMessage::User { text } => text.trim().is_empty(),
            EarlierMessage::Assistant { text, calls } => text.trim().is_empty() && calls.is_empty(),
            EarlierMessage::Result { .. } => false,
        }
    }

    /// Returns its length in bytes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            EarlierMessage::User { text } => text.len(),
            EarlierMessage::Assistant { text, calls } => {
                let bytes =
                    |call: &ModelCall| call.id.len() + call.name.len() + call.arguments.len();
                text.len() + calls.iter().map(bytes).sum::<usize>()
            }
            EarlierMessage::Result { call_id, output, .. } => call_id.len() + output.len(),
        }
    }
}

impl From<(Speaker, String)> for EarlierMessage {
    fn from((speaker, text): (Speaker, String)) -> EarlierMessage {
        match speaker {
            Speaker::User => EarlierMessage::User { text },
            Speaker::Assistant => EarlierMessage::Assistant { text, calls: Vec::new() },
        }
    }
}
