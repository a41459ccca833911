//! Clock of a call: wall time without delays that the guest does not cause, such as loading another plugin for the first time or
//! waiting for a person's decision.
//!
//! Knows time and nothing of stores. Clocks of nested calls are chained: time that does not count in an inner call does not count
//! in the outer one either.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;

use mitt_base::{Error, Resource, Result, lock};

/// Wall clock of one call, which can be stopped.
pub struct CallClock {
    outer: Option<Arc<CallClock>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Total time of all stops that have ended.
    stopped: Duration,
    since: Option<Instant>,
    stops: u32,
}

impl CallClock {
    /// Returns a running clock for a call inside the one of `outer`.
    pub fn inside(outer: Option<Arc<CallClock>>) -> Arc<CallClock> {
        Arc::new(CallClock { outer, state: Mutex::default() })
    }

    /// Stops this clock and the outer ones until the returned guard is dropped.
    pub fn stop(self: &Arc<CallClock>) -> Stopped {
        let mut clock = Some(self);
        while let Some(it) = clock {
            let mut state = it.state();
            state.stops += 1;
            state.since.get_or_insert_with(Instant::now);
            drop(state);
            clock = it.outer.as_ref();
        }
        Stopped(self.clone())
    }

    /// Returns how long the clock has been stopped in total.
    fn stopped(&self) -> Duration {
        let state = self.state();
        state.stopped + state.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

/// Guard that keeps the clock stopped.
pub struct Stopped(Arc<CallClock>);

impl Drop for Stopped {
    fn drop(&mut self) {
        let mut clock = Some(&self.0);
        while let Some(it) = clock {
            let mut state = it.state();
            state.stops -= 1;
            if state.stops == 0
                && let Some(since) = state.since.take()
            {
                state.stopped += since.elapsed();
            }
            drop(state);
            clock = it.outer.as_ref();
        }
    }
}

/// Time span on a clock, from when it was begun. Without a clock all time counts.
pub(super) struct Span<'a> {
    clock: Option<&'a CallClock>,
    start: Instant,
    stopped_before: Duration,
}

impl<'a> Span<'a> {
    /// Begins a span now.
    pub(super) fn begin(clock: Option<&'a CallClock>) -> Span<'a> {
        let stopped_before = clock.map_or(Duration::ZERO, CallClock::stopped);
        Span { clock, start: Instant::now(), stopped_before }
    }

    /// Returns how long the clock has been stopped within the span.
    fn stopped(&self) -> Duration {
        self.clock.map_or(Duration::ZERO, CallClock::stopped).saturating_sub(self.stopped_before)
    }

    /// Returns how long the clock has run within the span.
    pub(super) fn ran(&self) -> Duration {
        self.start.elapsed().saturating_sub(self.stopped())
    }

    /// Runs `future` until it ends or the span has run for `time`. The caller pins it, because moving it here would store it
    /// twice.
    pub(super) async fn within<R>(
        &self,
        time: Duration,
        mut future: Pin<&mut impl Future<Output = R>>,
    ) -> Option<R> {
        loop {
            let stopped = self.stopped();
            let deadline = self.start + time + stopped;
            if let Ok(done) = tokio::time::timeout_at(deadline, &mut future).await {
                return Some(done);
            }
            // The deadline moves on by the time that the clock was stopped.
            if self.stopped() <= stopped {
                return None;
            }
            // A very short remaining time would make this loop spin.
            if let Ok(done) = tokio::time::timeout(Duration::from_millis(1), &mut future).await {
                return Some(done);
            }
        }
    }
}

/// Runs `future` for at most `time` on `clock`, from now on. Returns its result and how long the clock ran.
///
/// # Errors
///
/// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - the time was over first.
pub async fn limited<R>(
    time: Duration,
    clock: Option<&CallClock>,
    future: Pin<&mut impl Future<Output = R>>,
) -> (Result<R>, Duration) {
    let span = Span::begin(clock);
    let done = span.within(time, future).await;
    let ran = span.ran();
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let limit = || Error::limit(Resource::Time, millis(time), millis(ran));
    (done.ok_or_else(limit), ran)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_is_not_counted_does_not_end_a_call() {
        let outer = CallClock::inside(None);
        let inner = CallClock::inside(Some(outer.clone()));
        let span = Span::begin(Some(&outer));
        let work = std::pin::pin!(async {
            tokio::time::sleep(Duration::from_secs(4)).await;
            let stopped = inner.stop();
            tokio::time::sleep(Duration::from_secs(30)).await;
            drop(stopped);
            tokio::time::sleep(Duration::from_secs(5)).await;
        });
        assert!(span.within(Duration::from_secs(10), work).await.is_some());
        assert_eq!((span.stopped(), span.ran()), (Duration::from_secs(30), Duration::from_secs(9)));
        // Stops before a span do not extend it: a script gains no time because its engine had to be compiled.
        for clock in [None, Some(&*outer)] {
            let forever = std::pin::pin!(tokio::time::sleep(Duration::from_secs(100)));
            let span = Span::begin(clock);
            assert!(span.within(Duration::from_secs(10), forever).await.is_none());
            assert_eq!(span.start.elapsed(), Duration::from_secs(10));
            assert_eq!(span.ran(), Duration::from_secs(10));
        }
    }
}
