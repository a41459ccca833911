//! Events: the steps of a session, reported as they happen.

use std::sync::Arc;
use std::time::Duration;

use super::approval_request::{ApprovalRequest, Decision};
use super::attempt::Attempt;
use mitt_base::rows::grouped;

use super::call_id::CallId;
use super::layer_event::LayerEvent;
use crate::engine::Usage;
use crate::script::OutputStream;
use mitt_skill::capability::{Artifact, LogLevel};
use mitt_types::Document;

/// Receives every step of a session. It is called from any thread and must return quickly.
pub type EventSink = Arc<dyn Fn(&Event) + Send + Sync>;

/// Step of a session.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A document is about to be fetched.
    Fetching {
        /// Call that fetches it; `None` if the embedder added it to the session.
        call: Option<CallId>,
        /// Address without query and fragment, which may hold secrets.
        url: String,
    },
    /// A document is about to be read.
    DocumentStarted {
        /// Call that reads it; `None` if the embedder added it to the session.
        call: Option<CallId>,
        /// Name of the document.
        name: String,
        /// Size of the file in bytes.
        size: u64,
    },
    /// A document was read.
    DocumentReady {
        /// Call that read it; `None` if the embedder added it to the session.
        call: Option<CallId>,
        /// The document.
        document: Arc<Document>,
        /// Resources that the reader plugin used; `None` if no plugin was needed.
        usage: Option<Usage>,
        /// Wall clock from start to end.
        duration: Duration,
    },
    /// Rows of a table are being read or written. Sent only for work that takes longer than a fifth of a second, at most five
    /// times a second. The work may have outlived the call that began it.
    Rows {
        /// Call that reads or writes them; `None` for a document that the embedder added to the session.
        call: Option<CallId>,
        /// Name of the file.
        name: String,
        /// Reading or writing of the rows.
        step: RowStep,
        /// Number of rows so far.
        rows: u64,
        /// Total number of rows, if known.
        of: Option<u64>,
    },
    /// A call or document waits for a component to be compiled for this machine, which happens once; the cache keeps the code.
    /// Sent at once, and every two seconds while compilation lasts.
    Compiling {
        /// Call that waits; `None` for a document that the embedder added to the session.
        call: Option<CallId>,
        /// Skill of the component.
        skill: String,
        /// Time since compilation began.
        elapsed: Duration,
        /// Usual duration of the compilation, about, on two idle processors.
        usual: Duration,
    },
    /// The component is compiled, and the work that waited for it continues.
    Compiled {
        /// Call that waited.
        call: Option<CallId>,
        /// Skill of the component.
        skill: String,
        /// Duration of the compilation.
        duration: Duration,
    },
    /// A call is about to run.
    CallStarted {
        /// Id of the call.
        call: CallId,
        /// Name of the tool.
        tool: String,
        /// Number of enclosing calls.
        depth: u64,
    },
    /// An attempt ended. Sent only for calls that may have several attempts.
    AttemptEnded {
        /// Id of the call.
        call: CallId,
        /// Name of the tool.
        tool: String,
        /// Number of enclosing calls.
        depth: u64,
        /// Result of the attempt, and the delay before the next one.
        attempt: Attempt,
    },
    /// A call ended.
    CallFinished {
        /// Id of the call.
        call: CallId,
        /// Name of the tool.
        tool: String,
        /// Number of enclosing calls.
        depth: u64,
        /// Resources that the call used.
        usage: Usage,
        /// Kind and message of the error; `None` if the call succeeded.
        failure: Option<(&'static str, String)>,
    },
    /// A script wrote output. Joined, the texts of one script are the `stdout` and `stderr` of its result.
    Output {
        /// The call that runs the script.
        call: CallId,
        /// Number of enclosing calls.
        depth: u64,
        /// Stream that it wrote to.
        stream: OutputStream,
        /// The text, usually one line.
        text: String,
    },
    /// A file was delivered.
    Delivered {
        /// Call that made the file.
        call: CallId,
        /// The file.
        artifact: Artifact,
        /// Warnings about the file, such as replaced characters.
        warnings: Vec<String>,
    },
    /// A call waits until somebody approves it.
    Asked {
        /// The request. Boxed, because it is larger than all other events.
        request: Box<ApprovalRequest>,
    },
    /// Somebody has decided about a request, or did not answer in time.
    Decided {
        /// The call that waited.
        call: CallId,
        /// Id of the request.
        id: String,
        /// The decision.
        decision: Decision,
    },
    /// Step of an agent.
    InAgent {
        /// Number of the agent, as [`Session::agent`](super::Session::agent) returns it.
        agent: u64,
        /// The step.
        event: Arc<Event>,
    },
    /// A plugin wrote a message to the log.
    Log {
        /// Call that wrote it.
        call: CallId,
        /// Name of the tool.
        tool: String,
        /// Severity of the message.
        level: LogLevel,
        /// The message.
        message: String,
    },
    /// A layer above the session took a step, such as a run with a model. The session passes the event on and does not know
    /// what it means.
    Layer(LayerEvent),
}

impl Event {
    /// Wraps the step as that of an agent. Events that name an agent already stay as they are.
    pub(super) fn of_agent(self, agent: u64) -> Event {
        match self {
            Event::InAgent { .. } => self,
            Event::Layer(ref layer) if layer.is_untagged() => self,
            event => Event::InAgent { agent, event: Arc::new(event) },
        }
    }

    /// Returns the agent that takes the step, and the step itself; `None` if the session's own model or a user takes it.
    pub fn in_agent(&self) -> (Option<u64>, &Event) {
        match self {
            Event::InAgent { agent, event } => (Some(*agent), event),
            event => (None, event),
        }
    }
}

/// What is done with rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowStep {
    /// Rows are read from a file.
    Reading,
    /// Rows are written to a file.
    Writing,
}

impl RowStep {
    /// Returns the progress as a sentence: `writing a.xlsx: 120 000 of 1 000 000 rows`.
    pub fn sentence(self, name: &str, rows: u64, of: Option<u64>) -> String {
        let doing = match self {
            RowStep::Reading => "reading",
            RowStep::Writing => "writing",
        };
        let of = of.map_or_else(String::new, |of| format!(" of {}", grouped(of)));
        format!("{doing} {name}: {}{of} rows", grouped(rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_layers_are_wrapped_unless_they_name_their_agent() {
        let layer = LayerEvent::new("began".to_owned());
        let wrapped = Event::Layer(layer.clone()).of_agent(7);
        let (Some(7), Event::Layer(inner)) = wrapped.in_agent() else { panic!("{wrapped:?}") };
        assert_eq!(inner.downcast_ref::<String>().map(String::as_str), Some("began"));
        assert!(inner.downcast_ref::<&str>().is_none());
        // A step of an inner agent keeps its number.
        assert_eq!(wrapped.of_agent(8).in_agent().0, Some(7));
        let named = Event::Layer(layer.untagged()).of_agent(7);
        assert!(matches!(named.in_agent(), (None, Event::Layer(_))), "{named:?}");
        assert!(format!("{named:?}").contains("began"), "{named:?}");
    }
}
