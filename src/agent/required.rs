//! Calls that the caller requires: the first request says so, and an answer without the call is asked for once more.

use crate::conversation::Conversation;
use crate::demand::{Demand, DueCall, HeldDemand};
use crate::model::{Message, ModelResponse, ToolChoice, ToolSpec};
use mitt_base::{Error, ErrorKind, Result, text};

/// Beginning of the words with which the model is asked once more.
const REMINDER: &str =
    "(From the host, not from the user.) The caller requires a call with this answer";

/// Beginning of the words of the host.
const HOST: &str = "(From the host, not from the user.)";

/// Most bytes of a name, and most names, in a message.
const SHOWN_BYTES: usize = 64;
const SHOWN_NAMES: usize = 20;

impl Conversation<'_> {
    /// Sets what the caller demands of the answer to the next instruction, or to the one that [`Conversation::go_on`]
    /// continues. It holds until the instruction ends, also with an error. The form is in the log: an instruction that is
    /// continued keeps its form, also in another process, unless another demand is set. A required call is not in the log: set it
    /// again. It is required after the user's words, or after results that the caller handed in.
    pub fn demand(&mut self, demand: Demand) {
        let due = match demand.choice {
            ToolChoice::Auto | ToolChoice::None => DueCall::None,
            ToolChoice::Required | ToolChoice::Tool(_) => DueCall::Unknown,
        };
        self.held = HeldDemand { demand, is_set: true, due, ..HeldDemand::default() };
    }

    /// Notes whether the next request is the first one to which the demand applies.
    pub(crate) fn begin_demand(&mut self, is_new: bool) {
        if self.held.due == DueCall::Unknown {
            let is_first = is_new || self.is_before_first_answer();
            self.held.due = if is_first { DueCall::Now } else { DueCall::None };
        }
    }

    /// Ends the demand with its instruction.
    pub(crate) fn end_demand(&mut self) {
        self.held = HeldDemand::default();
    }

    /// Returns whether the model has said nothing since the user's words, or since the results of the caller's functions.
    fn is_before_first_answer(&self) -> bool {
        let messages = self.history.messages();
        match messages.last() {
            Some(Message::User { text, .. }) => {
                !text.starts_with(HOST) || text.starts_with(REMINDER)
            }
            Some(Message::Tool { call_id, .. }) => {
                let last = messages.iter().rev().find_map(|message| match message {
                    Message::Assistant(answer) => Some(answer),
                    _ => None,
                });
                let calls = last.into_iter().flat_map(|answer| &answer.calls);
                let functions = self.agent.functions();
                let is_function = |name: &str| functions.iter().any(|it| it.name == name);
                let mut of_caller = calls.filter(|call| is_function(&call.name));
                // Mitt's own calls of the same turn come first, and their results may be below.
                of_caller.next().is_some() && !call_id.is_empty()
            }
            _ => false,
        }
    }

    /// Returns how the next request may call tools.
    pub(crate) fn choice(&self) -> ToolChoice {
        match self.held.due {
            _ if self.held.is_mending => ToolChoice::None,
            DueCall::Now => self.held.demand.choice.clone(),
            _ => ToolChoice::Auto,
        }
    }

    /// Returns `true` if the answer has to meet a demand, so that it is no small talk.
    pub(crate) fn has_demand(&self) -> bool {
        self.held.due != DueCall::None || self.held.demand.form.is_some()
    }

    /// Checks that the model has what it has to call.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - it has not.
    pub(crate) fn check_choice(&self, specs: &[ToolSpec]) -> Result<()> {
        let names = || specs.iter().map(|spec| spec.name.as_str());
        let name = match self.choice() {
            ToolChoice::Auto | ToolChoice::None => return Ok(()),
            ToolChoice::Required if !specs.is_empty() => return Ok(()),
            ToolChoice::Required => {
                let message = "expected tools, of which one must be called, got none";
                let error = Error::new(ErrorKind::Input, message);
                return Err(error.hint("offer functions, or let the model choose"));
            }
            ToolChoice::Tool(name) if names().any(|it| it == name) => return Ok(()),
            ToolChoice::Tool(name) => name,
        };
        let shown = text::one_line(text::cut_bytes(&name, SHOWN_BYTES));
        let message = format!("expected a tool that the model has, got `{shown}`");
        let error = Error::new(ErrorKind::Input, message);
        Err(match text::nearest(&name, names()).first() {
            Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
            None => {
                let first: Vec<_> = names().take(SHOWN_NAMES).collect();
                error.hint(format!("it has {}", first.join(", ")))
            }
        })
    }

    /// Notes the calls of an answer.
    pub(crate) fn note_calls(&mut self, answer: &ModelResponse) {
        self.held.is_mending = false;
        if self.held.due == DueCall::None {
            return;
        }
        if self.held.demand.is_met_by(answer) {
            self.held.due = DueCall::None;
        } else if !answer.calls.is_empty() {
            self.held.due = DueCall::Later;
        }
    }

    /// Returns what is said to the model that wants to end without the required call; `None` if nothing is missing.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - the model was asked once more already, or `can_react` is `false`.
    pub(crate) fn missing_call(&mut self, can_react: bool) -> Result<Option<String>> {
        if !matches!(self.held.due, DueCall::Now | DueCall::Later) {
            return Ok(None);
        }
        let names: Vec<&str> = match &self.held.demand.choice {
            ToolChoice::Tool(name) => vec![name],
            _ => self.held.demand.one_of.iter().map(String::as_str).collect(),
        };
        let what = match names.as_slice() {
            [] => "a tool".to_owned(),
            [one] => format!("`{one}`"),
            several => {
                let shown: Vec<_> =
                    several.iter().take(SHOWN_NAMES).map(|it| format!("`{it}`")).collect();
                format!("one of {}", shown.join(", "))
            }
        };
        if self.held.is_repeated || !can_react {
            let error = Error::model(format!(
                "the model answered without the required call of {what}, although it was asked twice"
            ));
            return Err(
                error.hint("say what the call is for, let the model choose, or take another model")
            );
        }
        (self.held.is_repeated, self.held.due) = (true, DueCall::Now);
        Ok(Some(format!("{REMINDER}: {what}. Make the call now.")))
    }
}
