//! Sessions: the unit of isolation, with its documents, workspace, artifacts and journal.
//!
//! Knows skills, capabilities and rendering. Does not know models or faces: whoever owns a session hands it documents
//! and calls, and hears of each step through [`Event`]s.

mod admission;
mod approval;
mod artifacts;
mod attempts;
mod call;
mod deliver;
mod event;
mod granted;
mod handles;
mod host;
mod journal;
mod kept;
mod modules;
#[cfg(feature = "script")]
mod run_script;
mod script;
mod services;
mod stage;
#[cfg(feature = "script")]
mod stubs;
mod tape;
mod tenants;
#[cfg(feature = "watch")]
mod watch;
#[cfg(feature = "wave")]
mod wave;
mod workspace;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use approval::PendingCalls;
use arc_swap::ArcSwap;
use artifacts::Artifacts;
use attempts::Deadline;
use handles::HandleTable;
use journal::Journal;
use kept::KeptInstances;
use rand::Rng as _;
use rand::rngs::StdRng;
use workspace::Workspace;

pub use crate::file_name::check_file_name;
pub use approval::{ApprovalRequest, Approver, Decision};
pub use attempts::Attempt;
pub use call::CallReport;
pub use event::{Event, EventSink};
pub use host::{Changes, Host, HostBuilder};
#[cfg(feature = "watch")]
pub use watch::Watch;

#[cfg(feature = "cli")]
pub(crate) use artifacts::write_whole;

use crate::Result;
use crate::capability::Artifact;
use crate::document::Document;
use crate::engine::Member;
use crate::skill::Registry;

/// Versions of helpers whose use is remembered.
const MAX_HELPERS_KNOWN: usize = 1_024;

/// How a [`Session`] is opened.
#[derive(Clone, Default)]
pub struct SessionOptions {
    /// Whose session it is. Written to the journal, never shown to a model. Default `local`.
    pub tenant: Option<String>,
    /// Decides which versions of skills the session has in experiments; the same one always decides the same. Default a
    /// number of the session.
    pub assignment: Option<String>,
    /// Where artifacts and the journal are written. None keeps both in memory.
    pub folder: Option<PathBuf>,
    /// Wall clock of all its calls, from its opening: a call that would go on longer is ended with
    /// [`Resource::SessionTime`](crate::Resource::SessionTime), and no attempt is made that could not begin in time.
    /// Default none.
    pub time: Option<Duration>,
    /// Told of every step, from whichever thread takes it.
    pub events: Option<EventSink>,
    /// Decides about calls of tools that are marked `destructive`. Default none: scripts pause before them, and calls by a
    /// model or a user are made.
    pub approver: Option<Arc<dyn Approver>>,
}

/// A session. A cheap handle; clones are the same session.
#[derive(Clone)]
pub struct Session {
    inner: Arc<Inner>,
}

struct Inner {
    host: Host,
    tenant: String,
    assignment: String,
    /// The skills that it sees, of the generation that it saw last.
    view: ArcSwap<Registry>,
    documents: RwLock<Vec<Arc<Document>>>,
    documents_bytes: AtomicU64,
    workspace: Mutex<Workspace>,
    handles: HandleTable,
    artifacts: Artifacts,
    journal: Journal,
    events: Option<EventSink>,
    /// For whom its guests compute.
    member: Arc<Member>,
    deadline: Option<Deadline>,
    // Parts of delays.
    random: Mutex<StdRng>,
    approver: Option<Arc<dyn Approver>>,
    pending: PendingCalls,
    kept: KeptInstances,
    /// Helpers that scripts have used: component of the engine, skill, hash.
    helpers: Mutex<BTreeSet<(String, String, String)>>,
}

impl Host {
    /// Open a session.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`](crate::ErrorKind::Host) - its folder cannot be created or written to.
    pub fn session(&self, options: SessionOptions) -> Result<Session> {
        let limits = self.session_limits();
        let journal = Journal::open(options.folder.as_deref())?;
        let artifacts =
            Artifacts::open(options.folder.as_deref(), journal.earlier_artifacts(), limits);
        let tenant = options.tenant.unwrap_or_else(|| "local".into());
        let assignment = options.assignment.unwrap_or_else(|| self.next_session().to_string());
        let inner = Inner {
            host: self.clone(),
            member: self.engine().turns().member(&tenant),
            view: ArcSwap::from_pointee(self.view(&tenant, &assignment)),
            tenant,
            assignment,
            documents: RwLock::default(),
            documents_bytes: AtomicU64::new(0),
            workspace: Mutex::new(Workspace::new(limits.workspace_bytes, limits.workspace_files)),
            handles: HandleTable::new(limits.handles),
            artifacts,
            journal,
            events: options.events,
            deadline: options.time.map(Deadline::after),
            random: Mutex::new(self.environment().random()),
            approver: options.approver,
            pending: PendingCalls::default(),
            kept: KeptInstances::default(),
            helpers: Mutex::default(),
        };
        let session = Session { inner: Arc::new(inner) };
        session.inner.journal.opened(&session.inner.tenant, self.environment().now());
        Ok(session)
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
        self.inner.registry()
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
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) - there is no artifact of this name.
    /// [`ErrorKind::Host`](crate::ErrorKind::Host) - its file was removed or cannot be read.
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
    #[cfg_attr(not(feature = "mcp"), allow(dead_code, reason = "only the server ends sessions"))]
    pub(crate) fn is_blank(&self, given: usize) -> bool {
        let inner = &self.inner;
        inner.documents.read().unwrap_or_else(PoisonError::into_inner).len() <= given
            && inner.artifacts.list().is_empty()
            && inner.workspace(|workspace| workspace.list().is_empty())
            && inner.kept.is_empty()
            && self.handles().is_empty()
            && self.pending().is_empty()
    }

    /// Note a step of whoever drives the session, such as a model's turn.
    pub fn note(&self, kind: &str, details: serde_json::Value) {
        self.inner.journal.note(kind, details, self.inner.host.environment().now());
    }

    /// Tell whoever listens of a step.
    pub fn emit(&self, event: &Event) {
        self.inner.emit(event);
    }
}

impl Inner {
    fn registry(&self) -> Registry {
        let view = Registry::clone(&self.view.load());
        if view.generation() == self.host.registry().generation() {
            return view;
        }
        let view = self.host.view(&self.tenant, &self.assignment);
        self.view.store(Arc::new(view.clone()));
        view
    }

    fn documents(&self) -> Vec<Arc<Document>> {
        self.documents.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn workspace<R>(&self, f: impl FnOnce(&mut Workspace) -> R) -> R {
        f(&mut self.workspace.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether the helpers of a skill are used for the first time. Of a session that sees very many versions, the first are
    /// forgotten.
    fn is_first_use(&self, key: (String, String, String)) -> bool {
        let mut helpers = self.helpers.lock().unwrap_or_else(PoisonError::into_inner);
        if helpers.len() >= MAX_HELPERS_KNOWN && !helpers.contains(&key) {
            helpers.clear();
        }
        helpers.insert(key)
    }

    /// 64 random bits.
    fn random(&self) -> u64 {
        self.random.lock().unwrap_or_else(PoisonError::into_inner).next_u64()
    }

    fn emit(&self, event: &Event) {
        if let Some(events) = &self.events {
            events(event);
        }
    }
}

#[cfg(feature = "ingest")]
mod ingest {
    use std::sync::atomic::Ordering;
    use std::time::Instant;

    use super::*;
    use crate::ingest::Readers;
    use crate::{Error, ErrorKind, Resource};

    impl Session {
        /// Read a file and add it to the documents.
        ///
        /// # Errors
        ///
        /// [`ErrorKind::Input`] - the file is missing, unreadable, damaged, encrypted or of an unsupported type.
        /// [`ErrorKind::Limit`] - it is too large, or its reader reached a limit.
        pub async fn add_document(&self, path: &Path) -> Result<Arc<Document>> {
            let limits = self.host().session_limits();
            let bytes = crate::ingest::read_file(path, limits.document_bytes)?;
            let name = path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default();
            self.add_document_bytes(&name, bytes).await.map_err(|error| error.at(path.display()))
        }

        /// Read a file that is in memory already and add it to the documents. A name that is taken gets a number.
        ///
        /// # Errors
        ///
        /// As [`Session::add_document`].
        pub async fn add_document_bytes(
            &self,
            name: &str,
            bytes: Vec<u8>,
        ) -> Result<Arc<Document>> {
            let added = self.inner.member.computing(Box::pin(self.add_bytes(name, bytes)));
            // Whatever a file does to those who look at it, its sender gets an answer.
            crate::panics::caught("reading the document", added).await?
        }

        async fn add_bytes(&self, name: &str, bytes: Vec<u8>) -> Result<Arc<Document>> {
            let limits = self.host().session_limits();
            let size = bytes.len() as u64;
            if size > limits.document_bytes {
                return Err(Error::limit(Resource::Document, limits.document_bytes, size));
            }
            let reserved =
                Reserved::new(&self.inner.documents_bytes, size, limits.documents_bytes)?;
            check_file_name(name).map_err(|problem| Error::new(ErrorKind::Input, problem))?;
            // Reading is work as a call is.
            let _place = self.host().admission().enter(&self.inner.tenant).await?;
            self.emit(&Event::DocumentStarted { name: name.to_owned(), size });
            let start = Instant::now();
            let host = self.host();
            let readers = Readers {
                registry: &self.registry(),
                environment: host.environment(),
                limits: &|limits| host.limits_of(limits),
            };
            let read = crate::ingest::read(&readers, name, bytes).await;
            let (mut document, usage) = read.inspect_err(|error| {
                self.inner.journal.document_failed(name, error, self.host().environment().now());
            })?;
            shorten(&mut document, limits.document_characters);
            let mut documents =
                self.inner.documents.write().unwrap_or_else(PoisonError::into_inner);
            document.name =
                unique(&document.name, |name| documents.iter().any(|other| other.name == name));
            let document = Arc::new(document);
            documents.push(document.clone());
            drop(documents);
            reserved.keep();
            self.inner.journal.document(&document, self.host().environment().now());
            self.emit(&Event::DocumentReady {
                document: document.clone(),
                usage,
                duration: start.elapsed(),
            });
            Ok(document)
        }
    }

    /// A part of what all documents may have, given back unless it is kept: what cannot be read takes no room.
    struct Reserved<'a> {
        taken: &'a AtomicU64,
        size: u64,
    }

    impl Reserved<'_> {
        fn new(taken: &AtomicU64, size: u64, most: u64) -> Result<Reserved<'_>> {
            let before = taken.fetch_add(size, Ordering::Relaxed);
            let reserved = Reserved { taken, size };
            let all = before.saturating_add(size);
            match all > most {
                true => Err(Error::limit(Resource::Documents, most, all)),
                false => Ok(reserved),
            }
        }

        fn keep(mut self) {
            self.size = 0;
        }
    }

    impl Drop for Reserved<'_> {
        fn drop(&mut self) {
            self.taken.fetch_sub(self.size, Ordering::Relaxed);
        }
    }

    /// Cut what is longer than a model is given, and say so. The tables stay whole: plugins compute with them.
    fn shorten(document: &mut Document, limit: u64) {
        if document.characters > limit {
            document.text = crate::text::truncate(&document.text, limit);
            document.warnings.push(format!(
                "only the first {limit} of {} characters of the text are kept",
                document.characters
            ));
            document.characters = document.text.chars().count() as u64;
        }
    }

    /// `report.xlsx`, `report (2).xlsx`, `report (3).xlsx` …
    fn unique(name: &str, taken: impl Fn(&str) -> bool) -> String {
        let (stem, extension) = match name.rfind('.') {
            Some(dot) if dot > 0 => name.split_at(dot),
            _ => (name, ""),
        };
        let numbered = (2..).map(|number| format!("{stem} ({number}){extension}"));
        std::iter::once(name.to_owned())
            .chain(numbered)
            .find(|name| !taken(name))
            .unwrap_or_default()
    }
}
