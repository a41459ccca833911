//! What all runs of a process share, and changes of runs that no worker has.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::entry::{Entry, InboxRecord};
use super::event::{EventData, RunEvent};
use super::keeper::{now_ms, read, written};
use super::last_events::last_usage;
use super::live::Live;
use super::options::RunsOptions;
use super::state::{Failure, RunStatus};
use crate::problem::Problem;
use crate::store::{RunKey, StoreError, StoreResult, Stream};
use mitt::internal::Admission;
use mitt_base::lock;
use mitt_serve::AUDIT_TARGET;

/// Keys of clients that are kept in memory. With more, the oldest is forgotten, and its run asks for it again.
const MAX_KEYS: usize = 10_000;

/// Attempts to change a run that others change at the same time.
const ATTEMPTS: usize = 50;

/// Time in which a run that no worker has is changed and its last events are written.
const SHORT_LEASE: Duration = Duration::from_secs(10);

/// What all runs of a process share.
pub(super) struct Shared {
    pub(super) options: RunsOptions,
    /// Time after which a run with a question is parked.
    pub(super) park: Duration,
    /// Name of this process in records.
    pub(super) worker: String,
    /// One permit for each run at the same time.
    pub(super) permits: Arc<Semaphore>,
    /// One permit for each session that waits for an answer, and for a place after it.
    pub(super) seats: Arc<Semaphore>,
    /// One permit for each session that waits for a further message.
    pub(super) idle: Arc<Semaphore>,
    /// Ends: no new run, no waiting sessions.
    pub(super) closing: CancellationToken,
    /// Ends: running instructions are stopped.
    pub(super) stopping: CancellationToken,
    /// Tasks that work on runs.
    pub(super) tasks: watch::Sender<usize>,
    /// Number of runs that work in this process.
    pub(super) working: Arc<AtomicU64>,
    /// Held while a run is counted and stored, so that requests at the same time do not exceed a quota together.
    pub(super) counting: tokio::sync::Mutex<()>,
    /// Places for reading rules about content of requests.
    pub(super) rules: Admission,
    locals: Mutex<BTreeMap<RunKey, Arc<Local>>>,
    keys: Mutex<Keys>,
}

/// A run that a task of this process works on or has kept the session of.
pub(super) struct Local {
    pub(super) key: RunKey,
    pub(super) live: Arc<Live>,
    /// Hands the run over to the task again.
    pub(super) claims: mpsc::Sender<Claim>,
    /// Ends the waiting of its session.
    pub(super) forget: CancellationToken,
}

/// A run that a worker has, with its place among the runs at the same time.
pub(super) struct Claim {
    pub(super) entry: Entry,
    pub(super) permit: tokio::sync::OwnedSemaphorePermit,
}

#[derive(Default)]
struct Keys {
    of_runs: BTreeMap<RunKey, String>,
    order: VecDeque<RunKey>,
}

impl Shared {
    pub(super) fn new(options: RunsOptions, park: Duration) -> Shared {
        let workers = options.workers.max(1);
        // Without random numbers no run can be made either, so that the name never matters.
        let worker = crate::store::new_id("worker_").unwrap_or_default();
        Shared {
            options,
            park,
            worker,
            permits: Arc::new(Semaphore::new(workers)),
            seats: Arc::new(Semaphore::new(workers)),
            idle: Arc::new(Semaphore::new(workers)),
            closing: CancellationToken::new(),
            stopping: CancellationToken::new(),
            tasks: watch::channel(0).0,
            working: Arc::default(),
            counting: tokio::sync::Mutex::new(()),
            rules: super::rule_places::places(),
            locals: Mutex::default(),
            keys: Mutex::default(),
        }
    }

    /// Returns the time in milliseconds after 1970.
    pub(super) fn now_ms(&self) -> u64 {
        now_ms(&self.options.host)
    }

    /// Keeps the key of a model's service for a run, in memory only.
    pub(super) fn keep_key(&self, run: &RunKey, key: String) {
        let mut keys = lock(&self.keys);
        if keys.of_runs.insert(run.clone(), key).is_none() {
            keys.order.push_back(run.clone());
        }
        while keys.order.len() > MAX_KEYS {
            let Some(oldest) = keys.order.pop_front() else { break };
            keys.of_runs.remove(&oldest);
        }
    }

    /// Returns the key that a client brought for a run.
    pub(super) fn key_of(&self, run: &RunKey) -> Option<String> {
        lock(&self.keys).of_runs.get(run).cloned()
    }

    /// Forgets the key of a run.
    pub(super) fn forget_key(&self, run: &RunKey) {
        let mut keys = lock(&self.keys);
        if keys.of_runs.remove(run).is_some() {
            keys.order.retain(|it| it != run);
        }
    }

    /// Returns the task of this process that has a run.
    pub(super) fn local(&self, key: &RunKey) -> Option<Arc<Local>> {
        lock(&self.locals).get(key).cloned()
    }

    /// Enters the task of a run.
    pub(super) fn add_local(&self, local: Arc<Local>) {
        lock(&self.locals).insert(local.key.clone(), local);
    }

    /// Removes the task of a run, unless another one has taken its place.
    pub(super) fn remove_local(&self, local: &Arc<Local>) {
        let mut locals = lock(&self.locals);
        if locals.get(&local.key).is_some_and(|it| Arc::ptr_eq(it, local)) {
            locals.remove(&local.key);
        }
    }

    /// Reads a run. One whose process has ended is recovered.
    ///
    /// # Errors
    ///
    /// 404 - the tenant has no such run.
    pub(super) async fn entry(&self, key: &RunKey) -> Result<Entry, Problem> {
        let entry = read(&*self.options.store, key).await.map_err(missing(key))?;
        if entry.is_abandoned(self.now_ms()) {
            self.interrupt(entry).await.map_err(missing(key))
        } else {
            Ok(entry)
        }
    }

    /// Recovers a run whose process has ended: see [`Shared::recover`].
    pub(super) async fn interrupt(&self, mut entry: Entry) -> StoreResult<Entry> {
        let key = entry.key();
        for _ in 0..ATTEMPTS {
            if !entry.is_abandoned(self.now_ms()) {
                return Ok(entry);
            }
            match self.recover(entry).await {
                Err(StoreError::Conflict(_)) => {
                    entry = read(&*self.options.store, &key).await?;
                }
                ended => return ended,
            }
        }
        Ok(entry)
    }

    /// Ends a run that no worker has, or whose worker has ended, with its last events.
    ///
    /// # Errors
    ///
    /// [`StoreError::Conflict`] - somebody else changed the run.
    pub(super) async fn end(
        &self,
        mut entry: Entry,
        status: RunStatus,
        failure: Option<Failure>,
    ) -> StoreResult<Entry> {
        let store = &*self.options.store;
        let key = entry.key();
        if entry.state.status == RunStatus::Queued {
            // The end of earlier work is not that of this one, also if this process is killed here.
            entry.work.begun_after = Some(store.last(&key, Stream::Events).await?);
        }
        // As the owner of a running run, so that no worker takes it while the events are written.
        entry.set_owner(&format!("{}-end", self.worker));
        entry.state.status = RunStatus::Running;
        written(store, &mut entry, Some(SHORT_LEASE)).await?;
        let last = store.last(&key, Stream::Events).await?;
        let seen = last_usage(store, &entry, last).await?;
        entry.state.usage = entry.state.usage.or_more(seen);
        let time_ms = self.now_ms();
        let ended = EventData::Ended {
            status,
            text: None,
            output: None,
            has_output: false,
            files: Vec::new(),
            missing: Vec::new(),
            citations: Vec::new(),
            failure: failure.clone(),
            usage: entry.state.usage,
        };
        let mut lines = Vec::new();
        for (number, data) in (last + 1..).zip([EventData::Status { status }, ended]) {
            let event = RunEvent { number, time_ms, agent: None, data };
            let line = serde_json::to_vec(&event).map_err(mitt_base::Error::bug)?;
            lines.push(Bytes::from(line));
        }
        store.append(&key, Stream::Events, Some(last), &lines).await?;
        entry.state.status = status;
        entry.state.question = None;
        entry.state.failure = failure;
        entry.state.updated_ms = time_ms;
        written(store, &mut entry, None).await?;
        self.options.metrics.run_ended(status.name(), None);
        let code = entry.state.failure.as_ref().map_or("", |it| it.code.as_str());
        tracing::info!(
            target: AUDIT_TARGET, tenant = key.tenant, run = key.id, status = status.name(), code, "a run ended"
        );
        Ok(entry)
    }

    /// Changes a run that no worker has, and returns it. `change` returns `false` if there is nothing to change.
    ///
    /// # Errors
    ///
    /// Those of `change`; 404 - the tenant has no such run.
    pub(super) async fn change(
        &self,
        key: &RunKey,
        mut change: impl FnMut(&mut Entry) -> Result<bool, Problem>,
    ) -> Result<Entry, Problem> {
        for _ in 0..ATTEMPTS {
            let mut entry = self.entry(key).await?;
            if !change(&mut entry)? {
                return Ok(entry);
            }
            entry.state.updated_ms = self.now_ms();
            match written(&*self.options.store, &mut entry, None).await {
                Ok(()) => return Ok(entry),
                Err(StoreError::Conflict(_)) => {}
                Err(error) => return Err(missing(key)(error)),
            }
        }
        Err(StoreError::Conflict(0).into())
    }

    /// Adds a request to the inbox of a run, and returns the number of its record.
    ///
    /// # Errors
    ///
    /// 404 - the tenant has no such run.
    pub(super) async fn send(&self, key: &RunKey, request: &InboxRecord) -> Result<u64, Problem> {
        let record = serde_json::to_vec(request).map_err(mitt_base::Error::bug)?;
        let sent = self.options.store.append(key, Stream::Inbox, None, &[record.into()]).await;
        sent.map_err(missing(key))
    }

    /// Lets a worker take a run that has something in its inbox, unless one has it already. To be called after [`Shared::send`].
    ///
    /// # Errors
    ///
    /// 404 - the tenant has no such run.
    pub(super) async fn wake(&self, key: &RunKey) -> Result<Entry, Problem> {
        self.change(key, |entry| {
            let has_owner = entry.has_owner(self.now_ms());
            let is_idle = !entry.state.status.is_active() || entry.is_parked(self.now_ms());
            if has_owner || !is_idle || entry.waits_for_functions() {
                return Ok(false);
            }
            entry.state.status = RunStatus::Queued;
            // Clients see no question that needs no answer any more.
            entry.work.parked = entry.state.question.take();
            Ok(true)
        })
        .await
    }
}

/// Returns the problem of a run that a store refused.
pub(super) fn missing(key: &RunKey) -> impl Fn(StoreError) -> Problem + '_ {
    |error| match error {
        StoreError::Missing => Problem::not_found("run", &key.id),
        error => error.into(),
    }
}
