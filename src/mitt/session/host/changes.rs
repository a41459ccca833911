//! Who listens to the changes of a host's skills.

use std::sync::Arc;

use tokio::sync::broadcast;

use crate::skill::SkillChange;

/// Changes that a listener may be behind before it misses some.
pub(super) const CHANGES: usize = 64;

/// The changes of a host's skills, one after the other.
#[derive(Debug)]
pub struct Changes {
    receiver: broadcast::Receiver<Arc<SkillChange>>,
}

impl Changes {
    /// Those from now on.
    pub(super) fn of(sender: &broadcast::Sender<Arc<SkillChange>>) -> Changes {
        Changes { receiver: sender.subscribe() }
    }

    /// Wait for the next change. None when the host is gone. Whoever is more than 64 changes behind misses the oldest: the
    /// registry is then newer than what was told, never older.
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
