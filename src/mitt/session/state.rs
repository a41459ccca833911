//! What a session holds, how it is opened, and what it tells of itself.
//!
//! Knows each part of it: documents, workspace, artifacts, journal, handles. What is done with them, calls above all, is in the
//! files beside this one, each of which adds its methods.

use std::any::Any;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arc_swap::ArcSwap;
use rand::Rng as _;
use rand::rngs::StdRng;

use super::approval::Approver;
use super::artifacts::Artifacts;
use super::attempts::Deadline;
use super::call_id::CallId;
use super::documents::Documents;
use super::event::{Event, EventSink};
use super::given_pictures::GivenPictures;
use super::handles::HandleTable;
use super::host::{Host, SessionBudget};
use super::journal::{Journal, JournalOptions};
use super::narrowed::Narrowed;
use super::pending::PendingCalls;
use super::results::Results;
use super::script::KeptInstances;
use super::values::Values;
use super::workspace::Workspace;
use super::{folder, recovery};
use crate::capability::Artifact;
use crate::document::Document;
use crate::engine::Member;
use crate::skill::Registry;
use mitt_base::Result;
use mitt_base::formulas::Formulas;
use mitt_base::lock;
use mitt_base::memory::MemoryUsage;

/// Versions of helpers whose use is remembered.
const MAX_HELPERS_KNOWN: usize = 1_024;

/// The tenant of a session for which no tenant was named.
pub const DEFAULT_TENANT: &str = "local";

/// How a [`Session`] is opened.
#[derive(Clone, Default)]
pub struct SessionOptions {
    /// Whose session it is. Written to the journal, never shown to a model. Default `local`.
    pub tenant: Option<String>,
    /// Decides which versions of skills the session has in experiments; the same one always decides the same. Default a
    /// number of the session.
    pub assignment: Option<String>,
    /// Where artifacts and the journal are written; it is made where it is missing, and must not be a link: of one, give the
    /// folder that it leads to. None keeps both in memory.
    pub folder: Option<PathBuf>,
    /// Makes the folder with the first file, instead of when the session is opened: a session that delivers nothing leaves nothing. The
    /// journal of the time before is written then. Default no.
    pub opens_folder_later: bool,
    /// Wall clock of all its calls, from its opening: a call that would go on longer is ended with
    /// [`Resource::SessionTime`](mitt_base::Resource::SessionTime), and no attempt is made that could not begin in time.
    /// Default none.
    pub time: Option<Duration>,
    /// Told of every step, from whichever thread takes it. [`CallOptions::events`](super::CallOptions::events) is told of those
    /// of one call.
    pub events: Option<EventSink>,
    /// Decides about calls of tools that are marked `destructive`. Default none: scripts pause before them, and calls by a
    /// model or a user are made.
    pub approver: Option<Arc<dyn Approver>>,
    /// Keep the Word files and workbooks that documents are read from, at most 32 MiB each, so that tools can fill them as
    /// templates. They are charged beside the documents; where there is no room, one is not kept. Default no.
    pub keeps_sources: bool,
    /// What capabilities of an embedder find as [`CallContext::extension`](crate::CallContext::extension) in its calls. Default
    /// none.
    pub extension: Option<Arc<dyn Any + Send + Sync>>,
    /// What is done with texts of CSV files that a spreadsheet would calculate. Default none: what the
    /// [host](crate::HostBuilder::csv_formulas) says.
    pub csv_formulas: Option<Formulas>,
}

/// A session. A cheap handle; clones are the same session.
#[derive(Clone)]
pub struct Session {
    pub(super) inner: Arc<Inner>,
    /// What of it one of its agents has; none is the session itself.
    pub(super) narrowed: Option<Arc<Narrowed>>,
}

/// What the clones of a session share.
pub(super) struct Inner {
    pub(super) host: Host,
    pub(super) tenant: String,
    /// No other session of the host has it.
    pub(super) number: u64,
    pub(super) extension: Option<Arc<dyn Any + Send + Sync>>,
    pub(super) csv_formulas: Formulas,
    pub(super) assignment: String,
    /// The skills that it sees, of the generation that it saw last.
    pub(super) view: ArcSwap<Registry>,
    pub(super) budget: SessionBudget,
    pub(super) documents: Documents,
    pub(super) pictures: GivenPictures,
    pub(super) results: Results,
    pub(super) values: Values,
    pub(super) workspace: Mutex<Workspace>,
    pub(super) handles: HandleTable,
    pub(super) artifacts: Artifacts,
    pub(super) journal: Journal,
    pub(super) events: Option<EventSink>,
    /// For whom its guests compute.
    pub(super) member: Arc<Member>,
    pub(super) deadline: Option<Deadline>,
    // Parts of delays.
    pub(super) random: Mutex<StdRng>,
    pub(super) approver: Option<Arc<dyn Approver>>,
    /// How many calls began.
    pub(super) calls: AtomicU64,
    /// How many agents it had.
    pub(super) agents: AtomicU64,
    pub(super) pending: PendingCalls,
    pub(super) kept: KeptInstances,
    /// Helpers that scripts have used: component of the engine, skill, hash.
    pub(super) helpers: Mutex<BTreeSet<(String, String, String)>>,
}

impl Host {
    /// Open a session.
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
        // First of all: a journal is known by its first line.
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
            member: self.engine().turns().member(&tenant),
            view: ArcSwap::from_pointee(self.view(&tenant, &assignment)),
            tenant,
            number,
            extension: options.extension,
            csv_formulas: options.csv_formulas.unwrap_or(self.csv_formulas()),
            assignment,
            pictures: GivenPictures::new(documents.account()),
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
        Ok(Session { inner: Arc::new(inner), narrowed: None })
    }
}

impl Session {
    /// The host that it was opened on.
    pub fn host(&self) -> &Host {
        &self.inner.host
    }

    /// Whose session it is.
    pub fn tenant(&self) -> &str {
        &self.inner.tenant
    }

    /// The skills that it sees now: the host's, under the overlays of its tenant. Whoever holds the answer keeps this
    /// generation.
    pub fn registry(&self) -> Registry {
        self.inner.registry_for(self.narrowed.as_deref())
    }

    /// Its documents, in the order in which they were given.
    pub fn documents(&self) -> Vec<Arc<Document>> {
        self.inner.documents()
    }

    /// The files that were delivered, in the order of their first delivery.
    pub fn artifacts(&self) -> Vec<Artifact> {
        self.inner.artifacts.list()
    }

    /// The content of an artifact.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - there is no artifact of this name.
    /// [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - its file was removed or cannot be read.
    pub fn artifact_content(&self, name: &str) -> Result<Vec<u8>> {
        self.inner.artifacts.content(name)
    }

    /// Where artifacts are written, if not in memory.
    pub fn folder(&self) -> Option<&Path> {
        self.inner.artifacts.folder()
    }

    /// The journal so far: a JSON object for each step, in order.
    pub fn journal(&self) -> Vec<serde_json::Value> {
        self.inner.journal.entries()
    }

    /// Whether it has no documents but the first `given`, and nothing was made in it that somebody could come back for.
    pub fn is_blank(&self, given: usize) -> bool {
        let inner = &self.inner;
        inner.documents.count() <= given
            && inner.artifacts.list().is_empty()
            && inner.workspace(|workspace| workspace.list().is_empty())
            && inner.kept.is_empty()
            && self.handles().is_empty()
            && self.pending().is_empty()
    }

    /// Note a step of whoever drives the session, such as a model's turn.
    pub fn note(&self, kind: &str, mut details: serde_json::Value) {
        if let (Some(agent), Some(details)) = (self.agent(), details.as_object_mut()) {
            details.insert("agent".to_owned(), agent.into());
        }
        self.inner.journal.note(kind, details, self.inner.host.environment().now());
    }

    /// What it holds on the host's side now, its running calls included, and the most that it held at any time.
    pub fn memory(&self) -> MemoryUsage {
        self.inner.budget.account.usage()
    }

    /// Give the next call this number, if none as high was given yet, so that no result of an earlier session is named by it.
    pub fn number_calls_from(&self, next: u64) {
        self.inner.calls.fetch_max(next.saturating_sub(1), Ordering::Relaxed);
    }

    /// Tell whoever listens of a step.
    pub fn emit(&self, event: &Event) {
        self.inner.emit(&self.tagged(event));
    }
}

impl Inner {
    /// The skills that an agent of the session sees now.
    pub(super) fn registry_for(&self, narrowed: Option<&Narrowed>) -> Registry {
        let whole = self.registry();
        match narrowed {
            Some(narrowed) => narrowed.registry(whole),
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

    /// Whether the helpers of a skill are used for the first time. Of a session that sees very many versions, the first are
    /// forgotten.
    pub(super) fn is_first_use(&self, key: (String, String, String)) -> bool {
        let mut helpers = lock(&self.helpers);
        if helpers.len() >= MAX_HELPERS_KNOWN && !helpers.contains(&key) {
            helpers.clear();
        }
        helpers.insert(key)
    }

    /// Opens the folder for files, if that waits for the first one.
    ///
    /// # Errors
    ///
    /// Same as [`Host::session`].
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

    /// The id of a call that begins now, inside of `parent`.
    pub(super) fn next_call(&self, parent: Option<u64>) -> CallId {
        CallId { number: self.calls.fetch_add(1, Ordering::Relaxed) + 1, parent }
    }

    /// 64 random bits.
    pub(super) fn random(&self) -> u64 {
        lock(&self.random).next_u64()
    }

    pub(super) fn emit(&self, event: &Event) {
        if let Some(events) = &self.events {
            events(event);
        }
    }
}
