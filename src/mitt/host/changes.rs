//! Subscription to the changes of a host's skills.

use std::sync::Arc;

use tokio::sync::broadcast;

use mitt_skill::SkillChange;

/// Number of changes that a listener may lag behind before it misses some.
pub(super) const CHANGES: usize = 64;

/// Stream of changes of a host's skills.
#[derive(Debug)]
pub struct Changes {
    receiver: broadcast::Receiver<Arc<SkillChange>>,
}

impl Changes {
    /// Subscribes to the changes from now on.
    pub(super) fn of(sender: &broadcast::Sender<Arc<SkillChange>>) -> Changes {
        Changes { receiver: sender.subscribe() }
    }

    /// Waits for the next change. Returns `None` when the host is gone. A listener that lags more than 64 changes behind misses
    /// the oldest ones; the registry is then newer than the last reported change, never older.
    pub async fn next(&mut self) -> Option<Arc<SkillChange>> {
        loop {
            match self.receiver.recv().await {
                Ok(change) => return Some(change),
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }
}
