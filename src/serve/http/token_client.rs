//! A client of the server: the bearer of one token, or everybody if no token is needed. Each has its own transport and
//! sessions. Several clients can belong to one tenant.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;

use hyper::header::HeaderValue;
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method};
use rmcp::model::{Extensions, RequestId};
use rmcp::transport::streamable_http_server::session::SessionManager as _;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use super::body::Account;
use super::limits::HttpLimits;
use super::sessions::{Count, SESSION_ID, Sessions, is_primed};
use crate::mcp::raw_message::{Arguments, Base};
use crate::mcp::{Client, Connection, Server};
use mitt_base::lock;

/// Time after which a client resumes a stream that broke off, the default of rmcp.
const SSE_RETRY: Duration = Duration::from_secs(3);

/// A request of a session.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct RequestKey {
    session: HeaderValue,
    id: RequestId,
}

/// A request that is being handled.
#[derive(Debug)]
pub(super) struct RunningRequest {
    key: RequestKey,
    of: Arc<Mutex<HashSet<RequestKey>>>,
}

impl Drop for RunningRequest {
    fn drop(&mut self) {
        running(&self.of).remove(&self.key);
    }
}

fn running(of: &Mutex<HashSet<RequestKey>>) -> MutexGuard<'_, HashSet<RequestKey>> {
    lock(of)
}

/// The client that last used a connection. A proxy sends requests of several clients over one connection.
#[derive(Default)]
pub(super) struct LastClient {
    by: Mutex<Option<(Weak<TokenClient>, OwnedSemaphorePermit)>>,
}

/// Everything that belongs to one client. No other client can reach any of it.
pub(super) struct TokenClient {
    pub(super) who: Client,
    service: StreamableHttpService<Connection, Sessions>,
    /// A second service for the same sessions. It begins the stream of a session with an event without data; see
    /// [`is_primed`].
    primed: StreamableHttpService<Connection, Sessions>,
    pub(super) sessions: Arc<Sessions>,
    /// Places for concurrent requests.
    requests: Arc<Semaphore>,
    /// Places for concurrent streams on which sessions receive notifications.
    streams: Arc<Semaphore>,
    /// Places for connections that it used last.
    connections: Arc<Semaphore>,
    pub(super) bodies: Arc<Account>,
    pub(super) uploads: Arc<Account>,
    running: Arc<Mutex<HashSet<RequestKey>>>,
    /// Ends all of its sessions, streams and calls.
    pub(super) stop: CancellationToken,
}

impl TokenClient {
    pub(super) fn new(
        server: &Server,
        who: Client,
        limits: &HttpLimits,
        (all_sessions, [bodies, uploads]): (Count, [Arc<Account>; 2]),
        stop: CancellationToken,
    ) -> TokenClient {
        let sessions = Arc::new(Sessions::new(limits.session_idle, all_sessions));
        // `Host` and `Origin` were checked before; rmcp's own check knows neither the configured names nor addresses.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_json_response(true)
            .with_sse_retry(None)
            .with_cancellation_token(stop.clone())
            .with_max_request_body_bytes(usize::try_from(limits.body_bytes).unwrap_or(usize::MAX));
        let factory = {
            let (server, who) = (server.clone(), who.clone());
            move || Ok(server.connection(who.clone()).finding(arguments, base))
        };
        let primed = config.clone().with_sse_retry(Some(SSE_RETRY));
        let primed = StreamableHttpService::new(factory.clone(), sessions.clone(), primed);
        let service = StreamableHttpService::new(factory, sessions.clone(), config);
        let requests = Arc::new(Semaphore::new(limits.requests_per_client));
        let streams = Arc::new(Semaphore::new(limits.streams_per_client));
        let connections = Arc::new(Semaphore::new(limits.connections_per_client));
        let running = Arc::default();
        TokenClient {
            who,
            service,
            primed,
            sessions,
            requests,
            streams,
            connections,
            bodies,
            uploads,
            running,
            stop,
        }
    }

    /// Returns the service that answers a request. The stream of a session (`GET`) may begin with an event without data.
    /// [`Sessions`] decides the same for answers to calls, and the answer to `initialize` never begins so.
    pub(super) fn service(
        &self,
        method: &Method,
        headers: &HeaderMap,
    ) -> &StreamableHttpService<Connection, Sessions> {
        if *method == Method::GET && is_primed(headers) { &self.primed } else { &self.service }
    }

    /// Takes over `connection`, which then no longer belongs to another client. Returns `false` if the client has too many
    /// connections.
    pub(super) fn takes(self: &Arc<TokenClient>, connection: &LastClient) -> bool {
        let mut last = lock(&connection.by);
        if last.as_ref().is_some_and(|(client, _)| std::ptr::eq(client.as_ptr(), &raw const **self))
        {
            return true;
        }
        match self.connections.clone().try_acquire_owned() {
            Ok(place) => {
                *last = Some((Arc::downgrade(self), place));
                true
            }
            Err(_) => false,
        }
    }

    /// Takes a place for a request, if one is free. The stream of a session waits for notifications, and does not take the
    /// place of a call.
    pub(super) fn place(
        &self,
        method: &Method,
        headers: &HeaderMap,
    ) -> Option<OwnedSemaphorePermit> {
        let is_stream = *method == Method::GET && headers.contains_key(SESSION_ID);
        let places = if is_stream { &self.streams } else { &self.requests };
        places.clone().try_acquire_owned().ok()
    }

    /// Takes a place for a request to a route of another crate, if one is free.
    pub(super) fn routed_place(&self, is_stream: bool) -> Option<OwnedSemaphorePermit> {
        let places = if is_stream { &self.streams } else { &self.requests };
        places.clone().try_acquire_owned().ok()
    }

    /// Marks a request of a session as running until the returned value is dropped. `None` if one with the same id is
    /// already running: rmcp would send the answers of both to the second.
    pub(super) fn begin(&self, session: &HeaderValue, id: RequestId) -> Option<RunningRequest> {
        let key = RequestKey { session: session.clone(), id };
        let is_new = running(&self.running).insert(key.clone());
        is_new.then(|| RunningRequest { key, of: self.running.clone() })
    }

    /// Returns `true` if the session that a request names exists. rmcp would claim to have ended any session.
    pub(super) async fn has_session(&self, headers: &HeaderMap) -> bool {
        let Some(id) = headers.get(SESSION_ID).and_then(|id| id.to_str().ok()) else {
            // rmcp reports that the session id is missing.
            return true;
        };
        self.sessions.has_session(&id.into()).await.unwrap_or(false)
    }
}

/// Returns the address at which browsers reach the server.
fn base(extensions: &Extensions) -> Option<Base> {
    extensions.get::<Parts>()?.extensions.get::<Base>().cloned()
}

/// Returns the text of a call's arguments. `route.rs` puts it into the request, which rmcp passes on whole.
fn arguments(extensions: &Extensions) -> Option<Arguments> {
    extensions.get::<Parts>()?.extensions.get::<Arguments>().cloned()
}
