//! What all parts of the store use.

use std::sync::Arc;
use std::time::Duration;

use super::super::checks::milliseconds;
use super::super::objects::ObjectStore;
use super::super::watchers::Watchers;
use super::connection::{Connection, Tried};
use super::follow::Index;

/// What all parts of the store use. A cheap handle.
#[derive(Clone)]
pub(super) struct Shared {
    pub(super) connection: Connection,
    pub(super) index: Arc<Index>,
    pub(super) watchers: Arc<Watchers>,
    /// Where the content of files is; `None` for the servers.
    pub(super) objects: Option<ObjectStore>,
    /// Returns the time after 1970 by the clock of this process.
    pub(super) local: Arc<dyn Fn() -> Duration + Send + Sync>,
}

impl Shared {
    /// Returns the time of the servers in milliseconds after 1970.
    pub(super) async fn now_ms(&self) -> Tried<u64> {
        self.index.clock.now_ms(&self.connection).await
    }

    /// Returns the time of this process in milliseconds after 1970.
    pub(super) fn local_ms(&self) -> u64 {
        milliseconds((self.local)())
    }
}
