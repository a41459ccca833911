//! State that the agents of one instruction share: how many there were, how many may work concurrently, and how many failed in a
//! row.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::Semaphore;

use super::limits::TeamLimits;
use mitt_base::lock;

/// State shared at all levels.
#[derive(Debug)]
pub(crate) struct TeamRun {
    limits: TeamLimits,
    count: Mutex<Count>,
    transfers: AtomicU64,
    /// Places for working agents; an agent that waits for others gives up its place.
    pub(crate) places: Arc<Semaphore>,
}

#[derive(Debug, Default)]
struct Count {
    given: u64,
    failed_in_row: u64,
}

impl TeamRun {
    pub(crate) fn new(limits: TeamLimits) -> TeamRun {
        TeamRun {
            limits,
            count: Mutex::default(),
            transfers: AtomicU64::new(0),
            places: Arc::new(Semaphore::new(limits.at_once.clamp(1, 16))),
        }
    }

    /// Counts one more task. The error says why no more are accepted.
    pub(crate) fn begin(&self) -> Result<(), String> {
        let mut count = lock(&self.count);
        if count.failed_in_row >= self.limits.failures {
            return Err(format!(
                "refused: {} tasks in a row failed; do the work yourself, or say what is in the way",
                count.failed_in_row
            ));
        }
        if count.given >= self.limits.delegations {
            return Err(format!(
                "refused: {} tasks were given, which is the limit; do the rest yourself",
                count.given
            ));
        }
        count.given += 1;
        Ok(())
    }

    pub(crate) fn end(&self, is_done: bool) {
        let mut count = lock(&self.count);
        count.failed_in_row = if is_done { 0 } else { count.failed_in_row + 1 };
    }

    /// Counts one more transfer of the conversation. Returns whether it is allowed.
    pub(crate) fn begin_transfer(&self) -> bool {
        let before = self.transfers.fetch_add(1, Ordering::Relaxed);
        before < self.limits.transfers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_in_a_row_end_the_line_and_a_success_does_not_reopen_it() {
        let limits = TeamLimits { delegations: 7, transfers: 1, ..TeamLimits::default() };
        let run = TeamRun::new(limits);
        for is_done in [false, false, true, false, false] {
            run.begin().unwrap();
            run.end(is_done);
        }
        // Three at once, two of which fail: the limit is reached before the third has ended.
        run.begin().unwrap();
        run.begin().unwrap();
        assert!(run.begin().unwrap_err().starts_with("refused: 7 tasks were given"));
        run.end(false);
        assert!(run.begin().unwrap_err().starts_with("refused: 3 tasks in a row failed"));
        assert!(run.begin_transfer() && !run.begin_transfer());
    }
}
