//! Who waits for records of streams. Nothing is kept for a stream that nobody watches.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use tokio::sync::watch;

use super::{RunKey, StoreError, StoreResult, Stream, Watch};
use mitt_base::lock;

/// Stands for the number of the last record of a run that was deleted.
const DELETED: u64 = u64::MAX;

/// The watched streams of a store.
#[derive(Default)]
pub(super) struct Watchers {
    runs: Mutex<HashMap<RunKey, [Option<watch::Sender<u64>>; 3]>>,
}

impl Watchers {
    /// Watches a stream. The caller then says what its last record is, by [`Watchers::appended`].
    pub(super) fn watch(self: &Arc<Self>, run: &RunKey, stream: Stream) -> WatchedStream {
        let mut runs = lock(&self.runs);
        let sender = &mut runs.entry(run.clone()).or_default()[stream as usize];
        let last = sender.get_or_insert_with(|| watch::Sender::new(0)).subscribe();
        WatchedStream { last: Some(last), watchers: self.clone(), run: run.clone(), stream }
    }

    /// Reports a record of each watched stream that may be there, so that all who watch look again.
    #[cfg(feature = "cluster")]
    pub(super) fn watched(&self) -> Vec<(RunKey, Stream)> {
        let streams = [Stream::Log, Stream::Events, Stream::Inbox];
        let runs = lock(&self.runs);
        let of_run = |(run, senders): (&RunKey, &[Option<watch::Sender<u64>>; 3])| {
            let is_watched = |stream: &Stream| senders[*stream as usize].is_some();
            let watched: Vec<_> = streams.into_iter().filter(is_watched).collect();
            watched.into_iter().map(|stream| (run.clone(), stream)).collect::<Vec<_>>()
        };
        let mut watched: Vec<_> = runs.iter().flat_map(of_run).collect();
        watched.sort();
        watched
    }

    /// Reports the number of the last record of a stream.
    pub(super) fn appended(&self, run: &RunKey, stream: Stream, last: u64) {
        let runs = lock(&self.runs);
        if let Some(sender) = runs.get(run).and_then(|streams| streams[stream as usize].as_ref()) {
            // Two appends may report in the other order.
            sender.send_if_modified(|known| {
                let is_more = last > *known;
                *known = last.max(*known);
                is_more
            });
        }
    }

    /// Reports that a run was deleted.
    pub(super) fn deleted(&self, run: &RunKey) {
        for sender in lock(&self.runs).remove(run).into_iter().flatten().flatten() {
            sender.send_replace(DELETED);
        }
    }

    /// Returns the number of runs that are watched.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        lock(&self.runs).len()
    }
}

/// A watched stream.
pub(super) struct WatchedStream {
    /// `None` while it is dropped.
    last: Option<watch::Receiver<u64>>,
    watchers: Arc<Watchers>,
    run: RunKey,
    stream: Stream,
}

#[async_trait]
impl Watch for WatchedStream {
    async fn last_after(&mut self, after: u64) -> StoreResult<u64> {
        let Some(last) = &mut self.last else { return Err(StoreError::Missing) };
        match last.wait_for(|last| *last > after || *last == DELETED).await {
            Ok(last) if *last != DELETED => Ok(*last),
            _ => Err(StoreError::Missing),
        }
    }
}

impl Drop for WatchedStream {
    fn drop(&mut self) {
        let mut runs = lock(&self.watchers.runs);
        // Under the lock, so that no other watcher of the stream comes in between.
        self.last = None;
        let Some(streams) = runs.get_mut(&self.run) else { return };
        let sender = &mut streams[self.stream as usize];
        if sender.as_ref().is_some_and(|sender| sender.receiver_count() == 0) {
            *sender = None;
        }
        if streams.iter().all(Option::is_none) {
            runs.remove(&self.run);
        }
    }
}
