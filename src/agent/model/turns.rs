//! Puts a conversation into the order that services require: every call has exactly one result, right behind its turn.
//!
//! Knows no wire.

use std::collections::HashSet;

use super::{ChatRequest, Image, Message, ModelCall, ModelResponse};

/// Content of the result for a call that has none.
const NO_RESULT: &str = "no result: the call was not made";

/// A message in this order.
pub(super) enum Turn<'a> {
    System(&'a str),
    User { text: &'a str, images: &'a [Image] },
    Assistant(&'a ModelResponse),
    Result { call: &'a ModelCall, content: &'a str, is_error: bool },
}

/// Returns the system prompt, and everything else in order. Results without a call and second results are left out. A call
/// without a result gets one that says so, because services refuse the whole request otherwise.
pub(super) fn turns<'a>(request: &ChatRequest<'a>) -> (String, Vec<Turn<'a>>) {
    let messages = request.messages;
    let n_leading =
        messages.iter().take_while(|message| matches!(message, Message::System(_))).count();
    let system = messages[..n_leading].iter().filter_map(|message| match message {
        Message::System(text) => Some(text.as_str()),
        _ => None,
    });
    let system = system.collect::<Vec<_>>().join("\n\n");
    let mut turns = Vec::new();
    for (index, message) in messages.iter().enumerate().skip(n_leading) {
        match message {
            Message::System(text) => turns.push(Turn::System(text)),
            Message::User { text, images } => turns.push(Turn::User { text, images }),
            Message::Assistant(answer) => {
                turns.push(Turn::Assistant(answer));
                results(answer, &messages[index + 1..], &mut turns);
            }
            Message::Tool { .. } => {}
        }
    }
    (system, turns)
}

fn results<'a>(answer: &'a ModelResponse, after: &'a [Message], turns: &mut Vec<Turn<'a>>) {
    let until = after.iter().position(|message| matches!(message, Message::Assistant(_)));
    let after = &after[..until.unwrap_or(after.len())];
    let mut seen = HashSet::new();
    for call in answer.calls.iter().filter(|call| seen.insert(call.id.as_str())) {
        let result = after.iter().find_map(|message| match message {
            Message::Tool { call_id, content, is_error } if *call_id == call.id => {
                Some((content.as_str(), *is_error))
            }
            _ => None,
        });
        let (content, is_error) = result.unwrap_or((NO_RESULT, true));
        turns.push(Turn::Result { call, content, is_error });
    }
}
