//! Plays a recorded conversation in place of a model, turn by turn.
//!
//! A recording cannot react. If calls of the previous turn fail that succeeded when it was recorded, it stops with that
//! failure instead of going on as if nothing had happened.

use std::path::Path;

use async_trait::async_trait;
use futures_util::stream;
use serde::Deserialize;
use serde_json::Value;

use super::{ChatEvent, ChatModel, ChatRequest, ChatStream, Message, ModelCall};
use mitt_base::limits::MIB;
use mitt_base::{Error, Result, text};

/// Most bytes of a recording.
pub const MAX_BYTES: u64 = 64 * MIB;

/// Most characters of a failure that are shown.
const MAX_SHOWN_CHARS: u64 = 4_000;

/// The recording format that this version reads and writes.
pub(super) const FORMAT: &str = "mitt-recording@1";

/// Plays a recording. The number of answers in a request selects the next turn. If turns have a `to`, as in a recording of a
/// plan, those count whose `to` is the longest beginning of the first words of the user.
#[derive(Clone, Debug)]
pub struct ReplayModel {
    name: String,
    turns: Vec<Turn>,
}

/// First line of a recording.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: String,
    /// The recorded model, or the author of the recording.
    model: String,
    /// A remark for readers.
    #[serde(default, rename = "note")]
    _note: String,
}

/// Every other line: one turn.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Turn {
    /// Beginning of the first words of the user in its conversation; `None` for any conversation.
    #[serde(default)]
    to: Option<String>,
    /// Ids of calls of the previous turn that had failed at this point.
    #[serde(default)]
    failed: Vec<String>,
    #[serde(default)]
    text: String,
    #[serde(default)]
    calls: Vec<Call>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    id: String,
    name: String,
    /// An object, or the text of one as the model wrote it.
    arguments: Value,
}

impl ReplayModel {
    /// Reads a recording from a file.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - the file is missing, unreadable, or not a recording; names the line.
    pub fn from_file(path: &Path) -> Result<ReplayModel> {
        let unreadable = |error: std::io::Error| {
            Error::model(format!("cannot read the recording {}", path.display())).caused_by(error)
        };
        let size = std::fs::metadata(path).map_err(unreadable)?.len();
        if size > MAX_BYTES {
            let message =
                format!("{}: expected at most {MAX_BYTES} bytes, got {size}", path.display());
            return Err(Error::model(message));
        }
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        ReplayModel::from_jsonl(&text).map_err(|error| error.at(path.display()))
    }

    /// Reads a recording: JSON lines, first a header, then one turn each.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - not a recording; names the line.
    pub fn from_jsonl(jsonl: &str) -> Result<ReplayModel> {
        let wrong = |line: usize, error: String| Error::model(format!("line {line}: {error}"));
        let mut lines = jsonl.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let Some((_, first)) = lines.next() else {
            return Err(wrong(
                1,
                format!("expected a header with `\"format\": \"{FORMAT}\"`, got an empty file"),
            ));
        };
        let header: Header =
            serde_json::from_str(first).map_err(|error| wrong(1, error.to_string()))?;
        if header.format != FORMAT {
            return Err(wrong(1, format!("expected format `{FORMAT}`, got `{}`", header.format)));
        }
        let turn = |(index, line): (usize, &str)| {
            serde_json::from_str(line).map_err(|error| wrong(index + 1, error.to_string()))
        };
        Ok(ReplayModel { name: header.model, turns: lines.map(turn).collect::<Result<_>>()? })
    }
}

impl ReplayModel {
    /// Returns the turns of the conversation that begins with these messages.
    fn conversation(&self, messages: &[Message]) -> Vec<&Turn> {
        let first = messages.iter().find_map(|message| match message {
            Message::User { text, .. } => Some(text.as_str()),
            _ => None,
        });
        let first = first.unwrap_or_default();
        let begins = |turn: &&Turn| turn.to.as_ref().is_none_or(|to| first.starts_with(to));
        let length = |turn: &Turn| turn.to.as_ref().map(String::len);
        let longest = self.turns.iter().filter(begins).map(length).max().flatten();
        self.turns.iter().filter(begins).filter(|turn| length(turn) == longest).collect()
    }

    /// Returns the error that stops it after a call of this turn, counted from 1.
    fn failed(turns: &[&Turn], turn: usize, id: &str, answer: &str) -> Error {
        let calls = turn.checked_sub(1).and_then(|index| turns.get(index));
        let call = calls.and_then(|turn| turn.calls.iter().find(|call| call.id == id));
        let tool = call.map_or("a call", |call| &call.name);
        let why = text::truncate(&failure_text(answer), MAX_SHOWN_CHARS);
        Error::model(format!("turn {turn} of the recording: {tool} failed"))
            .detail(why.trim_end())
            .hint("a recording cannot react to a failure: correct the documents that it reads, or its own calls")
    }
}

/// Returns the readable part of a failed result: of a script its traceback, without the JSON around it.
fn failure_text(answer: &str) -> String {
    let value: Option<Value> = serde_json::from_str(answer).ok();
    let message = value.as_ref().and_then(|value| value.get("error_message")?.as_str());
    message.unwrap_or(answer).to_owned()
}

#[async_trait]
impl ChatModel for ReplayModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn can_react(&self) -> bool {
        false
    }

    async fn chat<'a>(&'a self, request: ChatRequest<'a>) -> Result<ChatStream<'a>> {
        let is_turn = |message: &&Message| matches!(message, Message::Assistant(_));
        let answered = request.messages.iter().filter(is_turn).count();
        let turns = self.conversation(request.messages);
        let answers = request.messages.iter().rev().map_while(|message| match message {
            Message::Tool { call_id, content, is_error } => Some((call_id, content, is_error)),
            _ => None,
        });
        let expected = turns.get(answered).map_or(&[][..], |turn| &turn.failed);
        let is_new = |(id, _, is_error): &(&String, _, &bool)| **is_error && !expected.contains(id);
        if let Some((id, content, _)) = answers.filter(is_new).last() {
            return Err(ReplayModel::failed(&turns, answered, id, content));
        }
        let Some(turn) = turns.get(answered) else {
            let message = match turns.len() {
                0 => "the recording has no turn for this conversation".to_owned(),
                n => format!("the recording ends after {n} turns, but the conversation goes on"),
            };
            return Err(Error::model(message).hint("its last turn must make no calls"));
        };
        let mut events = Vec::new();
        if !turn.text.is_empty() {
            events.push(Ok(ChatEvent::Text(turn.text.clone())));
        }
        for call in &turn.calls {
            let arguments = match &call.arguments {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            events.push(Ok(ChatEvent::Call(ModelCall {
                id: call.id.clone(),
                name: call.name.clone(),
                arguments,
            })));
        }
        Ok(Box::pin(stream::iter(events)))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::super::ModelResponse;
    use super::*;

    fn message(jsonl: &str) -> String {
        ReplayModel::from_jsonl(jsonl).unwrap_err().to_string()
    }

    #[test]
    fn a_failed_call_is_named_and_shown_as_people_read_it() {
        let recording = r#"{"format":"mitt-recording@1","model":"m"}
            {"calls":[{"id":"a","name":"python__run","arguments":{}}]}"#;
        let model = ReplayModel::from_jsonl(recording).unwrap();
        let call = ModelCall { id: "a".into(), name: "python__run".into(), arguments: "{}".into() };
        for (content, shown) in [
            (
                r#"{"status":"error","error_message":"Traceback:\n  line 2\nKeyError: 'x'\n"}"#,
                "Traceback:\n  line 2\nKeyError: 'x'",
            ),
            ("arguments: no", "arguments: no"),
        ] {
            let messages = [
                Message::Assistant(ModelResponse {
                    calls: vec![call.clone()],
                    ..ModelResponse::default()
                }),
                Message::Tool { call_id: "a".into(), content: content.into(), is_error: true },
            ];
            let request = ChatRequest::new(&messages, &[]);
            let Some(Err(error)) = model.chat(request).now_or_never() else { panic!("it went on") };
            let expected = format!(
                "turn 1 of the recording: python__run failed\n{shown}\nhint: a recording cannot react to a failure: correct the documents that it reads, or its own calls"
            );
            assert_eq!(error.render(), expected);
        }
    }

    #[test]
    fn a_failure_that_was_recorded_is_gone_on_from_and_no_other() {
        let recording = r#"{"format":"mitt-recording@1","model":"m"}
            {"calls":[{"id":"a","name":"f","arguments":{}},{"id":"b","name":"f","arguments":{}}]}
            {"failed":["a"],"text":"I put it right."}"#;
        let model = ReplayModel::from_jsonl(recording).unwrap();
        let call = |id: &str| ModelCall { id: id.into(), name: "f".into(), arguments: "{}".into() };
        for (failing, goes_on) in
            [(&["a"][..], true), (&[], true), (&["b"], false), (&["a", "b"], false)]
        {
            let calls = vec![call("a"), call("b")];
            let mut messages =
                vec![Message::Assistant(ModelResponse { calls, ..ModelResponse::default() })];
            messages.extend(["a", "b"].map(|id| Message::Tool {
                call_id: id.into(),
                content: "no".into(),
                is_error: failing.contains(&id),
            }));
            let answer = model.chat(ChatRequest::new(&messages, &[])).now_or_never().unwrap();
            assert_eq!(answer.is_ok(), goes_on, "{failing:?}");
        }
    }

    #[test]
    fn wrong_recordings_name_the_line() {
        insta::assert_snapshot!(message(""), @r#"line 1: expected a header with `"format": "mitt-recording@1"`, got an empty file"#);
        insta::assert_snapshot!(message("{\"format\":\"x\",\"model\":\"m\"}"), @"line 1: expected format `mitt-recording@1`, got `x`");
        insta::assert_snapshot!(
            message("{\"format\":\"mitt-recording@1\",\"model\":\"m\"}\n\n{\"texts\":\"\"}"),
            @"line 3: unknown field `texts`, expected one of `to`, `failed`, `text`, `calls` at line 1 column 8"
        );
    }
}
