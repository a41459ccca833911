//! View of a session for one of its agents: fewer tools, fewer rights, and variables of its own.
//!
//! Knows no session: a call carries its view, and inner calls share it.

use std::sync::Arc;

use super::event::Event;
use super::script::KeptInstances;
use crate::capability::Services;
use crate::skill::{Narrowing, Registry};

/// View of a session for one of its agents.
pub(super) struct Narrowed {
    /// Restrictions, all of which apply.
    layers: Arc<[Narrowing]>,
    /// Number of the agent, unique in the session.
    pub(super) agent: u64,
    /// Variables that its scripts keep. If agents shared them, code left there by a reader could run with the rights of a writer.
    pub(super) kept: KeptInstances,
}

impl Narrowed {
    /// Returns the view of `outer` with one more restriction.
    pub(super) fn new(outer: Option<&Narrowed>, narrowing: Narrowing, agent: u64) -> Narrowed {
        let outer = outer.map_or(&[][..], |outer| &outer.layers);
        let layers = outer.iter().cloned().chain([narrowing]).collect();
        Narrowed { layers, agent, kept: KeptInstances::default() }
    }

    /// Returns whether the agent may only read.
    pub(super) fn reads_only(&self) -> bool {
        self.layers.iter().any(Narrowing::reads_only)
    }

    /// Returns the tools that the agent has.
    pub(super) fn registry(&self, whole: Registry) -> Registry {
        whole.narrowed(&self.layers)
    }

    /// Returns the services that the agent has.
    pub(super) fn services(&self, whole: Services) -> Services {
        if self.reads_only() { whole.reading_only() } else { whole }
    }

    /// Wraps an event as a step of the agent.
    pub(super) fn tagged(&self, event: &Event) -> Event {
        event.clone().of_agent(self.agent)
    }
}
