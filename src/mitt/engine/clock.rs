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

    /// How long it was stopped so far.
    pub(super) fn stopped(&self) -> Duration {
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
    let start = Instant::now();
    let before = clock.map_or(Duration::ZERO, CallClock::stopped);
    let done = within(time, start, clock, future).await;
    let stopped = clock.map_or(Duration::ZERO, CallClock::stopped).saturating_sub(before);
    let ran = start.elapsed().saturating_sub(stopped);
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let limit = || Error::limit(Resource::Time, millis(time), millis(ran));
    (done.ok_or_else(limit), ran)
}

/// Run `future` until it ends or has run for `time` on `clock`. It is pinned by the caller: here it would be there twice.
pub(super) async fn within<R>(
    time: Duration,
    start: Instant,
    clock: Option<&CallClock>,
    mut future: Pin<&mut impl Future<Output = R>>,
) -> Option<R> {
    loop {
        let stopped = clock.map_or(Duration::ZERO, CallClock::stopped);
        if let Ok(done) = tokio::time::timeout_at(start + time + stopped, &mut future).await {
            return Some(done);
        }
        // While it stands still, the deadline moves on.
        if clock.is_none_or(|clock| clock.stopped() <= stopped) {
            return None;
        }
        // With nearly no time left it would be asked again and again.
        if let Ok(done) = tokio::time::timeout(Duration::from_millis(1), &mut future).await {
            return Some(done);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_is_not_counted_does_not_end_a_call() {
        let outer = CallClock::inside(None);
        let inner = CallClock::inside(Some(outer.clone()));
        let start = Instant::now();
        let work = std::pin::pin!(async {
            tokio::time::sleep(Duration::from_secs(4)).await;
            let stopped = inner.stop();
            tokio::time::sleep(Duration::from_secs(30)).await;
            drop(stopped);
            tokio::time::sleep(Duration::from_secs(5)).await;
        });
        let done = within(Duration::from_secs(10), start, Some(&outer), work).await;
        assert!(done.is_some());
        assert_eq!(outer.stopped(), Duration::from_secs(30));
        let forever = std::pin::pin!(tokio::time::sleep(Duration::from_secs(100)));
        let start = Instant::now();
        assert!(within(Duration::from_secs(10), start, None, forever).await.is_none());
        assert_eq!(start.elapsed(), Duration::from_secs(10));
    }
}
