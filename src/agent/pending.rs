//! Calls of the caller's functions: an instruction waits for their results, without holding anything.

use serde_json::Value;

use crate::caller_function::UnansweredCalls;
use crate::conversation::Conversation;
use crate::log::{LogEntry, LoggedResult};
use crate::model::{ModelCall, ModelResponse};
use crate::offer::ACTIVATE;
use crate::team::{DELEGATE, TRANSFER};
use mitt::guard::{Checked, Guard, Hit};
use mitt_base::{Error, ErrorKind, Result, text};

/// Most bytes of a result. It is kept with the conversation, and sent to the model.
const MAX_OUTPUT_BYTES: usize = 1024 * 1024;

/// Most bytes of an id in an error.
const SHOWN_BYTES: usize = 100;

impl Conversation<'_> {
    /// Returns the calls of the caller's functions that wait for a result, in the order in which the model requested them; empty
    /// if the current instruction does not wait. Those of a resumed conversation are the same, if its agent has the same
    /// functions.
    pub fn pending(&self) -> Vec<ModelCall> {
        if self.is_unfinished() { self.unanswered_calls().pending } else { Vec::new() }
    }

    /// Gives the model the result of a call of the caller's function. With the result of each pending call,
    /// [`Conversation::go_on`] continues the instruction. Results can come in any order.
    ///
    /// The session's rules about content apply to `output`. `is_error` says that the call failed, for services that
    /// distinguish that.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - no call with this id is pending, or the output has more than 1 MiB.
    /// [`ErrorKind::Blocked`] - a rule about content blocks the output. The call is still pending in any case.
    pub fn provide(&mut self, call_id: &str, output: &str, is_error: bool) -> Result<()> {
        let pending = self.pending();
        let shown = |id: &str| text::one_line(text::cut_bytes(id, SHOWN_BYTES)).to_string();
        let Some(call) = pending.iter().find(|call| call.id == call_id) else {
            let ids: Vec<_> = pending.iter().map(|call| format!("`{}`", shown(&call.id))).collect();
            let expected = if ids.is_empty() {
                "no result, because no call is pending".to_owned()
            } else {
                format!("a result of {}", ids.join(" or "))
            };
            let message = format!("expected {expected}, got one of `{}`", shown(call_id));
            return Err(Error::new(ErrorKind::Input, message));
        };
        if output.len() > MAX_OUTPUT_BYTES {
            let message =
                format!("output: expected at most {MAX_OUTPUT_BYTES} bytes, got {}", output.len());
            return Err(Error::new(ErrorKind::Input, message)
                .hint("give the result as a document, and its name as the output"));
        }
        let guard = self.session.guard();
        let checked = guard.apply_read(output);
        let checked = checked.map_err(|it| Error::from(*it).at("the result of a function"))?;
        self.session.note_found("the result of a function", &checked.hits);
        let result = LoggedResult {
            content: checked.text.into_owned(),
            is_error,
            next_table: self.session.next_table(),
            ..LoggedResult::none(call, false)
        };
        self.record_entry(LogEntry::Result(result));
        Ok(())
    }

    /// Returns the calls of the last answer that have no result yet.
    pub(crate) fn unanswered_calls(&self) -> UnansweredCalls {
        UnansweredCalls::of(self.history.unanswered(), self.agent.functions())
    }

    /// Checks that no function of the caller has the name of a tool of the session. Skills can change during a conversation, so
    /// this is checked before each turn.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - one has.
    pub(crate) async fn check_functions(&self) -> Result<()> {
        let functions = self.agent.functions();
        if functions.is_empty() || !self.agent.has_tools() {
            return Ok(());
        }
        let tools = self.session.registry().tools().await;
        let is_tool = |name: &str| {
            [ACTIVATE, DELEGATE, TRANSFER].contains(&name)
                || tools.iter().any(|tool| tool.name.as_str() == name)
        };
        match functions.iter().find(|function| is_tool(&function.name)) {
            None => Ok(()),
            Some(function) => {
                let message = format!(
                    "expected a function with a name of its own, got `{}`, which is a tool of Mitt",
                    function.name
                );
                Err(Error::new(ErrorKind::Input, message)
                    .hint("leave it out, since the model has the tool, or give it another name"))
            }
        }
    }

    /// Applies the session's rules about content to the arguments of calls that leave Mitt.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Blocked`] - a rule blocks them.
    pub(crate) fn with_checked_arguments(
        &self,
        mut answer: ModelResponse,
    ) -> Result<ModelResponse> {
        let guard = self.session.guard();
        let functions = self.agent.functions();
        if guard.is_empty() || functions.is_empty() {
            return Ok(answer);
        }
        let is_function =
            |call: &&mut ModelCall| functions.iter().any(|function| function.name == call.name);
        for call in answer.calls.iter_mut().filter(is_function) {
            let mut hits = Vec::new();
            let checked = checked_arguments(&guard, &call.arguments, &mut hits);
            let checked = checked.map_err(|error| error.at("the arguments of a function"))?;
            self.session.note_found("the arguments of a function", &hits);
            if let Some(redacted) = checked {
                call.arguments = redacted;
            }
        }
        Ok(answer)
    }
}

/// Returns the arguments with everything redacted that a rule says to redact; `None` if that is nothing.
fn checked_arguments(
    guard: &Guard,
    arguments: &str,
    hits: &mut Vec<Hit>,
) -> Result<Option<String>> {
    // Rules apply to the texts, whose letters may be escaped in JSON.
    if let Ok(mut value) = serde_json::from_str::<Value>(arguments) {
        let is_redacted = redact(guard, &mut value, hits)?;
        return Ok(is_redacted.then(|| value.to_string()));
    }
    redacted(guard, arguments, hits)
}

/// Redacts texts, numbers and names in a value. Returns whether anything was redacted.
fn redact(guard: &Guard, value: &mut Value, hits: &mut Vec<Hit>) -> Result<bool> {
    let mut is_redacted = false;
    match value {
        Value::Null | Value::Bool(_) => {}
        Value::String(text) => {
            if let Some(redacted) = redacted(guard, text, hits)? {
                (*text, is_redacted) = (redacted, true);
            }
        }
        Value::Number(number) => {
            if let Some(redacted) = redacted(guard, &number.to_string(), hits)? {
                (*value, is_redacted) = (Value::String(redacted), true);
            }
        }
        Value::Array(items) => {
            for item in items {
                is_redacted |= redact(guard, item, hits)?;
            }
        }
        Value::Object(members) => {
            for (name, mut member) in std::mem::take(members) {
                is_redacted |= redact(guard, &mut member, hits)?;
                let name = match redacted(guard, &name, hits)? {
                    Some(redacted) => {
                        is_redacted = true;
                        redacted
                    }
                    None => name,
                };
                members.insert(name, member);
            }
        }
    }
    Ok(is_redacted)
}

fn redacted(guard: &Guard, text: &str, hits: &mut Vec<Hit>) -> Result<Option<String>> {
    let Checked { text: checked, hits: found, left_out, .. } =
        guard.apply_read(text).map_err(|it| Error::from(*it))?;
    hits.extend(found);
    Ok((!left_out.is_empty()).then(|| checked.into_owned()))
}
