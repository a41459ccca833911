//! The place of a run among those that work at the same time.
//!
//! A run that waits for an answer leaves its place to others, and takes the next free one when the answer is there. Places are
//! given in the order in which they are waited for, to new runs and to those that come back.

use std::sync::{Arc, Mutex};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use mitt_base::lock;

/// The place of a run.
pub(super) struct Place {
    permits: Arc<Semaphore>,
    /// One permit for each run that keeps its session while it waits for an answer.
    seats: Arc<Semaphore>,
    /// Cancelled when the process stops the work on all runs.
    stopping: CancellationToken,
    /// `None` while the run does not work.
    held: Mutex<Option<OwnedSemaphorePermit>>,
}

impl Place {
    /// Returns the place of a run that has none yet.
    pub(super) fn new(
        permits: &Arc<Semaphore>,
        seats: &Arc<Semaphore>,
        stopping: &CancellationToken,
    ) -> Place {
        Place {
            permits: permits.clone(),
            seats: seats.clone(),
            stopping: stopping.clone(),
            held: Mutex::default(),
        }
    }

    /// Takes the place with which the run was claimed.
    pub(super) fn take(&self, permit: OwnedSemaphorePermit) {
        *lock(&self.held) = Some(permit);
    }

    /// Gives the place to another run, if this one has it.
    pub(super) fn give_back(&self) {
        *lock(&self.held) = None;
    }

    /// Gives the place to another run while this one waits for an answer, and returns its seat. `None` if as many runs wait as
    /// may keep their sessions; then the place stays, and the run should end its session soon.
    pub(super) fn leave(&self) -> Option<OwnedSemaphorePermit> {
        let seat = self.seats.clone().try_acquire_owned().ok()?;
        self.give_back();
        Some(seat)
    }

    /// Waits for a free place, and takes it. Never returns after the process stopped the work on all runs: a place that another
    /// run leaves because it is stopped must not set this one to work. Its future is dropped soon.
    pub(super) async fn come_back(&self) {
        // The semaphore is never closed.
        if let Ok(permit) = self.permits.clone().acquire_owned().await {
            self.take(permit);
        }
        if self.stopping.is_cancelled() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_place_is_left_and_taken_again_in_turn() {
        let (permits, seats) = (Arc::new(Semaphore::new(1)), Arc::new(Semaphore::new(1)));
        let stopping = CancellationToken::new();
        let place = || Place::new(&permits, &seats, &stopping);
        let (first, second) = (place(), place());
        first.take(permits.clone().acquire_owned().await.unwrap());
        let seat = first.leave().unwrap();
        second.take(permits.clone().try_acquire_owned().unwrap());
        assert!(second.leave().is_none(), "the only seat is taken");
        assert_eq!(permits.available_permits(), 0, "so it keeps its place");
        let short = Duration::from_millis(20);
        assert!(tokio::time::timeout(short, first.come_back()).await.is_err());
        second.give_back();
        first.come_back().await;
        drop(seat);
        assert!(permits.try_acquire().is_err());
        drop(first);
        assert_eq!((permits.available_permits(), seats.available_permits()), (1, 1));
    }
    #[tokio::test]
    async fn no_run_goes_on_in_a_place_that_became_free_because_the_process_stops() {
        let (permits, seats) = (Arc::new(Semaphore::new(1)), Arc::new(Semaphore::new(1)));
        let stopping = CancellationToken::new();
        let place = Place::new(&permits, &seats, &stopping);
        place.take(permits.clone().try_acquire_owned().unwrap());
        let _seat = place.leave().unwrap();
        stopping.cancel();
        let short = Duration::from_millis(20);
        assert!(tokio::time::timeout(short, place.come_back()).await.is_err());
    }
}
