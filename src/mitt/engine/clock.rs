//! The clock of a call: wall time, without the time that is not the guest's doing, such as loading another plugin for the
//! first time or waiting for the decision of a person.
//!
//! Knows time and nothing of stores. Clocks of calls inside calls are chained: what is not counted inside is not counted
//! outside either.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;

use mitt_base::{Error, Resource, Result, lock};

/// Wall clock of one call, which can be stopped.
pub(crate) struct CallClock {
    outer: Option<Arc<CallClock>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The time of all stops that are over.
    stopped: Duration,
    since: Option<Instant>,
    stops: u32,
}

impl CallClock {
    /// A running clock of a call inside the one of `outer`.
    pub(crate) fn inside(outer: Option<Arc<CallClock>>) -> Arc<CallClock> {
        Arc::new(CallClock { outer, state: Mutex::default() })
    }

    /// Stop it, and those around it, until the answer is dropped.
    pub(crate) fn stop(self: &Arc<CallClock>) -> Stopped {
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

    /// How long it was stopped so far, from its beginning on.
    fn stopped(&self) -> Duration {
        let state = self.state();
        state.stopped + state.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

/// While it is there, the clock stands still.
pub(crate) struct Stopped(Arc<CallClock>);

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

/// A part of the time of a clock, from when it was begun. Without a clock all time counts.
pub(super) struct Span<'a> {
    clock: Option<&'a CallClock>,
    start: Instant,
    stopped_before: Duration,
}

impl<'a> Span<'a> {
    /// Begin one now.
    pub(super) fn begin(clock: Option<&'a CallClock>) -> Span<'a> {
        let stopped_before = clock.map_or(Duration::ZERO, CallClock::stopped);
        Span { clock, start: Instant::now(), stopped_before }
    }

    /// How long the clock stood still in it so far.
    fn stopped(&self) -> Duration {
        self.clock.map_or(Duration::ZERO, CallClock::stopped).saturating_sub(self.stopped_before)
    }

    /// How long the clock ran in it so far.
    pub(super) fn ran(&self) -> Duration {
        self.start.elapsed().saturating_sub(self.stopped())
    }

    /// Run `future` until it ends or the span has run for `time`. It is pinned by the caller: here it would be there twice.
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
            // While it stands still, the deadline moves on.
            if self.stopped() <= stopped {
                return None;
            }
            // With nearly no time left it would be asked again and again.
            if let Ok(done) = tokio::time::timeout(Duration::from_millis(1), &mut future).await {
                return Some(done);
            }
        }
    }
}

/// Run `future`, from now on for at most `time` on `clock`: what came of it, and how long the clock ran.
///
/// # Errors
///
/// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - the time was over first.
pub(crate) async fn limited<R>(
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
        // What was stopped before a span is nothing of it: the engine of a script that had to be compiled gives the script no time.
        for clock in [None, Some(&*outer)] {
            let forever = std::pin::pin!(tokio::time::sleep(Duration::from_secs(100)));
            let span = Span::begin(clock);
            assert!(span.within(Duration::from_secs(10), forever).await.is_none());
            assert_eq!(span.start.elapsed(), Duration::from_secs(10));
            assert_eq!(span.ran(), Duration::from_secs(10));
        }
    }
}
