//! Leases that end by the clock of a database or of servers, and the numbers of the owners of runs.

use std::collections::HashMap;

use super::RunKey;

/// Most runs whose owner this process is or was. Beyond them, those that were not written for the longest time are
/// forgotten.
const MAX_FENCES: usize = 100_000;

/// The numbers by which this process owned runs last, also those that it has lost without noticing.
#[derive(Default)]
pub(super) struct Fences {
    of_runs: HashMap<RunKey, (i64, u64)>,
    /// Counts changes, to find the runs that were not written for the longest time.
    changes: u64,
}

impl Fences {
    pub(super) fn set(&mut self, run: RunKey, fence: i64) {
        self.changes += 1;
        self.of_runs.insert(run, (fence, self.changes));
        if self.of_runs.len() > MAX_FENCES {
            // A run that this process has is written every ten seconds.
            let oldest = self.changes.saturating_sub(MAX_FENCES as u64 / 2);
            self.of_runs.retain(|_, (_, change)| *change > oldest);
        }
    }

    /// Returns the number by which this process owned a run last; 0 if it did not.
    pub(super) fn get(&self, run: &RunKey) -> i64 {
        self.of_runs.get(run).map_or(0, |(fence, _)| *fence)
    }

    pub(super) fn remove(&mut self, run: &RunKey) {
        self.of_runs.remove(run);
    }
}

/// Returns the end of a lease with `left_ms` left, by a clock that says `now_ms`. Where this clock agrees with the one of
/// the database, the end stays as it is.
pub(super) fn shifted(end_ms: u64, left_ms: u64, now_ms: u64) -> u64 {
    match left_ms {
        0 => end_ms.min(now_ms),
        left_ms if end_ms <= now_ms => now_ms.saturating_add(left_ms),
        _ => end_ms,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leases_end_by_the_clock_of_the_database() {
        assert_eq!(shifted(1_030, 30, 1_000), 1_030, "both clocks agree");
        assert_eq!(shifted(1_030, 30, 5_000), 5_030, "this clock is ahead, and the lease holds");
        assert_eq!(shifted(1_030, 0, 500), 500, "this clock is behind, and the lease has ended");
        assert_eq!(shifted(1_030, 0, 5_000), 1_030);
        assert_eq!(shifted(1_030, 30, 20), 1_030, "far behind it still holds");
    }
}
