//! Streams as servers send them, whole and cut at every byte, and request bodies.

mod bodies;
mod chat;
mod damaged;
mod limits;
mod messages;
mod ollama;
mod responses;

use futures_util::{FutureExt as _, StreamExt as _, stream};

use super::super::preset::Wire;
use super::super::{ChatEvent, Message, ModelCall, ModelResponse};
use super::{Reader, decode};
use mitt_base::Result;

/// Returns the events of a stream in pieces and the error that ended it, decoded as real answers are.
fn decoded(wire: Wire, pieces: Vec<Vec<u8>>, limit: u64) -> (Vec<ChatEvent>, Option<String>) {
    // The id of a call in an earlier answer.
    let call = ModelCall { id: "call00001".into(), name: "f".into(), arguments: "{}".into() };
    let before =
        [Message::Assistant(ModelResponse { calls: vec![call], ..ModelResponse::default() })];
    let bytes = stream::iter(pieces.into_iter().map(Result::Ok));
    let reader = Reader::new(wire, &before);
    let events = decode::answer(wire, reader, bytes, limit).collect::<Vec<_>>();
    let events = events.now_or_never().expect("the pieces are there");
    let mut said = Vec::new();
    for event in events {
        match event {
            Ok(event) => said.push(event),
            Err(error) => return (said, Some(error.render())),
        }
    }
    (said, None)
}

/// Joins consecutive pieces of text, so that cuts do not matter.
fn joined(events: Vec<ChatEvent>) -> Vec<ChatEvent> {
    let mut joined: Vec<ChatEvent> = Vec::new();
    for event in events {
        match (joined.last_mut(), event) {
            (Some(ChatEvent::Text(text)), ChatEvent::Text(more)) => text.push_str(&more),
            (Some(ChatEvent::Reasoning(text)), ChatEvent::Reasoning(more)) => text.push_str(&more),
            (_, event) => joined.push(event),
        }
    }
    joined
}

/// Returns an answer in readable form: one line for each event.
fn readable(events: Vec<ChatEvent>, error: Option<String>) -> String {
    let lines = joined(events).into_iter().map(|event| match event {
        ChatEvent::Text(text) => format!("text {text:?}"),
        ChatEvent::Reasoning(text) => format!("reasoning {text:?}"),
        ChatEvent::CallStarted { id, name } => format!("started {id} {name}"),
        ChatEvent::Call(call) => format!("call {} {} {}", call.id, call.name, call.arguments),
        ChatEvent::Thought(thought) => {
            let state = thought.state.map_or_else(|| "-".to_owned(), |state| state.to_string());
            format!("thought {:?} {state}", thought.text)
        }
        ChatEvent::Usage(usage) => format!(
            "usage {} ({} cached, {} written) -> {} ({} reasoning)",
            usage.input, usage.cached, usage.cache_written, usage.output, usage.reasoning
        ),
        ChatEvent::Note(note) => format!("note {note}"),
        ChatEvent::Stopped(reason) => format!("stopped {reason:?}"),
    });
    lines.chain(error.map(|error| format!("error {error}"))).collect::<Vec<_>>().join("\n")
}

/// Returns the events of a stream, and checks that they stay the same if it is cut in two at every byte, sent byte by byte,
/// or has other line ends.
fn read(wire: Wire, stream: &str) -> String {
    let limit = 1 << 20;
    let bytes = stream.as_bytes();
    let (events, error) = decoded(wire, vec![bytes.to_vec()], limit);
    let whole = readable(events.clone(), error.clone());
    for at in 0..=bytes.len() {
        let (before, after) = bytes.split_at(at);
        let cut = decoded(wire, vec![before.to_vec(), after.to_vec()], limit);
        assert_eq!(cut, (events.clone(), error.clone()), "cut at {at}");
    }
    for text in [stream.to_owned(), stream.replace('\n', "\r\n"), stream.replace('\n', "\r")] {
        let single = text.bytes().map(|byte| vec![byte]).collect();
        assert_eq!(decoded(wire, single, limit), (events.clone(), error.clone()), "{text:?}");
    }
    whole
}

/// Returns a stream of events without names.
fn sse(data: &[&str]) -> String {
    data.iter().map(|data| format!("data: {data}\n\n")).collect()
}

/// Returns the events of an answer in one piece.
fn whole(wire: Wire, body: &str) -> String {
    let mut reader = Reader::new(wire, &[]);
    let error = reader.whole(body).err().map(|error| error.render());
    readable(reader.take(), error)
}
