//! Creates, follows, answers and ends runs. This is what interfaces use.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::Serialize;

use super::check;
use super::create;
use super::fork::{self, ForkPoint};
use super::import;
use super::last_events::with_output;
use super::lists;
use super::options::{ModelInfo, Policy, RunsOptions, ToolOutput};
use super::requests;
use super::shared::{Shared, missing};
use super::spec::{AnswerDemand, CreateRun, ImportRun, Message, WordRules};
use super::state::{Answer, RunDocument, RunFile, RunState};
use super::stream::{self, EventStream};
use super::usage::{self, UsedDay};
use super::versions;
use super::waiting;
use super::words;
use super::worker;
use crate::problem::Problem;
use crate::store::{IdempotencyKey, ListRuns, RunKey, Stream};
use mitt_base::Result;

/// Time after which a run with a question is parked: its session ends, and an answer begins another one.
const PARK: Duration = Duration::from_secs(2 * 60);

/// The runs of a service. A cheap handle; with the last one, the work ends as by [`Runs::close`] without grace.
///
/// Any number of processes may share a store. A run belongs to one of them at a time, by a lease. If a process is killed,
/// its leases end, and its runs become interrupted: they go on when a client says so ([`Runs::resume`]) or by themselves
/// ([`RunsOptions::tries_after_loss`]), and no call with a result is made again, nor one that may have had an effect. A run
/// that no process had begun is begun by the next one. A question that waits when a process ends is asked again when the run
/// goes on.
///
/// The key of a model's service that a client brings is kept in the memory of the process that it was sent to.
#[derive(Clone)]
pub struct Runs {
    inner: Arc<Inner>,
}

struct Inner {
    shared: Arc<Shared>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.shared.closing.cancel();
        self.shared.stopping.cancel();
    }
}

impl Runs {
    /// Starts the workers, in the runtime of the caller, which must have several threads.
    pub fn start(options: RunsOptions) -> Runs {
        Runs::start_with(options, PARK)
    }

    /// Starts the workers. A run with a question is parked after `park`.
    pub(super) fn start_with(options: RunsOptions, park: Duration) -> Runs {
        let shared = Arc::new(Shared::new(options, park));
        if shared.options.takes_runs {
            tokio::spawn(worker::dispatch(shared.clone()));
        }
        Runs { inner: Arc::new(Inner { shared }) }
    }

    /// Returns `true` if no task works on a run or keeps a session.
    #[cfg(test)]
    pub(super) fn is_idle(&self) -> bool {
        *self.shared().tasks.borrow() == 0
    }

    fn shared(&self) -> &Arc<Shared> {
        &self.inner.shared
    }

    /// Returns the models that a tenant may use, the default one first.
    pub fn models(&self, policy: &Policy) -> Vec<ModelInfo> {
        check::models_of(&self.shared().options, policy)
    }

    /// Creates a run. With an idempotency key, a second request with the same body returns the first run and `false`.
    ///
    /// # Errors
    ///
    /// The request is wrong, the budget is used up, or a document is missing.
    pub async fn create(
        &self,
        tenant: &str,
        policy: &Policy,
        request: CreateRun,
        model_key: Option<String>,
        idempotency: Option<&str>,
    ) -> Result<(RunState, bool), Problem> {
        let once = idempotency.map(|key| Runs::once(key, &request)).transpose()?;
        self.create_once(tenant, policy, request, model_key, once).await
    }

    /// Returns an idempotency key for a request that [`Runs::create`] gets in another form than the client sent it. Equal
    /// contents are the same request.
    ///
    /// # Errors
    ///
    /// 400 - the key is too long or empty.
    pub(crate) fn once(
        key: &str,
        content: &(impl Serialize + ?Sized),
    ) -> Result<IdempotencyKey, Problem> {
        create::idempotency_key(key, content)
    }

    /// Does what [`Runs::create`] does, for a key of [`Runs::once`].
    ///
    /// # Errors
    ///
    /// Those of [`Runs::create`].
    pub(crate) async fn create_once(
        &self,
        tenant: &str,
        policy: &Policy,
        request: CreateRun,
        model_key: Option<String>,
        once: Option<IdempotencyKey>,
    ) -> Result<(RunState, bool), Problem> {
        let created = create::create(self.shared(), tenant, policy, request, model_key, once);
        let (state, is_new) = created.await?;
        let store = &*self.shared().options.store;
        let key = key(tenant, &state.id);
        Ok((with_output(store, &key, state).await?, is_new))
    }

    /// Returns the run that a request with this key created; `None` if there is none.
    ///
    /// # Errors
    ///
    /// 422 `idempotency_key_reused` - it was another request.
    pub(crate) async fn created(
        &self,
        tenant: &str,
        once: &IdempotencyKey,
    ) -> Result<Option<RunState>, Problem> {
        create::created(self.shared(), tenant, once).await
    }

    /// Makes a run of the log that another program wrote, such as `mitt run`, with the documents that it names. It is
    /// `completed` or `interrupted`, and can be continued like any other.
    ///
    /// # Errors
    ///
    /// No document is a log, a document of the log is missing, or the budget is used up.
    pub async fn import(
        &self,
        tenant: &str,
        policy: &Policy,
        request: ImportRun,
    ) -> Result<RunState, Problem> {
        let state = import::import(self.shared(), tenant, policy, request).await?;
        let store = &*self.shared().options.store;
        let key = key(tenant, &state.id);
        Ok(with_output(store, &key, state).await?)
    }

    /// Returns the place behind the last instruction of a run that is at rest.
    ///
    /// # Errors
    ///
    /// The tenant has no such run.
    pub(crate) async fn end_of(&self, tenant: &str, id: &str) -> Result<ForkPoint, Problem> {
        let (key, store) = (key(tenant, id), &*self.shared().options.store);
        let log = store.last(&key, Stream::Log).await.map_err(missing(&key))?;
        Ok(ForkPoint { log, events: self.last_event(tenant, id).await? })
    }

    /// Makes a run that has what another one had at a place between two instructions.
    ///
    /// # Errors
    ///
    /// The tenant has no such run, or may keep no further one, or the budget is used up.
    pub(crate) async fn fork(
        &self,
        tenant: &str,
        policy: &Policy,
        (id, point): (&str, ForkPoint),
        model_key: Option<String>,
    ) -> Result<RunState, Problem> {
        fork::fork(self.shared(), policy, &key(tenant, id), point, model_key).await
    }

    /// Returns a run.
    ///
    /// # Errors
    ///
    /// The tenant has no such run.
    pub async fn get(&self, tenant: &str, id: &str) -> Result<RunState, Problem> {
        let key = key(tenant, id);
        let entry = self.shared().entry(&key).await?;
        let request = create::request_of(self.shared(), &key, &entry).await?;
        let state = RunState { request: Some(Box::new(request)), ..entry.state };
        self.shown(&key, state).await
    }

    /// Returns a state with the instructions that wait, and with the value of its answer.
    async fn shown(&self, key: &RunKey, state: RunState) -> Result<RunState, Problem> {
        let store = &*self.shared().options.store;
        let state = with_output(store, key, state).await?;
        waiting::with_waiting(store, key, state).await
    }

    /// Returns the number of runs that work in this process.
    pub(crate) fn working(&self) -> u64 {
        self.shared().working.load(Ordering::Relaxed)
    }

    /// Returns runs, newest first.
    ///
    /// # Errors
    ///
    /// The store failed.
    pub async fn list(&self, tenant: &str, list: &ListRuns) -> Result<Vec<RunState>, Problem> {
        lists::list(self.shared(), tenant, list).await
    }

    /// Returns runs whose title, first instruction or last answer contains `text` in any case, newest first. Looks at a
    /// bounded number of runs. If there may be more, returns the identifier of the run before which the search goes on.
    ///
    /// # Errors
    ///
    /// The store failed.
    pub async fn search(
        &self,
        tenant: &str,
        list: &ListRuns,
        text: &str,
    ) -> Result<(Vec<RunState>, Option<String>), Problem> {
        lists::search(self.shared(), tenant, list, text).await
    }

    /// Sets the title of a run, also while it works.
    ///
    /// # Errors
    ///
    /// The tenant has no such run, or the title is none.
    pub async fn rename(&self, tenant: &str, id: &str, title: &str) -> Result<RunState, Problem> {
        requests::rename(self.shared(), &key(tenant, id), title).await
    }

    /// Creates a run of an example of [`RunsOptions::examples`].
    ///
    /// # Errors
    ///
    /// There is no such example, or the budget is used up.
    pub async fn create_example(
        &self,
        tenant: &str,
        policy: &Policy,
        name: &str,
    ) -> Result<RunState, Problem> {
        create::example(self.shared(), tenant, policy, name).await
    }

    /// Returns the words that must not pass in runs of a tenant, beside those of the operator and of the run.
    ///
    /// # Errors
    ///
    /// The store failed.
    pub async fn words(&self, tenant: &str) -> Result<WordRules, Problem> {
        Ok(words::of_tenant(&*self.shared().options.store, tenant).await?)
    }

    /// Sets the words that must not pass in runs of a tenant. They count from the next session of each run on.
    ///
    /// # Errors
    ///
    /// 422 `invalid_body` - a rule cannot be searched for, or there are too many.
    pub async fn set_words(&self, tenant: &str, words: &WordRules) -> Result<(), Problem> {
        words::set(self.shared(), tenant, words).await
    }

    /// Returns what a tenant used on each of the last days (UTC), oldest first, today last.
    ///
    /// # Errors
    ///
    /// The store failed.
    pub async fn usage(&self, tenant: &str, days: u64) -> Result<Vec<UsedDay>, Problem> {
        let options = &self.shared().options;
        let now = options.host.environment().now();
        Ok(usage::days(&*options.store, tenant, now, days).await?)
    }

    /// Sends a further instruction. A run that works reads it before its next turn; another run continues with it.
    ///
    /// # Errors
    ///
    /// The tenant has no such run, or it waits for functions of the caller.
    pub async fn say(
        &self,
        tenant: &str,
        policy: &Policy,
        id: &str,
        message: Message,
        model_key: Option<String>,
    ) -> Result<RunState, Problem> {
        self.say_once(tenant, policy, id, message, model_key, None).await
    }

    /// Does what [`Runs::say`] does. With an idempotency key, the same request has its effect once, for 24 hours.
    ///
    /// # Errors
    ///
    /// Those of [`Runs::say`]; 422 `idempotency_key_reused` - another request had the key.
    pub async fn say_once(
        &self,
        tenant: &str,
        policy: &Policy,
        id: &str,
        message: Message,
        model_key: Option<String>,
        idempotency: Option<&str>,
    ) -> Result<RunState, Problem> {
        let key = key(tenant, id);
        let said = requests::say(self.shared(), &key, policy, message, model_key, idempotency);
        self.shown(&key, said.await?).await
    }

    /// Takes an instruction back that was sent and that the model has not begun. Documents that came with it may stay in the
    /// run.
    ///
    /// # Errors
    ///
    /// 404 - the tenant has no such run, or no such instruction waits.
    pub async fn withdraw(&self, tenant: &str, id: &str, number: u64) -> Result<(), Problem> {
        waiting::withdraw(self.shared(), &key(tenant, id), number).await
    }

    /// Continues a run that was interrupted, cancelled or failed.
    ///
    /// # Errors
    ///
    /// The tenant has no such run, or there is nothing to continue.
    pub async fn resume(
        &self,
        tenant: &str,
        policy: &Policy,
        id: &str,
        model_key: Option<String>,
    ) -> Result<RunState, Problem> {
        let key = key(tenant, id);
        let state = requests::resume(self.shared(), &key, policy, model_key).await?;
        self.shown(&key, state).await
    }

    /// Answers a question: an approval or a plan.
    ///
    /// # Errors
    ///
    /// The tenant has no such run, or this question does not wait.
    pub async fn answer(
        &self,
        tenant: &str,
        id: &str,
        answer: Answer,
    ) -> Result<RunState, Problem> {
        let key = key(tenant, id);
        let state = requests::answer(self.shared(), &key, answer).await?;
        self.shown(&key, state).await
    }

    /// Hands in results of the caller's functions; the run continues when all are there.
    ///
    /// # Errors
    ///
    /// The tenant has no such run, or it does not wait for these calls.
    pub async fn provide(
        &self,
        tenant: &str,
        id: &str,
        outputs: Vec<ToolOutput>,
        model_key: Option<String>,
    ) -> Result<RunState, Problem> {
        let given = (outputs, AnswerDemand::default());
        self.provide_for(tenant, id, given, model_key).await
    }

    /// Does what [`Runs::provide`] does, with what the caller demands of the answer from then on.
    ///
    /// # Errors
    ///
    /// Those of [`Runs::provide`].
    pub async fn provide_for(
        &self,
        tenant: &str,
        id: &str,
        given: (Vec<ToolOutput>, AnswerDemand),
        model_key: Option<String>,
    ) -> Result<RunState, Problem> {
        let key = key(tenant, id);
        let state = requests::provide(self.shared(), &key, given, model_key).await?;
        self.shown(&key, state).await
    }

    /// Cancels what a run does.
    ///
    /// # Errors
    ///
    /// The tenant has no such run.
    pub async fn cancel(&self, tenant: &str, id: &str) -> Result<RunState, Problem> {
        let key = key(tenant, id);
        let state = requests::cancel(self.shared(), &key).await?;
        self.shown(&key, state).await
    }

    /// Returns a document of a run.
    ///
    /// # Errors
    ///
    /// The tenant has no such run, or the run has no such document.
    pub async fn document(
        &self,
        tenant: &str,
        id: &str,
        name: &str,
    ) -> Result<RunDocument, Problem> {
        let entry = self.shared().entry(&key(tenant, id)).await?;
        let found = entry.state.documents.into_iter().find(|document| document.name == name);
        found.ok_or_else(|| Problem::not_found("document", name))
    }

    /// Returns a file that a run delivered: the last version, or the one with this SHA-256.
    ///
    /// # Errors
    ///
    /// The tenant has no such run, the run no such file, or the file no such version.
    pub async fn file(
        &self,
        tenant: &str,
        id: &str,
        name: &str,
        version: Option<&str>,
    ) -> Result<RunFile, Problem> {
        let entry = self.shared().entry(&key(tenant, id)).await?;
        versions::found(&entry, name, version)
    }

    /// Returns earlier versions of the files that a run delivered, oldest first: at most 19 of a file.
    ///
    /// # Errors
    ///
    /// The tenant has no such run.
    pub async fn earlier_files(&self, tenant: &str, id: &str) -> Result<Vec<RunFile>, Problem> {
        Ok(self.shared().entry(&key(tenant, id)).await?.work.versions)
    }

    /// Deletes a run for good, with its log, events and files. Running work is cancelled first.
    ///
    /// # Errors
    ///
    /// The tenant has no such run.
    pub async fn delete(&self, tenant: &str, id: &str) -> Result<(), Problem> {
        requests::delete(self.shared(), &key(tenant, id)).await
    }

    /// Returns the events after number `after`. Without `follow` it ends with the last event that is kept.
    ///
    /// # Errors
    ///
    /// The tenant has no such run.
    pub async fn events(
        &self,
        tenant: &str,
        id: &str,
        after: u64,
        follow: bool,
    ) -> Result<EventStream, Problem> {
        let key = key(tenant, id);
        self.shared().entry(&key).await?;
        Ok(stream::events(self.shared().clone(), key, after, follow))
    }

    /// Returns the number of the last event of a run.
    ///
    /// # Errors
    ///
    /// The tenant has no such run.
    pub async fn last_event(&self, tenant: &str, id: &str) -> Result<u64, Problem> {
        let key = key(tenant, id);
        let last = self.shared().options.store.last(&key, Stream::Events).await;
        last.map_err(missing(&key))
    }

    /// Takes no new run from now on, and stops running ones within `grace` at a point from which they continue.
    ///
    /// A run that is stopped becomes interrupted.
    pub async fn close(&self, grace: Duration) {
        worker::close(self.shared(), grace).await;
    }
}

fn key(tenant: &str, id: &str) -> RunKey {
    RunKey { tenant: tenant.to_owned(), id: id.to_owned() }
}
