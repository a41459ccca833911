//! State of a conversation after some entries: the messages for the model, and the current instruction.

use std::collections::BTreeSet;

use super::entry::{LogEntry, LoggedResult};
use crate::model::{Message, ModelCall, ModelResponse};
use crate::route::Routed;

/// State of a conversation. Only entries change it, and [`History::messages_mut`], by which results are shortened.
#[derive(Debug, Default)]
pub(crate) struct History {
    messages: Vec<Message>,
    /// Current instruction.
    open: Option<Open>,
    /// Ids of begun calls that must not be made twice.
    begun: BTreeSet<String>,
}

/// Instruction that is being followed.
#[derive(Debug, Default)]
pub(crate) struct Open {
    /// Words of the user.
    pub(crate) instruction: String,
    /// `true` if the model was reminded of something.
    pub(crate) is_reminded: bool,
    /// Names of the files that were delivered for it.
    pub(crate) delivered: BTreeSet<String>,
    /// Decisions about it before the model saw it.
    pub(crate) routed: Routed,
}

impl History {
    /// Returns the messages for the model.
    pub(crate) fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Returns the messages for shortening.
    pub(crate) fn messages_mut(&mut self) -> &mut [Message] {
        &mut self.messages
    }

    /// Returns the current instruction; `None` if all were completed.
    pub(crate) fn open(&self) -> Option<&Open> {
        self.open.as_ref()
    }

    /// Returns the model's last answer, if it is the last message.
    pub(crate) fn last_answer(&self) -> Option<&ModelResponse> {
        match self.messages.last() {
            Some(Message::Assistant(answer)) => Some(answer),
            _ => None,
        }
    }

    /// Returns the calls of the last answer that have no result yet.
    pub(crate) fn unanswered(&self) -> Vec<ModelCall> {
        let results = self.messages.iter().rev();
        let n_results = results.take_while(|it| matches!(it, Message::Tool { .. })).count();
        // Results are in the order of their calls.
        match self.messages.iter().rev().nth(n_results) {
            Some(Message::Assistant(answer)) => {
                answer.calls.iter().skip(n_results).cloned().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns whether a call that must not be made twice was begun, and may have been made.
    pub(crate) fn is_begun(&self, call: &ModelCall) -> bool {
        self.begun.contains(&call.id)
    }

    /// Applies a step.
    pub(crate) fn apply(&mut self, entry: LogEntry) {
        match entry {
            LogEntry::System { text } => match self.messages.first_mut() {
                Some(first @ Message::System(_)) => *first = Message::System(text),
                _ => self.messages.insert(0, Message::System(text)),
            },
            LogEntry::User { text, with, images } => {
                self.add_missing_results();
                self.messages.push(Message::User { text: format!("{text}{with}"), images });
                self.open = Some(Open { instruction: text, ..Open::default() });
            }
            LogEntry::Routed { trace } => {
                if let Some(open) = &mut self.open {
                    open.routed = Routed::of(trace, &open.instruction);
                }
            }
            LogEntry::Host { text } => {
                self.messages.push(Message::user(text));
                if let Some(open) = &mut self.open {
                    open.is_reminded = true;
                }
            }
            LogEntry::Answer { answer, .. } => {
                self.begun.clear();
                self.messages.push(Message::Assistant(answer));
            }
            LogEntry::Making { call_id } => {
                self.begun.insert(call_id);
            }
            LogEntry::Result(result) => self.result(result),
            LogEntry::Summary { text } => self.summarise(&text),
            LogEntry::Ended { failure: None } => self.open = None,
            LogEntry::Document(_)
            | LogEntry::Delegated(_)
            | LogEntry::Plan(_)
            | LogEntry::FromAgent { .. }
            | LogEntry::LeftOut
            | LogEntry::Transferred { .. }
            | LogEntry::Resumed { .. }
            | LogEntry::Ended { failure: Some(_) } => {}
        }
    }

    fn result(&mut self, result: LoggedResult) {
        let LoggedResult { call_id, content, is_error, delivered, .. } = result;
        self.messages.push(Message::Tool { call_id, content, is_error });
        if let Some(open) = &mut self.open {
            open.delivered.extend(delivered.into_iter().map(|file| file.name));
        }
    }

    /// Adds a result to each call without one, because services refuse calls without results.
    fn add_missing_results(&mut self) {
        for call in self.unanswered() {
            let result = LoggedResult::none(&call, self.is_begun(&call));
            self.result(result);
        }
    }

    /// Replaces answers and results before the last answer by a summary. The user's words stay.
    fn summarise(&mut self, text: &str) {
        let Some(last) = self.messages.iter().rposition(is_answer) else { return };
        let said =
            format!("(From the host, not from the user.) What was done before, in short:\n{text}");
        let rest = self.messages.split_off(last);
        self.messages.retain(|it| matches!(it, Message::System(_) | Message::User { .. }));
        self.messages.push(Message::user(said));
        self.messages.extend(rest);
    }
}

fn is_answer(message: &Message) -> bool {
    matches!(message, Message::Assistant(_))
}
