//! Place of a conversation among those of a run: the agents above it, the shared state, and the listener.

use std::sync::{Arc, Mutex};

use tokio::sync::OwnedSemaphorePermit;

use super::run::TeamRun;
use crate::log::{Entry, RunLog};
use crate::meter::Meter;
use mitt::EventSink;
use mitt_base::{Error, lock};

/// Log of a run, which all of its conversations write to.
pub(crate) type SharedLog = Arc<Mutex<RunLog>>;

/// Place of a conversation. The default is for one that stands alone.
#[derive(Default)]
pub(crate) struct Seat {
    /// Number of agents above it.
    pub(crate) depth: u64,
    /// State shared with the others of the run; `None` before the run begins.
    pub(crate) run: Option<Arc<TeamRun>>,
    /// Counts usage for the agents above it.
    pub(crate) above: Option<Arc<Meter>>,
    /// Receives every step, in addition to the session's own listeners.
    pub(crate) sink: Option<EventSink>,
    pub(crate) log: Option<SharedLog>,
    /// The right to work, while it works.
    pub(crate) place: Option<OwnedSemaphorePermit>,
    /// Documents that are listed for it; `None` for all.
    pub(crate) documents: Option<Vec<String>>,
}

impl Seat {
    /// Logs a step, as that of the agent of this number, if any. `redacted` removes secrets from a line. Returns the reason why
    /// nothing more is written, once.
    pub(crate) fn write(
        &self,
        agent: Option<u64>,
        entry: &Entry,
        redacted: impl Fn(&str) -> String,
    ) -> Option<Error> {
        let log = self.log.as_ref()?;
        match agent {
            None => write(log, entry, redacted),
            // The system message follows from the agent, and is long.
            Some(_) if matches!(entry, Entry::System { .. }) => None,
            Some(agent) => {
                write(log, &Entry::Of { agent, entry: Box::new(entry.clone()) }, redacted)
            }
        }
    }
}

/// Like [`Seat::write`], for callers without a conversation.
pub(crate) fn write(
    log: &SharedLog,
    entry: &Entry,
    redacted: impl Fn(&str) -> String,
) -> Option<Error> {
    let mut log = lock(log);
    log.entry(entry, redacted);
    log.take_problem()
}
