//! State shared by all clients of a process: the host, the options, the sessions, and the shutdown.
//!
//! Does not know how clients are connected: `guard.rs` and `stdio.rs` add the methods of [`Server`] that open a connection.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use rmcp::model::{RequestStateCodec, ServerConfig};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::about;
use super::catalogues::Catalogues;
use super::client::ClientSession;
use super::documents::{AddDocument, ListDocuments, Reach};
use super::folders::Folders;
use super::links::{self, Links};
use super::options::{Client, ServerOptions};
use super::session_slots::{Quotas, SessionSlot, SessionSlots, SlotsFull};
use super::shared::{Cell, SharedSessions};
use crate::preview::Previews;
use mitt::Host;
use mitt::internal::DEFAULT_TENANT;
use mitt::value::Json;
use mitt_base::{Error, ErrorKind, Result, lock};

/// A request that opens a session, or waits for another one that does. If it ends without a session, by an error, a panic or
/// because it was dropped, the empty cell stays in the table only if others still wait for it.
struct Opening<'s> {
    server: &'s Server,
    client: &'s Client,
    name: &'s str,
    cell: Cell,
}

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        if self.cell.get().is_none() {
            let cell = std::mem::take(&mut self.cell);
            self.server.shared().give_up(self.client, self.name, cell);
        }
    }
}

/// Current numbers of sessions and calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Open sessions.
    pub sessions: usize,
    /// Calls that run or wait, including those of tasks.
    pub calls: usize,
}

/// A server of the Model Context Protocol. A cheap handle; clones refer to the same server.
#[derive(Clone)]
pub struct Server {
    inner: Arc<Inner>,
}

struct Inner {
    host: Host,
    options: ServerOptions,
    catalogues: Catalogues,
    shared: Mutex<SharedSessions>,
    /// How it introduces itself, with the generation of the skills that this describes.
    about: ArcSwapOption<(u64, ServerConfig)>,
    slots: Arc<SessionSlots>,
    calls: TaskTracker,
    /// Cancelled when the shutdown begins; from then on, new calls are refused.
    closing: CancellationToken,
    /// Cancelled at the end of the shutdown; running calls are then cancelled too.
    closed: CancellationToken,
    codec: RequestStateCodec,
    links: Arc<Links>,
    folders: Folders,
    /// What the viewer of MCP Apps shows.
    previews: Previews,
}

const _: () = {
    const fn assert_send_sync<T: Send + Sync>() {}
    assert_send_sync::<Server>();
};

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("options", &self.inner.options).finish_non_exhaustive()
    }
}

impl Server {
    /// Makes a server of the skills of `host`, with the tool `documents__add` and, if there are folders, `documents__list`.
    /// [`Server::host`] has these tools; `host` itself stays unchanged.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - `host` already has a tool with one of these names;
    /// [`ErrorKind::Host`] - the system has no random numbers, which are needed to seal approvals.
    pub fn new(host: Host, options: ServerOptions) -> Result<Server> {
        let mut key = [0_u8; 32];
        getrandom::fill(&mut key).map_err(|error| {
            Error::new(ErrorKind::Host, "the system has no random numbers").caused_by(error)
        })?;
        let codec = RequestStateCodec::try_new(key.to_vec()).map_err(Error::bug)?;
        let quotas = Quotas {
            all: options.max_sessions,
            per_tenant: options.max_sessions_per_tenant,
            per_client: options.max_sessions_per_client,
        };
        let most = host.session_limits().document_bytes;
        // Each tenant may have its own hosts; those of the default tenant are listed.
        let hosts = host.fetcher().map(|it| it.hosts(DEFAULT_TENANT)).unwrap_or_default();
        let folders = Folders::new(&options.folders, options.folder.as_deref());
        let reach = Reach { folders: folders.clone(), hosts };
        let mut host = host.with_tool(AddDocument::new(reach, most)?)?;
        if !folders.is_empty() {
            host = host.with_tool(ListDocuments::new(folders.clone())?)?;
        }
        let catalogues = Catalogues::new(host.clone(), options.tools, options.schemas);
        let links = Arc::new(Links::new(options.link_life)?);
        let shared = SharedSessions::remembering(options.max_sessions_per_client);
        let inner = Inner {
            previews: Previews::new(host.clone()),
            host,
            options,
            catalogues,
            links,
            folders,
            shared: Mutex::new(shared),
            about: ArcSwapOption::empty(),
            slots: Arc::new(SessionSlots::new(quotas)),
            calls: TaskTracker::new(),
            closing: CancellationToken::new(),
            closed: CancellationToken::new(),
            codec,
        };
        Ok(Server { inner: Arc::new(inner) })
    }

    pub(super) fn previews(&self) -> &Previews {
        &self.inner.previews
    }

    /// Returns the host whose skills it serves.
    pub fn host(&self) -> &Host {
        &self.inner.host
    }

    /// Returns the options.
    pub fn options(&self) -> &ServerOptions {
        &self.inner.options
    }

    /// Loads all tools of the default tenant, so that the first client does not wait for them.
    pub async fn prepare(&self) {
        Box::pin(self.catalogues().of(self.host().registry())).await;
    }

    /// Keeps one thread of the executor free of guests from now on: however busy they are, clients get answers.
    pub(crate) fn yield_to_protocol(&self) {
        let workers = tokio::runtime::Handle::current().metrics().num_workers();
        self.host().engine().leave_one_of(workers);
    }

    /// Returns the current numbers of sessions and calls.
    pub fn counts(&self) -> Counts {
        Counts { sessions: self.inner.slots.len(), calls: self.inner.calls.len() }
    }

    /// Ends the shared sessions of a client whose token was revoked, and their calls.
    pub fn forget(&self, client: &Client) {
        self.inner.links.forget(client);
        let sessions = self.shared().forget(client);
        sessions.iter().filter_map(|cell| cell.get()).for_each(|session| session.end());
    }

    /// Returns `true` if new calls are refused because the server is shutting down.
    pub fn is_closing(&self) -> bool {
        self.inner.closing.is_cancelled()
    }

    /// Refuses new calls, waits at most `grace` for running ones, cancels the others, and drops all sessions.
    pub async fn close(&self, grace: Duration) {
        self.inner.closing.cancel();
        self.inner.calls.close();
        if tokio::time::timeout(grace, self.inner.calls.wait()).await.is_err() {
            tracing::warn!(calls = self.inner.calls.len(), "cancelling calls that still run");
        }
        self.inner.closed.cancel();
        // A cancelled call ends at the next step of its future.
        let _ = tokio::time::timeout(Duration::from_secs(1), self.inner.calls.wait()).await;
        let sessions = self.shared().take_all();
        sessions.iter().filter_map(|cell| cell.get()).for_each(|session| session.end());
    }

    /// Returns how it introduces itself.
    pub(super) fn about(&self) -> ServerConfig {
        let registry = self.host().registry();
        if let Some(about) = self.inner.about.load().as_ref()
            && about.0 == registry.generation()
        {
            return about.1.clone();
        }
        let config = about::config(&registry, self.inner.options.tools, &self.inner.folders);
        self.inner.about.store(Some(Arc::new((registry.generation(), config.clone()))));
        config
    }

    pub(super) fn calls(&self) -> &TaskTracker {
        &self.inner.calls
    }

    pub(super) fn closed(&self) -> &CancellationToken {
        &self.inner.closed
    }

    /// Returns the links to files for browsers.
    pub(crate) fn links(&self) -> &Links {
        &self.inner.links
    }

    /// Returns the folders whose files are documents.
    pub(super) fn folders(&self) -> &Folders {
        &self.inner.folders
    }

    pub(super) fn codec(&self) -> &RequestStateCodec {
        &self.inner.codec
    }

    fn shared(&self) -> std::sync::MutexGuard<'_, SharedSessions> {
        lock(&self.inner.shared)
    }

    /// Returns the session that the requests of `client` under this name share, and opens it if it does not exist.
    ///
    /// # Errors
    ///
    /// Those of [`Server::open`]; and, once, that the previous session under this name has ended.
    pub(super) async fn shared_session(
        &self,
        client: &Client,
        name: &str,
    ) -> Result<Arc<ClientSession>> {
        let cell = {
            let now = Instant::now();
            let swept = self.shared().sweep(now, self.inner.options.idle);
            // Dropped outside of the lock, because a session takes a while to end.
            drop(swept);
            let mut shared = self.shared();
            match shared.find(client, name, now) {
                Some(cell) => cell,
                None => match shared.told_of_end(client, name) {
                    Some(end) => return Err(end.error(name)),
                    None => shared.add(client, name, now),
                },
            }
        };
        let opening = Opening { server: self, client, name, cell };
        // Boxed: it is rare and large, and a part of every request's future.
        let open = || Box::pin(self.open(client));
        opening.cell.get_or_try_init(open).await.cloned()
    }

    /// Returns the session that the requests of `client` under this name share, for a request that only looks: a missing
    /// session is not opened, and the answer is that of an empty one.
    ///
    /// # Errors
    ///
    /// Those of [`Host::session`]; and, once, that the previous session under this name has ended, if `is_told`.
    pub(super) async fn seen_session(
        &self,
        client: &Client,
        name: &str,
        is_told: bool,
    ) -> Result<Arc<ClientSession>> {
        let has_documents = !self.inner.options.documents.is_empty();
        let is_known = {
            let mut shared = self.shared();
            let is_known = shared.find(client, name, Instant::now()).is_some();
            if !is_known
                && is_told
                && let Some(end) = shared.told_of_end(client, name)
            {
                return Err(end.error(name));
            }
            is_known
        };
        // The session may also be opening at this moment.
        if is_known || has_documents {
            self.shared_session(client, name).await
        } else {
            ClientSession::passing(self.host(), client, self.closed().child_token())
        }
    }

    /// Adds a document to the session that the requests of `client` share. Returns the result of `documents__add`.
    ///
    /// # Errors
    ///
    /// Those of [`Server::shared_session`] and [`Session::add_document_bytes`](mitt::Session::add_document_bytes).
    #[cfg_attr(
        not(feature = "http"),
        allow(dead_code, reason = "documents are posted over HTTP alone")
    )]
    pub(crate) async fn add_document(
        &self,
        client: &Client,
        name: &str,
        content: Vec<u8>,
    ) -> Result<Json> {
        let client = self.shared_session(client, "").await?;
        links::add(&client, name, content).await
    }

    /// Opens a session for `client`, with the documents that every session has.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`] - there is no slot for it. Also those of [`Host::session`], and errors of documents that cannot
    /// be read.
    pub(super) async fn open(&self, client: &Client) -> Result<Arc<ClientSession>> {
        let slot = self.slot(client)?;
        let ended = self.closed().child_token();
        let links = self.inner.links.clone();
        ClientSession::open(self.host(), client, self.options(), (slot, links), ended).await
    }

    /// Takes a slot for one more session of `client`. If necessary, ends an idle session of the same client.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`] - other sessions use all slots, and the client has no idle session to replace.
    fn slot(&self, client: &Client) -> Result<SessionSlot> {
        loop {
            let full: SlotsFull = match self.inner.slots.take(client) {
                Ok(slot) => return Ok(slot),
                Err(full) => full,
            };
            let Some(ended) = self.shared().make_room(client) else { return Err(full.refused()) };
            // Dropping it frees its slot, which another client may take first.
            drop(ended);
        }
    }

    /// Returns the catalogues of skills, for all sessions.
    pub(super) fn catalogues(&self) -> &Catalogues {
        &self.inner.catalogues
    }
}
