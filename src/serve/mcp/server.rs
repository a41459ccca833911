//! What all clients of a process share: the host, the options, the sessions, and the shutdown.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use rmcp::model::{Extensions, RequestStateCodec, ServerConfig};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::catalogue::Catalogue;
use super::client::ClientSession;
use super::connection::Handler;
use super::documents::AddDocument;
use super::guard::Connection;
use super::places::{Full, Place, Places, Quotas};
use super::shared::{Cell, SharedSessions};
use super::{Observer, about, stdio};
use mitt::Host;
use mitt::skill::Registry;
use mitt_base::{Error, ErrorKind, Result};

/// Most sessions at once.
const MAX_SESSIONS: usize = 256;
/// Most sessions of one tenant.
const MAX_SESSIONS_OF_TENANT: usize = 128;
/// Most sessions of one client.
const MAX_SESSIONS_OF_CLIENT: usize = 64;
/// After how long a session that nobody uses is dropped.
const IDLE: Duration = Duration::from_secs(30 * 60);
/// Most catalogues that are remembered for tenants whose skills are the same.
const CATALOGUES: usize = 32;
/// Most catalogues of the present skills that are kept for requests that have no session.
const RECENT: usize = 8;

/// Finds the text of a call's arguments as it was sent. See [`ServerOptions::raw_arguments`].
pub type RawArguments = fn(&Extensions) -> Option<Arc<str>>;

/// How a [`Server`] works. The default: no documents, no folders, everything in memory.
#[derive(Clone)]
pub struct ServerOptions {
    /// Files that every session has as documents from its beginning. Default none.
    pub documents: Vec<PathBuf>,
    /// Folders below which clients may name files to be read as documents. Default none: clients send contents.
    pub folders: Vec<PathBuf>,
    /// Where artifacts and the journal are written. For a server of one client only. Default none: in memory.
    pub folder: Option<PathBuf>,
    /// Most sessions at once. Default 256. One more is refused as busy; no client's sessions make room for another's. A
    /// tenant with more than eight has at most as many as are free, so that a tenant without any finds a place.
    pub max_sessions: usize,
    /// Most sessions of one tenant, of all its clients together. Default 128.
    pub max_sessions_per_tenant: usize,
    /// Most sessions of one client that has an id. Default 64. For one more, that of its own which it used longest ago makes
    /// room, if it is idle and a request without a connection opened it; otherwise it is refused as busy.
    pub max_sessions_per_client: usize,
    /// After how long a session that requests without a connection share is dropped when nobody uses it. Default 30 min.
    pub idle: Duration,
    /// Told of every call that ended. Default none.
    pub observer: Option<Observer>,
    /// Finds the text of a call's arguments, if the transport kept it: numbers keep all their digits then, and keys that
    /// stand there twice are refused. Default none: they are taken as rmcp read them.
    pub raw_arguments: Option<RawArguments>,
}

impl Default for ServerOptions {
    fn default() -> ServerOptions {
        ServerOptions {
            documents: Vec::new(),
            folders: Vec::new(),
            folder: None,
            max_sessions: MAX_SESSIONS,
            max_sessions_per_tenant: MAX_SESSIONS_OF_TENANT,
            max_sessions_per_client: MAX_SESSIONS_OF_CLIENT,
            idle: IDLE,
            observer: None,
            raw_arguments: None,
        }
    }
}

impl fmt::Debug for ServerOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerOptions")
            .field("documents", &self.documents)
            .field("folders", &self.folders)
            .field("folder", &self.folder)
            .field("max_sessions", &self.max_sessions)
            .field("max_sessions_per_tenant", &self.max_sessions_per_tenant)
            .field("max_sessions_per_client", &self.max_sessions_per_client)
            .field("idle", &self.idle)
            .finish_non_exhaustive()
    }
}

/// Who is on the other side, as the transport knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Client {
    /// Whose skills and places for calls it uses. Default `local`.
    pub tenant: Option<String>,
    /// Who it is, such as the id of a token; never the token. Requests of 2026-07-28 by the same client share one session.
    /// Default none: the connection is the client.
    pub id: Option<String>,
}

/// A request that opens a session, or waits for another one that does. However it ends, by an error, a panic or because nobody
/// wants it any more, a cell in which nothing was opened is left in the table only for others who still wait for it.
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

/// What is going on now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Sessions that are open.
    pub sessions: usize,
    /// Calls that run or wait, those of tasks included.
    pub calls: usize,
}

/// A server of the Model Context Protocol. A cheap handle; clones are the same server.
#[derive(Clone)]
pub struct Server {
    inner: Arc<Inner>,
}

struct Inner {
    host: Host,
    options: ServerOptions,
    /// Of the sets of skills that sessions see.
    catalogues: Mutex<Vec<Weak<Catalogue>>>,
    /// Those of the present generation that were asked for last, with it.
    recent: Mutex<Vec<(u64, Arc<Catalogue>)>>,
    shared: Mutex<SharedSessions>,
    /// What it says of itself, with the generation of the skills that it speaks of.
    about: ArcSwapOption<(u64, ServerConfig)>,
    places: Arc<Places>,
    calls: TaskTracker,
    /// Cancelled when the shutdown begins: new calls are refused from then on.
    closing: CancellationToken,
    /// Cancelled at the end of the shutdown: running calls are cancelled too.
    closed: CancellationToken,
    codec: RequestStateCodec,
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
    /// A server of the skills of `host`, and of `documents__add`: [`Server::host`] has this tool, `host` itself does not get it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - `host` has a tool of its own that is called `documents__add`;
    /// [`ErrorKind::Host`] - the system has no random numbers, which approvals are sealed with.
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
        let inner = Inner {
            host: host.with_tool(AddDocument::new(options.folders.clone(), most)?)?,
            options,
            catalogues: Mutex::default(),
            recent: Mutex::default(),
            shared: Mutex::default(),
            about: ArcSwapOption::empty(),
            places: Arc::new(Places::new(quotas)),
            calls: TaskTracker::new(),
            closing: CancellationToken::new(),
            closed: CancellationToken::new(),
            codec,
        };
        Ok(Server { inner: Arc::new(inner) })
    }

    /// The host whose skills it serves.
    pub fn host(&self) -> &Host {
        &self.inner.host
    }

    /// How it works.
    pub fn options(&self) -> &ServerOptions {
        &self.inner.options
    }

    /// What answers one connection or, in 2026-07-28, one request. Cheap: a session is opened when the first request needs it.
    pub fn connection(&self, client: Client) -> Connection {
        Connection(Handler::new(self.clone(), client))
    }

    /// Serve one client over standard input and output, until it closes its side or `stop` is cancelled.
    ///
    /// # Errors
    ///
    /// As [`Host::session`], and of documents that cannot be read.
    pub async fn serve_stdio(&self, client: Client, stop: CancellationToken) -> Result<()> {
        // Boxed, or the futures of whoever serves would be too deep for the compiler.
        Box::pin(stdio::serve(self, client, stop)).await
    }

    /// As [`Server::serve_stdio`], over any pair of streams, such as those of a socket.
    ///
    /// # Errors
    ///
    /// As [`Server::serve_stdio`].
    pub async fn serve_over(
        &self,
        client: Client,
        stop: CancellationToken,
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Result<()> {
        Box::pin(stdio::serve_over(self, client, stop, input, output)).await
    }

    /// Load all tools of the default tenant, so that the first client does not wait for it.
    pub async fn prepare(&self) {
        Box::pin(self.catalogue(self.host().registry())).await;
    }

    /// From now on guests leave one of the executor's threads to the protocol: however busy they are, clients are answered.
    pub(crate) fn yield_to_protocol(&self) {
        let workers = tokio::runtime::Handle::current().metrics().num_workers();
        self.host().engine().leave_one_of(workers);
    }

    /// What is going on now.
    pub fn counts(&self) -> Counts {
        Counts { sessions: self.inner.places.len(), calls: self.inner.calls.len() }
    }

    /// End the sessions that requests of this client share, and their calls: its token was revoked.
    pub fn forget(&self, client: &Client) {
        let sessions = self.shared().forget(client);
        sessions.iter().filter_map(|cell| cell.get()).for_each(|session| session.end());
    }

    /// Whether new calls are refused, because the server is about to end.
    pub fn is_closing(&self) -> bool {
        self.inner.closing.is_cancelled()
    }

    /// Refuse new calls, wait at most `grace` for those that run, cancel the others, and forget all sessions.
    pub async fn close(&self, grace: Duration) {
        self.inner.closing.cancel();
        self.inner.calls.close();
        if tokio::time::timeout(grace, self.inner.calls.wait()).await.is_err() {
            tracing::warn!(calls = self.inner.calls.len(), "cancelling calls that still run");
        }
        self.inner.closed.cancel();
        // A cancelled call ends with the next step of its future.
        let _ = tokio::time::timeout(Duration::from_secs(1), self.inner.calls.wait()).await;
        let sessions = self.shared().take_all();
        sessions.iter().filter_map(|cell| cell.get()).for_each(|session| session.end());
    }

    /// What it says of itself.
    pub(super) fn about(&self) -> ServerConfig {
        let registry = self.host().registry();
        if let Some(about) = self.inner.about.load().as_ref()
            && about.0 == registry.generation()
        {
            return about.1.clone();
        }
        let config = about::config(&registry);
        self.inner.about.store(Some(Arc::new((registry.generation(), config.clone()))));
        config
    }

    pub(super) fn calls(&self) -> &TaskTracker {
        &self.inner.calls
    }

    pub(super) fn closed(&self) -> &CancellationToken {
        &self.inner.closed
    }

    pub(super) fn codec(&self) -> &RequestStateCodec {
        &self.inner.codec
    }

    fn shared(&self) -> std::sync::MutexGuard<'_, SharedSessions> {
        self.inner.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session that the requests of `client` under this name share, opened if it is not there.
    ///
    /// # Errors
    ///
    /// As [`Server::place`] and [`Host::session`]; and that the last one under this name has ended, once.
    pub(super) async fn shared_session(
        &self,
        client: &Client,
        name: &str,
    ) -> Result<Arc<ClientSession>> {
        let cell = {
            let now = Instant::now();
            let swept = self.shared().sweep(now, self.inner.options.idle);
            // Outside of the lock: a session takes a while to end.
            drop(swept);
            let mut shared = self.shared();
            match shared.find(client, name, now) {
                Some(cell) => cell,
                None => match shared.told_of_end(client, name) {
                    Some(end) => return Err(end.told(name)),
                    None => shared.add(client, name, now),
                },
            }
        };
        let opening = Opening { server: self, client, name, cell };
        // Seldom, and large: what waits for it is a part of every request.
        let open = || Box::pin(ClientSession::open(self, client));
        opening.cell.get_or_try_init(open).await.cloned()
    }

    /// The session that the requests of `client` under this name share, for a request that only looks: what is not there is
    /// not opened for it, and the answer is as of an empty one.
    ///
    /// # Errors
    ///
    /// As [`Host::session`]; and that the last one under this name has ended, once, if `is_told`.
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
                return Err(end.told(name));
            }
            is_known
        };
        match is_known {
            false if !has_documents => ClientSession::passing(self, client),
            // One that is being opened in this moment, too.
            _ => self.shared_session(client, name).await,
        }
    }

    /// A place for one more session of `client`. If need be, one of its own that is idle makes room.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`] - all are in use, and none of its own is idle.
    pub(super) fn place(&self, client: &Client) -> Result<Place> {
        loop {
            let full: Full = match self.inner.places.take(client) {
                Ok(place) => return Ok(place),
                Err(full) => full,
            };
            let Some(ended) = self.shared().make_room(client) else { return Err(full.refused()) };
            // Its place is free as soon as it is dropped, which may open it to another one first.
            drop(ended);
        }
    }

    /// What the skills of `registry` offer. Sessions that see the same skills share one.
    pub(super) async fn catalogue(&self, registry: Registry) -> Arc<Catalogue> {
        let known = {
            let mut known = self.catalogues();
            known.retain(|one| one.strong_count() > 0);
            known.iter().filter_map(Weak::upgrade).find(|one| one.is_of(&registry))
        };
        let generation = registry.generation();
        if let Some(known) = known {
            self.keep(generation, &known);
            return known;
        }
        // Seldom, and large.
        let made = Box::pin(Catalogue::new(registry)).await;
        let made = Arc::new(made);
        let mut known = self.catalogues();
        if known.len() >= CATALOGUES {
            known.remove(0);
        }
        known.push(Arc::downgrade(&made));
        drop(known);
        self.keep(generation, &made);
        made
    }

    /// Keep a catalogue for requests that have no session, as long as its skills are the present ones.
    fn keep(&self, generation: u64, catalogue: &Arc<Catalogue>) {
        let present = self.host().registry().generation();
        let mut recent = self.inner.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.retain(|(of, _)| *of == present);
        if generation == present && !recent.iter().any(|(_, it)| Arc::ptr_eq(it, catalogue)) {
            if recent.len() >= RECENT {
                recent.remove(0);
            }
            recent.push((generation, catalogue.clone()));
        }
    }

    fn catalogues(&self) -> std::sync::MutexGuard<'_, Vec<Weak<Catalogue>>> {
        self.inner.catalogues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
