//! State shared by all connections: the MCP server, the clients by their tokens, limits, counters, and the shutdown.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use arc_swap::ArcSwap;
use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, HOST};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::access::Access;
use super::body::{Bodies, HttpResponse};
use super::connection::Connections;
use super::cookie;
use super::limits::HttpLimits;
use super::login_links::LoginLinks;
use super::metrics::{Metrics, Now};
use super::options::HttpOptions;
use super::refusal_log::RefusalLog;
use super::routes::{Route, Routes};
use super::sessions::Count;
use super::signed_tokens::is_signed;
use super::tenant_limits::TenantLimits;
use super::token_client::TokenClient;
use super::token_headers::{NoBearer, bearer_token, deciding_token, has_token};
use super::tokens::{Scope, TokenId, Tokens};
use crate::AUDIT_TARGET;
use crate::mcp::raw_message::Base;
use crate::mcp::{Client, Server};
use mitt_base::{Result, lock};

/// Time for the delivery of answers after their calls have ended.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(1);

/// Users of LibreChat above which those without a request are forgotten. A user who comes again is known again.
const MANY_USERS: usize = 10_000;

/// State shared by all connections.
pub(super) struct Shared {
    pub(super) limits: Arc<HttpLimits>,
    pub(super) connections: Connections,
    pub(super) metrics: Arc<Metrics>,
    refusals: RefusalLog,
    server: Server,
    pub(super) access: Access,
    /// Links that log browsers in once.
    pub(super) logins: LoginLinks,
    /// The port on which the server listens.
    pub(super) port: u16,
    pub(super) bodies: Arc<Bodies>,
    /// Bodies of uploaded documents.
    pub(super) uploads: Bodies,
    /// Places for concurrent downloads.
    pub(super) downloads: Arc<Semaphore>,
    /// The address for browsers, if the operator set one.
    public_url: Option<Base>,
    /// The file and its current content. `None` if there is only one client, which needs no token.
    tokens: Option<(PathBuf, ArcSwap<Tokens>)>,
    clients: Mutex<HashMap<TokenId, Arc<TokenClient>>>,
    /// Users of LibreChat by their tenants.
    users: Mutex<HashMap<String, Arc<TokenClient>>>,
    local: Arc<TokenClient>,
    pub(super) sessions: Count,
    /// Answers to messages that are being handled.
    pub(super) answers: TaskTracker,
    prepared: AtomicBool,
    closing: AtomicBool,
    stop: CancellationToken,
    /// Routes of another crate, once it has set them.
    routes: OnceLock<Arc<dyn Routes>>,
}

/// The sender of a request.
pub(super) enum Bearer {
    Client(Arc<TokenClient>),
    Metrics,
}

impl Shared {
    pub(super) fn new(
        server: Server,
        access: Access,
        tokens: Option<Tokens>,
        options: &HttpOptions,
        (metrics, port): (Arc<Metrics>, u16),
    ) -> Shared {
        let limits = Arc::new(options.limits.clone());
        let (sessions, stop) = (Count::default(), CancellationToken::new());
        let local = Client { tenant: None, id: Some("local".into()) };
        let bodies = Arc::new(Bodies::new(&limits));
        let uploads = Bodies::new(&HttpLimits {
            body_bytes: server.host().session_limits().document_bytes,
            body_time: limits.upload_time,
            bodies_bytes: limits.uploads_bytes,
            bodies_bytes_per_client: limits.uploads_bytes / 4,
            ..(*limits).clone()
        });
        let own = (sessions.clone(), [bodies.account(), uploads.account()]);
        let local = TokenClient::new(&server, local, &limits, own, stop.child_token());
        Shared {
            connections: Connections::new(limits.connections, limits.connections_per_address),
            bodies,
            uploads,
            downloads: Arc::new(Semaphore::new(limits.downloads)),
            public_url: options
                .public_url
                .as_deref()
                .map(|url| Base(url.trim_end_matches('/').into())),
            tokens: options.tokens.clone().zip(tokens.map(ArcSwap::from_pointee)),
            clients: Mutex::default(),
            users: Mutex::default(),
            local: Arc::new(local),
            answers: TaskTracker::new(),
            prepared: AtomicBool::new(false),
            closing: AtomicBool::new(false),
            limits,
            metrics,
            refusals: RefusalLog::default(),
            server,
            access,
            logins: LoginLinks::default(),
            port,
            sessions,
            stop,
            routes: OnceLock::new(),
        }
    }

    /// Returns the routes of another crate.
    pub(super) fn routes(&self) -> Option<&Arc<dyn Routes>> {
        self.routes.get()
    }

    /// Sets the routes of another crate; the first call decides.
    pub(super) fn set_routes(&self, routes: Arc<dyn Routes>) {
        let _ = self.routes.set(routes);
    }

    pub(super) fn server(&self) -> &Server {
        &self.server
    }

    /// Loads the tools ahead of the first call.
    pub(super) async fn prepare(&self) {
        self.server.prepare().await;
        self.prepared.store(true, Ordering::Relaxed);
        tracing::info!("ready");
    }

    /// Accepts nothing new from now on.
    pub(super) fn close(&self) {
        self.closing.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Relaxed)
    }

    /// Returns `true` if the tools are loaded.
    pub(super) fn is_prepared(&self) -> bool {
        self.prepared.load(Ordering::Relaxed)
    }

    /// Lets calls end within their grace period, and then ends everything.
    pub(super) async fn shut_down(&self) {
        let routed = async {
            if let Some(routes) = self.routes() {
                routes.close(self.limits.grace).await;
            }
        };
        tokio::join!(self.server.close(self.limits.grace), routed);
        // Results of calls that ended in time may not have reached their streams yet.
        self.answers.close();
        let _ = tokio::time::timeout(DELIVERY_TIMEOUT, self.answers.wait()).await;
        self.stop.cancel();
    }

    pub(super) fn reload_tokens(&self) -> Result<()> {
        let Some((path, current)) = &self.tokens else {
            return Ok(());
        };
        let tokens = Tokens::read(path)?;
        if **current.load() == tokens {
            return Ok(());
        }
        tracing::info!(target: AUDIT_TARGET, tokens = tokens.len(), "the tokens changed");
        let known = tokens.clients();
        let (mut clients, mut users) = (self.clients(), lock(&self.users));
        if current.load().signed() != tokens.signed() {
            users.drain().for_each(|(_, user)| user.stop.cancel());
        }
        current.store(Arc::new(tokens.clone()));
        drop(users);
        clients.retain(|id, client| {
            let stays = known.get(id).copied() == client.who.tenant.as_deref();
            if !stays {
                let tenant = client.who.tenant.as_deref().unwrap_or_default();
                tracing::info!(target: AUDIT_TARGET, tenant, client = id.as_str(), "its token is gone");
                client.stop.cancel();
                self.server.forget(&client.who);
            }
            stays
        });
        Ok(())
    }

    fn clients(&self) -> MutexGuard<'_, HashMap<TokenId, Arc<TokenClient>>> {
        lock(&self.clients)
    }

    /// Returns `true` if clients need tokens.
    pub(super) fn has_tokens(&self) -> bool {
        self.tokens.is_some()
    }

    /// Returns the sender of a request by its headers, not by a cookie.
    pub(super) fn bearer(&self, headers: &HeaderMap) -> Result<Bearer, NoBearer> {
        if !self.has_tokens() {
            return Ok(Bearer::Client(self.local.clone()));
        }
        self.of_token(self.token(headers, false)?)
    }

    /// Returns the token that decides on a request: see [`deciding_token`].
    fn token<'a>(
        &self,
        headers: &'a HeaderMap,
        prefers_key: bool,
    ) -> Result<Option<&'a [u8]>, NoBearer> {
        let tokens = self.tokens.as_ref().map(|(_, tokens)| tokens.load());
        deciding_token(headers, prefers_key, |token| {
            tokens.as_ref().is_some_and(|tokens| tokens.find(token).is_some())
        })
    }

    /// Returns the token of a client that stands in `Authorization`. `None` if it is another one, or clients need no tokens.
    pub(super) fn bearer_of_client<'a>(&self, headers: &'a HeaderMap) -> Option<&'a [u8]> {
        let token = bearer_token(headers.get(AUTHORIZATION)?.as_bytes())?;
        let decides = self.has_tokens() && self.token(headers, false) == Ok(Some(token));
        let is_client = || matches!(self.of_token(Some(token)), Ok(Bearer::Client(_)));
        (decides && is_client()).then_some(token)
    }

    /// Returns the sender of a request to a route by its headers; without a token there, by the cookie of a browser.
    pub(super) fn sender(&self, headers: &HeaderMap, route: &Route) -> Result<Bearer, NoBearer> {
        let has_token = has_token(headers);
        match cookie::token_of(self.port, self.is_https(headers), headers)
            .filter(|_| self.has_tokens() && !has_token)
        {
            Some(token) => self.of_token(Some(token.as_bytes())),
            None if self.has_tokens() => {
                let token = self.token(headers, route.prefers_key)?;
                match token.filter(|token| route.takes_signed_tokens && is_signed(token)) {
                    Some(token) => self.of_signed(token),
                    None => self.of_token(token),
                }
            }
            None => self.of_token(None),
        }
    }

    /// Returns the user of LibreChat whom a token names.
    fn of_signed(&self, token: &[u8]) -> Result<Bearer, NoBearer> {
        let Some((_, tokens)) = &self.tokens else { return self.of_token(Some(token)) };
        let tokens_now = tokens.load();
        let signed = tokens_now.signed().filter(|_| tokens_now.find(token).is_none());
        let Some(signed) = signed else { return self.of_token(Some(token)) };
        let now = self.server.host().environment().now();
        let tenant = signed.tenant(token, now).map_err(NoBearer::Refused)?;
        let mut users = lock(&self.users);
        // The key may have been taken away at this moment.
        if tokens.load().signed() != Some(signed) {
            return Err(NoBearer::Invalid);
        }
        if let Some(user) = users.get(&tenant) {
            return Ok(Bearer::Client(user.clone()));
        }
        forget_idle(&mut users, MANY_USERS);
        let user = Arc::new(
            self.new_client(Client { tenant: Some(tenant.clone()), id: Some(tenant.clone()) }),
        );
        users.insert(tenant, user.clone());
        Ok(Bearer::Client(user))
    }

    fn new_client(&self, who: Client) -> TokenClient {
        let own = (self.sessions.clone(), [self.bodies.account(), self.uploads.account()]);
        TokenClient::new(&self.server, who, &self.limits, own, self.stop.child_token())
    }

    /// Returns the bearer of a token; without a file of tokens, the client `local`.
    pub(super) fn of_token(&self, token: Option<&[u8]>) -> Result<Bearer, NoBearer> {
        let Some((_, tokens)) = &self.tokens else {
            return Ok(Bearer::Client(self.local.clone()));
        };
        let tokens_now = tokens.load();
        let (id, scope) =
            token.and_then(|token| tokens_now.find(token)).ok_or(NoBearer::Invalid)?;
        let Scope::Tenant(name) = scope else {
            return Ok(Bearer::Metrics);
        };
        let mut clients = self.clients();
        if let Some(client) = clients.get(&id) {
            return Ok(Bearer::Client(client.clone()));
        }
        // It may have been revoked at this moment.
        if !tokens.load().has(&id, name) {
            return Err(NoBearer::Invalid);
        }
        let who = Client { tenant: Some(name.clone()), id: Some(id.as_str().to_owned()) };
        let client = Arc::new(self.new_client(who));
        clients.insert(id, client.clone());
        Ok(Bearer::Client(client))
    }

    /// Returns what a tenant may do with models.
    pub(super) fn limits_of(&self, tenant: &str) -> TenantLimits {
        let tokens = self.tokens.as_ref().map(|(_, tokens)| tokens.load());
        tokens.map(|tokens| tokens.limits_of(tenant)).unwrap_or_default()
    }

    /// Returns the client `who` if its token is still valid.
    pub(super) fn client(&self, who: &Client) -> Option<Arc<TokenClient>> {
        if self.local.who == *who {
            return Some(self.local.clone());
        }
        self.clients().values().find(|client| client.who == *who).cloned()
    }

    /// Returns the address at which browsers reach the server: the one that the operator set, otherwise the `Host` of the
    /// request, which was checked.
    pub(super) fn base(&self, headers: &HeaderMap) -> Option<Base> {
        if let Some(url) = &self.public_url {
            return Some(url.clone());
        }
        let host = headers.get(HOST)?.to_str().ok()?;
        Some(Base(format!("http://{host}").into()))
    }

    /// Returns `true` if browsers reach the server over HTTPS.
    pub(super) fn is_https(&self, headers: &HeaderMap) -> bool {
        self.base(headers).is_some_and(|base| base.0.starts_with("https:"))
    }

    pub(super) fn running_calls(&self) -> usize {
        self.server.counts().calls
    }

    pub(super) fn now(&self) -> Now {
        let counts = self.server.counts();
        Now { connections: self.connections.len(), sessions: counts.sessions, calls: counts.calls }
    }

    /// Counts and logs `answer` as a refusal of a request whose sender is unknown, and returns it.
    pub(super) fn refuse(&self, reason: &'static str, answer: HttpResponse) -> HttpResponse {
        self.metrics.refused(reason);
        self.refusals.report(None, reason);
        answer
    }

    /// Does what [`Shared::refuse`] does for a request of a client.
    pub(super) fn refuse_client(
        &self,
        client: &TokenClient,
        reason: &'static str,
        answer: HttpResponse,
    ) -> HttpResponse {
        self.metrics.refused(reason);
        self.refusals.report(client.who.tenant.as_deref(), reason);
        answer
    }
}

/// Forgets the users without a request if there are `most` users or more.
fn forget_idle<T>(users: &mut HashMap<String, Arc<T>>, most: usize) {
    if users.len() >= most {
        // Nothing but the map has a user without a request.
        users.retain(|_, user| Arc::strong_count(user) > 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_users_are_those_with_a_request() {
        let mut users: HashMap<String, Arc<u32>> =
            (0..3).map(|number| (number.to_string(), Arc::new(number))).collect();
        let busy = users["1"].clone();
        forget_idle(&mut users, 4);
        assert_eq!(users.len(), 3);
        forget_idle(&mut users, 3);
        assert_eq!(users.keys().collect::<Vec<_>>(), [&busy.to_string()]);
    }
}
