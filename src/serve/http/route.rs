//! Routes a request to its response.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Body as _, Incoming};
use hyper::header::{
    ALLOW, AUTHORIZATION, CONNECTION, CONTENT_TYPE, COOKIE, HeaderValue, RETRY_AFTER,
};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, Request, StatusCode};
use rmcp::model::{ErrorCode, RequestId};
use serde_json::json;

use super::access::Refusal;
use super::body::{HttpResponse, hold, later, text};
use super::browser;
use super::cors;
use super::files;
use super::message::{Glance, MAX_ID_BYTES};
use super::refusals::{WAY_IN, unauthorized, unread};
use super::routed;
use super::sessions::SESSION_ID;
use super::shared::{Bearer, Shared};
use super::token_client::{LastClient, RunningRequest, TokenClient};
use super::token_headers::API_KEY;
use super::uploads;
use crate::mcp::links;
use crate::mcp::raw_message::{self, Arguments, MessageCharge};
use mitt_base::{Error, Remedy, Resource, Result, panics};

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Sessions that a client may always have. Beyond them, it may have no more than are free.
const GUARANTEED_SESSIONS: usize = 8;

/// Answers a request, even if its handler panics.
pub(super) async fn answer(
    shared: &Arc<Shared>,
    (peer, connection): (SocketAddr, &LastClient),
    request: Request<Incoming>,
) -> HttpResponse {
    let begun = Instant::now();
    let method = request.method().clone();
    let answered = panics::caught("the request", dispatch(shared, connection, request)).await;
    let (route, answer) = answered.unwrap_or_else(|error| ("failed", failed(&error)));
    let status = answer.status().as_u16();
    shared.metrics.request(route, status);
    let micros = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
    tracing::debug!(%peer, %method, route, status, micros, "request");
    answer
}

async fn dispatch(
    shared: &Arc<Shared>,
    connection: &LastClient,
    request: Request<Incoming>,
) -> (&'static str, HttpResponse) {
    if let Err(refusal) = shared.access.check(request.headers()) {
        let (reason, status, message) = match refusal {
            Refusal::BadHost => {
                ("host", StatusCode::BAD_REQUEST, "one `Host` is needed\n".to_owned())
            }
            Refusal::Host => (
                "host",
                StatusCode::FORBIDDEN,
                format!("this `Host` is not served here; {}\n", Remedy::ServeHostName.text()),
            ),
            Refusal::Origin => (
                "origin",
                StatusCode::FORBIDDEN,
                format!("this `Origin` may not use the server; {}\n", Remedy::ServeOrigin.text()),
            ),
        };
        return ("refused", shared.refuse(reason, text(status, message)));
    }
    if shared.routes().is_some() && browser::is_login(request.method(), request.uri().path()) {
        return ("login", browser::answer(shared, request).await);
    }
    if let Some(routes) = shared.routes()
        && let Some(route) = routes.route(request.method(), request.uri().path())
    {
        let origin = cors::listed_origin(&shared.access, request.headers());
        if origin.is_some()
            && let Some(mut answer) = cors::preflight(request.method(), request.headers())
        {
            cors::allow(&mut answer, origin.unwrap_or(HeaderValue::from_static("")));
            return (route.name, answer);
        }
        let mut answer = routed::answer(shared, routes, connection, request, route).await;
        if let Some(origin) = origin {
            cors::allow(&mut answer, origin);
        }
        return (route.name, answer);
    }
    let get = matches!(*request.method(), Method::GET | Method::HEAD);
    match request.uri().path() {
        "/mcp" => ("mcp", browser(shared, connection, request).await),
        "/healthz" if get => ("healthz", text(StatusCode::OK, "ok\n")),
        "/readyz" if get => ("readyz", readiness(shared)),
        "/metrics" if get => ("metrics", metrics(shared, request.headers()).await),
        path if path.starts_with(links::PATH) && get => {
            ("files", files::answer(shared, request.method(), path))
        }
        path if path.starts_with(links::PATH) => ("files", only_get()),
        path if path == uploads::PATH || path.starts_with(links::UPLOAD_PATH) => {
            ("documents", uploads::answer(shared, request).await)
        }
        "/healthz" | "/readyz" | "/metrics" => ("other", only_get()),
        "/register" if shared.has_tokens() => ("other", no_registration()),
        // Clients ask whether the server issues tokens.
        path if path.starts_with("/.well-known/oauth-") && shared.has_tokens() => {
            ("other", text(StatusCode::NOT_FOUND, format!("{WAY_IN}\n")))
        }
        _ => (
            "other",
            text(
                StatusCode::NOT_FOUND,
                "MCP is at /mcp, documents are posted to /documents?name=<name>\n",
            ),
        ),
    }
}

fn only_get() -> HttpResponse {
    let mut answer = text(StatusCode::METHOD_NOT_ALLOWED, "");
    answer.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
    answer
}

/// Returns the response to a client that tries to register itself (RFC 7591) because it has no token. Clients show the
/// description to people.
fn no_registration() -> HttpResponse {
    let error = json!({ "error": "access_denied", "error_description": WAY_IN });
    let mut answer = text(StatusCode::FORBIDDEN, error.to_string());
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

fn readiness(shared: &Shared) -> HttpResponse {
    if shared.is_closing() {
        text(StatusCode::SERVICE_UNAVAILABLE, "shutting down\n")
    } else if !shared.is_prepared() {
        text(StatusCode::SERVICE_UNAVAILABLE, "loading skills\n")
    } else {
        text(StatusCode::OK, "ready\n")
    }
}

/// Answers `/metrics`, which is open if clients need no token. Otherwise the token of a client is not enough, because
/// metrics cover all clients.
async fn metrics(shared: &Shared, headers: &HeaderMap) -> HttpResponse {
    if shared.has_tokens() {
        match shared.bearer(headers) {
            Ok(Bearer::Metrics) => {}
            Ok(Bearer::Client(_)) => {
                let answer =
                    text(StatusCode::FORBIDDEN, "a token with `metrics: true` is needed\n");
                return shared.refuse("token", answer);
            }
            Err(none) => return shared.refuse("token", unauthorized(&none)),
        }
    }
    let of_routes = match shared.routes() {
        Some(routes) => routes.metrics().await,
        None => String::new(),
    };
    let mut answer = text(StatusCode::OK, shared.metrics.text(shared.now(), &of_routes));
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(OPEN_METRICS));
    answer
}

/// Answers `/mcp`, for web pages too.
async fn browser(
    shared: &Shared,
    connection: &LastClient,
    request: Request<Incoming>,
) -> HttpResponse {
    let Some(origin) = cors::listed_origin(&shared.access, request.headers()) else {
        return mcp(shared, connection, request).await;
    };
    let mut answer = match cors::preflight(request.method(), request.headers()) {
        Some(answer) => answer,
        None => mcp(shared, connection, request).await,
    };
    cors::allow(&mut answer, origin);
    answer
}

async fn mcp(shared: &Shared, connection: &LastClient, request: Request<Incoming>) -> HttpResponse {
    let client = match shared.bearer(request.headers()) {
        Ok(Bearer::Client(client)) => client,
        Ok(Bearer::Metrics) => {
            let answer = text(StatusCode::FORBIDDEN, "this token is for /metrics alone\n");
            return shared.refuse("token", answer);
        }
        Err(none) => return shared.refuse("token", unauthorized(&none)),
    };
    if shared.is_closing() {
        return later(StatusCode::SERVICE_UNAVAILABLE, "shutting down\n");
    }
    if !client.takes(connection) {
        let message = "too many connections of this client; send several requests over one\n";
        let mut answer = later(StatusCode::TOO_MANY_REQUESTS, message);
        answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        return shared.refuse_client(&client, "connections-of-client", answer);
    }
    let Some(place) = client.place(request.method(), request.headers()) else {
        let answer =
            later(StatusCode::TOO_MANY_REQUESTS, "too many requests of this client at once\n");
        return shared.refuse_client(&client, "requests-of-client", answer);
    };
    let (mut parts, body) = request.into_parts();
    // Code behind this must not be able to leak or log them.
    parts.headers.remove(AUTHORIZATION);
    parts.headers.remove(COOKIE);
    parts.headers.remove(API_KEY);
    if let Some(base) = shared.base(&parts.headers) {
        parts.extensions.insert(base);
    }
    let (mut under_way, mut running, mut weighed) = (None, None, None);
    let answer = if parts.method == Method::POST {
        under_way = Some(shared.answers.token());
        let body = match shared.bodies.read(&client.bodies, body).await {
            Ok(body) => body,
            Err(error) => {
                return shared.refuse(error.name(), unread(error, shared.limits.body_bytes));
            }
        };
        match glance(shared, &client, &mut parts, &body.bytes) {
            Ok((begun, memory)) => (running, weighed) = (begun, Some(memory)),
            Err(answer) => return *answer,
        }
        let request = Request::from_parts(parts, Full::new(body.bytes.clone()));
        client.service(request.method(), request.headers()).handle(request).await
    } else if parts.method == Method::DELETE && !client.has_session(&parts.headers).await {
        text(StatusCode::NOT_FOUND, "no such session\n")
    } else {
        let is_end = parts.method == Method::DELETE;
        let request = Request::from_parts(parts, Full::new(Bytes::new()));
        let answer = client.service(request.method(), request.headers()).handle(request).await;
        if is_end && answer.status() == StatusCode::ACCEPTED {
            // The session has ended; Python's clients treat "accepted" as a failure.
            text(StatusCode::NO_CONTENT, "")
        } else {
            answer
        }
    };
    // A response that the client does not read stays in memory; of a stream, nothing is there yet.
    let size = answer.body().size_hint().exact().unwrap_or(0);
    let host = shared.server().host();
    let kept = raw_message::kept(host, client.who.tenant.as_deref(), size);
    hold(answer, (place, under_way, running, weighed, kept))
}

/// Checks a message before rmcp reads it, and returns what to hold until it is answered. The error is the response instead.
fn glance(
    shared: &Shared,
    client: &TokenClient,
    parts: &mut Parts,
    body: &[u8],
) -> Result<(Option<RunningRequest>, MessageCharge), Box<HttpResponse>> {
    let glance = Glance::of(body);
    if glance.has_long_id {
        let message = format!("the id of a request has at most {MAX_ID_BYTES} bytes\n");
        let answer = text(StatusCode::BAD_REQUEST, message);
        return Err(Box::new(shared.refuse("request-id", answer)));
    }
    let refused = |error: Error| {
        let answer = too_heavy(raw_message::wants_answer(body), glance.id.as_ref(), &error);
        Box::new(shared.refuse("message", answer))
    };
    let tenant = client.who.tenant.as_deref();
    let weighed = raw_message::weigh(shared.server().host(), tenant, body).map_err(refused)?;
    if glance.is_initialize && !parts.headers.contains_key(SESSION_ID) {
        let (own, all) = (client.sessions.len(), shared.sessions.get());
        let free = shared.limits.sessions.saturating_sub(all);
        let is_greedy = own >= GUARANTEED_SESSIONS && own >= free;
        if own >= shared.limits.sessions_per_client || is_greedy {
            let message = "too many sessions of this client; end one with DELETE\n";
            let answer = later(StatusCode::TOO_MANY_REQUESTS, message);
            return Err(Box::new(shared.refuse_client(client, "sessions-of-client", answer)));
        }
        if free == 0 {
            let answer = later(StatusCode::SERVICE_UNAVAILABLE, "too many sessions\n");
            return Err(Box::new(shared.refuse_client(client, "sessions", answer)));
        }
    }
    if let Some(arguments) = glance.arguments {
        parts.extensions.insert(Arguments(arguments));
    }
    // Requests of 2026-07-28 have no session, so their ids cannot collide.
    let Some((session, id)) = parts.headers.get(SESSION_ID).zip(glance.id) else {
        return Ok((None, weighed));
    };
    match client.begin(session, id.clone()) {
        Some(running) => Ok((Some(running), weighed)),
        None => Err(Box::new(shared.refuse("request-id", in_use(&id)))),
    }
}

/// Returns the response to a request whose id is already in use.
fn in_use(id: &RequestId) -> HttpResponse {
    let message = "the request id is in use; wait for its answer, or choose another";
    rpc_error(StatusCode::BAD_REQUEST, Some(id), ErrorCode::INVALID_REQUEST, message)
}

/// Returns the response to a message whose parsed form would need too much memory.
fn too_heavy(wants_answer: bool, id: Option<&RequestId>, error: &Error) -> HttpResponse {
    // Every other limit is about memory that others use now.
    let is_too_large = error.limit_reached().is_some_and(|it| it.what == Resource::Message);
    let (status, code) = if is_too_large {
        (StatusCode::PAYLOAD_TOO_LARGE, ErrorCode::INVALID_REQUEST)
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, ErrorCode::INTERNAL_ERROR)
    };
    let mut answer = if wants_answer {
        rpc_error(status, id, code, &error.render())
    } else {
        // JSON-RPC has no answer to a notification, but HTTP must not claim that it was accepted.
        text(status, format!("{}\n", error.render()))
    };
    if !is_too_large {
        answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    answer
}

/// Returns a JSON-RPC error without asking the service.
fn rpc_error(
    status: StatusCode,
    id: Option<&RequestId>,
    code: ErrorCode,
    message: &str,
) -> HttpResponse {
    let error = json!({
        "jsonrpc": "2.0", "id": id, "error": { "code": code.0, "message": message },
    });
    let mut answer = text(status, error.to_string());
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

/// Returns the response to a request that failed by our own fault.
#[cold]
fn failed(error: &Error) -> HttpResponse {
    let mut answer = text(StatusCode::INTERNAL_SERVER_ERROR, format!("{}\n", error.render()));
    answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    answer
}
