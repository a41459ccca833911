//! Bodies: those of requests, bounded in size, time and memory, and those of answers.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What the server answers with.
pub(super) type Answer = Response<BoxBody<Bytes, Infallible>>;

/// Memory is shared out in pieces of this size.
const PIECE: u64 = 1024;

/// Why a body was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyError {
    TooLarge,
    TooSlow,
    /// No memory was free in time.
    Busy,
    /// The client gave up, or sent what is no body.
    Broken,
}

/// The memory of all bodies together.
#[derive(Debug)]
pub(super) struct Bodies {
    pieces: Arc<Semaphore>,
    max_body: u64,
    time: Duration,
}

/// A body that was read. Its share of the memory is given back when it is dropped.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) bytes: Bytes,
    _share: OwnedSemaphorePermit,
}

impl Bodies {
    pub(super) fn new(max_body: u64, all: u64, time: Duration) -> Bodies {
        // One body fits, whatever the operator wrote.
        let pieces = usize::try_from(all.max(max_body).div_ceil(PIECE)).unwrap_or(usize::MAX);
        Bodies {
            pieces: Arc::new(Semaphore::new(pieces.min(Semaphore::MAX_PERMITS))),
            max_body,
            time,
        }
    }

    /// Read `body` to its end.
    pub(super) async fn read(&self, body: Incoming) -> Result<Read, BodyError> {
        let hint = body.size_hint();
        if hint.lower() > self.max_body {
            return Err(BodyError::TooLarge);
        }
        // What does not say its size may need the most.
        let share = hint.exact().unwrap_or(self.max_body).div_ceil(PIECE);
        let share = u32::try_from(share).unwrap_or(u32::MAX);
        let wait = self.pieces.clone().acquire_many_owned(share);
        let share = match tokio::time::timeout(self.time, wait).await {
            Ok(Ok(share)) => share,
            _ => return Err(BodyError::Busy),
        };
        let limit = usize::try_from(self.max_body).unwrap_or(usize::MAX);
        match tokio::time::timeout(self.time, Limited::new(body, limit).collect()).await {
            Err(_) => Err(BodyError::TooSlow),
            Ok(Ok(body)) => Ok(Read { bytes: body.to_bytes(), _share: share }),
            Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => {
                Err(BodyError::TooLarge)
            }
            Ok(Err(_)) => Err(BodyError::Broken),
        }
    }
}

/// A short answer of ours. Nothing of it may be kept by anybody.
pub(super) fn text(status: StatusCode, text: impl Into<Bytes>) -> Answer {
    let mut answer = Response::new(Full::new(text.into()).boxed());
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// An answer that keeps something until its last byte was taken, or its connection is gone.
pub(super) fn hold<T: Send + Sync + Unpin + 'static>(answer: Answer, held: T) -> Answer {
    answer.map(|body| Held { body, held: Some(held) }.boxed())
}

struct Held<T> {
    body: BoxBody<Bytes, Infallible>,
    held: Option<T>,
}

impl<T: Unpin> Body for Held<T> {
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
