//! Assembles calls that arrive in pieces and out of order.
//!
//! Knows no wire.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::super::arguments::{Brackets, MAX_CALLS, is_json, or_empty, too_many_calls};
use super::super::{ChatEvent, ModelCall};
use super::Out;
use mitt_base::Result;

/// A call as chat completions and Ollama send it.
#[derive(Deserialize)]
pub(super) struct Function<'a> {
    pub(super) name: Option<String>,
    #[serde(borrow)]
    pub(super) arguments: Option<&'a RawValue>,
}

/// A piece of a call, as a service sent it.
#[derive(Default)]
pub(super) struct CallDelta<'a> {
    pub(super) index: Option<u64>,
    pub(super) id: Option<&'a str>,
    pub(super) name: Option<&'a str>,
    pub(super) arguments: String,
    /// Data that the service needs back with the call.
    pub(super) extra: Option<Value>,
}

/// The calls of an answer so far.
#[derive(Default)]
pub(super) struct Calls {
    calls: Vec<Partial>,
    /// The last call of each index, and of each id that the service gave.
    by_index: HashMap<u64, usize>,
    by_id: HashMap<String, usize>,
}

struct Partial {
    /// Id that the service gave; may be missing or repeated.
    given: Option<String>,
    /// Id that it has in the conversation.
    id: String,
    name: String,
    arguments: String,
    extra: Option<Value>,
    brackets: Brackets,
    /// `true` if the arguments are JSON, once they may be complete: what follows does not change that.
    is_json: Option<bool>,
}

impl Partial {
    /// Returns `true` if its arguments are one complete JSON object. They are parsed at most once.
    fn is_complete(&mut self) -> bool {
        self.brackets.see(&self.arguments);
        self.brackets.is_one()
            && *self.is_json.get_or_insert_with(|| {
                self.arguments.trim_end().ends_with('}') && is_json(&self.arguments)
            })
    }
}

impl Calls {
    /// Returns the data that the service needs back with calls, by id.
    pub(super) fn extras(&self) -> Map<String, Value> {
        let extra = |partial: &Partial| Some((partial.id.clone(), partial.extra.clone()?));
        self.calls.iter().filter_map(extra).collect()
    }

    /// Adds a piece. Reports a call that begins with it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - the answer makes too many calls.
    pub(super) fn add(&mut self, piece: CallDelta<'_>, out: &mut Out) -> Result<()> {
        let piece = CallDelta {
            id: piece.id.filter(|id| !id.is_empty()),
            name: piece.name.filter(|name| !name.is_empty()),
            ..piece
        };
        if let Some(partial) = self.continued(&piece) {
            partial.arguments.push_str(&piece.arguments);
            partial.extra = piece.extra.or(partial.extra.take());
            if let (true, Some(name)) = (partial.name.is_empty(), piece.name) {
                partial.name = name.to_owned();
                let id = partial.id.clone();
                out.push(ChatEvent::CallStarted { id, name: name.to_owned() });
            }
            return Ok(());
        }
        if self.calls.len() >= MAX_CALLS {
            return Err(too_many_calls());
        }
        let (id, name) = (out.ids.give(piece.id), piece.name.unwrap_or_default().to_owned());
        if !name.is_empty() {
            out.push(ChatEvent::CallStarted { id: id.clone(), name: name.clone() });
        }
        let given = piece.id.map(str::to_owned);
        let CallDelta { index, arguments, extra, .. } = piece;
        let at = self.calls.len();
        self.by_index.extend(index.map(|index| (index, at)));
        self.by_id.extend(given.clone().map(|id| (id, at)));
        let (brackets, is_json) = (Brackets::default(), None);
        self.calls.push(Partial { given, id, name, arguments, extra, brackets, is_json });
        Ok(())
    }

    /// Returns the call that a piece continues; `None` if it begins one. Index, id and name may each be missing or repeated,
    /// so a piece with a name begins a call wherever the text before it can be a complete one.
    fn continued(&mut self, piece: &CallDelta<'_>) -> Option<&mut Partial> {
        let last = self.calls.len().checked_sub(1);
        let found = match (piece.index, piece.id) {
            (Some(index), _) => self.by_index.get(&index).copied(),
            (None, Some(id)) => self.by_id.get(id).copied(),
            (None, None) => last,
        };
        // Some servers number only the first piece of a call.
        let is_bare = piece.id.is_none() && piece.name.is_none();
        let partial = &mut self.calls[found.or(if is_bare { last } else { None })?];
        if let (Some(id), Some(given)) = (piece.id, &partial.given)
            && id != given
        {
            return None;
        }
        let begins = match piece.name {
            Some(_) if partial.name.is_empty() => false,
            Some(name) => {
                partial.name != name
                    || partial.is_complete()
                    // Without an id, nothing shows that the call goes on unless its arguments have begun.
                    || (piece.id.is_none() && partial.arguments.is_empty())
            }
            None => false,
        };
        if begins { None } else { Some(partial) }
    }

    /// Replaces the arguments that came in pieces by the complete ones.
    pub(super) fn set_arguments(&mut self, index: u64, arguments: String) {
        let partial = self.by_index.get(&index).and_then(|at| self.calls.get_mut(*at));
        if let Some(partial) = partial {
            (partial.arguments, partial.brackets, partial.is_json) =
                (arguments, Brackets::default(), None);
        }
    }

    /// Returns the arguments so far of the call with this index.
    pub(super) fn arguments(&self, index: u64) -> Option<&str> {
        let partial = self.by_index.get(&index).and_then(|at| self.calls.get(*at));
        partial.map(|partial| partial.arguments.as_str())
    }

    /// Returns `true` if a call has no name, or arguments that do not end.
    pub(super) fn is_half(&self) -> bool {
        self.calls.iter().any(|partial| {
            partial.name.is_empty()
                || !(partial.arguments.trim().is_empty() || is_json(&partial.arguments))
        })
    }

    /// Takes all calls, in the order in which they began.
    pub(super) fn take(&mut self) -> Vec<ModelCall> {
        let Calls { calls, .. } = std::mem::take(self);
        calls
            .into_iter()
            .map(|Partial { id, name, arguments, .. }| ModelCall {
                id,
                name,
                arguments: or_empty(arguments),
            })
            .collect()
    }

    /// Takes the complete calls of an answer that reached its limit.
    pub(super) fn take_whole(&mut self) -> Vec<ModelCall> {
        self.calls.retain(|partial| !partial.name.is_empty() && is_json(&partial.arguments));
        self.take()
    }
}

/// Returns arguments for a wire that requires an object. Anything else becomes a string in an object, so that the model sees
/// what it wrote.
pub(super) fn as_object(arguments: &str) -> Box<RawValue> {
    match serde_json::from_str::<Box<RawValue>>(arguments) {
        Ok(value) if value.get().starts_with('{') => value,
        _ => super::object([("invalid_arguments", super::raw(arguments))]),
    }
}
