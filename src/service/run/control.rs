//! Why and when the work on a run stops.

use std::sync::Mutex;

use tokio_util::sync::CancellationToken;

use mitt_base::{Error, lock};

/// Why the work on a run stops before its end.
#[derive(Clone, Debug)]
pub(super) enum Stop {
    /// A client cancelled it.
    Cancelled,
    /// The process ends.
    Closing,
    /// A question waits for longer than a worker waits.
    Parked,
    /// Another worker has the run, or it was deleted. Nothing more may be written.
    Lost,
    /// The store failed. Nothing more can be written.
    Failed(Error),
}

impl Stop {
    /// Returns `true` if nothing more may be written.
    pub(super) fn is_silent(&self) -> bool {
        matches!(self, Stop::Lost | Stop::Failed(_))
    }
}

/// Stops the work on a run. The first reason counts, except that losing the run overrides all others.
#[derive(Debug, Default)]
pub(super) struct Control {
    state: Mutex<ControlState>,
}

#[derive(Debug, Default)]
struct ControlState {
    reason: Option<Stop>,
    token: CancellationToken,
}

impl Control {
    /// Stops the work.
    pub(super) fn stop(&self, reason: Stop) {
        let mut state = lock(&self.state);
        let is_silent = |reason: &Option<Stop>| reason.as_ref().is_some_and(Stop::is_silent);
        if state.reason.is_none() || reason.is_silent() && !is_silent(&state.reason) {
            state.reason = Some(reason);
        }
        state.token.cancel();
    }

    /// Returns the reason, if the work was stopped.
    pub(super) fn reason(&self) -> Option<Stop> {
        lock(&self.state).reason.clone()
    }

    /// Returns `true` if nothing more may be written, so that nothing may have an effect either.
    pub(super) fn is_silent(&self) -> bool {
        lock(&self.state).reason.as_ref().is_some_and(Stop::is_silent)
    }

    /// Waits until the work is stopped.
    pub(super) async fn stopped(&self) {
        let token = lock(&self.state).token.clone();
        token.cancelled().await;
    }

    /// Begins new work. A run that was lost stays lost.
    pub(super) fn reset(&self) {
        let mut state = lock(&self.state);
        if !state.reason.as_ref().is_some_and(Stop::is_silent) {
            *state = ControlState::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_first_reason_counts_unless_the_run_is_lost() {
        let control = Control::default();
        control.stop(Stop::Cancelled);
        control.stop(Stop::Parked);
        control.stopped().await;
        assert!(matches!(control.reason(), Some(Stop::Cancelled)));
        control.reset();
        assert!(control.reason().is_none());
        control.stop(Stop::Parked);
        control.stop(Stop::Lost);
        control.stop(Stop::Failed(Error::bug("late")));
        control.reset();
        assert!(matches!(control.reason(), Some(Stop::Lost)) && control.is_silent());
    }
}
