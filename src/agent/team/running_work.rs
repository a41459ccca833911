//! Running work of an agent: reports its beginning, its end and its usage.

use std::sync::Arc;
use std::time::Instant;

use serde_json::json;

use crate::model::Cost;
use crate::run_event::{AgentCost, AgentStatus, AgentStep, RunEvent};
use crate::usage::UsageCounter;
use mitt::{Event, EventSink, Session};

/// Work that is running. If it is dropped before its end, because the caller dropped it, that is reported.
pub(crate) struct RunningWork {
    /// Session of the agent that gave the work.
    parent: Session,
    sink: Option<EventSink>,
    /// `true` if it is recorded in the journal, too.
    is_noted: bool,
    id: u64,
    name: String,
    counter: Arc<UsageCounter>,
    start: Instant,
    is_ended: bool,
}

impl RunningWork {
    /// Returns work of the agent of this name in `session`, given by the agent of `parent`. Nothing is reported yet.
    pub(crate) fn new(
        parent: &Session,
        session: &Session,
        name: &str,
        counter: Arc<UsageCounter>,
    ) -> RunningWork {
        RunningWork {
            parent: parent.clone(),
            sink: None,
            is_noted: false,
            id: session.agent().unwrap_or_default(),
            name: name.to_owned(),
            counter,
            start: Instant::now(),
            is_ended: false,
        }
    }

    /// Also records it in the journal, and sends events to `sink` in addition to the session's own listeners.
    pub(crate) fn noted(mut self, sink: Option<EventSink>) -> RunningWork {
        (self.is_noted, self.sink) = (true, sink);
        self
    }

    /// Returns the number of the work, unique in the session.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// Reports the beginning.
    pub(crate) fn begin(&self, task: String) {
        let Self { id, name, .. } = self;
        if self.is_noted {
            self.parent.note("agent", json!({ "id": id, "name": name, "step": "started" }));
        }
        self.emit(RunEvent::AgentStarted {
            id: *id,
            parent: self.parent.agent(),
            agent: name.clone(),
            step: AgentStep::Delegated,
            task,
        });
    }

    /// Reports the end, with the reason if it failed.
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
        self.emit(RunEvent::AgentEnded { id, parent, agent, status, failure, cost });
    }

    /// Returns its cost, including agents that it delegated to.
    pub(crate) fn cost(&self) -> AgentCost {
        let totals = self.counter.totals();
        AgentCost {
            turns: totals.turns,
            tokens: totals.tokens(),
            calls: totals.calls,
            millionths: totals.cost().map(Cost::millionths),
            duration: self.start.elapsed(),
        }
    }

    fn emit(&self, event: RunEvent) {
        let event = Event::from(event);
        self.parent.emit(&event);
        if let Some(sink) = &self.sink {
            sink(&event);
        }
    }
}

impl Drop for RunningWork {
    fn drop(&mut self) {
        if !self.is_ended && !std::thread::panicking() {
            self.end(AgentStatus::Cancelled, None);
        }
    }
}
