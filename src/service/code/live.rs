//! The sessions in memory: one for each sandbox that is used, at most a number, each for a time after its last use.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;

use super::work::Work;
use crate::problem::Problem;
use mitt_base::lock;

/// Most time between two looks for sessions that are no longer used.
const LOOK: Duration = Duration::from_secs(30);

/// Place of a sandbox. Its scripts take turns by the lock.
pub(super) type Place = Arc<tokio::sync::Mutex<Option<Work>>>;

/// The places of sandboxes.
pub(super) struct Live {
    state: Mutex<State>,
    most: usize,
    idle: Duration,
}

#[derive(Default)]
struct State {
    /// By tenant and identifier.
    places: HashMap<(String, String), Used>,
    is_watched: bool,
}

struct Used {
    place: Place,
    last: Instant,
}

impl Live {
    pub(super) fn new(most: usize, idle: Duration) -> Live {
        Live { state: Mutex::default(), most: most.max(1), idle }
    }

    /// Returns the place of a sandbox. The one that was used longest ago ends if there are too many.
    ///
    /// # Errors
    ///
    /// 503 `busy` - all places are in use.
    pub(super) fn place(self: &Arc<Live>, tenant: &str, id: &str) -> Result<Place, Problem> {
        let mut state = self.state();
        let now = Instant::now();
        let key = (tenant.to_owned(), id.to_owned());
        if let Some(used) = state.places.get_mut(&key) {
            used.last = now;
            return Ok(used.place.clone());
        }
        if state.places.len() >= self.most {
            let free = state.places.iter().filter(|(_, used)| used.is_free());
            let oldest = free.min_by_key(|(_, used)| used.last).map(|(key, _)| key.clone());
            let Some(oldest) = oldest else {
                let problem = Problem::new(503, "busy", "all sandboxes are in use");
                return Err(problem.retry_after(1));
            };
            state.places.remove(&oldest);
        }
        let place = Place::default();
        state.places.insert(key, Used { place: place.clone(), last: now });
        if !state.is_watched {
            state.is_watched = true;
            tokio::spawn(watch(Arc::downgrade(self), self.idle.min(LOOK)));
        }
        Ok(place)
    }

    /// Ends the session of a sandbox that was deleted. A script that runs is not ended.
    pub(super) fn forget(&self, tenant: &str, id: &str) {
        self.state().places.remove(&(tenant.to_owned(), id.to_owned()));
    }

    /// Ends the place of a sandbox that has no session, unless somebody waits for it. `place` is the caller's.
    pub(super) fn leave(&self, tenant: &str, id: &str, place: &Place) {
        let mut state = self.state();
        let key = (tenant.to_owned(), id.to_owned());
        let is_last =
            Arc::strong_count(place) == 2 && place.try_lock().is_ok_and(|it| it.is_none());
        if is_last && state.places.get(&key).is_some_and(|it| Arc::ptr_eq(&it.place, place)) {
            state.places.remove(&key);
        } else if let Some(used) = state.places.get_mut(&key) {
            used.last = Instant::now();
        }
    }

    /// Returns the number of places.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.state().places.len()
    }

    /// Ends sessions that were not used for a time. Returns `true` if there are others.
    fn end_unused(&self) -> bool {
        let mut state = self.state();
        let now = Instant::now();
        let idle = self.idle;
        state.places.retain(|_, used| !used.is_free() || now.duration_since(used.last) < idle);
        state.is_watched = !state.places.is_empty();
        state.is_watched
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl Used {
    /// Returns `true` if nobody uses the place or waits for it.
    fn is_free(&self) -> bool {
        Arc::strong_count(&self.place) == 1
    }
}

async fn watch(live: std::sync::Weak<Live>, pause: Duration) {
    loop {
        tokio::time::sleep(pause).await;
        let Some(live) = live.upgrade() else { return };
        if !live.end_unused() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn places_are_bounded_and_end_after_a_time() {
        let live = Arc::new(Live::new(2, Duration::from_secs(60)));
        let first = live.place("t", "a").unwrap();
        drop(live.place("t", "b").unwrap());
        tokio::time::advance(Duration::from_secs(1)).await;
        // `a` is in use, so `b` ends for `c`.
        let third = live.place("t", "c").unwrap();
        assert_eq!(live.len(), 2);
        let problem = live.place("t", "d").err().unwrap();
        assert_eq!((problem.status, problem.code.as_str()), (503, "busy"));
        assert_eq!(problem.retry_after, Some(1));
        // The same identifier of another tenant is another sandbox.
        drop(third);
        assert!(!Arc::ptr_eq(&live.place("other", "a").unwrap(), &first));
        tokio::time::sleep(Duration::from_secs(100)).await;
        assert_eq!(live.len(), 1, "the one in use stays");
        drop(first);
        tokio::time::sleep(Duration::from_secs(100)).await;
        assert_eq!(live.len(), 0);
    }
}
