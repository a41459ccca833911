//! State of a session, how a session is opened, and its simple getters.
//!
//! Knows each part: documents, workspace, artifacts, journal, handles. The other files of this folder add the methods that use
//! them, above all calls.

use std::any::Any;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arc_swap::ArcSwap;
use rand::Rng as _;
use rand::rngs::StdRng;

use super::agent_view::AgentView;
use super::approval::Approver;
use super::artifacts::Artifacts;
use super::attempts::Deadline;
use super::call_id::CallId;
use super::documents::Documents;
use super::event::{Event, EventSink};
use super::handles::HandleTable;
use super::journal::{Journal, JournalOptions};
use super::pending_calls::PendingCalls;
use super::picture_store::PictureStore;
use super::results::Results;
use super::script::KeptInstances;
use super::values::Values;
use super::workspace::Workspace;
use super::{folder, recovery};
use crate::capability::Artifact;
use crate::document::Document;
use crate::engine::SchedulerHandle;
use crate::host::{Host, SessionBudget};
use crate::skill::Registry;
use mitt_base::Result;
use mitt_base::formulas::Formulas;
use mitt_base::lock;
use mitt_base::memory::MemoryUsage;

/// Most helper versions whose use is remembered.
const MAX_HELPERS_KNOWN: usize = 1_024;

/// Tenant of a session that names none.
pub const DEFAULT_TENANT: &str = "local";

/// How a [`Session`] is opened.
#[derive(Clone, Default)]
pub struct SessionOptions {
    /// Tenant that owns the session. It is written to the journal and never shown to a model. Default: `local`.
    pub tenant: Option<String>,
    /// Key that assigns the session to variants of skills in experiments; equal keys get equal variants. Default: a number of the
    /// session.
    pub assignment: Option<String>,
    /// Folder for artifacts and the journal. It is created if missing. It must not be a link; name the target of the link
    /// instead. `None` keeps both in memory.
    pub folder: Option<PathBuf>,
    /// `true` if the folder is created with the first file instead of at once, so that a session that delivers nothing leaves
    /// nothing. The journal up to then is written at that time. Default: `false`.
    pub opens_folder_later: bool,
    /// Wall clock for all calls of the session, from its opening. A call that exceeds it ends with
    /// [`Resource::SessionTime`](mitt_base::Resource::SessionTime), and no attempt begins after it. Default: none.
    pub time: Option<Duration>,
    /// Receives every step, from any thread. [`CallOptions::events`](super::CallOptions::events) receives those of one call.
    pub events: Option<EventSink>,
    /// Decides about calls of tools that are marked `destructive`. Default: none; scripts pause before such calls, and calls by a
    /// model or a user are made.
    pub approver: Option<Arc<dyn Approver>>,
    /// `true` if Word files and workbooks are kept in addition to their documents, at most 32 MiB each, so that tools can fill
    /// them as templates. They are charged separately; a file is not kept if there is no memory for it. Default: `false`.
    pub keeps_sources: bool,
    /// Value that an embedder's capabilities find as [`CallContext::extension`](crate::CallContext::extension) in calls of the
    /// session. Default: none.
    pub extension: Option<Arc<dyn Any + Send + Sync>>,
    /// How fields of CSV files are handled that a spreadsheet would calculate. Default: the setting of the
    /// [host](crate::HostBuilder::csv_formulas).
    pub csv_formulas: Option<Formulas>,
}

/// Handle of a session. It is cheap to clone; clones refer to the same session.
#[derive(Clone)]
pub struct Session {
    pub(super) inner: Arc<Inner>,
    /// View of an agent; `None` for the session itself.
    pub(super) agent_view: Option<Arc<AgentView>>,
}

/// State that the clones of a session share.
pub(super) struct Inner {
    pub(super) host: Host,
    pub(super) tenant: String,
    /// Number of the session, unique in the host.
    pub(super) number: u64,
    pub(super) extension: Option<Arc<dyn Any + Send + Sync>>,
    pub(super) csv_formulas: Formulas,
    pub(super) assignment: String,
    /// The skills that the session sees, as of its last look.
    pub(super) view: ArcSwap<Registry>,
    pub(super) budget: SessionBudget,
    pub(super) documents: Documents,
    pub(super) pictures: PictureStore,
    pub(super) results: Results,
    pub(super) values: Values,
    pub(super) workspace: Mutex<Workspace>,
    pub(super) handles: HandleTable,
    pub(super) artifacts: Artifacts,
    pub(super) journal: Journal,
    pub(super) events: Option<EventSink>,
    /// Handle of the session in the scheduler of guests.
    pub(super) scheduler: Arc<SchedulerHandle>,
    pub(super) deadline: Option<Deadline>,
    // Random source for delays.
    pub(super) random: Mutex<StdRng>,
    pub(super) approver: Option<Arc<dyn Approver>>,
    /// Number of calls that have begun.
    pub(super) calls: AtomicU64,
    /// Number of agents created.
    pub(super) agents: AtomicU64,
    pub(super) pending: PendingCalls,
    pub(super) kept: KeptInstances,
    /// Helpers that scripts have used: component of the engine, skill, hash.
    pub(super) helpers: Mutex<BTreeSet<(String, String, String)>>,
}

impl Host {
    /// Opens a session.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - its folder cannot be created or written to.
    pub fn session(&self, options: SessionOptions) -> Result<Session> {
        let limits = self.session_limits();
        let now = options.folder.as_deref().filter(|_| !options.opens_folder_later);
        let folder = now.map(folder::open).transpose()?;
        let tenant = options.tenant.unwrap_or_else(|| DEFAULT_TENANT.into());
        let budget = SessionBudget::new(self.budget_of(&tenant), self.memory_limits());
        let account = &budget.account;
        let journal_options = JournalOptions {
            file_bytes: limits.journal_bytes,
            full_texts: self.has_full_journals(),
            key: self.environment().secret()?,
        };
        let journal = Journal::open(folder.as_deref(), journal_options, account)?;
        // Must be the first entry, which identifies a journal.
        journal.opened(&tenant, self.environment().now());
        let own = recovery::recover(
            folder.as_deref(),
            &journal,
            limits.artifact_bytes,
            self.environment().now(),
        );
        let artifacts = Artifacts::open(folder, own, limits, account);
        if let Some(path) = options.folder.filter(|_| options.opens_folder_later) {
            artifacts.opens_later(path);
        }
        let number = self.next_session();
        let assignment = options.assignment.unwrap_or_else(|| number.to_string());
        let documents = Documents::new(limits, account, options.keeps_sources);
        let inner = Inner {
            host: self.clone(),
            scheduler: self.engine().scheduler().register(&tenant),
            view: ArcSwap::from_pointee(self.view(&tenant, &assignment)),
            tenant,
            number,
            extension: options.extension,
            csv_formulas: options.csv_formulas.unwrap_or(self.csv_formulas()),
            assignment,
            pictures: PictureStore::new(documents.account()),
            documents,
            results: Results::default(),
            values: Values::default(),
            workspace: Mutex::new(Workspace::new(
                limits.workspace_bytes,
                limits.workspace_files,
                account.clone(),
            )),
            handles: HandleTable::new(limits.handles),
            artifacts,
            journal,
            events: options.events,
            deadline: options.time.map(Deadline::after),
            random: Mutex::new(self.environment().random()),
            approver: options.approver,
            calls: AtomicU64::new(0),
            agents: AtomicU64::new(0),
            pending: PendingCalls::default(),
            kept: KeptInstances::default(),
            helpers: Mutex::default(),
            budget,
        };
        Ok(Session { inner: Arc::new(inner), agent_view: None })
    }
}

impl Session {
    /// Returns the host of the session.
    pub fn host(&self) -> &Host {
        &self.inner.host
    }

    /// Returns the tenant that owns the session.
    pub fn tenant(&self) -> &str {
        &self.inner.tenant
    }

    /// Returns the skills that the session sees now: those of the host, with the overlays of its tenant. The returned snapshot
    /// does not change.
    pub fn registry(&self) -> Registry {
        self.inner.registry_for(self.agent_view.as_deref())
    }

    /// Returns the documents, in the order in which they were added.
    pub fn documents(&self) -> Vec<Arc<Document>> {
        self.inner.documents()
    }

    /// Returns the delivered files, in the order of their first delivery.
    pub fn artifacts(&self) -> Vec<Artifact> {
        self.inner.artifacts.list()
    }

    /// Returns the content of an artifact.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - there is no artifact of this name.
    /// [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - its file was removed or cannot be read.
    pub fn artifact_content(&self, name: &str) -> Result<Vec<u8>> {
        self.inner.artifacts.content(name)
    }

    /// Returns the folder of the artifacts; `None` if they are in memory.
    pub fn folder(&self) -> Option<&Path> {
        self.inner.artifacts.folder()
    }

    /// Returns the journal so far: a JSON object for each entry, in order.
    pub fn journal(&self) -> Vec<serde_json::Value> {
        self.inner.journal.entries()
    }

    /// Returns whether the session has no documents after the first `given` ones, and holds nothing that a caller could return
    /// for.
    pub fn is_blank(&self, given: usize) -> bool {
        let inner = &self.inner;
        inner.documents.count() <= given
            && inner.artifacts.list().is_empty()
            && inner.workspace(|workspace| workspace.list().is_empty())
            && inner.kept.is_empty()
            && self.handles().is_empty()
            && self.pending().is_empty()
    }

    /// Adds a journal entry for a step of the session's owner, such as a model's turn.
    pub fn note(&self, kind: &str, mut details: serde_json::Value) {
        if let (Some(agent), Some(details)) = (self.agent(), details.as_object_mut()) {
            details.insert("agent".to_owned(), agent.into());
        }
        self.inner.journal.note(kind, details, self.inner.host.environment().now());
    }

    /// Returns the host memory that the session and its running calls hold now, and the most that they ever held.
    pub fn memory(&self) -> MemoryUsage {
        self.inner.budget.account.usage()
    }

    /// Makes `next` the number of the next call, unless a higher one was used, so that results of earlier sessions keep their
    /// names.
    pub fn number_calls_from(&self, next: u64) {
        self.inner.calls.fetch_max(next.saturating_sub(1), Ordering::Relaxed);
    }

    /// Sends an event to the listeners of the session.
    pub fn emit(&self, event: &Event) {
        self.inner.emit(&self.tagged(event));
    }
}

impl Inner {
    /// Returns the skills that an agent of the session sees now.
    pub(super) fn registry_for(&self, agent_view: Option<&AgentView>) -> Registry {
        let whole = self.registry();
        match agent_view {
            Some(view) => view.registry(whole),
            None => whole,
        }
    }

    pub(super) fn registry(&self) -> Registry {
        let view = Registry::clone(&self.view.load());
        if view.generation() == self.host.generation() {
            return view;
        }
        let view = self.host.view(&self.tenant, &self.assignment);
        self.view.store(Arc::new(view.clone()));
        view
    }

    pub(super) fn documents(&self) -> Vec<Arc<Document>> {
        self.documents.list()
    }

    pub(super) fn workspace<R>(&self, f: impl FnOnce(&mut Workspace) -> R) -> R {
        f(&mut lock(&self.workspace))
    }

    /// Returns whether the helpers of a skill are used for the first time. If very many versions were used, the record starts
    /// anew.
    pub(super) fn is_first_use(&self, key: (String, String, String)) -> bool {
        let mut helpers = lock(&self.helpers);
        if helpers.len() >= MAX_HELPERS_KNOWN && !helpers.contains(&key) {
            helpers.clear();
        }
        helpers.insert(key)
    }

    /// Opens the folder if it was left for the first file to open.
    ///
    /// # Errors
    ///
    /// Those of [`Host::session`].
    pub(super) fn open_folder(&self) -> Result<()> {
        self.artifacts.open_now(|path| {
            let folder = folder::open(path)?;
            self.journal.write_to(&folder)?;
            let (most, now) =
                (self.host.session_limits().artifact_bytes, self.host.environment().now());
            let own = recovery::recover(Some(&folder), &self.journal, most, now);
            Ok((folder, own))
        })
    }

    /// Returns the id of a call that begins now, inside of `parent`.
    pub(super) fn next_call(&self, parent: Option<u64>) -> CallId {
        CallId { number: self.calls.fetch_add(1, Ordering::Relaxed) + 1, parent }
    }

    /// Returns 64 random bits.
    pub(super) fn random(&self) -> u64 {
        lock(&self.random).next_u64()
    }

    pub(super) fn emit(&self, event: &Event) {
        if let Some(events) = &self.events {
            events(event);
        }
    }
}
