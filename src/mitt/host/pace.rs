//! Rate at which a queue moves, from which a refused caller learns when to come back.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

/// Assumed duration of a call before any call was measured.
const FIRST_GUESS: Duration = Duration::from_millis(100);

/// Number of the last calls from which the rate is computed.
const ENDS: usize = 16;

/// Average duration of a call: a moving average in which the last call has a weight of one eighth.
#[derive(Debug, Default)]
pub(super) struct CallTime(Option<Duration>);

impl CallTime {
    /// Adds the duration of a call. The first one replaces the guess.
    pub(super) fn add(&mut self, took: Duration) {
        self.0 = Some(match self.0 {
            Some(average) => average.saturating_mul(7).saturating_add(took) / 8,
            None => took,
        });
    }

    pub(super) fn get(&self) -> Duration {
        self.0.unwrap_or(FIRST_GUESS)
    }
}

/// Calls that ended while others waited behind them.
#[derive(Debug)]
pub(super) struct Pace {
    /// When the queue began to form, or when the call ended that was last removed from `ends`.
    since: Instant,
    ends: VecDeque<Instant>,
}

impl Pace {
    /// Returns the pace of a queue that begins to form.
    pub(super) fn new(now: Instant) -> Pace {
        Pace { since: now, ends: VecDeque::new() }
    }

    /// Records the end of a call, which lets a waiting one begin.
    pub(super) fn ended(&mut self, now: Instant) {
        if self.ends.len() == ENDS
            && let Some(first) = self.ends.pop_front()
        {
            self.since = first;
        }
        self.ends.push_back(now);
    }

    /// Returns the time until `waiting` calls will have begun, at the recent rate. Before any call has ended, a call is assumed
    /// to take `call_time`, with `at_once` of them running. A queue that has stood still for longer is assumed to do so for as
    /// long again.
    pub(super) fn time_for(
        &self,
        waiting: u64,
        now: Instant,
        (call_time, at_once): (Duration, u64),
    ) -> Duration {
        let so_far = now.duration_since(self.since);
        let times = |count: u64| u32::try_from(count.max(1)).unwrap_or(u32::MAX);
        match u32::try_from(self.ends.len()).unwrap_or(u32::MAX) {
            0 => call_time.saturating_mul(times(waiting.div_ceil(at_once.max(1)))).max(so_far),
            ended => so_far.saturating_mul(times(waiting)) / ended,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_first_call_counts_whole_and_each_later_one_an_eighth() {
        let mut time = CallTime::default();
        assert_eq!(time.get(), FIRST_GUESS);
        time.add(8 * SECOND);
        assert_eq!(time.get(), 8 * SECOND);
        time.add(Duration::ZERO);
        assert_eq!(time.get(), 7 * SECOND);
    }

    #[test]
    fn a_queue_takes_as_long_as_its_last_calls_did() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        let usual = (2 * SECOND, 4);
        assert_eq!(pace.time_for(12, start, usual), 6 * SECOND);
        assert_eq!(pace.time_for(12, start + 9 * SECOND, usual), 9 * SECOND, "it stands still");
        // One call ends each second now, however long earlier ones took.
        for second in 1..=40 {
            let now = start + second * SECOND;
            pace.ended(now);
            assert_eq!(pace.time_for(12, now, usual), 12 * SECOND, "{second}");
        }
        assert!(pace.ends.len() <= ENDS);
        // No call ends any more.
        assert_eq!(pace.time_for(16, start + 56 * SECOND, usual), 32 * SECOND);
    }
}
