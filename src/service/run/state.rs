//! The state of a run, as clients see it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::citation::RunCitation;
use super::output::RunOutput;
use super::spec::{CreateRun, RunOptions};
use mitt_agent::plan::Plan;
use mitt_base::text;

/// Most characters of an answer in the record of a run. Its events have the whole text.
pub(super) const MAX_TEXT_CHARACTERS: u64 = 200_000;

/// Status of a run.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// Waits for a worker.
    Queued,
    /// An instruction is followed.
    Running,
    /// A question waits for an answer: see `question`. The run holds no sandbox meanwhile if it waits for a function of the
    /// caller.
    Waiting,
    /// The last instruction was followed; another one can be sent.
    Completed,
    /// The last instruction ended with an error; another one can be sent, or the run continued.
    Failed,
    /// A client cancelled it; it can be continued.
    Cancelled,
    /// Its process ended; it can be continued, and no call with a result is made again.
    Interrupted,
}

impl RunStatus {
    /// Returns the name, as in JSON and in a store.
    pub fn name(self) -> &'static str {
        match self {
            RunStatus::Queued => "queued",
            RunStatus::Running => "running",
            RunStatus::Waiting => "waiting",
            RunStatus::Completed => "completed",
            RunStatus::Failed => "failed",
            RunStatus::Cancelled => "cancelled",
            RunStatus::Interrupted => "interrupted",
        }
    }

    /// Returns `true` if a worker has the run or will take it, so that events may come without a request.
    pub fn is_active(self) -> bool {
        matches!(self, RunStatus::Queued | RunStatus::Running | RunStatus::Waiting)
    }
}

/// A run.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct RunState {
    /// Identifier, such as `run_…`.
    pub id: String,
    /// Status.
    pub status: RunStatus,
    /// Title for lists.
    pub title: String,
    /// Name of the model.
    pub model: String,
    /// Time of creation in milliseconds after 1970.
    pub created_ms: u64,
    /// Time of the last change in milliseconds after 1970.
    pub updated_ms: u64,
    /// Documents.
    pub documents: Vec<RunDocument>,
    /// Delivered files.
    pub files: Vec<RunFile>,
    /// Answer to the last instruction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The value of the answer, if the instruction had an `output_schema`: JSON that follows it, with all digits of its numbers.
    /// Set in responses only, and not in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Value>")]
    pub output: Option<RunOutput>,
    /// `true` if the answer has a value; not shown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(skip)]
    pub has_output: bool,
    /// Kinds of files that were asked for and not delivered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// The citations of the answer, at most 200. Not in lists.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<RunCitation>,
    /// The question that waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
    /// Instructions that were sent and that the model has not begun, oldest first. Not in lists.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<WaitingInstruction>,
    /// Why the last instruction was not followed to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// What the models used so far.
    pub usage: RunUsage,
    /// How the run is done.
    pub options: RunOptions,
    /// The client's own values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
    /// The request that created the run; not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub request: Option<Box<CreateRun>>,
    /// Records of the inbox that are done; not shown.
    #[serde(default)]
    #[schemars(skip)]
    pub inbox_done: u64,
}

impl RunState {
    /// Returns a run of which nothing is known but this.
    pub(super) fn new(id: &str, model: String, created_ms: u64) -> RunState {
        RunState {
            id: id.to_owned(),
            status: RunStatus::Queued,
            title: String::new(),
            model,
            created_ms,
            updated_ms: created_ms,
            documents: Vec::new(),
            files: Vec::new(),
            text: None,
            output: None,
            has_output: false,
            missing: Vec::new(),
            citations: Vec::new(),
            question: None,
            waiting: Vec::new(),
            failure: None,
            usage: RunUsage { micro_dollars: Some(0), ..RunUsage::default() },
            options: RunOptions::default(),
            metadata: BTreeMap::new(),
            request: None,
            inbox_done: 0,
        }
    }

    /// Sets the answer, if there is one. `has_output` says that it has a value.
    pub(super) fn set_text(&mut self, text: Option<String>, has_output: bool) {
        if let Some(text) = text {
            self.text = Some(text::truncate(&text, MAX_TEXT_CHARACTERS));
            self.has_output = has_output;
        }
    }

    /// Forgets the answer and how it ended, because another instruction begins.
    pub(super) fn clear_answer(&mut self) {
        (self.text, self.has_output, self.failure) = (None, false, None);
        self.missing.clear();
        self.citations.clear();
    }
}

/// An instruction that was sent and that the model has not begun.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
pub struct WaitingInstruction {
    /// Number, by which it can be taken back: `DELETE /v1/runs/{run}/messages/{number}`.
    pub number: u64,
    /// Its first 1 000 characters.
    pub text: String,
    /// Time at which it was sent, in milliseconds after 1970.
    pub created_ms: u64,
}

/// A document of a run.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct RunDocument {
    /// Name in the run.
    pub name: String,
    /// SHA-256 of the content.
    pub sha256: String,
    /// Size in bytes.
    pub size: u64,
    /// What was understood of it, such as sheets, pages and warnings; `None` until it is read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Value>,
}

/// A delivered file.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct RunFile {
    /// Name. A later file of the same name replaces it.
    pub name: String,
    /// Media type.
    pub media_type: String,
    /// SHA-256 of the content.
    pub sha256: String,
    /// Size in bytes.
    pub size: u64,
    /// Number of pages of a PDF that Mitt rendered. A PDF that a tool edited has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<u64>,
    /// Signed link to download it without a token. Set in responses only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// A question of a run.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Question {
    /// May this call be made?
    Approval {
        /// Identifier of the question.
        id: String,
        /// Name of the tool.
        tool: String,
        /// Title of the tool for people.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        /// The arguments in full, a JSON object.
        arguments: Value,
    },
    /// Shall this plan be carried out?
    Plan {
        /// Identifier of the question.
        id: String,
        /// Number of the plan in its run, from 1.
        number: u64,
        /// The plan.
        #[schemars(with = "Value")]
        plan: Plan,
    },
    /// The model called functions of the caller.
    Functions {
        /// Identifier of the question.
        id: String,
        /// The calls.
        calls: Vec<FunctionCall>,
    },
}

impl Question {
    /// Returns the identifier.
    pub fn id(&self) -> &str {
        match self {
            Question::Approval { id, .. }
            | Question::Plan { id, .. }
            | Question::Functions { id, .. } => id,
        }
    }
}

/// A call of a function of the caller.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct FunctionCall {
    /// Identifier of the call.
    pub id: String,
    /// Name of the function.
    pub name: String,
    /// Arguments as the model wrote them, JSON.
    pub arguments: String,
}

/// An answer to a question.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// Identifier of the question.
    pub question: String,
    /// `accept`, `reject`, or, for a plan, `change`.
    pub decision: String,
    /// Reason of a rejection; for a plan, what another one should do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The plan that is carried out instead, for `change`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Value>,
}

/// Why an instruction was not followed to its end.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Failure {
    /// Kind of the error, such as `model` or `limit`; `output_mismatch` if the model never gave an answer that follows the
    /// `output_schema`.
    pub code: String,
    /// The error, one or more lines.
    pub message: String,
    /// The way out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// What models used.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default)]
pub struct RunUsage {
    /// Turns.
    pub turns: u64,
    /// Tokens of requests.
    pub input_tokens: u64,
    /// Tokens of requests that the model's service had cached.
    pub cached_tokens: u64,
    /// Tokens of answers.
    pub output_tokens: u64,
    /// Cost in millionths of a dollar; `None` if a price is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub micro_dollars: Option<u64>,
}

impl RunUsage {
    /// Returns `seen` if its sums of the same run are larger, otherwise these sums.
    pub(super) fn or_more(self, seen: RunUsage) -> RunUsage {
        let tokens = |usage: &RunUsage| usage.input_tokens.saturating_add(usage.output_tokens);
        if tokens(&seen) > tokens(&self) {
            RunUsage { turns: seen.turns.max(self.turns), ..seen }
        } else {
            self
        }
    }
}
