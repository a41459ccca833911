//! The record of a run that a worker has: changed in one place, kept by a lease, and lost at once if somebody else wrote it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::MutexGuard;

use super::control::{Control, Stop};
use super::entry::{Entry, Withdrawal};
use super::state::RunUsage;
use crate::store::{Record, RunKey, Store, StoreError};
use mitt::Host;

/// The worker has lost the run, or the store failed; the run's [`Control`] knows which.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lost;

/// Progress of a run that each write of its record takes along.
#[derive(Clone, Debug)]
pub(super) struct Progress {
    /// What its models used so far.
    pub(super) usage: RunUsage,
    /// Number of the last record of the inbox that is done.
    pub(super) inbox_done: u64,
    /// The last title that a client sent, with the number of its record in the inbox.
    pub(super) title: Option<(u64, String)>,
    /// The last instructions that clients wanted back.
    pub(super) withdrawals: Vec<Withdrawal>,
}

/// Returns the progress of a run.
pub(super) type ProgressSource = Box<dyn Fn() -> Progress + Send + Sync>;

/// Keeps the record of a run.
pub(super) struct Keeper {
    store: Arc<dyn Store>,
    host: Host,
    control: Arc<Control>,
    lease: Duration,
    entry: tokio::sync::Mutex<Entry>,
    progress: ProgressSource,
}

impl Keeper {
    pub(super) fn new(
        (store, host): (Arc<dyn Store>, Host),
        control: Arc<Control>,
        lease: Duration,
        entry: Entry,
        progress: ProgressSource,
    ) -> Keeper {
        Keeper { store, host, control, lease, entry: tokio::sync::Mutex::new(entry), progress }
    }

    /// Returns the run as it was last written.
    pub(super) async fn entry(&self) -> Entry {
        self.entry.lock().await.clone()
    }

    /// Replaces the entry after the run was claimed again.
    pub(super) async fn replace(&self, entry: Entry) {
        *self.entry.lock().await = entry;
    }

    /// Changes the run, writes it and extends the lease.
    ///
    /// # Errors
    ///
    /// The run is lost; nothing was changed.
    pub(super) async fn change(&self, change: impl FnOnce(&mut Entry)) -> Result<Entry, Lost> {
        self.write(change, Some(self.lease)).await
    }

    /// Changes the run, writes it and gives it back.
    ///
    /// # Errors
    ///
    /// The run is lost; nothing was changed.
    pub(super) async fn release(&self, change: impl FnOnce(&mut Entry)) -> Result<Entry, Lost> {
        self.write(change, None).await
    }

    /// Writes the progress and extends the lease, unless the run was given back.
    ///
    /// # Errors
    ///
    /// The run is lost.
    pub(super) async fn touch(&self) -> Result<(), Lost> {
        let entry = self.entry.lock().await;
        // Another task may have given the run back just now. A further write would meet the one of its next owner.
        if !entry.is_owned() {
            return Ok(());
        }
        self.write_locked(entry, |_| {}, Some(self.lease)).await.map(drop)
    }

    /// Extends the lease again and again, until the run is lost.
    pub(super) async fn renew(&self) {
        loop {
            tokio::time::sleep(self.lease / 3).await;
            if self.touch().await.is_err() {
                return;
            }
        }
    }

    async fn write(
        &self,
        change: impl FnOnce(&mut Entry),
        lease: Option<Duration>,
    ) -> Result<Entry, Lost> {
        self.write_locked(self.entry.lock().await, change, lease).await
    }

    async fn write_locked(
        &self,
        mut entry: MutexGuard<'_, Entry>,
        change: impl FnOnce(&mut Entry),
        lease: Option<Duration>,
    ) -> Result<Entry, Lost> {
        if self.control.is_silent() {
            return Err(Lost);
        }
        let mut changed = entry.clone();
        change(&mut changed);
        let Progress { usage, inbox_done, title, withdrawals } = (self.progress)();
        (changed.state.usage, changed.state.inbox_done) = (usage, inbox_done);
        changed.work.withdrawals = withdrawals;
        if let Some((number, title)) = title {
            changed.set_title(number, &title);
        }
        changed.state.updated_ms = now_ms(&self.host);
        match written(&*self.store, &mut changed, lease).await {
            Ok(()) => {
                *entry = changed;
                Ok(entry.clone())
            }
            Err(error) => {
                self.control.stop(match error {
                    StoreError::Failed(error) => Stop::Failed(error),
                    _ => Stop::Lost,
                });
                Err(Lost)
            }
        }
    }
}

/// Writes a changed run whose version must be the stored one.
pub(super) async fn written(
    store: &dyn Store,
    entry: &mut Entry,
    lease: Option<Duration>,
) -> Result<(), StoreError> {
    let record: Record = store.update(&entry.to_record()?, lease).await?;
    entry.written_as(record);
    Ok(())
}

/// Reads a run.
pub(super) async fn read(store: &dyn Store, key: &RunKey) -> Result<Entry, StoreError> {
    Ok(Entry::read(store.get(key).await?)?)
}

/// Returns the time in milliseconds after 1970.
pub(super) fn now_ms(host: &Host) -> u64 {
    u64::try_from(host.environment().now().as_millis()).unwrap_or(u64::MAX)
}
