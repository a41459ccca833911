//! Routes of another crate behind the checks of this server: `Host`, `Origin`, token, and numbers of connections and
//! requests.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http_body_util::BodyExt as _;
use hyper::{HeaderMap, Method, StatusCode, Uri};
use tokio::time::{Instant, timeout_at};

use super::body::{Account, Bodies, BodyError, HttpResponse, ReceivedBody, RoutedBody};
use super::limits::HttpLimits;
use super::metrics::Metrics;
use crate::mcp::Client;
use crate::mcp::raw_message::{self, MessageCharge};
use mitt::Host;
use mitt_base::{Error, Resource};

/// Answers requests to paths that are not the server's own.
pub trait Routes: Send + Sync {
    /// Returns the route of a path; `None` if no route has it. A method that the path does not have makes no difference: the
    /// response says so.
    fn route(&self, method: &Method, path: &str) -> Option<Route>;

    /// Answers a request whose path has a route.
    fn answer(&self, request: RoutedRequest) -> BoxFuture<'_, HttpResponse>;

    /// Returns the response to a request that the server refuses before it reaches its route: `message` is one line.
    fn refused(&self, path: &str, status: StatusCode, message: &str) -> HttpResponse;

    /// Returns metrics as OpenMetrics text without its end, for `/metrics`. Their names are not those of the server. Default:
    /// none.
    fn metrics(&self) -> BoxFuture<'_, String> {
        Box::pin(async move { String::new() })
    }

    /// Ends the work behind the routes: nothing new begins, and running work stops within `grace` at a point from which it
    /// can be continued.
    fn close(&self, grace: Duration) -> BoxFuture<'_, ()>;
}

/// A route as the server sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// Name in metrics.
    pub name: &'static str,
    /// `true` if a request needs no token, because its path is a signed link.
    pub is_public: bool,
    /// `true` if the token in `X-API-Key` decides where a request has one, whatever its `Authorization` is. Otherwise it decides
    /// only beside an `Authorization` that has no token of this server.
    pub prefers_key: bool,
    /// `true` if tokens that LibreChat signed for its users are accepted, where the operator named its key.
    pub takes_signed_tokens: bool,
    /// `true` if its response stays open and waits for events. Such a request takes the place of a stream, not of a call.
    pub is_stream: bool,
}

/// A request that passed the checks. `Authorization` and `Cookie` are removed from its headers.
pub struct RoutedRequest {
    /// Method.
    pub method: Method,
    /// Path and query.
    pub uri: Uri,
    /// Headers.
    pub headers: HeaderMap,
    /// The client that sent it; `None` on a public route.
    pub client: Option<Client>,
    /// Prefix of links, such as `https://mitt.example.org`, without a slash at the end.
    pub base: Arc<str>,
    pub(super) body: RoutedBody,
    pub(super) reading: BodyReading,
}

/// What reading a body needs of the server.
pub(super) struct BodyReading {
    pub(super) bodies: Arc<Bodies>,
    /// The account of the client; `None` on a public route, which reads no body.
    pub(super) account: Option<Arc<Account>>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) limits: Arc<HttpLimits>,
    pub(super) host: Host,
}

/// A whole body. Its memory is charged to the client until it is dropped.
pub struct WholeBody {
    body: ReceivedBody,
    _parsed: Option<MessageCharge>,
}

impl WholeBody {
    /// Returns the bytes.
    pub fn bytes(&self) -> &Bytes {
        &self.body.bytes
    }
}

/// Why a body was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyRefusal {
    /// Status of the response.
    pub status: StatusCode,
    /// One line for the client.
    pub message: String,
    /// Seconds for `Retry-After`, if the client may try again.
    pub retry_after: Option<u64>,
}

impl RoutedRequest {
    /// Reads the whole body, which has at most [`HttpLimits::body_bytes`](super::HttpLimits::body_bytes).
    ///
    /// # Errors
    ///
    /// The body is too large or too slow, or there is no memory for it.
    pub async fn whole_body(self) -> Result<WholeBody, BodyRefusal> {
        let RoutedRequest { mut body, reading, .. } = self;
        let (Some(account), Some(body)) = (&reading.account, body.take()) else {
            return Err(BodyRefusal::of(BodyError::Broken, 0));
        };
        let read = reading.bodies.read(account, body).await;
        let body = read.map_err(|error| {
            reading.metrics.refused(error.name());
            BodyRefusal::of(error, reading.limits.body_bytes)
        })?;
        Ok(WholeBody { body, _parsed: None })
    }

    /// Reads a body of JSON like [`RoutedRequest::whole_body`], and charges the memory that its values will take before they
    /// are parsed.
    ///
    /// # Errors
    ///
    /// Those of [`RoutedRequest::whole_body`]; the values would take too much memory.
    pub async fn json_body(self) -> Result<WholeBody, BodyRefusal> {
        let host = self.reading.host.clone();
        let tenant = self.client.as_ref().and_then(|client| client.tenant.clone());
        let mut body = self.whole_body().await?;
        let weighed = raw_message::weigh(&host, tenant.as_deref(), body.bytes());
        body._parsed = Some(weighed.map_err(|error| BodyRefusal::of_weight(&error))?);
        Ok(body)
    }

    /// Returns a reader of the body in pieces, which has at most `most` bytes in all. Nothing is buffered.
    pub fn pieces(self, most: u64) -> BodyPieces {
        let limits = &self.reading.limits;
        BodyPieces {
            body: self.body,
            most,
            received: 0,
            begun: Instant::now(),
            grace: limits.body_grace,
            time: limits.upload_time,
            rate: limits.body_rate.max(1),
        }
    }

    /// Returns the announced length of the body in bytes.
    pub fn content_length(&self) -> Option<u64> {
        self.body.size_hint().exact()
    }
}

impl BodyRefusal {
    fn of(error: BodyError, most: u64) -> BodyRefusal {
        let (status, message) = match error {
            BodyError::TooLarge => (
                StatusCode::PAYLOAD_TOO_LARGE,
                format!("a body has at most {most} bytes; upload large files in pieces"),
            ),
            BodyError::TooSlow => {
                (StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time".to_owned())
            }
            BodyError::ClientBusy => (
                StatusCode::TOO_MANY_REQUESTS,
                "too many large bodies of this client at once; send them one after the other"
                    .to_owned(),
            ),
            BodyError::Busy => (StatusCode::SERVICE_UNAVAILABLE, "too many requests".to_owned()),
            BodyError::Broken => (StatusCode::BAD_REQUEST, "the body cannot be read".to_owned()),
        };
        let retry_after = matches!(error, BodyError::ClientBusy | BodyError::Busy).then_some(1);
        BodyRefusal { status, message, retry_after }
    }

    fn of_weight(error: &Error) -> BodyRefusal {
        let is_too_large = error.limit_reached().is_some_and(|it| it.what == Resource::Message);
        let status = if is_too_large {
            StatusCode::PAYLOAD_TOO_LARGE
        } else {
            StatusCode::SERVICE_UNAVAILABLE
        };
        let retry_after = (!is_too_large).then_some(1);
        BodyRefusal { status, message: error.render(), retry_after }
    }
}

/// A body that is read piece by piece. A sender that is slower than the least rate is refused.
pub struct BodyPieces {
    body: RoutedBody,
    most: u64,
    received: u64,
    begun: Instant,
    grace: Duration,
    time: Duration,
    rate: u64,
}

impl BodyPieces {
    /// Returns the next piece; `None` at the end of the body.
    ///
    /// # Errors
    ///
    /// The body is too large or too slow, or the connection broke. What was returned before remains valid.
    pub async fn next(&mut self) -> Result<Option<Bytes>, BodyRefusal> {
        if self.body.size_hint().lower().saturating_add(self.received) > self.most {
            return Err(BodyRefusal::of(BodyError::TooLarge, self.most));
        }
        loop {
            let earned = Duration::from_secs_f64(self.received as f64 / self.rate as f64);
            let deadline = self.begun + self.grace.saturating_add(earned).min(self.time);
            let Some(body) = self.body.as_mut() else {
                return Err(BodyRefusal::of(BodyError::Broken, self.most));
            };
            let frame = match timeout_at(deadline, body.frame()).await {
                Err(_) => {
                    // What comes so slowly is not waited for.
                    self.body.take();
                    return Err(BodyRefusal::of(BodyError::TooSlow, self.most));
                }
                Ok(None) => return Ok(None),
                Ok(Some(Err(_))) => return Err(BodyRefusal::of(BodyError::Broken, self.most)),
                Ok(Some(Ok(frame))) => frame,
            };
            // Ignore trailers.
            let Ok(data) = frame.into_data() else { continue };
            self.received = self.received.saturating_add(data.len() as u64);
            if self.received > self.most {
                return Err(BodyRefusal::of(BodyError::TooLarge, self.most));
            }
            return Ok(Some(data));
        }
    }

    /// Returns the number of bytes so far.
    pub fn received(&self) -> u64 {
        self.received
    }
}
