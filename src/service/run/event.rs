//! Events of a run: numbered, kept, and the same for all watchers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::citation::RunCitation;
use super::output::RunOutput;
use super::state::{Failure, FunctionCall, Question, RunDocument, RunFile, RunStatus, RunUsage};

/// An event of a run.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct RunEvent {
    /// Number, from 1, without gaps. A client that reconnects sends the last one that it saw as `Last-Event-ID`.
    pub number: u64,
    /// Time in milliseconds after 1970.
    pub time_ms: u64,
    /// The agent whose step it is; `None` for the run's own model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<u64>,
    /// What happened.
    #[serde(flatten)]
    pub data: EventData,
}

/// What happened.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum EventData {
    /// The status changed.
    Status {
        /// The new status.
        status: RunStatus,
    },
    /// The user gave an instruction.
    Instruction {
        /// Its text.
        text: String,
    },
    /// A document is being read.
    DocumentStarted {
        /// Name.
        name: String,
        /// Size in bytes.
        size: u64,
    },
    /// A document was read.
    DocumentReady {
        /// The document.
        document: RunDocument,
    },
    /// A turn of a model begins.
    TurnStarted {
        /// Number of the turn, from 1.
        turn: u64,
    },
    /// More text of the answer.
    Text {
        /// Number of the turn, from 1.
        turn: u64,
        /// The additional text.
        text: String,
    },
    /// More of the model's visible reasoning.
    Reasoning {
        /// Number of the turn, from 1.
        turn: u64,
        /// The additional text.
        text: String,
    },
    /// A turn of a model ended.
    TurnEnded {
        /// Number of the turn, from 1.
        turn: u64,
        /// The whole text of the turn.
        text: String,
        /// The calls that the model requested, with their arguments.
        calls: Vec<FunctionCall>,
    },
    /// A call began.
    CallStarted {
        /// Identifier of the call in the session.
        call: String,
        /// Identifier in `calls` of the turn; `None` for a call of a script.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model_call: Option<String>,
        /// Name of the tool.
        tool: String,
        /// Number of enclosing calls.
        depth: u64,
    },
    /// A call ended.
    CallEnded {
        /// Identifier of the call in the session.
        call: String,
        /// Name of the tool.
        tool: String,
        /// Number of enclosing calls.
        depth: u64,
        /// Duration in milliseconds.
        duration_ms: u64,
        /// Kind of the error and its message; `None` if the call succeeded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<Failure>,
    },
    /// The model received the result of a call.
    CallResult {
        /// Identifier in `calls` of the turn.
        model_call: String,
        /// The text that the model received.
        content: String,
        /// `true` if it is an error.
        is_error: bool,
    },
    /// A script wrote output.
    Output {
        /// Identifier of the call in the session.
        call: String,
        /// `stdout` or `stderr`.
        stream: String,
        /// The text.
        text: String,
    },
    /// A file was delivered.
    File {
        /// The file.
        file: RunFile,
        /// Warnings about it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        warnings: Vec<String>,
    },
    /// The run waits for an answer.
    Question {
        /// The question.
        question: Question,
    },
    /// A question was answered.
    Answered {
        /// Identifier of the question.
        question: String,
        /// The decision.
        decision: String,
        /// Its reason.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// A plan was made or changed.
    Plan {
        /// Number of the plan, from 1.
        // `number` is that of the event.
        #[serde(rename = "plan")]
        number: u64,
        /// Title.
        title: String,
        /// Steps, each with `id`, `title`, `description`, `kind` and `needs`.
        steps: Value,
    },
    /// A step of the plan changed its state.
    PlanStep {
        /// Identifier of the step.
        id: String,
        /// `waiting`, `running`, `reflecting`, `done`, `failed` or `skipped`.
        state: String,
        /// Number of the attempt.
        attempt: u64,
        /// Reason.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        detail: String,
    },
    /// An agent began to work.
    AgentStarted {
        /// Number of the agent.
        id: u64,
        /// The agent that delegated to it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<u64>,
        /// Name.
        name: String,
        /// Beginning of its task.
        task: String,
    },
    /// The work of an agent ended.
    AgentEnded {
        /// Number of the agent.
        id: u64,
        /// Name.
        name: String,
        /// How it ended.
        status: String,
        /// Why it did not complete its task.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<String>,
    },
    /// What the models used so far.
    Usage {
        /// The sums.
        usage: RunUsage,
    },
    /// A notice for people.
    Note {
        /// One sentence.
        text: String,
    },
    /// Work that takes longer goes on: rows are read, code is compiled, an address is fetched.
    Progress {
        /// One line.
        text: String,
    },
    /// The instruction was followed to its end, or not.
    Ended {
        /// The status of the run now.
        status: RunStatus,
        /// The answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        /// The value of the answer, if the instruction had an `output_schema`. Set in responses only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<Value>")]
        output: Option<RunOutput>,
        /// `true` if the answer has a value; not shown.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[schemars(skip)]
        has_output: bool,
        /// Names of the files that were delivered for the instruction.
        files: Vec<String>,
        /// Kinds of files that were asked for and not delivered.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        missing: Vec<String>,
        /// The citations of the answer, at most 200.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        citations: Vec<RunCitation>,
        /// Why it was not followed to its end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<Failure>,
        /// What the models used for the whole run.
        usage: RunUsage,
    },
}
