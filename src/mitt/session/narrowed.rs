//! What a session is to one of its agents: fewer tools, fewer rights, and variables of its own.
//!
//! Knows no session: whoever makes a call brings it along, and the calls inside of that one share it.

use std::sync::Arc;

use super::event::Event;
use super::script::KeptInstances;
use crate::capability::Services;
use crate::skill::{Narrowing, Registry};

/// A session as one of its agents has it.
pub(super) struct Narrowed {
    /// Each narrows what the one before has left.
    layers: Arc<[Narrowing]>,
    /// No other agent of the session has this number.
    pub(super) agent: u64,
    /// What its scripts keep. Were it shared, what a reader leaves there could be run with the rights of a writer.
    pub(super) kept: KeptInstances,
}

impl Narrowed {
    /// As `outer` has it, narrowed further.
    pub(super) fn new(outer: Option<&Narrowed>, narrowing: Narrowing, agent: u64) -> Narrowed {
        let outer = outer.map_or(&[][..], |outer| &outer.layers);
        let layers = outer.iter().cloned().chain([narrowing]).collect();
        Narrowed { layers, agent, kept: KeptInstances::default() }
    }

    /// Whether nothing can be changed.
    pub(super) fn reads_only(&self) -> bool {
        self.layers.iter().any(Narrowing::reads_only)
    }

    /// The tools that are left.
    pub(super) fn registry(&self, whole: Registry) -> Registry {
        whole.narrowed(&self.layers)
    }

    /// What may be asked of the session.
    pub(super) fn services(&self, whole: Services) -> Services {
        if self.reads_only() { whole.reading_only() } else { whole }
    }

    /// A step that the agent takes.
    pub(super) fn tagged(&self, event: &Event) -> Event {
        event.clone().of_agent(self.agent)
    }
}
