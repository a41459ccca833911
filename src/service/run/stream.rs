//! The events of a run for a watcher: those that were kept, then new ones. Nothing is buffered for a watcher that does not read.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_core::Stream;
use futures_util::stream;

use super::event::{EventData, RunEvent};
use super::shared::{Shared, missing};
use super::state::{Question, RunStatus};
use crate::problem::Problem;
use crate::store::{RunKey, Watch};

/// Events of a run: those that were kept, then new ones as they happen. Ends when the run is not active any more, or when it
/// waits for functions of the caller.
pub type EventStream = Pin<Box<dyn Stream<Item = Result<Arc<RunEvent>, Problem>> + Send>>;

/// Events that are read at once.
const AT_ONCE: usize = 32;

/// Longest wait until the record of a run says what its last event says.
const SETTLE: Duration = Duration::from_secs(2);

/// Time between two looks at a record.
const LOOK: Duration = Duration::from_millis(10);

/// Watches a run.
struct Watcher {
    shared: Arc<Shared>,
    key: RunKey,
    /// Number of the last event that was returned.
    after: u64,
    follows: bool,
    batch: VecDeque<Arc<RunEvent>>,
    watch: Option<Box<dyn Watch>>,
    /// `true` if the run was not active when it was last looked at.
    is_over: bool,
}

/// Returns the events after number `after`.
pub(super) fn events(shared: Arc<Shared>, key: RunKey, after: u64, follows: bool) -> EventStream {
    let watcher = Watcher {
        shared,
        key,
        after,
        follows,
        batch: VecDeque::new(),
        watch: None,
        is_over: false,
    };
    Box::pin(stream::unfold(Some(watcher), |watcher| async move {
        let mut watcher = watcher?;
        match watcher.next().await {
            Ok(Some(event)) => Some((Ok(event), Some(watcher))),
            Ok(None) => None,
            Err(problem) => Some((Err(problem), None)),
        }
    }))
}

impl Watcher {
    async fn next(&mut self) -> Result<Option<Arc<RunEvent>>, Problem> {
        loop {
            if let Some(event) = self.batch.pop_front() {
                if self.follows && self.batch.is_empty() && is_end(&event) {
                    self.settle(event.number).await?;
                }
                self.after = event.number;
                return Ok(Some(event));
            }
            if self.read().await? {
                self.is_over = false;
                continue;
            }
            if !self.follows || self.is_over {
                return Ok(None);
            }
            let local = self.shared.local(&self.key).filter(|local| local.live.is_active());
            let Some(local) = local else {
                let entry = self.shared.entry(&self.key).await?;
                if !entry.state.status.is_active() || entry.waits_for_functions() {
                    // Events that were written before the status changed.
                    self.is_over = true;
                } else {
                    self.wait_for_store().await?;
                }
                continue;
            };
            local.live.wait(self.after).await;
        }
    }

    /// Reads further events; returns `false` if there are none.
    async fn read(&mut self) -> Result<bool, Problem> {
        if let Some(local) = self.shared.local(&self.key)
            && let Some(events) = local.live.after(self.after, AT_ONCE)
        {
            self.batch.extend(events);
            return Ok(!self.batch.is_empty());
        }
        let store = &self.shared.options.store;
        let read = store.read(&self.key, crate::store::Stream::Events, self.after, AT_ONCE).await;
        for record in read.map_err(missing(&self.key))? {
            let event: RunEvent = serde_json::from_slice(&record).map_err(mitt_base::Error::bug)?;
            self.batch.push_back(Arc::new(event));
        }
        Ok(!self.batch.is_empty())
    }

    /// Waits for events of another process. Looks up after some time, because a process may end without a word.
    async fn wait_for_store(&mut self) -> Result<(), Problem> {
        let store = &self.shared.options.store;
        let watch = match &mut self.watch {
            Some(watch) => watch,
            empty => {
                let watch = store.watch(&self.key, crate::store::Stream::Events).await;
                empty.insert(watch.map_err(missing(&self.key))?)
            }
        };
        let most = self.shared.options.lease.min(Duration::from_secs(5));
        match tokio::time::timeout(most, watch.last_after(self.after)).await {
            Ok(Err(error)) => Err(missing(&self.key)(error)),
            Ok(Ok(_)) | Err(_) => Ok(()),
        }
    }

    /// Waits until the record of the run says what event `number` says: a client that has seen the end reads the end.
    async fn settle(&mut self, number: u64) -> Result<(), Problem> {
        let settled = async {
            while let Some(local) =
                self.shared.local(&self.key).filter(|local| local.live.is_active())
            {
                if local.live.last() > number {
                    return Ok(());
                }
                local.live.wait(number).await;
            }
            loop {
                let status = self.shared.entry(&self.key).await?.state.status;
                if status != RunStatus::Running {
                    return Ok(());
                }
                tokio::time::sleep(LOOK).await;
            }
        };
        tokio::time::timeout(SETTLE, settled).await.unwrap_or(Ok(()))
    }
}

/// Returns `true` if a run is usually not active after the event.
fn is_end(event: &RunEvent) -> bool {
    matches!(
        &event.data,
        EventData::Ended { .. } | EventData::Question { question: Question::Functions { .. } }
    )
}
