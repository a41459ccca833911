//! Work of an agent that goes on: that it began, how it ended and what it used is told.

use std::sync::Arc;
use std::time::Instant;

use serde_json::json;

use crate::meter::Meter;
use crate::model::Cost;
use mitt::{AgentCost, AgentStatus, AgentStep, Event, EventSink, Session};

/// Work that goes on. If it is dropped before it ends, because nobody waits for it any more, that is told.
pub(crate) struct AtWork {
    /// Of whoever gave the work.
    parent: Session,
    sink: Option<EventSink>,
    /// Whether the journal is told too.
    is_noted: bool,
    id: u64,
    name: String,
    meter: Arc<Meter>,
    start: Instant,
    is_ended: bool,
}

impl AtWork {
    /// Work of the agent of this name in `session`, which whoever works in `parent` gives. Nobody is told yet.
    pub(crate) fn new(
        parent: &Session,
        session: &Session,
        name: &str,
        meter: Arc<Meter>,
    ) -> AtWork {
        AtWork {
            parent: parent.clone(),
            sink: None,
            is_noted: false,
            id: session.agent().unwrap_or_default(),
            name: name.to_owned(),
            meter,
            start: Instant::now(),
            is_ended: false,
        }
    }

    /// Tell the journal of it, and `sink` beside the session's own listeners.
    pub(super) fn noted(mut self, sink: Option<EventSink>) -> AtWork {
        (self.is_noted, self.sink) = (true, sink);
        self
    }

    /// Identifies the work within the session.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// It begins.
    pub(crate) fn begin(&self, task: String) {
        let Self { id, name, .. } = self;
        if self.is_noted {
            self.parent.note("agent", json!({ "id": id, "name": name, "step": "started" }));
        }
        self.tell(&Event::AgentStarted {
            id: *id,
            parent: self.parent.agent(),
            agent: name.clone(),
            step: AgentStep::Delegated,
            task,
        });
    }

    /// It has ended, for this reason if it failed.
    pub(crate) fn end(&mut self, status: AgentStatus, failure: Option<String>) {
        self.is_ended = true;
        let cost = self.cost();
        if self.is_noted {
            self.parent.note(
                "agent",
                json!({
                    "id": self.id, "name": self.name, "step": status.name(), "turns": cost.turns, "tokens": cost.tokens,
                    "calls": cost.calls, "cost_millionths": cost.millionths,
                }),
            );
        }
        let (id, parent, agent) = (self.id, self.parent.agent(), self.name.clone());
        self.tell(&Event::AgentEnded { id, parent, agent, status, failure, cost });
    }

    /// What it used, with those that it gave work to.
    pub(super) fn cost(&self) -> AgentCost {
        let used = self.meter.used();
        AgentCost {
            turns: used.turns,
            tokens: used.tokens(),
            calls: used.calls,
            millionths: used.cost().map(Cost::millionths),
            duration: self.start.elapsed(),
        }
    }

    fn tell(&self, event: &Event) {
        self.parent.emit(event);
        if let Some(sink) = &self.sink {
            sink(event);
        }
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        if !self.is_ended && !std::thread::panicking() {
            self.end(AgentStatus::Cancelled, None);
        }
    }
}
