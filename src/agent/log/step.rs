//! A line of a log for programs that follow a run while it is written.

use super::entry::{LogEntry, LoggedDocument};
use super::file::{RunHeader, read_header};
use crate::earlier::EarlierMessage;
use crate::model::{ModelCall, ModelResponse, Reasoning, Usage};
use mitt_base::{Error, ErrorKind, Result};

/// Step of a run, from one line of its log: see [`RunLog`](super::RunLog). Further kinds may follow in later versions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LoggedStep {
    /// How the run began: the first line.
    Header(RunHeader),
    /// Origin of a document.
    Document(LoggedDocument),
    /// Message from before the conversation began: [`Conversation::seed`](crate::Conversation::seed).
    Earlier(EarlierMessage),
    /// Instruction of the user.
    Instruction {
        /// The user's words.
        text: String,
    },
    /// Further instruction of the user while the model worked: [`Steering`](crate::Steering).
    Steered {
        /// The user's words.
        text: String,
    },
    /// Turn of a model. Also the report of a plan, which has no agent.
    Answer {
        /// Number of the agent; `None` for the one that talks to the user.
        agent: Option<u64>,
        /// Its text.
        text: String,
        /// Its reasoning.
        reasoning: Vec<Reasoning>,
        /// Its calls. No calls means that it is done, unless the host reminds it of something.
        calls: Vec<ModelCall>,
        /// Tokens of the turn.
        usage: Usage,
    },
    /// Result of a call.
    Result {
        /// Number of the agent; `None` for the one that talks to the user.
        agent: Option<u64>,
        /// Id of the call, unique within the conversation of its agent.
        call_id: String,
        /// Text for the model.
        content: String,
        /// `true` if the call failed.
        is_error: bool,
        /// Names of the delivered files.
        delivered: Vec<String>,
    },
    /// An agent is about to do a task.
    Delegated {
        /// Number of the agent.
        agent: u64,
        /// Number of the agent that gave it the task; `None` for the one that talks to the user.
        parent: Option<u64>,
        /// Name of the agent.
        name: String,
    },
    /// The instruction ended. It did not if it waits for functions of the caller.
    Ended {
        /// Kind and message of the error that ended it early.
        failure: Option<(String, String)>,
    },
    /// A line with another step.
    Other,
}

impl LoggedStep {
    /// Reads a line of a log, with or without its end.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - it is not a line of a log of this version.
    pub fn parse(line: &[u8]) -> Result<LoggedStep> {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        match serde_json::from_slice(line) {
            Ok(entry) => Ok(LoggedStep::of(entry)),
            // Steps come first, since there are more of them.
            Err(error) => match read_header(line) {
                Ok(header) => Ok(LoggedStep::Header(header)),
                Err(_) => {
                    let message = "expected a line of the log of a run, got another text";
                    Err(Error::new(ErrorKind::Input, message).caused_by(error))
                }
            },
        }
    }

    fn of(entry: LogEntry) -> LoggedStep {
        match entry {
            LogEntry::Document(document) => LoggedStep::Document(document),
            LogEntry::Earlier(message) => LoggedStep::Earlier(message),
            LogEntry::User { text, .. } => LoggedStep::Instruction { text },
            LogEntry::Steered { text, .. } => LoggedStep::Steered { text },
            LogEntry::Delegated(it) => {
                LoggedStep::Delegated { agent: it.agent, parent: it.parent, name: it.name }
            }
            LogEntry::Ended { failure } => LoggedStep::Ended { failure },
            LogEntry::FromAgent { agent, entry } => LoggedStep::of_agent(Some(agent), *entry),
            entry => LoggedStep::of_agent(None, entry),
        }
    }

    /// Returns the step that an agent and the one that talks to the user have in common.
    fn of_agent(agent: Option<u64>, entry: LogEntry) -> LoggedStep {
        match entry {
            LogEntry::Answer { answer: ModelResponse { text, reasoning, calls }, usage } => {
                LoggedStep::Answer { agent, text, reasoning, calls, usage }
            }
            LogEntry::Result(it) => LoggedStep::Result {
                agent,
                call_id: it.call_id,
                content: it.content,
                is_error: it.is_error,
                delivered: it.delivered.into_iter().map(|file| file.name).collect(),
            },
            _ => LoggedStep::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::log::{RunLog, entry::LoggedResult};
    use mitt::offer::ToolMode;

    /// Writer that keeps each call.
    #[derive(Clone, Default)]
    struct Calls(Arc<Mutex<Vec<Option<Vec<u8>>>>>);

    impl Write for Calls {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().push(Some(bytes.to_vec()));
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            self.0.lock().unwrap().push(None);
            Ok(())
        }
    }

    fn call() -> ModelCall {
        ModelCall { id: "c".into(), name: "n".into(), arguments: "{}".into() }
    }

    fn answer() -> LogEntry {
        let reasoning = vec![Reasoning { text: "Hm.".into(), state: None }];
        let answer = ModelResponse { text: "a\nb".into(), reasoning, calls: vec![call()] };
        LogEntry::Answer { answer, usage: Usage { input: 7, ..Usage::default() } }
    }

    fn answered(agent: Option<u64>) -> LoggedStep {
        LoggedStep::Answer {
            agent,
            text: "a\nb".into(),
            reasoning: vec![Reasoning { text: "Hm.".into(), state: None }],
            calls: vec![call()],
            usage: Usage { input: 7, ..Usage::default() },
        }
    }

    /// The promise of [`RunLog`]: programs turn each write into an event.
    #[test]
    fn each_line_is_one_write_and_can_be_read_alone() {
        let header = RunHeader::new("2026-11-23T09:30:00.000Z".into(), "m".into(), ToolMode::All);
        let writer = Calls::default();
        let mut log = RunLog::begin(writer.clone(), &header).unwrap();
        let of = |entry: LogEntry| LogEntry::FromAgent { agent: 3, entry: Box::new(entry) };
        let user = |text: &str| {
            let (with, images) = ("\n\nNew documents:".to_owned(), Vec::new());
            LogEntry::User { text: text.into(), with, images }
        };
        let result = || LoggedResult {
            content: "r".into(),
            delivered: vec![super::super::Delivered { name: "a.pdf".into(), sha256: "0".into() }],
            ..LoggedResult::none(&call(), false)
        };
        let returned = |agent| LoggedStep::Result {
            agent,
            call_id: "c".into(),
            content: "r".into(),
            is_error: true,
            delivered: vec!["a.pdf".into()],
        };
        let document =
            LoggedDocument { name: "a.csv".into(), path: None, sha256: "0".into(), size: 1 };
        let failure = Some(("model".to_owned(), "no".to_owned()));
        let filter = mitt::skill::ToolFilter::new();
        let agent = super::super::LoggedAgent::new(3, Some(2), "reader", &filter);
        let earlier = EarlierMessage::User { text: "Before".into() };
        let steered = LogEntry::Steered { text: "More".into(), with: String::new() };
        let steps = [
            (LogEntry::System { text: "s".into() }, LoggedStep::Other),
            (LogEntry::Document(document.clone()), LoggedStep::Document(document)),
            (LogEntry::Earlier(earlier.clone()), LoggedStep::Earlier(earlier)),
            (user("Go\non"), LoggedStep::Instruction { text: "Go\non".into() }),
            (steered, LoggedStep::Steered { text: "More".into() }),
            (answer(), answered(None)),
            (LogEntry::Result(result()), returned(None)),
            (
                LogEntry::Delegated(agent),
                LoggedStep::Delegated { agent: 3, parent: Some(2), name: "reader".into() },
            ),
            (of(user("A task")), LoggedStep::Other),
            (of(answer()), answered(Some(3))),
            (of(LogEntry::Result(result())), returned(Some(3))),
            (of(LogEntry::Ended { failure: None }), LoggedStep::Other),
            (LogEntry::LeftOut, LoggedStep::Other),
            (LogEntry::Resumed { next_table: 1 }, LoggedStep::Other),
            (LogEntry::Ended { failure: None }, LoggedStep::Ended { failure: None }),
            (LogEntry::Ended { failure: failure.clone() }, LoggedStep::Ended { failure }),
        ];
        for (entry, _) in &steps {
            log.entry(entry, str::to_owned);
        }
        // Not even a model that redacts carelessly can end a line early.
        log.entry(&user("a secret"), |line| line.replace(',', ",\n"));
        let calls = writer.0.lock().unwrap();
        assert_eq!(calls.len(), 2 * (steps.len() + 2));
        let expected = [LoggedStep::Header(header)].into_iter();
        let expected = expected.chain(steps.into_iter().map(|(_, step)| step));
        let last = LoggedStep::Instruction { text: "a secret".into() };
        let expected = expected.chain([last]);
        for (pair, expected) in calls.chunks(2).zip(expected) {
            let [Some(line), None] = pair else { panic!("{pair:?}") };
            let n_ends = line.iter().filter(|byte| **byte == b'\n').count();
            assert_eq!((n_ends, line.last()), (1, Some(&b'\n')));
            assert_eq!(LoggedStep::parse(line).unwrap(), expected);
            assert_eq!(LoggedStep::parse(&line[..line.len() - 1]).unwrap(), expected);
        }
    }

    #[test]
    fn lines_of_earlier_versions_are_read_and_other_texts_are_not() {
        let line = br#"{"result":{"call_id":"c","content":"r","is_error":false,"created_ms":5,"first_table":1,"next_table":1}}"#;
        let LoggedStep::Result { call_id, delivered, .. } = LoggedStep::parse(line).unwrap() else {
            panic!("no result")
        };
        assert_eq!((call_id.as_str(), delivered.len()), ("c", 0));
        for text in [&b""[..], b"\n", b"{}", br#"{"format":"other@1"}"#, b"{\"ended\":{}} x"] {
            let error = LoggedStep::parse(text).unwrap_err();
            assert_eq!(error.kind(), &ErrorKind::Input);
            assert_eq!(error.to_string(), "expected a line of the log of a run, got another text");
        }
    }
}
