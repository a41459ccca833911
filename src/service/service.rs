//! The service: its parts, which the interfaces share.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::code::{SandboxOptions, Sandboxes};
use crate::files::{Files, Links};
use crate::http::{ProblemForm, Router, own_form};
use crate::kept_totals::KeptTotals;
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::run::{Example, Models, Policy, Room, RunDefaults, Runs, RunsOptions, Teams, room};
use crate::script_containers::ScriptContainers;
use crate::store::{Store, StoreResult, StoreTotals};
use mitt::Host;
use mitt_serve::preview::Previews;
use schemars::JsonSchema;
use serde::Serialize;

/// How people log in to the page.
#[derive(Clone, Copy, Debug, Default, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SessionLogin")]
pub enum Login {
    /// Without a login: the server has no tokens.
    #[default]
    None,
    /// With a token.
    Token,
    /// With a link that works once, which the command that opened the page prints.
    Link,
}

/// What a process of several that share a store does.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Role {
    /// It answers requests and works on runs.
    #[default]
    Both,
    /// It answers requests, and others work on runs.
    Front,
    /// It works on runs, and others answer requests.
    Worker,
}

/// Options of a [`Service`].
#[derive(Clone)]
pub struct ServiceOptions {
    /// Storage.
    pub store: Arc<dyn Store>,
    /// Skills and limits.
    pub host: Host,
    /// Models.
    pub models: Arc<dyn Models>,
    /// Agents.
    pub teams: Option<Arc<dyn Teams>>,
    /// Limits and defaults of runs. Default of the program: those of its settings.
    pub defaults: RunDefaults,
    /// Recorded examples, which need no model. Default of the program: the one of `mitt demo`.
    pub examples: Vec<Example>,
    /// What each tenant may do.
    pub policies: Arc<dyn Fn(&str) -> Policy + Send + Sync>,
    /// How people log in to the page. Default of the program: by a token if the server has tokens.
    pub login: Login,
    /// Runs at the same time. Default of the program: 16.
    pub workers: usize,
    /// What this process does. Default of the program: both.
    pub role: Role,
    /// Times that a run goes on by itself after its process has ended. Default of the program: 0 with a folder, 5 with a
    /// store of several processes.
    pub tries_after_loss: u64,
    /// Time that links to files are good for. Default of the program: one hour.
    pub link_life: Duration,
    /// Largest uploaded file in bytes. Default of the program: 1 GiB.
    pub upload_bytes: u64,
}

/// Runs, sandboxes and tools over HTTP. A cheap handle.
#[derive(Clone)]
pub struct Service {
    inner: Arc<Inner>,
}

struct Inner {
    options: ServiceOptions,
    runs: Runs,
    sandboxes: Sandboxes,
    files: Files,
    links: Links,
    previews: Previews,
    metrics: Arc<Metrics>,
    totals: KeptTotals,
    served: OnceLock<Served>,
}

/// What the service serves.
struct Served {
    router: Router<Service>,
    /// Returns how problems of a path are written.
    problem_form: fn(&str) -> ProblemForm,
}

/// A method of a path of the service.
pub(crate) type Endpoint = crate::http::Endpoint<Service>;

impl Service {
    /// Starts the workers of a service that serves nothing yet.
    ///
    /// # Errors
    ///
    /// The store failed.
    pub(crate) async fn without_interfaces(options: ServiceOptions) -> Result<Service, Problem> {
        let (store, host) = (options.store.clone(), options.host.clone());
        let links = Links::of(&*store, options.link_life).await?;
        let metrics = Arc::new(Metrics::new());
        let sandboxes = Sandboxes::new(SandboxOptions {
            store: store.clone(),
            host: host.clone(),
            sessions: 64,
            idle: Duration::from_secs(5 * 60),
            most_files: 200,
            most_bytes: 512 * 1024 * 1024,
            metrics: metrics.clone(),
        });
        let runs = Runs::start(RunsOptions {
            store: store.clone(),
            host,
            models: options.models.clone(),
            teams: options.teams.clone(),
            defaults: options.defaults.clone(),
            containers: Some(Arc::new(ScriptContainers(sandboxes.clone()))),
            examples: options.examples.clone(),
            workers: options.workers,
            idle: Duration::from_secs(60),
            lease: Duration::from_secs(30),
            tries_after_loss: options.tries_after_loss,
            takes_runs: options.role != Role::Front,
            metrics: metrics.clone(),
        });
        let files = Files::new(store);
        let previews = Previews::new(options.host.clone());
        let served = OnceLock::new();
        let totals = KeptTotals::default();
        let inner =
            Inner { options, runs, sandboxes, files, links, previews, metrics, totals, served };
        let service = Service { inner: Arc::new(inner) };
        Ok(service)
    }

    pub(crate) fn runs(&self) -> &Runs {
        &self.inner.runs
    }

    pub(crate) fn sandboxes(&self) -> &Sandboxes {
        &self.inner.sandboxes
    }

    pub(crate) fn files(&self) -> &Files {
        &self.inner.files
    }

    pub(crate) fn links(&self) -> &Links {
        &self.inner.links
    }

    /// Returns the files that people look at.
    pub(crate) fn previews(&self) -> &Previews {
        &self.inner.previews
    }

    /// Returns what is counted.
    pub(crate) fn counters(&self) -> &Metrics {
        &self.inner.metrics
    }

    pub(crate) fn host(&self) -> &Host {
        &self.inner.options.host
    }

    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        &self.inner.options.store
    }

    /// Returns what the store holds, for metrics: if counting takes long, as it was a short time ago.
    ///
    /// # Errors
    ///
    /// The store failed.
    pub(crate) async fn totals(&self) -> StoreResult<StoreTotals> {
        self.inner.totals.get(async || self.store().totals().await).await
    }

    /// Returns what this process does.
    pub(crate) fn role(&self) -> Role {
        self.inner.options.role
    }

    pub(crate) fn models(&self) -> &Arc<dyn Models> {
        &self.inner.options.models
    }

    /// Returns `true` if clients may add and remove models.
    pub(crate) fn may_manage(&self) -> bool {
        self.models().managed().is_some()
    }

    pub(crate) fn upload_bytes(&self) -> u64 {
        self.inner.options.upload_bytes
    }

    /// Returns how people log in to the page.
    pub(crate) fn login(&self) -> Login {
        self.inner.options.login
    }

    /// Returns the time that links to files are good for.
    pub(crate) fn link_life(&self) -> Duration {
        self.inner.options.link_life
    }

    /// Returns what a tenant may do.
    pub(crate) fn policy(&self, tenant: &str) -> Policy {
        (self.inner.options.policies)(tenant)
    }

    /// Returns the room that a tenant has for further bytes.
    ///
    /// # Errors
    ///
    /// The store failed.
    pub(crate) async fn room(&self, tenant: &str) -> Result<Room, Problem> {
        Ok(room(&**self.store(), tenant, &self.policy(tenant)).await?)
    }

    /// Returns the time after 1970.
    pub(crate) fn now(&self) -> Duration {
        self.inner.options.host.environment().now()
    }

    /// Returns the time in milliseconds after 1970.
    pub(crate) fn now_ms(&self) -> u64 {
        u64::try_from(self.now().as_millis()).unwrap_or(u64::MAX)
    }

    /// Serves these endpoints; the first call decides. `problem_form` returns how problems of a path are written.
    pub(crate) fn serve(&self, endpoints: Vec<Endpoint>, problem_form: fn(&str) -> ProblemForm) {
        let _ = self.inner.served.set(Served { router: Router::new(endpoints), problem_form });
    }

    /// Returns a function that returns the service, as long as somebody else has it.
    pub(crate) fn weak(&self) -> impl Fn() -> Option<Service> + Send + Sync + 'static + use<> {
        let inner = Arc::downgrade(&self.inner);
        move || Some(Service { inner: inner.upgrade()? })
    }

    pub(crate) fn router(&self) -> Option<&Router<Service>> {
        self.inner.served.get().map(|served| &served.router)
    }

    /// Returns how problems of a path are written.
    pub(crate) fn problem_form(&self, path: &str) -> ProblemForm {
        self.inner.served.get().map_or_else(own_form, |served| (served.problem_form)(path))
    }
}

const _: () = {
    const fn assert_send_sync<T: Send + Sync>() {}
    assert_send_sync::<Service>();
};
