//! State of a conversation after some entries: the messages for the model, and the current instruction.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use super::entry::{LogEntry, LoggedResult};
use crate::earlier::EarlierMessage;
use crate::model::{Message, ModelCall, ModelResponse, OutputFormat};
use crate::route::{Forks, Routed};
use mitt_base::lock;

/// State of a conversation. Only entries change it, and [`History::messages_mut`], by which results are shortened.
#[derive(Debug, Default)]
pub(crate) struct History {
    messages: Vec<Message>,
    /// Current instruction.
    open: Option<Open>,
    /// Form that is demanded of its answer, or of the answer to the next instruction.
    form: Option<OutputFormat>,
    /// Begun calls without a result that must not be made twice.
    begun: BegunCalls,
}

/// Ids of the calls that have begun, have no result, and must not be made twice. A cheap handle: a call is added while it is
/// made.
#[derive(Clone, Debug, Default)]
pub(crate) struct BegunCalls(Arc<Mutex<BTreeSet<String>>>);

impl BegunCalls {
    /// Adds a call.
    pub(crate) fn add(&self, call_id: String) {
        lock(&self.0).insert(call_id);
    }
}

/// Instruction that is being followed.
#[derive(Debug, Default)]
pub(crate) struct Open {
    /// Words of the user, including those while the model worked.
    pub(crate) instruction: String,
    /// Words that may ask for files: those of the instruction, and those while the model worked.
    pub(crate) requests: Vec<FileRequest>,
    /// Names of the files that were delivered for it.
    pub(crate) delivered: BTreeSet<String>,
    /// Decisions about it before the model saw it.
    pub(crate) routed: Routed,
    /// `true` if the user said more while the model worked.
    is_steered: bool,
}

/// Words of the user that may ask for files.
#[derive(Debug, Default)]
pub(crate) struct FileRequest {
    pub(crate) text: String,
    /// Names of the files that were delivered after it. Earlier ones are not what it asks for.
    pub(crate) delivered: BTreeSet<String>,
    /// `true` if the model was reminded of it.
    pub(crate) is_reminded: bool,
}

impl Open {
    fn new(instruction: String) -> Open {
        let request = FileRequest { text: instruction.clone(), ..FileRequest::default() };
        Open { instruction, requests: vec![request], ..Open::default() }
    }

    /// Adds what the user says while the model works.
    fn steer(&mut self, text: String) {
        self.instruction = format!("{}\n\n{text}", self.instruction);
        self.requests.push(FileRequest { text, ..FileRequest::default() });
        self.is_steered = true;
        let trace = std::mem::take(&mut self.routed.trace);
        self.route(Routed::of(trace, &self.instruction));
    }

    /// Sets the decisions. They are about the first words, so they take no tool away after further ones.
    fn route(&mut self, routed: Routed) {
        self.routed = routed;
        if self.is_steered {
            self.routed.has_tools = true;
            if self.routed.forks == Forks::Suppressed {
                self.routed.forks = Forks::NeedConfirmation;
            }
        }
    }
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

    /// Returns the form that is demanded of the answer to the current instruction, or to the next one.
    pub(crate) fn form(&self) -> Option<&OutputFormat> {
        self.form.as_ref()
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
        let Some((answer, results)) = self.last_turn() else { return Vec::new() };
        // Results of the caller's functions come in any order. A custom model may give one id twice.
        let mut ids: Vec<&str> = results.iter().filter_map(call_id).collect();
        let is_unanswered = |call: &&ModelCall| match ids.iter().position(|id| *id == call.id) {
            Some(at) => {
                ids.swap_remove(at);
                false
            }
            None => true,
        };
        answer.calls.iter().filter(is_unanswered).cloned().collect()
    }

    /// Returns the text of the model's last turn, if nobody said anything after it.
    pub(crate) fn last_text(&self) -> &str {
        self.last_turn().map_or("", |(answer, _)| answer.text.as_str())
    }

    /// Returns the last answer with its results, if there is no other message after them.
    fn last_turn(&self) -> Option<(&ModelResponse, &[Message])> {
        let last = self.messages.iter().rposition(|it| !matches!(it, Message::Tool { .. }))?;
        match &self.messages[last..] {
            [Message::Assistant(answer), results @ ..] => Some((answer, results)),
            _ => None,
        }
    }

    /// Returns whether a call that must not be made twice was begun, and may have been made.
    pub(crate) fn is_begun(&self, call: &ModelCall) -> bool {
        lock(&self.begun.0).contains(&call.id)
    }

    /// Returns the calls that have begun, to which further ones are added.
    pub(crate) fn begun(&self) -> BegunCalls {
        self.begun.clone()
    }

    /// Returns the calls that must not be made twice and of which it is unknown whether they were made.
    pub(crate) fn unknown(&self) -> Vec<ModelCall> {
        let mut calls = self.unanswered();
        calls.retain(|call| self.is_begun(call));
        calls
    }

    /// Applies a step.
    pub(crate) fn apply(&mut self, entry: LogEntry) {
        match entry {
            // A conversation without tools and instructions has none.
            LogEntry::System { text } if text.is_empty() => {
                if matches!(self.messages.first(), Some(Message::System(_))) {
                    self.messages.remove(0);
                }
            }
            LogEntry::System { text } => match self.messages.first_mut() {
                Some(first @ Message::System(_)) => *first = Message::System(text),
                _ => self.messages.insert(0, Message::System(text)),
            },
            LogEntry::Demanded { form } => self.form = form,
            LogEntry::User { text, with, images } => {
                self.add_missing_results();
                self.messages.push(Message::User { text: format!("{text}{with}"), images });
                self.open = Some(Open::new(text));
            }
            LogEntry::Steered { text, with } => {
                self.messages.push(Message::user(format!("{text}{with}")));
                if let Some(open) = &mut self.open {
                    open.steer(text);
                }
            }
            LogEntry::Earlier(message) => self.earlier(message),
            LogEntry::Routed { trace } => {
                if let Some(open) = &mut self.open {
                    let routed = Routed::of(trace, &open.instruction);
                    open.route(routed);
                }
            }
            LogEntry::Host { text } => {
                self.messages.push(Message::user(text));
                if let Some(open) = &mut self.open {
                    open.requests.iter_mut().for_each(|request| request.is_reminded = true);
                }
            }
            LogEntry::Answer { answer, .. } => {
                lock(&self.begun.0).clear();
                self.messages.push(Message::Assistant(answer));
            }
            LogEntry::Making { call_id } => self.begun.add(call_id),
            LogEntry::Result(result) => self.result(result),
            LogEntry::Summary { text } => self.summarise(&text),
            LogEntry::Ended { failure: None } => (self.open, self.form) = (None, None),
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
        // A custom model may give one id twice: a later call with the id has not begun.
        lock(&self.begun.0).remove(&call_id);
        self.messages.push(Message::Tool { call_id, content, is_error });
        self.sort_results();
        if let Some(open) = &mut self.open {
            for file in delivered {
                for request in &mut open.requests {
                    request.delivered.insert(file.name.clone());
                }
                open.delivered.insert(file.name);
            }
        }
    }

    /// Puts the results of the last answer into the order of its calls.
    fn sort_results(&mut self) {
        let Some((answer, results)) = self.last_turn() else { return };
        let place = |message: &Message| {
            answer.calls.iter().position(|call| call_id(message) == Some(call.id.as_str()))
        };
        if results.iter().is_sorted_by_key(place) {
            return;
        }
        let mut placed: Vec<_> = results.iter().map(|it| (place(it), it.clone())).collect();
        // Stable, for a model that gives one id twice.
        placed.sort_by_key(|(place, _)| *place);
        let first = self.messages.len() - placed.len();
        self.messages.truncate(first);
        self.messages.extend(placed.into_iter().map(|(_, message)| message));
    }

    fn earlier(&mut self, message: EarlierMessage) {
        self.open = None;
        match message {
            EarlierMessage::User { text } => self.messages.push(Message::user(text)),
            EarlierMessage::Assistant { text, calls } => {
                let answer = ModelResponse { text, calls, ..ModelResponse::default() };
                self.messages.push(Message::Assistant(answer));
            }
            EarlierMessage::Result { call_id, output, is_error } => {
                self.messages.push(Message::Tool { call_id, content: output, is_error });
                self.sort_results();
                // The model has not answered it. What it was asked for may have been delivered earlier.
                let said = self.messages.iter().rev().find_map(|it| match it {
                    Message::User { text, .. } => Some(text.clone()),
                    _ => None,
                });
                let instruction = said.unwrap_or_default();
                self.open = Some(Open { instruction, ..Open::default() });
            }
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

fn call_id(message: &Message) -> Option<&str> {
    match message {
        Message::Tool { call_id, .. } => Some(call_id),
        _ => None,
    }
}

fn is_answer(message: &Message) -> bool {
    matches!(message, Message::Assistant(_))
}
