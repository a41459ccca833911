//! The server: start, accept loop and shutdown.

use std::io::Write as _;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::access::Access;
use super::body::hold;
use super::connection::ConnectionSlot;
use super::metrics::Metrics;
use super::options::HttpOptions;
use super::route;
use super::routes::Routes;
use super::shared::Shared;
use super::stream::TimedStream;
use super::tenant_limits::TenantLimits;
use super::token_client::LastClient;
use super::tokens::Tokens;
use crate::mcp::{Observed, Server, ServerOptions};
use mitt::Host;
use mitt_base::{Error, ErrorKind, Remedy, Result, lock, panics};

/// Interval at which the file of tokens is checked for changes.
const TOKEN_FILE_INTERVAL: Duration = Duration::from_secs(2);
/// Time that open connections have after the last call has ended.
const CLOSING_TIME: Duration = Duration::from_secs(2);
/// Read buffer of a connection; the header has its own limit.
const READ_BUFFER_BYTES: usize = 64 * 1024;
/// Number of header fields that hyper keeps on the stack.
const FIELDS_ON_STACK: usize = 100;

/// MCP over HTTP on a port: `/mcp`, `/healthz`, `/readyz`, `/metrics`, and `/files/…` for signed links.
pub struct HttpServer {
    /// Taken when it serves.
    listener: Mutex<Option<TcpListener>>,
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl HttpServer {
    /// Opens the port. Requests are answered only by [`HttpServer::serve`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Denied`] - the address is not loopback, and there is no file of tokens.
    /// [`ErrorKind::Input`] - the file of tokens, a name or an origin is invalid.
    /// [`ErrorKind::Host`] - the port cannot be opened.
    pub async fn bind(
        host: Host,
        mut server: ServerOptions,
        options: HttpOptions,
    ) -> Result<HttpServer> {
        let listen = options.listen;
        if !listen.ip().is_loopback() && options.tokens.is_none() {
            let message = format!("others can reach {listen}, so that clients need tokens");
            return Err(Error::new(ErrorKind::Denied, message)
                .remedy(Remedy::TokenFile)
                .hint("or listen on `127.0.0.1`"));
        }
        if let Some(url) = &options.public_url {
            check_url(url)?;
        }
        let access = Access::new(listen, &options.hosts, &options.origins)?;
        let tokens = options.tokens.as_deref().map(Tokens::read).transpose()?;
        let listener = TcpListener::bind(listen).await.map_err(|error| {
            Error::new(ErrorKind::Host, format!("cannot listen on {listen}"))
                .remedy(Remedy::ListenElsewhere)
                .caused_by(error)
        })?;
        let address = listener.local_addr().unwrap_or(listen);
        let metrics = Arc::new(Metrics::new());
        observe(&mut server, &metrics);
        let own = (metrics, address.port());
        let shared = Shared::new(Server::new(host, server)?, access, tokens, &options, own);
        Ok(HttpServer { listener: Mutex::new(Some(listener)), address, shared: Arc::new(shared) })
    }

    /// Adds routes of another crate. Call it before [`HttpServer::serve`]; the first call decides.
    pub fn add_routes(&self, routes: Arc<dyn Routes>) {
        self.shared.set_routes(routes);
    }

    /// Returns a function that tells what a tenant may do with models, by the file of tokens as it is at that moment.
    pub fn tenant_limits(&self) -> impl Fn(&str) -> TenantLimits + Send + Sync + 'static + use<> {
        // Weak, because the routes that use it belong to the state.
        let shared = Arc::downgrade(&self.shared);
        move |tenant| shared.upgrade().map(|it| it.limits_of(tenant)).unwrap_or_default()
    }

    /// Returns the path and query of a link that logs a browser in with `token`, once and within ten minutes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - the system has no random numbers, or too many links wait.
    pub fn login_link(&self, token: &str) -> Result<String> {
        self.shared.logins.add(token)
    }

    /// Returns the MCP server behind HTTP.
    pub fn server(&self) -> &Server {
        self.shared.server()
    }

    /// Returns the address on which it listens. With port 0 in the options, it has the port that was chosen.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Reads the file of tokens again. Sessions, streams and calls of removed tokens end. On an error the last valid tokens
    /// stay. [`HttpServer::serve`] does this by itself when the file changes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - the file cannot be read, or is invalid.
    pub fn reload_tokens(&self) -> Result<()> {
        self.shared.reload_tokens()
    }

    /// Returns the number of calls that run or wait, including those of tasks.
    pub fn running_calls(&self) -> usize {
        self.shared.running_calls()
    }

    /// Returns the number of open connections.
    pub fn connections(&self) -> usize {
        self.shared.connections.len()
    }

    /// Serves until `stop`. Then it accepts no more connections, gives running calls
    /// [`HttpLimits::grace`](super::HttpLimits::grace), and cancels the rest. The port is free again when it returns; a
    /// second call returns at once.
    pub async fn serve(&self, stop: CancellationToken) {
        let listener = lock(&self.listener).take();
        let Some(listener) = listener else { return };
        self.server().yield_to_protocol();
        let prepare = {
            let shared = self.shared.clone();
            async move { shared.prepare().await }
        };
        let ended = CancellationToken::new();
        let tasks = TaskTracker::new();
        tasks.spawn(ended.clone().run_until_cancelled_owned(prepare));
        tasks.spawn(ended.clone().run_until_cancelled_owned(watch_tokens(self.shared.clone())));
        let mut connections = JoinSet::new();
        let closing = CancellationToken::new();
        loop {
            let accepted = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                Some(ended) = connections.join_next() => {
                    if ended.is_err_and(|error| error.is_panic()) {
                        panics::noticed("the connection");
                    }
                    continue;
                }
                accepted = listener.accept() => accepted,
            };
            let (stream, peer) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Most likely there are no descriptors left; ending connections free some.
                    tracing::warn!(%error, "cannot take a connection");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            match self.shared.connections.take(peer.ip().to_canonical()) {
                Ok(slot) => {
                    connections.spawn(self.connection(stream, peer, slot, closing.clone()));
                }
                Err(reason) => {
                    self.shared.metrics.refused(reason);
                    tracing::debug!(%peer, reason, "refused a connection");
                    turn_away(stream);
                }
            }
        }
        drop(listener);
        tracing::info!("shutting down");
        self.shared.close();
        closing.cancel();
        self.shared.shut_down().await;
        // Streams for notifications end with their clients.
        let all = async { while connections.join_next().await.is_some() {} };
        if tokio::time::timeout(CLOSING_TIME, all).await.is_err() {
            tracing::warn!(connections = connections.len(), "connections were still open");
        }
        connections.shutdown().await;
        ended.cancel();
        tasks.close();
        tasks.wait().await;
    }

    fn connection(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        slot: ConnectionSlot,
        closing: CancellationToken,
    ) -> impl Future<Output = ()> + Send + 'static + use<> {
        let limits = &self.shared.limits;
        // Responses are whole messages; collecting more data would only delay them.
        let _ = stream.set_nodelay(true);
        let mut builder = http1::Builder::new();
        builder
            .timer(TokioTimer::new())
            .header_read_timeout(limits.header_time)
            .max_header_size(usize::try_from(limits.header_bytes).unwrap_or(usize::MAX))
            .max_buf_size(
                READ_BUFFER_BYTES
                    .max(usize::try_from(limits.header_bytes).unwrap_or(READ_BUFFER_BYTES)),
            );
        if limits.header_fields != FIELDS_ON_STACK {
            builder.max_headers(limits.header_fields);
        }
        let (shared, used) = (self.shared.clone(), Arc::new(LastClient::default()));
        let slot = Arc::new(slot);
        let answering = slot.clone();
        let service = service_fn(move |request| {
            let (shared, used, slot) = (shared.clone(), used.clone(), answering.clone());
            async move {
                // The connection was just closed to make room; its request gets no answer.
                let busy = slot.begin().ok_or(std::io::ErrorKind::ConnectionReset)?;
                let answer = route::answer(&shared, (peer, &used), request).await;
                Ok::<_, std::io::Error>(hold(answer, busy))
            }
        });
        let io = TokioIo::new(TimedStream::new(stream, limits.write_time, limits.write_rate));
        let served = builder.serve_connection(io, service);
        async move {
            let mut served = pin!(served);
            let ended = tokio::select! {
                ended = served.as_mut() => ended,
                () = slot.ended() => {
                    tracing::debug!(%peer, "a connection made room");
                    return;
                }
                () = closing.cancelled() => {
                    // The current request is answered; no further request is read.
                    served.as_mut().graceful_shutdown();
                    served.await
                }
            };
            if let Err(error) = ended {
                tracing::debug!(%peer, %error, "a connection ended");
            }
        }
    }
}

/// Checks an address that is the prefix of others.
fn check_url(url: &str) -> Result<()> {
    let parts = url.parse::<hyper::Uri>().ok();
    let is_good = parts.is_some_and(|uri| {
        matches!(uri.scheme_str(), Some("http" | "https"))
            && uri.authority().is_some()
            && uri.query().is_none()
    });
    if is_good {
        Ok(())
    } else {
        Err(Error::new(ErrorKind::Input, format!("`{url}` is no address of a server"))
            .hint("scheme and host, such as `https://mcp.example.org`"))
    }
}

/// Reports calls to the metrics, in addition to another observer.
fn observe(server: &mut ServerOptions, metrics: &Arc<Metrics>) {
    let (metrics, other) = (metrics.clone(), server.observer.take());
    server.observer = Some(Arc::new(move |observed: &Observed<'_>| {
        metrics.call(observed);
        if let Some(other) = &other {
            other(observed);
        }
    }));
}

async fn watch_tokens(shared: Arc<Shared>) {
    let mut problem = None;
    loop {
        tokio::time::sleep(TOKEN_FILE_INTERVAL).await;
        let now = shared.reload_tokens().err().map(|error| error.render());
        // Report a problem once, not every two seconds.
        if now != problem
            && let Some(error) = &now
        {
            tracing::error!(%error, "the tokens stay as they were");
        }
        problem = now;
    }
}

/// Tells a client that there is no slot for it, if the message can be sent at once.
fn turn_away(stream: TcpStream) {
    const ANSWER: &[u8] =
        b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nretry-after: 5\r\nconnection: close\r\n\r\n";
    if let Ok(mut stream) = stream.into_std() {
        let _ = stream.write(ANSWER);
    }
}
