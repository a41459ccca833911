//! Agents of a session: they share documents, tables, workspace, files, journal and limits with it, but have fewer tools and
//! rights.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::agent_view::AgentView;
use super::event::Event;
use super::state::Session;
use crate::skill::ToolFilter;

impl Session {
    /// Returns the same session for an agent with fewer tools. Its registry holds only the tools that pass `filter`, and
    /// those of the session that this is called on; that applies to the agent's own calls, to calls that its tools make, and to
    /// the tool modules of its scripts. For a read-only agent, scripts cannot write to the workspace and no tool delivers files.
    ///
    /// The agent shares documents, tables, results, workspace, files, journal, memory and limits with this session, but not the
    /// variables that scripts keep with `state: session`. Its events arrive as [`Event::InAgent`] with its number, and journal
    /// entries of its calls have the number, too.
    #[must_use]
    pub fn for_agent(&self, filter: ToolFilter) -> Session {
        let agent = self.inner.agents.fetch_add(1, Ordering::Relaxed) + 1;
        let agent_view = AgentView::new(self.agent_view.as_deref(), filter, agent);
        Session { inner: self.inner.clone(), agent_view: Some(Arc::new(agent_view)) }
    }

    /// Returns the number of the agent that this handle belongs to; `None` for the session itself.
    pub fn agent(&self) -> Option<u64> {
        self.agent_view.as_ref().map(|view| view.agent)
    }

    /// Returns whether this handle is for an agent that may only read.
    pub fn reads_only(&self) -> bool {
        self.agent_view.as_ref().is_some_and(|view| view.reads_only())
    }

    /// Returns the event as listeners receive it: wrapped with the number of the agent, if this handle belongs to one.
    pub fn tagged<'e>(&self, event: &'e Event) -> Cow<'e, Event> {
        match &self.agent_view {
            Some(view) => Cow::Owned(view.tagged(event)),
            None => Cow::Borrowed(event),
        }
    }
}
