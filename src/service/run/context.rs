//! All that the work on one run needs, and how the work ends.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use tokio::task::JoinSet;

use super::citation::RunCitation;
use super::control::{Control, Stop};
use super::create::request_of;
use super::desk::{Approvals, Desk, DeskState};
use super::entry::Entry;
use super::event::EventData;
use super::events::{Translator, failure};
use super::inbox::{Inbox, Wanted};
use super::keeper::{Keeper, Lost, Progress, read};
use super::log::StoreLog;
use super::place::Place;
use super::shared::{Local, Shared};
use super::spec::CreateRun;
use super::state::{Failure, Question, RunStatus};
use super::usage::Meter;
use super::writer::{Outbox, Writer};
use crate::store::{RunKey, StoreError, StoreResult, Stream};
use mitt_base::{Error, lock};
use mitt_serve::AUDIT_TARGET;

/// The work on one run.
pub(super) struct RunContext {
    pub(super) shared: Arc<Shared>,
    pub(super) local: Arc<Local>,
    pub(super) key: RunKey,
    pub(super) model: String,
    pub(super) request: CreateRun,
    pub(super) control: Arc<Control>,
    pub(super) outbox: Arc<Outbox>,
    pub(super) meter: Arc<Meter>,
    pub(super) inbox: Arc<Inbox>,
    pub(super) keeper: Arc<Keeper>,
    pub(super) desk: Arc<Desk>,
    pub(super) place: Arc<Place>,
    pub(super) translator: Arc<Translator>,
    pub(super) log: StoreLog,
    /// The work that is under way.
    working: Mutex<Option<Working>>,
    /// Stores events until the context is dropped.
    _writer: JoinSet<()>,
}

/// Work that is under way. It is counted until this is dropped.
struct Working {
    begun: Instant,
    count: Arc<AtomicU64>,
}

impl Working {
    fn begin(count: Arc<AtomicU64>) -> Working {
        count.fetch_add(1, Ordering::Relaxed);
        Working { begun: Instant::now(), count }
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The end of an instruction.
#[derive(Clone, Debug, Default)]
pub(super) struct End {
    pub(super) text: Option<String>,
    /// `true` if the text is JSON in the form that the client demanded.
    pub(super) has_output: bool,
    pub(super) delivered: Vec<String>,
    pub(super) missing: Vec<String>,
    pub(super) citations: Vec<RunCitation>,
    pub(super) failure: Option<Failure>,
    /// Calls of the caller's functions that wait for a result.
    pub(super) question: Option<Question>,
}

impl RunContext {
    /// Prepares the work on a run.
    ///
    /// # Errors
    ///
    /// The store failed, or the run was deleted.
    pub(super) async fn open(
        shared: &Arc<Shared>,
        local: &Arc<Local>,
        entry: &Entry,
    ) -> StoreResult<RunContext> {
        let options = &shared.options;
        let (store, host) = (options.store.clone(), options.host.clone());
        let key = entry.key();
        let control = Arc::new(Control::default());
        let outbox = Arc::new(Outbox::new(host.clone()));
        let usage_events = outbox.clone();
        let parts = (store.clone(), host.clone());
        let meter = Meter::new(parts, &key.tenant, control.clone(), move |usage| {
            usage_events.push(None, EventData::Usage { usage });
        });
        let meter = Arc::new(meter.count_in(options.metrics.clone()));
        let inbox = Arc::new(Inbox::new(store.clone(), key.clone(), control.clone()));
        let progress = {
            let (meter, inbox) = (meter.clone(), inbox.clone());
            Box::new(move || Progress {
                usage: meter.usage(),
                inbox_done: inbox.done(),
                title: inbox.title(),
                withdrawals: inbox.withdrawals(),
            })
        };
        let parts = (store.clone(), host);
        let keeper = Keeper::new(parts, control.clone(), options.lease, entry.clone(), progress);
        let keeper = Arc::new(keeper);
        let request = request_of(shared, &key, entry).await?;
        let approvals = request.options.approvals.as_deref().and_then(Approvals::from_name);
        let place = Arc::new(Place::new(&shared.permits, &shared.seats, &shared.stopping));
        let desk = Arc::new(Desk {
            keeper: keeper.clone(),
            outbox: outbox.clone(),
            control: control.clone(),
            approvals: approvals.unwrap_or_default(),
            reviews_plans: request.options.plan.as_ref().is_some_and(|plan| plan.review),
            park: shared.park,
            place: place.clone(),
            state: Mutex::new(DeskState::default()),
            asking: tokio::sync::Mutex::new(()),
        });
        inbox.set_desk(&desk);
        let translator =
            Arc::new(Translator::new(outbox.clone(), meter.clone(), options.models.clone()));
        let lines = translator.clone();
        let listener = move |line: &str| lines.line(line);
        let opened = StoreLog::open(store.clone(), key.clone(), control.clone(), listener).await?;
        let last = store.last(&key, Stream::Events).await?;
        let mut writer = JoinSet::new();
        writer.spawn(
            Writer {
                store,
                key: key.clone(),
                outbox: outbox.clone(),
                keeper: keeper.clone(),
                control: control.clone(),
                live: local.live.clone(),
                last,
            }
            .write(),
        );
        local.live.begin(last);
        Ok(RunContext {
            shared: shared.clone(),
            local: local.clone(),
            key,
            model: entry.state.model.clone(),
            request,
            control,
            outbox,
            meter,
            inbox,
            keeper,
            desk,
            place,
            translator,
            log: opened.0,
            working: Mutex::default(),
            _writer: writer,
        })
    }

    /// Begins to work on a run that was claimed. Returns what clients want, and the tasks that keep the run and read its inbox
    /// until they are dropped.
    ///
    /// # Errors
    ///
    /// The run is lost.
    pub(super) async fn begin(&self, entry: Entry) -> Result<(Wanted, JoinSet<()>), Lost> {
        self.control.reset();
        let (parked, goes_on) = (entry.work.parked.clone(), entry.work.goes_on);
        self.meter.begin(entry.state.usage, entry.work.budget);
        self.inbox.begin(entry.state.inbox_done, parked);
        self.keeper.replace(entry).await;
        let last = self.local.live.last();
        // Before anything that may take time, so that the lease holds.
        let changed = self.keeper.change(|entry| {
            entry.work.begun_after = Some(last);
            entry.state.status = RunStatus::Running;
            (entry.state.failure, entry.state.question) = (None, None);
        });
        changed.await?;
        let wanted = match self.inbox.collect().await {
            Ok(wanted) => Wanted { goes_on: wanted.goes_on || goes_on, ..wanted },
            Err(error) => {
                self.control.stop(match error {
                    StoreError::Failed(error) => Stop::Failed(error),
                    _ => Stop::Lost,
                });
                return Err(Lost);
            }
        };
        let begun = self.keeper.change(|entry| {
            (entry.work.parked, entry.work.goes_on) = (None, false);
        });
        begun.await?;
        self.shared.options.metrics.run_started();
        let count = self.shared.working.clone();
        *lock(&self.working) = Some(Working::begin(count));
        self.local.live.begin(self.local.live.last());
        self.outbox.push(None, EventData::Status { status: RunStatus::Running });
        let mut tasks = JoinSet::new();
        let keeper = self.keeper.clone();
        tasks.spawn(async move { keeper.renew().await });
        let inbox = self.inbox.clone();
        tasks.spawn(async move { inbox.listen().await });
        let (keeper, inbox) = (self.keeper.clone(), self.inbox.clone());
        tasks.spawn(async move {
            loop {
                inbox.changed.notified().await;
                // A run that is lost is stopped by the keeper.
                if keeper.touch().await.is_err() {
                    return;
                }
            }
        });
        let (control, stopping) = (self.control.clone(), self.shared.stopping.clone());
        tasks.spawn(async move {
            stopping.cancelled().await;
            control.stop(Stop::Closing);
        });
        Ok((wanted, tasks))
    }

    /// Returns `true` if the run is as this process left it, so that its session can go on.
    pub(super) async fn is_unchanged(&self) -> bool {
        let store = &self.shared.options.store;
        let log = store.last(&self.key, Stream::Log).await;
        let events = store.last(&self.key, Stream::Events).await;
        !self.control.is_silent()
            && log.is_ok_and(|last| last == self.log.last())
            && events.is_ok_and(|last| last == self.local.live.last())
    }

    /// Does work unless the run is stopped. `None` if it is.
    pub(super) async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.control.stopped() => None,
            done = work => Some(done),
        }
    }

    /// Reports the end of an instruction, after which the run goes on with the next one.
    pub(super) fn end_one(&self, end: End) {
        let status = status_of(&end);
        let ended = self.ended(status, end);
        self.outbox.push(None, ended);
    }

    /// Ends the work on the run with the end of its last instruction, and gives it back. Returns `true` if its session may wait
    /// for the next instruction.
    pub(super) async fn finish(&self, end: End) -> bool {
        let status = status_of(&end);
        let is_written = self.write_end(status, end).await.is_ok();
        if !is_written {
            match self.control.reason() {
                Some(Stop::Failed(error)) => {
                    tracing::error!(run = self.key.id, error = %error.render(), "the store failed");
                }
                _ => self.report_loss(),
            }
        }
        is_written
    }

    fn report_loss(&self) {
        tracing::warn!(run = self.key.id, "another worker has the run, or it was deleted");
    }

    /// Ends the work on a run that was stopped. Returns `true` if its session may wait for the next instruction.
    pub(super) async fn finish_stopped(&self) -> bool {
        let reason = self.control.reason().unwrap_or(Stop::Lost);
        let status = match reason {
            Stop::Lost => {
                self.report_loss();
                return false;
            }
            Stop::Failed(error) => {
                tracing::error!(run = self.key.id, error = %error.render(), "the store failed");
                self.end_failed(&error).await;
                return false;
            }
            Stop::Parked => {
                self.flush().await;
                let released = self.keeper.release(|entry| entry.state.status = RunStatus::Waiting);
                if released.await.is_ok() {
                    self.count_end(RunStatus::Waiting);
                    self.wake_for_more().await;
                }
                return false;
            }
            Stop::Closing if self.shared.options.tries_after_loss > 0 => {
                self.hand_over().await;
                return false;
            }
            Stop::Cancelled => RunStatus::Cancelled,
            Stop::Closing => RunStatus::Interrupted,
        };
        let is_over = status == RunStatus::Interrupted;
        self.write_end(status, End::default()).await.is_ok() && !is_over
    }

    /// Gives a run to the next process, because this one ends.
    async fn hand_over(&self) {
        self.desk.forget();
        self.outbox.push(None, EventData::Status { status: RunStatus::Queued });
        self.flush().await;
        if self.keeper.release(Entry::hand_over).await.is_ok() {
            self.count_end(RunStatus::Queued);
            self.local.live.end();
        }
    }

    /// Ends a run that the store refused to write. If it refuses that too, the run is interrupted when its lease ends.
    async fn end_failed(&self, error: &Error) {
        let store = &*self.shared.options.store;
        let Ok(entry) = read(store, &self.key).await else { return };
        if !entry.is_of(&self.shared.worker) {
            self.report_loss();
            return;
        }
        let ended = self.shared.end(entry, RunStatus::Failed, Some(self.failure(error))).await;
        if let Err(error) = ended {
            tracing::error!(run = self.key.id, ?error, "a run cannot be ended");
        }
    }

    async fn write_end(&self, status: RunStatus, end: End) -> Result<(), Lost> {
        self.desk.forget();
        self.outbox.push(None, EventData::Status { status });
        match &end.question {
            Some(question) => {
                self.outbox.push(None, EventData::Question { question: question.clone() });
            }
            None => {
                let ended = self.ended(status, end.clone());
                self.outbox.push(None, ended);
            }
        }
        // Events come first: after the record is given back, another worker may write them.
        self.flush().await;
        let code = end.failure.as_ref().map_or_else(String::new, |it| it.code.clone());
        let released = self.keeper.release(|entry| {
            entry.state.status = status;
            entry.state.question = end.question;
            entry.state.set_text(end.text, end.has_output);
            (entry.state.missing, entry.state.failure) = (end.missing, end.failure);
            entry.state.citations = end.citations;
            entry.work.losses = 0;
            if status == RunStatus::Completed {
                entry.work.current = None;
            }
        });
        released.await?;
        self.count_end(status);
        self.local.live.end();
        let usage = self.meter.usage();
        tracing::info!(
            target: AUDIT_TARGET, tenant = self.key.tenant, run = self.key.id,
            status = status.name(), code, input_tokens = usage.input_tokens, output_tokens = usage.output_tokens,
            "a run ended"
        );
        if status != RunStatus::Interrupted {
            self.wake_for_more().await;
        }
        Ok(())
    }

    /// Counts the end of the work that is under way.
    fn count_end(&self, status: RunStatus) {
        let time = lock(&self.working).take().map(|working| working.begun.elapsed());
        self.shared.options.metrics.run_ended(status.name(), time);
    }

    /// Returns an error as clients see it.
    pub(super) fn failure(&self, error: &Error) -> Failure {
        failure(&*self.shared.options.models, error)
    }

    async fn flush(&self) {
        if let Err(error) = self.meter.flush().await {
            tracing::warn!(run = self.key.id, ?error, "the usage of the day was not written");
        }
        self.outbox.flush(&self.control).await;
    }

    /// Lets the run be taken again if something arrived after its inbox was last read.
    async fn wake_for_more(&self) {
        if self.inbox.is_waiting() || self.inbox.has_unread_work().await {
            // A run that was deleted meanwhile needs no worker.
            let _ = self.shared.wake(&self.key).await;
        }
    }

    fn ended(&self, status: RunStatus, end: End) -> EventData {
        EventData::Ended {
            status,
            text: end.text,
            output: None,
            has_output: end.has_output,
            files: end.delivered,
            missing: end.missing,
            citations: end.citations,
            failure: end.failure,
            usage: self.meter.usage(),
        }
    }
}

fn status_of(end: &End) -> RunStatus {
    match (&end.question, &end.failure) {
        (Some(_), _) => RunStatus::Waiting,
        (None, Some(failure)) if failure.code == KEY_MISSING => RunStatus::Interrupted,
        (None, Some(_)) => RunStatus::Failed,
        (None, None) => RunStatus::Completed,
    }
}

/// Code of a run whose client must send its key again.
pub(super) const KEY_MISSING: &str = "model_key_missing";
