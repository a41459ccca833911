//! Events of runs: the steps of models, plans and agents, which a session passes on to its listeners.

use std::sync::Arc;
use std::time::Duration;

use mitt::{Citations, Event, LayerEvent};

/// Step of a run with a model. Listeners to a session receive it as [`Event::Layer`] beside the session's own steps.
///
/// # Example: the words of a model
///
/// ```
/// use std::sync::Arc;
///
/// use mitt::{Event, SessionOptions};
/// use mitt_agent::RunEvent;
///
/// let options = SessionOptions {
///     events: Some(Arc::new(|event: &Event| {
///         if let Some(RunEvent::ModelText { text, .. }) = RunEvent::from_event(event) {
///             print!("{text}");
///         }
///     })),
///     ..SessionOptions::default()
/// };
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RunEvent {
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
    /// A model made a plan, a reviewer changed a plan that was shown, or a run with a plan is resumed.
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
    /// A reviewer has decided about a plan.
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
}

impl RunEvent {
    /// Returns the step of a run that listeners received as `event`; `None` for a step of the session itself or of another
    /// layer. For a step of an agent, which is wrapped, take the step out with [`Event::in_agent`] first.
    pub fn from_event(event: &Event) -> Option<&RunEvent> {
        match event {
            Event::Layer(layer) => layer.downcast_ref(),
            _ => None,
        }
    }
}

impl From<RunEvent> for Event {
    fn from(event: RunEvent) -> Event {
        // These events name their agent. The handle that sends them belongs to the agent that gave it the work.
        let names_agent =
            matches!(event, RunEvent::AgentStarted { .. } | RunEvent::AgentEnded { .. });
        let layer = LayerEvent::new(event);
        Event::Layer(if names_agent { layer.untagged() } else { layer })
    }
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

/// Reason why an agent works.
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
