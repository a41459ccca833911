//! View of a session for one of its agents: fewer tools, fewer rights, and variables of its own.
//!
//! Knows no session: a call carries its view, and inner calls share it.

use std::sync::Arc;

use super::event::Event;
use super::script::KeptInstances;
use mitt_skill::{FilteredRegistryInternal as _, Registry, ToolFilter, capability::Services};

/// View of a session for one of its agents.
pub(super) struct AgentView {
    /// Filters, all of which apply.
    filters: Arc<[ToolFilter]>,
    /// Number of the agent, unique in the session.
    pub(super) agent: u64,
    /// Variables that its scripts keep. If agents shared them, code left there by a reader could run with the rights of a writer.
    pub(super) kept: KeptInstances,
}

impl AgentView {
    /// Returns the view of `outer` with one more restriction.
    pub(super) fn new(outer: Option<&AgentView>, filter: ToolFilter, agent: u64) -> AgentView {
        let outer = outer.map_or(&[][..], |outer| &outer.filters);
        let filters = outer.iter().cloned().chain([filter]).collect();
        AgentView { filters, agent, kept: KeptInstances::default() }
    }

    /// Returns whether the agent may only read.
    pub(super) fn reads_only(&self) -> bool {
        self.filters.iter().any(ToolFilter::reads_only)
    }

    /// Returns the tools that the agent has.
    pub(super) fn registry(&self, whole: Registry) -> Registry {
        whole.filtered(&self.filters)
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
