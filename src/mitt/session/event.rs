//! Events: the steps of a session, reported as they happen.

use std::sync::Arc;
use std::time::Duration;

use super::approval_request::{ApprovalRequest, Decision};
use super::attempt::Attempt;
use mitt_base::rows::grouped;

use super::call_id::CallId;
use crate::capability::{Artifact, LogLevel};
use crate::citation::Citations;
use crate::document::Document;
use crate::engine::Usage;
use crate::script::OutputStream;

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
    /// The router has classified an instruction before a model sees it, or decided whether to start something for it.
    Routed {
        /// The decision in one line, such as `confident_direct+meta`.
        trace: String,
        /// Kind of the instruction: `chitchat`, `meta`, `action` or `ambiguous`.
        intent: &'static str,
    },
    /// A model produced more of its text.
    ModelText {
        /// Number of the turn, from 1.
        turn: u64,
        /// The additional text.
        text: String,
    },
    /// A model produced more visible reasoning, which is not part of its answer.
    ModelReasoning {
        /// Number of the turn, from 1.
        turn: u64,
        /// The additional text.
        text: String,
    },
    /// A model has begun to write a call, which is made when it is complete.
    ModelCall {
        /// Number of the turn, from 1.
        turn: u64,
        /// Identifies the call within the conversation.
        id: String,
        /// Name of the tool.
        tool: String,
    },
    /// Cost of a model's turn, as reported by its service.
    ModelUsage {
        /// Number of the turn, from 1.
        turn: u64,
        /// Tokens in the request.
        input: u64,
        /// Tokens of the request that the service had cached.
        cached: u64,
        /// Tokens in the answer.
        output: u64,
    },
    /// Notice about the model for people, such as a second try.
    ModelNote {
        /// Number of the turn, from 1.
        turn: u64,
        /// The notice, one sentence.
        text: String,
    },
    /// A model answered.
    Turn {
        /// Number of the turn, from 1.
        number: u64,
        /// Name of the model.
        model: String,
        /// Text of the answer.
        text: String,
        /// Number of calls that the model requested.
        n_calls: usize,
        /// Duration of the turn.
        duration: Duration,
    },
    /// The host has checked the citations of an answer that has some.
    Citations {
        /// The citations with their outcomes.
        citations: Arc<Citations>,
    },
    /// A model made a plan, somebody changed a plan that was shown, or a run with a plan is resumed.
    Plan {
        /// Number of the plan in its run, from 1: a rejected plan is followed by another.
        number: u64,
        /// Title of the plan.
        title: String,
        /// Steps of the plan, in order.
        steps: Vec<PlannedStep>,
    },
    /// A plan is shown for a decision, and its steps wait for it.
    PlanAsked {
        /// Number of the plan.
        number: u64,
    },
    /// Somebody has decided about a plan.
    PlanDecided {
        /// Number of the plan.
        number: u64,
        /// `accepted`, `rejected` or `changed`.
        decision: &'static str,
        /// Comment that came with the decision.
        text: String,
    },
    /// The state of a plan's step has changed.
    PlanStep {
        /// Identifies the step in its plan.
        id: String,
        /// `waiting`, `running`, `reflecting`, `done`, `failed` or `skipped`.
        state: &'static str,
        /// Number of the attempt, from 1; 0 before the first.
        attempt: u64,
        /// Reason for the state, such as `passed` or an error; may be empty.
        detail: String,
    },
    /// The result of a step's attempt was evaluated.
    PlanReflection {
        /// Id of the step.
        id: String,
        /// Number of the attempt, from 1.
        attempt: u64,
        /// `passed`, `failed`, `forced` or `evaluator-error`.
        outcome: &'static str,
        /// What the next attempt must do better, or the error of the evaluation itself.
        feedback: String,
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
    /// An agent began to work, either for a delegating agent or in its place.
    AgentStarted {
        /// Number of the agent, unique in the session.
        id: u64,
        /// Agent that gave it the work; `None` if the session's own model did.
        parent: Option<u64>,
        /// Name of the agent.
        agent: String,
        /// Kind of its work: it does a task, or takes the conversation over.
        step: AgentStep,
        /// Beginning of the task's text.
        task: String,
    },
    /// The work of an agent ended.
    AgentEnded {
        /// Number of the agent, unique in the session.
        id: u64,
        /// Agent that gave it the work; `None` if the session's own model did.
        parent: Option<u64>,
        /// Name of the agent.
        agent: String,
        /// How the work ended.
        status: AgentStatus,
        /// Reason, if it did not complete its task.
        failure: Option<String>,
        /// Cost of the work, including agents that it delegated to.
        cost: AgentCost,
    },
    /// Step of an agent.
    InAgent {
        /// Number of the agent, as in [`Event::AgentStarted`].
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
}

/// Step of a plan, as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlannedStep {
    /// Id of the step, unique in its plan.
    pub id: String,
    /// Title, a few words.
    pub title: String,
    /// `research` or `processing`.
    pub kind: &'static str,
    /// Ids of the steps whose results it needs.
    pub needs: Vec<String>,
}

impl PlannedStep {
    /// Returns a step of the kind `research` or `processing`.
    pub fn new(id: String, title: String, kind: &'static str, needs: Vec<String>) -> PlannedStep {
        PlannedStep { id, title, kind, needs }
    }
}

impl Event {
    /// Wraps the step as that of an agent. Events that name an agent already stay as they are.
    pub(super) fn of_agent(self, agent: u64) -> Event {
        match self {
            Event::AgentStarted { .. } | Event::AgentEnded { .. } | Event::InAgent { .. } => self,
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

/// Why an agent works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AgentStep {
    /// It does a task in a conversation of its own, and returns a summary.
    Delegated,
    /// It takes the conversation over.
    Transferred,
}

/// How the work of an agent ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AgentStatus {
    /// It completed its task.
    Done,
    /// It did not complete its task.
    Failed,
    /// The caller stopped waiting for it.
    Cancelled,
    /// It handed the conversation over, or back.
    HandedOver,
}

impl AgentStatus {
    /// Returns the name used in results and in the journal.
    pub fn name(self) -> &'static str {
        match self {
            AgentStatus::Done => "done",
            AgentStatus::Failed => "failed",
            AgentStatus::Cancelled => "cancelled",
            AgentStatus::HandedOver => "handed-over",
        }
    }
}

/// Cost of an agent's work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AgentCost {
    /// Number of turns of its model.
    pub turns: u64,
    /// Tokens of requests and answers together.
    pub tokens: u64,
    /// Number of calls that its model requested.
    pub calls: u64,
    /// Price in millionths of the currency; `None` if the model's price is unknown.
    pub millionths: Option<u64>,
    /// Wall clock of the work.
    pub duration: Duration,
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
