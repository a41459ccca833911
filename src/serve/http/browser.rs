//! Logins of web browsers: requests that set and remove the cookie of a browser.
//!
//! Knows tokens. The cookie itself is in `cookie.rs`, and the links that log in once are in `login_links.rs`.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, LOCATION,
    REFERRER_POLICY, SET_COOKIE,
};
use hyper::{HeaderMap, Method, Request, StatusCode};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::body::{HttpResponse, text};
use super::cookie::{cookie_name, is_of_own_page};
use super::login_links::LINK_PATH;
use super::shared::{Bearer, Shared};
use super::token_client::TokenClient;

/// Path of the login of a page.
const SESSION_PATH: &str = "/v1/session";
/// Path at which the bearer of a token makes a link that logs in once.
const LINKS_PATH: &str = "/v1/session/links";
/// Largest body of a login, in bytes.
const MAX_BODY_BYTES: usize = 4 * 1024;
/// Time for the body of a login.
const BODY_TIME: Duration = Duration::from_secs(10);
/// Seconds that a browser keeps its login: 90 days. The token may end earlier.
const COOKIE_SECONDS: u64 = 90 * 24 * 3_600;

/// The page that asks runs nothing and loads nothing.
const CONFIRM_POLICY: &str =
    "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Returns `true` if the path and method are those of a login.
pub(super) fn is_login(method: &Method, path: &str) -> bool {
    match path {
        LINK_PATH => true,
        SESSION_PATH => matches!(*method, Method::POST | Method::DELETE),
        LINKS_PATH => true,
        _ => false,
    }
}

/// Answers a request for which [`is_login`] returns `true`.
pub(super) async fn answer(shared: &Arc<Shared>, request: Request<Incoming>) -> HttpResponse {
    let path = request.uri().path().to_owned();
    match (request.method(), path.as_str()) {
        (&Method::GET, LINK_PATH) if is_of_own_page(request.headers()) => open(shared, &request),
        // The page of somebody else may log the browser in as a person that its user does not expect.
        (&Method::GET, LINK_PATH) => confirm(shared, &request),
        (&Method::POST, LINK_PATH) if is_of_own_page(request.headers()) => open(shared, &request),
        // A program that looks at a link before a person opens it must not end it.
        (&Method::HEAD, LINK_PATH) => text(StatusCode::OK, ""),
        (&Method::POST, LINKS_PATH) => link(shared, &request),
        (&Method::POST | &Method::DELETE, SESSION_PATH) if !is_of_own_page(request.headers()) => {
            problem(
                StatusCode::FORBIDDEN,
                "forbidden",
                "only the page of this server logs in and out",
            )
        }
        (&Method::DELETE, SESSION_PATH) => {
            let mut answer = empty();
            set_cookie(shared, request.headers(), &mut answer, "", 0);
            answer
        }
        (&Method::POST, SESSION_PATH) => log_in(shared, request).await,
        (_, path) => {
            let allowed = if path == LINK_PATH { "GET, HEAD, POST" } else { "POST" };
            let detail = format!("expected one of {allowed}");
            let status = StatusCode::METHOD_NOT_ALLOWED;
            let mut answer = problem(status, "method_not_allowed", &detail);
            answer.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
            answer
        }
    }
}

/// Logs the browser in by a link, and shows the page.
fn open(shared: &Shared, request: &Request<Incoming>) -> HttpResponse {
    let mut answer = text(StatusCode::SEE_OTHER, "");
    let token = code_of(request).and_then(|code| shared.logins.redeem(code));
    // The token may have been revoked since.
    let with_client = token.and_then(|token| match shared.of_token(Some(token.as_bytes())) {
        Ok(Bearer::Client(client)) => Some((token, client)),
        _ => None,
    });
    match with_client {
        Some((token, client)) => {
            logged_in(&client);
            let token = token.as_str();
            set_cookie(shared, request.headers(), &mut answer, token, COOKIE_SECONDS);
            answer.headers_mut().insert(LOCATION, HeaderValue::from_static("/"));
        }
        // The browser may be logged in already; otherwise the page says that a new link is needed.
        None => {
            answer.headers_mut().insert(LOCATION, HeaderValue::from_static("/#/expired-link"));
        }
    }
    answer
}

fn code_of(request: &Request<Incoming>) -> Option<&str> {
    let query = request.uri().query().unwrap_or_default();
    query.split('&').find_map(|it| it.strip_prefix("code="))
}

/// Asks the person whether to log in by a link that another page led to.
fn confirm(shared: &Shared, request: &Request<Incoming>) -> HttpResponse {
    let code = code_of(request).unwrap_or_default();
    let token = shared.logins.token(code);
    let client = token.and_then(|token| shared.of_token(Some(token.as_bytes())).ok());
    let Some(Bearer::Client(client)) = client else { return open(shared, request) };
    let tenant = escaped(client.who.tenant.as_deref().unwrap_or_default());
    let page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Mitt</title><meta name=\"viewport\" \
         content=\"width=device-width\"><main><h1>Mitt</h1><p>Another page led here. Log in as <bdi>{tenant}</bdi>?</p>\
         <form method=\"post\" action=\"{LINK_PATH}?code={}\"><button>Log in</button> <a href=\"/\">Do not log in</a></form>\
         </main></html>",
        escaped(code)
    );
    let mut answer = text(StatusCode::OK, page);
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONFIRM_POLICY));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Some browsers send no `Origin` with the form otherwise.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    answer
}

/// Returns text that is no markup.
fn escaped(text: &str) -> String {
    let plain = |it: char| it.is_alphanumeric() || matches!(it, '-' | '_' | ' ' | '.' | '@');
    text.chars()
        .map(|it| if plain(it) { it.to_string() } else { format!("&#{};", it as u32) })
        .collect()
}

/// Makes a link for the bearer of a token.
fn link(shared: &Shared, request: &Request<Incoming>) -> HttpResponse {
    let headers = request.headers();
    let token = shared.bearer_of_client(headers).and_then(|it| std::str::from_utf8(it).ok());
    let Some(token) = token else {
        return shared.refuse("token", unknown());
    };
    match shared.logins.add(token) {
        Ok(path) => {
            let base = shared.base(headers).map_or_else(String::new, |base| base.0.to_string());
            json_response(StatusCode::CREATED, &json!({ "url": format!("{base}{path}") }))
        }
        Err(error) => problem(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", &error.render()),
    }
}

/// Logs the browser in with a token that a person entered.
async fn log_in(shared: &Shared, request: Request<Incoming>) -> HttpResponse {
    let (parts, body) = request.into_parts();
    let read = timeout(BODY_TIME, Limited::new(body, MAX_BODY_BYTES).collect()).await;
    let Ok(Ok(body)) = read else {
        return problem(StatusCode::BAD_REQUEST, "invalid_body", "the body cannot be read");
    };
    let sent: Option<Value> = serde_json::from_slice(&body.to_bytes()).ok();
    let token = sent.as_ref().and_then(|it| it.get("token")).and_then(Value::as_str);
    let Some(token) = token.map(str::trim) else {
        let detail = "expected a JSON object with the text `token`";
        return problem(StatusCode::UNPROCESSABLE_ENTITY, "invalid_body", detail);
    };
    if !shared.has_tokens() {
        return empty();
    }
    let Ok(Bearer::Client(client)) = shared.of_token(Some(token.as_bytes())) else {
        return shared.refuse("token", unknown());
    };
    logged_in(&client);
    let mut answer = empty();
    set_cookie(shared, &parts.headers, &mut answer, token, COOKIE_SECONDS);
    answer
}

fn logged_in(client: &TokenClient) {
    let tenant = client.who.tenant.as_deref().unwrap_or_default();
    tracing::info!(target: crate::AUDIT_TARGET, tenant, "a browser logged in");
}

fn set_cookie(
    shared: &Shared,
    headers: &HeaderMap,
    answer: &mut HttpResponse,
    token: &str,
    seconds: u64,
) {
    let is_https = shared.is_https(headers);
    let secure = if is_https { "; Secure" } else { "" };
    let cookie = format!(
        "{}={token}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}",
        cookie_name(shared.port, is_https)
    );
    if let Ok(mut value) = HeaderValue::from_str(&cookie) {
        value.set_sensitive(true);
        answer.headers_mut().insert(SET_COOKIE, value);
    }
    let headers = answer.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
}

fn empty() -> HttpResponse {
    text(StatusCode::NO_CONTENT, "")
}

fn unknown() -> HttpResponse {
    problem(StatusCode::UNAUTHORIZED, "unauthorized", "the token is not known")
}

fn problem(status: StatusCode, code: &str, detail: &str) -> HttpResponse {
    let title = status.canonical_reason().unwrap_or_default();
    let kind = format!("about:blank#{code}");
    let problem = json!({
        "type": kind, "title": title, "status": status.as_u16(), "code": code, "detail": detail,
    });
    let mut answer = json_response(status, &problem);
    let media_type = HeaderValue::from_static("application/problem+json");
    answer.headers_mut().insert(CONTENT_TYPE, media_type);
    answer
}

fn json_response(status: StatusCode, value: &Value) -> HttpResponse {
    let mut answer = text(status, value.to_string());
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_logins_are_answered_here() {
        for (method, path, is_own) in [
            (Method::GET, "/open", true),
            (Method::POST, "/open", true),
            (Method::GET, "/v1/session", false),
            (Method::POST, "/v1/session", true),
            (Method::DELETE, "/v1/session", true),
            (Method::POST, "/v1/session/links", true),
            (Method::POST, "/v1/sessions", false),
        ] {
            assert_eq!(is_login(&method, path), is_own, "{method} {path}");
        }
    }
}
