//! Bodies: those of requests, bounded in size, time and memory, and those of responses.
//!
//! Memory is charged to the client as bytes arrive; an announced length costs nothing. Large bodies of one client wait for
//! each other, never for those of other clients. A client that sends slower than the least rate gets 408.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::{Response, StatusCode};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use super::limits::HttpLimits;
use mitt_base::lock;

/// A response of the server.
pub type HttpResponse = Response<BoxBody<Bytes, Infallible>>;

/// The memory of one client is divided into pieces of this size.
const PIECE_BYTES: u64 = 1024;

/// Up to this size a body never waits, because messages without documents are smaller. A client can hold as many of them as
/// it may make requests at once.
const SMALL_BODY_BYTES: u64 = 64 * 1024;

/// Limits on draining a body that is too large: the server reads and discards at most this many bytes, for at most
/// [`DRAIN_TIME`], before it answers with the error.
const MAX_DRAINED: u64 = 256 * 1024 * 1024;
const DRAIN_TIME: Duration = Duration::from_secs(10);

/// Why a body was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyError {
    TooLarge,
    TooSlow,
    /// Other bodies of the client left no room in time.
    ClientBusy,
    /// The bodies of all clients together left no room.
    Busy,
    /// The client gave up, or sent an invalid body.
    Broken,
}

impl BodyError {
    /// Returns the name in the metrics.
    pub(super) fn name(self) -> &'static str {
        match self {
            BodyError::TooLarge => "body-too-large",
            BodyError::TooSlow => "body-too-slow",
            BodyError::ClientBusy => "bodies-of-client",
            BodyError::Busy => "bodies",
            BodyError::Broken => "body",
        }
    }
}

/// The memory of all bodies together.
#[derive(Debug)]
pub(super) struct Bodies {
    pool: Arc<Pool>,
    max_body: u64,
    per_client: u64,
    time: Duration,
    grace: Duration,
    rate: u64,
}

#[derive(Debug)]
struct Pool {
    all: u64,
    max_body: u64,
    used: Mutex<u64>,
}

/// The bodies of one client.
#[derive(Debug)]
pub(super) struct Account {
    pool: Arc<Pool>,
    /// Pieces for large bodies while they are read and handled.
    pieces: Arc<Semaphore>,
    /// Bytes of its bodies, large and small. Changed only under the lock of the pool.
    held: Mutex<u64>,
}

/// A body that was read. Its memory is given back on drop.
#[derive(Debug)]
pub(super) struct ReceivedBody {
    pub(super) bytes: Bytes,
    _charge: Charge,
    _pieces: Option<OwnedSemaphorePermit>,
}

/// Charged bytes of a body.
#[derive(Debug)]
struct Charge {
    account: Arc<Account>,
    bytes: u64,
}

impl Charge {
    fn grow(&mut self, more: u64) -> Result<(), BodyError> {
        let pool = &self.account.pool;
        let mut used = lock(&pool.used);
        let mut held = lock(&self.account.held);
        let free = pool.all.saturating_sub(*used);
        let grown = held.saturating_add(more);
        // Beyond one body, a client must leave as much memory free as it takes, so that another client always finds room.
        let is_greedy = grown > pool.max_body && grown > free.saturating_sub(more);
        if more > free || is_greedy {
            return Err(BodyError::Busy);
        }
        (*used, *held) = (used.saturating_add(more), grown);
        self.bytes = self.bytes.saturating_add(more);
        Ok(())
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        let mut used = lock(&self.account.pool.used);
        let mut held = lock(&self.account.held);
        (*used, *held) = (used.saturating_sub(self.bytes), held.saturating_sub(self.bytes));
    }
}

impl Bodies {
    pub(super) fn new(limits: &HttpLimits) -> Bodies {
        let max_body = limits.body_bytes;
        Bodies {
            pool: Arc::new(Pool {
                // One body always fits, whatever the operator configured.
                all: limits.bodies_bytes.max(max_body),
                max_body,
                used: Mutex::new(0),
            }),
            max_body,
            per_client: limits.bodies_bytes_per_client.max(max_body),
            time: limits.body_time,
            grace: limits.body_grace,
            rate: limits.body_rate.max(1),
        }
    }

    /// Returns the size of the largest body, in bytes.
    pub(super) fn max_body(&self) -> u64 {
        self.max_body
    }

    /// Returns an account for one more client.
    pub(super) fn account(&self) -> Arc<Account> {
        let pieces = usize::try_from(self.per_client.div_ceil(PIECE_BYTES)).unwrap_or(usize::MAX);
        let pieces = Arc::new(Semaphore::new(pieces.min(Semaphore::MAX_PERMITS)));
        Arc::new(Account { pool: self.pool.clone(), pieces, held: Mutex::new(0) })
    }

    /// Reads `body` to its end, for the client of `account`. A body that is too large is drained for a bounded time, because
    /// most clients read no answer before they have sent their request.
    pub(super) async fn read<B>(
        &self,
        account: &Arc<Account>,
        body: B,
    ) -> Result<ReceivedBody, BodyError>
    where
        B: Body<Data = Bytes, Error: Send> + Send + Unpin + 'static,
    {
        let mut body = body;
        let read = self.read_within(account, &mut body).await;
        // Do not drain a body with an absurd length.
        if matches!(read, Err(BodyError::TooLarge)) && body.size_hint().lower() <= MAX_DRAINED {
            tokio::spawn(timeout(DRAIN_TIME, drained(body)));
        }
        read
    }

    async fn read_within<B>(
        &self,
        account: &Arc<Account>,
        body: &mut B,
    ) -> Result<ReceivedBody, BodyError>
    where
        B: Body<Data = Bytes> + Unpin,
    {
        let hint = body.size_hint();
        if hint.lower() > self.max_body {
            return Err(BodyError::TooLarge);
        }
        // A body without a length may need the most.
        let announced = hint.exact().unwrap_or(self.max_body);
        let mut charge = Charge { account: account.clone(), bytes: 0 };
        let mut pieces = None;
        let mut bytes = BytesMut::new();
        let mut begun = Instant::now();
        loop {
            let deadline = begun + self.allowed(bytes.len() as u64);
            let frame = match timeout_at(deadline, body.frame()).await {
                Err(_) => return Err(BodyError::TooSlow),
                Ok(None) => break,
                Ok(Some(Err(_))) => return Err(BodyError::Broken),
                Ok(Some(Ok(frame))) => frame,
            };
            // Ignore trailers.
            let Ok(data) = frame.into_data() else { continue };
            let size = (bytes.len() as u64).saturating_add(data.len() as u64);
            if size > self.max_body {
                return Err(BodyError::TooLarge);
            }
            if size > SMALL_BODY_BYTES && pieces.is_none() {
                let waiting = Instant::now();
                pieces = Some(self.pieces(account, announced).await?);
                // The wait for memory does not count against the sender's rate.
                begun += waiting.elapsed();
                if let Some(exact) = hint.exact().and_then(|it| usize::try_from(it).ok()) {
                    bytes.reserve(exact.saturating_sub(bytes.len()));
                }
            }
            charge.grow(data.len() as u64)?;
            // Copied, because a body in pieces of one byte would otherwise keep as many handles.
            bytes.extend_from_slice(&data);
        }
        if let Some(pieces) = &mut pieces {
            let needed = bytes.len().div_ceil(PIECE_BYTES as usize);
            drop(pieces.split(pieces.num_permits().saturating_sub(needed)));
        }
        Ok(ReceivedBody { bytes: bytes.freeze(), _charge: charge, _pieces: pieces })
    }

    /// Returns the time that a body may have taken for this many bytes.
    fn allowed(&self, received: u64) -> Duration {
        let earned = Duration::from_secs_f64(received as f64 / self.rate as f64);
        self.grace.saturating_add(earned).min(self.time)
    }

    async fn pieces(
        &self,
        account: &Account,
        bytes: u64,
    ) -> Result<OwnedSemaphorePermit, BodyError> {
        let pieces = u32::try_from(bytes.div_ceil(PIECE_BYTES)).unwrap_or(u32::MAX);
        match timeout(self.time, account.pieces.clone().acquire_many_owned(pieces)).await {
            Ok(Ok(pieces)) => Ok(pieces),
            _ => Err(BodyError::ClientBusy),
        }
    }
}

/// A body of a request to a route of another crate. What was not read of it is drained for a bounded time when it is dropped,
/// because most clients read no response before they have sent their request.
pub(super) struct RoutedBody(Option<Incoming>);

impl RoutedBody {
    pub(super) fn new(body: Incoming) -> RoutedBody {
        RoutedBody(Some(body))
    }

    /// Takes the body out, which then is not drained.
    pub(super) fn take(&mut self) -> Option<Incoming> {
        self.0.take()
    }

    pub(super) fn as_mut(&mut self) -> Option<&mut Incoming> {
        self.0.as_mut()
    }

    /// Returns the size of what was not read.
    pub(super) fn size_hint(&self) -> SizeHint {
        self.0.as_ref().map_or_else(|| SizeHint::with_exact(0), |body| body.size_hint())
    }
}

impl Drop for RoutedBody {
    fn drop(&mut self) {
        let Some(body) = self.0.take() else { return };
        let is_worth_it = !body.is_end_stream() && body.size_hint().lower() <= MAX_DRAINED;
        if is_worth_it && let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(timeout(DRAIN_TIME, drained(body)));
        }
    }
}

/// Reads and discards the rest of a body.
async fn drained<B: Body<Data = Bytes> + Unpin>(mut body: B) {
    let mut bytes = 0_u64;
    while let Some(Ok(frame)) = body.frame().await {
        bytes += frame.data_ref().map_or(0, |data| data.len() as u64);
        if bytes > MAX_DRAINED {
            return;
        }
    }
}

/// Makes a short response of ours, which must not be cached.
pub(super) fn text(status: StatusCode, text: impl Into<Bytes>) -> HttpResponse {
    let mut answer = Response::new(Full::new(text.into()).boxed());
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// Makes a refusal that asks to try again soon.
pub(super) fn later(status: StatusCode, message: &'static str) -> HttpResponse {
    let mut answer = text(status, message);
    answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    answer
}

/// Makes a response hold a value until its last byte was sent or its connection is gone.
pub(super) fn hold<T: Send + Sync + Unpin + 'static>(
    answer: HttpResponse,
    held: T,
) -> HttpResponse {
    answer.map(|body| HoldingBody { body, held: Some(held) }.boxed())
}

/// Makes the body of a response end when `stop` is cancelled.
pub(super) fn until(answer: HttpResponse, stop: &CancellationToken) -> HttpResponse {
    let stopped = Box::pin(stop.clone().cancelled_owned());
    answer.map(|body| EndingBody { body, stopped }.boxed())
}

struct EndingBody {
    body: BoxBody<Bytes, Infallible>,
    stopped: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl Body for EndingBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.stopped.as_mut().poll(cx).is_ready() {
            return Poll::Ready(None);
        }
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

struct HoldingBody<T> {
    body: BoxBody<Bytes, Infallible>,
    held: Option<T>,
}

impl<T: Unpin> Body for HoldingBody<T> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        if matches!(frame, Poll::Ready(None)) {
            self.held = None;
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
#[path = "body_tests.rs"]
mod tests;
