//! What a translation knows from the beginning, and the events that it makes.

use std::collections::BTreeSet;

use serde_json::Value;

use super::events::{Outcome, PageEvent, StampedEvent};
use crate::run::{RunFile, RunUsage};

/// Returns the link to a file.
pub(super) type LinkOf = Box<dyn Fn(&RunFile) -> String + Send + Sync>;

/// What the translation of one run of AG-UI needs to know.
pub(super) struct Translation {
    /// Identifier of the thread.
    pub(super) thread_id: String,
    /// Identifier of the run of AG-UI.
    pub(super) run_id: String,
    /// The run that it came from.
    pub(super) parent_run_id: Option<String>,
    /// What the models had used before.
    pub(super) usage_before: RunUsage,
    /// `true` if an instruction was sent, so that the end of an earlier one means nothing.
    pub(super) awaits_instruction: bool,
    /// Calls whose results came from the page, so that it has them.
    pub(super) provided: BTreeSet<String>,
    /// Sentences for the user that stand before everything else.
    pub(super) notes: Vec<String>,
}

/// Events that are being made for one event of the run.
pub(super) struct Made {
    pub(super) events: Vec<StampedEvent>,
    pub(super) timestamp: u64,
}

impl Made {
    pub(super) fn push(&mut self, event: PageEvent) {
        self.events.push(StampedEvent { event, timestamp: self.timestamp });
    }

    pub(super) fn state(&mut self, delta: Vec<Value>) {
        if !delta.is_empty() {
            self.push(PageEvent::StateDelta { delta });
        }
    }
}

/// Returns the identifier of a call. Those of models are unique in their conversations, and each agent has one of its own.
pub(super) fn call_id(agent: Option<u64>, id: &str) -> String {
    agent.map_or_else(|| id.to_owned(), |agent| format!("agent-{agent}-{id}"))
}

pub(super) fn success() -> Outcome {
    Outcome::Success { pending_tool_call_ids: Vec::new() }
}

pub(super) fn custom(
    name: &'static str,
    value: Value,
    subagent_run_id: Option<String>,
) -> PageEvent {
    PageEvent::Custom { name, value, subagent_run_id }
}
