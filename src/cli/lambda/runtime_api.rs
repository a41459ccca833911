//! A client of Lambda's Runtime API (version 2018-06-01): takes events, and hands over answers and errors.
//!
//! Knows no event and no skill. The crate `lambda_runtime` does the same. It is not used: it brings tower, a pool of
//! connections, `serde` types of all events and the subscriber of `tracing`, which small builds leave out, for five requests
//! on loopback. Here an event is read within a bound, and the digits of its numbers stay as they were written.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::{Body as _, Incoming};
#[cfg(feature = "serve")]
use hyper::header::TRAILER;
use hyper::header::{CONTENT_TYPE, HOST};
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use mitt_base::{Error, ErrorKind, Resource, Result};
use tokio::time::timeout;

use super::failure::Failure;
use super::loopback;
use super::payload::MAX_PAYLOAD_BYTES;

/// The variable with the address of the Runtime API.
const VARIABLE: &str = "AWS_LAMBDA_RUNTIME_API";
/// The version of the Runtime API.
const VERSION: &str = "2018-06-01";

/// Longest id of a request that is used, in bytes. Those of Lambda have 36.
const MAX_ID_BYTES: usize = 128;

/// Time for every request other than the wait for an event. The API is on this machine.
const REQUEST_TIME: Duration = Duration::from_secs(10);

/// Most bytes of an answer of the API that are shown in an error.
const MAX_SHOWN_BYTES: usize = 400;

const REQUEST_ID: &str = "lambda-runtime-aws-request-id";
const DEADLINE: &str = "lambda-runtime-deadline-ms";
/// Also a trailer of a streamed answer that failed.
pub(super) const ERROR_TYPE: &str = "lambda-runtime-function-error-type";
/// Trailer of a streamed answer that failed: the error as JSON in base64.
#[cfg(feature = "serve")]
pub(super) const ERROR_BODY: &str = "lambda-runtime-function-error-body";
#[cfg(feature = "serve")]
const RESPONSE_MODE: &str = "lambda-runtime-function-response-mode";

/// The address of the Runtime API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RuntimeApi {
    /// Host and port.
    authority: String,
    /// What comes before the version in each path: empty on Lambda, `/.rt` on local ones.
    prefix: String,
}

/// An event that was taken.
#[derive(Debug)]
pub(super) struct Taken {
    /// Id of the request.
    pub(super) id: String,
    /// When the platform ends the function, since 1970; `None` if it does not say.
    pub(super) deadline: Option<Duration>,
    /// The event; an error if it was not read.
    pub(super) event: Result<Bytes>,
}

/// What became of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Handover {
    Accepted,
    /// The platform refused it, as after the deadline. The function goes on.
    Refused(StatusCode, String),
}

impl RuntimeApi {
    /// Returns the API that the environment names.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - the variable is missing, or is no address.
    pub(super) fn of_environment() -> Result<RuntimeApi> {
        match std::env::var(VARIABLE) {
            Ok(address) if !address.is_empty() => RuntimeApi::at(&address),
            _ => Err(Error::new(ErrorKind::Input, format!("{VARIABLE} is not set"))
                .hint("Lambda sets it for a function; `cargo lambda watch` is a Runtime API for trying it here")),
        }
    }

    fn at(address: &str) -> Result<RuntimeApi> {
        let rest = address.strip_prefix("http://").unwrap_or(address).trim_end_matches('/');
        let (authority, prefix) = match rest.find('/') {
            Some(at) => rest.split_at(at),
            None => (rest, ""),
        };
        let uri = format!("http://{authority}{prefix}/").parse::<hyper::Uri>().ok();
        let is_address = uri
            .as_ref()
            .and_then(hyper::Uri::authority)
            .is_some_and(|it| it.port().is_some() && !it.as_str().contains('@'));
        if !is_address {
            let message = format!("{VARIABLE}: expected host and port, got `{address}`");
            return Err(Error::new(ErrorKind::Input, message).hint("such as `127.0.0.1:9001`"));
        }
        Ok(RuntimeApi { authority: authority.to_owned(), prefix: prefix.to_owned() })
    }

    /// Waits for the next event, without a bound: the platform may freeze the function for hours.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - the API cannot be reached, refuses the request, or names no request. The function must end then.
    pub(super) async fn next(&self) -> Result<Taken> {
        const PATH: &str = "runtime/invocation/next";
        let response = self.send(Method::GET, PATH, None, Bytes::new()).await?;
        if response.status() != StatusCode::OK {
            return Err(refused(&Method::GET, PATH, response).await);
        }
        let id = header(response.headers(), REQUEST_ID).filter(|id| is_id(id));
        let Some(id) = id.map(str::to_owned) else {
            let message = format!("the Runtime API gave an event without a valid `{REQUEST_ID}`");
            return Err(Error::new(ErrorKind::Host, message));
        };
        let deadline = header(response.headers(), DEADLINE);
        let deadline =
            deadline.and_then(|text| text.trim().parse().ok()).map(Duration::from_millis);
        let event = event(response).await;
        Ok(Taken { id, deadline, event })
    }

    /// Hands over the answer to a request.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - the API cannot be reached, or says that it cannot go on. The function must end then.
    pub(super) async fn respond(&self, id: &str, answer: Bytes) -> Result<Handover> {
        self.hand_over(&format!("runtime/invocation/{id}/response"), None, answer).await
    }

    /// Hands over an answer that is made while it is sent, within `time`.
    ///
    /// # Errors
    ///
    /// Those of [`RuntimeApi::respond`].
    #[cfg(feature = "serve")]
    pub(super) async fn respond_streamed<B>(
        &self,
        id: &str,
        answer: B,
        time: Duration,
    ) -> Result<Handover>
    where
        B: hyper::body::Body<Data: Send, Error: Into<loopback::SendError>> + Send + 'static,
    {
        let path = format!("runtime/invocation/{id}/response");
        let request = self
            .request(&Method::POST, &path)
            .header(CONTENT_TYPE, "application/vnd.awslambda.http-integration-response")
            .header(RESPONSE_MODE, "streaming")
            .header(TRAILER, format!("{ERROR_TYPE}, {ERROR_BODY}"))
            .body(answer)
            .map_err(Error::bug)?;
        self.handed_over(&path, timeout(time, self.send_request(request)).await).await
    }

    /// Hands over why a request failed.
    ///
    /// # Errors
    ///
    /// Those of [`RuntimeApi::respond`].
    pub(super) async fn fail(&self, id: &str, failure: &Failure) -> Result<Handover> {
        let path = format!("runtime/invocation/{id}/error");
        self.hand_over(&path, Some(failure.error_type()), failure.to_bytes()).await
    }

    /// Hands over why the function cannot start.
    ///
    /// # Errors
    ///
    /// Those of [`RuntimeApi::respond`].
    pub(super) async fn init_failed(&self, failure: &Failure) -> Result<Handover> {
        self.hand_over("runtime/init/error", Some(failure.error_type()), failure.to_bytes()).await
    }

    async fn hand_over(
        &self,
        path: &str,
        error_type: Option<String>,
        body: Bytes,
    ) -> Result<Handover> {
        let sent = timeout(REQUEST_TIME, self.send(Method::POST, path, error_type, body)).await;
        self.handed_over(path, sent).await
    }

    /// Returns what became of an answer.
    async fn handed_over(
        &self,
        path: &str,
        sent: Result<Result<Response<Incoming>>, tokio::time::error::Elapsed>,
    ) -> Result<Handover> {
        let response = sent.map_err(|_| {
            Error::new(
                ErrorKind::Host,
                format!("the Runtime API did not answer POST {path} in time"),
            )
        })??;
        match response.status() {
            status if status.is_success() => Ok(Handover::Accepted),
            status if status.is_server_error() => Err(refused(&Method::POST, path, response).await),
            status => Ok(Handover::Refused(status, shown(response).await)),
        }
    }

    /// Sends a request.
    async fn send(
        &self,
        method: Method,
        path: &str,
        error_type: Option<String>,
        body: Bytes,
    ) -> Result<Response<Incoming>> {
        let mut request = self.request(&method, path).header(CONTENT_TYPE, "application/json");
        if let Some(error_type) = error_type {
            request = request.header(ERROR_TYPE, error_type);
        }
        self.send_request(request.body(Full::new(body)).map_err(Error::bug)?).await
    }

    fn request(&self, method: &Method, path: &str) -> hyper::http::request::Builder {
        Request::builder()
            .method(method)
            .uri(format!("{}/{VERSION}/{path}", self.prefix))
            .header(HOST, &self.authority)
    }

    async fn send_request<B>(&self, request: Request<B>) -> Result<Response<Incoming>>
    where
        B: hyper::body::Body<Data: Send, Error: Into<loopback::SendError>> + Send + 'static,
    {
        loopback::send(&self.authority, request).await.map_err(|error| {
            let message = format!("cannot reach the Runtime API at {}", self.authority);
            Error::new(ErrorKind::Host, message).caused_by(error)
        })
    }
}

/// Reads an event within the bound.
async fn event(response: Response<Incoming>) -> Result<Bytes> {
    let too_large =
        |got: u64| Error::limit(Resource::Arguments, MAX_PAYLOAD_BYTES as u64, got).at("event");
    let announced = response.body().size_hint().lower();
    if announced > MAX_PAYLOAD_BYTES as u64 {
        return Err(too_large(announced));
    }
    match Limited::new(response.into_body(), MAX_PAYLOAD_BYTES).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => {
            Err(too_large(MAX_PAYLOAD_BYTES as u64 + 1))
        }
        Err(error) => {
            Err(Error::new(ErrorKind::Host, "the event did not arrive whole").caused_by(error))
        }
    }
}

/// Returns the error of a request that the API refused.
async fn refused(method: &Method, path: &str, response: Response<Incoming>) -> Error {
    let status = response.status().as_u16();
    let message = format!("the Runtime API answered {status} to {method} {path}");
    let error = Error::new(ErrorKind::Host, message);
    match shown(response).await {
        text if text.is_empty() => error,
        text => error.detail(text),
    }
}

/// Returns the beginning of the API's answer, on one line.
async fn shown(response: Response<Incoming>) -> String {
    let body = Limited::new(response.into_body(), 64 * 1024).collect();
    let body = match timeout(Duration::from_secs(1), body).await {
        Ok(Ok(body)) => body.to_bytes(),
        _ => return String::new(),
    };
    let text = String::from_utf8_lossy(&body);
    mitt_base::text::one_line(mitt_base::text::cut_bytes(&text, MAX_SHOWN_BYTES)).to_string()
}

fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

/// Returns `true` for an id that can be part of a path: of a request, and of a folder.
pub(super) fn is_id(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    !text.is_empty() && text.len() <= MAX_ID_BYTES && text.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_has_a_port_and_may_have_a_path() {
        let at = |address: &str| {
            let api = RuntimeApi::at(address).unwrap();
            (api.authority, api.prefix)
        };
        assert_eq!(at("127.0.0.1:9001"), ("127.0.0.1:9001".into(), String::new()));
        assert_eq!(at("http://[::1]:1/.rt/"), ("[::1]:1".into(), "/.rt".into()));
        for wrong in ["", "127.0.0.1", "https://a:1", "user@host:1", "a b:1", "a:99999"] {
            let error = RuntimeApi::at(wrong).unwrap_err();
            assert!(error.to_string().contains("expected host and port"), "{wrong}: {error}");
            assert_eq!(error.hints().len(), 1);
        }
    }

    #[test]
    fn ids_are_no_paths() {
        assert!(is_id("8476a536-e9f4-11e8-9739-2dfe598c3fcd"));
        for wrong in ["", "..", "a/b", "a b", "a\u{e9}", &"a".repeat(MAX_ID_BYTES + 1)] {
            assert!(!is_id(wrong), "{wrong}");
        }
    }
}
