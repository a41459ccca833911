//! What the calls of a session share: their numbers, their time, their delays, and the handles that they gave out.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use rand::Rng as _;
use rand::rngs::StdRng;

use super::super::call_id::CallId;
use super::handles::HandleTable;
use super::retries::Deadline;
use mitt_base::lock;

/// State of a session's calls.
pub(in crate::session) struct Calls {
    /// Number of calls that have begun.
    begun: AtomicU64,
    pub(super) handles: HandleTable,
    pub(super) deadline: Option<Deadline>,
    /// Random source for delays.
    random: Mutex<StdRng>,
}

impl Calls {
    /// Returns the state of a new session, which has at most `handles` live handles at a time.
    pub(in crate::session) fn new(
        handles: u64,
        deadline: Option<Deadline>,
        random: StdRng,
    ) -> Calls {
        Calls {
            begun: AtomicU64::new(0),
            handles: HandleTable::new(handles),
            deadline,
            random: Mutex::new(random),
        }
    }

    /// Returns the id of a call that begins now, inside of `parent`.
    pub(super) fn next(&self, parent: Option<u64>) -> CallId {
        CallId { number: self.begun.fetch_add(1, Ordering::Relaxed) + 1, parent }
    }

    /// Makes `next` the number of the next call, unless a higher one was used.
    pub(in crate::session) fn number_from(&self, next: u64) {
        self.begun.fetch_max(next.saturating_sub(1), Ordering::Relaxed);
    }

    /// Returns the live handles of resources, in the order in which they were created.
    pub(in crate::session) fn handles(&self) -> Vec<String> {
        self.handles.list()
    }

    /// Returns 64 random bits.
    pub(super) fn random(&self) -> u64 {
        lock(&self.random).next_u64()
    }
}
