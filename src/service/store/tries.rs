//! Tries of a change while the servers of a store cannot be reached.

use std::time::Duration;

use tokio::time::{Instant, sleep};

/// Time for which a change is tried again. Shorter than the lease of a worker.
const PATIENCE: Duration = Duration::from_secs(20);

/// First and longest wait before another try.
const WAIT: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

/// The tries of a change.
pub(super) struct Tries {
    end: Instant,
    wait: Duration,
    is_repeat: bool,
}

impl Tries {
    pub(super) fn new() -> Tries {
        Tries { end: Instant::now() + PATIENCE, wait: WAIT.0, is_repeat: false }
    }

    /// Returns `true` if an earlier try may have made the change.
    pub(super) fn is_repeat(&self) -> bool {
        self.is_repeat
    }

    /// Returns `true` if another try may begin. A second try always may: the time is also over when the process stood still
    /// during the first one.
    pub(super) fn may_go_on(&self) -> bool {
        self.is_allowed(Instant::now())
    }

    fn is_allowed(&self, now: Instant) -> bool {
        !self.is_repeat || now + self.wait <= self.end
    }

    /// Waits before another try, each time longer.
    pub(super) async fn wait(&mut self) {
        self.is_repeat = true;
        sleep(self.wait.mul_f64(0.5 + jitter())).await;
        self.wait = (self.wait * 2).min(WAIT.1);
    }

    /// Waits for at most `most` before another try.
    #[cfg(feature = "cluster-nats")]
    pub(super) async fn wait_at_most(&mut self, most: Duration) {
        self.is_repeat = true;
        sleep(most.mul_f64(jitter())).await;
    }
}

/// Returns a number between 0 and 1, so that processes do not try at the same moment.
fn jitter() -> f64 {
    let mut byte = [0_u8; 1];
    let _ = getrandom::fill(&mut byte);
    f64::from(byte[0]) / 255.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_process_that_stood_still_tries_once_more() {
        let mut tries = Tries::new();
        let later = Instant::now() + PATIENCE * 10;
        assert!(tries.is_allowed(later));
        tries.is_repeat = true;
        assert!(!tries.is_allowed(later));
        assert!(tries.is_allowed(Instant::now()));
    }
}
