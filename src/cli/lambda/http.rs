//! Answers requests over HTTP: direct events at `/events`, MCP of 2026-07-28 at `/mcp`.
//!
//! Only callers that the platform knows are answered. MCP goes through the server of `mitt serve`, on a port of this machine,
//! so that its checks and bounds hold here too. After each request its session ends.

use bytes::Bytes;
use hyper::header::{ALLOW, HeaderValue};
use hyper::{Method, StatusCode};
use serde_json::{Value, json};

use super::direct::DirectEvent;
use super::failure::Failure;
use super::fields::Fields;
use super::function::{Function, Task};
use super::http_event::{HttpAnswer, HttpEvent};
use super::mcp_server::McpServer;
use super::payload::{MAX_PAYLOAD_BYTES, Reader};
use super::streamed::{HttpResponse, LiveEvents, is_event_stream};
use super::within;
use mitt::value::Json;
use mitt_base::{Error, ErrorKind, Result};

/// The revision of MCP whose requests need no session.
const REVISION: &str = "2026-07-28";
/// Code of MCP for a revision that is not served.
const UNSUPPORTED_REVISION: i64 = -32022;
/// Code of JSON-RPC for a method that is not served.
const NO_METHOD: i64 = -32601;

/// Answers a request, in the form of Lambda. What goes wrong is a response, too.
pub(super) async fn answer(function: &Function, task: &Task<'_>, event: HttpEvent) -> Bytes {
    match respond(function, task, event).await {
        HttpResponse::Whole(answer) => fitted(answer),
        // Only answers that are streamed have events.
        HttpResponse::Live(_) => fitted(refused(
            StatusCode::INTERNAL_SERVER_ERROR,
            Error::bug("a stream of events for a whole answer"),
        )),
    }
}

/// Returns a response as Lambda takes it. One that is too large becomes a response with the error.
fn fitted(answer: HttpAnswer) -> Bytes {
    answer.into_bytes().unwrap_or_else(|error| {
        let answer = refused(status_of(error.kind()), error);
        // The error is of this host, so it is short.
        answer.into_bytes().unwrap_or_default()
    })
}

/// Answers a request. If the answer is streamed ([`Reader::StreamClient`]), events of MCP are those that come while a tool works.
pub(super) async fn respond<'f>(
    function: &'f Function,
    task: &Task<'_>,
    event: HttpEvent,
) -> HttpResponse<'f> {
    match routed(function, task, event).await {
        Ok(response) => response,
        Err(failure) => HttpResponse::Whole(of_failure(failure, task.reader)),
    }
}

async fn routed<'f>(
    function: &'f Function,
    task: &Task<'_>,
    event: HttpEvent,
) -> Result<HttpResponse<'f>, Failure> {
    if !event.is_authorized {
        let message = "the platform does not know the caller";
        let error = Error::new(ErrorKind::Denied, message).hint(
            "set the function URL's authorization to AWS_IAM, or give the route of the API an authorizer",
        );
        return Ok(HttpResponse::Whole(refused(StatusCode::UNAUTHORIZED, error)));
    }
    let is_post = event.method == Method::POST;
    let answer = match event.uri.path() {
        "/events" if is_post => direct(function, task, &event.body).await?,
        "/mcp" if is_post => {
            return within(task.deadline, mcp(function, event, task.reader)).await;
        }
        "/healthz" if event.method == Method::GET => {
            HttpAnswer::of_json(StatusCode::OK, r#"{"status":"ok"}"#)
        }
        "/events" | "/mcp" => {
            let error = Error::new(ErrorKind::Input, "expected POST, got another method");
            let mut answer = refused(StatusCode::METHOD_NOT_ALLOWED, error);
            answer.headers.insert(ALLOW, HeaderValue::from_static("POST"));
            answer
        }
        _ => {
            let error = Error::new(ErrorKind::Input, "nothing is at this path")
                .hint("direct events are posted to `/events`, requests of MCP to `/mcp`");
            refused(StatusCode::NOT_FOUND, error)
        }
    };
    Ok(HttpResponse::Whole(answer))
}

/// Returns the response to a failure. What the work answered before it is left out if the response would be too large with it.
fn of_failure(failure: Failure, reader: Reader) -> HttpAnswer {
    let status = status_of(failure.error.kind());
    let whole = HttpAnswer::of_json(status, failure.to_bytes());
    if reader == Reader::StreamClient {
        return whole;
    }
    match whole.clone().into_bytes() {
        Ok(_) => whole,
        Err(_) => refused(status, failure.error),
    }
}

fn refused(status: StatusCode, error: Error) -> HttpAnswer {
    HttpAnswer::of_json(status, Failure::from(error).to_bytes())
}

/// Returns the status of a response for an error.
fn status_of(kind: &ErrorKind) -> StatusCode {
    match kind {
        ErrorKind::Arguments | ErrorKind::Input => StatusCode::BAD_REQUEST,
        ErrorKind::UnknownTool => StatusCode::NOT_FOUND,
        ErrorKind::Denied | ErrorKind::Blocked | ErrorKind::Paused => StatusCode::FORBIDDEN,
        ErrorKind::Plugin | ErrorKind::Limit(_) | ErrorKind::Trap => {
            StatusCode::UNPROCESSABLE_ENTITY
        }
        ErrorKind::Busy { .. } => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

async fn direct(function: &Function, task: &Task<'_>, body: &[u8]) -> Result<HttpAnswer, Failure> {
    let event = Json::parse(body, MAX_PAYLOAD_BYTES as u64, Json::MAX_DEPTH);
    let event = event.map_err(|error| error.at("event"))?;
    let event = DirectEvent::read(Fields::of("", event)?)?;
    let answer = within(task.deadline, event.run(function, task)).await?;
    Ok(HttpAnswer::of_json(StatusCode::OK, answer.into_bytes()?))
}

async fn mcp(
    function: &Function,
    event: HttpEvent,
    reader: Reader,
) -> Result<HttpResponse<'_>, Failure> {
    let most = usize::try_from(reader.most()).unwrap_or(MAX_PAYLOAD_BYTES);
    let text = |name: &str| event.headers.get(name).and_then(|it| it.to_str().ok());
    if text("mcp-protocol-version") != Some(REVISION) {
        let message = format!(
            "a function keeps no session, so it serves {REVISION} alone; use `mitt serve` for older clients"
        );
        let data = json!({ "supported": [REVISION], "requested": text("mcp-protocol-version") });
        let answer = rpc_error(&event.body, UNSUPPORTED_REVISION, &message, &data);
        return Ok(HttpResponse::Whole(answer));
    }
    let method = text("mcp-method").unwrap_or_default().to_owned();
    if method == "subscriptions/listen" {
        let message = "a function ends with its answer, so it sends no notifications";
        let answer = rpc_error(&event.body, NO_METHOD, message, &Value::Null);
        return Ok(HttpResponse::Whole(answer));
    }
    let server = function.mcp_server().await?;
    let session = server.session();
    let HttpEvent { uri, headers, body, .. } = event;
    let response = server.open(uri.path(), headers.clone(), body.clone()).await?;
    let has_events = is_event_stream(response.headers());
    if has_events && reader == Reader::StreamClient {
        let live = LiveEvents::new(response, (server, session), (headers, body));
        return Ok(HttpResponse::Live(live));
    }
    let mut answer = McpServer::whole(response, most).await?;
    if method == "tools/call" && answer.status == StatusCode::OK {
        answer.body = if has_events {
            let events = String::from_utf8_lossy(&answer.body).into_owned();
            let mut out = String::with_capacity(events.len());
            for event in events.split_inclusive("\n\n") {
                let left = most.saturating_sub(out.len());
                let lines = event.trim_end_matches('\n');
                out.push_str(&server.event_with_files(&headers, &body, lines, left).await);
                out.push_str("\n\n");
            }
            out.into()
        } else {
            server.with_files(&headers, &body, answer.body, most).await
        };
    }
    drop(session);
    Ok(HttpResponse::Whole(answer))
}

/// Returns an error of JSON-RPC to the request in `body`.
fn rpc_error(body: &[u8], code: i64, message: &str, data: &Value) -> HttpAnswer {
    let request: Value = serde_json::from_slice(body).unwrap_or_default();
    let mut error = json!({ "code": code, "message": message });
    if !data.is_null() {
        error["data"] = data.clone();
    }
    let answer = json!({ "jsonrpc": "2.0", "id": request.get("id"), "error": error });
    HttpAnswer::of_json(StatusCode::BAD_REQUEST, answer.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> (Value, Value) {
        assert!(bytes.len() <= MAX_PAYLOAD_BYTES, "{}", bytes.len());
        let answer: Value = serde_json::from_slice(bytes).unwrap();
        let body = serde_json::from_str(answer["body"].as_str().unwrap()).unwrap();
        (answer["statusCode"].clone(), body)
    }

    #[test]
    fn a_response_that_is_too_large_once_wrapped_is_a_response_with_the_error() {
        // Each quote takes two bytes in the body, and four in the response around it.
        let body = json!({ "result": "\"".repeat(1_800_000) }).to_string();
        assert!(body.len() < MAX_PAYLOAD_BYTES);
        let (status, body) = read(&fitted(HttpAnswer::of_json(StatusCode::OK, body)));
        assert_eq!((&status, &body["errorType"]), (&json!(422), &json!("Mitt.limit")), "{body}");
        let message = body["errorMessage"].as_str().unwrap();
        assert!(message.contains("6291556") && message.contains("hint: "), "{message}");
    }

    #[test]
    fn a_failure_that_is_too_large_once_wrapped_is_said_without_the_answer() {
        let error = Error::new(ErrorKind::Plugin, "ZeroDivisionError");
        let printed = json!({ "stdout": "\"".repeat(1_800_000) });
        let failure = Failure { error: error.clone(), answer: Some(printed) };
        let (status, body) = read(&fitted(of_failure(failure, Reader::HttpClient)));
        assert_eq!((&status, &body["errorMessage"]), (&json!(422), &json!("ZeroDivisionError")));
        assert!(body.get("answer").is_none());
        let failure = Failure { error, answer: Some(json!({ "stdout": "1" })) };
        assert_eq!(
            read(&fitted(of_failure(failure, Reader::HttpClient))).1["answer"]["stdout"],
            "1"
        );
    }
}
