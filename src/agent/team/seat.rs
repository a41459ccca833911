//! The place of a conversation among those of a run: who is above it, what they share, and who listens.

use std::sync::{Arc, Mutex};

use tokio::sync::OwnedSemaphorePermit;

use super::run::TeamRun;
use crate::log::{Entry, RunLog};
use crate::meter::Meter;
use mitt::EventSink;
use mitt_base::{Error, lock};

/// The log of a run, to which all of its conversations write.
pub(crate) type SharedLog = Arc<Mutex<RunLog>>;

/// The place of a conversation. The default is that of one that stands alone.
#[derive(Default)]
pub(crate) struct Seat {
    /// How many agents it is below.
    pub(crate) depth: u64,
    /// What it shares with the others of the run; none before the run begins.
    pub(crate) run: Option<Arc<TeamRun>>,
    /// Counts what it uses, for those above it.
    pub(crate) above: Option<Arc<Meter>>,
    /// Told of every step beside the session's own listeners.
    pub(crate) sink: Option<EventSink>,
    pub(crate) log: Option<SharedLog>,
    /// The right to work, while it works.
    pub(crate) place: Option<OwnedSemaphorePermit>,
    /// The documents that it is told of; none are all.
    pub(crate) documents: Option<Vec<String>>,
}

impl Seat {
    /// Write a step down, as that of the agent of this number if it is one's. `redacted` takes out of a line what may not be
    /// written down. Gives why nothing is written any more, once.
    pub(crate) fn write(
        &self,
        agent: Option<u64>,
        entry: &Entry,
        redacted: impl Fn(&str) -> String,
    ) -> Option<Error> {
        let log = self.log.as_ref()?;
        match agent {
            None => write(log, entry, redacted),
            // The host's instructions follow from the agent, and are long.
            Some(_) if matches!(entry, Entry::System { .. }) => None,
            Some(agent) => {
                write(log, &Entry::Of { agent, entry: Box::new(entry.clone()) }, redacted)
            }
        }
    }
}

/// As [`Seat::write`], for whoever has no conversation.
pub(crate) fn write(
    log: &SharedLog,
    entry: &Entry,
    redacted: impl Fn(&str) -> String,
) -> Option<Error> {
    let mut log = lock(log);
    log.entry(entry, redacted);
    log.take_problem()
}
