//! Agents of a session: the same documents, tables, workspace, files, journal and limits, with fewer tools and rights.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::event::Event;
use super::narrowed::Narrowed;
use super::state::Session;
use crate::skill::Narrowing;

impl Session {
    /// The same session for an agent that has fewer tools: in its registry are only those that `narrowing` leaves, for its own
    /// calls, for the tools that these call, and as modules of its scripts. Of one that only reads, scripts cannot write to the
    /// workspace, and nothing delivers files. A narrowed session is only ever narrowed further.
    ///
    /// Documents, tables, results, workspace, files, journal, memory and limits are shared with this session. What scripts keep with
    /// `state: session` is not. Its events come as [`Event::InAgent`] with its number, and its calls have that in the journal.
    #[must_use]
    pub fn narrowed(&self, narrowing: Narrowing) -> Session {
        let agent = self.inner.agents.fetch_add(1, Ordering::Relaxed) + 1;
        let narrowed = Narrowed::new(self.narrowed.as_deref(), narrowing, agent);
        Session { inner: self.inner.clone(), narrowed: Some(Arc::new(narrowed)) }
    }

    /// The number of the agent whose session this is; none of the session itself.
    pub fn agent(&self) -> Option<u64> {
        self.narrowed.as_ref().map(|narrowed| narrowed.agent)
    }

    /// Whether nothing in it can be changed through its tools.
    pub fn reads_only(&self) -> bool {
        self.narrowed.as_ref().is_some_and(|narrowed| narrowed.reads_only())
    }

    /// A step as those who listen are told of it: with the number of the agent that takes it.
    pub fn tagged<'e>(&self, event: &'e Event) -> Cow<'e, Event> {
        match &self.narrowed {
            Some(narrowed) => Cow::Owned(narrowed.tagged(event)),
            None => Cow::Borrowed(event),
        }
    }
}
