//! What all clients of a process share: the host, the options, the sessions, and the end of it all.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use rmcp::model::{Extensions, RequestStateCodec, ServerConfig};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::catalogue::Catalogue;
use super::client::ClientSession;
use super::connection::Connection;
use super::{Observer, about, stdio};
use crate::skill::Registry;
use crate::{Error, ErrorKind, Host, Result};

/// Most sessions at once.
const MAX_SESSIONS: usize = 256;
/// After how long a session that nobody uses is dropped.
const IDLE: Duration = Duration::from_secs(30 * 60);
/// Most catalogues that are remembered for tenants whose skills are the same.
const CATALOGUES: usize = 32;

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
    /// Most sessions at once; one more is refused as busy, unless one is idle. Default 256.
    pub max_sessions: usize,
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
    shared: Mutex<SharedSessions>,
    /// What it says of itself, with the generation of the skills that it speaks of.
    about: ArcSwapOption<(u64, ServerConfig)>,
    sessions: AtomicUsize,
    calls: TaskTracker,
    /// No new calls.
    closing: CancellationToken,
    /// Not even those that run.
    closed: CancellationToken,
    codec: RequestStateCodec,
}

/// Sessions that requests without a connection share: of each client, by the names that it gives them.
#[derive(Default)]
struct SharedSessions {
    of: BTreeMap<Client, BTreeMap<String, Shared>>,
    /// When those that nobody uses were last looked for.
    swept: Option<Instant>,
}

impl SharedSessions {
    /// Forget those that nobody has used for `idle`; looked for a few times in that while, not with every request.
    fn sweep(&mut self, now: Instant, idle: Duration) {
        if self.swept.is_some_and(|swept| now.duration_since(swept) < idle / 16) {
            return;
        }
        self.swept = Some(now);
        self.of.retain(|_, sessions| {
            sessions.retain(|_, entry| !entry.is_idle() || now.duration_since(entry.used) < idle);
            !sessions.is_empty()
        });
    }

    fn remove(&mut self, client: &Client, name: &str) -> Option<Shared> {
        let sessions = self.of.get_mut(client)?;
        let removed = sessions.remove(name);
        if sessions.is_empty() {
            self.of.remove(client);
        }
        removed
    }

    /// The one that was used longest ago, of those that are idle.
    fn remove_oldest(&mut self) -> Option<Shared> {
        let all = self.of.iter().flat_map(|(client, sessions)| {
            sessions.iter().map(move |(name, entry)| (client, name, entry))
        });
        let idle = all.filter(|(_, _, entry)| entry.is_idle());
        let (client, name, _) = idle.min_by_key(|(_, _, entry)| entry.used)?;
        let (client, name) = (client.clone(), name.clone());
        self.remove(&client, &name)
    }
}

struct Shared {
    session: Arc<OnceCell<Arc<ClientSession>>>,
    used: Instant,
}

/// A place among the sessions, given back when it is dropped.
pub(super) struct SessionPlace(Arc<Inner>);

impl Drop for SessionPlace {
    fn drop(&mut self) {
        self.0.sessions.fetch_sub(1, Ordering::Relaxed);
    }
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
    /// A server of the skills of `host`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - the system has no random numbers, which approvals are sealed with.
    pub fn new(host: Host, options: ServerOptions) -> Result<Server> {
        let mut key = [0_u8; 32];
        getrandom::fill(&mut key).map_err(|error| {
            Error::new(ErrorKind::Host, "the system has no random numbers").caused_by(error)
        })?;
        let codec = RequestStateCodec::try_new(key.to_vec()).map_err(Error::bug)?;
        let inner = Inner {
            host,
            options,
            catalogues: Mutex::default(),
            shared: Mutex::default(),
            about: ArcSwapOption::empty(),
            sessions: AtomicUsize::new(0),
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
        Connection::new(self.clone(), client)
    }

    /// Serve one client over standard input and output, until it closes its side or `stop` is cancelled.
    ///
    /// # Errors
    ///
    /// As [`Host::session`], and of documents that cannot be read.
    pub async fn serve_stdio(&self, client: Client, stop: CancellationToken) -> Result<()> {
        stdio::serve(self, client, stop).await
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
        stdio::serve_over(self, client, stop, input, output).await
    }

    /// Load all tools of the default tenant, so that the first client does not wait for it.
    pub async fn prepare(&self) {
        self.catalogue(self.host().registry()).await;
    }

    /// What is going on now.
    pub fn counts(&self) -> Counts {
        Counts {
            sessions: self.inner.sessions.load(Ordering::Relaxed),
            calls: self.inner.calls.len(),
        }
    }

    /// End the sessions that requests of this client share, and their calls: its token was revoked.
    pub fn forget(&self, client: &Client) {
        let sessions = self.shared().of.remove(client).unwrap_or_default();
        for session in sessions.values().filter_map(|entry| entry.session.get()) {
            session.end();
        }
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
        let shared = std::mem::take(&mut *self.shared());
        let sessions = shared.of.values().flat_map(BTreeMap::values);
        for session in sessions.filter_map(|entry| entry.session.get()) {
            session.end();
        }
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
    pub(super) async fn shared_session(
        &self,
        client: &Client,
        name: &str,
    ) -> Result<Arc<ClientSession>> {
        let cell = {
            let mut shared = self.shared();
            let now = Instant::now();
            shared.sweep(now, self.inner.options.idle);
            let known = shared.of.get_mut(client).and_then(|sessions| sessions.get_mut(name));
            match known {
                Some(entry) => {
                    entry.used = now;
                    entry.session.clone()
                }
                None => {
                    let session = Arc::<OnceCell<_>>::default();
                    let entry = Shared { session: session.clone(), used: now };
                    let sessions = shared.of.entry(client.clone()).or_default();
                    sessions.insert(name.to_owned(), entry);
                    session
                }
            }
        };
        // Seldom, and large: what waits for it is a part of every request.
        let open = || Box::pin(ClientSession::open(self, client));
        let opened = cell.get_or_try_init(open).await;
        if opened.is_err() {
            let mut shared = self.shared();
            let known = shared.of.get(client).and_then(|sessions| sessions.get(name));
            if known.is_some_and(|entry| Arc::ptr_eq(&entry.session, &cell)) {
                shared.remove(client, name);
            }
        }
        opened.cloned()
    }

    /// A place for one more session, if need be that of the shared one that was used longest ago and is idle.
    pub(super) fn place(&self) -> Result<SessionPlace> {
        let most = self.inner.options.max_sessions.max(1);
        let taken =
            self.inner.sessions.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |open| {
                (open < most).then_some(open + 1)
            });
        if taken.is_ok() {
            return Ok(SessionPlace(self.inner.clone()));
        }
        let Some(entry) = self.shared().remove_oldest() else {
            return Err(Error::new(
                ErrorKind::Busy { retry_after: Duration::from_secs(10) },
                format!("all {most} sessions are in use"),
            )
            .hint("end a session that is no longer needed, or try again later"));
        };
        // Its place is free as soon as it is dropped, which may open it to another one first.
        drop(entry);
        let taken =
            self.inner.sessions.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |open| {
                (open < most).then_some(open + 1)
            });
        match taken {
            Ok(_) => Ok(SessionPlace(self.inner.clone())),
            Err(_) => Err(Error::new(
                ErrorKind::Busy { retry_after: Duration::from_secs(1) },
                format!("all {most} sessions are in use"),
            )),
        }
    }

    /// What the skills of `registry` offer. Sessions that see the same skills share one.
    pub(super) async fn catalogue(&self, registry: Registry) -> Arc<Catalogue> {
        let known = {
            let mut known = self.catalogues();
            known.retain(|one| one.strong_count() > 0);
            known.iter().filter_map(Weak::upgrade).find(|one| one.is_of(&registry))
        };
        if let Some(known) = known {
            return known;
        }
        let made = Arc::new(Catalogue::new(registry, &self.inner.options.folders).await);
        let mut known = self.catalogues();
        if known.len() >= CATALOGUES {
            known.remove(0);
        }
        known.push(Arc::downgrade(&made));
        made
    }

    fn catalogues(&self) -> std::sync::MutexGuard<'_, Vec<Weak<Catalogue>>> {
        self.inner.catalogues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    /// Whether nobody but the table holds the session.
    fn is_idle(&self) -> bool {
        self.session.get().is_some_and(|session| Arc::strong_count(session) == 1)
    }
}
