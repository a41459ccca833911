//! Events of AG-UI 1.0, as far as Mitt sends them.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// Version of the protocol.
pub(super) const PROTOCOL_VERSION: &str = "1.0";

/// An event with its time.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub(crate) struct StampedEvent {
    /// The event.
    #[serde(flatten)]
    pub(crate) event: PageEvent,
    /// Time in milliseconds after 1970.
    pub(crate) timestamp: u64,
}

/// An event.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE", rename_all_fields = "camelCase")]
pub(crate) enum PageEvent {
    /// A run begins.
    RunStarted {
        thread_id: String,
        run_id: String,
        protocol_version: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        parent_run_id: Option<String>,
    },
    /// A run ended without an error.
    RunFinished {
        thread_id: String,
        run_id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<Value>,
        outcome: Outcome,
        usage: Vec<TokenUsage>,
    },
    /// A run failed.
    RunError { message: String, code: String, usage: Vec<TokenUsage> },
    /// A step of the plan begins.
    StepStarted { step_name: String },
    /// A step of the plan ended.
    StepFinished { step_name: String },
    /// A message of the agent begins.
    TextMessageStart {
        message_id: String,
        role: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        subagent_run_id: Option<String>,
    },
    /// More text of a message.
    TextMessageContent {
        message_id: String,
        delta: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        subagent_run_id: Option<String>,
    },
    /// A message ended.
    TextMessageEnd {
        message_id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        subagent_run_id: Option<String>,
    },
    /// A span of reasoning begins.
    ReasoningStart {
        message_id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        subagent_run_id: Option<String>,
    },
    /// A text of reasoning begins.
    ReasoningMessageStart {
        message_id: String,
        role: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        subagent_run_id: Option<String>,
    },
    /// More reasoning.
    ReasoningMessageContent {
        message_id: String,
        delta: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        subagent_run_id: Option<String>,
    },
    /// A text of reasoning ended.
    ReasoningMessageEnd {
        message_id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        subagent_run_id: Option<String>,
    },
    /// A span of reasoning ended.
    ReasoningEnd {
        message_id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        subagent_run_id: Option<String>,
    },
    /// A call of a tool of Mitt or of the page.
    ToolCallStart {
        tool_call_id: String,
        tool_call_name: String,
        parent_message_id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        subagent_run_id: Option<String>,
    },
    /// Arguments of a call.
    ToolCallArgs {
        tool_call_id: String,
        delta: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        subagent_run_id: Option<String>,
    },
    /// The arguments are complete.
    ToolCallEnd {
        tool_call_id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        subagent_run_id: Option<String>,
    },
    /// Result of a tool of Mitt.
    ToolCallResult {
        message_id: String,
        tool_call_id: String,
        content: String,
        role: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        metadata: Option<Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        subagent_run_id: Option<String>,
    },
    /// An agent begins to work.
    SubagentStarted {
        subagent_run_id: String,
        name: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        parent_subagent_run_id: Option<String>,
    },
    /// An agent ended its work, or waits for an answer.
    SubagentFinished {
        subagent_run_id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        outcome: Option<SubagentOutcome>,
    },
    /// An agent failed.
    SubagentError { subagent_run_id: String, message: String, code: String },
    /// The whole state.
    StateSnapshot { snapshot: Value },
    /// A change of the state, as JSON Patch.
    StateDelta { delta: Vec<Value> },
    /// Something that the protocol has no event for.
    Custom {
        name: &'static str,
        value: Value,
        #[serde(skip_serializing_if = "Option::is_none")]
        subagent_run_id: Option<String>,
    },
}

/// Why a run ended.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub(crate) enum Outcome {
    /// It did what it should, or waits for tools of the page.
    Success {
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pending_tool_call_ids: Vec<String>,
    },
    /// It waits for an answer.
    Interrupt { interrupts: Vec<Interrupt> },
    /// It was cancelled.
    Cancelled,
}

/// How the work of an agent ended.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub(crate) enum SubagentOutcome {
    /// It goes on when the interrupts are answered.
    Suspended { interrupt_ids: Vec<String> },
}

/// A question.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Interrupt {
    pub(crate) id: String,
    pub(crate) reason: &'static str,
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tool_call_id: Option<String>,
    pub(crate) response_schema: Value,
    pub(crate) metadata: Value,
}

/// What a model used.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TokenUsage {
    pub(crate) model: String,
    pub(crate) input_tokens: u64,
    pub(crate) output_tokens: u64,
    pub(crate) total_tokens: u64,
    pub(crate) cached_input_tokens: u64,
}
