//! Takes runs from the store and works on them, as many at the same time as there are places.
//!
//! A run whose process ended without giving it back is not begun again: it becomes interrupted, and a client decides whether it
//! goes on. A run that nobody had begun is begun.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio_util::sync::CancellationToken;

use super::bench;
use super::context::{End, RunContext};
use super::drive::{Drive, Way};
use super::entry::Entry;
use super::inbox::Wanted;
use super::live::Live;
use super::shared::{Claim, Local, Shared};
use super::state::RunStatus;
use crate::store::Record;

/// Longest wait for a run; then the store is asked again, since a lease may have ended.
const MOST_WAIT: Duration = Duration::from_secs(5);

/// Time after which a store that failed is asked again.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

/// Time in which stopped runs are given back when the process ends.
const GIVE_BACK: Duration = Duration::from_secs(10);

/// Takes runs until the process ends.
pub(super) async fn dispatch(shared: Arc<Shared>) {
    while let Some((record, permit)) = claimed(&shared).await {
        let entry = match Entry::read(record) {
            Ok(entry) => entry,
            Err(error) => {
                tracing::error!(error = %error.render(), "a run cannot be read");
                continue;
            }
        };
        if entry.state.status != RunStatus::Queued {
            let run = entry.state.id.clone();
            match shared.recover(entry).await {
                Ok(entry) => {
                    let status = entry.state.status.name();
                    tracing::warn!(run, status, "the process of a run ended");
                }
                Err(error) => tracing::warn!(run, ?error, "a run was not recovered"),
            }
            continue;
        }
        hand(&shared, Claim { entry, permit });
    }
}

/// Waits for a place. `None` if the process ends.
async fn place(shared: &Shared) -> Option<OwnedSemaphorePermit> {
    tokio::select! {
        biased;
        () = shared.closing.cancelled() => None,
        // The semaphore is never closed.
        permit = shared.permits.clone().acquire_owned() => permit.ok(),
    }
}

/// Waits for a place and a run. `None` if the process ends.
async fn claimed(shared: &Shared) -> Option<(Record, OwnedSemaphorePermit)> {
    let store = &shared.options.store;
    loop {
        let permit = place(shared).await?;
        let wait = match store.claim(&shared.worker, shared.options.lease).await {
            Ok(Some(record)) => return Some((record, permit)),
            Ok(None) => None,
            Err(error) => {
                tracing::error!(?error, "the store failed");
                Some(AFTER_FAILURE)
            }
        };
        // Runs that come back after an answer need it meanwhile.
        drop(permit);
        let waited = async {
            match wait {
                Some(time) => tokio::time::sleep(time).await,
                None => {
                    let most = MOST_WAIT.min(shared.options.lease);
                    store.wait_for_work(&shared.worker, most).await;
                }
            }
        };
        tokio::select! {
            biased;
            () = shared.closing.cancelled() => return None,
            () = waited => {}
        }
    }
}

/// Gives a run to the task that kept its session, or to a new one.
fn hand(shared: &Arc<Shared>, claim: Claim) {
    let refused = match shared.local(&claim.entry.key()) {
        None => claim,
        Some(local) => match local.claims.try_send(claim) {
            Ok(()) => return,
            Err(
                mpsc::error::TrySendError::Full(claim) | mpsc::error::TrySendError::Closed(claim),
            ) => claim,
        },
    };
    let (claims, receiver) = mpsc::channel(1);
    let local = Arc::new(Local {
        key: refused.entry.key(),
        live: Arc::new(Live::default()),
        claims,
        forget: CancellationToken::new(),
    });
    shared.add_local(local.clone());
    shared.tasks.send_modify(|tasks| *tasks += 1);
    let task = Task { shared: shared.clone(), local };
    tokio::spawn(async move { task.work(refused, receiver).await });
}

/// Task of a run, as long as its session is kept.
struct Task {
    shared: Arc<Shared>,
    local: Arc<Local>,
}

impl Drop for Task {
    fn drop(&mut self) {
        self.shared.remove_local(&self.local);
        self.local.live.end();
        self.shared.tasks.send_modify(|tasks| *tasks -= 1);
    }
}

impl Task {
    async fn work(&self, claim: Claim, mut claims: mpsc::Receiver<Claim>) {
        let mut next = Some(claim);
        while let Some(claim) = next {
            next = match self.one_session(claim, &mut claims).await {
                Some(claim) => Some(claim),
                // It may have arrived just now.
                None => claims.try_recv().ok(),
            };
        }
    }

    /// Works with one session. Returns the run if it was claimed again and needs another session.
    async fn one_session(
        &self,
        Claim { entry, permit }: Claim,
        claims: &mut mpsc::Receiver<Claim>,
    ) -> Option<Claim> {
        let run = entry.state.id.clone();
        let context = match RunContext::open(&self.shared, &self.local, &entry).await {
            Ok(context) => context,
            Err(error) => {
                tracing::error!(run, ?error, "a run cannot be taken up");
                return None;
            }
        };
        context.place.take(permit);
        let Ok((wanted, tasks)) = context.begin(entry).await else {
            context.finish_stopped().await;
            return None;
        };
        if wanted.is_cancelled {
            context.control.stop(super::control::Stop::Cancelled);
        }
        let bench = match context.unless_stopped(bench::open(&context)).await {
            Some(Ok(bench)) => bench,
            Some(Err(failure)) => {
                context.finish(End { failure: Some(failure), ..End::default() }).await;
                return None;
            }
            None => {
                context.finish_stopped().await;
                return None;
            }
        };
        let drive = Drive { context: &context, bench: &bench };
        let mut way = match context.unless_stopped(drive.way()).await {
            Some(Ok(way)) => way,
            Some(Err(error)) => {
                let failure = Some(context.failure(&error));
                context.finish(End { failure, ..End::default() }).await;
                return None;
            }
            None => {
                context.finish_stopped().await;
                return None;
            }
        };
        let mut may_wait = end(drive, &mut way, wanted).await;
        drop(tasks);
        context.place.give_back();
        loop {
            if !may_wait {
                return None;
            }
            let Claim { entry, permit } = self.next_claim(claims).await?;
            if !context.is_unchanged().await {
                return Some(Claim { entry, permit });
            }
            context.place.take(permit);
            let Ok((wanted, tasks)) = context.begin(entry).await else {
                context.finish_stopped().await;
                return None;
            };
            if wanted.is_cancelled {
                context.control.stop(super::control::Stop::Cancelled);
            }
            may_wait = end(drive, &mut way, wanted).await;
            drop(tasks);
            context.place.give_back();
        }
    }

    /// Waits with the session for the next instruction. `None` if none arrives in time.
    async fn next_claim(&self, claims: &mut mpsc::Receiver<Claim>) -> Option<Claim> {
        if let Ok(claim) = claims.try_recv() {
            return Some(claim);
        }
        let _place = self.shared.idle.clone().try_acquire_owned().ok()?;
        tokio::select! {
            biased;
            claim = claims.recv() => claim,
            () = self.local.forget.cancelled() => None,
            () = self.shared.closing.cancelled() => None,
            () = tokio::time::sleep(self.shared.options.idle) => None,
        }
    }
}

/// Follows the instructions of a run and gives it back. Returns `true` if its session may wait for the next instruction.
async fn end<'a>(drive: Drive<'a>, way: &mut Way<'a>, wanted: Wanted) -> bool {
    match drive.follow(way, wanted).await {
        Some(end) => drive.context.finish(end).await,
        None => drive.context.finish_stopped().await,
    }
}

/// Ends the work of this process: takes nothing new, lets what runs end within `grace`, and then stops it where it continues.
pub(super) async fn close(shared: &Shared, grace: Duration) {
    shared.closing.cancel();
    let mut tasks = shared.tasks.subscribe();
    if tokio::time::timeout(grace, tasks.wait_for(|tasks| *tasks == 0)).await.is_ok() {
        return;
    }
    shared.stopping.cancel();
    let given_back = tokio::time::timeout(GIVE_BACK, tasks.wait_for(|tasks| *tasks == 0)).await;
    if given_back.is_err() {
        tracing::warn!(
            "runs were not given back in time; they are interrupted when their leases end"
        );
    }
}
