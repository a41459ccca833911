//! `/documents`: uploads of files that become documents of a session without passing through a model.
//!
//! `PUT /documents/<link>/<name>` needs no token: `documents__add` returned the link, which is for one name in one session.
//! `POST /documents?name=<name>` adds to the session that the requests of a token share.

use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, StatusCode};

use super::body::{HttpResponse, hold, later, text};
use super::refusals::{unauthorized, unread};
use super::shared::{Bearer, Shared};
use super::token_client::TokenClient;
use crate::mcp::links::NoFile;
use crate::mcp::{raw_message, uri};
use mitt::value::Json;
use mitt_base::{Error, ErrorKind, Resource, Result};

/// The path for uploads.
pub(super) const PATH: &str = "/documents";

/// Answers a request to [`PATH`] or below it.
pub(super) async fn answer(shared: &Shared, request: Request<Incoming>) -> HttpResponse {
    if shared.is_closing() {
        return later(StatusCode::SERVICE_UNAVAILABLE, "shutting down\n");
    }
    let path = request.uri().path();
    match (request.method(), path == PATH) {
        (&Method::PUT, false) => by_link(shared, request).await,
        (&Method::POST, true) => by_token(shared, request).await,
        _ => text(
            StatusCode::METHOD_NOT_ALLOWED,
            "PUT a file to a link that `documents__add` gave, or POST it to /documents?name=<name>\n",
        ),
    }
}

async fn by_link(shared: &Shared, request: Request<Incoming>) -> HttpResponse {
    let now = shared.server().host().environment().now();
    let upload = match shared.server().links().upload(request.uri().path(), now) {
        Ok(upload) => upload,
        Err(NoFile::Wrong) => {
            return text(StatusCode::NOT_FOUND, "this is no link for an upload\n");
        }
        Err(NoFile::Gone) => return text(StatusCode::GONE, "the session of this link has ended\n"),
        Err(NoFile::Expired) => {
            return text(StatusCode::GONE, "the link has expired; call `documents__add` again\n");
        }
    };
    let Some(client) = shared.client(upload.client()) else {
        return text(StatusCode::GONE, "the session of this link has ended\n");
    };
    received(shared, &client, request, |content| upload.add(content)).await
}

async fn by_token(shared: &Shared, request: Request<Incoming>) -> HttpResponse {
    let client = match shared.bearer(request.headers()) {
        Ok(Bearer::Client(client)) => client,
        Ok(Bearer::Metrics) => {
            return text(StatusCode::FORBIDDEN, "this token is for /metrics alone\n");
        }
        Err(none) => return shared.refuse("token", unauthorized(&none)),
    };
    let query = request.uri().query().unwrap_or_default().split('&');
    let name = query.filter_map(|pair| pair.strip_prefix("name=")).find_map(uri::decoded);
    let Some(name) = name else {
        let message = "the name of the file is missing: POST it to /documents?name=<name>\n";
        return text(StatusCode::BAD_REQUEST, message);
    };
    let who = client.who.clone();
    let add = |content| async move { shared.server().add_document(&who, &name, content).await };
    received(shared, &client, request, add).await
}

/// Reads the body, and answers with the result.
async fn received<F>(
    shared: &Shared,
    client: &TokenClient,
    request: Request<Incoming>,
    add: impl FnOnce(Vec<u8>) -> F,
) -> HttpResponse
where
    F: Future<Output = Result<Json>>,
{
    let Some(place) = client.place(request.method(), request.headers()) else {
        let message = "too many requests of this client at once\n";
        let answer = later(StatusCode::TOO_MANY_REQUESTS, message);
        return shared.refuse_client(client, "requests-of-client", answer);
    };
    let mut body = match shared.uploads.read(&client.uploads, request.into_body()).await {
        Ok(body) => body,
        Err(error) => {
            return shared.refuse(error.name(), unread(error, shared.uploads.max_body()));
        }
    };
    // From here on, the memory is charged to the session.
    let content = Vec::from(std::mem::take(&mut body.bytes));
    drop(body);
    let answer = match Box::pin(add(content)).await {
        Ok(added) => json(StatusCode::CREATED, &added),
        Err(error) => failed(&error),
    };
    let size = hyper::body::Body::size_hint(answer.body()).exact().unwrap_or(0);
    let kept = raw_message::kept(shared.server().host(), client.who.tenant.as_deref(), size);
    hold(answer, (place, kept))
}

fn json(status: StatusCode, value: &Json) -> HttpResponse {
    let mut answer = text(status, format!("{value}\n"));
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

fn failed(error: &Error) -> HttpResponse {
    let limit = error.limit_reached().map(|it| it.what);
    let status = match error.kind() {
        ErrorKind::Limit(_) if limit == Some(Resource::Document) => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorKind::Busy { .. } => StatusCode::SERVICE_UNAVAILABLE,
        ErrorKind::Host => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    };
    text(status, format!("{}\n", error.render()))
}
