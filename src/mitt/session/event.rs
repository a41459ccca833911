//! Events: each step of a session, told at the moment when it happens.

use std::sync::Arc;
use std::time::Duration;

use super::approval::{ApprovalRequest, Decision};
use super::attempts::Attempt;
use mitt_base::rows::grouped;

use super::call_id::CallId;
use crate::capability::{Artifact, LogLevel};
use crate::document::Document;
use crate::engine::Usage;
use crate::script::OutputStream;

/// Told of every step of a session. Called from any thread, and must return quickly.
pub type EventSink = Arc<dyn Fn(&Event) + Send + Sync>;

/// A step of a session.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A document is about to be fetched.
    Fetching {
        /// The call that it is fetched in; none if it was given to the session.
        call: Option<CallId>,
        /// Its address without what follows the path, which may be a secret.
        url: String,
    },
    /// A document is about to be read.
    DocumentStarted {
        /// The call that it is read in; none if it was given to the session.
        call: Option<CallId>,
        /// Its name.
        name: String,
        /// Its size in bytes.
        size: u64,
    },
    /// A document was read.
    DocumentReady {
        /// The call that it was read in; none if it was given to the session.
        call: Option<CallId>,
        /// The document.
        document: Arc<Document>,
        /// What its reader plugin used; none where no plugin was needed.
        usage: Option<Usage>,
        /// Wall clock of all of it.
        duration: Duration,
    },
    /// Rows of a table are being read or written: told only of work that takes longer than a fifth of a second, and at most five
    /// times in a second. It may come from work that nobody waits for any more.
    Rows {
        /// The call that they are read or written in; none for a document that was given to the session.
        call: Option<CallId>,
        /// Name of the file.
        name: String,
        /// What is done with them.
        step: RowStep,
        /// How many rows are done.
        rows: u64,
        /// Of how many, where that is known.
        of: Option<u64>,
    },
    /// What was asked for waits: a component has to be compiled for this machine first, which is done once and then kept in the
    /// cache. Told at once, and again every two seconds as long as it takes.
    Compiling {
        /// The call that waits; none for a document that was given to the session.
        call: Option<CallId>,
        /// The skill whose component it is.
        skill: String,
        /// For how long it has been compiled.
        elapsed: Duration,
        /// How long it takes, about, on two processors with nothing else to do.
        usual: Duration,
    },
    /// The component is there, and what waited for it goes on.
    Compiled {
        /// The call that waited.
        call: Option<CallId>,
        /// The skill whose component it is.
        skill: String,
        /// How long it took.
        duration: Duration,
    },
    /// It was decided what is done with an instruction before a model sees it, or whether something may be started for it.
    Routed {
        /// What was decided, in one line, such as `confident_direct+meta`.
        trace: String,
        /// What the instruction is: `chitchat`, `meta`, `action` or `ambiguous`.
        intent: &'static str,
    },
    /// A model says something: more of its text.
    ModelText {
        /// Number of the turn, from 1.
        turn: u64,
        /// What it adds.
        text: String,
    },
    /// A model thinks: more of what it shows of that. Not part of its answer.
    ModelReasoning {
        /// Number of the turn, from 1.
        turn: u64,
        /// What it adds.
        text: String,
    },
    /// A model begins to write a call, which is made when it is complete.
    ModelCall {
        /// Number of the turn, from 1.
        turn: u64,
        /// Identifies the call within the conversation.
        id: String,
        /// The tool.
        tool: String,
    },
    /// What a turn of a model cost, as its service says.
    ModelUsage {
        /// Number of the turn, from 1.
        turn: u64,
        /// Tokens of the request.
        input: u64,
        /// Of them, those that the service had in its cache.
        cached: u64,
        /// Tokens of the answer.
        output: u64,
    },
    /// Something about the model that a person should know, such as a second try.
    ModelNote {
        /// Number of the turn, from 1.
        turn: u64,
        /// What it is, in a sentence.
        text: String,
    },
    /// A model answered.
    Turn {
        /// Number of the turn, from 1.
        number: u64,
        /// Name of the model.
        model: String,
        /// What it said.
        text: String,
        /// Number of calls it wants made.
        n_calls: usize,
        /// How long it took.
        duration: Duration,
    },
    /// A model made a plan, somebody who looked at it has changed it, or a run that has it goes on.
    Plan {
        /// Which plan of the run it is, from 1: one that is rejected is followed by another.
        number: u64,
        /// What it is about.
        title: String,
        /// Its steps, in order.
        steps: Vec<PlannedStep>,
    },
    /// A plan is shown to somebody, and its steps wait for what is decided.
    PlanAsked {
        /// Which plan it is.
        number: u64,
    },
    /// Somebody who was shown a plan has decided.
    PlanDecided {
        /// Which plan it was.
        number: u64,
        /// `accepted`, `rejected` or `changed`.
        decision: &'static str,
        /// What was said with it.
        text: String,
    },
    /// A step of a plan has another state.
    PlanStep {
        /// Identifies the step in its plan.
        id: String,
        /// `waiting`, `running`, `reflecting`, `done`, `failed` or `skipped`.
        state: &'static str,
        /// Which attempt it is, from 1; 0 before the first.
        attempt: u64,
        /// How it came to that, such as `passed` or a failure; may be empty.
        detail: String,
    },
    /// A second look was taken at what an attempt of a step gave.
    PlanReflection {
        /// The step.
        id: String,
        /// The attempt, from 1.
        attempt: u64,
        /// `passed`, `failed`, `forced` or `evaluator-error`.
        outcome: &'static str,
        /// What is to be done better, or what went wrong with the look itself.
        feedback: String,
    },
    /// A call is about to run.
    CallStarted {
        /// Which call it is.
        call: CallId,
        /// The tool.
        tool: String,
        /// How many calls it is inside of.
        depth: u64,
    },
    /// An attempt ended, of a call that may have several.
    AttemptEnded {
        /// Which call it is.
        call: CallId,
        /// The tool.
        tool: String,
        /// How many calls it is inside of.
        depth: u64,
        /// How it ended, and how long is waited before the next.
        attempt: Attempt,
    },
    /// A call ended.
    CallFinished {
        /// Which call it was.
        call: CallId,
        /// The tool.
        tool: String,
        /// How many calls it was inside of.
        depth: u64,
        /// What it used.
        usage: Usage,
        /// Why it failed, if it did: kind and message.
        failure: Option<(&'static str, String)>,
    },
    /// A script wrote output. The texts of one script together are the `stdout` and `stderr` of its answer.
    Output {
        /// The call that runs the script.
        call: CallId,
        /// How many calls it is inside of.
        depth: u64,
        /// Where it wrote to.
        stream: OutputStream,
        /// What it wrote: mostly a line.
        text: String,
    },
    /// A file was delivered.
    Delivered {
        /// The call that made it.
        call: CallId,
        /// The file.
        artifact: Artifact,
        /// What is worth knowing about it, such as replaced characters.
        warnings: Vec<String>,
    },
    /// Somebody is asked whether a call may be made, and the call waits.
    Asked {
        /// What is asked.
        request: ApprovalRequest,
    },
    /// Somebody who was asked has decided, or has not answered in time.
    Decided {
        /// The call that waited.
        call: CallId,
        /// Id of the request.
        id: String,
        /// What becomes of the call.
        decision: Decision,
    },
    /// An agent began a piece of work: beside whoever gave it, or in their place.
    AgentStarted {
        /// Identifies it within the session.
        id: u64,
        /// The agent that gave it the work; none if the session's own model did.
        parent: Option<u64>,
        /// Its name.
        agent: String,
        /// Why it works.
        step: AgentStep,
        /// What it is to do, in its first words.
        task: String,
    },
    /// The work of an agent ended.
    AgentEnded {
        /// Identifies it within the session.
        id: u64,
        /// The agent that gave it the work; none if the session's own model did.
        parent: Option<u64>,
        /// Its name.
        agent: String,
        /// How it ended.
        status: AgentStatus,
        /// Why, where it did not do its task.
        failure: Option<String>,
        /// What it used, those that it gave work to included.
        cost: AgentCost,
    },
    /// A step that an agent takes.
    InAgent {
        /// Identifies the agent within the session, as [`Event::AgentStarted`] told.
        agent: u64,
        /// The step.
        event: Arc<Event>,
    },
    /// A plugin said something to the operator.
    Log {
        /// The call that said it.
        call: CallId,
        /// The tool.
        tool: String,
        /// Its importance.
        level: LogLevel,
        /// The message.
        message: String,
    },
}

/// A step of a plan, for whoever shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlannedStep {
    /// Identifies it in its plan.
    pub id: String,
    /// What it is, in a few words.
    pub title: String,
    /// `research` or `processing`.
    pub kind: &'static str,
    /// The steps whose results it needs.
    pub needs: Vec<String>,
}

impl PlannedStep {
    /// A step of this kind, `research` or `processing`.
    pub fn new(id: String, title: String, kind: &'static str, needs: Vec<String>) -> PlannedStep {
        PlannedStep { id, title, kind, needs }
    }
}

impl Event {
    /// The step as that of an agent. Of one that is an agent's already, and of what is told of agents themselves, it is the same.
    pub(super) fn of_agent(self, agent: u64) -> Event {
        match self {
            Event::AgentStarted { .. } | Event::AgentEnded { .. } | Event::InAgent { .. } => self,
            event => Event::InAgent { agent, event: Arc::new(event) },
        }
    }

    /// The step, and the agent that takes it; none where the session's own model or a user does.
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
    /// It does a task in a conversation of its own, and its summary goes back.
    Delegated,
    /// The conversation was handed over to it.
    Transferred,
}

/// How the work of an agent ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AgentStatus {
    /// It did its task.
    Done,
    /// It did not.
    Failed,
    /// Whoever waited for it waits no more.
    Cancelled,
    /// It handed the conversation over, or back.
    HandedOver,
}

impl AgentStatus {
    /// Its name, as in results and in the journal.
    pub fn name(self) -> &'static str {
        match self {
            AgentStatus::Done => "done",
            AgentStatus::Failed => "failed",
            AgentStatus::Cancelled => "cancelled",
            AgentStatus::HandedOver => "handed-over",
        }
    }
}

/// What the work of an agent used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AgentCost {
    /// Turns of its model.
    pub turns: u64,
    /// Tokens of requests and answers.
    pub tokens: u64,
    /// Calls that its model wanted made.
    pub calls: u64,
    /// What it cost, in millionths of the currency of the prices, where the model's price is known.
    pub millionths: Option<u64>,
    /// Wall clock.
    pub duration: Duration,
}

/// What is done with rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowStep {
    /// They are read from a file.
    Reading,
    /// They are written to a file.
    Writing,
}

impl RowStep {
    /// A step for people: `writing a.xlsx: 120 000 of 1 000 000 rows`.
    pub fn sentence(self, name: &str, rows: u64, of: Option<u64>) -> String {
        let doing = match self {
            RowStep::Reading => "reading",
            RowStep::Writing => "writing",
        };
        let of = of.map_or_else(String::new, |of| format!(" of {}", grouped(of)));
        format!("{doing} {name}: {}{of} rows", grouped(rows))
    }
}
