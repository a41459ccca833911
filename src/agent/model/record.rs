//! Records the answers of a model, so that [`ReplayModel`](super::ReplayModel) can stand for it later.
//!
//! Knows the recording format. Sees the model's answers and not how it is reached; removes a key that the model repeats.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use futures_util::{StreamExt as _, stream};
use serde_json::json;

use super::replay::FORMAT;
use super::{ChatEvent, ChatModel, ChatRequest, ChatStream, Message, ModelCall};
use mitt::schema::lower::Dialect;
use mitt_base::{Error, Result};

/// Records another model: JSON lines, first a header, then one line for each turn. Arguments of calls are the text that the
/// model wrote.
///
/// A turn is written when it is complete, before its stream ends; a turn that fails or is dropped is not written. Reasoning,
/// usage and notes are not recorded, and neither is the key of the service if the model repeats it. Turns are identified by
/// their order, so one recording is of one conversation; see [`RecordModel::several`].
///
/// # Example: record and replay
///
/// ```
/// use std::sync::Arc;
/// use mitt_agent::model::{ChatModel, RecordModel, ReplayModel};
///
/// let header = r#"{"format":"mitt-recording@1","model":"m"}"#;
/// let model: Arc<dyn ChatModel> = Arc::new(ReplayModel::from_jsonl(header)?);
/// let recorded = RecordModel::to_writer(model, Vec::new())?;
/// assert_eq!(recorded.name(), "m");
/// # Ok::<(), mitt::Error>(())
/// ```
pub struct RecordModel {
    inner: Arc<dyn ChatModel>,
    has_several: bool,
    writer: Mutex<Box<dyn Write + Send>>,
}

impl RecordModel {
    /// Records to a new file.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - the file exists or cannot be written.
    pub fn to_file(inner: Arc<dyn ChatModel>, path: &Path) -> Result<RecordModel> {
        // A recording must not overwrite another one.
        let file = OpenOptions::new().write(true).create_new(true).open(path).map_err(|error| {
            Error::model(format!("cannot write the recording {}", path.display())).caused_by(error)
        })?;
        RecordModel::to_writer(inner, file)
    }

    /// Records to `writer`, which is flushed after each line.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - the header cannot be written.
    pub fn to_writer(
        inner: Arc<dyn ChatModel>,
        writer: impl Write + Send + 'static,
    ) -> Result<RecordModel> {
        let header = json!({"format": FORMAT, "model": inner.name()});
        let recorder =
            RecordModel { inner, has_several: false, writer: Mutex::new(Box::new(writer)) };
        recorder.write(&header)?;
        Ok(recorder)
    }

    /// Records several conversations, such as those of a plan: each turn has the first words of the user that it answers.
    #[must_use]
    pub fn several(mut self) -> RecordModel {
        self.has_several = true;
        self
    }

    /// Writes a line in one piece, so that simultaneous turns do not mix.
    fn write(&self, line: &serde_json::Value) -> Result<()> {
        let line = format!("{line}\n");
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let written = writer.write_all(line.as_bytes()).and_then(|()| writer.flush());
        written.map_err(|error| Error::model("cannot write the recording").caused_by(error))
    }
}

/// A turn while it arrives.
#[derive(Default)]
struct Turn {
    /// The first words of the user, in a recording of several conversations.
    to: Option<String>,
    /// Ids of failed calls of the previous turn.
    failed: Vec<String>,
    text: String,
    calls: Vec<ModelCall>,
}

impl Turn {
    fn add(&mut self, event: &ChatEvent) {
        match event {
            ChatEvent::Text(text) => self.text.push_str(text),
            ChatEvent::Call(call) => self.calls.push(call.clone()),
            _ => {}
        }
    }

    fn line(&self, model: &dyn ChatModel) -> serde_json::Value {
        let redacted = |text: &str| json!(model.redacted(text));
        let mut line = json!({});
        if let Some(to) = &self.to {
            line["to"] = redacted(to);
        }
        if !self.failed.is_empty() {
            line["failed"] = self.failed.iter().map(|id| redacted(id)).collect();
        }
        if !self.text.is_empty() {
            line["text"] = redacted(&self.text);
        }
        if !self.calls.is_empty() {
            let call = |call: &ModelCall| {
                json!({
                    "id": redacted(&call.id), "name": redacted(&call.name),
                    "arguments": redacted(&call.arguments),
                })
            };
            line["calls"] = self.calls.iter().map(call).collect();
        }
        line
    }
}

/// Returns the failed calls of the last turn, in their order.
fn failed(messages: &[Message]) -> Vec<String> {
    let last = messages.iter().rposition(|message| matches!(message, Message::Assistant(_)));
    let answers = messages.iter().skip(last.map_or(messages.len(), |at| at + 1));
    let failed = answers.filter_map(|message| match message {
        Message::Tool { call_id, is_error: true, .. } => Some(call_id.clone()),
        _ => None,
    });
    failed.collect()
}

#[async_trait]
impl ChatModel for RecordModel {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn dialect(&self) -> Dialect {
        self.inner.dialect()
    }

    fn takes_images(&self) -> bool {
        self.inner.takes_images()
    }

    async fn context_tokens(&self) -> Option<u64> {
        self.inner.context_tokens().await
    }

    fn redacted(&self, text: &str) -> String {
        self.inner.redacted(text)
    }

    async fn chat<'a>(&'a self, request: ChatRequest<'a>) -> Result<ChatStream<'a>> {
        let events = self.inner.chat(request).await?;
        let first = request.messages.iter().find_map(|message| match message {
            Message::User { text, .. } => Some(text.clone()),
            _ => None,
        });
        let to = first.filter(|_| self.has_several);
        let failed = failed(request.messages);
        // `None` once the turn is over or failed.
        let state = (events, Some(Turn { to, failed, ..Turn::default() }));
        Ok(Box::pin(stream::unfold(state, async |(mut events, turn)| {
            let mut turn = turn?;
            match events.next().await {
                Some(Ok(event)) => {
                    turn.add(&event);
                    Some((Ok(event), (events, Some(turn))))
                }
                Some(Err(error)) => Some((Err(error), (events, None))),
                None => self
                    .write(&turn.line(&*self.inner))
                    .err()
                    .map(|error| (Err(error), (events, None))),
            }
        })))
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use futures_util::FutureExt as _;

    use super::super::{ModelResponse, ReplayModel};
    use super::*;
    use crate::full_disk::FullDisk;

    /// A model of the tests: its events, turn by turn.
    struct Scripted(Mutex<Vec<Vec<Result<ChatEvent>>>>);

    #[async_trait]
    impl ChatModel for Scripted {
        fn name(&self) -> &str {
            "scripted"
        }

        fn takes_images(&self) -> bool {
            true
        }

        async fn chat<'a>(&'a self, _: ChatRequest<'a>) -> Result<ChatStream<'a>> {
            Ok(Box::pin(stream::iter(self.0.lock().unwrap().remove(0))))
        }
    }

    /// A file that the test can read.
    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<(Vec<u8>, usize)>>);

    impl Shared {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().0.clone()).unwrap()
        }
    }

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().0.extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            let mut shared = self.0.lock().unwrap();
            shared.1 = shared.0.len();
            Ok(())
        }
    }

    fn call(id: &str, arguments: &str) -> ChatEvent {
        ChatEvent::Call(ModelCall { id: id.into(), name: "f".into(), arguments: arguments.into() })
    }

    fn collect(model: &dyn ChatModel, n_answers: usize) -> Vec<Result<ChatEvent>> {
        let messages = vec![Message::Assistant(ModelResponse::default()); n_answers];
        let request = ChatRequest::new(&messages, &[]);
        let all = async { model.chat(request).await.unwrap().collect::<Vec<_>>().await };
        all.now_or_never().expect("it waits for nothing")
    }

    #[test]
    fn what_was_recorded_is_replayed() {
        let turns = vec![
            vec![
                Ok(ChatEvent::Note("tried twice".into())),
                Ok(ChatEvent::Text("I ".into())),
                Ok(ChatEvent::Text("look \"there\"\n世".into())),
                Ok(ChatEvent::CallStarted { id: "a".into(), name: "f".into() }),
                // Digits, repeated keys, and text that is no JSON.
                Ok(call("a", r#"{"n": 1.50,  "n": 12345678901234567890123}"#)),
                Ok(call("b", "{broken")),
            ],
            vec![Ok(ChatEvent::Text("Half".into())), Err(Error::model("broken"))],
            vec![],
            vec![Ok(ChatEvent::Text("Done".into()))],
        ];
        let (file, model) = (Shared::default(), Scripted(Mutex::new(turns)));
        let model = RecordModel::to_writer(Arc::new(model), file.clone()).unwrap();
        assert!(model.takes_images());
        let said = [collect(&model, 0), collect(&model, 1), collect(&model, 1), collect(&model, 2)];
        assert_eq!(said.each_ref().map(Vec::len), [6, 2, 0, 1]);
        assert!(said[1][1].is_err(), "failures are passed on");
        insta::assert_snapshot!(file.text(), @r#"
        {"format":"mitt-recording@1","model":"scripted"}
        {"text":"I look \"there\"\n世","calls":[{"id":"a","name":"f","arguments":"{\"n\": 1.50,  \"n\": 12345678901234567890123}"},{"id":"b","name":"f","arguments":"{broken"}]}
        {}
        {"text":"Done"}
        "#);
        let replay = ReplayModel::from_jsonl(&file.text()).unwrap();
        assert_eq!(replay.name(), "scripted");
        let events_of = |events: &[Result<ChatEvent>]| {
            let mut turn = Turn::default();
            events.iter().for_each(|event| turn.add(event.as_ref().unwrap()));
            (turn.text, turn.calls)
        };
        for (n_answers, said) in [(0, &said[0]), (1, &said[2]), (2, &said[3])] {
            assert_eq!(
                events_of(&collect(&replay, n_answers)),
                events_of(said),
                "turn {n_answers}"
            );
        }
    }

    #[test]
    fn a_turn_is_written_when_it_is_complete() {
        let turn = vec![Ok(ChatEvent::Text("a".into())), Ok(ChatEvent::Text("b".into()))];
        let (file, model) = (Shared::default(), Scripted(Mutex::new(vec![turn.clone(), turn])));
        let model = RecordModel::to_writer(Arc::new(model), file.clone()).unwrap();
        let n_lines = || file.text().lines().count();
        let messages = [];
        let mut stream =
            model.chat(ChatRequest::new(&messages, &[])).now_or_never().unwrap().unwrap();
        for _ in 0..2 {
            assert!(stream.next().now_or_never().unwrap().is_some());
            assert_eq!(n_lines(), 1);
        }
        assert!(stream.next().now_or_never().unwrap().is_none());
        assert_eq!(n_lines(), 2);
        let n_flushed = file.0.lock().unwrap().1;
        assert_eq!(n_flushed, file.text().len(), "it is flushed");
        let mut stream =
            model.chat(ChatRequest::new(&messages, &[])).now_or_never().unwrap().unwrap();
        assert!(stream.next().now_or_never().unwrap().is_some());
        drop(stream);
        assert_eq!(n_lines(), 2, "a dropped turn is not there");
    }

    #[test]
    fn what_had_failed_is_recorded_and_replayed() {
        let turns = vec![vec![Ok(ChatEvent::Text("I put it right".into()))]];
        let (file, inner) = (Shared::default(), Arc::new(Scripted(Mutex::new(turns))));
        let recorder = RecordModel::to_writer(inner, file.clone()).unwrap();
        let failing = |id: &str, is_error| {
            let content = "no".to_owned();
            Message::Tool { call_id: id.into(), content, is_error }
        };
        let turn = || Message::Assistant(ModelResponse::default());
        let messages =
            [turn(), failing("long ago", true), turn(), failing("a", true), failing("b", false)];
        let said = async {
            let answer = recorder.chat(ChatRequest::new(&messages, &[])).await.unwrap();
            answer.collect::<Vec<_>>().await
        };
        assert_eq!(said.now_or_never().unwrap().len(), 1);
        let lines: Vec<_> = file.text().lines().map(str::to_owned).collect();
        assert_eq!(lines[1..], [r#"{"failed":["a"],"text":"I put it right"}"#]);
    }

    #[test]
    fn a_recording_that_cannot_be_written_is_told() {
        let model = Scripted(Mutex::new(vec![vec![Ok(ChatEvent::Text("a".into()))]]));
        let model = RecordModel::to_writer(Arc::new(model), FullDisk(0)).unwrap();
        let said = collect(&model, 0);
        assert_eq!(said.len(), 2);
        assert_eq!(said[1].as_ref().unwrap_err().to_string(), "cannot write the recording");
    }

    #[test]
    fn a_recording_is_not_written_over() {
        let path = std::env::temp_dir().join(format!("mitt-record-{}", std::process::id()));
        let model = || Arc::new(Scripted(Mutex::new(Vec::new())));
        drop(RecordModel::to_file(model(), &path).unwrap());
        let error = RecordModel::to_file(model(), &path).err().expect("it is there");
        assert!(error.to_string().starts_with("cannot write the recording "));
        assert!(ReplayModel::from_file(&path).is_ok());
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn several_conversations_are_recorded_and_replayed_whatever_their_order() {
        let says = |text: &str| vec![Ok(ChatEvent::Text(text.into()))];
        let turns = vec![says("first"), says("a"), says("b"), says("a again")];
        let (shared, inner) = (Shared::default(), Arc::new(Scripted(Mutex::new(turns))));
        let recorder = RecordModel::to_writer(inner, shared.clone()).unwrap().several();
        let heard = |model: &dyn ChatModel, messages: &[Message]| {
            let answer = async {
                let answer = model.chat(ChatRequest::new(messages, &[])).await?;
                Ok(answer.collect::<Vec<_>>().await)
            };
            let answer: Result<_> = answer.now_or_never().unwrap();
            answer.map(|events| format!("{events:?}"))
        };
        let answered =
            Message::Assistant(ModelResponse { text: "a".into(), ..ModelResponse::default() });
        let again = vec![Message::user("# Task\n\nA"), answered, Message::user("more")];
        let asked = [
            vec![Message::user("# Plan")],
            vec![Message::user("# Task\n\nA")],
            vec![Message::user("# Task\n\nA, the second time")],
            again,
        ];
        let recorded: Vec<_> = asked.iter().map(|it| heard(&recorder, it).unwrap()).collect();
        let replay = ReplayModel::from_jsonl(&shared.text()).unwrap();
        for (asked, recorded) in asked.iter().zip(&recorded).rev() {
            assert_eq!(heard(&replay, asked).unwrap(), *recorded, "{asked:?}");
        }
        let error = heard(&replay, &[Message::user("# Report")]).unwrap_err();
        assert_eq!(error.to_string(), "the recording has no turn for this conversation");
    }
}
