//! Context of a conversation within a run: the agents above it, the shared state, and the listener.

use std::sync::{Arc, Mutex};

use tokio::sync::OwnedSemaphorePermit;

use super::run::TeamRun;
use crate::log::{FilesStored, LogEntry, RunLog};
use crate::usage::UsageCounter;
use mitt::EventSink;
use mitt_base::{Error, lock};

/// Log of a run, which all of its conversations write to.
pub(crate) type SharedLog = Arc<Mutex<RunLog>>;

/// Context of a conversation. The default is for one that stands alone.
#[derive(Default)]
pub(crate) struct ConversationContext {
    /// Number of agents above it.
    pub(crate) depth: u64,
    /// State shared with the others of the run; `None` before the run begins.
    pub(crate) run: Option<Arc<TeamRun>>,
    /// Counts usage for the agents above it.
    pub(crate) parent_counter: Option<Arc<UsageCounter>>,
    /// Receives every step, in addition to the session's own listeners.
    pub(crate) sink: Option<EventSink>,
    pub(crate) log: Option<SharedLog>,
    /// The right to work, while it works.
    pub(crate) permit: Option<OwnedSemaphorePermit>,
    /// Documents that are listed for it; `None` for all.
    pub(crate) documents: Option<Vec<String>>,
}

impl ConversationContext {
    /// Logs a step, as that of the agent of this number, if any. `redacted` removes secrets from a line. Returns the reason why
    /// nothing more is written, once.
    pub(crate) fn write(
        &self,
        agent: Option<u64>,
        entry: &LogEntry,
        redacted: impl Fn(&str) -> String,
    ) -> Option<Error> {
        let log = self.log.as_ref()?;
        match agent {
            None => write(log, entry, redacted),
            // The system message follows from the agent, and is long.
            Some(_) if matches!(entry, LogEntry::System { .. }) => None,
            Some(agent) => {
                write(log, &LogEntry::FromAgent { agent, entry: Box::new(entry.clone()) }, redacted)
            }
        }
    }

    /// Returns what results with delivered files wait for before they are logged.
    pub(crate) fn files_stored(&self) -> Option<FilesStored> {
        lock(self.log.as_ref()?).files_stored()
    }
}

/// Like [`ConversationContext::write`], for callers without a conversation.
pub(crate) fn write(
    log: &SharedLog,
    entry: &LogEntry,
    redacted: impl Fn(&str) -> String,
) -> Option<Error> {
    let mut log = lock(log);
    log.entry(entry, redacted);
    log.take_problem()
}
