//! Begins a conversation with messages that the client keeps itself.

use std::collections::BTreeSet;

use crate::conversation::Conversation;
use crate::earlier::EarlierMessage;
use crate::log::LogEntry;
use crate::model::Message;
use mitt_base::{Error, ErrorKind, Result, text};

/// Most earlier messages.
const MAX_MESSAGES: usize = 10_000;

/// Most bytes of the earlier messages.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// Most bytes of an id in an error.
const SHOWN_BYTES: usize = 100;

impl Conversation<'_> {
    /// Adds messages from before this conversation began, such as those that a client of a stateless interface sends each time:
    /// pairs of a [`Speaker`](crate::Speaker) and a text, or [`EarlierMessage`]s. Blank messages are left out. They are written
    /// to the log, so [`Conversation::log_to`] comes first.
    ///
    /// If the last message is the result of a call, the model has not answered yet: [`Conversation::go_on`] asks it. No file is
    /// missed then, because earlier requests may have delivered it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - the conversation has messages already, there are more than 10 000 messages or 16 MiB, a call has no
    /// result directly after its turn, or a result has no call. Nothing was added.
    pub fn seed<M: Into<EarlierMessage>>(
        &mut self,
        history: impl IntoIterator<Item = M>,
    ) -> Result<()> {
        let is_fresh = |message: &Message| matches!(message, Message::System(_));
        if !self.history.messages().iter().all(is_fresh) {
            let message = "expected a conversation without messages, got one that has begun";
            return Err(Error::new(ErrorKind::Input, message));
        }
        let messages = checked(history.into_iter().map(Into::into))?;
        for message in messages {
            self.record_entry(LogEntry::Earlier(message));
        }
        Ok(())
    }
}

/// Returns the messages that are not blank.
fn checked(history: impl Iterator<Item = EarlierMessage>) -> Result<Vec<EarlierMessage>> {
    let wrong = |message: String| Err(Error::new(ErrorKind::Input, message));
    let (mut messages, mut bytes) = (Vec::new(), 0);
    let (mut ids, mut open) = (BTreeSet::new(), Vec::<String>::new());
    for (index, message) in history.enumerate() {
        bytes += message.bytes();
        if index >= MAX_MESSAGES || bytes > MAX_BYTES {
            return wrong(format!(
                "expected at most {MAX_MESSAGES} earlier messages of {MAX_BYTES} bytes, got more at message {index}"
            ));
        }
        if message.is_blank() {
            continue;
        }
        match &message {
            EarlierMessage::Result { call_id, .. } => {
                let Some(at) = open.iter().position(|id| id == call_id) else {
                    return wrong(format!(
                        "message {index}: expected the result of a call of the turn before it, got one of `{}`",
                        shown(call_id)
                    ));
                };
                open.remove(at);
            }
            EarlierMessage::User { .. } | EarlierMessage::Assistant { .. } => {
                if let Some(id) = open.first() {
                    return wrong(without_result(id));
                }
            }
        }
        if let EarlierMessage::Assistant { calls, .. } = &message {
            for call in calls {
                if !ids.insert(call.id.clone()) {
                    return wrong(format!(
                        "message {index}: expected an id of its own for each call, got `{}` again",
                        shown(&call.id)
                    ));
                }
                open.push(call.id.clone());
            }
        }
        messages.push(message);
    }
    match open.first() {
        Some(id) => wrong(without_result(id)),
        None => Ok(messages),
    }
}

fn without_result(id: &str) -> String {
    format!("expected a result of the call `{}` directly after its turn, got none", shown(id))
}

fn shown(id: &str) -> String {
    text::one_line(text::cut_bytes(id, SHOWN_BYTES)).to_string()
}
