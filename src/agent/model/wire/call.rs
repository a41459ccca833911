//! Calls while they come in, in pieces and out of order.
//!
//! Knows no wire.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::super::arguments::{is_json, or_empty};
use super::super::{ChatEvent, ModelCall};
use super::Out;

/// What chat completions and Ollama send of a call.
#[derive(Deserialize)]
pub(super) struct Function<'a> {
    pub(super) name: Option<String>,
    #[serde(borrow)]
    pub(super) arguments: Option<&'a RawValue>,
}

/// A piece of a call, as a service sent it.
#[derive(Default)]
pub(super) struct Piece<'a> {
    pub(super) index: Option<u64>,
    pub(super) id: Option<&'a str>,
    pub(super) name: Option<&'a str>,
    pub(super) arguments: String,
    /// What the service wants back with the call.
    pub(super) extra: Option<Value>,
}

/// The calls of an answer so far.
#[derive(Default)]
pub(super) struct Calls(Vec<Partial>);

struct Partial {
    index: Option<u64>,
    /// What the service called it; may be missing or repeated.
    given: Option<String>,
    /// What we call it.
    id: String,
    name: String,
    arguments: String,
    extra: Option<Value>,
}

impl Partial {
    /// Whether its arguments are one whole JSON value.
    fn is_complete(&self) -> bool {
        // Most pieces are not the last: the cheap look spares parsing all that came before with each of them.
        self.arguments.trim_end().ends_with('}') && is_json(&self.arguments)
    }
}

impl Calls {
    /// What the service wants back with calls, by their ids.
    pub(super) fn extras(&self) -> Map<String, Value> {
        let extra = |partial: &Partial| Some((partial.id.clone(), partial.extra.clone()?));
        self.0.iter().filter_map(extra).collect()
    }

    /// Take in a piece; tells of a call that begins.
    pub(super) fn add(&mut self, piece: Piece<'_>, out: &mut Out) {
        let piece = Piece {
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
            return;
        }
        let (id, name) = (out.ids.give(piece.id), piece.name.unwrap_or_default().to_owned());
        if !name.is_empty() {
            out.push(ChatEvent::CallStarted { id: id.clone(), name: name.clone() });
        }
        let given = piece.id.map(str::to_owned);
        let Piece { index, arguments, extra, .. } = piece;
        self.0.push(Partial { index, given, id, name, arguments, extra });
    }

    /// The call that a piece belongs to; none if it begins one. Index, id and name each may be missing or repeated, so a
    /// piece with a name begins a call wherever what came before can be a whole one.
    fn continued(&mut self, piece: &Piece<'_>) -> Option<&mut Partial> {
        let last = self.0.len().checked_sub(1);
        let found = match (piece.index, piece.id) {
            (Some(_), _) => self.0.iter().rposition(|partial| partial.index == piece.index),
            (None, Some(id)) => {
                self.0.iter().rposition(|partial| partial.given.as_deref() == Some(id))
            }
            (None, None) => last,
        };
        // Some servers number only the first piece of a call.
        let is_bare = piece.id.is_none() && piece.name.is_none();
        let partial = &mut self.0[found.or(if is_bare { last } else { None })?];
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
                    // Without an id there is no sign that it goes on, unless its arguments did begin.
                    || (piece.id.is_none() && partial.arguments.is_empty())
            }
            None => false,
        };
        if begins { None } else { Some(partial) }
    }

    /// Replace what came in pieces by the whole.
    pub(super) fn set_arguments(&mut self, index: u64, arguments: String) {
        let partial = self.0.iter_mut().rev().find(|partial| partial.index == Some(index));
        if let Some(partial) = partial {
            partial.arguments = arguments;
        }
    }

    /// The arguments of the call of this index so far.
    pub(super) fn arguments(&self, index: u64) -> Option<&str> {
        let partial = self.0.iter().rev().find(|partial| partial.index == Some(index));
        partial.map(|partial| partial.arguments.as_str())
    }

    /// Whether one of them has no name, or arguments that do not end.
    pub(super) fn is_half(&self) -> bool {
        self.0.iter().any(|partial| {
            partial.name.is_empty()
                || !(partial.arguments.trim().is_empty() || is_json(&partial.arguments))
        })
    }

    /// All of them, in the order in which they began.
    pub(super) fn take(&mut self) -> Vec<ModelCall> {
        let calls = std::mem::take(&mut self.0).into_iter();
        calls
            .map(|Partial { id, name, arguments, .. }| ModelCall {
                id,
                name,
                arguments: or_empty(arguments),
            })
            .collect()
    }

    /// Those that are whole, of an answer that reached its limit.
    pub(super) fn take_whole(&mut self) -> Vec<ModelCall> {
        self.0.retain(|partial| !partial.name.is_empty() && is_json(&partial.arguments));
        self.take()
    }
}

/// Arguments for a wire that wants an object. What is none is handed back as a text in one: the model sees what it wrote.
pub(super) fn as_object(arguments: &str) -> Box<RawValue> {
    match serde_json::from_str::<Box<RawValue>>(arguments) {
        Ok(value) if value.get().starts_with('{') => value,
        _ => super::object([("invalid_arguments", super::raw(arguments))]),
    }
}
